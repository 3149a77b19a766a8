// Games of roads are told: tap spaces to put a turn together, then tell it.
import { askFor } from "./ask.js";

const SIDES = ["N", "NE", "SE", "S", "SW", "NW"];
const SVG = "http://www.w3.org/2000/svg";

export class Teller {
  constructor(board) {
    this.board = board;
    this.items = [];
    this.mode = "build";
    this.driver = null; // whose reach is shown
    this.space = document.querySelector("#space");
    this.layer = board.svg.querySelector(".layer-draft");
    for (const [selector, kind, listener] of [
      ["#space", "click", (event) => this.pick(event)],
      ["#space .roads", "change", () => this.drawPicker()],
      [".teller", "click", (event) => this.press(event)],
      ["#own", "click", (event) => this.reach(event)],
      ["#starts-form", "submit", (event) => this.start(event)],
    ]) document.querySelector(selector).addEventListener(kind, listener);
  }

  update(message) {
    const { turn } = message.state;
    if (this.message?.state.turn !== turn) {
      this.items = [];
      if (turn !== null) document.querySelector(".who-first select").value = turn;
    }
    this.message = message;
    this.lines = message.extras.lines;
    const teller = document.querySelector(".teller");
    teller.querySelector(".modes").hidden = !this.lines.includes("build");
    teller.querySelector(".who-first").hidden = !this.lines.includes("first");
    teller.querySelector('[data-open="starts"]').hidden = !this.lines.includes("start");
    this.draw();
    this.drawReach();
  }

  get kind() {
    return this.lines.length > 1 ? this.mode : this.lines[0];
  }

  // -- putting a turn together ---------------------------------------------------------

  choose(cell) {
    if (!this.message || !this.kind || this.kind === "start") return;
    const { state, extras, names } = this.message;
    const tile = this.tile(cell);
    const cone = state.cones.includes(cell);
    const builds = this.kind !== "drive";
    const drives = this.kind === "drive" || this.kind === "trip";
    const usable = {
      place: builds && !tile,
      rotate: builds && tile,
      remove: builds && tile && this.kind !== "first",
      cone: builds && !cone && this.kind !== "first",
      clear: builds && cone && this.kind !== "first",
      to: drives,
      scores: drives && cell in extras.destinations,
    };
    this.space.dataset.cell = cell;
    this.space.querySelector("h2").textContent = names[cell];
    this.space.querySelector(".roads").hidden = !(usable.place || usable.rotate);
    for (const button of this.space.querySelectorAll("[data-item]")) {
      button.hidden = !usable[button.dataset.item];
    }
    this.roads = tile ?? [];
    this.drawPicker();
    this.space.showModal();
  }

  // The roads of the tile that lies on a space after the items so far.
  tile(cell) {
    let roads = this.message.state.tiles[cell];
    for (const item of this.items) {
      if (item.place === cell || item.rotate === cell) roads = item.roads;
      if (item.remove === cell) roads = undefined;
    }
    return roads;
  }

  pick(event) {
    const { item, turn } = event.target.closest("button")?.dataset ?? {};
    const { cell } = this.space.dataset;
    if (turn) {
      this.roads = this.roads.map((side) => SIDES[(SIDES.indexOf(side) + Number(turn) + 6) % 6]);
      this.drawPicker();
    } else if (item) {
      const built = item === "place" || item === "rotate" ? { [item]: cell, roads: this.roads } : { [item]: cell };
      const key = this.kind === "trip" ? "drive" : "to";
      const driven = item === "scores" ? { [key]: cell, scores: true } : { [key]: cell };
      if (this.kind === "first") this.items = []; // one tile a line
      this.items.push(item === "to" || item === "scores" ? driven : built);
      this.space.close();
      this.draw();
    }
  }

  get roads() {
    return [...this.space.querySelectorAll("input:checked")].map((input) => input.value);
  }

  set roads(sides) {
    for (const input of this.space.querySelectorAll("input")) input.checked = sides.includes(input.value);
  }

  drawPicker() {
    const roads = this.roads;
    const path = roads.map((side) => ray(0, 0, 43, side)).join("");
    for (const line of this.space.querySelectorAll("path")) line.setAttribute("d", path);
    const kind = this.message.extras.tiles_left.find((tile) => alike(tile.roads, roads));
    const drafted = this.kind === "first" ? [] : this.items; // a first tile takes the other's place
    const laid = drafted.filter((item) => item.place && alike(item.roads, roads)).length;
    this.space.querySelector(".left").textContent = kind ? `${kind.left - laid} of ${kind.copies} such tiles left` : "";
    for (const button of this.space.querySelectorAll('[data-item="place"], [data-item="rotate"]')) {
      button.disabled = roads.length === 0;
    }
  }

  // -- showing and telling it ------------------------------------------------------------

  async press(event) {
    const { teller, mode, drop } = event.target.closest("button")?.dataset ?? {};
    if (mode) {
      this.mode = mode;
      this.items = [];
    } else if (drop) {
      this.items.splice(Number(drop), 1);
    } else if (teller === "clear") {
      this.items = [];
    } else if (teller === "tell") {
      if (await askFor("/ask/tell", { line: this.line() })) this.items = [];
    }
    if (this.message) this.draw();
  }

  line() {
    if (this.kind === "first") {
      const by = Number(document.querySelector(".who-first select").value);
      return { by, first: this.items[0] ?? {} };
    }
    return { [this.kind]: this.items };
  }

  async start(event) {
    event.preventDefault();
    const start = Object.fromEntries(new FormData(event.target));
    if (await askFor("/ask/tell", { line: { start } })) event.target.closest("dialog").close();
  }

  draw() {
    const hints = {
      start: "Tell each player’s revealed starting destination.",
      first: "Tap the space of the fastest player’s first tile, and tell it; then the next one’s.",
      build: "Tap spaces to say what was built; nothing means a pass.",
      drive: "Tap the stops in their order; nothing means a pass.",
      trip: "Tap spaces to say what was built and where the car drove.",
    };
    document.querySelector("#hint").textContent = hints[this.kind] ?? "";
    for (const button of document.querySelectorAll("[data-mode]")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === this.mode));
    }
    const telling = this.kind && this.kind !== "start";
    for (const button of document.querySelectorAll("[data-teller]")) button.hidden = !telling;
    document.querySelector("#draft").replaceChildren(...this.items.map((item, index) => this.entry(item, index)));
    this.drawDraft();
  }

  entry(item, index) {
    const entry = document.createElement("li");
    const drop = document.createElement("button");
    drop.type = "button";
    drop.dataset.drop = index;
    drop.textContent = "✕";
    drop.setAttribute("aria-label", `Leave out: ${this.words(item)}`);
    entry.append(this.words(item), drop);
    return entry;
  }

  words(item) {
    const [kind, cell] = Object.entries(item).find(([key]) => key in WORDS);
    const place = this.message.extras.destinations[cell] ?? cell;
    return WORDS[kind](place, (item.roads ?? []).join("-"), item.scores);
  }

  drawDraft() {
    const shapes = [];
    const car = this.message.state.cars[this.message.state.turn];
    let way = car ? [this.centre(car)] : [];
    for (const item of this.items) {
      const cell = item.place ?? item.rotate ?? item.remove ?? item.cone ?? item.clear ?? item.to ?? item.drive;
      const [x, y] = this.centre(cell);
      if (item.to ?? item.drive) way.push([x, y]);
      else if (item.roads) shapes.push(path(item.roads.map((side) => ray(x, y, 21, side)).join("")));
      else shapes.push(path(`M${x - 12} ${y - 12}l24 24m0-24l-24 24`));
    }
    if (way.length > 1) shapes.push(path(`M${way.join("L")}`));
    this.layer.replaceChildren(...shapes);
  }

  centre(name) {
    const { x, y } = this.board.find(name).dataset;
    return [Number(x), Number(y)];
  }

  // -- where a car could drive to -------------------------------------------------------

  reach(event) {
    const player = event.target.closest("[data-reach]")?.dataset.reach;
    if (player === undefined || !this.message) return;
    this.driver = player === this.driver ? null : player;
    this.drawReach();
  }

  drawReach() {
    const { one, two } = this.message.extras.reach[this.driver] ?? { one: [], two: [] };
    for (const button of document.querySelectorAll("[data-reach]")) {
      button.setAttribute("aria-pressed", String(button.dataset.reach === this.driver));
    }
    this.board.svg.classList.toggle("reaching", this.driver !== null);
    for (const cell of this.board.cells) {
      const name = cell.dataset.cell;
      cell.classList.toggle("reach-one", one.includes(name));
      cell.classList.toggle("reach-two", two.includes(name) && !one.includes(name));
    }
  }
}

const WORDS = {
  place: (place, roads) => `tile ${roads} on ${place}`,
  rotate: (place, roads) => `tile on ${place} turned to ${roads}`,
  remove: (place) => `tile on ${place} taken away`,
  cone: (place) => `cone on ${place}`,
  clear: (place) => `cone on ${place} taken away`,
  to: (place, roads, scores) => `drive to ${place}${scores ? " and place a cube" : ""}`,
  drive: (place, roads, scores) => `drive to ${place}${scores ? " and place a cube" : ""}`,
};

// A line from the middle of a hexagon towards one of its sides.
function ray(x, y, length, side) {
  const angle = (SIDES.indexOf(side) * Math.PI) / 3;
  return `M${x} ${y}l${(length * Math.sin(angle)).toFixed(2)} ${(-length * Math.cos(angle)).toFixed(2)}`;
}

function path(d) {
  const shape = document.createElementNS(SVG, "path");
  shape.setAttribute("d", d);
  return shape;
}

// Whether one tile is the other, turned.
function alike(some, others) {
  const bits = (sides) => sides.reduce((sum, side) => sum | (1 << SIDES.indexOf(side)), 0);
  const goal = bits(others);
  let roads = bits(some);
  for (let turn = 0; turn < 6; turn += 1) {
    if (roads === goal) return true;
    roads = ((roads << 1) | (roads >> 5)) & 63;
  }
  return false;
}
