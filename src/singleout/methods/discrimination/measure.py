"""The discrimination rate: how far some attributes tell a sensitive one. Sondeck and Laurent, 4.2.

X is the sensitive attribute and Y one quasi-identifier or several together. What is left to guess
about X once y is known is the entropy H(X | Y=y); the rate sets it against H(X), what there was to
guess before. The rate of one value is, as the paper's tables have it,

    DR(y) = 1 - p(y) H(X | Y=y) / H(X)

and that of Y is the mean over its values. Two more readings are offered: the share of H(X) that Y
takes away on average (mutual information), and that which its worst value takes away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, total
from singleout.kernels.grouping.group import Groups, group_records

__all__ = ["Inference", "Paired", "Variant", "inference_of", "inference_within", "pairs_of"]

Paired = Callable[[Groups, NDArray[Any], int], Groups]


class Variant(StrEnum):
    """How the rates of values become one rate."""

    PAPER = "paper"  # the mean of 1 - p(y) H(X | y) / H(X) over values
    MUTUAL_INFORMATION = "mutual-information"  # 1 - H(X | Y) / H(X)
    WORST_VALUE = "worst-value"  # the largest 1 - H(X | y) / H(X)


@dataclass(frozen=True, eq=False)
class Inference:
    """What is left to guess about a sensitive attribute, for each value of others.

    Parameters
    ----------
    sizes
        How many records have each value (combination) y.
    left
        H(X | Y=y): the bits that are left to guess once y is known.
    entropy
        H(X): the bits that there are to guess.
    """

    sizes: I64
    left: F64
    entropy: float

    @property
    def records(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())

    def value_rates(self, variant: Variant) -> F64:
        """Return the rate of each value.

        Other than in the paper's reading a rate can be below 0: who has the value is harder to
        guess than anybody.
        """
        if self.entropy == 0:  # everything is known already
            return np.ones(len(self.sizes))
        share_left = self.left / self.entropy
        if variant == Variant.PAPER:
            # at most 1, but for rounding: the shares add up to H(X | Y) / H(X)
            return 1 - np.minimum(share_left * self.sizes / self.records, 1.0)
        rates: F64 = 1 - share_left
        return rates

    def rate(self, variant: Variant) -> float:
        """Return the rate of all values together, within [0, 1]."""
        rates = self.value_rates(variant)
        if variant == Variant.PAPER:
            return float(rates.mean())
        if variant == Variant.WORST_VALUE:
            # the largest is not below the mean, which is not below 0, but for rounding
            return max(0.0, float(rates.max()))
        return min(1.0, max(0.0, total(rates, self.sizes) / self.records))


def inference_of(
    sizes: I64, joint_sizes: I64, parents: NDArray[Any], of_sensitive: I64
) -> Inference:
    """Return what is left to guess from counts alone.

    ``sizes`` are those of each value y, ``joint_sizes`` those of each pair of y and x that occurs,
    ``parents`` the index of its y in ``sizes``, and ``of_sensitive`` the records with each x.
    """
    shares = joint_sizes / sizes[parents]
    left = np.bincount(parents, -shares * np.log2(shares), minlength=len(sizes))
    occurring = of_sensitive[of_sensitive > 0]
    prior = occurring / occurring.sum()
    # adding zero turns minus zero into zero
    entropy = float(-(prior * np.log2(prior)).sum()) + 0.0
    return Inference(sizes, np.asarray(left + 0.0, dtype=np.float64), entropy)


def pairs_of(groups: Groups, codes: NDArray[Any], levels: int) -> Groups:
    """Return the records that share a group and a code; codes are below ``levels``."""
    return group_records([groups.ids, codes], [len(groups.sizes), levels])


def inference_within(
    groups: Groups, codes: NDArray[Any], levels: int, paired: Paired = pairs_of
) -> Inference:
    """Return what is left to guess about a column, with codes below ``levels``, within groups."""
    joint = paired(groups, codes, levels)
    of_sensitive = np.bincount(codes, minlength=levels)
    return inference_of(groups.sizes, joint.sizes, groups.ids[joint.first], of_sensitive)
