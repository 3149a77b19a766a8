// A board one can touch: taps, arrow keys, names read out, lamps.

export class Board {
  constructor(svg, choose) {
    this.svg = svg;
    this.cells = [...svg.querySelectorAll(".cell")];
    svg.addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) {
        this.focus(cell);
        choose(cell.dataset.cell);
      }
    });
    svg.addEventListener("keydown", (event) => this.key(event, choose));
  }

  key(event, choose) {
    const cell = event.target.closest(".cell");
    if (!cell) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(cell.dataset.cell);
    } else if (event.key in DIRECTIONS) {
      event.preventDefault();
      const next = this.neighbour(cell, DIRECTIONS[event.key]);
      if (next) this.focus(next);
    }
  }

  // The nearest cell in a direction, those straight ahead first.
  neighbour(from, [dx, dy]) {
    const x = Number(from.dataset.x);
    const y = Number(from.dataset.y);
    let best = null;
    let least = Infinity;
    for (const cell of this.cells) {
      const along = (cell.dataset.x - x) * dx + (cell.dataset.y - y) * dy;
      const aside = Math.abs((cell.dataset.x - x) * dy) + Math.abs((cell.dataset.y - y) * dx);
      if (along > 1 && aside <= along * 2 && along + 2 * aside < least) {
        least = along + 2 * aside;
        best = cell;
      }
    }
    return best;
  }

  focus(cell) {
    for (const other of this.svg.querySelectorAll('[tabindex="0"]')) other.setAttribute("tabindex", "-1");
    cell.setAttribute("tabindex", "0");
    cell.focus({ preventScroll: true });
  }

  find(name) {
    return this.cells.find((cell) => cell.dataset.cell === name);
  }

  show(name) {
    const cell = this.find(name);
    if (!cell) return;
    this.focus(cell);
    cell.classList.add("shown");
    setTimeout(() => cell.classList.remove("shown"), 2500);
    this.svg.scrollIntoView({ block: "nearest" });
  }

  name(names) {
    for (const cell of this.cells) cell.setAttribute("aria-label", names[cell.dataset.cell] ?? cell.dataset.cell);
  }

  // `colours`: six hexadecimal digits a cell, in the order of the cells.
  light(colours) {
    const layer = this.svg.querySelector(".layer-lights");
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      layer.replaceChildren();
      return;
    }
    if (!layer.firstChild) {
      for (const cell of this.cells) {
        const lamp = document.createElementNS("http://www.w3.org/2000/svg", "polygon");
        lamp.setAttribute("points", cell.getAttribute("points"));
        layer.append(lamp);
      }
    }
    // A dim lamp is a full colour that one can see through: nothing shines darkly.
    [...layer.children].forEach((lamp, index) => {
      const rgb = [0, 2, 4].map((at) => Number.parseInt(colours.slice(6 * index + at, 6 * index + at + 2), 16) || 0);
      const brightness = Math.max(...rgb) / 255;
      lamp.style.opacity = brightness;
      if (brightness > 0) {
        const shown = rgb.map((part) => Math.round(part / brightness));
        lamp.style.fill = lamp.style.stroke = `rgb(${shown.join(", ")})`;
      }
    });
  }
}

const DIRECTIONS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
