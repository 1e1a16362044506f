"""The page of a report: plain content in, one HTML file out, the same bytes for the same content.

The page holds no script and fetches nothing: a content security policy says so to the browser.
Every text is escaped, and control characters are made visible.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from singleout.core.text import printable
from singleout.core.wording import count, percent
from singleout.report.content import Level, Report
from singleout.report.svg import Picture

__all__ = ["page", "page_environment"]

_JOINT = re.compile(r"([_+])(?=\w)")


def page(report: Report) -> str:
    """Return the report as HTML."""
    return page_environment().get_template("report.html.j2").render(report=report).lstrip()


def write_page(report: Report, file: Path) -> None:
    """Write the report as HTML: the content of a file."""
    file.write_text(page(report), encoding="utf-8", newline="\n")


@cache
def page_environment(*others: BaseLoader) -> Environment:
    """Return what makes pages of templates: those of reports, and those of other packages."""
    environment = Environment(
        loader=ChoiceLoader([*others, PackageLoader("singleout.report", ".")]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests["level"] = lambda cell: isinstance(cell, Level)
    environment.filters["drawing"] = _drawing
    environment.filters["percent"] = percent
    environment.filters["count"] = count
    environment.filters["breakable"] = _breakable
    environment.filters["lines"] = lambda text: str(text).splitlines()
    return environment


def _shown(value: Any) -> Any:
    """Return what an expression puts into the page: no control character gets through."""
    return value if isinstance(value, Markup | int | float) else printable(value)


def _breakable(value: Any) -> Markup:
    """Return a text that may break after the joints of a name, before it breaks anywhere."""
    return Markup(_JOINT.sub(r"\1<wbr>", str(escape(printable(value)))))


def _drawing(picture: Picture) -> Markup:
    # built from a list of harmless elements, with its texts escaped
    return Markup(picture.svg)
