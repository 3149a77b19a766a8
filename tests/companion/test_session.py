import threading
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from companion.errors import BoardNotFound, CameraUnavailable, PictureUnreadable
from companion.rules.board import Cell, Look
from companion.session import Session
from companion.snapshot import Correct, TakeBack
from tests.companion.tables import follow, observe
from vision.frame import Frame
from vision.settle import Photos

PICTURE = np.zeros((8, 8, 3), np.uint8)


class Film:
    """A camera whose frames are boards; strings are what happens to it instead."""

    def __init__(self, *scenes):
        self.scenes = list(scenes)
        self.opened = 0
        self.taken = 0

    def __enter__(self):
        self.opened += 1
        return self

    def __exit__(self, *exc):
        """Nothing to close."""

    def read(self):
        if not self.scenes:
            return None
        scene = self.scenes.pop(0)
        if scene == "dies":
            raise CameraUnavailable("The camera was unplugged; plug it in again.")
        if scene == "broken":
            raise PictureUnreadable("007.jpg is no picture.")
        self.taken += 1
        return Frame(PICTURE, float(self.taken), self.taken, repr((self.taken, scene)))


class Eyes:
    """A reader that knows what each frame of a film shows."""

    def __init__(self, follower):
        self.follower = follower
        self.lit = False
        self.read_lit = []

    def read(self, frame):
        scene = eval(frame.name)[1]
        self.read_lit.append(self.lit)
        if scene == "nothing":
            raise BoardNotFound("The board is not to be seen; move the camera back.")
        scene = dict(scene)
        told = {word: scene.pop(word) for word in ("moved", "note") if word in scene}
        table = dict.fromkeys(self.follower.game.board.cells, Look("empty"))
        table.update({Cell(cell): Look(look) for cell, look in scene.items()})
        return replace(observe(self.follower, table), **told)


@pytest.fixture
def run(monkeypatch):
    """Return a function that runs a session over a film, and gives all snapshots."""
    monkeypatch.setattr("companion.session.REOPEN", 0.01)

    def call(*scenes, requests=(), **how):
        follower = follow()
        film, eyes, shown, pictures = Film(*scenes), Eyes(follower), [], {}

        @contextmanager
        def dark():
            eyes.lit = False
            yield -1.0
            eyes.lit = True

        def publish(snapshot):
            shown.append(snapshot)
            if snapshot.status == "no-camera" and "end" in snapshot.status_text:
                session.stop()

        session = Session(
            follower, publish, pictures.__setitem__, dark=dark, looks=1, **how
        )
        eyes.lit = True
        session.run(film, eyes, Photos())
        call.film, call.eyes, call.follower = film, eyes, follower
        call.session, call.pictures = session, pictures
        return shown

    return call


def test_turns_reach_the_page(run):
    """What the camera sees is accepted, recorded and published, in order."""
    shown = run({}, {"d4": "white"}, {"d4": "white", "e5": "red"})

    assert [line["place"] for line in run.follower.match.game.lines] == ["d4", "e5"]
    assert shown[-1].looks["e5"] == "red"
    assert [s.number for s in shown] == sorted({s.number for s in shown})


def test_every_look_is_taken_with_dark_lamps(run):
    """No lamp shines on the board while it is read."""
    run({}, {"d4": "white"}, {"d4": "white"})

    assert run.eyes.read_lit
    assert not any(run.eyes.read_lit)


def test_a_violation_is_news_with_pictures_of_before_and_after(run):
    """The last picture in order and the first one out of order are kept."""
    shown = run({}, {"d4": "red"}, {"d4": "red"}, {})

    wrong = next(s for s in shown if s.violations)
    news = wrong.story[-1]
    assert "out-of-turn-play" in news.codes
    assert news.before in run.pictures
    assert news.after in run.pictures
    assert len(shown[-1].story) == 1
    assert not shown[-1].violations


def test_a_camera_that_dies_is_opened_again(run):
    """The page says so, the record stays, and the game goes on."""
    shown = run({}, {"d4": "white"}, "dies", {"d4": "white", "e5": "red"})

    assert run.film.opened == 2
    assert "plug it in" in next(s for s in shown if s.status == "lost").status_text
    assert len(run.follower.match.game.lines) == 2


def test_a_broken_photo_is_told_and_passed_over(run):
    """One broken photo of a folder does not end the game."""
    shown = run({}, "broken", {"d4": "white"})

    assert any("007.jpg" in snapshot.status_text for snapshot in shown)
    assert len(run.follower.match.game.lines) == 1


def test_a_board_out_of_sight_is_told(run):
    """When the board is not to be seen nothing is decided."""
    shown = run({}, "nothing", {"d4": "white"})

    assert any(s.status == "lost" and "move the camera" in s.status_text for s in shown)
    assert len(run.follower.match.game.lines) == 1


@pytest.mark.parametrize(("moved", "status"), [(True, "moved"), (False, "unclear")])
def test_what_is_not_well_with_a_look_is_told_beside_the_turn(run, moved, status):
    """The game goes on, and the sentence goes when all is well again."""
    shown = run(
        {}, {"d4": "white", "moved": moved, "note": "Shade it."}, {"d4": "white"}
    )

    told = next(s for s in shown if s.status_text == "Shade it.")
    assert told.status == status
    assert told.looks["d4"] == "white"
    assert "Shade it." not in told.text
    assert any(s.status == "watching" for s in shown[told.number :])


def test_requests_are_answered_while_no_camera_runs():
    """Without a camera the loop answers; `ask` waits for its answer."""
    follower, shown = follow(sighted=False), []
    session = Session(follower, shown.append)
    loop = threading.Thread(target=session.run)
    loop.start()

    refusal = session.ask(TakeBack())
    session.stop()
    loop.join(10)

    assert "nothing to take back" in refusal
    assert not loop.is_alive()


def test_what_came_too_late_is_not_done(monkeypatch):
    """Who is asked to try again takes one turn back, not two."""
    follower = follow(sighted=False)
    for look in ("white", "empty"):
        follower.answer(Correct(Cell("d4"), Look(look)))
    session = Session(follower, lambda _: None)
    with monkeypatch.context() as hurry:
        hurry.setattr("companion.session.ANSWER", 0.01)
        assert "try again" in session.ask(TakeBack())
    loop = threading.Thread(target=session.run)
    loop.start()

    assert session.ask(TakeBack()) is None
    session.stop()
    loop.join(10)

    assert len(follower.match.game.lines) == 1


def test_pictures_of_what_was_wrong_stay_when_turns_are_taken_back(run):
    """Two violations at the same length of the story keep pictures of their own."""
    one = {"d4": "white"}
    two = {**one, "e5": "red"}
    shown = run(
        {}, one, two, {**two, "f6": "red"}, two, {}, one, {**one, "g7": "white"}
    )

    wrong = {news.after for now in shown for news in now.story if news.codes}
    assert len(wrong) == 2
    assert wrong <= run.pictures.keys()


def test_a_camera_that_was_never_there_ends_the_program(run):
    """What cannot be opened at all is an error, not something to wait for."""

    class NoCamera(Film):
        def __enter__(self):
            raise CameraUnavailable("There is no camera usb:7.")

    session = Session(follow(), lambda snapshot: None)

    with pytest.raises(CameraUnavailable, match="usb:7"):
        session.run(NoCamera(), Eyes(follow()), Photos())
