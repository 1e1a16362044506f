"""Full-domain search by the definition: every node of the lattice, record by record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import log2, prod

from singleout.treatment.hierarchies.hierarchy import Tree


@dataclass(frozen=True)
class Node:
    levels: tuple[int, ...]
    suppressed: int
    score: float
    kept: tuple[bool, ...]  # by record


def published(
    records: Sequence[Sequence[int]], trees: Sequence[Tree], levels: Sequence[int]
) -> list[tuple[int, ...]]:
    """The labels of each record."""
    return [
        tuple(int(t.maps[level, code]) for t, level, code in zip(trees, levels, row, strict=True))
        for row in records
    ]


def breaks(values: list[tuple[int, ...]], k: int, caps: Sequence[Sequence[float]]) -> bool:
    """Whether a class with these sensitive values breaks the policy."""
    if len(values) < k:
        return True
    for column, of_value in enumerate(caps):
        counts = Counter(row[column] for row in values)
        for value, cap in enumerate(of_value):
            # a share this close below its cap equals it but for rounding
            if cap < 1 and counts[value] >= cap * (1 - 1e-12) * len(values):
                return True
    return False


def column_losses(
    labels: list[tuple[int, ...]],
    kept: Sequence[bool],
    trees: Sequence[Tree],
    levels: Sequence[int],
) -> list[float]:
    """(sum of shares - n/D) / (n - n/D) of each column, the share of a suppressed cell being 1."""
    n = len(labels)
    losses = []
    for j, (tree, level) in enumerate(zip(trees, levels, strict=True)):
        domain = tree.size
        if domain == 1:  # nothing to lose but the record
            losses.append(kept.count(False) / n)
            continue
        below = Counter(tree.of_leaves[level].tolist())
        shares = [
            below[row[j]] / domain if keep else 1.0 for row, keep in zip(labels, kept, strict=True)
        ]
        losses.append((sum(shares) - n / domain) / (n - n / domain))
    return losses


def column_entropies(
    lowest: list[tuple[int, ...]], labels: list[tuple[int, ...]], kept: Sequence[bool]
) -> list[float]:
    """-sum log2(a/b), less the sum over suppressed records of log2(c/S).

    A single suppressed record costs log2(n/a): ARX charges nothing for its suppression.
    """
    n, gone = len(labels), [row for row, keep in zip(labels, kept, strict=True) if not keep]
    entropies = []
    for j in range(len(labels[0])):
        a = Counter(row[j] for row in lowest)
        b = Counter(row[j] for row in labels)
        c = Counter(row[j] for row in gone)
        total = 0.0
        for value, label, keep in zip(lowest, labels, kept, strict=True):
            if not keep and len(gone) == 1:
                total += log2(n / a[value[j]])
                continue
            total -= log2(a[value[j]] / b[label[j]])
            if not keep:
                total -= log2(c[label[j]] / len(gone))
        entropies.append(total)
    return entropies


def look(
    records: Sequence[Sequence[int]],
    trees: Sequence[Tree],
    levels: tuple[int, ...],
    k: int,
    metric: str,
    importance: Sequence[float],
    sensitive: Sequence[tuple[int, ...]] = (),
    caps: Sequence[Sequence[float]] = (),
) -> Node:
    """One node of the lattice."""
    labels = published(records, trees, levels)
    values = sensitive or [()] * len(records)
    bad = {
        label: breaks(
            [v for v, other in zip(values, labels, strict=True) if other == label], k, caps
        )
        for label in set(labels)
    }
    kept = tuple(not bad[label] for label in labels)
    if metric == "entropy":
        lowest = published(records, trees, [0] * len(trees))
        each = column_entropies(lowest, labels, kept)
        score = sum(w * len(trees) * e for w, e in zip(importance, each, strict=True))
    else:
        each = column_losses(labels, kept, trees, levels)
        if metric == "loss":
            score = sum(w * loss for w, loss in zip(importance, each, strict=True))
        else:
            score = prod((1 + loss) ** w for w, loss in zip(importance, each, strict=True)) - 1
    return Node(levels, kept.count(False), score, kept)


def nodes(trees: Sequence[Tree], fixed: Sequence[int] | None) -> list[tuple[int, ...]]:
    """Every node, those first that are preferred where scores are equal."""
    top = [tree.levels - 1 for tree in trees]
    if fixed is not None:
        top = [min(pair) for pair in zip(top, fixed, strict=True)]
    every = product(*(range(level + 1) for level in top))
    return sorted(every, key=lambda levels: (sum(levels), levels[::-1]))


def search(
    records: Sequence[Sequence[int]],
    trees: Sequence[Tree],
    k: int,
    limit: int,
    metric: str,
    importance: Sequence[float],
    sensitive: Sequence[tuple[int, ...]] = (),
    caps: Sequence[Sequence[float]] = (),
    fixed: Sequence[int] | None = None,
) -> Node | None:
    """The best node, by looking at all; None if none keeps the limit."""
    looked = [
        look(records, trees, levels, k, metric, importance, sensitive, caps)
        for levels in nodes(trees, fixed)
    ]
    allowed = [node for node in looked if node.suppressed <= limit]
    if not allowed:
        return None
    least = min(node.score for node in allowed)
    return next(node for node in allowed if node.score <= least + 1e-9 * max(1, abs(least)))
