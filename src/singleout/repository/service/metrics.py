"""Numbers for an operator, in the Prometheus text format: counts and seconds, no data.

Labels are the routes of the interface, statuses, kinds of submissions and states: words of the
code, never of a request.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator

__all__ = ["ServiceMetrics"]

_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0)


class ServiceMetrics:
    """Counters of this process."""

    def __init__(self) -> None:
        self.started = time.time()
        self.requests: Counter[tuple[str, int]] = Counter()
        self.submissions: Counter[tuple[str, str]] = Counter()
        self.refusals: Counter[str] = Counter()
        self.cache: Counter[str] = Counter()
        self.in_flight = 0
        self._seconds = 0.0
        self._buckets = [0] * (len(_BOUNDS) + 1)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[route, status] += 1
        self._seconds += seconds
        self._buckets[bisect_left(_BOUNDS, seconds)] += 1

    def text(self, size: int) -> str:
        """Return all of them; ``size`` is that of the tree."""
        return "\n".join(self._lines(size)) + "\n"

    def _lines(self, size: int) -> Iterator[str]:
        yield from _gauge("tree_size", "Entries in the log.", size)
        yield from _gauge("process_start_time_seconds", "When this process began.", self.started)
        yield from _gauge("requests_in_flight", "Requests being answered.", self.in_flight)
        yield from _head("requests_total", "counter", "Requests answered.")
        for (route, status), number in sorted(self.requests.items()):
            yield f'singleout_requests_total{{route="{route}",status="{status}"}} {number}'
        yield from _head("submissions_total", "counter", "Submissions stored.")
        for (kind, state), number in sorted(self.submissions.items()):
            yield f'singleout_submissions_total{{kind="{kind}",state="{state}"}} {number}'
        yield from _head("refusals_total", "counter", "Requests refused by a limit.")
        for reason, number in sorted(self.refusals.items()):
            yield f'singleout_refusals_total{{reason="{reason}"}} {number}'
        yield from _head("cache_total", "counter", "Questions answered from memory or computed.")
        for result, number in sorted(self.cache.items()):
            yield f'singleout_cache_total{{result="{result}"}} {number}'
        yield from self._histogram()

    def _histogram(self) -> Iterator[str]:
        yield from _head("request_seconds", "histogram", "Seconds from request to response.")
        below = 0
        for bound, number in zip(_BOUNDS, self._buckets, strict=False):
            below += number
            yield f'singleout_request_seconds_bucket{{le="{bound}"}} {below}'
        total = sum(self._buckets)
        yield f'singleout_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"singleout_request_seconds_sum {self._seconds:.6f}"
        yield f"singleout_request_seconds_count {total}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP singleout_{name} {text}"
    yield f"# TYPE singleout_{name} {kind}"


def _gauge(name: str, text: str, value: float) -> Iterator[str]:
    yield from _head(name, "gauge", text)
    yield f"singleout_{name} {value}"
