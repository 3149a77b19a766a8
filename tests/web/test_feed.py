import threading

from tests.web import samples
from web.feed import CAMERA, PICTURES_KEPT, Feed


def test_a_listener_wakes_when_a_snapshot_is_published():
    """`wait` returns the new moment long before its timeout."""
    feed = Feed()
    seen = []
    listener = threading.Thread(target=lambda: seen.append(feed.wait(0, 0, 30)))
    listener.start()
    snapshot = samples.gridlock()
    feed.publish(snapshot)
    listener.join(5)

    assert [snapshot] == [moment.snapshot for moment in seen]
    assert seen[0].version == 1


def test_a_listener_that_missed_a_snapshot_gets_the_newest_at_once():
    feed = Feed()
    for number in range(3):
        feed.publish(samples.gridlock(number=number))

    assert feed.wait(1, 0, 0).snapshot.number == 2


def test_the_same_lamps_again_are_no_news():
    """Only a frame that differs counts; otherwise phones would work for nothing."""
    feed = Feed()
    feed.show_lights([(255, 0, 10), (0, 0, 0)])
    feed.show_lights([(255, 0, 10), (0, 0, 0)])

    assert (feed.moment.lights, feed.moment.lights_version) == ("ff000a000000", 1)


def test_lamps_alone_do_not_wake_who_waits_for_snapshots():
    feed = Feed()
    feed.publish(samples.gridlock())
    feed.show_lights([(1, 2, 3)])

    assert feed.wait(1, None, 0.01).version == 1


def test_old_pictures_give_way_but_the_camera_stays():
    feed = Feed()
    feed.add_picture(CAMERA, b"camera")
    for number in range(PICTURES_KEPT + 5):
        feed.add_picture(f"{number}", b"%d" % number)

    assert feed.picture("5") is None
    assert feed.picture(CAMERA) == b"camera"
    assert feed.picture(f"{PICTURES_KEPT + 4}") == b"%d" % (PICTURES_KEPT + 4)


def test_closing_sends_listeners_home():
    feed = Feed()
    feed.close()

    assert feed.closed
    assert feed.wait(0, 0, 30).version == 0
