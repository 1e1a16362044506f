"""Charts that need no network: in notebooks they are drawn here, and saved pages hold their script.

Altair's own charts fetch their script from a public host when they are shown. These are the same
charts, and what is composed of them is too; how other charts are shown is not changed.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import altair as alt

from singleout.core.wording import number_marks

__all__ = ["drawn_offline", "offline"]

_PPI = 144  # twice what a picture of the same size has on most screens
_SCALE = _PPI / 72
# the menu of a saved page: none of its entries sends the chart to a web page
_MENU = {"export": True, "source": False, "compiled": False, "editor": False}
_TAG = re.compile(r"<[^<>]+>")
_LOCAL_NAME = re.compile(r'(\s(?:id="|(?:xlink:)?href="#|[a-z-]+="url\(#))')

AnyChart = TypeVar("AnyChart")
P = ParamSpec("P")


class _HarmlessInScripts(json.JSONEncoder):
    """JSON that is safe within a script element: a column may be called ``</script>``."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c")


if TYPE_CHECKING:
    _Base = alt.TopLevelMixin
else:
    _Base = object  # altair goes through the direct subclasses of its own base when it reads charts


class _Offline(_Base):
    """What differs from a chart of altair: how it is shown, saved and composed."""

    def _repr_mimebundle_(self, *args: Any, **kwds: Any) -> Any:
        """Return the picture for a notebook; a renderer that the user has chosen goes first."""
        if alt.renderers.active != "default":
            return super()._repr_mimebundle_(*args, **kwds)
        png = self._drawn("png", ppi=_PPI)
        width, height = struct.unpack(">II", png[16:24])
        shows = "\n".join(_titles(self.to_dict())) or repr(self)
        bundle = {
            "image/svg+xml": _with_own_names(self._drawn("svg").decode()),
            # a notebook that is not trusted shows no SVG
            "image/png": base64.b64encode(png).decode("ascii"),
            "text/plain": shows,
        }
        size = {"width": round(width / _SCALE), "height": round(height / _SCALE)}
        return bundle, {"image/svg+xml": {"alt": shows}, "image/png": {"alt": shows, **size}}

    def to_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Return the chart as Vega-Lite, with the marks of numbers in the language spoken now."""
        spec: dict[str, Any] = super().to_dict(*args, **kwargs)
        marks = number_marks()
        if marks and "$schema" in spec:  # a chart within another has no settings of its own
            spec["config"] = {**spec.get("config", {}), "locale": {"number": marks}}
        return spec

    def _drawn(self, kind: str, **options: Any) -> bytes:
        stream: io.BytesIO | io.StringIO = io.StringIO() if kind == "svg" else io.BytesIO()
        self.save(stream, kind, **options)
        drawn = stream.getvalue()
        return drawn.encode() if isinstance(drawn, str) else drawn

    def save(
        self,
        fp: str | Path | IO[Any],
        format: Any = None,  # noqa: A002
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Save the chart; a page holds all that it needs unless ``inline=False``."""
        if format == "html" or (format is None and str(fp).endswith(".html")):
            kwargs = _as_a_page(kwargs)
        super().save(fp, format, *args, **kwargs)

    def to_html(self, *args: Any, **kwargs: Any) -> str:
        """Return a page that holds all that it needs unless ``inline=False``."""
        return super().to_html(*args, **_as_a_page(kwargs))

    def __add__(self, other: Any) -> Any:
        return offline(super().__add__(other))

    def __and__(self, other: Any) -> Any:
        return offline(super().__and__(other))

    def __or__(self, other: Any) -> Any:
        return offline(super().__or__(other))

    def facet(self, *args: Any, **kwargs: Any) -> Any:
        """Return a facet of the chart, which needs no network either."""
        return offline(super().facet(*args, **kwargs))  # type: ignore[misc]

    def repeat(self, *args: Any, **kwargs: Any) -> Any:
        """Return the chart repeated, which needs no network either."""
        return offline(super().repeat(*args, **kwargs))


def _subclass(kind: type) -> type:
    return type(kind.__name__, (_Offline, kind), {"__module__": __name__, "__doc__": kind.__doc__})


# by altair's name, so that a chart still prints, and is found again by pickle, under it
Chart = _subclass(alt.Chart)
LayerChart = _subclass(alt.LayerChart)
FacetChart = _subclass(alt.FacetChart)
RepeatChart = _subclass(alt.RepeatChart)
ConcatChart = _subclass(alt.ConcatChart)
HConcatChart = _subclass(alt.HConcatChart)
VConcatChart = _subclass(alt.VConcatChart)
_KINDS = {
    kind.__mro__[2]: kind
    for kind in (
        *(Chart, LayerChart, FacetChart, RepeatChart),
        *(ConcatChart, HConcatChart, VConcatChart),
    )
}


def offline(chart: AnyChart) -> AnyChart:
    """Return a chart of altair as one that is shown and saved without a network."""
    kind = _KINDS.get(type(chart))
    if kind is None:
        return chart
    same = cast(Any, chart)  # as altair copies a chart
    return cast(AnyChart, kind(*same._args, **same._kwds))


def drawn_offline(draw: Callable[P, AnyChart]) -> Callable[P, AnyChart]:
    """Make a function that returns a chart return one that needs no network."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> AnyChart:
        return offline(draw(*args, **kwargs))

    return drawn


def _as_a_page(options: Mapping[str, Any]) -> dict[str, Any]:
    embed = options.get("embed_options") or {}
    return {
        "inline": True,
        **options,
        "json_kwds": {"cls": _HarmlessInScripts, **(options.get("json_kwds") or {})},
        "embed_options": {"actions": _MENU, **embed},
    }


def _with_own_names(svg: str) -> str:
    """Return a drawing with unique identifiers: a notebook puts many drawings into one page."""
    own = hashlib.sha256(svg.encode()).hexdigest()[:8]
    return _TAG.sub(lambda tag: _LOCAL_NAME.sub(rf"\g<1>s{own}-", tag[0]), svg)


def _titles(spec: Mapping[str, Any]) -> Iterator[str]:
    """Yield the titles of the panels of a chart."""
    title = spec.get("title")
    if title:
        yield title if isinstance(title, str) else str(title["text"])
    for way in ("vconcat", "hconcat", "concat"):
        for panel in spec.get(way, ()):
            yield from _titles(panel)
