"""One column before and after: the share of its values that each published cell stands for."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import F64, I64, Flags, sums
from singleout.core.table import Column
from singleout.treatment.published import (
    blank_codes,
    observed_pairs,
    removed_as_blank,
    same_value,
)

__all__ = ["LossColumn", "entropy_of_chain", "information_loss"]


@dataclass(frozen=True, eq=False)
class LossColumn:
    """A column before and after.

    Parameters
    ----------
    name
        The column.
    original, published
        The code of each record before and after; one that was removed has the last code after.
    levels, published_levels
        How many codes there are.
    size
        D, the number of values that the column could have.
    blank
        For each record whether nothing is published.
    cover
        For each record how many records have one of the values that its published value covers.
    shares
        For each record the share of D values that its published value covers.
    """

    name: str
    original: I64 = field(repr=False)
    published: I64 = field(repr=False)
    levels: int
    published_levels: int
    size: int
    blank: Flags = field(repr=False)
    cover: I64 = field(repr=False)
    shares: F64 = field(repr=False)

    @classmethod
    def of(
        cls,
        before: Column,
        after: Column,
        *,
        kept: Flags | None,
        leaves: int | None,
        shares: F64 | None,
        unsuppressed: Column | None = None,
    ) -> LossColumn:
        """Return a column; what is not known is taken from the values that occur together."""
        original = before.codes.astype(np.int64)
        published, levels = removed_as_blank(after, kept)
        occur = int((before.sizes > 0).sum())
        size = occur if leaves is None else leaves
        blank_label = np.append(blank_codes(after), np.ones(levels - after.levels, dtype=np.bool_))
        members, cover = _covered(before, original, published, levels)
        _keep_themselves(blank_label, before, after, published, original)
        if unsuppressed is not None:
            below = unsuppressed.codes.astype(np.int64)
            wide = _covered(before, original, below, unsuppressed.levels)
            by_record = [counts[below] for counts in wide]
        else:
            by_record = [members[published], cover[published]]
        blank = blank_label[published]
        share = np.minimum(by_record[0] / size, 1.0) if shares is None else _long(shares, kept)
        if shares is None:
            share = np.where(blank, 1.0, share)
        return cls(
            before.name,
            original,
            published,
            before.levels,
            levels,
            size,
            blank,
            np.where(blank, len(original), by_record[1]).astype(np.int64),
            share,
        )

    @property
    def frequency(self) -> I64:
        """For each record, how many have its original value."""
        answer: I64 = np.bincount(self.original, minlength=self.levels)[self.original]
        return answer

    def loss(self, suppressed: Flags) -> float:
        """Return (sum of shares - n/D) / (n - n/D); a suppressed record has the share 1."""
        if self.size <= 1:
            return 0.0
        total, n = float(np.where(suppressed, 1.0, self.shares).sum()), len(self.original)
        # sums of shares may be a hair below
        return max((total - n / self.size) / (n - n / self.size), 0.0)

    def entropy(self, suppressed: Flags) -> float:
        """Return -sum log2(a(v) / b(g)), where b is n for a suppressed record."""
        cover = np.where(suppressed, len(self.original), self.cover)
        return float(np.log2(cover / self.frequency).sum())

    @property
    def most_entropy(self) -> float:
        """The entropy if nothing is published."""
        return float(np.log2(len(self.original) / self.frequency).sum())


def _covered(before: Column, original: I64, published: I64, levels: int) -> tuple[I64, I64]:
    """Return for each published code how many values it covers, and how many records have them."""
    pairs = observed_pairs(published, original, before.levels)
    members = np.bincount(pairs.published, minlength=levels).astype(np.int64)
    cover = sums(pairs.published, before.sizes[pairs.original], levels).astype(np.int64)
    return members, cover


def _keep_themselves(
    blank: Flags, before: Column, after: Column, published: I64, original: I64
) -> None:
    """Take a blank label out that stands for one original value of the same spelling only."""
    for code in np.flatnonzero(blank[: after.levels]).tolist():
        values = np.unique(original[published == code])
        if len(values) == 1 and same_value(after.value(code), before.value(int(values[0]))):
            blank[code] = False


def _long(shares: F64, kept: Flags | None) -> F64:
    """Return shares for all records; those that were removed have the share 1."""
    if kept is None or len(shares) == len(kept):
        return np.asarray(shares, dtype=np.float64)
    answer = np.ones(len(kept))
    answer[kept] = shares
    return answer


def entropy_of_chain(column: LossColumn, below: Column, suppressed: Flags) -> float:
    """Return ARX's entropy: from values to labels, and from the labels of what was suppressed to *.

    A single suppressed record costs nothing in the second step.
    """
    labels = below.codes.astype(np.int64)
    of_label = np.bincount(labels, minlength=below.levels)
    first = float(np.log2(of_label[labels] / column.frequency).sum())
    gone = labels[suppressed]
    if not len(gone):
        return first
    of_gone = np.bincount(gone, minlength=below.levels)
    return first + float(np.log2(len(gone) / of_gone[gone]).sum())


def information_loss(
    before: Column, after: Column, kept: Flags | None
) -> tuple[float, float] | None:
    """Return IL1 and IL1s of a column of numbers; None if before or after is not one.

    Cells that are missing before or after are left out, and in IL1 those that were 0.
    """
    x, y = _numbers(before), _numbers(after)
    if x is None or y is None:
        return None
    spread = float(np.nanstd(x, ddof=1)) if np.isfinite(x).sum() > 1 else 0.0
    x = x if kept is None else x[kept]
    there = np.isfinite(x) & np.isfinite(y)
    change, size = np.abs(x[there] - y[there]), np.abs(x[there])
    relative = float((100 * change[size > 0] / size[size > 0]).sum())
    scaled = float((change / (math.sqrt(2) * spread)).sum()) if spread > 0 else 0.0
    return relative, scaled


def _numbers(column: Column) -> F64 | None:
    """Return a column as numbers, blanks as NaN; None if a value is not a number."""
    book = np.full(column.levels, np.nan)
    for code, value in enumerate(column.values):
        if isinstance(value, str) and value.strip() in ("", "*"):
            continue
        try:
            book[code] = float(value)
        except (TypeError, ValueError):
            return None
    if not np.isfinite(book).any():
        return None
    answer: F64 = book[column.codes]
    return answer
