// The form for a new game or match: writes the header of a record.
import { refusal } from "./ask.js";

const form = document.querySelector("#match-form");
const setups = JSON.parse(form.dataset.setups);
const players = form.querySelector(".players");
const row = form.querySelector("#player-row");

const chosen = () => setups.find(({ game }) => game === form.elements.game.value);

// -- what the game offers -----------------------------------------------------------

function offer() {
  const { game, boards, rules } = chosen();
  const now = game === document.body.dataset.game ? JSON.parse(form.dataset.rules) : {};
  form.elements.board.replaceChildren(...boards.map((board) => new Option(board.name ?? board, JSON.stringify(board))));
  form.querySelector(".boards-offered").hidden = boards.length < 2;
  form.querySelector(".rules").replaceChildren(
    ...Object.entries(rules).map(([name, values]) => {
      const label = document.createElement("label");
      const select = document.createElement("select");
      select.dataset.rule = name;
      select.append(...values.map((value) => new Option(words(value), JSON.stringify(value))));
      select.value = JSON.stringify(now[name] ?? values[0]);
      label.append(`${sentence(name)} `, select);
      return label;
    }),
  );
  form.querySelector("details").hidden = Object.keys(rules).length === 0;
}

function words(value) {
  return { true: "yes", false: "no", null: "none" }[String(value)] ?? String(value).replaceAll("-", " ");
}

function sentence(name) {
  const text = name.replaceAll("-", " ");
  return text[0].toUpperCase() + text.slice(1);
}

function seat(people) {
  players.replaceChildren();
  people.forEach(add);
}

function add({ name, team }) {
  const { teams } = chosen();
  const place = players.children.length;
  const item = row.content.cloneNode(true).firstElementChild;
  item.querySelector("input").value = name;
  let choice = document.createElement("input");
  if (teams.length) {
    choice = document.createElement("select");
    choice.append(...teams.map((colour) => new Option(colour)));
    // Few colours: one each, in turn. Many: two teams that sit alternately.
    const usual = teams[place % (teams.length > 4 ? 2 : teams.length)];
    choice.value = teams.includes(team) ? team : usual;
  } else {
    choice.value = team ?? "";
    choice.placeholder = "no team";
    choice.maxLength = 40;
  }
  choice.setAttribute("aria-label", "Team");
  item.querySelector(".team").append(choice);
  players.append(item);
}

function people() {
  return [...players.children].map((item) => {
    const [name, team] = item.querySelectorAll("input, select");
    return { name: name.value.trim(), team: team.value.trim() };
  });
}

// -- the header ------------------------------------------------------------------------

function header() {
  const { game, boards, rules, teams } = chosen();
  const named = [...form.querySelectorAll("[data-rule]")].map((select) => [select.dataset.rule, JSON.parse(select.value)]);
  const seated = people().map(({ name, team }) => (team || teams.length ? { name, team } : { name }));
  const changed = named.filter(([name, value]) => value !== rules[name][0]);
  const board = boards.length ? { board: JSON.parse(form.elements.board.value) } : {};
  return { record: 1, game, players: seated, ...board, rules: Object.fromEntries(changed) };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const span = form.elements.span.value;
  const problem = await refusal("/ask/match", {
    header: header(),
    best_of: span === "time" ? null : Number(span),
    minutes: span === "time" ? Number(form.elements.minutes.value) : null,
  });
  form.querySelector(".problem").textContent = problem ?? "";
  if (!problem) form.closest("dialog").close();
});

form.addEventListener("change", (event) => {
  if (event.target.name === "game") {
    offer();
    seat(people().map(({ name }) => ({ name })));
  }
  form.querySelector(".minutes").hidden = form.elements.span.value !== "time";
});

form.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.players === "add") {
    add({ name: `Player ${players.children.length + 1}` });
    players.lastElementChild.querySelector("input").select();
  } else if (button?.dataset.players === "drop") {
    if (players.children.length > 2) button.closest("li").remove();
  } else if (button && "close" in button.dataset) {
    form.closest("dialog").close();
  }
});

offer();
seat(JSON.parse(form.dataset.now));
