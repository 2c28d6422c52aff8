"""Metrics of the server in the text format of Prometheus."""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Requests by route and status, and their durations."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.buckets: Counter[tuple[str, int]] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.in_flight = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """Counts one answered request."""
        self.requests[route, status] += 1
        self.buckets[route, bisect_left(BOUNDS, seconds)] += 1
        self.seconds[route] += seconds

    def text(self, more: Mapping[str, tuple[str, float]]) -> str:
        """All metrics; `more`: additional ones by name, with their types."""
        return "\n".join([*self._requests(), *self._durations(), *_single(more), ""])

    def _requests(self) -> Iterator[str]:
        yield "# TYPE treewright_requests_total counter"
        for (route, status), count in sorted(self.requests.items()):
            yield f'treewright_requests_total{{route="{route}",status="{status}"}} {count}'
        yield "# TYPE treewright_requests_in_flight gauge"
        yield f"treewright_requests_in_flight {self.in_flight}"

    def _durations(self) -> Iterator[str]:
        name = "treewright_request_seconds"
        yield f"# TYPE {name} histogram"
        for route, total in sorted(self.seconds.items()):
            below = 0
            for place, bound in enumerate((*BOUNDS, "+Inf")):
                below += self.buckets[route, place]
                yield f'{name}_bucket{{route="{route}",le="{bound}"}} {below}'
            yield f'{name}_sum{{route="{route}"}} {total:.6f}'
            yield f'{name}_count{{route="{route}"}} {below}'


def _single(values: Mapping[str, tuple[str, float]]) -> Iterator[str]:
    for name, (kind, value) in values.items():
        yield f"# TYPE treewright_{name} {kind}"
        yield f"treewright_{name} {value:g}"
