"""The compiled loops that form classes of records with the same columns blank."""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.suppression.classes import (
    add_piece,
    class_of,
    find_class,
    move_piece,
    same_values,
    slot_of,
)

__all__ = ["gather", "index_classes", "join"]


@kernel
def index_classes(s: Any) -> None:
    """Fill the hash table anew, after it has grown."""
    for c in range(s.used[0]):
        i = slot_of(s.hashes, s.heads[c], s.masks[c], s.slots.size)
        while s.slots[i] >= 0:
            i = (i + 1) & (s.slots.size - 1)
        s.slots[i] = c


@kernel
def gather(
    s: Any, rest: I64, left: int, sizes: I64, mask: int, least: int, table: I64, sums: I64
) -> int:
    """Form classes of the first ``left`` combinations of ``rest`` with these columns blank.

    Those with at least k records together become a class, and so do those with at least ``least``
    if other classes can spare the records that lack. ``sizes`` is how many records each combination
    has. ``table`` is a hash table of -1, ``sums`` as long as ``rest``. The combinations that remain
    move to the front of ``rest``; return how many.
    """
    if left == 0:
        return 0
    k = s.used[2]
    size = 64
    while size < 2 * left:
        size *= 2
    table[:size] = -1
    home = np.empty(left, dtype=np.int64)  # the first combination with the same values
    wanted = False
    for t in range(left):
        g = rest[t]
        blank = mask | s.missing[g]
        i = slot_of(s.hashes, g, blank, size)
        while True:
            u = table[i]
            if u < 0:
                table[i] = t
                home[t] = t
                sums[t] = sizes[g]
                break
            other = rest[u]
            if (mask | s.missing[other]) == blank and same_values(s.codes, other, g, blank):
                home[t] = u
                sums[u] += sizes[g]
                break
            i = (i + 1) & (size - 1)
        wanted = wanted or least <= sums[home[t]] < k
    if wanted and least < k:
        _borrow(s, rest, left, home, mask, least, table[:size], sums)
    kept = 0
    for t in range(left):
        g = rest[t]
        blank = mask | s.missing[g]
        c = find_class(s, g, blank)
        if c >= 0 and s.totals[c] > 0:
            add_piece(s, g, c, sizes[g])  # others have these values already
        elif sums[home[t]] >= k:
            add_piece(s, g, class_of(s, g, blank), sizes[g])
        else:
            # the first of its values is never behind the others
            rest[kept] = g
            kept += 1
    return kept


@kernel
def join(s: Any, g: int, count: int, c: int, blank: int) -> None:
    """Bring a combination into a class, which has these columns blank from then on."""
    other = class_of(s, g, blank)
    for p in range(s.used[1]):
        if s.owner[p] == c:
            move_piece(s, p, other, s.amount[p])
    add_piece(s, g, other, count)


@inner
def _borrow(
    s: Any, rest: I64, left: int, home: I64, mask: int, least: int, table: I64, sums: I64
) -> None:
    """Take from classes with more than k records what the new classes lack.

    Records are reserved first, and given back where they do not suffice.
    """
    pieces, k = s.used[1], s.used[2]
    lacking = np.zeros(left, dtype=np.int64)
    for t in range(left):
        if home[t] == t and least <= sums[t] < k:
            lacking[t] = k - sums[t]
    from_piece = np.empty(pieces, dtype=np.int64)
    to = np.empty(pieces, dtype=np.int64)
    amount = np.empty(pieces, dtype=np.int64)
    loans = 0
    for p in range(pieces):
        spare = min(s.amount[p], s.totals[s.owner[p]] - k)
        g = s.group[p]
        blank = mask | s.missing[g]
        if spare <= 0:
            continue
        i = slot_of(s.hashes, g, blank, table.size)
        while table[i] >= 0:
            u = table[i]
            other = rest[u]
            if (mask | s.missing[other]) == blank and same_values(s.codes, other, g, blank):
                take = min(spare, lacking[u])
                if take > 0:
                    lacking[u] -= take
                    s.totals[s.owner[p]] -= take  # reserved
                    from_piece[loans] = p
                    to[loans] = u
                    amount[loans] = take
                    loans += 1
                break
            i = (i + 1) & (table.size - 1)
    for loan in range(loans):
        p, u, take = from_piece[loan], to[loan], amount[loan]
        s.totals[s.owner[p]] += take
        if lacking[u] == 0:
            g = rest[u]
            c = class_of(s, g, mask | s.missing[g])
            move_piece(s, p, c, take)
            sums[u] += take
