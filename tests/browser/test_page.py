"""The page in a real browser: what a phone at the table does with it."""

import socket
from dataclasses import replace

import pytest
from playwright import sync_api

from tests.web import samples
from tests.web.conftest import Asked
from web import views
from web.app import create_app, serve
from web.feed import Feed

pytestmark = pytest.mark.browser

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking"),
    "--disable-component-update",
]
PHONE = {"width": 390, "height": 844}
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def chromium():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=ARGUMENTS
        )
        yield browser
        browser.close()


@pytest.fixture
def feed():
    feed = Feed()
    feed.publish(samples.gridlock())
    return feed


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def table():
    return samples.Table()


@pytest.fixture
def serving(feed, asked, table):
    app = create_app(feed, asked, virtual=table, export=lambda: iter(["{}"]))
    with serve(app, feed, "127.0.0.1", 0) as serving:
        yield serving


def visit(chromium, address, viewport=PHONE, **how):
    """Open the page and wait until it is up to date; complaints make tests fail."""
    context = chromium.new_context(viewport=viewport, **how)
    page = context.new_page()
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            request.url.startswith((address, "data:"))
            or page.complaints.append(f"asked elsewhere: {request.url}")
        ),
    )
    page.goto(address)
    page.wait_for_selector('#link:not([data-link="waiting"])')
    page.wait_for_selector('#referee .cell[aria-label*=": "]')
    return page


@pytest.fixture
def page(chromium, serving):
    page = visit(chromium, serving.address)
    yield page
    assert page.complaints == []
    page.context.close()


# -- keeping up ---------------------------------------------------------------------


def test_a_turn_appears_by_itself(page, feed):
    """Over the event stream: news, board and what is read out."""
    feed.publish(samples.wrong())

    page.wait_for_selector(".tone.alarm")
    assert "live" in page.inner_text("#link")
    assert page.locator("#referee .mark.wrong").count() == 1
    label = page.get_attribute('#referee [data-cell="f5"]', "aria-label")
    assert label == "f5, 4 of hearts: red, turned over. In a finished run. " \
        "Not as it should be"  # fmt: skip


def test_without_a_stream_the_page_asks_again_and_again(
    chromium, feed, asked, monkeypatch
):
    monkeypatch.setattr(views, "STREAMS", 0)
    with serve(create_app(feed, asked), feed, "127.0.0.1", 0) as serving:
        page = visit(chromium, serving.address)
        feed.publish(samples.wrong())

        page.wait_for_selector(".tone.alarm")
        assert "up to date" in page.inner_text("#link")
        page.context.close()


def test_a_lost_connection_is_said_and_found_again(chromium, asked):
    """The program ends and comes back: the page says so, then loads anew."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    feed = Feed()
    feed.publish(samples.gridlock())
    serving = serve(create_app(feed, asked), feed, "127.0.0.1", port)
    page = visit(chromium, serving.address)
    serving.close()

    page.wait_for_selector('#link[data-link="lost"]')
    assert "connection lost" in page.inner_text("#link")

    feed = Feed()
    feed.publish(samples.won())
    with serve(create_app(feed, asked), feed, "127.0.0.1", port):
        page.wait_for_selector('#link[data-link="live"]', timeout=15_000)
        page.wait_for_selector(".side.won")
        page.context.close()


def test_another_game_loads_the_page_anew(page, feed):
    feed.publish(samples.boston())

    page.wait_for_selector(".tile")
    assert page.title().startswith("Gridlock: Boston")


def test_lamps_shine_on_their_squares(page, feed):
    feed.show_lights([(0, 0, 0)] * 12 + [(255, 0, 0)] + [(0, 0, 0)] * 87)

    page.wait_for_selector(
        '#referee .layer-lights :nth-child(13)[style*="rgb(255, 0, 0)"]'
    )
    lit = page.evaluate(
        "[...document.querySelectorAll('#referee .layer-lights polygon')]"
        ".filter((lamp) => lamp.style.opacity != 0).length"
    )
    assert lit == 1


def test_lamps_do_not_blink_for_those_who_want_no_motion(chromium, serving, feed):
    page = visit(chromium, serving.address, reduced_motion="reduce")
    feed.show_lights([(255, 0, 0)] * 100)
    feed.publish(samples.wrong())
    page.wait_for_selector(".tone.alarm")

    assert page.locator("#referee .layer-lights polygon").count() == 0
    page.context.close()


# -- by hand and by keyboard -----------------------------------------------------------


def test_the_board_is_walked_with_arrow_keys(page):
    """One stop for Tab, arrows between squares, Enter opens, Escape returns."""
    page.focus('#referee .cell[tabindex="0"]')
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)

    assert page.evaluate("document.activeElement.dataset.cell") == "b3"
    assert page.locator('#referee .cell[tabindex="0"]').count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector("#square[open]")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.cell") == "b3"


def test_every_space_of_a_map_is_reached_by_arrow_keys(page, feed):
    feed.publish(samples.boston())
    page.wait_for_selector(".teller .modes")
    page.focus('#referee .cell[tabindex="0"]')
    reached = page.evaluate(
        """() => {
          const seen = new Set([document.activeElement.dataset.cell]);
          const waiting = [document.activeElement];
          while (waiting.length) {
            const from = waiting.pop();
            for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"]) {
              from.focus();
              from.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
              const to = document.activeElement;
              if (!seen.has(to.dataset.cell)) {
                seen.add(to.dataset.cell);
                waiting.push(to);
              }
            }
          }
          return seen.size;
        }"""
    )

    assert reached == len(samples.boston().outlines)


def test_a_square_is_corrected_by_tapping_it(page, asked):
    page.click('#referee [data-cell="c5"]')
    page.click('#square [data-look="red"]')
    page.wait_for_selector("#square", state="hidden")

    assert str(asked.requests) == "[Correct(cell='c5', look='red')]"


def test_a_refusal_is_shown_over_the_open_dialog(page, asked):
    asked.refusal = "There is no turn whose card could be named."
    page.click("text=Name the card")
    page.click("#pad button >> nth=0")
    page.wait_for_selector("dialog[open] #toast:has-text('no turn')")


def test_a_dead_card_is_told(page, feed, asked):
    """Those that are dead are offered, whatever was played last."""
    dead = feed.moment.snapshot.state["dead"]
    page.click("text=Pass, dead card")
    page.click("text=A dead card was given up")
    offered = page.locator("#dead-pad button")

    assert [button.inner_text() != "" for button in offered.all()] == [True] * len(dead)
    offered.first.click()
    page.wait_for_selector("#gone", state="hidden")
    assert str(asked.requests) == f"[Tell(line={{'dead': '{dead[0]}'}})]"


def test_a_card_is_named_for_a_turn_that_is_told(page, feed, asked):
    """What the last turn was may have changed since one looked."""
    snapshot = feed.moment.snapshot
    page.click("text=Name the card")
    page.wait_for_selector(f"#pad >> text={snapshot.card_for}")
    page.click(f'#pad [value="{snapshot.cards[0]}"]')
    page.wait_for_selector("#cards", state="hidden")
    assert str(asked.requests) == f"[NameCard(card='{snapshot.cards[0]}')]"

    feed.publish(replace(snapshot, cards=(), card_for=""))
    page.click("text=Name the card")
    page.wait_for_selector("#pad >> text=No turn waits for a card.")


def test_a_match_is_begun(page, asked):
    page.click("text=Menu")
    page.click("text=New game or match")
    form = page.locator("#match-form")
    form.locator("[name=game]").select_option("boston")
    form.locator("[name=span]").select_option("time")
    form.locator("summary").click()
    form.get_by_label("Congestion").select_option(label="yes")
    form.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#match", state="hidden")
    (request,) = asked.requests

    assert request.header["rules"] == {"congestion": True}
    assert [p["team"] for p in request.header["players"]] == [
        "red", "green", "blue", "yellow",
    ]  # fmt: skip
    assert (request.best_of, request.minutes) == (None, 60)


def test_a_header_that_cannot_be_used_is_explained_in_the_form(page, asked):
    page.click("text=Menu")
    page.click("text=New game or match")
    page.select_option('#match-form [aria-label="Team"] >> nth=1', "white")
    page.click('button:text-is("Begin")')
    page.wait_for_selector("#match .problem:not(:empty)")

    assert asked.requests == []


def test_a_turn_on_the_map_is_put_together_and_told(page, feed, asked):
    feed.publish(samples.boston())
    page.wait_for_selector(".teller .modes")
    page.click('#referee [data-cell="5,6"]')
    page.click(".compass .N")
    page.click(".compass .SE")
    page.click("text=Turn right")
    page.click("text=Lay this tile")
    page.click('#referee [data-cell="4,15"]')
    page.click("text=Take the cone away")
    page.click("text=Tell this turn")
    page.click('button:text-is("Drive")')
    page.click('#referee [data-cell="3,14"]')
    page.click("text=Drive here and place a cube")
    page.click("text=Tell this turn")
    page.wait_for_selector("#draft li", state="detached")

    assert [request.line for request in asked.requests] == [
        {"build": [{"place": "5,6", "roads": ["NE", "S"]}, {"clear": "4,15"}]},
        {"drive": [{"to": "3,14", "scores": True}]},
    ]


def test_whoever_flips_last_chooses_the_direction(page, feed, asked):
    """Nothing is told of a card that nobody named."""
    snapshot = samples.gridlock_cards()
    feed.publish(
        replace(snapshot, extras={**snapshot.extras, "waiting_for": "final_flip"})
    )
    page.click("text=Flip all face-down cards")
    form = page.locator("#final-form")
    form.get_by_role("button", name="Tell").click()
    assert page.locator("#final").is_visible()
    for select in form.locator("select[required]").all():
        select.select_option("R7")
    form.get_by_label("Ben: if rows and columns").select_option("column")
    form.get_by_role("button", name="Tell").click()
    page.wait_for_selector("#final", state="hidden")
    (request,) = asked.requests

    down = [cell for cell, look in snapshot.looks.items() if look == "face-down"]
    assert sum(map(len, request.line["final_flip"].values())) == len(down) > 0
    assert request.line["eliminate"] == {"1": "column"}
    assert form.get_by_label("Ben, top right").count() == 1


def test_tiles_that_are_laid_but_not_told_are_not_left(page, feed):
    """Whoever lays two of a kind in a turn sees one less the second time."""
    feed.publish(samples.boston())
    page.wait_for_selector(".teller .modes")

    def left_after(cell):
        page.click(f'#referee [data-cell="{cell}"]')
        page.click(".compass .N")
        page.click(".compass .SE")
        left = page.text_content("#space .left")
        page.click("text=Lay this tile")
        return int(left.split(" of ")[0])

    first = left_after("5,6")

    assert left_after("6,5") == first - 1


def test_first_tiles_are_told_one_by_one(page, feed, asked):
    """A line has room for one; whose it is goes on with the turn."""
    started = samples.boston()
    first = replace(
        started,
        extras={**started.extras, "lines": ["first"]},
        state={**started.state, "turn": 1},
    )
    feed.publish(first)
    page.wait_for_selector(".who-first")
    for cell in ("5,6", "4,9"):
        page.click(f'#referee [data-cell="{cell}"]')
        page.click(".compass .N")
        page.click(".compass .S")
        page.click("text=Lay this tile")
    assert page.locator("#draft li").count() == 1
    page.click("text=Tell this turn")
    page.wait_for_selector("#draft li", state="detached")

    (told,) = asked.requests
    assert told.line == {"by": 1, "first": {"place": "4,9", "roads": ["N", "S"]}}


def test_where_a_car_could_drive_is_shown(page, feed):
    snapshot = samples.boston()
    feed.publish(snapshot)
    page.wait_for_selector(".teller .modes")
    page.click('[data-reach="0"]')
    page.wait_for_selector(".reach-one")
    reach = snapshot.extras["reach"]["0"]

    assert page.locator(".reach-one").count() == len(reach["one"])
    further = set(reach["two"]) - set(reach["one"])
    assert page.locator(".reach-two").count() == len(further)
    # What whoever is on turn could reach would seem to be within this one's.
    assert not page.locator("#referee .mark.reachable").first.is_visible()
    page.click('[data-reach="0"]')
    assert page.locator("#referee .mark.reachable").first.is_visible()


def test_a_turn_with_cards_is_told(page, feed, asked):
    feed.publish(samples.gridlock_cards())
    page.click("text=Draw a card")
    page.click('#faces [value="R7"]')
    page.click('#referee [data-cell="p1:a3"]')
    page.click('#faces [value="G5"]')
    page.click("text=Draw a card")
    page.click('#faces [value="R7"]')
    page.click('#referee [data-cell="p0:a3"]')
    page.wait_for_selector("#toast:has-text('grid; tap the card in Ben')")
    page.click("text=Discard it and flip one")
    page.click('#referee [data-cell="p1:a3"]')
    page.click('#faces [value="LOCK"]')
    page.click('#arrows [value="row"]')
    page.wait_for_selector("text=Which pile was the card taken from?")

    flip = {"flip": [2, 0], "shows": "LOCK", "arrows": "row"}
    assert [request.line for request in asked.requests] == [
        {"take": "draw", "card": "R7", "put": [2, 0], "old": "G5"},
        {"take": "draw", "card": "R7", **flip},
    ]


def test_pieces_of_the_virtual_table_are_put_and_dragged(page, table):
    page.click('#virtual [data-look="red"]')
    page.click('#table [data-cell="a5"]')
    page.wait_for_selector('#table [aria-label="a5: red"]')
    page.drag_and_drop('#table [data-cell="a5"]', '#table [data-cell="a8"]')
    page.wait_for_selector('#table [aria-label="a8: red"]')

    assert (table.looks["a5"], table.looks["a8"]) == ("empty", "red")


# -- for everybody ------------------------------------------------------------

SIZES = """() =>
  [...document.querySelectorAll('button, a[href], summary, select, .cell')]
  .filter((each) => each.checkVisibility() && !each.matches('.skip'))
  .map((each) => [each.outerHTML.slice(0, 80), each.getBoundingClientRect()])
  .filter(([, box]) => box.width < 24 || box.height < 24)
  .map(([html, box]) => `${html}: ${box.width} x ${box.height}`)"""

NAMELESS = """() =>
  [...document.querySelectorAll('button, a[href], input, select, .cell')]
  .filter((each) => !(each.ariaLabel || each.textContent.trim()
    || each.labels?.length || each.closest('label')))
  .map((each) => each.outerHTML.slice(0, 80))"""

CONTRAST = """() => {
  const parse = (colour) => {
    const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
    const scale = colour.startsWith('color(') ? 1 : 255;
    return { rgb: [r / scale, g / scale, b / scale], a };
  };
  const luminance = ([r, g, b]) => {
    const f = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const ground = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const { rgb, a } = parse(getComputedStyle(each).backgroundColor);
      if (a > 0.99) return rgb;
    }
    throw new Error('no ground');
  };
  const poor = [];
  for (const each of document.querySelectorAll('body *')) {
    const own = [...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !each.checkVisibility()) continue;
    if (each.closest('svg, .unseen, .skip, :disabled')) continue;
    const style = getComputedStyle(each);
    const one = luminance(parse(style.color).rgb);
    const other = luminance(ground(each));
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${each.outerHTML.slice(0, 90)}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", samples.SAMPLES)
def test_everything_is_large_named_and_readable(chromium, feed, serving, name, theme):
    """Targets of 24 px, names for all controls, contrast AA, nothing sticks out."""
    feed.publish(samples.SAMPLES[name]())
    page = visit(chromium, serving.address, color_scheme=theme)

    assert page.evaluate(SIZES) == []
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(CONTRAST) == []
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.complaints == []
    page.context.close()


def test_dialogs_are_readable_in_both_themes(chromium, serving):
    for theme in ("light", "dark"):
        page = visit(chromium, serving.address, color_scheme=theme)
        for dialog in page.query_selector_all("dialog"):
            dialog.evaluate("(each) => each.showModal()")
            assert page.evaluate(CONTRAST) == []
            dialog.evaluate("(each) => each.close()")
        page.context.close()


def test_all_is_on_the_first_screen(chromium, serving):
    """Score, turn and news above the board, and the whole board, on a phone."""
    page = visit(chromium, serving.address)
    for part in ("#score", "#news", "#referee"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0
        assert box["y"] + box["height"] <= PHONE["height"]
    page.set_viewport_size(LAPTOP)
    for part in ("#score", "#news", "#referee", "#table"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= LAPTOP["height"]
    page.context.close()
