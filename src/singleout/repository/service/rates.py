"""Token buckets: how often one token or one address may ask."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import lru_cache

from singleout.repository.service.settings import RateLimit

__all__ = ["Buckets", "address_key"]

_REMEMBERED = 20_000  # callers; the one not heard of for longest is forgotten, and starts anew


class Buckets:
    """A bucket for each caller, of this process only."""

    def __init__(self, limit: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._burst = float(limit.burst)
        self._rate = limit.per_second
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str, count: int = 1) -> int:
        """Return 0, or the seconds to wait if the caller's bucket is empty.

        What takes more than is left has to be waited for afterwards.
        """
        level, now = self._level(caller)
        wait = self._until(level)
        self._levels[caller] = (level if wait else level - count, now)
        self._levels.move_to_end(caller)
        if len(self._levels) > _REMEMBERED:
            self._levels.popitem(last=False)
        return wait

    def wait(self, caller: str) -> int:
        """Return the seconds to wait, and take nothing."""
        return self._until(self._level(caller)[0])

    def _level(self, caller: str) -> tuple[float, float]:
        now = self._clock()
        level, then = self._levels.get(caller, (self._burst, now))
        return min(self._burst, level + (now - then) * self._rate), now

    def _until(self, level: float) -> int:
        return 0 if level >= 1 else math.ceil((1 - level) / self._rate)


@lru_cache(maxsize=1_000)
def address_key(address: str) -> str:
    """Return what an address is limited by: itself, or the network of an IPv6 customer.

    >>> address_key("192.0.2.7"), address_key("2001:db8:1:2:3::4"), address_key("unknown")
    ('192.0.2.7', '2001:db8:1:2::/64', 'unknown')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), 64), strict=False))
