"""Charts as SVG inside a page: drawn without a network, checked element by element, named.

A drawing is taken apart and put together again from elements and attributes that can only draw, so
that nothing in it can run or fetch, whatever the data hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from singleout.core.text import printable
from singleout.errors import UnusableTable
from singleout.report.letters import FONT, fix_widths

__all__ = ["Picture", "panels", "picture"]

_SPACE = "http://www.w3.org/2000/svg"
_ELEMENTS = frozenset(
    ["svg", "g", "path", "line", "rect", "circle", "text", "tspan", "defs", "clipPath"]
)
_ATTRIBUTES = frozenset(
    [
        *("clip-path", "display", "id", "opacity", "transform", "viewBox"),
        *("cx", "cy", "d", "dx", "dy", "r", "rx", "ry", "x", "x1", "x2", "y", "y1", "y2"),
        *("width", "height", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity"),
        *("stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin"),
        *("stroke-miterlimit", "font-family", "font-size", "font-style", "font-weight"),
        "text-anchor",
    ]
)
_LOCAL_REFERENCE = re.compile(r"url\(#([\w-]+)\)")


@dataclass(frozen=True)
class Picture:
    """A drawing to be put into a page."""

    svg: str  # safe as it is
    title: str
    description: str  # for who cannot see it, and as a line below the title


def panels(chart: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the panels of a Vega-Lite chart that stand below each other, each as a chart."""
    if "vconcat" not in chart:
        yield dict(chart)
        return
    # the data stand above the panels where all have the same
    kept = ("$schema", "config", "data", "datasets")
    shared = {key: chart[key] for key in kept if key in chart}
    for panel in chart["vconcat"]:
        yield {**shared, **panel}


def picture(chart: Mapping[str, Any], name: str) -> Picture:
    """Return a Vega-Lite chart as a picture; its title becomes the caption.

    ``name`` prefixes the identifiers inside the drawing, so no other picture of the page may have
    it.
    """
    import vl_convert

    spec = _printable(deepcopy(dict(chart)))
    title, description = _words(spec.pop("title", ""))
    spec["config"] = _config(spec.get("config", {}))
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return Picture(_made_safe(drawn, name, title, description), title, description)


def _config(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a chart is drawn in a page."""
    # labels nearer than that are left out: fonts of readers may be wider
    axis = {
        "labelFontSize": 11,
        "labelSeparation": 6,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    # without a background it lies on that of the page; marks are described by the caption
    fixed = {"font": FONT, "aria": False, "background": None}
    return {**given, "axis": {**axis, **given.get("axis", {})}, **fixed}


def _words(title: Any) -> tuple[str, str]:
    """Return the title and the subtitle of a chart."""
    if isinstance(title, str):
        return title, ""
    below = title.get("subtitle", "")
    return str(title["text"]), below if isinstance(below, str) else "; ".join(below)


def _printable(spec: Any) -> Any:
    """Return the chart with all its texts made safe to show."""
    if isinstance(spec, str):
        return printable(spec)
    if isinstance(spec, list):
        return [_printable(part) for part in spec]
    if isinstance(spec, dict):
        return {key: _printable(part) for key, part in spec.items()}
    return spec


# ---- checking a drawing


def _made_safe(drawn: str, name: str, title: str, description: str) -> str:
    """Return the drawing with allowed elements only, a title, and prefixed identifiers."""
    ElementTree.register_namespace("", _SPACE)
    root = ElementTree.fromstring(drawn)
    _check(root, name)
    fix_widths(root)
    heading = ElementTree.Element(f"{{{_SPACE}}}title", id=f"{name}-title")
    heading.text = title
    root.insert(0, heading)
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title")
    if description:
        below = ElementTree.Element(f"{{{_SPACE}}}desc", id=f"{name}-desc")
        below.text = description
        root.insert(1, below)
        root.set("aria-describedby", f"{name}-desc")
    return ElementTree.tostring(root, encoding="unicode")


def _check(element: ElementTree.Element, name: str) -> None:
    kind = element.tag.removeprefix(f"{{{_SPACE}}}")
    if kind not in _ELEMENTS:
        raise UnusableTable(
            f"A picture cannot be put into the report: it holds the element {printable(kind)!r}, "
            "which may do more than draw."
        )
    for attribute, value in list(element.attrib.items()):
        if attribute not in _ATTRIBUTES:
            del element.attrib[attribute]
        elif attribute == "id":
            element.set(attribute, f"{name}-{value}")
        elif "url(" in value:
            local = _LOCAL_REFERENCE.fullmatch(value)
            element.set(attribute, f"url(#{name}-{local[1]})" if local else "none")
    for child in element:
        _check(child, name)
