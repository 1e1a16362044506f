"""What steps ask of hierarchies, local recoding and the suppression of cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.table import Column, Table
from singleout.errors import BadChoice
from singleout.treatment.hierarchies.hierarchy import Hierarchy, Tree, spelling
from singleout.treatment.hierarchies.order import ORDERED
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.hierarchies.publish import Order, class_labels, order_of
from singleout.treatment.hierarchies.read import read_hierarchy
from singleout.treatment.lattice import Lattice, lattice_of
from singleout.treatment.local.narrowing import cut_by_order
from singleout.treatment.local.publish import publish
from singleout.treatment.local.recode import LocalRecoding, local_recode
from singleout.treatment.local.sensitive import Sensitive, below, criteria_of
from singleout.treatment.steps.kinds import HierarchyRows
from singleout.treatment.steps.models import (
    Generalise,
    SensitiveRule,
    SuppressCells,
    SuppressRecords,
)
from singleout.treatment.suppression.function import suppress_cells

__all__ = [
    "Generalised",
    "breaking",
    "caps_of",
    "cells_to_blank",
    "hierarchy_of",
    "local_recoding",
    "most_suppressed",
    "sensitive_codes",
]

_Path = Callable[[str], Path]
_ROUNDING = 1e-9  # 29 % of 100 records are 29


@dataclass(frozen=True, eq=False)
class Generalised:
    """A column after local recoding: the label of each record, and what each label covers.

    ``suppressed`` are the records that are in no class.
    """

    name: str
    codes: I64 = field(repr=False)
    labels: tuple[Any, ...] = field(repr=False)
    shares: F64 = field(repr=False)
    size: int
    suppressed: Flags = field(repr=False)


def hierarchy_of(source: str | HierarchyRows, column: Column, path: _Path = Path) -> Hierarchy:
    """Return a hierarchy from its rows, or from a CSV file."""
    if isinstance(source, str):
        return read_hierarchy(path(source), column.name)
    rows = [[cell or None for cell in row] for row in source]
    if len(rows[0]) < 2:
        raise BadChoice(
            f"The hierarchy of {column.name!r} has one level; each row leads from a value to the "
            "label of all values."
        )
    return Hierarchy.of_rows(column.name, rows)


# ---- local recoding


def local_recoding(table: Table, step: Generalise, path: _Path) -> Iterator[Generalised]:
    """Yield each column of a step as local recoding publishes it."""
    trees = []
    for name in step.generalise:
        column, source = table[name], step.hierarchies.get(name)
        if source is None:
            hierarchy = propose(column, _ordered(step, name))
        else:
            hierarchy = hierarchy_of(source, column, path)
        trees.append(hierarchy.fit(column))
    lattice = lattice_of(table, trees, step.importance, step.highest)
    rules = [sensitive_of(table[name], rule) for name, rule in step.sensitive.items()]
    most = most_suppressed(step, table.rows)
    recoding = local_recode(lattice, step.k, rules or None, max_suppressed=most)
    orders = {name: order_of(table[name], _ordered(step, name)) for name in _narrow(step)}
    if orders:
        ranks = [_ranks(table[name], orders.get(name)) for name in step.generalise]
        recoding = cut_by_order(lattice, recoding, step.k, ranks, rules or None)
    if step.highest:
        recoding = _without_unwanted(lattice, recoding)
    suppressed: Flags = (recoding.of_group < 0)[lattice.of_record]
    for tree, published in zip(trees, publish(lattice, recoding), strict=True):
        if tree.name in orders:
            yield _narrowed(table[tree.name], tree, lattice, recoding, orders[tree.name])
        else:
            yield Generalised(
                tree.name,
                published.codes,
                published.labels,
                published.shares,
                tree.size,
                suppressed,
            )


def most_suppressed(step: Generalise, records: int) -> int:
    """Return how many records a step may suppress; those that ``highest`` leaves are more."""
    return int(step.max_suppressed * records + _ROUNDING)


def _narrow(step: Generalise) -> list[str]:
    """Return the columns that publish intervals and sets of the values that each class has."""
    return [name for name in step.generalise if step.narrow and name not in step.hierarchies]


def _ranks(column: Column, order: Order | None) -> I64 | None:
    return None if order is None else order.ranks(column.levels)


def _ordered(step: Generalise, name: str) -> bool | None:
    """Return whether the values of a column have an order; None if nobody says so."""
    return ORDERED[step.scales.get(name)]


def _narrowed(
    column: Column,
    tree: Tree,
    lattice: Lattice,
    recoding: LocalRecoding,
    order: Order | None,
) -> Generalised:
    """Return a column as intervals and sets of the values that each class has."""
    j = lattice.trees.index(tree)
    kept = recoding.of_group >= 0
    present, classes = np.unique(recoding.of_group[kept], return_inverse=True)
    codes, levels = lattice.groups[kept, j], recoding.levels[present, j]
    found = class_labels(column, tree, classes, codes, levels, order)
    shares = np.ones(len(found.labels) + 1)  # the last label is that of suppressed records
    shares[found.codes] = found.shares
    of_group = np.full(len(kept), len(found.labels))
    of_group[kept] = found.codes[classes]
    labels = (*found.labels, None)
    suppressed = ~kept[lattice.of_record]
    return Generalised(
        tree.name, of_group[lattice.of_record], labels, shares, tree.size, suppressed
    )


def _without_unwanted(lattice: Lattice, recoding: LocalRecoding) -> LocalRecoding:
    """Suppress the classes that could be made only by levels that are not wanted."""
    unwanted = np.asarray((recoding.levels > np.array(lattice.highest)).any(axis=1))
    if not unwanted.any():
        return recoding
    gone = unwanted[np.maximum(recoding.of_group, 0)]
    return replace(recoding, of_group=np.where(gone, -1, recoding.of_group))


# ---- rules of sensitive columns


def sensitive_of(column: Column, rule: SensitiveRule) -> Sensitive:
    """Return what classes must hold of a column."""
    return Sensitive(
        sensitive_codes(column, rule),
        caps_of(column, rule),
        column.name,
        [] if rule.cuts is not None else [column.value(code) for code in range(column.levels)],
        distinct_l=rule.l or 1,
        entropy_l=rule.entropy_l or 1.0,
        recursive=rule.recursive,
        t=np.inf if rule.t is None else rule.t,
        ordered=rule.ordered,
    )


def sensitive_codes(column: Column, rule: SensitiveRule) -> I64:
    """Return what is judged of each record: its value, or the band of it."""
    if rule.cuts is None:
        return column.codes.astype(np.int64)
    numbers = column.numbers()
    bands = np.searchsorted(rule.cuts, numbers, side="right")
    return np.where(np.isnan(numbers), len(rule.cuts) + 1, bands).astype(np.int64)


def caps_of(column: Column, rule: SensitiveRule) -> F64:
    """Return for each of these the largest share that it may have; infinite where there is none."""
    if rule.caps_of_bands is not None:
        caps = np.array([*rule.caps_of_bands, np.inf])  # a missing value has no cap
        return np.where(caps < 1, caps, np.inf)
    caps = np.full(column.levels, np.inf)
    if rule.gain is not None:
        caps = np.array([below(share + rule.gain) for share in column.sizes / len(column)])
    stated = {**rule.caps, **dict.fromkeys(rule.harmless, np.inf)}
    code_of = {
        text: code
        for code in range(column.levels)
        for text in (spelling(column.value(code)), column.label(column.value(code)))
    }
    for value, share in stated.items():
        if value not in code_of:
            raise BadChoice(f"{column.name!r} has no value {value!r}, which a rule is about.")
        caps[code_of[value]] = share
    return np.where(caps < 1, caps, np.inf)


def breaking(table: Table, step: SuppressRecords) -> Flags:
    """Return the records in classes that are too small, or that break a rule."""
    names = list(step.columns or ())
    lattice = lattice_of(table, [Tree.flat(table[name]) for name in names])
    small = lattice.sizes < (step.k or 1)
    if step.sensitive:
        rules = [sensitive_of(table[name], rule) for name, rule in step.sensitive.items()]
        criteria, _ = criteria_of(lattice, rules)
        each = np.arange(len(lattice.sizes))
        small |= criteria.lacks(criteria.histograms(each, len(each)), lattice.sizes) > 0
    return np.asarray(small[lattice.of_record])


# ---- cells


def cells_to_blank(table: Table, step: SuppressCells) -> tuple[Mapping[str, Flags], list[str]]:
    """Return for each column of a step which records lose their value in it, and notes."""
    assert step.k is not None
    found = suppress_cells(
        table,
        step.columns,
        step.k,
        method=step.method,
        importance=step.importance,
        max_size=step.max_size,
    )
    return found.blank, list(found.notes)
