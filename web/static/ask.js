// Ask the program for something; say its answer when it refuses.

// Returns null when it agrees, or the sentence why it does not.
export async function refusal(address, body = {}) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.ok ? null : (await answer.json()).error;
  } catch {
    return "The companion does not answer. Is it still running?";
  }
}

// Returns whether it agrees; otherwise shows why not.
export async function askFor(address, body = {}) {
  const problem = await refusal(address, body);
  if (problem) say(problem);
  return !problem;
}

let silence;

// Shows a sentence for a while.
export function say(sentence) {
  // An open dialog covers the page: the sentence goes where it can be seen.
  const place = document.querySelector("dialog[open]") ?? document.body;
  const toast = document.querySelector("#toast");
  place.append(toast);
  toast.textContent = sentence;
  clearTimeout(silence);
  silence = setTimeout(() => (toast.textContent = ""), 7000);
}
