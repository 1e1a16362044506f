"""The three ways to choose cells: peeling classes, hitting minimal uniques, matching wildcards."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import comb

import numpy as np

from singleout.core.arrays import I64
from singleout.errors import BadChoice
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.suppression.hitting import hitting_sets
from singleout.kernels.suppression.match import blank_for_matches
from singleout.kernels.suppression.peel import EVERY_SET_OF, masks_to_try, peel
from singleout.kernels.uniques.search import minimal_uniques
from singleout.methods.suda.missing import never_codes
from singleout.report.say import say
from singleout.treatment.suppression.problem import Problem

__all__ = ["Chosen", "Method", "choose_cells"]

_MOST_SETS = 1 << 16  # sets of columns that are searched for uniques where no size is asked for


class Method(StrEnum):
    """How cells are chosen, and so what a blanked cell means."""

    PEEL = "peel"  # a blank is a value of its own: k records are published alike
    UNIQUES = "uniques"  # what is left of a record is held by another record as well
    WILDCARD = "wildcard"  # a blank matches everything: sdcMicro's count


@dataclass(frozen=True, eq=False)
class Chosen:
    """The blank columns of each record as bits, and notes on how they were found."""

    blank: I64
    notes: tuple[str, ...] = ()


def choose_cells(problem: Problem, method: Method, max_size: int | None) -> Chosen:
    """Return the cells to blank."""
    if method == Method.UNIQUES:
        return _by_uniques(problem, max_size)
    if max_size is not None:
        raise BadChoice(f"max_size has a meaning for uniques only, not for {method}.")
    return _by_peeling(problem) if method == Method.PEEL else _by_matching(problem)


def _by_peeling(problem: Problem) -> Chosen:
    found = peel(
        problem.codes, problem.missing, problem.sizes, problem.weights, problem.values, problem.k
    )
    return Chosen(
        problem.by_record(found.group, found.blank, found.amount), _on_many_columns(problem)
    )


def _by_matching(problem: Problem) -> Chosen:
    masks = np.empty(0, dtype=np.int64)
    if len(problem.columns) <= EVERY_SET_OF:
        masks, _ = masks_to_try(problem.weights, problem.values)
    found = blank_for_matches(
        problem.codes, problem.missing, problem.sizes, problem.weights, problem.k, masks
    )
    blank = found.blanks & ~problem.missing[found.rows]
    ones = np.ones(len(found.rows), dtype=np.int64)
    return Chosen(problem.by_record(found.rows, blank, ones), _on_many_columns(problem))


def _on_many_columns(problem: Problem) -> tuple[str, ...]:
    if len(problem.columns) <= EVERY_SET_OF:
        return ()
    return (say("suppression.some_sets", columns=len(problem.columns), all=EVERY_SET_OF),)


def _by_uniques(problem: Problem, max_size: int | None) -> Chosen:
    """Blank the cheapest cells that take one from every minimal unique of a record."""
    if problem.k != 2:
        raise BadChoice(
            f"uniques are combinations that one record has, so k must be 2 for them, not "
            f"{problem.k}; choose peel for a larger k."
        )
    table = problem.table.select(problem.columns)
    width = len(problem.columns)
    size = _largest(width) if max_size is None else min(max_size, width)
    found = minimal_uniques(
        [column.codes for column in table], problem.values, size, never=never_codes(table),
        keep=True,
    )  # fmt: skip
    blank = np.zeros(table.rows, dtype=np.int64)
    unproven = 0
    announce_compiling(hitting_sets)
    order = np.lexsort((np.arange(width), -np.array(problem.values), problem.weights))
    for records, masks in found.listed():
        ids, starts = np.unique(records, return_index=True)
        chosen, proven = np.zeros(len(ids), np.int64), np.ones(len(ids), np.bool_)
        hitting_sets(
            np.append(starts, len(records)).astype(np.int64), masks.astype(np.int64),
            problem.weights, order.astype(np.int64), chosen, proven,
        )  # fmt: skip
        blank[ids] = chosen
        unproven += int((~proven).sum())
    notes = [say("suppression.up_to", size=size, columns=width)] if size < width else []
    if unproven:
        notes.append(say("suppression.unproven", n=unproven))
    return Chosen(blank, tuple(notes))


def _largest(width: int) -> int:
    """Return the largest size of uniques that is quickly searched."""
    sets = 0
    for size in range(1, width + 1):
        sets += comb(width, size)
        if sets > _MOST_SETS:
            return max(1, size - 1)
    return width
