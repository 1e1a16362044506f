"""Peel: at each node, from the least loss on, take off every class of at least k records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I32, I64, sums
from singleout.core.progress import working_on
from singleout.kernels.peel import peel_loops
from singleout.report.say import say
from singleout.treatment.local.classes import Classes, Ground

__all__ = ["all_nodes", "is_small", "mean_losses", "peeled", "typical_nodes"]

MOST_NODES = 200_000  # a lattice with more is not gone through
MOST_PAIRS = 30_000_000_000  # nor one with more nodes times combinations
MOST_WORK = 5_000_000_000  # combinations looked at before the rest is recoded top-down
TYPICAL_WORK = 300_000_000  # nodes times combinations of a lattice that is not gone through
_PART = 1 << 10  # codes of several columns that are looked up together
_TABLE = 1 << 18  # and their keys on all levels
_AT_ONCE = 20_000_000  # combinations looked at before the loop returns


def all_nodes(ground: Ground) -> I32:
    """Return every node of the lattice: a level for each column."""
    shape = tuple(ground.levels.tolist())
    return np.stack(np.unravel_index(np.arange(np.prod(shape)), shape), axis=1).astype(np.int32)


def is_small(ground: Ground) -> bool:
    """Whether every node of the lattice can be looked at."""
    nodes = float(np.prod(ground.levels.astype(np.float64)))
    return nodes <= MOST_NODES and nodes * len(ground.counts) <= MOST_PAIRS


def typical_nodes(ground: Ground, classes: Classes) -> I32:
    """Return nodes where classes of the right size are likely: those of other classes.

    Those with most records come first, then their neighbours one level lower in a column, up to
    as many as can be looked at.
    """
    most = max(500, min(MOST_NODES, TYPICAL_WORK // len(ground.counts)))
    nodes, which = np.unique(classes.levels, axis=0, return_inverse=True)
    weight = sums(which.reshape(-1), classes.sizes)
    nodes = nodes[np.argsort(-weight, kind="stable")][:most]
    lower = [nodes]
    for j in range(ground.columns):
        below = nodes[nodes[:, j] > 0][: most // ground.columns].copy()
        below[:, j] -= 1
        lower.append(below)
    every = np.concatenate(lower)
    _, first = np.unique(every, axis=0, return_index=True)
    return np.ascontiguousarray(every[np.sort(first)][:most], dtype=np.int32)


def peeled(
    ground: Ground, nodes: I32, k: int, enough: int, stop: Callable[[], bool] | None = None
) -> I64:
    """Return a class for each combination; -1 for those that remain.

    Nodes are ranked by the mean loss of the records that remain, and again each time that half of
    them are gone. No more is done once at most ``enough`` records remain, `MOST_WORK` is done, or
    ``stop`` says so.
    """
    budget = MOST_WORK
    keyed = _keyed(ground)
    codes, counts = keyed.codes, ground.counts.copy()
    ids = np.arange(len(counts))
    of_group = np.full(len(counts), -1, dtype=np.int64)
    left, records, classes = len(ids), ground.records, 0
    total = records
    while records > enough and len(nodes):
        ranked = np.argsort(mean_losses(ground, nodes, ids[:left], counts[:left]), kind="stable")
        nodes = np.ascontiguousarray(nodes[ranked])
        bases = keyed.bases(nodes)
        at, half = 0, records // 2
        while at < len(nodes) and records > max(enough, half):
            working_on(say("local_recoding.peeling"), total - records, total)
            if budget <= 0 or (stop is not None and stop()):
                return of_group
            left, records, at, classes, unused = peel_loops.peel(
                codes[:left], counts[:left], ids[:left], records, keyed.keys, bases, at,
                k, max(enough, half), _AT_ONCE, of_group, classes,
                keyed.compare, nodes, ground.maps, ground.codes,
            )  # fmt: skip
            budget -= _AT_ONCE - unused
        # the classes of a node only get smaller: a node that was looked at has no more to give
        nodes = nodes[at:]
    return of_group


def mean_losses(ground: Ground, nodes: I32, ids: I64, counts: I64) -> F64:
    """Return the mean loss of some combinations at each node."""
    losses = np.zeros(len(nodes))
    for j in range(ground.columns):
        weights = sums(ground.codes[ids, j], counts, ground.losses.shape[2])
        losses += (ground.losses[j] @ weights)[nodes[:, j]] / counts.sum()
    return losses


@dataclass(frozen=True, eq=False)
class _Keyed:
    """Codes in parts, each of a few columns, and what each part adds to a key at each node.

    Fewer parts than columns mean fewer lookups.
    """

    parts: list[list[int]]  # the columns of each part
    codes: I32  # for each combination and part
    keys: I64  # for each part, its levels and its codes
    starts: list[int]  # where the keys of each part begin
    widths: list[int]  # how many codes each part has
    levels: list[int]  # of each column
    compare: bool  # whether different combinations may have equal keys

    def bases(self, nodes: I32) -> I64:
        """Return for each node and part where the keys for its levels begin."""
        columns = []
        for part, start, width in zip(self.parts, self.starts, self.widths, strict=True):
            shape = [self.levels[j] for j in part]
            at = np.ravel_multi_index(tuple(nodes[:, j] for j in part), shape)
            columns.append(start + at * width)
        return np.stack(columns, axis=1)


def _keyed(ground: Ground) -> _Keyed:
    levels = ground.levels.tolist()
    widths = (ground.codes.max(axis=0).astype(np.int64) + 1).tolist()
    by_column, compare = _keys(ground)
    parts = _parts(widths, levels)
    codes, keys, starts = [], [], [0]
    for part in parts:
        shape = [widths[j] for j in part]
        codes.append(np.ravel_multi_index(tuple(ground.codes[:, j] for j in part), shape))
        own = np.zeros((1, 1), dtype=np.int64)
        for j in part:
            of_column = by_column[j, : levels[j], : widths[j]]
            own = own[:, None, :, None] + of_column[None, :, None, :]
            own = own.reshape(own.shape[0] * own.shape[1], -1)
        keys.append(own.reshape(-1))
        starts.append(starts[-1] + own.size)
    return _Keyed(
        parts,
        np.stack(codes, axis=1).astype(np.int32),
        np.concatenate(keys),
        starts[:-1],
        [int(np.prod([widths[j] for j in part])) for part in parts],
        levels,
        compare,
    )


def _parts(widths: Sequence[int], levels: Sequence[int]) -> list[list[int]]:
    """Put columns together as long as their combined codes stay few."""
    parts: list[list[int]] = []
    sizes: list[tuple[int, int]] = []
    for j in sorted(range(len(widths)), key=lambda j: -widths[j]):
        fits = [
            p for p, (w, s) in enumerate(sizes)
            if w * widths[j] <= _PART and s * widths[j] * levels[j] <= _TABLE
        ]  # fmt: skip
        if fits:
            p = fits[0]
            parts[p].append(j)
            sizes[p] = (sizes[p][0] * widths[j], sizes[p][1] * widths[j] * levels[j])
        else:
            parts.append([j])
            sizes.append((widths[j], widths[j] * levels[j]))
    return parts


def _keys(ground: Ground) -> tuple[I64, bool]:
    """Return what each label adds to a key, and whether different labels may give equal keys."""
    bits = [max(1, int(most - 1).bit_length()) for most in ground.labels.max(axis=1)]
    if sum(bits) <= 63:
        shifts = np.cumsum([0, *bits[:-1]])
        return ground.maps.astype(np.int64) << shifts[:, None, None], False
    rng = np.random.default_rng(20240601)  # any numbers do: equal keys are looked at again
    spread = rng.integers(-(2**62), 2**62, (ground.columns, int(ground.labels.max())))
    columns = np.arange(ground.columns)[:, None, None]
    return spread[columns, ground.maps], True
