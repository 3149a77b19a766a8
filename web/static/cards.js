// Games of card grids are told: tap cards to say what was taken, put and flipped.
import { askFor, say } from "./ask.js";

const HINTS = {
  start: "Tap the card that each player flipped first.",
  take: "Which pile was the card taken from?",
  put: "Tap the card that it replaces.",
  flip: "Tap the card that was flipped instead.",
  final_flip: "Somebody has gone out: all others flip their face-down cards.",
  skip: "Lock cards take this turn away.",
  next_round: "The round is over.",
};

export class Teller {
  constructor() {
    this.panel = document.querySelector(".teller");
    this.panel.addEventListener("click", (event) => this.press(event));
    document.querySelector("#final-form").addEventListener("submit", (event) => this.flipAll(event));
  }

  update(message) {
    if (this.message?.state.turn !== message.state.turn) this.line = null;
    this.message = message;
    this.draw();
  }

  // The name of the player to whom a grid belongs: "p0" is Ann.
  owner(grid) {
    return this.message.names[`${grid}:a1`].replace(/, top left: .*/s, "");
  }

  get step() {
    return this.line ? this.aim : this.message.extras.waiting_for;
  }

  draw() {
    const { discard } = this.message.extras;
    const step = this.step;
    const drawn = this.line?.take === "draw";
    const shown = {
      discard: step === "start" && !discard,
      take: step === "take" && discard && discard !== "LOCK",
      draw: step === "take",
      put: drawn && this.aim === "flip" && this.line.card !== "LOCK",
      flip: drawn && this.aim === "put",
      nothing: drawn,
      final: step === "final_flip",
      skip: step === "skip",
      next: step === "next_round",
      cancel: Boolean(this.line),
    };
    for (const button of this.panel.querySelectorAll("[data-teller]")) {
      button.hidden = !shown[button.dataset.teller];
    }
    this.panel.querySelector('[data-teller="take"]').textContent = `Take the discard: ${discard}`;
    this.panel.querySelector(".eliminate").hidden = !this.line;
    const hint = HINTS[step] ?? "";
    document.querySelector("#hint").textContent = this.line?.card ? `${this.line.card} drawn. ${hint}` : hint;
  }

  async press(event) {
    const { teller } = event.target.closest("button")?.dataset ?? {};
    const steps = {
      discard: async () => this.tell({ discard: await pick("Which card was turned up?") }),
      take: () => this.begin({ take: "discard" }),
      draw: async () => this.begin({ take: "draw", card: await pick("Which card was drawn?") }),
      put: () => this.aimAt("put"),
      flip: () => this.aimAt("flip"),
      nothing: () => this.tell(this.line),
      final: () => this.askAll(),
      skip: () => this.tell({ skip: true }),
      next: () => this.tell({ next_round: true }),
      cancel: () => this.begin(null),
    };
    await steps[teller]?.();
  }

  begin(line) {
    if (line && "card" in line && !line.card) return;
    this.line = line;
    this.aimAt(line?.card === "LOCK" ? "flip" : "put"); // a lock card never enters a grid
  }

  aimAt(aim) {
    this.aim = aim;
    this.draw();
  }

  async choose(cell) {
    if (!this.message) return;
    const [owner, place] = cell.slice(1).split(":");
    const { looks, state } = this.message;
    if (this.line && Number(owner) !== state.turn) {
      say(`That is ${this.owner(`p${owner}`)}’s grid; tap the card in ${this.owner(`p${state.turn}`)}’s.`);
      return;
    }
    const at = [Number(place.slice(1)) - 1, place.charCodeAt(0) - 97];
    const down = looks[cell] === "face-down";
    if (this.step === "start") {
      const shows = await pick("What does it show?");
      await this.tell({ by: Number(owner), start: at, ...(await face(shows, "shows")) });
    } else if (this.line && this.aim === "put") {
      const old = down ? { old: await pick("Which card lay there?") } : {};
      if (!down || old.old) await this.tell({ ...this.line, put: at, ...old });
    } else if (this.line && this.aim === "flip") {
      const shows = await pick("What does it show?");
      await this.tell({ ...this.line, flip: at, ...(await face(shows, "shows")) });
    }
  }

  async tell(line) {
    if (Object.values(line).includes(null)) return;
    const eliminate = this.panel.querySelector(".eliminate select");
    const chosen = this.line && eliminate.value ? { eliminate: eliminate.value } : {};
    if (await askFor("/ask/tell", { line: { ...line, ...chosen } })) {
      eliminate.value = "";
      this.begin(null);
    }
  }

  // -- the final flip -------------------------------------------------------------------

  askAll() {
    const form = document.querySelector("#final-form");
    const faces = [...document.querySelectorAll("#faces button[value]")].map((button) => button.value);
    const down = Object.keys(this.message.looks).filter((cell) => this.message.looks[cell] === "face-down");
    const shown = () => [new Option("choose …", ""), ...faces.map((code) => new Option(code, code))];
    const ways = [...document.querySelector(".eliminate select").options];
    const fields = [...new Set(down.map((cell) => cell.split(":")[0]))].flatMap((grid) => [
      ...down
        .filter((cell) => cell.startsWith(`${grid}:`))
        .map((cell) => field(cell, this.message.names[cell].split(":")[0], shown(), true)),
      field(
        `eliminate:${grid.slice(1)}`,
        `${this.owner(grid)}: if rows and columns are complete`,
        ways.map((way) => way.cloneNode(true)),
        false,
      ),
    ]);
    const button = document.createElement("button");
    button.className = "strong";
    button.textContent = fields.length ? "Tell" : "There are none";
    form.replaceChildren(...fields, button);
    form.closest("dialog").showModal();
  }

  async flipAll(event) {
    event.preventDefault();
    const line = { final_flip: {} };
    for (const [name, shows] of new FormData(event.target)) {
      if (name.startsWith("eliminate:")) {
        if (shows) (line.eliminate ??= {})[name.split(":")[1]] = shows;
        continue;
      }
      const [player, place] = name.slice(1).split(":");
      const at = `${Number(place.slice(1)) - 1},${place.charCodeAt(0) - 97}`;
      (line.final_flip[player] ??= {})[at] = shows;
      if (shows === "LOCK") {
        const arrows = await choice("#arrows");
        if (!arrows) return;
        ((line.arrows ??= {})[player] ??= {})[at] = arrows;
      }
    }
    if (await askFor("/ask/tell", { line })) event.target.closest("dialog").close();
  }
}

// -- questions: each resolves to what was chosen, or to null -----------------------------

function field(name, words, options, required) {
  const label = document.createElement("label");
  const select = document.createElement("select");
  Object.assign(select, { name, required });
  select.append(...options);
  label.append(words, " ", select);
  return label;
}

function pick(question) {
  document.querySelector("#faces-title").textContent = question;
  return choice("#faces");
}

async function face(card, key) {
  return card === "LOCK" ? { [key]: card, arrows: await choice("#arrows") } : { [key]: card };
}

function choice(selector) {
  const dialog = document.querySelector(selector);
  let chosen = null;
  const choose = (event) => {
    const button = event.target.closest("button[value]");
    if (!button) return;
    chosen = button.value;
    dialog.close();
  };
  dialog.addEventListener("click", choose);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        dialog.removeEventListener("click", choose);
        resolve(chosen);
      },
      { once: true },
    );
  });
}
