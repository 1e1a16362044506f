"""A comparison of two versions in a report: every measure before and after, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from singleout.assessment.rating.scales import Exposure
from singleout.assessment.report.levels import risk_range
from singleout.core.wording import count, figure, in_figures, percent
from singleout.methods.levels import level_names
from singleout.report.content import (
    Facts,
    Heading,
    Message,
    Paragraph,
    Part,
    ReportTable,
    Section,
)
from singleout.report.say import say
from singleout.report.words import figures, first_of, head, listed, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.attributes import AttributeChange
    from singleout.assessment.comparison.result import Change, Comparison

__all__ = ["comparison_section", "pays_in_words"]

_ATTRIBUTES = 60  # shown


def comparison_section(comparison: Comparison) -> Section:
    """Return the measures of two versions side by side; the report is about the version after."""
    facts = comparison.before.facts
    versions = [
        (say("report.before"), shortened(facts.source)),
        (say("report.sha256_before"), facts.sha256 or say("report.no_file")),
        (say("report.after"), shortened(comparison.after.facts.source)),
    ]
    for title, names in (
        (say("report.columns_lost"), comparison.columns_lost),
        (say("report.columns_added"), comparison.columns_added),
    ):
        if names:
            versions.append((title, listed(names)))
    achieved = [change for change in comparison.changes if not change.is_cost]
    cost = [change for change in comparison.changes if change.is_cost]
    parts: list[Part] = [Paragraph(comparison.verdict), Facts(tuple(versions))]
    if comparison.notes:
        parts.append(Message(say("report.notes"), comparison.notes))
    parts += [
        _table(say("report.comparison_caption"), achieved),
        _table(say("report.cost_caption"), cost),
    ]
    parts += figures(comparison.plot, "comparison")
    parts += _attributes(comparison)
    return Section("comparison", say("report.comparison"), tuple(parts))


# ---- attribute by attribute


def _attributes(comparison: Comparison) -> Iterator[Part]:
    """Yield the attributes before and after, and which were degraded for nothing."""
    changes = comparison.attributes
    if not changes:
        return
    yield Heading(say("report.by_attribute"))
    if comparison.on_attributes:
        yield Message(say("report.not_worth"), (comparison.on_attributes,))
    shown, below = first_of(changes, _ATTRIBUTES)
    steps = ("report.inference", "report.exploitability", "report.risk")
    yield ReportTable(
        say("report.by_attribute_caption"),
        (
            head("report.attribute"),
            head("report.learnt"),
            head("report.exposure"),
            head("report.different_values", "number"),
            head("report.rate_of_attribute", "number"),
            *(head(key) for key in steps),
            head("report.pays"),
        ),
        tuple(_attribute(change) for change in shown),
        below=below,
    )
    if any(one.before is not None and one.after is not None for one in changes):
        yield from figures(comparison.plot_attributes, "attributes")


def _attribute(change: AttributeChange) -> tuple[str, ...]:
    rates = [
        None if row is None else figure(row.rate, ".3f") for row in (change.before, change.after)
    ]
    values = [None if held is None else count(held) for held in change.values]
    return (
        shortened(change.attribute),
        say("report.identity") if change.sensitive is None else shortened(change.sensitive),
        f"{change.exposure} {Exposure(change.exposure).name}",
        _arrow(values),
        _arrow(rates),
        *(
            _arrow([None if one is None else f"{one} {names[one - 1]}" for one in change.level(of)])
            for of, names in (
                ("inference", level_names("inference")),
                ("exploitability", level_names("exploitability")),
                ("risk", level_names("risk")),
            )
        ),
        pays_in_words(change),
    )


def _arrow(sides: Sequence[str | None]) -> str:
    before, after = (say("report.not_said") if side is None else side for side in sides)
    return before if before == after else say("report.from_to", before=before, after=after)


def pays_in_words(change: AttributeChange) -> str:
    """Return whether degrading an attribute pays, in a word or two."""
    if not change.degraded:
        return say("report.pays_as.untouched")
    if change.pays is None:
        return say("report.not_said")
    return say(f"report.pays_as.{'yes' if change.pays else 'no'}")


# ---- measures


def _table(caption: str, changes: Iterable[Change]) -> ReportTable:
    numbers = ("report.before", "report.after", "report.change")
    return ReportTable(
        caption,
        (
            head("report.measure"),
            *(head(key, "number") for key in numbers),
            head("report.effect"),
        ),
        tuple(
            (
                shortened(change.name),
                _shown(change.before, change, possible=change.possible[0]),
                _shown(change.after, change, possible=change.possible[1]),
                _shown(change.change, change, sign="+"),
                say(f"report.effects.{change.effect or 'none'}"),
            )
            for change in changes
        ),
    )


def _shown(value: float | None, change: Change, sign: str = "", possible: int | None = None) -> str:
    """Return a number as its unit asks for; a change with its sign."""
    if value is None:
        return say("report.not_said")
    if sign and round(value, 9) == 0:
        return "0"
    if str(change.unit) == "level":
        level = round(value)
        return _levels(level) if sign else risk_range(level, possible or level)
    if str(change.unit) == "count":
        return f"{round(value):{sign},}"
    if str(change.unit) == "share":
        return say("report.points", points=figure(100 * value, "+.1f")) if sign else percent(value)
    return in_figures(value, 5, sign=sign)


def _levels(change: int) -> str:
    """Return by how many levels the risk rises or falls."""
    return say("report.levels_higher" if change > 0 else "report.levels_lower", n=abs(change))
