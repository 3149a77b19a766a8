import http.client
import json
import socket
import time
import urllib.request

import pytest

from tests.web import samples
from web import views
from web.app import create_app, qr_code, serve
from web.feed import Feed


@pytest.fixture
def serving(monkeypatch):
    monkeypatch.setattr(views, "STREAMS", 3)
    feed = Feed()
    feed.publish(samples.gridlock())
    with serve(create_app(feed, lambda request: None), feed, "127.0.0.1", 0) as serving:
        yield serving


def listen(serving):
    """Open an event stream; return the connection and its answer."""
    host, port = serving.address.removeprefix("http://").rstrip("/").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.request("GET", "/events")
    return connection, connection.getresponse()


def event(answer):
    """Return the next event's fields, heartbeats and hints left out."""
    fields = {}
    while True:
        line = answer.readline().decode()
        assert line, "the stream has ended"
        if line == "\n" and "data" in fields:
            return fields
        key, _, value = line.rstrip("\n").partition(": ")
        fields[key] = value


def test_every_listener_hears_of_a_change(serving):
    streams = [listen(serving) for _ in range(3)]
    for _, answer in streams:
        event(answer)
        event(answer)
    serving.feed.publish(samples.gridlock(text="Ann puts a white chip on a5."))
    heard = [event(answer) for _, answer in streams]

    for fields in heard:
        assert "on a5" in json.loads(fields["data"])["parts"]["news"]
    for connection, _ in streams:
        connection.close()


def test_one_listener_too_many_is_told_to_ask_again(serving):
    """The page keeps answering, and a place that gets free can be taken."""
    streams = [listen(serving) for _ in range(3)]
    late_connection, late = listen(serving)

    assert (late.status, late.headers["Retry-After"]) == (503, "30")
    assert "error" in json.loads(late.read())
    state = json.load(urllib.request.urlopen(f"{serving.address}state", timeout=5))
    assert state["game"] == "gridlock"

    late_connection.close()
    streams[0][0].close()
    streams[0][1].close()
    deadline = time.monotonic() + 10
    status = 503
    while status == 503 and time.monotonic() < deadline:
        # The server notices who has left when it next writes to the stream.
        serving.feed.publish(samples.gridlock())
        time.sleep(0.02)
        connection, answer = listen(serving)
        status = answer.status
        connection.close()
    assert status == 200


def test_asking_whether_there_is_a_stream_takes_no_place(serving):
    for _ in range(5):
        request = urllib.request.Request(f"{serving.address}events", method="HEAD")
        urllib.request.urlopen(request, timeout=5).close()
    connection, answer = listen(serving)

    assert answer.status == 200
    connection.close()


def test_a_silent_stream_gives_signs_of_life(serving, monkeypatch):
    """Silence tells a phone that it left the network."""
    monkeypatch.setattr(views, "HEARTBEAT", 0.05)
    connection, answer = listen(serving)
    names = [event(answer)["event"] for _ in range(4)]

    assert names == ["state", "lights", "still", "still"]
    connection.close()


def test_polling_waits_for_the_change(serving):
    host, port = serving.address.removeprefix("http://").rstrip("/").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.request("GET", "/state")
    version = json.load(connection.getresponse())["version"]
    connection.request("GET", f"/state?since={version}&wait=8")
    serving.feed.publish(samples.wrong())
    answer = json.load(connection.getresponse())

    assert [each["code"] for each in answer["violations"]] == ["frozen-chip-removed"]
    connection.close()


def test_a_busy_port_is_a_sentence():
    feed = Feed()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(Exception, match=f"Port {port} is taken") as refused:
            serve(create_app(feed, lambda request: None), feed, "127.0.0.1", port)

    assert f"--port {port + 1}" in str(refused.value)


def test_an_address_of_another_machine_is_a_sentence():
    feed = Feed()
    with pytest.raises(Exception, match=r"cannot be served at 192\.0\.2\.1"):
        serve(create_app(feed, lambda request: None), feed, "192.0.2.1", 0)


def test_closing_frees_the_port_and_ends_the_streams():
    feed = Feed()
    feed.publish(samples.gridlock())
    serving = serve(create_app(feed, lambda request: None), feed, "127.0.0.1", 0)
    connection, answer = listen(serving)
    event(answer)
    serving.close()

    assert not serving.thread.is_alive()
    port = int(serving.address.rstrip("/").split(":")[-1])
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", port), timeout=5)
    connection.close()


def test_the_address_is_shown_as_a_qr_code():
    """Twenty-odd lines of block characters, quiet zone included."""
    lines = qr_code("http://192.168.1.20:8080/").splitlines()

    assert 10 < len(lines) < 40
    assert len({len(line) for line in lines if line.strip()}) == 1
