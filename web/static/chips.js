// Games of chips are watched; people only correct squares and name cards.
import { askFor } from "./ask.js";

export class Teller {
  constructor() {
    this.square = document.querySelector("#square");
    this.cards = document.querySelector("#cards");
    this.square.addEventListener("click", (event) => this.correct(event));
    document.querySelector("#pad").addEventListener("click", (event) => this.name(event));
  }

  update(message) {
    this.message = message;
  }

  choose(cell) {
    const buttons = [...this.square.querySelectorAll("[data-look]")];
    if (buttons.length === 0 || !this.message) return;
    this.square.dataset.cell = cell;
    this.square.querySelector("h2").textContent = this.message.names[cell];
    for (const button of buttons) button.disabled = this.message.looks[cell] === button.dataset.look;
    this.square.showModal();
  }

  async correct(event) {
    const button = event.target.closest("[data-look]");
    if (!button) return;
    const body = { cell: this.square.dataset.cell, look: button.dataset.look };
    if (await askFor("/ask/correct", body)) this.square.close();
  }

  async name(event) {
    const card = event.target.closest("button")?.value;
    if (!card) return;
    if (await askFor("/ask/card", { card })) this.cards.close();
  }
}
