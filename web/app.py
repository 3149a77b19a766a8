"""The page as a Flask application, and the server that serves it."""

from __future__ import annotations

import errno
import fcntl
import io
import socket
import struct
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, Self

import segno
import waitress.server
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from companion.errors import CompanionError
from web.feed import Feed
from web.guard import LARGEST_BODY, Forbidden, check_host, check_origin
from web.page import Page
from web.table import VirtualTable
from web.views import POLLS, STREAMS, Ask, Export, Site, refusal

THREADS = STREAMS + POLLS + 8
"""Streams and waiting answers keep their threads; eight are left for the page."""


class PortBusy(CompanionError):
    """The page cannot be served at this address."""


_SIOCGIFADDR = 0x8915  # linux/sockios.h: the address of an interface


def create_app(
    feed: Feed,
    ask: Ask,
    *,
    virtual: VirtualTable | None = None,
    export: Export | None = None,
    hosts: Collection[str] = (),
    failed: Callable[[Exception], None] | None = None,
) -> Flask:
    """Build the page.

    Args:
        feed: what to show.
        ask: queues a request; returns None, or a sentence why it is refused.
        virtual: the virtual table, None at a real one.
        export: yields the lines of the record.
        hosts: names by which the page may be called, beside addresses in
            numbers, this machine's name, localhost and `.local` names.
        failed: called with a fault behind an answer; None: Flask logs it.
    """
    app = Flask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = LARGEST_BODY
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    page = Page(feed, app.jinja_env, virtual)
    app.register_blueprint(Site(feed, page, ask, virtual, export).blueprint())

    @app.before_request
    def guard() -> None:
        check_host(request, hosts)
        if request.method not in ("GET", "HEAD", "OPTIONS"):
            check_origin(request)

    @app.after_request
    def headers(response: Response) -> Response:
        response.headers.update(HEADERS)
        if request.endpoint != "static":
            response.headers["Cache-Control"] = "no-store"
        return response

    app.register_error_handler(Forbidden, lambda error: refusal(str(error), 403))
    app.register_error_handler(CompanionError, lambda error: refusal(str(error), 400))
    app.register_error_handler(HTTPException, _http_error)
    if failed:
        tell = failed

        def fault(error: Exception) -> Response:
            tell(error)
            return refusal(SENTENCES[500], 500)

        app.register_error_handler(Exception, fault)
    return app


HEADERS = {
    # Nothing from elsewhere: a club has no internet, and nobody may frame the page.
    "Content-Security-Policy": (
        "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}

SENTENCES = {
    404: "There is nothing at this address; the page itself is at /.",
    405: "This address cannot be asked in this way.",
    500: "Something went wrong inside the companion; the record is safe. Try again.",
    413: f"This is more than {LARGEST_BODY // 1024} kB; ask for less at a time.",
}


def _http_error(error: HTTPException) -> Response:
    status = error.code or 500
    return refusal(SENTENCES.get(status, error.description or error.name), status)


@dataclass(frozen=True, slots=True)
class Serving:
    """A server at work; closing it sends all listeners home."""

    address: str
    feed: Feed
    server: Any
    sockets: dict[int, Any]
    thread: threading.Thread

    def close(self) -> None:
        """Stop serving, and wait until the server has stopped."""
        self.feed.close()
        self.server.task_dispatcher.shutdown()
        connections: list[Any] = []

        def hang_up() -> None:
            # In the server's own thread, whose loop ends when it has no socket left.
            connections.extend(self.sockets.values())
            self.sockets.clear()

        self.server.trigger.pull_trigger(hang_up)
        self.thread.join(5)
        for connection in connections:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def serve(app: Flask, feed: Feed, host: str = "0.0.0.0", port: int = 8080) -> Serving:
    """Serve the page in a thread of its own.

    Args:
        app: the page.
        feed: closed with the server, which frees the threads of its streams.
        host: address to listen at, "0.0.0.0" for all.
        port: 0 for any free one.

    Raises:
        PortBusy: the port is taken, or may not be used.
    """
    try:
        family, _, _, _, where = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM
        )[0]
        listening = socket.create_server(where[:2], family=family)
    except UnicodeError:  # a name that no address can have
        raise PortBusy(_UNSERVED.format(host, port, "no such name")) from None
    except OSError as error:
        raise PortBusy(_why(error, host, port)) from None
    sockets: dict[int, Any] = {}
    server = waitress.server.create_server(
        app,
        map=sockets,
        sockets=[listening],
        threads=THREADS,
        connection_limit=4 * STREAMS,
        channel_request_lookahead=1,  # so that a stream's next write sees who left
        ident=None,
    )
    thread = threading.Thread(target=server.run, name="page", daemon=True)
    thread.start()
    address = _address(host, server.effective_port)
    return Serving(address, feed, server, sockets, thread)


_UNSERVED = (
    "The page cannot be served at {} port {} ({}); choose an address of this machine: "
    "--host 0.0.0.0."
)


def _why(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} is taken by another program (perhaps another companion); "
            f"stop it or choose another port: --port {port + 1}."
        )
    if error.errno == errno.EACCES:
        return (
            f"Port {port} is kept for the system; choose one above 1023: --port 8080."
        )
    return _UNSERVED.format(host, port, error.strerror)


def _address(host: str, port: int) -> str:
    shown = own_address() if host in ("0.0.0.0", "::", "") else host
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"


def own_address() -> str:
    """Return this machine's address in its network, without sending anything.

    127.0.0.1 where there is no network, or no Linux to ask.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asker:
        for _, name in socket.if_nameindex():
            request = struct.pack("256s", name[:15].encode())
            try:
                answer = fcntl.ioctl(asker.fileno(), _SIOCGIFADDR, request)
            except OSError:
                continue  # an interface without an address
            address = socket.inet_ntoa(answer[20:24])
            if not address.startswith("127."):
                return address
    return "127.0.0.1"


def qr_code(address: str) -> str:
    """Return an address as a QR code for the terminal."""
    drawing = io.StringIO()
    segno.make(address, error="m").terminal(drawing, compact=True)
    return drawing.getvalue()
