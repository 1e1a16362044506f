"""The measures of the page Explore, as jobs or as quick questions: text, tables and charts of each.

The text and the tables are those of the report; its pictures are replaced by charts that move.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from singleout.core.language import LANGUAGES, speaking
from singleout.report.content import Facts, Message, Paragraph, Part, ReportTable
from singleout.report.say import say, term
from singleout.web.charts import chart_text
from singleout.web.opening import opened
from singleout.web.work import Task

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["explore", "sets"]

_PLAIN = (Paragraph, Message, Facts, ReportTable)
_OF_RECORDS = ("contributions", "eliminate")  # views that speak of the terms of single records
_SECTIONS = {
    "sets": "singleout.methods.anonymity.section",
    "suda": "singleout.methods.suda.section",
    "risk": "singleout.methods.qar.section",
    "contributions": "singleout.methods.qar.contribution_section",
    "population": "singleout.methods.population.section",
    "diversity": "singleout.methods.diversity.section",
}


def explore(
    task: Task, view: str, columns: Sequence[str], options: Mapping[str, Any], records: bool
) -> dict[str, Any]:
    """Measure what a view shows, in a process of its own."""
    source = task.workspace.source
    assert source is not None
    with opened(source) as counter:
        result, listed = _measured(counter, view, columns, options, records=records)
    said = {}
    for code in LANGUAGES:  # whoever switches the language afterwards finds the same
        with speaking(code):
            said[code] = _shown(view, result, listed, records=records)
    return {"columns": list(columns), "options": dict(options), "said": said}


def sets(held: Held, columns: Sequence[str]) -> dict[str, Any]:
    """Return the anonymity sets of some columns, from the table that is held."""
    result, _ = _measured(held.counter(), "sets", columns, {}, records=False)
    return _shown("sets", result, None, records=False)


def _measured(
    data: Any, view: str, columns: Sequence[str], options: Mapping[str, Any], *, records: bool
) -> tuple[Any, Any]:
    """Return the result of a view, and for SUDA that which its lists are made of."""
    from singleout.web.exploring.linked import MOST_LISTED
    from singleout.web.exploring.views import view_named

    asked = view_named(view)
    given = {name: None if value == "all" else value for name, value in options.items()}
    function = getattr(import_module("singleout"), asked.function)
    result = function(data, **{asked.columns: list(columns)}, **given)
    if view != "suda" or not records or result.counts_by_size.sum() > MOST_LISTED:
        return result, result
    given |= {"max_size": result.max_size, "list_uniques": True}
    return result, function(data, **{asked.columns: list(columns)}, **given)


def _shown(view: str, result: Any, listed: Any, *, records: bool) -> dict[str, Any]:
    """Return what a view shows, as plain values in the language spoken now.

    Parameters
    ----------
    view
        Its name.
    result, listed
        What was measured.
    records
        Whether single records may be shown.
    """
    from singleout.web.exploring.brushing import brushed

    if view == "eliminate":
        return _eliminated(view, result)
    parts = _parts(view, result)
    if view == "suda":  # its lists say more than the report's tables
        parts = [one for one in parts if not isinstance(one, ReportTable)]
    shown: dict[str, Any] = {
        "parts": plain(parts),
        "charts": [],
        "terms": _terms(view),
        "brushed": view == "contributions",
    }
    if view == "contributions":
        shown["charts"].append(chart_text(brushed(result)))
        if records:
            shown["parts"] += plain([_top_records(result)])
    if _has_picture(view, result):
        shown["charts"].append(chart_text(result.plot()))
    if view == "suda":
        from singleout.web.exploring.linked import lists

        shown["lists"] = lists(listed, records=records)
    return shown


def plain(parts: Iterable[Part]) -> list[dict[str, Any]]:
    """Return parts of a report as plain values; pictures are left out."""
    return [{**asdict(one), "part": one.part} for one in parts if isinstance(one, _PLAIN)]


def _parts(view: str, result: Any) -> Sequence[Part]:
    from singleout.methods.method import Measured
    from singleout.report.words import without_pictures

    method = import_module(_SECTIONS[view]).METHOD
    options = None if method.options is None else method.options()
    with without_pictures():
        section = method.section(Measured(result), options)
    if section is None:  # it has no section of its own in a report
        return [Paragraph(say("report.sentence", text=str(result)))]
    parts: Sequence[Part] = section.parts
    return parts


def _has_picture(view: str, result: Any) -> bool:
    return view != "sets" or bool(result.has_sets and result.records)


def _top_records(result: Any) -> ReportTable:
    from singleout.core.wording import count, in_figures
    from singleout.report.words import table

    heads = {
        "report.record": "number",
        "web.explore.contribution": "number",
        "report.because": "text",
    }
    rows = [
        (count(row["record"]), in_figures(row["contribution"]), str(row["unique_for"]))
        for row in result.top(20).to_dicts()
    ]
    return table("web.explore.top_records", heads, rows)


def _eliminated(view: str, results: Any) -> dict[str, Any]:
    """Return the curves of one criterion or of several."""
    from singleout.treatment.result import draw

    found = results if isinstance(results, list) else [results]
    parts: list[Part] = [Paragraph(say("report.sentence", text=str(one))) for one in found]
    notes = tuple(dict.fromkeys(str(note) for one in found for note in one.notes))
    if notes:
        parts.append(Message(say("report.notes"), notes))
    return {
        "parts": plain(parts),
        "charts": [chart_text(draw(found))],
        "terms": _terms(view),
        "brushed": False,
    }


def _terms(view: str) -> list[tuple[str, str]]:
    """Return the terms of the trade in what a view shows, with what they mean."""
    terms = import_module(_SECTIONS["risk" if view in _OF_RECORDS else view]).METHOD.terms()
    if view in _OF_RECORDS:
        more = ("contribution", "uniqueness_plus", "uniqueness_star")
        terms = (*terms, *(term(f"web.explore.terms.{name}") for name in more))
    return [(str(name), str(meant)) for name, meant in terms]
