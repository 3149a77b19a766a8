// The page: keeps up with the referee, and asks it for things.
import { askFor, say } from "./ask.js";
import { Board, cellName } from "./board.js";
import { follow } from "./stream.js";

const state = { message: null };
const board = new Board(document.querySelector("#referee"), chooseSquare);

follow({
  setup: document.body.dataset.setup,
  onState: show,
  onLights: (colours) => board.light(colours),
});

function show(message) {
  state.message = message;
  for (const [id, html] of Object.entries(message.parts)) {
    const element = document.getElementById(id);
    if (element) element.innerHTML = html;
  }
  board.name(message.names);
  countDown();
}

// -- choosing squares -----------------------------------------------------------

function chooseSquare(cell) {
  const dialog = document.querySelector("#square");
  if (!dialog.querySelector("[data-look]")) return;
  dialog.dataset.cell = cell;
  dialog.querySelector("h2").textContent = cellName(state.message, cell);
  for (const button of dialog.querySelectorAll("[data-look]")) {
    button.disabled = state.message?.looks[cell] === button.dataset.look;
  }
  dialog.showModal();
}

// -- buttons ----------------------------------------------------------------------

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button, a");
  if (!button) return;
  const { ask, body, open, show: square, look, purpose } = button.dataset;
  const dialog = button.closest("dialog");
  if (open) {
    dialog?.close();
    const next = document.getElementById(open);
    if (purpose) next.dataset.purpose = purpose;
    if (!next.open) next.showModal();
  } else if (square) {
    board.show(square);
  } else if (ask) {
    if (await askFor(`/ask/${ask}`, JSON.parse(body ?? "{}"))) dialog?.close();
  } else if (look) {
    if (await askFor("/ask/correct", { cell: dialog.dataset.cell, look })) dialog.close();
  } else if (button.closest("#pad")) {
    await chooseCard(dialog, button.value);
  }
});

async function chooseCard(dialog, card) {
  const asked =
    dialog.dataset.purpose === "dead"
      ? askFor("/ask/tell", { line: { dead: card } })
      : askFor("/ask/card", { card });
  if (await asked) dialog.close();
}

// A tap beside a dialog closes it.
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

// -- the time that is left ----------------------------------------------------------

function countDown() {
  for (const ends of document.querySelectorAll("[data-ends]")) {
    const minutes = Math.ceil((Date.parse(ends.dataset.ends) - Date.now()) / 60000);
    ends.textContent = minutes > 0 ? `${minutes} min left` : "time is up";
  }
}
setInterval(countDown, 5000);

// -- the camera -----------------------------------------------------------------------

const camera = document.querySelector("#camera");
setInterval(() => {
  if (camera.closest("details").open && !document.hidden) {
    camera.src = `/pictures/camera?at=${Date.now()}`;
  }
}, 1500);
camera.addEventListener("load", () => {
  camera.hidden = false;
  document.querySelector("#no-camera").hidden = true;
});
camera.addEventListener("error", () => {
  camera.hidden = true;
  document.querySelector("#no-camera").hidden = false;
});

export { say };
