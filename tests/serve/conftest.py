"""One server for most tests of the server."""

from collections.abc import Iterator

import pytest

from tests.serving import Running, running, settings_with


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    limits = {"words": 60, "sentences": 50, "body_bytes": 20_000, "seconds": 20, "read_seconds": 60}
    with running(settings_with(workers=2, **limits)) as found:
        yield found
