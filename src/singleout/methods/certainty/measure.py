"""How sure somebody who knows some columns is of a record, and of its sensitive value.

Records that are equal in the known columns form a class. A guess at a record is right once in as
many times as there are people in its class (identity). The class also tells about a sensitive
value: exactly, if the person is known to be in the file; otherwise only as far as classes tell
that value at all, which the intra-class correlation of its indicator measures. The gain is how far
belief in the true value exceeds the share of that value in the table.

Everything is a function of class sizes, of the sizes of the pairs of a class and a value, and of
how many people of the population each class has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.methods.levels import INFERENCE_BOUNDS

__all__ = ["Certainty", "ClassedValues", "certainty", "correlations"]

_NEAR = 1e-9  # a rate this close to a bound is compared with it in whole numbers


@dataclass(frozen=True, eq=False)
class ClassedValues:
    """Records that are equal in what is known, and the pairs of a class and a value that occur.

    ``people`` of the population in each class are at least as many as its records; None if the
    person is known to be in the file. They follow from ``fraction``, the sampling fraction, if any.
    ``identity`` is the chance that a guess at a record of each class is right, where it is not one
    over these people. Where somebody may have several values, ``people_of_value`` says how many
    have each in any class, and ``everybody`` how many people there are.
    """

    sizes: I64  # records of each class
    pair_sizes: I64  # records of each pair
    parents: I64  # the class of each pair, as an index
    values: I64  # the value of each pair, as an index
    of_value: I64  # records of each value
    people: F64 | None = field(default=None, repr=False)
    fraction: Fraction | None = None
    identity: F64 | None = field(default=None, repr=False)
    people_of_value: I64 | None = field(default=None, repr=False)
    everybody: int = 0

    @property
    def guessed(self) -> tuple[I64, int]:
        """Of how many of how many each value is true, which is what guessing goes by."""
        if self.people_of_value is None:
            return self.of_value, self.records
        return self.people_of_value, self.everybody

    @cached_property
    def records(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())


@dataclass(frozen=True, eq=False)
class Certainty:
    """How sure an attacker is, for each pair of a class and a value."""

    identity: F64  # how likely a guess at the record is right
    gain: F64  # by how much belief in the true value exceeds guessing
    inference: NDArray[np.int8]  # the level of the larger of both, 1 to 4

    @property
    def rate(self) -> F64:
        """The larger of identity and gain."""
        return np.maximum(self.identity, self.gain)


def certainty(classes: ClassedValues, bounds: Sequence[float] = INFERENCE_BOUNDS) -> Certainty:
    """Return how sure an attacker is of each pair of a class and a value.

    ``bounds`` are the rates from which on inference is of level 2, 3 and 4.
    """
    held, of = classes.guessed
    sizes = classes.sizes[classes.parents]
    guess = (held / of)[classes.values]
    known = classes.pair_sizes / sizes
    if classes.people is None:
        identity, belief = 1 / sizes, known
    else:
        people = classes.people[classes.parents]
        identity, member = 1 / people, sizes / people
        if classes.fraction is not None:  # on a bound where the true value is
            identity = float(classes.fraction) / sizes
        if classes.identity is not None:
            identity = classes.identity[classes.parents]
        belief = member * known + (1 - member) * _suggested(classes, guess)
    gain = np.maximum(0.0, belief - guess)
    return Certainty(identity, gain, _levels(classes, identity, gain, bounds))


def _suggested(classes: ClassedValues, guess: F64) -> F64:
    """Return the belief that the others of a class suggest, as far as classes tell the value."""
    rho = correlations(classes)[classes.values]
    others = classes.sizes[classes.parents] - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        prior = (1 - rho) / rho  # how many records the share in the table counts for
        belief = (classes.pair_sizes - 1 + prior * guess) / (others + prior)
    return np.where((rho == 0) | (others + prior == 0), guess, belief)


def correlations(classes: ClassedValues) -> F64:
    """Return the intra-class correlation of the indicator of each value (ANOVA estimator).

    Not below 0, and 0 where it is not defined: there is one class, or each record is its own.
    """
    count, records = len(classes.sizes), classes.records
    if count < 2 or count == records:
        return np.zeros(len(classes.of_value))
    squares = np.bincount(
        classes.values,
        classes.pair_sizes.astype(np.float64) ** 2 / classes.sizes[classes.parents],
        minlength=len(classes.of_value),
    )
    held = classes.of_value.astype(np.float64)
    between = (squares - held**2 / records) / (count - 1)
    within = (held - squares) / (records - count)
    typical = (records - float(np.square(classes.sizes, dtype=np.float64).sum()) / records) / (
        count - 1
    )
    total = between + (typical - 1) * within
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = (between - within) / total
    return np.where(total > 0, np.clip(rho, 0.0, 1.0), 0.0)


# ---- levels, compared with their bounds exactly


def _levels(
    classes: ClassedValues, identity: F64, gain: F64, bounds: Sequence[float]
) -> NDArray[np.int8]:
    """Return the level of the larger of both.

    One divided by a number of people is on a bound exactly where the true value is. A gain is the
    result of several operations, so one that is close to a bound is computed in fractions.
    """
    found = _reached(identity, bounds)
    levels = np.maximum(found, _reached(gain, bounds))
    for level, bound in enumerate(bounds, start=2):
        near = np.flatnonzero((np.abs(gain - bound) < _NEAR) & (found < level))
        if len(near):
            levels[near] = np.maximum(found[near], _exact_levels(classes, near, bounds))
    return levels


def _reached(rate: F64, bounds: Sequence[float]) -> NDArray[np.int8]:
    """Return the level by how many bounds are reached: far faster than a search among three."""
    levels = np.ones(len(rate), dtype=np.int8)
    for bound in bounds:
        levels += rate >= bound
    return levels


def _exact_levels(classes: ClassedValues, pairs: I64, bounds: Sequence[float]) -> NDArray[np.int8]:
    """Return the levels of some pairs by fractions, each different case once."""
    parents = classes.parents[pairs]
    cases = [classes.sizes[parents], classes.pair_sizes[pairs], classes.values[pairs]]
    if classes.people is not None:
        cases.append(classes.people[parents].view(np.int64))
    _, first, of_pair = np.unique(np.stack(cases), axis=1, return_index=True, return_inverse=True)
    exact = list(_exact(classes, pairs[first], bounds))
    return np.array(exact, dtype=np.int8)[of_pair.reshape(-1)]


def _exact(classes: ClassedValues, pairs: I64, bounds: Sequence[float]) -> Iterator[int]:
    cuts = [Fraction(str(bound)) for bound in bounds]
    rhos: dict[int, Fraction] = {}
    of_value, of = classes.guessed
    for pair in pairs.tolist():
        parent, value = int(classes.parents[pair]), int(classes.values[pair])
        size, held = int(classes.sizes[parent]), int(classes.pair_sizes[pair])
        guess = Fraction(int(of_value[value]), of)
        people = _people(classes, parent)
        member = size / people
        belief = member * Fraction(held, size)
        if member != 1:
            if value not in rhos:
                rhos[value] = _exact_correlation(classes, value)
            belief += (1 - member) * _exactly_suggested(rhos[value], size, held, guess)
        rate = max(1 / people, belief - guess)
        yield 1 + sum(rate >= cut for cut in cuts)


def _people(classes: ClassedValues, parent: int) -> Fraction:
    size = Fraction(int(classes.sizes[parent]))
    if classes.fraction is not None:
        return size / classes.fraction
    return size if classes.people is None else Fraction(float(classes.people[parent]))


def _exactly_suggested(rho: Fraction, size: int, held: int, guess: Fraction) -> Fraction:
    if rho == 0:
        return guess
    prior = (1 - rho) / rho
    return guess if size - 1 + prior == 0 else (held - 1 + prior * guess) / (size - 1 + prior)


def _exact_correlation(classes: ClassedValues, value: int) -> Fraction:
    count, records = len(classes.sizes), classes.records
    if count < 2 or count == records:
        return Fraction(0)
    pairs = np.flatnonzero(classes.values == value)
    sizes, of_size = np.unique(classes.sizes[classes.parents[pairs]], return_inverse=True)
    held = [0] * len(sizes)
    for index, pair_size in zip(of_size.tolist(), classes.pair_sizes[pairs].tolist(), strict=True):
        held[index] += pair_size**2
    squares = sum(
        (Fraction(total, size) for total, size in zip(held, sizes.tolist(), strict=True)),
        Fraction(0),
    )
    of_value = int(classes.of_value[value])
    between = (squares - Fraction(of_value**2, records)) / (count - 1)
    within = (of_value - squares) / (records - count)
    total_squares = sum(size * size for size in classes.sizes.tolist())
    typical = (records - Fraction(total_squares, records)) / (count - 1)
    total = between + (typical - 1) * within
    return max(Fraction(0), (between - within) / total) if total > 0 else Fraction(0)
