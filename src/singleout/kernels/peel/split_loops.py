"""The compiled loop that splits classes: by the labels one level lower, as long as that is allowed.

A class is split by the column that saves most loss for the entropy that it takes. Labels with too
few records, or without the diversity asked for, stay together as a rest, which must hold itself.
When it ends, no class has a column whose lower labels split it into parts that all hold. Started
with all records in one class, it is top-down recoding.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I32, I64, Flags
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.peel.shared import add, lacking, meet

__all__ = ["split"]


@inner
def _parts(
    members: I64, codes: I32, counts: I64, maps: I32, j: int, level: int, losses: F64,
    part_of: I64, labels: I64, sizes: I64, lower: F64,
) -> int:  # fmt: skip
    """Count the members by their labels on a level; return how many labels there are.

    ``part_of`` is -1 before and has the part of each label after; ``labels`` lists them.
    """
    parts = 0
    for g in members:
        label = maps[j, level, codes[g, j]]
        p = part_of[label]
        if p < 0:
            p = parts
            part_of[label] = p
            labels[p] = label
            sizes[p] = 0
            lower[p] = losses[j, level, codes[g, j]]
            parts += 1
        sizes[p] += counts[g]
    return parts


@inner
def _keep(
    k: int, parts: int, sizes: I64, kept: Flags, histograms: I64, rest: I64, nothing: I64,
    starts: I64, caps: F64, usual: F64, limits: F64, scratch: I64,
) -> int:  # fmt: skip
    """Decide which parts are kept apart, so that they and the rest hold; return how many."""
    diverse = limits.shape[0] > 0
    remaining = 0
    number = parts
    for v in range(rest.size):
        rest[v] = 0
    for p in range(parts):
        kept[p] = sizes[p] >= k
        if kept[p] and diverse:
            lack = lacking(histograms[p], nothing, sizes[p], starts, caps, usual, limits, scratch)
            kept[p] = lack == 0
        if not kept[p]:
            remaining += sizes[p]
            number -= 1
            if diverse:
                add(rest, histograms[p])
    while number > 0 and remaining > 0:
        if remaining >= k:
            if not diverse:
                break
            if lacking(rest, nothing, remaining, starts, caps, usual, limits, scratch) == 0:
                break
        smallest = -1
        for p in range(parts):
            if kept[p] and (smallest < 0 or sizes[p] < sizes[smallest]):
                smallest = p
        kept[smallest] = False
        remaining += sizes[smallest]
        number -= 1
        if diverse:
            add(rest, histograms[smallest])
    return number


@kernel
def split(
    order: I64, begins: I64, ends: I64, top: int, budget: int,
    codes: I32, counts: I64, maps: I32, losses: F64, width: int,
    k: int, of_group: I64, classes: int,
    value_starts: I64, values: I64, value_counts: I64,
    starts: I64, caps: F64, usual: F64, limits: F64,
) -> tuple[int, int]:  # fmt: skip
    """Split the classes on a stack until none can be split, or the budget is used up.

    ``begins`` and ``ends`` hold the stack of stretches of ``order``, which lists combinations.
    No level has more than ``width`` labels. Combination g has the sensitive values
    ``values[value_starts[g] : value_starts[g + 1]]``, with how often each occurs. Number the
    classes that are done from ``classes`` on. Return the new height of the stack, and how many
    classes there are.
    """
    columns = codes.shape[1]
    diverse = limits.shape[0] > 0
    wide = caps.size
    part_of = np.full(width, -1, dtype=np.int64)
    labels = np.empty(width, dtype=np.int64)
    sizes = np.empty(width, dtype=np.int64)
    lower = np.empty(width, dtype=np.float64)
    kept = np.empty(width, dtype=np.bool_)
    chosen = np.empty(width, dtype=np.bool_)
    histograms = np.zeros((width if diverse else 1, wide), dtype=np.int64)
    nothing = np.zeros(wide, dtype=np.int64)
    rest = np.zeros(wide, dtype=np.int64)
    scratch = np.zeros(wide, dtype=np.int64)
    levels = np.empty(columns, dtype=np.int64)
    place = np.empty(width + 1, dtype=np.int64)
    while top > 0 and budget > 0:
        top -= 1
        begin, end = begins[top], ends[top]
        members = order[begin:end]
        budget -= 1 + members.size * columns
        size = 0
        for g in members:
            size += counts[g]
        best_column, best_score = -1, 0.0
        if size >= 2 * k:
            for j in range(columns):
                level = 0
                for g in members:
                    level = meet(maps, j, level, codes[members[0], j], codes[g, j])
                levels[j] = level
                if level == 0:
                    continue
                parts = _parts(
                    members, codes, counts, maps, j, level - 1, losses,
                    part_of, labels, sizes, lower,
                )  # fmt: skip
                if diverse:
                    for p in range(parts):
                        for v in range(wide):
                            histograms[p, v] = 0
                    for g in members:
                        p = part_of[maps[j, level - 1, codes[g, j]]]
                        for i in range(value_starts[g], value_starts[g + 1]):
                            histograms[p, values[i]] += value_counts[i]
                for p in range(parts):
                    part_of[labels[p]] = -1
                number = _keep(
                    k, parts, sizes, kept, histograms, rest, nothing,
                    starts, caps, usual, limits, scratch,
                )  # fmt: skip
                if number == 0:
                    continue
                saved, entropy, remaining = 0.0, 0.0, size
                upper = losses[j, level, codes[members[0], j]]
                for p in range(parts):
                    if kept[p]:
                        saved += sizes[p] * (upper - lower[p])
                        entropy += sizes[p] * np.log(size / sizes[p])
                        remaining -= sizes[p]
                if remaining > 0:
                    entropy += remaining * np.log(size / remaining)
                if entropy > 0 and (best_column < 0 or saved / entropy > best_score):
                    best_column, best_score = j, saved / entropy
                    for p in range(parts):
                        chosen[p] = kept[p]
        if best_column < 0:
            for g in members:
                of_group[g] = classes
            classes += 1
            continue
        j = best_column
        level = levels[j] - 1
        parts = _parts(
            members, codes, counts, maps, j, level, losses, part_of, labels, sizes, lower
        )
        for p in range(parts + 1):
            place[p] = 0
        for p in range(parts):
            if not chosen[p]:
                part_of[labels[p]] = parts  # the rest comes last
        for g in members:
            place[part_of[maps[j, level, codes[g, j]]]] += 1
        position = begin
        for p in range(parts + 1):
            number = place[p]
            place[p] = position
            if number > 0:
                begins[top] = position
                ends[top] = position + number
                top += 1
            position += number
        moved = members.copy()
        for g in moved:
            p = part_of[maps[j, level, codes[g, j]]]
            order[place[p]] = g
            place[p] += 1
        for p in range(parts):
            part_of[labels[p]] = -1
    return top, classes
