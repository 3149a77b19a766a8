// The page: keeps up with the referee, and asks it for things.
import { askFor } from "./ask.js";
import { Board } from "./board.js";
import "./match.js";
import { follow } from "./stream.js";
import { Table } from "./table.js";

const { setup, pieces, recorded } = document.body.dataset;
const { Teller } = await import(`./${pieces}.js`); // how turns of this kind are told
const board = new Board(document.querySelector("#referee"), (cell) => {
  if (recorded === undefined) teller.choose(cell); // what was played cannot be changed
});
const teller = new Teller(board);
const virtual = document.querySelector("#virtual");
const table = virtual && new Table(virtual);
let watching = false; // whether a camera gives pictures

follow({ setup, onState: show, onLights: (colours) => board.light(colours) });

function show(message) {
  for (const [id, html] of Object.entries(message.parts)) {
    const element = document.getElementById(id);
    if (element) replace(element, html);
  }
  board.name(message.names);
  teller.update(message);
  table?.update(message);
  watching = message.camera;
  countDown();
}

// Replace a part; what was open or focused in it stays so.
function replace(element, html) {
  const focusable = "button, select, summary, a";
  const focused = [...element.querySelectorAll(focusable)].indexOf(document.activeElement);
  const open = [...element.querySelectorAll("details")].map((details) => details.open);
  element.innerHTML = html;
  element.querySelectorAll("details").forEach((details, index) => (details.open = open[index] ?? false));
  if (focused >= 0) element.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
}

// -- buttons ----------------------------------------------------------------------

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { ask, body, open, show: square } = button.dataset;
  const dialog = button.closest("dialog");
  if (open) {
    dialog?.close();
    document.getElementById(open).showModal();
  } else if (square) {
    board.show(square);
  } else if (ask) {
    if (await askFor(`/ask/${ask}`, JSON.parse(body ?? "{}"))) dialog?.close();
  }
});

document.querySelector("#earlier").addEventListener("click", async () => {
  const dialog = document.querySelector("#whole");
  dialog.querySelector(".scroll").innerHTML = await (await fetch("/story")).text();
  dialog.showModal();
});

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
  if (watching && camera?.closest("details").open && !document.hidden) {
    camera.src = `/pictures/camera?at=${Date.now()}`;
  }
}, 1500);
for (const kind of ["load", "error"]) {
  camera?.addEventListener(kind, () => {
    camera.hidden = kind === "error";
    document.querySelector("#no-camera").hidden = kind === "load";
  });
}
