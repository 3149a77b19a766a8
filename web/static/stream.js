// Follow the program's state: by its event stream, or by asking again and again.

const PATIENCE = 40000; // ms without a sign of life; the program gives one every 15 s
const SOON = 2000; // ms until the next attempt after a stream was cut off
const LATER = 30000; // ms until the next attempt after a stream was refused

export function follow({ setup, onState, onLights }) {
  const link = document.querySelector("#link");
  let version = "";
  let polling = false;
  let heard = Date.now();

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
    const on = (name, listener) =>
      source.addEventListener(name, (event) => {
        heard = Date.now();
        listener(event.data);
      });
    on("state", take);
    on("lights", onLights);
    on("still", () => {});

    function end() {
      if (opened) tell("lost", "connection lost, trying again");
      clearInterval(watch);
      source.close();
      poll();
      setTimeout(stream, opened ? SOON : LATER);
    }
    // A phone that left the network is told nothing: silence must do.
    heard = Date.now();
    const watch = setInterval(() => Date.now() - heard > PATIENCE && end(), 5000);
    source.onerror = end;
  }

  async function poll() {
    if (polling) return;
    polling = true;
    while (polling) {
      try {
        const answer = await fetch(`/state?since=${version}&wait=8`, {
          signal: AbortSignal.timeout(15000),
        });
        if (!answer.ok) throw new Error(answer.status);
        if (!polling) return;
        if (answer.status === 200) take(await answer.text());
        tell("polling", "up to date");
      } catch {
        if (polling) tell("lost", "connection lost, trying again");
      }
      await new Promise((done) => setTimeout(done, 1000));
    }
  }

  addEventListener("offline", () => tell("lost", "connection lost, trying again"));
  if ("EventSource" in window) stream();
  else poll();
}
