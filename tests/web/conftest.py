import pytest

from tests.web import samples
from web.app import create_app
from web.feed import Feed


class Asked:
    """Stands in for the session: keeps what was asked, refuses when told to."""

    def __init__(self):
        self.requests = []
        self.refusal = None

    def __call__(self, request):
        self.requests.append(request)
        return self.refusal


@pytest.fixture
def feed():
    feed = Feed()
    feed.publish(samples.gridlock())
    return feed


@pytest.fixture
def asked():
    return Asked()


@pytest.fixture
def table():
    return samples.Table()


@pytest.fixture
def app(feed, asked, table):
    lines = ['{"record": 1}', '{"pass": true}']
    return create_app(feed, asked, virtual=table, export=lambda: iter(lines))


@pytest.fixture
def client(app):
    return app.test_client()
