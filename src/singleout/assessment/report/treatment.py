"""What a treatment did, in a report: the verdict before and after, the steps, their cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from singleout.assessment.report.levels import risk_in_words
from singleout.core.wording import count, figure, in_figures, percent
from singleout.report.content import Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say
from singleout.report.words import figures, first_of, head, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.result import Assessment
    from singleout.assessment.suggest.result import Suggestion
    from singleout.assessment.treated.treated import Treated

__all__ = ["treatment_section"]

_COLUMNS = 20


def treatment_section(
    treated: Treated, comparison: Comparison, suggestion: Suggestion | None = None
) -> Section:
    """Return what was done to the table, what it brought, and what each column lost."""
    parts: list[Part] = [Paragraph(str(treated if suggestion is None else suggestion))]
    if treated.sentences:
        done = say("report.treatment.done")
        parts.append(Message(done, treated.sentences, numbered=len(treated.sentences) > 1))
    parts += [_states(treated, comparison), *_columns(treated), *figures(treated.plot, "treated")]
    if suggestion is not None:
        parts += [_frontier(suggestion), *figures(suggestion.plot, "frontier")]
    notes = (*treated.notes, *(() if suggestion is None else suggestion.notes))
    if notes:
        parts.append(Message(say("report.notes"), tuple(dict.fromkeys(notes))))
    return Section("treatment", say("report.treatment.title"), tuple(parts))


def _states(treated: Treated, comparison: Comparison) -> ReportTable:
    loss = treated.loss
    before, after = _state(comparison.before), _state(comparison.after)
    missing = say("report.not_said")
    rows = [
        (say(f"report.treatment.{name}"), value, after.get(name, missing))
        for name, value in before.items()
    ]
    if loss is not None:
        rows.append((say("report.treatment.loss"), percent(0.0), percent(loss.loss)))
    return ReportTable(
        say("report.treatment.states"),
        (head("report.measure"), head("report.before", "number"), head("report.after", "number")),
        tuple(rows),
    )


def _state(found: Assessment) -> dict[str, str]:
    sets, risks = found.anonymity, found.record_risks
    rated = len(risks.record)
    return {
        "verdict": risk_in_words(found.level),
        "at_risk": _part(risks.at_risk, rated),
        "k": count(sets.k),
        "unique": _part(sets.unique, sets.records),
        "qar": say("report.not_said") if found.qar is None else in_figures(found.qar.risk, 4),
        "records": count(found.facts.rows),
        **_at_stake(found),
    }


def _at_stake(found: Assessment) -> dict[str, str]:
    """Return what a disclosure could cost, if the plan says what a record costs."""
    asked = found.plan.methods.qar
    if found.qar is None or asked is None or asked.cost_per_record is None:
        return {}
    stake = found.qar.exposure(asked.cost_per_record, asked.probability)
    return {
        "expected_loss": figure(stake.expected_loss, ",.0f"),
        "tail_loss": figure(stake.tail_loss, ",.0f"),
    }


def _part(part: int, whole: int) -> str:
    return say("report.share_of", part=count(part), share=percent(part / whole if whole else 0.0))


def _columns(treated: Treated) -> Iterator[Part]:
    """Yield what each column that others can know lost, the most first."""
    loss = treated.loss
    if loss is None:
        return
    ordered = sorted(loss.columns, key=lambda column: -column.loss)
    shown, more = first_of(ordered, _COLUMNS)
    heads = (
        head("report.column"),
        head("report.treatment.column_loss", "number"),
        head("report.treatment.blank", "number"),
        head("report.treatment.values_before", "number"),
        head("report.treatment.values_after", "number"),
    )
    rows = tuple(
        (
            shortened(column.name),
            percent(column.loss),
            percent(column.blank),
            count(int((treated.original[column.name].sizes > 0).sum())),
            _values(treated, column.name),
        )
        for column in shown
    )
    yield ReportTable(say("report.treatment.columns"), heads, rows, below=more)


def _values(treated: Treated, name: str) -> str:
    if name not in treated.table.columns:
        return say("report.treatment.left_out")
    return count(int((treated.table[name].sizes > 0).sum()))


def _frontier(suggestion: Suggestion) -> ReportTable:
    heads = (
        head("report.smallest_set", "number"),
        head("report.treatment.column_loss", "number"),
        head("report.treatment.suppressed", "number"),
        head("report.figure_risk"),
        head("report.at_risk_share", "number"),
        head("report.treatment.met"),
    )
    rows = []
    for trial in suggestion.trials:
        kind = trial.kind(suggestion.best)
        rows.append(
            (
                count(trial.state.k),
                percent(trial.treatment.loss),
                count(trial.treatment.suppressed),
                risk_in_words(trial.state.highest_risk),
                percent(trial.state.records_at_risk),
                say(f"suggest.chart.{kind}"),
            )
        )
    return ReportTable(say("report.treatment.frontier"), heads, tuple(rows))
