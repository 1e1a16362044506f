"""Numbers that no table of people can have: D6 of the design, widened by the published noise.

Each rule compares the ends of intervals, so that noise alone does not break it: six standard
deviations either side, and for the number of people also half a step of its coarser rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from singleout.core.wording import in_figures
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = ["SURE", "Evidence", "Within", "impossible"]

SURE = 6.0  # standard deviations: noise alone passes them once in 500 million numbers
_PEOPLE = 12.0  # the number of people is rounded to a grid of up to ten standard deviations
_ROUNDED = 0.006  # kappa of a legacy record may be printed with two decimals
_FLOATS = 1e-9


class Within(NamedTuple):  # made a dozen times for each record
    """A number between two ends."""

    low: float
    high: float

    @classmethod
    def of(cls, value: float | None, sd: float | None, times: float = SURE) -> Within | None:
        """Return the interval of a published number; None if it is not published."""
        if value is None:
            return None
        slack = times * (sd or 0.0) + _FLOATS * abs(value)
        return cls(value - slack, value + slack)


class Evidence(NamedTuple):
    """What the numbers of a record say about the table, as intervals.

    Parameters
    ----------
    people, cells, support, largest
        n, N, M and the cap of the largest cell.
    kappa, entropy
        kappa and ln N - kappa, in nats.
    pairs, triples
        The chance that two, or three, different people are in one cell (s2, s3).
    squares, cubes
        The sums of p^2 and p^3 over the cells.
    small
        The share of people in cells below ten.
    """

    people: Within | None
    cells: float | None
    support: Within | None
    largest: float | None
    kappa: Within
    entropy: Within | None
    pairs: Within | None
    triples: Within | None
    squares: Within | None
    cubes: Within | None
    small: Within | None

    @classmethod
    def of(cls, record: Record) -> Evidence:
        """Return the intervals of a record."""
        numbers, sd = record.numbers, record.numbers.sd
        people = Within.of(numbers.people, sd.people, _PEOPLE)
        if people is not None:
            people = Within(max(people.low, 1.0), max(people.high, 1.0))
        support = Within.of(numbers.support, sd.support)
        kappa = Within.of(numbers.kappa, sd.kappa)
        assert kappa is not None
        slack = (_ROUNDED if record.legacy else 0.0) + _correction(record, support, people)
        kappa = Within(kappa.low - slack, kappa.high + slack)
        pairs, triples = Within.of(numbers.s2, sd.s2), Within.of(numbers.s3, sd.s3)
        logarithm = None if numbers.cells is None else math.log(numbers.cells)
        return cls(
            people=people,
            cells=numbers.cells,
            support=support,
            largest=numbers.largest,
            kappa=kappa,
            entropy=None
            if logarithm is None
            else Within(logarithm - kappa.high, logarithm - kappa.low),
            pairs=pairs,
            triples=triples,
            squares=_squares(pairs, people),
            cubes=_cubes(pairs, triples, people),
            small=Within.of(numbers.small, sd.small),
        )

    @property
    def share_of_largest(self) -> float:
        """At most what the largest cell holds / all people."""
        if self.largest is None or self.people is None:
            return 1.0
        return min(1.0, self.largest / self.people.low)


def _correction(record: Record, support: Within | None, people: Within | None) -> float:
    """Return how far Miller and Madow moved kappa."""
    if record.numbers.correction == "none" or support is None or people is None:
        return 0.0
    return max(0.0, (support.high - 1) / (2 * people.low))


def _squares(pairs: Within | None, people: Within | None) -> Within | None:
    if pairs is None:
        return None
    if people is None:
        return Within(pairs.low, math.inf)
    return Within(pairs.low, min(1.0, pairs.high + 1 / people.low))


def _cubes(pairs: Within | None, triples: Within | None, people: Within | None) -> Within | None:
    """(n)_3 s3 + 3 (n)_2 s2 + n, over n^3."""
    if pairs is None or triples is None:
        return None
    if people is None:
        return Within(triples.low, math.inf)
    more = 3 * max(pairs.high, 0.0) / people.low + 1 / people.low**2
    return Within(triples.low, triples.high + more)


# ---- the rules


def impossible(record: Record) -> tuple[str, ...]:
    """Return why no table can have the numbers of a record, each as a sentence; nothing if one can.

    The rules: 0 <= kappa <= ln N; kappa >= ln(N/M); M <= N and M <= n; 1/M <= sum p^2; e^-H <= sum
    p^2; s2 <= pmax; (sum p^2)^2 <= sum p^3; s3 <= s2 pmax; shares within 0 and 1.
    """
    evidence = Evidence.of(record)
    return tuple(reason for rule in _RULES for reason in rule(evidence))


def _kappa(e: Evidence) -> Iterator[str]:
    if e.kappa.high < -_FLOATS:
        yield say("repository.store.kappa_negative", kappa=_shown(e.kappa))
    if e.entropy is not None and e.cells is not None and e.entropy.high < 0:
        most = in_figures(math.log(e.cells), 4)
        yield say("repository.store.kappa_large", kappa=_shown(e.kappa), most=most)
    if e.entropy is not None and e.support is not None and e.support.high > 0:
        most_entropy = math.log(max(e.support.high, 1.0))
        if e.entropy.low > most_entropy + _FLOATS:
            yield say("repository.store.kappa_small", support=_shown(e.support))


def _support(e: Evidence) -> Iterator[str]:
    if e.support is None:
        return
    if e.cells is not None and e.support.low > e.cells:
        yield say("repository.store.support_cells", support=_shown(e.support), cells=e.cells)
    if e.people is not None and e.support.low > e.people.high:
        yield say(
            "repository.store.support_people",
            support=_shown(e.support),
            people=_shown(e.people),
        )
    if e.squares is not None and e.support.high > 0 and e.squares.high < 1 / e.support.high:
        yield say("repository.store.pairs_support", pairs=_shown(e.pairs))


def _pairs(e: Evidence) -> Iterator[str]:
    if e.pairs is None or e.squares is None:
        return
    if e.pairs.high < 0 or e.pairs.low > 1:
        yield say("repository.store.pairs_share", pairs=_shown(e.pairs))
    if e.pairs.low > e.share_of_largest:
        most = in_figures(e.share_of_largest, 3)
        yield say("repository.store.pairs_largest", pairs=_shown(e.pairs), most=most)
    if e.entropy is not None and math.exp(-e.entropy.high) > e.squares.high:
        yield say("repository.store.pairs_entropy", pairs=_shown(e.pairs), kappa=_shown(e.kappa))
    if e.cells is not None and e.squares.high < 1 / e.cells:
        yield say("repository.store.pairs_cells", pairs=_shown(e.pairs), cells=e.cells)


def _triples(e: Evidence) -> Iterator[str]:
    if e.triples is None or e.pairs is None or e.squares is None or e.cubes is None:
        return
    if e.cubes.high < max(e.squares.low, 0.0) ** 2:
        yield say("repository.store.triples_small", triples=_shown(e.triples))
    if e.triples.low > max(e.pairs.high, 0.0) * e.share_of_largest:
        yield say("repository.store.triples_large", triples=_shown(e.triples))


def _small(e: Evidence) -> Iterator[str]:
    if e.small is None:
        return
    if e.small.high < 0 or e.small.low > 1:
        yield say("repository.store.small_share", small=_shown(e.small))
    if e.support is not None and e.people is not None:
        needed = max(e.small.low, 0.0) * e.people.low / 9  # at most nine in each of these cells
        if e.support.high < needed:
            yield say("repository.store.small_support", small=_shown(e.small))


_RULES: tuple[Callable[[Evidence], Iterator[str]], ...] = (
    _kappa,
    _support,
    _pairs,
    _triples,
    _small,
)


def _shown(within: Within | None) -> str:
    assert within is not None
    return in_figures((within.low + within.high) / 2, 3)
