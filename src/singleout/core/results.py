"""What every result has: plain values, a data frame, JSON, a line, and a view in notebooks.

Every number of a result is finite: where there is none, a result holds None and says why. An
unexpected infinity or NaN comes from numbers too large or too small to compute with, and raises an
error, since a reader could take it for an answer.
"""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Callable, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from singleout.core.frame_kinds import Frame, Framed, in_kind, kind_of
from singleout.core.language import speaking
from singleout.core.text import json_text, printable
from singleout.core.wording import reworded
from singleout.errors import SingleoutError, UndefinedMeasure

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = [
    "Result",
    "ResultPart",
    "check_finite",
    "finite",
    "in_one_line",
    "notebook_view",
    "picture_view",
    "read_only",
    "records_not_held",
]

_LONGEST = 160  # characters of a finding in a line

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
    elif type(answer) is dict or isinstance(answer, Mapping):
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


class Result(ResultPart, Framed):
    """A result to look at."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # stated again, or a dataclass would put one with all fields in its place
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]
        if "to_frame" in cls.__dict__:
            cls._polars_frame = cls.__dict__["to_frame"]  # type: ignore[method-assign]
            cls.to_frame = _converted(cls._polars_frame)  # type: ignore[method-assign]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        raise NotImplementedError

    def to_frame(self) -> Frame:
        """Return a data frame, of the library that the data came in: polars for a file."""
        raise NotImplementedError

    def _polars_frame(self) -> pl.DataFrame:
        """Return the frame as the package itself uses it, whatever the data came in."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Return the plain values as the text of a JSON file."""
        return json_text(self.to_dict())

    def _shown(self) -> pl.DataFrame:
        """Return the table that a notebook shows."""
        return self._polars_frame()

    def __str__(self) -> str:
        plain = [(k, v) for k, v in self.to_dict().items() if isinstance(v, str | int | float)]
        return ", ".join(f"{name}={value}" for name, value in plain)

    def __repr__(self) -> str:
        return in_one_line(self)

    def _repr_html_(self) -> str:
        return notebook_view(self, str(self), self._shown())


def _converted(method: Callable[..., pl.DataFrame]) -> Callable[..., Frame]:
    @wraps(method)
    def converted(self: Result, *args: Any, **kwargs: Any) -> Frame:
        return in_kind(method(self, *args, **kwargs), kind_of(self))

    return converted


# ---- how a result shows itself


def in_one_line(result: object) -> str:
    """Return the kind of a result and the start of what it found, in a line.

    >>> import singleout as so
    >>> so.anonymity_sets({"age": [7, 7, 8]}, "age")
    AnonymitySets(age: 3 records in 2 sets; 1 (33.3%) are unique, k = 1)
    """
    finding = printable((str(result).splitlines() or [""])[0])
    if len(finding) > _LONGEST:
        finding = f"{finding[: _LONGEST - 1]}…"
    return f"{type(result).__name__}({finding})"


def notebook_view(result: object, finding: str, table: pl.DataFrame) -> str:
    """Return what a notebook shows of a result: the finding, a small table and the picture.

    Names and values come from the data: all text is escaped, and a picture in an ``img`` element
    runs nothing.
    """
    lines = "".join(f"<p>{_safe(line)}</p>" for line in finding.splitlines())
    # polars escapes markup, but not what changes the direction of writing
    rows = "\n".join(map(printable, table._repr_html_().splitlines()))
    return f"<div>{lines}{rows}{picture_view(result)}</div>"


def picture_view(result: Any) -> str:
    """Return the picture of a result as an element of a page; nothing where there is none."""
    if not hasattr(result, "plot"):
        return ""
    drawn = io.StringIO()
    try:
        result.plot().save(drawn, "svg")
    except SingleoutError:  # some results have numbers, but nothing to draw
        return ""
    data = base64.b64encode(drawn.getvalue().encode()).decode("ascii")
    words = html.escape(in_one_line(result), quote=True)
    return (
        f'<p><img alt="{words}" style="max-width: 100%" src="data:image/svg+xml;base64,{data}"></p>'
    )


def _safe(text: str) -> str:
    return html.escape(printable(text))
