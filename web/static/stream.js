// Follow the program's state: by its event stream, or by asking again and again.

const PATIENCE = 40000; // ms without a sign of life, heartbeats come every 15 s
const RETRY_STREAM = 30000; // ms between attempts to get from asking back to a stream

export function follow({ setup, onState, onLights }) {
  const link = document.querySelector("#link");
  let version = "";
  let polling = false;

  function take(text) {
    const message = JSON.parse(text);
    if (message.setup !== setup) return location.reload();
    version = message.version;
    if (message.game) onState(message);
  }

  function tell(how, words) {
    link.dataset.link = how;
    link.querySelector(".words").textContent = words;
    document.body.classList.toggle("stale", how === "lost");
  }

  function stream() {
    const source = new EventSource("/events");
    let opened = false;
    source.onopen = () => {
      opened = true;
      polling = false;
      tell("live", "live");
    };
    source.addEventListener("state", (event) => take(event.data));
    source.addEventListener("lights", (event) => onLights(event.data));
    source.onerror = () => {
      if (opened && source.readyState === EventSource.CONNECTING) {
        tell("lost", "connection lost, trying again");
      }
      source.close();
      poll();
      setTimeout(stream, opened ? 2000 : RETRY_STREAM);
    };
  }

  async function poll() {
    if (polling) return;
    polling = true;
    while (polling) {
      try {
        const answer = await fetch(`/state?since=${version}&wait=8`);
        if (!answer.ok) throw new Error(answer.status);
        if (!polling) return;
        if (answer.status === 200) take(await answer.text());
        tell("polling", "up to date");
      } catch {
        tell("lost", "connection lost, trying again");
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  if ("EventSource" in window) stream();
  else poll();
}
