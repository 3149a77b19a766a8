"""What can be said of the page's HTML without a browser."""

from collections import Counter
from html.parser import HTMLParser

import pytest

from hardware.palette import MEANINGS, TEAMS, luminance
from tests.web import samples
from web.app import create_app
from web.feed import Feed
from web.shapes import letter_of

VOID = {"meta", "link", "img", "input"}
CONTROLS = {"button", "a", "select", "input"}


class Tree(HTMLParser):
    """Elements in order, each with its attributes, text and the names around it."""

    def __init__(self, html):
        super().__init__()
        self.elements = []
        self.open = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        element = {
            "tag": tag, **dict(attributes), "text": "",
            "around": [each["tag"] for each in self.open],
        }  # fmt: skip
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop()["tag"] == tag

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, *tags):
        return [element for element in self.elements if element["tag"] in tags]


@pytest.fixture(scope="module", params=samples.SAMPLES)
def tree(request):
    feed = Feed()
    feed.publish(samples.SAMPLES[request.param]())
    app = create_app(feed, lambda _: None, virtual=samples.Table(), export=lambda: [])
    return Tree(app.test_client().get("/").text)


def test_tags_are_nested_and_ids_are_unique(tree):
    """`Tree` checks the nesting; an id twice would fill the wrong part."""
    assert tree.open == []
    ids = Counter(element["id"] for element in tree.elements if element.get("id"))
    assert [name for name, count in ids.items() if count > 1] == []


def test_every_control_has_a_name(tree):
    nameless = [
        element
        for element in tree.all(*CONTROLS)
        if not (
            element.get("aria-label")
            or element["text"].strip()
            or "label" in element["around"]
        )
    ]
    assert nameless == []


def test_every_reference_leads_somewhere(tree):
    """Labels, links within the page, shapes of the drawings, dialogs to open."""
    ids = {element.get("id") for element in tree.elements}
    for element in tree.elements:
        for attribute in ("aria-labelledby", "data-open"):
            if attribute in element:
                assert element[attribute] in ids
        if element.get("href", "").startswith("#"):
            assert element["href"][1:] in ids


def test_pictures_have_words_and_the_page_a_language(tree):
    assert all(image.get("alt") for image in tree.all("img"))
    assert [html["lang"] for html in tree.all("html")] == ["en"]
    assert len(tree.all("h1")) == 1


def test_turns_and_troubles_are_read_out(tree):
    by_id = {element.get("id"): element for element in tree.elements}

    assert by_id["live"]["aria-live"] == "polite"
    assert by_id["live"]["text"].strip()
    assert by_id["toast"]["role"] == "alert"


def test_the_board_has_one_tab_stop_and_is_also_a_table(tree):
    cells = [each for each in tree.elements if each.get("class") == "cell"]
    stops = [cell for cell in cells if cell["tabindex"] == "0"]

    assert all(cell["role"] == "button" and cell["aria-label"] for cell in cells)
    assert len(stops) == 2  # the referee's board and the virtual table
    assert len(tree.all("td")) >= len(cells) / 2


@pytest.mark.parametrize("ink", [*TEAMS.values(), *MEANINGS.values()])
def test_letters_are_readable_on_every_colour(ink):
    """Contrast AA (WCAG 1.4.3): 4.5 to 1."""
    on = luminance(ink.rgb)
    text = 1.0 if ink.text == "#ffffff" else 0.0

    assert (max(on, text) + 0.05) / (min(on, text) + 0.05) >= 4.5


def test_no_two_teams_share_a_letter_or_a_pattern():
    assert len({letter_of(team) for team in TEAMS}) == len(TEAMS)
    assert len({ink.pattern for ink in TEAMS.values()}) == len(TEAMS)
