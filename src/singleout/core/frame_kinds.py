"""Which library of data frames came in, so that results answer in the same.

A public function is marked with `framed`: while it runs, what it makes remembers the kind of frame
that was given. Nothing is imported: a library that came in is there already.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextvars import ContextVar
from enum import StrEnum
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Frame", "FrameKind", "Framed", "asked_kind", "framed", "in_kind", "kind_of"]

# a frame of polars, or of pandas or pyarrow if such data came in
Frame: TypeAlias = Any

P = ParamSpec("P")
Answer = TypeVar("Answer")


class FrameKind(StrEnum):
    """The libraries that results answer in."""

    POLARS = "polars"
    PANDAS = "pandas"
    PYARROW = "pyarrow"


_asked: ContextVar[FrameKind | None] = ContextVar("singleout_frames", default=None)


def asked_kind() -> FrameKind:
    """Return the kind of frame that the running public function was given."""
    return _asked.get() or FrameKind.POLARS


def kind_of(data: Any) -> FrameKind:
    """Return the kind of frame to answer in about data.

    That of a frame of pandas or pyarrow, and of a table or a result that was made of one; polars
    for everything else, such as a file.

    >>> str(kind_of("people.csv"))
    'polars'
    """
    remembered = getattr(data, "_frames", None)
    if isinstance(remembered, FrameKind):
        return remembered
    roots = {one.__module__.partition(".")[0] for one in type(data).__mro__}
    if "narwhals" in roots and hasattr(data, "to_native"):
        return kind_of(data.to_native())
    for kind in (FrameKind.PANDAS, FrameKind.PYARROW):
        if kind in roots:
            return kind
    return FrameKind.POLARS


def framed(function: Callable[P, Answer]) -> Callable[P, Answer]:
    """Make the results of a function answer in the kind of frame of its first argument.

    The outermost call decides: what it calls in turn may be given something else.
    """
    names = [name for name in signature(function).parameters if name != "cls"]

    @wraps(function)
    def answered(*args: P.args, **kwargs: P.kwargs) -> Answer:
        if _asked.get() is not None:
            return function(*args, **kwargs)
        given = [one for one in args if not isinstance(one, type)]  # a class method has its class
        token = _asked.set(kind_of(given[0] if given else kwargs.get(names[0])))
        try:
            return function(*args, **kwargs)
        finally:
            _asked.reset(token)

    return answered


def in_kind(frame: pl.DataFrame, kind: FrameKind) -> Frame:
    """Return a frame of polars as one of another library, which is loaded already."""
    if kind == FrameKind.PYARROW:
        return frame.to_arrow()
    if kind == FrameKind.POLARS:
        return frame
    try:
        return _with_whole_numbers(frame, frame.to_pandas())
    except ModuleNotFoundError:  # polars would go through pyarrow
        return sys.modules["pandas"].DataFrame(frame.to_dict(as_series=False))


def _with_whole_numbers(frame: pl.DataFrame, made: Any) -> Any:
    """Return a frame of pandas whose whole numbers stay whole where some are missing."""
    for column in frame:
        if column.dtype.is_integer() and column.null_count():
            signed = "Int64" if column.dtype.is_signed_integer() else "UInt64"
            made[column.name] = sys.modules["pandas"].array(column.to_list(), dtype=signed)
    return made


class Framed:
    """What remembers the kind of frame that it was made of."""

    __slots__ = ()  # a table has no other attributes than its own

    _frames: FrameKind

    def __new__(cls, *_args: Any, **_fields: Any) -> Any:
        """Return an empty object that remembers the kind of frame."""
        made = super().__new__(cls)
        object.__setattr__(made, "_frames", asked_kind())
        return made
