"""QaR in an assessment: its options in a plan, how much of a table it looks at, its section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, model_validator

from singleout.core.wording import count, figure, stated_percent
from singleout.io.yaml.errors import Mistake
from singleout.methods.effort import affordable, unless_too_large
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Count, Share
from singleout.methods.options import Part as Options
from singleout.methods.qar.pareto import Estimator
from singleout.report.content import Message, Paragraph, Part, ReportTable, Section
from singleout.report.say import say, term
from singleout.report.schema import SHARE, TEXTS, or_none, record
from singleout.report.words import figures, shortened, table

if TYPE_CHECKING:
    from singleout.methods.qar.contribution_result import RecordContributions
    from singleout.methods.qar.result import DatasetRisk

__all__ = ["METHOD", "combined", "why_not"]

_MOST_FOR_QAR = 4_000_000_000  # records x combinations: about ten seconds on two cores
_WORST = 10  # combinations in a table and in JSON


class QarPlan(Options):
    """How the risk of the whole table is measured."""

    enabled: bool = Field(default=True, description="Whether to measure it.")
    size: Count = Field(default=3, description="How many columns a combination has.")
    alpha: Annotated[Share, Field(gt=0, lt=1)] = Field(
        default=0.01, description="The share of the combinations that exceed the risk."
    )
    tail: Annotated[Share, Field(gt=0, lt=1)] = Field(
        default=0.05, description="The share of the combinations that the fit rests on."
    )
    estimator: Estimator = Field(default=Estimator.PLOTTING, description="How the tail is fitted.")
    cost_per_record: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        default=None, description="What one re-identified record costs; assumed, in any currency."
    )
    probability: Share = Field(
        default=1.0, description="The chance of an attack within the period; assumed."
    )

    @model_validator(mode="after")
    def _within_the_tail(self) -> QarPlan:
        if self.alpha > self.tail:
            raise Mistake(
                ("alpha",),
                f"alpha is {self.alpha} and tail is {self.tail}; the risk is estimated within the "
                "tail, so alpha must not be larger.",
            )
        return self


# ---- also for the contributions of records, which are measured in the same way


def why_not(context: Context) -> str | None:
    """Return why neither QaR nor contributions can be measured; None if they can."""
    asked: QarPlan = context.options[METHOD.name]
    if not context.has_groups:
        return say("qar.no_groups")
    if len(context.known) < asked.size:
        return say("qar.few_columns", n=len(context.known), size=asked.size)
    return None


def combined(
    context: Context, method: str, most: int
) -> tuple[list[str], tuple[str, ...], dict[str, Any]]:
    """Return the columns to combine, notes on those left out, and the other arguments.

    ``most`` is how much work is affordable: records times combinations.
    """
    from singleout.methods.qar.question import MAX_COMBINATIONS

    asked: QarPlan = context.options[METHOD.name]
    most = min(most // context.table.rows, MAX_COMBINATIONS)
    names, notes = affordable(context.table, context.known, method, asked.size, most=most)
    how = {"size": asked.size, "alpha": asked.alpha, "tail": asked.tail}
    return names, notes, {**how, "estimator": str(asked.estimator)}


# ---- the method


class _Qar(Method):
    """The risk of the whole table."""

    name = "qar"
    options = QarPlan
    about = "The risk of the whole table."
    example = "{size: 3, alpha: 0.01, tail: 0.05, estimator: plotting}"
    uses = ("contributions",)  # which count the same combinations
    plan_order = 1
    report_order = 3
    schema = or_none(
        record({"risk": {"type": "number"}, "alpha": SHARE, "columns": TEXTS}),
        "The risk of the table by QaR; null if it was not measured.",
    )

    def measure(self, context: Context) -> Measured:
        """Fit the tail of all combinations, or of as many as can be counted in reasonable time."""
        from singleout.methods.qar.function import qar

        asked: QarPlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        reason = why_not(context)
        if reason is not None:
            return Measured(None, (reason,))
        names, notes, how = combined(context, self.name, _MOST_FOR_QAR)
        counted: RecordContributions | None = context.measured["contributions"].result
        if counted is not None and counted.dataset.columns == tuple(names):
            return Measured(counted.dataset, notes)
        return unless_too_large(self.name, notes, lambda: qar(context.table, names, **how))

    def section(self, measured: Measured, options: Any) -> Section:
        """Return the risk of the table with its fit, or why it was not measured."""
        result: DatasetRisk | None = measured.result
        if result is None:
            return Section(self.name, say("qar.title"), (self.nothing(measured, options),))
        parts: list[Part] = [Paragraph(_in_words(result))]
        if result.warnings:
            parts.append(Message(say("report.warnings"), result.warnings, urgent=True))
        if measured.notes:
            parts.append(Message(say("report.notes"), measured.notes))
        parts += [_fit(result), _worst(result), *figures(result.plot, self.name)]
        parts += _exposure(result, options)
        return Section(self.name, say("qar.title"), tuple(parts))

    def headline(self, result: DatasetRisk) -> tuple[tuple[str, str], ...]:
        """Return T, unless it is a fit that its own warning says not to rely on; 1 is no fit."""
        if result.risk < 1 and result.warnings:
            return ()
        return ((say("qar.figure"), f"T = {result.risk:.4f}"),)

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what the risk of the table is."""
        return (term("qar.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return (say("qar.source"),)

    def sentences(self, result: DatasetRisk) -> tuple[str, ...]:
        """Return the risk in a sentence."""
        return (f"{result}.",)

    def cautions(self, result: DatasetRisk) -> tuple[str, ...]:
        """Return what is wrong with the fit; at 1 nothing was fitted that could be wrong."""
        if result.risk == 1:
            return ()
        return tuple(say("qar.warnings.on_risk", warning=text) for text in result.warnings)

    def to_json(self, result: DatasetRisk) -> dict[str, Any]:
        """Return the risk, its fit and the worst combinations."""
        return result.to_dict(top=_WORST)

    def numbers(self, result: DatasetRisk) -> tuple[Number, ...]:
        """Return T."""
        # with more records, fewer of them are alone in their group, whoever they are
        return (Number("qar", say("qar.number"), "share", result.risk, at_equal_records=True),)

    def columns(self, result: DatasetRisk) -> tuple[str, ...]:
        """Return the columns that were combined."""
        return result.columns


METHOD = _Qar()


# ---- the section


def _in_words(result: DatasetRisk) -> str:
    from singleout.methods.qar.result import groups_per_100

    return say(
        "qar.says" if result.risk < 1 else "qar.all",
        risk=figure(result.risk, ".4f"),
        alpha=stated_percent(result.alpha),
        combinations=count(result.combinations),
        size=count(result.size),
        groups=groups_per_100(result.risk),
    )


def _fit(result: DatasetRisk) -> ReportTable:
    nothing = say("qar.nothing_fitted")
    interval = nothing
    if result.interval is not None:
        interval = " – ".join(figure(limit, ".4f") for limit in result.interval)
    rows = (
        (say("qar.interval"), interval),
        (say("qar.empirical"), figure(result.empirical, ".4f")),
        (say("qar.threshold"), figure(result.threshold, ".4f")),
        (say("qar.exceedances"), count(result.exceedances)),
        (say("qar.shape"), nothing if result.shape is None else figure(result.shape, ".4f")),
        (say("qar.scale"), nothing if result.scale is None else figure(result.scale, ".4f")),
        (say("qar.estimator"), str(result.fit.estimator)),
    )
    return table("qar.caption", {"report.quantity": "text", "report.value": "number"}, rows)


def _exposure(result: DatasetRisk, options: QarPlan) -> list[Part]:
    """Return what a disclosure could cost, if the plan says what a record costs."""
    if options.cost_per_record is None:
        return []
    found = result.exposure(options.cost_per_record, options.probability)
    heads = {
        "qar.exposure.figure": "text",
        "qar.exposure.records": "number",
        "qar.exposure.loss": "number",
    }
    rows = [
        (name, count(round(number)), figure(loss, ",.0f")) for name, number, loss in found.rows()
    ]
    return [
        Message(say("qar.exposure.title"), (found.assumption,)),
        table("qar.exposure.caption", heads, rows),
        *figures(found.plot, "exposure"),
    ]


def _worst(result: DatasetRisk) -> ReportTable:
    return table(
        "qar.worst_caption",
        {"report.combination": "text", "report.distinct": "number", "report.theta": "number"},
        (
            (shortened(row["columns"]), count(row["distinct"]), figure(row["theta"], ".4f"))
            for row in result.combinations_ranked.head(_WORST).to_dicts()
        ),
    )
