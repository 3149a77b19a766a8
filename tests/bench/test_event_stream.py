"""How fast an update reaches fifty phones, and whether the page answers meanwhile."""

import http.client
import statistics
import threading
import time

import pytest

from tests.web import samples
from web.app import create_app, serve
from web.feed import Feed

CLIENTS = 50
UPDATES = 40
LATENCY = 0.200  # s, median
PAGE = 0.500  # s, median, while all streams are being written to

pytestmark = pytest.mark.bench


def _connect(address: str) -> http.client.HTTPConnection:
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    return http.client.HTTPConnection(host, int(port), timeout=30)


class Phone(threading.Thread):
    """Listens to the stream and notes when each update has been read in full."""

    def __init__(self, address: str) -> None:
        super().__init__(daemon=True)
        self.connection = _connect(address)
        self.connection.request("GET", "/events")
        self.answer = self.connection.getresponse()
        self.heard: dict[str, float] = {}

    def run(self) -> None:
        for line in self.answer:
            if line.startswith(b"data: "):
                at = time.perf_counter()
                text = line.decode()
                for number in range(UPDATES):
                    if f'"Update {number}."' in text:
                        self.heard[f"Update {number}."] = at
            if len(self.heard) == UPDATES:
                return


def test_fifty_phones_get_an_update_within_a_fifth_of_a_second():
    """The median over all phones and updates, with lamps at 5 Hz and page loads."""
    feed = Feed()
    feed.publish(samples.gridlock())
    with serve(create_app(feed, lambda request: None), feed, "127.0.0.1", 0) as serving:
        phones = [Phone(serving.address) for _ in range(CLIENTS)]
        for phone in phones:
            phone.start()
        time.sleep(1)
        published: dict[str, float] = {}
        pages = []
        page = _connect(serving.address)
        for number in range(UPDATES):
            text = f"Update {number}."
            published[text] = time.perf_counter()
            feed.publish(samples.gridlock(text=text))
            for frame in range(2):
                feed.show_lights([(number, frame, 0)] * 100)
                time.sleep(0.1)
            began = time.perf_counter()
            page.request("GET", "/")
            assert page.getresponse().read()
            pages.append(time.perf_counter() - began)
        for phone in phones:
            phone.join(10)
            phone.answer.close()
            phone.connection.close()
        page.close()
    latencies = [
        heard - published[text]
        for phone in phones
        for text, heard in phone.heard.items()
    ]

    median, worst = statistics.median(latencies), max(latencies)
    loading = statistics.median(pages)
    print(
        f"\nevent stream: {CLIENTS} phones, {UPDATES} updates: median "
        f"{1000 * median:.0f} ms, worst {1000 * worst:.0f} ms; "
        f"the page meanwhile: median {1000 * loading:.0f} ms"
    )
    assert len(latencies) == CLIENTS * UPDATES
    assert median <= LATENCY
    assert loading <= PAGE
