import dataclasses
import json

import pytest

from companion.snapshot import (
    AcceptTable,
    Correct,
    NameCard,
    NewMatch,
    TakeBack,
    Tell,
)
from tests.web import samples
from web import views
from web.app import create_app
from web.feed import Feed

HEADER = {
    "record": 1,
    "game": "boston",
    "players": [{"name": "Ann", "team": "green"}, {"name": "Ben", "team": "red"}],
}
ANN_AND_ANN = [{"name": "Ann", "team": team} for team in ("green", "red")]


def mutating(app):
    """Return an address for every rule that answers to POST, PUT, PATCH or DELETE."""
    return [
        (method, rule.rule.replace("<what>", "take-back"))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"GET", "HEAD", "OPTIONS"}
    ]


# -- what it shows ------------------------------------------------------------------


def test_before_the_first_snapshot_the_page_waits():
    client = create_app(Feed(), lambda request: None).test_client()

    assert "Waiting for the first look" in client.get("/").text
    assert client.get("/state").json["parts"] == {}


def test_the_page_says_score_turn_and_news(client):
    text = client.get("/").text

    assert "Ann<span class" in text
    assert "Dan puts a red chip on g6 and makes a run." in text
    assert "Game 2, best of 3" in text


def test_the_page_loads_nothing_from_elsewhere(client):
    """A club has no internet; the browser is told so too."""
    answer = client.get("/")

    assert "//" not in answer.text.replace("http://www.w3.org/2000/svg", "")
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_state_tells_what_is_so(client):
    state = client.get("/state").json

    assert state["state"]["score"] == {"white": 0, "red": 1}
    assert state["looks"]["c5"] == "white-turned"
    assert state["names"]["g6"].endswith("In a finished run. Last turn")
    assert state["match"]["wins"] == {"white": 1, "red": 0}


def test_a_violation_is_shown_with_squares_rule_and_remedy(feed, client):
    feed.publish(samples.wrong())
    news = client.get("/state").json["parts"]["news"]

    assert "Put the red chip back on f5" in news
    assert 'data-show="f5"' in news
    assert "Rule G35-12" in news
    assert 'role="alert"' in news
    assert "Put the table back as it was" in news
    assert "/pictures/4-before" in news


def test_one_sentence_that_breaks_two_rules_is_shown_once(feed, client):
    (violation,) = samples.wrong().violations
    other = dataclasses.replace(violation, code="board-disturbed", rule="G35-08")
    feed.publish(samples.gridlock(violations=(violation, other)))
    news = client.get("/state").json["parts"]["news"]

    assert news.count("Put the red chip back on f5") == 1
    assert news.count("Put the table back as it was") == 1
    assert "Rule G35-12, G35-08 · frozen-chip-removed, board-disturbed" in news


@pytest.mark.parametrize("status", ["lost", "moved", "unclear", "no-camera"])
def test_a_missing_camera_is_a_warning_only_where_one_is_needed(feed, client, status):
    feed.publish(samples.gridlock(status=status))
    seen = client.get("/state").json["parts"]["news"]
    feed.publish(dataclasses.replace(samples.boston(), status=status))
    told = client.get("/state").json["parts"]["news"]

    assert '<div class="tone warn"' in seen
    assert '<div class="tone calm"' in told


def test_a_disturbed_board_is_not_listed_square_by_square(feed, client):
    (violation,) = samples.wrong().violations
    cells = tuple(samples.gridlock().outlines)[:40]
    feed.publish(
        samples.gridlock(violations=(dataclasses.replace(violation, cells=cells),))
    )
    news = client.get("/state").json["parts"]["news"]

    assert news.count("data-show") == 12
    assert "and 28 more" in news


def test_the_last_turn_stays_in_the_news_while_the_table_is_at_rest(feed, client):
    feed.publish(samples.gridlock(text=""))

    assert (
        "Dan puts a red chip on g6: a run."
        in client.get("/state").json["parts"]["news"]
    )


def test_names_are_never_taken_for_html(feed, client):
    feed.publish(samples.gridlock(text="<script>alert(1)</script>"))

    assert "<script>alert" not in client.get("/").text
    assert "&lt;script&gt;alert" in client.get("/state").json["parts"]["news"]


def test_state_since_the_present_version_has_no_content(client):
    version = client.get("/state").json["version"]

    assert client.get(f"/state?since={version}").status_code == 204


def test_state_since_an_older_version_has_only_the_parts_that_changed(feed, client):
    version = client.get("/state").json["version"]
    feed.publish(samples.gridlock(text="Ann puts a white chip on a5."))
    parts = client.get(f"/state?since={version}").json["parts"]

    assert {"news", "live"} == set(parts)


def test_state_since_a_version_of_an_earlier_run_has_everything(client):
    everything = set(client.get("/state").json["parts"])

    for since in ("4711", "0badcafe.1", "x.y.z", "."):
        assert everything == set(client.get(f"/state?since={since}").json["parts"])


def test_another_game_makes_the_page_load_anew(feed, client):
    """`setup` stays while turns are played and changes with players or board."""
    before = client.get("/state").json["setup"]
    feed.publish(samples.wrong())
    same = client.get("/state").json["setup"]
    feed.publish(samples.gridlock(players=samples.gridlock().players[::-1]))

    assert before == same
    assert before != client.get("/state").json["setup"]


def test_the_event_stream_begins_with_the_whole_state_and_the_lamps(feed, client):
    feed.show_lights([(255, 0, 0)])
    stream = client.get("/events").response
    events = [next(stream).decode() for _ in range(3)]

    assert events[0] == "retry: 2000\n\n"
    identity, kind, data, *rest = events[1].split("\n")
    state = json.loads(data.removeprefix("data: "))
    assert (f"id: {state['version']}", "event: state") == (identity, kind)
    assert rest == ["", ""]
    assert "Ann" in state["parts"]["score"]
    assert events[2] == "event: lights\ndata: ff0000\n\n"


def test_a_stream_goes_on_where_it_was_cut_off(feed, client):
    """The browser says the last id it saw; only later changes follow."""
    version = client.get("/state").json["version"]
    feed.publish(samples.gridlock(text="Ann puts a white chip on a5."))
    stream = client.get("/events", headers={"Last-Event-ID": version}).response
    next(stream)
    data = next(stream).decode().split("data: ")[1]

    assert {"news", "live"} == set(json.loads(data)["parts"])


def test_the_record_can_be_saved(client):
    answer = client.get("/record.jsonl")

    assert answer.text == '{"record": 1}\n{"pass": true}\n'
    assert "record.jsonl" in answer.headers["Content-Disposition"]


def test_pictures_are_served_by_their_key_alone(feed, client):
    feed.add_picture("4-before", b"\xff\xd8 a picture")

    assert client.get("/pictures/4-before").data == b"\xff\xd8 a picture"
    for key in ("5-before", "..", "..%2fapp.py", "%2e%2e%2fapp.py", "a" * 200):
        answer = client.get(f"/pictures/{key}")
        assert answer.status_code == 404
        assert "error" in answer.json


def test_too_many_waiting_answers_come_at_once(feed, asked, monkeypatch):
    """So that a crowd without streams leaves threads for the page."""
    monkeypatch.setattr(views, "POLLS", 0)
    monkeypatch.setattr(feed, "wait", lambda *how: pytest.fail("it waits"))
    client = create_app(feed, asked).test_client()
    version = client.get("/state").json["version"]

    assert client.get(f"/state?since={version}&wait=8").status_code == 204


def test_a_fault_inside_is_a_sentence_too(feed):
    """Who asked reads a sentence; the fault goes where it is kept."""

    def broken(request):
        raise RuntimeError("a bug")

    failed = []
    client = create_app(feed, broken, failed=failed.append).test_client()
    answer = client.post("/ask/take-back", json={})

    assert answer.status_code == 500
    assert answer.json["error"].startswith("Something went wrong")
    assert str(failed[0]) == "a bug"
    assert client.get("/nowhere").status_code == 404


def test_a_virtual_table_is_shown_only_while_a_camera_reads_it(client, feed):
    """Where another game is told, chips on hexagons would make no sense."""
    assert 'id="virtual"' in client.get("/").text
    before = client.get("/state").json["setup"]
    feed.publish(dataclasses.replace(samples.boston(), sighted=False))

    assert 'id="virtual"' not in client.get("/").text
    assert client.get("/state").json["setup"] != before


def test_a_recorded_game_offers_nothing_that_it_refuses(client, feed):
    """No menu, no turns to tell, no table to accept, no square to correct."""
    offered = ('data-open="menu"', 'data-open="accept">Accept', "Tap a square")
    feed.publish(samples.wrong())
    live = client.get("/").text
    feed.publish(dataclasses.replace(samples.wrong(), recorded=True))
    page = client.get("/").text.split("<dialog")[0]

    assert [words in live for words in offered] == [True] * 3
    assert [words in page for words in offered] == [False] * 3
    assert '<nav class="actions" aria-label="What you can do" hidden>' in page
    assert "data-recorded" in page
    assert "data-recorded" not in live


# -- what it asks -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "body", "request_"),
    [
        ("take-back", {}, TakeBack()),
        ("correct", {"cell": "d6", "look": "red"}, Correct("d6", "red")),
        ("card", {"card": "7H"}, NameCard("7H")),
        ("accept", {}, AcceptTable()),
        ("accept", {"to_move": 1}, AcceptTable(1)),
        ("tell", {"line": {"pass": True}}, Tell({"pass": True})),
        ("match", {"header": HEADER, "best_of": 3}, NewMatch(HEADER, 3)),
        (
            "match",
            {"header": HEADER, "best_of": None, "minutes": 45},
            NewMatch(HEADER, None, 45),
        ),
    ],
)
def test_a_button_becomes_a_request(client, asked, what, body, request_):
    answer = client.post(f"/ask/{what}", json=body)

    assert answer.status_code == 202
    assert [request_] == asked.requests


def test_a_refused_request_says_why(client, asked):
    asked.refusal = "There is nothing to take back."
    answer = client.post("/ask/take-back", json={})

    assert (409, asked.refusal) == (answer.status_code, answer.json["error"])


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("correct", {"cell": "d6"}),
        ("correct", {"cell": "d6", "look": 7}),
        ("correct", {"cell": "", "look": "red"}),
        ("card", {"card": "x" * 81}),
        ("accept", {"to_move": "Ann"}),
        ("accept", {"to_move": True}),
        ("accept", {"to_move": -1}),
        ("tell", {}),
        ("tell", {"line": []}),
        ("tell", {"line": {}}),
        ("match", {}),
        ("match", {"header": {"record": 2}}),
        ("match", {"header": {**HEADER, "game": "chess"}}),
        ("match", {"header": {**HEADER, "rules": {"places": 12}}}),
        ("match", {"header": {**HEADER, "players": HEADER["players"][:1]}}),
        ("match", {"header": {**HEADER, "players": ANN_AND_ANN}}),
        ("match", {"header": HEADER, "best_of": 2}),
        ("match", {"header": HEADER, "best_of": True}),
        ("match", {"header": HEADER, "minutes": 0}),
        ("match", {"header": HEADER, "minutes": "45"}),
    ],
)
def test_a_request_nobody_understands_is_answered_by_a_sentence(
    client, asked, what, body
):
    answer = client.post(f"/ask/{what}", json=body)

    assert answer.status_code == 400
    assert answer.json["error"].endswith((".", "."))
    assert asked.requests == []


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"{", b'"x"', b"\xff\xfe"])
def test_what_is_no_json_object_is_answered_by_a_sentence(client, asked, data):
    answer = client.post("/ask/take-back", data=data, content_type="application/json")

    assert answer.status_code == 400
    assert "JSON" in answer.json["error"]
    assert asked.requests == []


def test_a_form_of_another_site_is_no_json(client, asked):
    answer = client.post("/ask/take-back", data={"a": "b"})

    assert answer.status_code == 400
    assert asked.requests == []


def test_large_bodies_are_refused(client, asked):
    answer = client.post("/ask/tell", json={"line": {"note": "x" * 70_000}})

    assert answer.status_code == 413
    assert "kB" in answer.json["error"]
    assert asked.requests == []


@pytest.mark.parametrize("address", ["/ask/nothing", "/table/nothing", "/nowhere"])
def test_unknown_addresses_are_answered_by_a_sentence(client, address):
    answer = client.post(address, json={})

    assert answer.status_code in (404, 405)
    assert answer.json["error"]


# -- who may ask --------------------------------------------------------------------


def test_every_address_that_changes_something_refuses_other_sites(app, asked, table):
    """Checked over the table of routes: a new one cannot be forgotten."""
    client = app.test_client()
    rules = mutating(app)
    assert rules
    for method, address in rules:
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "none"},
            {"Origin": "http://localhost:81"},
        ):
            answer = client.open(address, method=method, json={}, headers=headers)
            assert (answer.status_code, "error" in answer.json) == (403, True)
    assert asked.requests == []


def test_the_page_itself_may_ask(client, asked):
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}

    assert client.post("/ask/take-back", json={}, headers=headers).status_code == 202


@pytest.mark.parametrize(
    "host",
    [
        "localhost:8080",
        "192.168.1.20:8080",
        "[fe80::1]:8080",
        "table.local",
        "127.0.0.1",
    ],
)
def test_the_page_answers_to_addresses_and_local_names(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "192.168.1.20.evil.example", "local", "[", "", "a b"]
)
def test_the_page_answers_to_no_name_a_stranger_may_point_here(client, host):
    answer = client.get("/", headers={"Host": host})

    assert answer.status_code == 403
    assert ".local" in answer.json["error"]


def test_a_name_of_the_household_can_be_allowed(feed, asked):
    client = create_app(feed, asked, hosts=["table.home"]).test_client()

    assert client.get("/", headers={"Host": "table.home:80"}).status_code == 200


# -- the virtual table --------------------------------------------------------------


def test_pieces_of_the_virtual_table_are_moved(client, table):
    for what, body in (
        ("put", {"cell": "a5", "look": "red"}),
        ("turn-over", {"cell": "a5"}),
        ("slide", {"cell": "a5", "to": "a6"}),
        ("take", {"cell": "d1"}),
    ):
        assert client.post(f"/table/{what}", json=body).status_code == 202

    assert tuple(table.looks[cell] for cell in ("a5", "a6", "d1")) == (
        "empty",
        "red-turned",
        "empty",
    )


def test_bots_run_stop_step_and_change_speed(client, table):
    client.post("/table/run", json={})
    running = table.running
    client.post("/table/stop", json={})
    client.post("/table/step", json={})
    client.post("/table/speed", json={"speed": 4})
    client.post("/table/light", json={"light": "lamp"})

    done = running, table.running, table.steps, table.speed, table.light
    assert done == (True, False, 1, 4, "lamp")


def test_the_virtual_table_is_shown_as_it_lies_not_as_the_referee_believes(client):
    """A second board; moving a piece changes that board alone."""
    version = client.get("/state").json["version"]
    client.post("/table/put", json={"cell": "a5", "look": "red"})
    state = client.get(f"/state?since={version}").json

    assert state["table"]["a5"] == "red"
    assert state["looks"]["a5"] == "empty"
    assert set(state["parts"]) == {"table-pieces"}


def test_what_the_virtual_table_cannot_do_is_a_sentence(client):
    answer = client.post("/table/put", json={"cell": "z9", "look": "red"})

    assert (answer.status_code, answer.json["error"]) == (400, "There is no square z9.")


def test_a_real_table_is_not_moved_by_the_page(feed, asked):
    client = create_app(feed, asked).test_client()
    answer = client.post("/table/put", json={"cell": "a5", "look": "red"})

    assert answer.status_code == 404
    assert "hands" in answer.json["error"]


# -- every kind of game --------------------------------------------------------------


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_every_sample_is_drawn(name):
    """All kinds of pieces, at peace and in trouble, with and without a winner."""
    feed = Feed()
    client = create_app(feed, lambda request: None).test_client()
    snapshot = samples.SAMPLES[name]()
    feed.publish(snapshot)
    page = client.get("/")

    assert page.status_code == 200
    assert snapshot.title in page.text
    assert set(client.get("/state").json["names"]) == set(snapshot.outlines)


def test_a_map_shows_tiles_cars_cubes_cones_and_zones():
    feed = Feed()
    feed.publish(samples.boston())
    client = create_app(feed, lambda request: None).test_client()
    state = client.get("/state").json
    drawn = state["parts"]["referee-pieces"]

    assert drawn.count('class="tile"') == len(state["state"]["tiles"])
    assert drawn.count('class="zone"') == len(state["state"]["zones"])
    assert drawn.count('href="#cone"') == len(state["state"]["cones"])
    assert drawn.count('href="#car-') == 2
    assert drawn.count('href="#cube-') == 3
    assert "With one stop: " in state["parts"]["own"]
    assert state["names"]["0,17"].startswith(
        "0,17, Museum of Fine Arts: green car, green cube"
    )


def test_grids_show_faces_locks_direction_and_points():
    feed = Feed()
    feed.publish(samples.gridlock_cards())
    client = create_app(feed, lambda request: None).test_client()
    state = client.get("/state").json
    drawn = state["parts"]["referee-pieces"]

    assert drawn.count('class="locked"') == 3
    assert drawn.count("playing down") == 7
    assert "Ann: 2, columns only" in drawn
    assert "G4 G8 G2 = 2" in state["parts"]["own"]
    assert state["names"]["p0:c2"] == "Ann, middle right: yellow 9. Last turn"


def test_the_whole_story_can_be_read(client):
    story = client.get("/story").text

    assert story.count("<li") == len(samples.STORY)
    assert story.index("Dan puts") < story.index("Ann puts")
    assert "/pictures/4-after" in story
