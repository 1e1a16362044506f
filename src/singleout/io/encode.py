"""Encode columns: small integers in the order of the values, with a codebook to get back.

Values are never reinterpreted: what the source typed as text is compared as text, so ``01`` and
``1`` differ, and what it typed as a number is compared as a number. NaN counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from numbers import Number
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.core.arrays import U32
from singleout.core.progress import working_on
from singleout.core.table import Column, Table, smallest_codes
from singleout.core.text import whole_characters
from singleout.errors import UnusableColumn
from singleout.io.source import Source
from singleout.io.values import half_a_character, identity
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.grouping.group import GROUPING, group_records
from singleout.kernels.threads import in_parallel

__all__ = ["encode"]

_TICKS = {"ms": 10**3, "us": 10**6, "ns": 10**9}  # in a second
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896  # 0001-01-01 and 9999-12-31, from 1970-01-01
_OF_128_BITS = [getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name)]
_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?")
_LISTED = 4096  # codebooks up to this length are plain lists, quicker to look up
_SHORT = 256  # up to so many records Python is faster than polars


class _Codebook(Sequence[Any]):
    """A long codebook, stored compactly; values become Python objects when they are accessed."""

    def __init__(self, values: pl.Series) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        return (
            _Codebook(self._values[index]) if isinstance(index, slice) else self._values[int(index)]
        )

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values.to_list())

    def numbers(self) -> NDArray[np.float64] | None:
        """Return all values as numbers at once; None where they are not stored as such."""
        kind = self._values.dtype
        if not (kind.is_float() or kind.is_integer()):
            return None
        return self._values.cast(pl.Float64).to_numpy()


def encode(
    source: Source,
    *,
    missing_values: Sequence[Any] = (),
    missing: str = "value",
    roles: Mapping[str, str] | None = None,
) -> Table:
    """Encode a source into a table; ``missing_values`` mean missing in every column."""
    working_on(f"Encoding {source.name}")
    announce_compiling(*GROUPING)
    encoded = in_parallel(
        lambda series: _encoded(series, missing_values, source), source.frame.get_columns()
    )
    table = Table(encoded, missing=missing, source=source.name, notes=source.notes)
    return table.with_roles(roles) if roles else table


def _encoded(series: pl.Series, missing_values: Sequence[Any], source: Source) -> Column:
    name, kind = series.name, series.dtype
    if kind.is_nested():
        raise UnusableColumn(
            f"Column {name!r} holds lists or records ({kind}); "
            "singleout needs one plain value in each cell."
        )
    if kind == pl.Object:
        codes, values = _encode_objects(series, missing_values)
    else:
        unnamed = series.alias("")  # a name such as ^a$ would be a pattern to polars
        codes, values = _encode_values(_without_missing_values(unnamed, missing_values))
    has_missing = bool(len(codes)) and bool((codes == len(values)).any())
    return Column(
        name,
        smallest_codes(codes, len(values) + has_missing),
        values,
        has_missing,
        labels=source.labels.get(name, {}),
        description=source.descriptions.get(name, ""),
    )


def _without_missing_values(series: pl.Series, missing_values: Sequence[Any]) -> pl.Series:
    """Replace NaN and the values that the user lists as missing by null."""
    if series.dtype.is_float():
        series = series.fill_nan(None)
    if not missing_values:
        return series
    listed = [str(value) for value in missing_values if value is not None]
    if series.dtype.is_numeric():
        is_listed = _listed_as_missing(missing_values)
        hits = [value for value in series.unique().drop_nulls().to_list() if is_listed(value)]
        hit = series.is_in(pl.Series(hits, dtype=series.dtype, strict=False))
    else:
        text = series.cast(pl.String)
        hit = text.is_in(listed if series.dtype != pl.Boolean else [v.lower() for v in listed])
        if series.dtype.is_temporal():
            # 10:00:00 and 10:00:00.000000 are the same time, and Python prints the first
            hit |= text.str.replace(r"\.0+(\D|$)", "${1}").is_in(listed)
    return series.set(hit.fill_null(value=False), None)


def _listed_as_missing(missing_values: Sequence[Any]) -> Callable[[Any], bool]:
    """Return a function that says whether a value is one of those that mean missing."""
    listed = {str(value) for value in missing_values if value is not None}
    truths = {text.lower() for text in listed}
    # exact, so that no large number is rounded to another
    numbers = {_number(text) for text in listed} - {None}

    def is_listed(value: Any) -> bool:
        text = str(value)
        if isinstance(value, bool):
            return text.lower() in truths
        return text in listed or (isinstance(value, Number) and _number(text) in numbers)

    return is_listed


def _number(text: str) -> Decimal | None:
    """Return the exact number that a text denotes; None if it denotes none."""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def _encode_values(series: pl.Series) -> tuple[U32, Sequence[Any]]:
    """Return the codes and the sorted values; missing has the code after the last value."""
    if series.dtype == pl.String and len(series) <= _SHORT:
        return _encode_short(series)
    present = series.drop_nulls() if series.null_count() else series
    if len(present) == 0:
        return np.zeros(len(series), dtype=np.uint32), []
    groups = group_records(*_as_columns(_comparable(present)))
    distinct = present[groups.first]
    if isinstance(distinct.dtype, pl.Categorical):
        distinct = distinct.cast(pl.String)  # alphabetical, not by first appearance
    order = _order(distinct)
    rank = np.empty(len(order), dtype=np.uint32)
    rank[order] = np.arange(len(order), dtype=np.uint32)
    values = _book(distinct[order])
    if len(present) == len(series):
        return rank[groups.ids], values
    codes = np.full(len(series), len(values), dtype=np.uint32)
    codes[series.is_not_null().to_numpy()] = rank[groups.ids]
    return codes, values


def _encode_short(series: pl.Series) -> tuple[U32, Sequence[Any]]:
    """Do the same for short columns of text, of which a table may have very many."""
    texts = series.to_list()
    values = sorted({text for text in texts if text is not None})
    numbers = pl.Series(values, dtype=pl.String).cast(pl.Float64, strict=False)
    if not numbers.null_count():
        values = [values[index] for index in np.argsort(numbers.to_numpy(), kind="stable")]
    code_of: dict[str | None, int] = {text: code for code, text in enumerate(values)}
    codes = [code_of.get(text, len(values)) for text in texts]
    return np.array(codes, dtype=np.uint32), values


def _order(distinct: pl.Series) -> NDArray[Any]:
    """Return the indices that sort the values; text of which all are numbers sorts as numbers."""
    if distinct.dtype == pl.String:
        numbers = distinct.cast(pl.Float64, strict=False)
        if numbers.null_count() == 0:
            by_text = distinct.arg_sort().to_numpy()
            return by_text[np.argsort(numbers.to_numpy()[by_text], kind="stable")]
    return distinct.arg_sort().to_numpy()


def _comparable(present: pl.Series) -> NDArray[Any]:
    """Return numbers that are equal if and only if the values are equal."""
    kind = present.dtype
    if kind == pl.Boolean:
        return present.cast(pl.UInt8).to_numpy()
    small_integer = kind.is_integer() and kind not in _OF_128_BITS
    if small_integer or kind.is_float() or kind.is_temporal():
        return present.to_physical().to_numpy()
    if kind == pl.Binary:
        present = present.bin.encode("hex")
    if not isinstance(kind, pl.Categorical | pl.Enum):
        # new categories, so that the numbers are as small as possible
        present = present.cast(pl.String).cast(pl.Categorical(pl.Categories.random()))
    return present.to_physical().to_numpy()


def _as_columns(numbers: NDArray[Any]) -> tuple[list[NDArray[Any]], list[int]]:
    """Return numbers of any type as columns of codes that can be grouped, without rounding."""
    if numbers.dtype.kind == "f":
        # adding zero turns minus zero into zero, which is equal but has other bits
        bits = (numbers.astype(np.float64) + 0.0).view(np.uint64)
    else:
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < 1 << 32:
            # in 64 bits, since the difference of two small integers may not fit into their type
            wide = numbers.astype(np.int64 if numbers.dtype.kind == "i" else np.uint64)
            return [(wide - wide.dtype.type(low)).astype(np.uint32)], [high - low + 1]
        bits = numbers.astype(np.uint64)
    return [(bits >> np.uint64(32)).astype(np.uint32), bits.astype(np.uint32)], [1 << 32, 1 << 32]


def _book(distinct: pl.Series) -> Sequence[Any]:
    if distinct.dtype.is_temporal() and len(distinct):
        distinct = _within_calendar(distinct)
    return distinct.to_list() if len(distinct) <= _LISTED else _Codebook(distinct)


def _within_calendar(timestamps: pl.Series) -> pl.Series:
    """Return timestamps unchanged, or as numbers if Python cannot represent one of them."""
    kind = timestamps.dtype
    if not isinstance(kind, pl.Date | pl.Datetime):
        return timestamps
    per_day = 86_400 * _TICKS[kind.time_unit] if isinstance(kind, pl.Datetime) else 1
    numbers = timestamps.to_physical().to_numpy()
    if numbers.min() >= _FIRST_DAY * per_day and numbers.max() < (_LAST_DAY + 1) * per_day:
        return timestamps
    return timestamps.to_physical()


def _is_missing(value: Any) -> bool:
    """Whether a Python value means missing: None, NaN, NaT, or the NA of pandas."""
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)  # noqa: PLR0124 - NaN is the value unequal to itself
    except ValueError:  # an array, which is refused below
        return False


def _encode_objects(series: pl.Series, missing_values: Sequence[Any]) -> tuple[U32, Sequence[Any]]:
    """Encode a column of mixed Python values: 1 is 1.0, but not ``"1"``."""
    is_listed = _listed_as_missing(missing_values)
    number_of: dict[tuple[str, Any], int] = {}
    raw = np.empty(len(series), dtype=np.int64)
    for row, original in enumerate(series.to_list()):
        key = _, value = identity(original)
        if _is_missing(value) or is_listed(value):
            raw[row] = -1
            continue
        try:
            raw[row] = number_of.setdefault(key, len(number_of))
        except TypeError:
            raise UnusableColumn(
                f"Column {series.name!r} holds a {type(value).__name__}; "
                "singleout needs one plain value in each cell."
            ) from None
    if any(isinstance(text, str) and whole_characters(text) != text for _, text in number_of):
        raise half_a_character(series.name)
    keys = list(number_of)
    order = sorted(range(len(keys)), key=lambda index: (keys[index][0], str(keys[index][1])))
    new_code = np.empty(len(keys) + 1, dtype=np.uint32)
    new_code[order] = np.arange(len(keys), dtype=np.uint32)
    new_code[-1] = len(keys)
    return new_code[raw], [keys[index][1] for index in order]
