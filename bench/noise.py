"""How much of the machine other processes used while something was timed."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["Noise"]

STAT = Path("/proc/stat")  # Linux only


class Noise:
    """Measures from when it is made until it is asked."""

    def __init__(self) -> None:
        self._machine = _machine()
        self._process = time.process_time()

    def share(self) -> float | None:
        """Return the part of all cores' time that went to others, None where unknown."""
        now, before = _machine(), self._machine
        if now is None or before is None or now[1] == before[1]:
            return None
        ours = time.process_time() - self._process
        others = now[0] - before[0] - ours
        return min(1.0, max(0.0, others / (now[1] - before[1])))


def _machine() -> tuple[float, float] | None:
    """Return the busy and the whole time of all cores so far, in seconds."""
    if not STAT.exists():
        return None
    ticks = [int(word) for word in STAT.read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]  # idle, and waiting for disks
    per_second = os.sysconf("SC_CLK_TCK")
    return (sum(ticks) - idle) / per_second, sum(ticks) / per_second
