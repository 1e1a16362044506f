"""The compiled loops that let records lose less: in other classes, new ones, or with fewer blanks.

Each lowers the cost, and leaves a class with k records or none.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.suppression.classes import (
    TINY,
    class_of,
    cost_of,
    find_class,
    move_piece,
    same_values,
    slot_of,
)

__all__ = ["move_members", "open_classes", "publish_again"]


@kernel
def move_members(s: Any, order: I64, starts: I64, pieces: I64, masks: I64, weights: F64) -> int:
    """Move records to classes with cheaper blanks, class by class in this order.

    ``pieces`` from ``starts[c]`` on are those of class c, ``masks`` the blanks of all classes with
    records, cheapest first, and ``weights`` what they cost. A class keeps k records or none. It is
    dissolved if all its records together are cheaper elsewhere. Return how many records moved.
    """
    moved = 0
    most = np.int64(1)
    for c in order:
        most = max(most, starts[c + 1] - starts[c])
    home = np.empty(most, dtype=np.int64)
    gain = np.empty(most, dtype=np.float64)
    for c in order:
        begin, members = starts[c], starts[c + 1] - starts[c]
        listed = 0
        anybody = False
        for t in range(members):
            p = pieces[begin + t]
            listed += s.amount[p]
            home[t], gain[t] = _cheapest(s, p, c, masks, weights, 0.0)
            anybody = anybody or home[t] >= 0
        if not anybody:
            continue
        everybody, total = True, 0.0
        for t in range(members):
            p = pieces[begin + t]
            if home[t] < 0:  # it may lose by it if others win more
                home[t], gain[t] = _cheapest(s, p, c, masks, weights, np.inf)
            everybody = everybody and home[t] >= 0
            total += gain[t] * s.amount[p]
        spare = s.totals[c] - s.used[2]
        partly, room = 0.0, spare
        ranks = np.argsort(-gain[:members], kind="mergesort")
        for t in ranks:
            if gain[t] > TINY:
                partly += gain[t] * min(room, s.amount[pieces[begin + t]])
                room -= min(room, s.amount[pieces[begin + t]])
        if everybody and listed == s.totals[c] and total > TINY and total >= partly:
            for t in range(members):
                moved += s.amount[pieces[begin + t]]
                move_piece(s, pieces[begin + t], home[t], s.amount[pieces[begin + t]])
            continue
        for t in ranks:
            p = pieces[begin + t]
            take = min(spare, s.amount[p])
            if gain[t] > TINY and take > 0:
                move_piece(s, p, home[t], take)
                spare -= take
                moved += take
    return moved


@inner
def _cheapest(s: Any, p: int, c: int, masks: I64, weights: F64, loss: float) -> tuple[Any, Any]:
    """Return the cheapest other class that a piece fits into, and what a record gains by it.

    None (-1) if a record would lose as much as ``loss`` by it.
    """
    g = s.group[p]
    missing = s.missing[g]
    now = cost_of(s.masks[c] & ~missing, s.weights)
    best, least = np.int64(-1), now + loss - TINY
    for a in range(masks.size):
        if missing == 0 and weights[a] >= least:
            break
        price = weights[a]
        if missing & masks[a]:
            price -= cost_of(masks[a] & missing, s.weights)
        if price >= least:
            continue
        other = find_class(s, g, masks[a] | missing)
        if other >= 0 and other != c and s.totals[other] > 0:
            best, least = other, price
    return best, (now - least if best >= 0 else -np.inf)


@kernel
def publish_again(s: Any, order: I64, starts: I64, pieces: I64, values: int) -> int:
    """Publish a column of a class again where all its records still have enough others with them.

    ``values`` is above the largest code. Return how often it was possible.
    """
    changed = 0
    grown = np.zeros(s.masks.size, dtype=np.bool_)
    sums = np.zeros(values, dtype=np.int64)
    for c in order:
        begin, end = starts[c], starts[c + 1]
        if grown[c] or begin == end or s.totals[c] == 0:
            continue
        best = -1
        for j in range(s.codes.shape[1]):
            dearer = best < 0 or s.weights[j] > s.weights[best]
            if (s.masks[c] >> j) & 1 and dearer and _holds(s, c, j, pieces[begin:end], sums):
                best = j
        if best < 0:
            continue
        for t in range(begin, end):
            g = s.group[pieces[t]]
            blank = (s.masks[c] & ~(np.int64(1) << best)) | s.missing[g]
            if blank != s.masks[c]:
                other = class_of(s, g, blank)
                grown[other] = True
                move_piece(s, pieces[t], other, s.amount[pieces[t]])
        changed += 1
    return changed


@inner
def _holds(s: Any, c: int, j: int, pieces: I64, sums: I64) -> bool:
    """Whether the records of a class may show a column: with each value are enough of them."""
    staying, bit = np.int64(0), np.int64(1) << j
    for p in pieces:
        sums[s.codes[s.group[p], j]] = 0
    for p in pieces:
        if s.missing[s.group[p]] & bit:
            staying += s.amount[p]
        else:
            sums[s.codes[s.group[p], j]] += s.amount[p]
    if staying == s.totals[c] or 0 < staying < s.used[2]:
        return False
    for p in pieces:
        g = s.group[p]
        if s.missing[g] & bit or sums[s.codes[g, j]] >= s.used[2]:
            continue
        other = find_class(s, g, (s.masks[c] & ~bit) | s.missing[g])
        if other < 0 or s.totals[other] == 0:
            return False
    return True


@kernel
def open_classes(s: Any, donors: I64, mask: int, table: I64, thorough: bool) -> int:
    """Open classes with these columns blank for records that would be cheaper there.

    They come from classes with more than k records; where they are too few, so do others that pay
    for it, as long as less is lost than won. ``donors`` are the pieces that may win, ``table`` is a
    hash table with room for them. Unless ``thorough``, others are asked only if some class could
    pay for them if they had no blank yet, as most have none. Return how many classes were opened.
    """
    pieces, k = s.used[1], s.used[2]
    first = np.empty(donors.size, dtype=np.int64)  # of each new class: a piece
    have = np.zeros(donors.size, dtype=np.int64)
    net = np.zeros(donors.size, dtype=np.float64)
    most = donors.size + pieces
    taken = np.empty(most, dtype=np.int64)
    to = np.empty(most, dtype=np.int64)
    amount = np.empty(most, dtype=np.int64)
    news, loans, lacking = 0, 0, False
    price = 0.0 if thorough else cost_of(mask, s.weights)
    for turn in range(2):  # those who win, then those who lose
        for d in range(donors.size if turn == 0 else pieces):
            p = donors[d] if turn == 0 else d
            c = s.owner[p]
            spare = min(s.amount[p], s.totals[c] - k)
            if spare <= 0:
                continue
            g = s.group[p]
            blank = mask | s.missing[g]
            gain = cost_of(s.masks[c] & ~s.missing[g], s.weights) - cost_of(
                mask & ~s.missing[g], s.weights
            )
            if (turn == 0) != (gain > TINY):
                continue
            i = slot_of(s.hashes, g, blank, table.size)
            while table[i] >= 0:
                other = s.group[first[table[i]]]
                if (mask | s.missing[other]) == blank and same_values(s.codes, other, g, blank):
                    break
                i = (i + 1) & (table.size - 1)
            if table[i] < 0:
                if turn == 1:
                    continue
                exists = find_class(s, g, blank)
                if exists >= 0 and s.totals[exists] > 0:
                    continue
                table[i] = news
                first[news] = p
                news += 1
            u = table[i]
            if turn == 1:
                spare = min(spare, k - have[u])
                if spare <= 0 or net[u] + gain * spare <= TINY:
                    continue
            have[u] += spare
            net[u] += gain * spare
            s.totals[c] -= spare  # reserved
            taken[loans] = p
            to[loans] = u
            amount[loans] = spare
            loans += 1
        lacking = False
        for u in range(news):
            lacking = lacking or (have[u] < k and net[u] > (k - have[u]) * price)
        if not lacking:
            break
    opened = 0
    for loan in range(loans):
        s.totals[s.owner[taken[loan]]] += amount[loan]
    for loan in range(loans):
        p, u = taken[loan], to[loan]
        if have[u] >= k:
            g = s.group[first[u]]
            c = class_of(s, g, mask | s.missing[g])
            opened += s.totals[c] == 0
            move_piece(s, p, c, amount[loan])
    return opened
