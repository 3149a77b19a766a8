"""From the virtual table's pixels to record, lamps and page, and back after a kill."""

import time

from tests.demo import Demo

TEAMS = ("white", "red")


def at_rest(demo):
    """Return the state once page and table agree and nobody moves."""
    state = demo.state()
    looks = state.get("looks", {})
    lying = {cell: look for cell, look in looks.items() if look != "empty"}
    calm = state.get("status") == "watching" and state["kind"] in ("unchanged", "legal")
    return state if calm and lying == state["table"] else None


def wrong_on(cell):
    def told(demo):
        state = demo.state()
        found = state["kind"] == "illegal" and cell in str(state["violations"])
        return state if found else None

    return told


def test_the_demo_plays_referees_and_survives_a_power_cut(tmp_path):
    """Bots' turns are read from pixels; a wrong chip is named until it is gone."""
    with Demo(tmp_path) as demo:
        demo.table("speed", speed=30)
        demo.until(lambda demo: len(demo.lines()) >= 2)
        demo.table("stop")
        time.sleep(0.5)  # a hand that had begun is gone by then
        before = demo.until(at_rest)
        turns = demo.lines()
        assert [line["by"] for line in turns] == [n % 2 for n in range(len(turns))]
        assert set(before["table"]) <= {line.get("place") for line in turns}

        free = next(c for c in ("e2", "f9", "c5") if before["looks"][c] == "empty")
        other = TEAMS[1 - before["state"]["turn"]]
        demo.table("put", cell=free, look=other)
        wrong = demo.until(wrong_on(free))
        assert free in wrong["text"]
        demo.until(lambda demo: free in demo.lit())
        demo.table("take", cell=free)
        after = demo.until(at_rest)
        assert after["violations"] == []
        assert demo.lines() == turns

    with Demo(tmp_path) as demo:
        again = demo.until(Demo.state)
        assert again["state"] == before["state"]
        assert demo.lines() == turns
        demo.table("speed", speed=30)
        longer = demo.until(lambda demo: demo.lines()[len(turns) :] and demo.lines())
        assert longer[: len(turns)] == turns
