"""Whether records agree: two of one key, a coarser and a finer one, a part and its whole.

D2 of the design: merging cells raises the chance that two people share one and lowers the entropy;
the pairs who share a cell in a part of the population share it in the whole. Noise is allowed for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from singleout.report.say import say
from singleout.repository.store.admitted.plausibility import SURE, Evidence

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = ["contradictions", "disagree", "is_coarser"]

_TOLERATED = 0.01  # of the entropy in nats, of s2 and s3 as a share: holders have different files


def disagree(one: Record, other: Record) -> bool:
    """Return whether two records of one key predict differently, beyond their noise."""
    mine, theirs = one.numbers, other.numbers
    if mine.cells is not None and theirs.cells is not None:
        gap = math.log(mine.cells) - mine.kappa - math.log(theirs.cells) + theirs.kappa
    elif mine.cells == theirs.cells:
        gap = mine.kappa - theirs.kappa
    else:
        gap = 0.0  # kappa is from different uniform distributions, one of them not known
    rounded = 0.006 * (one.legacy + other.legacy)
    if abs(gap) > _noise(mine.sd.kappa, theirs.sd.kappa) + _TOLERATED + rounded:
        return True
    return any(
        a is not None
        and b is not None
        and abs(a - b) > _noise(sd_a, sd_b) + _TOLERATED * max(abs(a), abs(b))
        for a, b, sd_a, sd_b in (
            (mine.s2, theirs.s2, mine.sd.s2, theirs.sd.s2),
            (mine.s3, theirs.s3, mine.sd.s3, theirs.sd.s3),
        )
    )


def _noise(one: float | None, other: float | None) -> float:
    return SURE * math.hypot(one or 0.0, other or 0.0)


def is_coarser(coarse: Record, fine: Record) -> bool:
    """Return whether cells of one record are unions of cells of the other.

    Attributes may be missing, or be coded in intervals that are unions of the finer ones. Levels
    of a hierarchy are compared by name only: a coarser one is not recognised without a vocabulary.
    """
    finer = {one.attribute: one.coding for one in fine.quasi_identifier}
    return all(
        one.attribute in finer and _coded_coarser(one.coding, finer[one.attribute])
        for one in coarse.quasi_identifier
    )


def _coded_coarser(coarse: str, fine: str) -> bool:
    from singleout.repository.documents.coding import Coding

    return coarse == fine or Coding(name=coarse).coarser_than(Coding(name=fine))


def contradictions(
    new: Record,
    same_people: Iterable[Record],
    wider: Iterable[Record],
    narrower: Iterable[Record] = (),
) -> list[str]:
    """Return how a record contradicts others, each as one sentence.

    Parameters
    ----------
    new
        The record.
    same_people
        Records of the same population and date, of other quasi-identifiers.
    wider
        Records of the same quasi-identifier and date, of populations that contain this one.
    narrower
        The same, of populations that are part of this one.
    """
    found = []
    for other in same_people:
        if is_coarser(other, new):
            found += _against_coarser(new, other, other.id)
        elif is_coarser(new, other):
            found += _against_coarser(other, new, other.id)
    for other in wider:
        found += _against_whole(new, other, other.id)
    for other in narrower:
        found += _against_whole(other, new, other.id)
    return found


def _against_coarser(fine: Record, coarse: Record, other: str) -> list[str]:
    small, large = Evidence.of(fine), Evidence.of(coarse)
    found = []
    if small.entropy and large.entropy and small.entropy.high < large.entropy.low:
        found.append(say("repository.store.entropy_of_coarser", record=other))
    if small.pairs and large.pairs and small.pairs.low > large.pairs.high:
        found.append(say("repository.store.pairs_of_coarser", record=other))
    return found


def _against_whole(part: Record, whole: Record, other: str) -> list[str]:
    if "sample" in (part.coverage.kind, whole.coverage.kind):
        return []  # their numbers of people are those of samples
    small, large = Evidence.of(part), Evidence.of(whole)
    if small.people is None or large.people is None:
        return []
    if small.people.low > large.people.high:
        return [say("repository.store.people_of_whole", record=other)]
    found = []
    if small.pairs is not None and large.pairs is not None:
        within = max(small.pairs.low, 0.0) * small.people.low * (small.people.low - 1)
        if within > large.pairs.high * large.people.high * (large.people.high - 1):
            found.append(say("repository.store.pairs_of_whole", record=other))
    if small.entropy is not None and large.entropy is not None:
        # the entropy of a mixture is at least that of its parts, by their shares
        share = small.people.low / large.people.high
        if share * small.entropy.low > large.entropy.high:
            found.append(say("repository.store.entropy_of_whole", record=other))
    return found
