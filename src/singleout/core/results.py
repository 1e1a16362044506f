"""What every result has: plain values, a data frame, JSON, and a table in notebooks.

Every number of a result is finite: where there is none, a result holds None and says why. An
unexpected infinity or NaN comes from numbers too large or too small to compute with, and raises an
error, since a reader could take it for an answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from singleout.core.language import speaking
from singleout.core.text import json_text
from singleout.core.wording import reworded
from singleout.errors import UndefinedMeasure

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Result", "ResultPart", "check_finite", "finite", "read_only", "records_not_held"]

_Array = TypeVar("_Array", bound="NDArray[Any]")


def read_only(array: _Array) -> _Array:
    """Return an array of a result, which nobody may change."""
    array.flags.writeable = False
    return array


def records_not_held(what: str) -> UndefinedMeasure:
    """Return the error of a result from counts that is asked about single records."""
    return UndefinedMeasure(
        f"{what} is not known here: only counts were taken, where the data is or of a table of "
        'counts; measure records with engine="local", which fetches them, to have it.'
    )


def check_finite(answer: Any, name: str = "") -> None:
    """Refuse plain values that hold a number which is not finite, and name it.

    >>> check_finite({"mean": 1.5, "sizes": [1, None]})
    >>> check_finite({"widths": [{"share": float("nan")}]})
    Traceback (most recent call last):
    singleout.errors.UndefinedMeasure: 'share' came out as nan: ...
    """
    if isinstance(answer, float):
        if not math.isfinite(answer):
            _refuse(name, answer)
    elif isinstance(answer, dict | Mapping):
        for key, value in answer.items():
            if type(value) not in _HARMLESS:
                check_finite(value, str(key))
    elif isinstance(answer, list | tuple):
        for value in (one for one in answer if type(one) not in _HARMLESS):
            check_finite(value, name)


_HARMLESS = {str, int, bool, type(None)}  # most of what answers are made of


def _checked(method: Callable[..., Any], check: Callable[[Any], None]) -> Callable[..., Any]:
    @wraps(method)
    def checked(*args: Any, **kwargs: Any) -> Any:
        answer = method(*args, **kwargs)
        check(answer)
        return answer

    return checked


def _for_programs(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that returns plain values or a frame answer the same in every language."""

    @wraps(method)
    def in_one_language(*args: Any, **kwargs: Any) -> Any:
        with speaking("en"):
            return reworded(method(*args, **kwargs))

    return in_one_language


def finite(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let a method that returns plain values check their numbers; for what is no `Result`."""
    return _checked(method, check_finite)


def _check_frame(frame: pl.DataFrame) -> None:
    for column in frame.iter_columns():
        if column.dtype.is_float() and not column.is_finite().all():
            _refuse(column.name, float(column.filter(~column.is_finite())[0]))


def _refuse(name: str, value: float) -> None:
    raise UndefinedMeasure(
        f"{name!r} came out as {value}: some number is too large or too small to compute with; "
        "give less extreme ones, or another unit."
    )


class ResultPart:
    """A part of a result: ``to_dict`` and ``to_frame`` of subclasses check their numbers."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name, check in (("to_dict", check_finite), ("to_frame", _check_frame)):
            method = cls.__dict__.get(name)
            if method is not None:
                setattr(cls, name, _checked(_for_programs(method), check))


class Result(ResultPart):
    """A result to look at."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        raise NotImplementedError

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the plain values as the text of a JSON file."""
        return json_text(self.to_dict())

    def _shown(self) -> pl.DataFrame:
        """Return what a notebook shows."""
        return self.to_frame()

    def _repr_html_(self) -> str:
        return str(self._shown()._repr_html_())
