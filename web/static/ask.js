// Ask the program for something; say its answer when it refuses.

export async function askFor(address, body = {}) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return true;
    say((await answer.json()).error);
  } catch {
    say("The companion does not answer. Is it still running?");
  }
  return false;
}

let silence;

export function say(sentence) {
  const toast = document.querySelector("#toast");
  toast.textContent = sentence;
  clearTimeout(silence);
  silence = setTimeout(() => (toast.textContent = ""), 7000);
}
