"""Run a case: compare the answers, then time all contenders in rounds of random order."""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from bench.case import Case, Contender, Prepared
from bench.noise import Noise

__all__ = ["Outcome", "Timing", "run_case"]

LONG_ENOUGH = 0.1  # seconds


@dataclass
class Timing:
    """How one contender did.

    Parameters
    ----------
    name
        The contender.
    ours
        Whether it is singleout.
    wrong
        How its answer differs, in words; empty if it does not.
    seconds
        One time for each round.
    """

    name: str
    ours: bool
    wrong: str
    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median time, in seconds."""
        return median(self.seconds)


@dataclass(frozen=True)
class Outcome:
    """How all contenders of a case did; the first timing is the one that ratios refer to."""

    name: str
    title: str
    shape: tuple[int, int]
    timings: list[Timing]
    others: float | None  # cores' time that went to other processes meanwhile / all cores' time
    findings: str = ""  # what was measured besides times, in Markdown

    def ratio(self, timing: Timing) -> float:
        """Return how many times slower than ours, by the medians."""
        return timing.median / self.timings[0].median

    def ratio_range(self, timing: Timing) -> tuple[float, float]:
        """Return the least and the greatest ratio within a round."""
        pairs = zip(timing.seconds, self.timings[0].seconds, strict=True)
        ratios = [theirs / ours for theirs, ours in pairs]
        return min(ratios), max(ratios)


def run_case(case: Case, *, quick: bool, repeats: int, rng: np.random.Generator) -> Outcome:
    """Return the times of a case whose answers have been compared.

    Raises
    ------
    AbsentError
        If the data of the case is not there.
    """
    _say(f"{case.name}: preparing")
    prepared = case.prepare(quick)
    _say(f"{case.name}: comparing the answers of {len(prepared.contenders)} contenders")
    timings = _compared(prepared)
    noise = Noise()
    for turn in range(repeats):
        _say(f"{case.name}: round {turn + 1} of {repeats}")
        for place in rng.permutation(len(timings)).tolist():
            contender = prepared.contenders[place]
            timings[place].seconds.append(_seconds(contender.run) * contender.scale)
    _say(f"{case.name}: done\n" if sys.stderr.isatty() else f"{case.name}: done")
    others = noise.share()
    return Outcome(case.name, case.title, prepared.shape, timings, others, prepared.findings())


def _compared(prepared: Prepared) -> list[Timing]:
    """Compare every answer with ours. This also warms up: compilers, pools and caches."""
    reference, *others = prepared.contenders
    if not reference.ours:
        raise ValueError(f"The first contender must be ours, not {reference.name!r}.")
    ours = prepared.canonical(reference.run())

    def compared(contender: Contender) -> Timing:
        answer: Any = prepared.canonical(contender.run())
        return Timing(contender.name, contender.ours, prepared.difference(answer, ours))

    first = Timing(reference.name, True, prepared.published(ours))
    return [first, *map(compared, others)]


def _seconds(run: Callable[[], Any]) -> float:
    """Return the time of one run, the mean of several if it is short: a single one is mostly noise.

    What it returns is thrown away after the clock has stopped.
    """
    gc.collect()
    seconds = _timed(run)
    if seconds >= LONG_ENOUGH:
        return seconds
    times = math.ceil(LONG_ENOUGH / max(seconds, 1e-6))
    return sum(_timed(run) for _ in range(times)) / times


def _timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    answer = run()
    seconds = time.perf_counter() - start
    del answer
    return seconds


def _say(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)
    elif "round" not in what:  # a log needs no line for every round
        print(what, file=sys.stderr, flush=True)
