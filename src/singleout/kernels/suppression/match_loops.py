"""The compiled loops of suppression where a blank cell matches everything.

Rows are counted by distinct published rows: the codes of a combination, blank columns as bits, and
how many records are published like that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64, I32, I64, Flags
from singleout.kernels.compiling import inner, kernel

__all__ = ["blank_rows", "compatible_rows", "publish_cells_again"]


@inner
def _differ(codes: I32, a: int, b: int, blank: int) -> Any:
    """Return the columns in which two combinations differ, those left out that are blank."""
    differ = np.int64(0)
    for j in range(codes.shape[1]):
        if codes[a, j] != codes[b, j]:
            differ |= np.int64(1) << j
    return differ & ~blank


@inner
def _cost(mask: int, weights: F64) -> float:
    total = 0.0
    for j in range(weights.size):
        if (mask >> j) & 1:
            total += weights[j]
    return total


@kernel
def blank_rows(
    codes: I32, missing: I64, counts: I64, order: I64, rows: I64, blanks: I64, done: int, k: int,
    weights: F64, masks: I64, begin: int, end: int,
) -> int:  # fmt: skip
    """Blank the fewest cells of each record such that at least k rows match it, one by one.

    Parameters
    ----------
    codes, missing, counts
        Of each combination: its codes, its columns without a value, its records that are whole.
    order
        The combinations to go through, once for each of their records; ``begin`` to ``end`` now.
    rows, blanks, done
        The combinations of the records with blanked cells so far, their blank columns, how many.
    weights, masks
        What a blanked cell of each column costs; all sets of columns, the cheapest first, or none.

    Returns
    -------
    int
        How many records have blanked cells now.
    """
    width = codes.shape[1]
    every = masks.size > 0
    histogram = np.zeros(1 << width if every else 1, dtype=np.int64)
    differs = np.empty(counts.size + rows.size, dtype=np.int64)
    amounts = np.empty(counts.size + rows.size, dtype=np.int64)
    for x in range(begin, end):
        r = order[x]
        number = 0
        for g in range(counts.size):
            if counts[g] > 0:
                differs[number] = _differ(codes, r, g, missing[r] | missing[g])
                amounts[number] = counts[g]
                number += 1
        for t in range(done):
            differs[number] = _differ(codes, r, rows[t], missing[r] | blanks[t])
            amounts[number] = 1
            number += 1
        if every:
            mask = _cheapest_of_all(differs[:number], amounts, histogram, masks, k)
        else:
            mask = _cheapest_of_some(differs[:number], amounts, weights, k)
        if mask != 0:
            counts[r] -= 1
            rows[done] = r
            blanks[done] = mask | missing[r]
            done += 1
    return done


@inner
def _cheapest_of_all(differs: I64, amounts: I64, histogram: I64, masks: I64, k: int) -> Any:
    """Return the cheapest set of columns such that at least k rows differ in no others."""
    histogram[:] = 0
    for x in range(differs.size):
        histogram[differs[x]] += amounts[x]
    if histogram[0] >= k:
        return np.int64(0)
    bit = 1
    while bit < histogram.size:  # sums over all subsets
        for m in range(histogram.size):
            if m & bit:
                histogram[m] += histogram[m ^ bit]
        bit <<= 1
    for m in masks:
        if histogram[m] >= k:
            return m
    return masks[-1]


@inner
def _cheapest_of_some(differs: I64, amounts: I64, weights: F64, k: int) -> Any:
    """Return the cheapest that unites the differences of the nearest rows, up to k of them."""
    prices = np.empty(differs.size, dtype=np.float64)
    for x in range(differs.size):
        prices[x] = _cost(differs[x], weights)
    ranks = np.argsort(prices, kind="mergesort")
    best, least = np.int64(-1), np.inf
    union = np.int64(0)
    for place in range(min(ranks.size, 4 * k)):
        x = ranks[place]
        union |= differs[x]
        for mask in (differs[x], union):
            price = _cost(mask, weights)
            if price >= least:
                continue
            match = 0
            for y in range(differs.size):
                if not differs[y] & ~mask:
                    match += amounts[y]
            if match >= k:
                best, least = mask, price
    if best < 0:
        best = np.int64(0)
        for x in range(differs.size):
            best |= differs[x]
    return best


@kernel
def compatible_rows(
    codes: I32, rows: I64, blanks: I64, counts: I64, who: I64, whose: I64, begin: int, end: int,
    totals: I64,
) -> None:  # fmt: skip
    """Count for combinations ``who``, with blanks ``whose``, the published rows that match them.

    A row matches if it has the same code in each column that is blank neither here nor there.
    """
    for x in range(begin, end):
        total = np.int64(0)
        for t in range(rows.size):
            blank = blanks[t] | whose[x]
            same = True
            for j in range(codes.shape[1]):
                if codes[who[x], j] != codes[rows[t], j] and not (blank >> j) & 1:
                    same = False
                    break
            if same:
                total += counts[t]
        totals[x] = total


@kernel
def publish_cells_again(
    codes: I32, missing: I64, rows: I64, blanks: I64, counts: I64, needy: Flags, matches: I64,
    k: int, columns: I64, begin: int, end: int,
) -> int:  # fmt: skip
    """Publish blanked cells of rows ``begin`` to ``end`` again that nobody needs; return how many.

    ``rows``, ``blanks`` and ``counts`` are the combinations, the blank columns and the numbers of
    all published rows. Those that are ``needy`` must keep k ``matches``, which are kept up to date.
    ``columns`` is the order in which cells are tried.
    """
    again = 0
    losers = np.empty(rows.size, dtype=np.int64)
    for t in range(begin, end):
        for j in columns:
            bit = np.int64(1) << j
            if not blanks[t] & bit or missing[rows[t]] & bit:
                continue
            lost, number, possible = np.int64(0), 0, True
            for x in range(rows.size):
                same = codes[rows[x], j] == codes[rows[t], j]
                if same or x == t or blanks[x] & bit:
                    continue
                if _differ(codes, rows[t], rows[x], blanks[t] | blanks[x]) != 0:
                    continue
                # they match now, and no longer without this blank
                if needy[x]:
                    if matches[x] <= k:
                        possible = False
                        break
                    losers[number] = x
                    number += 1
                lost += counts[x]
            if possible and matches[t] - lost >= k:
                blanks[t] &= ~bit
                matches[t] -= lost
                for place in range(number):
                    matches[losers[place]] -= 1
                again += 1
    return again
