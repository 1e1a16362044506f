"""Columns with other values: codes and codebooks as reading the published file would give them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.core.arrays import I64, Flags
from singleout.core.table import Column, smallest_codes
from singleout.io.values import identity
from singleout.treatment.hierarchies.hierarchy import spelling

__all__ = ["Changed", "blanked", "by_code", "by_record", "compacted", "in_order"]


class Changed(NamedTuple):
    """A column with other values, and the new code of what each old code or record became."""

    column: Column
    codes: I64


def by_code(column: Column, values: Sequence[Any]) -> Changed:
    """Return the column with another value for each code, that for missing included."""
    index = np.arange(column.levels, dtype=np.int64)
    used = column.sizes > 0
    book, codes = _book(column, values, index[used])
    to = np.zeros(column.levels, dtype=np.int64)
    to[used] = codes
    return Changed(_made(column, to[column.codes], book), to)


def by_record(column: Column, index: NDArray[Any], values: Sequence[Any]) -> Changed:
    """Return the column with a value for each record, given by its index in ``values``."""
    used = np.flatnonzero(np.bincount(index, minlength=len(values)))
    book, codes = _book(column, values, used)
    to = np.zeros(len(values), dtype=np.int64)
    to[used] = codes
    return Changed(_made(column, to[index], book), to)


def blanked(column: Column, mask: Flags) -> Changed:
    """Return the column with some records missing; the new code of each old one is given."""
    return _only_used(column, np.where(mask, len(column.values), column.codes))


def compacted(column: Column) -> Changed:
    """Return the column without values that no record has."""
    return _only_used(column, column.codes)


def _only_used(column: Column, codes: NDArray[Any]) -> Changed:
    """Return the column with other codes of the same values, those not used left out."""
    used = np.bincount(codes, minlength=len(column.values) + 1) > 0
    old = np.flatnonzero(used[:-1])
    to = np.full(len(used), len(old), dtype=np.int64)
    to[old] = np.arange(len(old))
    values = column.values
    if len(old) < len(values):
        every = list(values)
        values = [every[code] for code in old.tolist()]
    has_missing = bool(used[-1])
    changed = replace(
        column,
        codes=smallest_codes(to[codes], len(old) + has_missing),
        values=values,
        has_missing=has_missing,
    )
    return Changed(changed, to)


def _made(column: Column, codes: I64, book: list[Any]) -> Column:
    has_missing = bool(len(codes)) and bool((codes == len(book)).any())
    there = set(map(identity, book)) if column.labels else set()
    return replace(
        column,
        codes=smallest_codes(codes, len(book) + has_missing),
        values=book,
        has_missing=has_missing,
        labels={v: words for v, words in column.labels.items() if identity(v) in there},
    )


def _book(column: Column, values: Sequence[Any], used: I64) -> tuple[list[Any], I64]:
    """Return the codebook of the values that are used, and the code of each of these."""
    chosen = _of_one_kind(column, [values[index] for index in used.tolist()])
    keys = [None if value is None else identity(value) for value in chosen]
    distinct = {key: value for key, value in zip(keys, chosen, strict=True) if key is not None}
    book = in_order(list(distinct.values()))
    code_of: dict[Any, int] = {identity(value): code for code, value in enumerate(book)}
    code_of[None] = len(book)
    return book, np.array([code_of[key] for key in keys], dtype=np.int64)


def _of_one_kind(column: Column, values: list[Any]) -> list[Any]:
    """Return values that a column of a file can hold together: else all as text."""
    kinds = {identity(value)[0] for value in values if value is not None}
    if len(kinds) <= 1:
        numbers = {type(value) for value in values if value is not None}
        if numbers == {int, float}:
            return [None if value is None else float(value) for value in values]
        return values
    return [None if value is None else _text(column, value) for value in values]


def _text(column: Column, value: Any) -> str:
    if not isinstance(value, str) and value in column.labels:
        return column.labels[value]
    return spelling(value)


def in_order(values: list[Any]) -> list[Any]:
    """Return values in the order that a reader gives them: text of numbers as numbers."""
    try:
        ordered = sorted(values)
    except TypeError:
        return sorted(values, key=str)
    if ordered and all(isinstance(value, str) for value in ordered):
        numbers = pl.Series(ordered, dtype=pl.String).cast(pl.Float64, strict=False)
        if not numbers.null_count():
            return [ordered[index] for index in np.argsort(numbers.to_numpy(), kind="stable")]
    return ordered
