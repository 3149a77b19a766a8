// The virtual table: what a hand does there, right or wrong.
import { askFor } from "./ask.js";
import { Board } from "./board.js";

export class Table {
  constructor(panel) {
    this.panel = panel;
    this.held = null; // the cell a slide begins at
    this.board = new Board(panel.querySelector("svg"), (cell) => this.act(cell));
    panel.addEventListener("click", (event) => this.press(event));
    panel.addEventListener("change", (event) => this.set(event));
    this.listenToDrags();
  }

  update(message) {
    const names = Object.fromEntries(
      this.board.cells.map(({ dataset: { cell } }) => [cell, `${cell}: ${message.table[cell] ?? "empty"}`]),
    );
    this.board.name(names);
    this.pieces = message.table;
  }

  get tool() {
    return this.panel.querySelector('[data-tool][aria-pressed="true"]').dataset;
  }

  act(cell) {
    const { tool, look } = this.tool;
    if (tool === "put") return askFor("/table/put", { cell, look });
    if (tool !== "slide") return askFor(`/table/${tool}`, { cell });
    if (!this.held) return this.hold(cell);
    const start = this.held;
    this.hold(null);
    return askFor("/table/slide", { cell: start, to: cell });
  }

  hold(cell) {
    for (const held of this.board.cells) held.classList.toggle("held", held.dataset.cell === cell);
    this.held = cell;
  }

  press(event) {
    const button = event.target.closest("button");
    if (button?.dataset.tool) {
      this.hold(null);
      for (const other of this.panel.querySelectorAll("[data-tool]")) {
        other.setAttribute("aria-pressed", String(other === button));
      }
    } else if (button?.dataset.table) {
      askFor(`/table/${button.dataset.table}`);
    }
  }

  set(event) {
    const { table, key } = event.target.dataset;
    const { value } = event.target;
    if (table) askFor(`/table/${table}`, { [key]: key === "speed" ? Number(value) : value });
  }

  // A piece that is pressed and let go over another square is slid there.
  listenToDrags() {
    const { svg } = this.board;
    const cellAt = (event) => document.elementFromPoint(event.clientX, event.clientY)?.closest("#table .cell");
    let start = null;
    svg.addEventListener("pointerdown", (event) => {
      const cell = event.target.closest(".cell")?.dataset.cell;
      start = this.pieces?.[cell] ? cell : null;
    });
    svg.addEventListener("pointerup", (event) => {
      const end = cellAt(event)?.dataset.cell;
      if (start && end && end !== start) askFor("/table/slide", { cell: start, to: end });
      start = null;
    });
  }
}
