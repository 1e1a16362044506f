"""Suppress cells: blank as little as possible of each record, so that it is not alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from singleout.core import arguments
from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy, choose
from singleout.core.frame_kinds import framed
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local import counting as local
from singleout.io.read import read
from singleout.kernels.grouping.group import group_records
from singleout.kernels.suppression.cover import count_covering
from singleout.methods.selection import named_columns, require_known
from singleout.report.say import say
from singleout.treatment.suppression.methods import Method, choose_cells
from singleout.treatment.suppression.problem import Problem, problem_of
from singleout.treatment.suppression.result import Suppressed

__all__ = ["covered_people", "suppress_cells"]


@framed
def suppress_cells(
    data: Any,
    columns: Sequence[str] | str | None = None,
    k: int = 5,
    *,
    method: str = "peel",
    importance: Mapping[str, float] | None = None,
    max_size: int | None = None,
    most_cells: int | None = None,
) -> Suppressed:
    """Blank cells of some columns, so that what is left of a record is shared with others.

    A blanked cell is published as missing. Values that are missing in the data are blank already,
    and cost nothing.

    Parameters
    ----------
    data
        A `Table`, a data frame or a path.
    columns
        The columns that others could know, whose cells may be blanked; if not given, those whose
        role is quasi-identifier.
    k
        How many records shall be alike.
    method
        ``peel``: at least k records are published alike, a blank being a value of its own.
        ``uniques`` (k = 2): no combination of up to ``max_size`` values that a row still shows is
        held by one record of the data only. ``wildcard``: at least k rows match each row, a blank
        matching everything, as sdcMicro counts; it protects less than it seems to, see
        ``covered_below``.
    importance
        What a blanked cell of a column costs; 1 for those not named. The cells of a column with 10
        are kept unless ten others would have to go instead.
    max_size
        For ``uniques``, the largest number of columns of a combination; if not given, all of them,
        or as many as can be searched quickly.
    most_cells
        The largest number of cells to blank: cheap records come first, and the others stay as they
        are.

    Returns
    -------
    Suppressed
        The treated table, which cells are blank in it, and who is left.

    Examples
    --------
    >>> import singleout as so
    >>> from singleout.treatment.suppression.function import suppress_cells
    >>> done = suppress_cells(so.demo(), ["SEX", "MSP", "RAC1P", "EDU"], k=5)
    >>> done.left, int(so.anonymity_sets(done.table, done.columns).k)
    (0, 5)
    """
    chosen = choose(Method, method, "way to suppress cells")
    least = arguments.whole(k, "k", at_least=2, of="records")
    size = None
    if max_size is not None:
        size = arguments.whole(max_size, "max_size", of="columns", instead="None for all sizes")
    most = None
    if most_cells is not None:
        most = arguments.whole(most_cells, "most_cells", at_least=0, instead="None for no limit")
    table = read(data)
    named = named_columns(columns, "columns")
    names = table.quasi_identifiers if named is None else tuple(named)
    require_known(names, table.columns)
    problem = problem_of(table, names, least, importance)
    cells = choose_cells(problem, chosen, size)
    blank, notes = cells.blank, list(cells.notes)
    if most is not None and int(np.bitwise_count(blank).sum()) > most:
        blank = _cheapest(problem, chosen, blank, most)
        notes.append(say("suppression.most_cells", n=most))
    return _suppressed(problem, chosen, blank, notes)


def _suppressed(problem: Problem, method: Method, blank: I64, notes: list[str]) -> Suppressed:
    flags = {name: ((blank >> j) & 1).astype(np.bool_) for j, name in enumerate(problem.columns)}
    table = _published(problem.table, flags)
    alike = local.set_totals(table, problem.columns)
    small = int((alike < problem.k).sum())
    left = small
    if method == Method.WILDCARD:
        matching = local.match_totals(table, problem.columns)
        left = int((matching < problem.k).sum())
    below, single = covered_people(problem, blank) if small else (0, 0)
    if problem.table.rows < problem.k:
        notes.append(say("suppression.too_few", records=problem.table.rows, k=problem.k))
    elif method != Method.PEEL:
        notes.append(
            say("suppression.covered", below=below, single=single, k=problem.k, alike=small)
        )
    return Suppressed(
        table,
        flags,
        method,
        problem.k,
        problem.columns,
        left=left,
        in_small_classes=small,
        covered_below=below,
        covered_single=single,
        cost=float(np.array([f.sum() for f in flags.values()]) @ problem.weights),
        notes=tuple(notes),
    )


def _published(table: Table, flags: Mapping[str, Flags]) -> Table:
    """Return the table with blanked cells missing, which is a value of its own."""
    columns = [_blanked(c, flags[c.name]) if c.name in flags else c for c in table]
    return Table(columns, missing=MissingPolicy.VALUE, source=table.source, notes=table.notes)


def _blanked(column: Column, flags: Flags) -> Column:
    if not flags.any():
        return column
    code = len(column.values)
    codes = np.where(flags, np.uint32(code), column.codes)
    return replace(column, codes=smallest_codes(codes, code + 1), has_missing=True)


def _cheapest(problem: Problem, method: Method, blank: I64, most: int) -> I64:
    """Return the blanks of as many records as a number of cells is enough for, cheap ones first.

    Records that are published alike stay together where that is what protects them.
    """
    unit, cells = np.arange(len(blank)), np.bitwise_count(blank).astype(np.int64)
    if method == Method.PEEL:
        codes = problem.codes[problem.of_record]
        hidden = ((blank[:, None] >> np.arange(codes.shape[1])) & 1).astype(np.bool_)
        shown = np.where(hidden, 0, codes + 1).astype(np.uint32)
        unit = group_records(list(shown.T), [v + 1 for v in problem.values]).ids.astype(np.int64)
    total = np.bincount(unit, cells).astype(np.int64)
    records = np.bincount(unit)
    first = np.full(len(total), len(blank))
    np.minimum.at(first, unit, np.arange(len(blank)))
    order = np.lexsort((first, total / np.maximum(records, 1)))
    kept = np.zeros(len(total), dtype=np.bool_)
    kept[order] = np.cumsum(total[order]) <= most
    return np.where(kept[unit], blank, 0)


def covered_people(problem: Problem, blank: I64) -> tuple[int, int]:
    """Return how many people fewer than k rows, and exactly one row, could belong to.

    A row could belong to a person if each of its cells is blank or holds the person's value. The
    rows of all who share a combination could, so only small combinations have to be looked at.
    """
    few = np.flatnonzero(problem.sizes < problem.k)
    # rows that are published alike are one, whatever values they had
    shown = blank | problem.missing[problem.of_record]
    hidden = ((shown[:, None] >> np.arange(len(problem.columns))) & 1).astype(np.bool_)
    codes = np.where(hidden, 0, problem.codes[problem.of_record] + 1).astype(np.uint32)
    rows = group_records(list(codes.T), [number + 1 for number in problem.values])
    totals = count_covering(
        problem.codes, problem.of_record[rows.first], shown[rows.first], rows.sizes, few
    )
    sizes = problem.sizes[few]
    return int(sizes[totals < problem.k].sum()), int(sizes[totals == 1].sum())
