"""Who may ask the page: this network's own browsers, in small JSON bodies."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection
from urllib.parse import urlsplit

from flask import Request

from companion.errors import CompanionError

LARGEST_BODY = 64 * 1024
"""Bytes; a header with a board of its own and eighteen players has about four."""


class Forbidden(CompanionError):
    """The request comes from somewhere that it must not come from."""


def check_host(request: Request, names: Collection[str]) -> None:
    """Refuse names that a stranger's DNS server may have pointed here.

    An address in numbers cannot be forged by DNS, `.local` names never leave the
    network; other names must be this machine's own or among `names`.

    Raises:
        Forbidden: the page was called by another name.
    """
    name = _name(request.headers.get("Host", ""))
    own = {"localhost", socket.gethostname().lower(), *names}
    if name in own or name.endswith((".localhost", ".local")) or _is_address(name):
        return
    raise Forbidden(
        "This page answers to its address in numbers, to localhost and to names "
        "that end in .local; open it by one of these."
    )


def check_origin(request: Request) -> None:
    """Refuse requests that another site's page makes in this browser.

    Browsers say where a request comes from, in Sec-Fetch-Site or in Origin;
    other programs say nothing and cannot be tricked.

    Raises:
        Forbidden: another site asks.
    """
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site not in (None, "same-origin"):
        raise Forbidden("Only the companion's own page may ask for this.")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("Host"):
        raise Forbidden("Only the companion's own page may ask for this.")


def _name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
