"""The demo as a user starts it: a process of its own, asked through its page."""

import http.client
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request


class Demo:
    """`companion play --table demo`, until it is killed.

    Args:
        home: the program's folder.
    """

    def __init__(self, home):
        command = ["play", "--table", "demo", "--host", "127.0.0.1", "--port", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "companion", *command],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COMPANION_HOME": str(home)},
        )
        first = self.process.stdout.readline()
        if " at http" not in first:
            self.kill()  # nobody else will
            raise AssertionError(f"no address: {first!r}")
        self.address = first.split(" at ")[1].strip()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kill()

    def kill(self):
        """End it as a power cut does."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def get(self, path):
        """Return what stands at an address of the page."""
        with urllib.request.urlopen(self.address + path, timeout=20) as answer:
            return answer.read().decode()

    def state(self):
        """Return what the page shows, {} before there is anything to show."""
        state = json.loads(self.get("state"))
        return state if "looks" in state else {}

    def lines(self):
        """Return the lines of the record, without its header."""
        return [json.loads(line) for line in self.get("record.jsonl").splitlines()][1:]

    def table(self, what, **body):
        """Do something at the virtual table, as its page does."""
        request = urllib.request.Request(
            f"{self.address}table/{what}",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            assert answer.status == 202

    def lit(self):
        """Return the squares whose lamps are lit now."""
        host, port = self.address.removeprefix("http://").rstrip("/").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=20)
        connection.request("GET", "/events")
        stream = connection.getresponse()
        while stream.readline() != b"event: lights\n":
            pass
        data = stream.readline().decode().removeprefix("data: ").strip()
        stream.close()
        connection.close()
        colours = [data[at : at + 6] for at in range(0, len(data), 6)]
        cells = self.state()["looks"]
        return {
            cell for cell, colour in zip(cells, colours, strict=True) if int(colour, 16)
        }

    def until(self, told, seconds=60.0):
        """Wait until something can be told of the demo, and return it."""
        deadline = time.monotonic() + seconds
        while not (found := told(self)):
            assert time.monotonic() < deadline, self.get("state")[:2000]
            time.sleep(0.1)
        return found
