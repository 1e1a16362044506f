"""The risk of a table as a result to look at: T(p, alpha), its fit, its interval, its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, combinations, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share, whole
from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result, read_only
from singleout.core.wording import figure, stated_percent
from singleout.methods.qar.measure import Tail, TailFit, fit, risk_at
from singleout.methods.qar.pareto import Estimator, excess_at, fit_moments, ordered_draws
from singleout.methods.qar.sketched import sketch_interval
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.methods.qar.exposure import RiskExposure

__all__ = ["DatasetRisk", "combination_name", "draw", "groups_per_100"]

_LEAST_ALPHA, _CURVE_POINTS = 0.001, 25  # of the curve of T
_DRAWS_AT_ONCE = 1 << 21  # of the bootstrap, so that its memory does not grow with the table


@dataclass(frozen=True, eq=False)
class DatasetRisk(Result):
    """The risk of a table: T(p, alpha), what it was estimated from, and how far to trust it.

    Parameters
    ----------
    columns
        The columns that were combined.
    size
        p: how many columns a combination has.
    records
        L: how many records were counted; those dropped are not among them.
    distinct
        H: how many distinct values each combination takes, in lexicographic order of the columns.
    alpha
        The share of the combinations that exceed the risk.
    tail
        The share of the combinations that the distribution is fitted to.
    estimator
        The one asked for.
    missing
        What a missing value meant.
    dropped
        Records left out because a value is missing (policy ``drop``).
    notes
        What a reader should know, one sentence each.
    relative_error
        The relative standard error of the distinct counts, where they are estimates; 0 if they are
        exact.
    """

    columns: tuple[str, ...]
    size: int
    records: int
    distinct: I64 = field(repr=False)
    alpha: float = 0.01
    tail: float = 0.05
    estimator: Estimator = Estimator.PLOTTING
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    notes: tuple[str, ...] = ()
    relative_error: float = 0.0

    def __post_init__(self) -> None:
        read_only(self.distinct)

    @cached_property
    def fit(self) -> TailFit:
        """The risk and the distribution that gave it."""
        return self._at(self.alpha)

    @property
    def risk(self) -> float:
        """T: the estimated theta that a share alpha of the combinations exceed."""
        return self.fit.risk

    @property
    def empirical(self) -> float:
        """The same quantile of the thetas themselves (type 8), without a fit."""
        return self.fit.empirical

    @property
    def threshold(self) -> float:
        """The theta above which the distribution is fitted: u."""
        return self.fit.threshold

    @property
    def exceedances(self) -> int:
        """How many combinations lie above the threshold: m."""
        return self.fit.exceedances

    @property
    def shape(self) -> float | None:
        """The shape of the fitted distribution; None if none was fitted."""
        return self.fit.shape

    @property
    def scale(self) -> float | None:
        """The scale of the fitted distribution; None if none was fitted."""
        return self.fit.scale

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the risk may not be trusted, one sentence each."""
        if self.count_interval is None:
            return self.fit.warnings
        low, high = self.count_interval
        error = stated_percent(self.relative_error)
        return (
            *self.fit.warnings,
            say("qar.warnings.estimated_counts", error=error, low=low, high=high),
        )

    @property
    def combinations(self) -> int:
        """How many combinations of columns there are."""
        return len(self.distinct)

    @property
    def theta(self) -> F64:
        """The risk of each combination: distinct values / records, in lexicographic order."""
        return self.distinct / self.records

    @property
    def worst(self) -> tuple[str, ...]:
        """The columns of the combination with the largest theta; the first if there are several."""
        number = int(self.distinct.argmax())
        return next(islice(combinations(self.columns, self.size), number, None))

    @cached_property
    def combinations_ranked(self) -> pl.DataFrame:
        r"""All combinations, worst first: columns (``A+B+C``), distinct, theta.

        A plus sign within a name is written ``\+``, as on the command line.
        """
        from singleout.core.frames import pl

        worst_first = np.argsort(-self.distinct, kind="stable")
        members = np.fromiter(
            chain.from_iterable(combinations(range(len(self.columns)), self.size)),
            dtype=np.int32,
            count=self.combinations * self.size,
        ).reshape(-1, self.size)[worst_first]
        written = pl.Series([combination_name([name]) for name in self.columns], dtype=pl.String)
        parts = [written.gather(column) for column in members.T]
        joined = pl.select(pl.concat_str(parts, separator="+").alias("columns"))
        distinct = self.distinct[worst_first]
        return joined.with_columns(
            pl.Series("distinct", distinct), pl.Series("theta", distinct / self.records)
        )

    # ---- how sure it is

    @cached_property
    def interval(self) -> tuple[float, float] | None:
        """A 95 % interval of the fit to these columns, not of other columns.

        See `confidence_interval`.
        """
        return self.confidence_interval()

    @cached_property
    def count_interval(self) -> tuple[float, float] | None:
        """The range of risks that exact counts would give in 95 % of cases.

        None if the counts are exact.
        """
        return self._carried(0.95) if self.relative_error else None

    def _carried(self, level: float) -> tuple[float, float]:
        return sketch_interval(
            self.distinct,
            self.relative_error,
            self.records,
            alpha=self.alpha,
            tail=self.tail,
            estimator=self.estimator,
            level=level,
        )

    def confidence_interval(
        self,
        level: float = 0.95,
        repeats: int = 1000,
        rng: np.random.Generator | int | None = None,
    ) -> tuple[float, float] | None:
        """Return an interval of the fit by parametric bootstrap; None if nothing was fitted.

        As many excesses as there are exceedances are drawn from the fitted distribution, and the
        risk is estimated from them in the same way, again and again. So it is an interval for what
        the fit would give if the same distribution had given other excesses: the error of fitting
        so few. It is none for other columns: the threshold stays where it is, and the combinations
        count as independent, though they share columns. Of samples of 14 of 22 columns, a quarter
        had intervals that held the risk of all 22. Where the counts are estimates, the interval
        is wider on both sides by as far as their error may carry the risk, and there is one
        without a fit too.

        Parameters
        ----------
        level
            The share of the draws that the interval holds, between 0 and 1.
        repeats
            How many times to draw.
        rng
            The source of chance, or a seed; if not given, the same for every call.
        """
        level, repeats = share(level, "level"), whole(repeats, "repeats")
        fitted = self._fitted_interval(level, repeats, rng)
        if not self.relative_error:
            return fitted
        low, high = self._carried(level)
        if fitted is None:
            return low, high
        return (
            max(0.0, fitted[0] - max(0.0, self.risk - low)),
            min(1.0, fitted[1] + max(0.0, high - self.risk)),
        )

    def _fitted_interval(
        self, level: float, repeats: int, rng: np.random.Generator | int | None
    ) -> tuple[float, float] | None:
        if self.shape is None or self.scale is None:
            return None
        source = np.random.default_rng(0 if rng is None else rng)
        at_once = max(1, _DRAWS_AT_ONCE // self.exceedances)
        level_of_threshold = self._top.level
        risks = []
        for begin in range(0, repeats, at_once):
            draws = min(at_once, repeats - begin)
            excesses = ordered_draws(self.shape, self.scale, self.exceedances, draws, source)
            shape, scale = fit_moments(excesses, self.fit.estimator)
            risks.append(risk_at(level_of_threshold, shape, scale, self.alpha, self.tail))
        low, high = np.quantile(np.concatenate(risks), [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    @property
    def _top(self) -> Tail:
        return Tail.of(np.sort(self.distinct), self.records, self.tail)

    # ---- what it would cost

    def by_alpha(self) -> pl.DataFrame:
        """Return T, and the quantile without a fit, for shares alpha from the tail to .001."""
        from singleout.core.frames import pl

        alphas = np.geomspace(self.tail, min(self.tail, _LEAST_ALPHA), _CURVE_POINTS)
        fits = [self._at(float(alpha)) for alpha in alphas]
        return pl.DataFrame(
            {
                "alpha": alphas,
                "risk": [each.risk for each in fits],
                "empirical": [each.empirical for each in fits],
            }
        )

    @framed
    def exposure(self, cost_per_record: float, probability: float = 1.0) -> RiskExposure:
        """Return the records at stake and what they would cost, under stated assumptions.

        The paper names insurance as a use and gives no formula: these figures are an assumption.

        Parameters
        ----------
        cost_per_record
            What one re-identified record costs, in any currency.
        probability
            The chance of an attack within the period that is insured.

        Examples
        --------
        >>> import singleout as so
        >>> risk = so.qar(so.demo(), ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "EDU"], size=2)
        >>> round(risk.exposure(cost_per_record=150, probability=0.02).expected_loss)
        486
        """
        from singleout.methods.qar.exposure import exposure_of

        return exposure_of(self, cost_per_record, probability)

    def _at(self, alpha: float) -> TailFit:
        return fit(
            self.distinct, self.records, alpha=alpha, tail=self.tail, estimator=self.estimator
        )

    # ---- ways to look at it

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined.

        Parameters
        ----------
        top
            How many of the worst combinations to give; all if not given.
        """
        worst = self.combinations_ranked
        shown = len(worst) if top is None else min(top, len(worst))
        return {
            **self._row(),
            "columns": list(self.columns),
            "interval": None if self.interval is None else list(self.interval),
            "interval_of": None if self.interval is None else say("qar.interval_of"),
            "count_interval": None if self.count_interval is None else list(self.count_interval),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
            "quasi_identifiers": worst.head(shown).to_dicts(),
        }

    def to_frame(self) -> Frame:
        """Return the summary as a polars frame of one row."""
        from singleout.core.frames import pl

        low, high = self.interval or (None, None)
        limits = {"interval_low": low, "interval_high": high}
        numbers = ("shape", "scale", *limits)
        return pl.DataFrame([self._row() | limits]).with_columns(pl.col(numbers).cast(pl.Float64))

    def _row(self) -> dict[str, Any]:
        return {
            "size": self.size,
            "alpha": self.alpha,
            "risk": self.risk,
            "empirical": self.empirical,
            "tail": self.tail,
            "threshold": self.threshold,
            "exceedances": self.exceedances,
            "shape": self.shape,
            "scale": self.scale,
            "estimator": str(self.fit.estimator),
            "combinations": self.combinations,
            "records": self.records,
            "dropped": self.dropped,
            "missing": str(self.missing),
            "relative_error": self.relative_error,
        }

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: theta with u and T; mean excess and QQ plot if there is a fit."""
        return draw([self])

    def _fitted_excesses(self) -> F64:
        """Return where the fitted distribution would have its m excesses."""
        if self.shape is None or self.scale is None:
            return np.empty(0)
        rank = np.arange(1, self.exceedances + 1)
        return excess_at(self.shape, self.scale, -np.log1p(-(rank - 0.5) / self.exceedances))

    def __str__(self) -> str:
        return say(
            "qar.summary" if self.risk < 1 else "qar.summary_all",
            size=self.size,
            alpha=stated_percent(self.alpha),
            risk=figure(self.risk, ".4f"),
            combinations=say("qar.combinations_of", n=self.size),
            groups=groups_per_100(self.risk),
        )


def draw(answers: Sequence[DatasetRisk], below: alt.Chart | None = None) -> alt.VConcatChart:
    """Return the pictures of answers that differ in alpha only, and so share their fit.

    ``below`` is one more picture, such as that of what is at stake.
    """
    from singleout.methods.qar.chart import DrawnThetas, pictures

    fitted = next((answer for answer in answers if answer.shape is not None), answers[0])
    return pictures(
        DrawnThetas(
            theta=fitted.theta,
            size=fitted.size,
            threshold=fitted.threshold,
            risks={answer.alpha: answer.risk for answer in answers},
            excesses=fitted._top.excesses,
            fitted=fitted._fitted_excesses(),
            shape=fitted.shape,
            scale=fitted.scale,
        ),
        below,
    )


def combination_name(columns: Sequence[str]) -> str:
    r"""Return columns as the command line writes them: ``A+B``, a plus within a name as ``\+``."""
    return "+".join(name.replace("+", "\\+") for name in columns)


def groups_per_100(risk: float) -> str:
    """Return a risk as the number of groups that 100 records fall into."""
    return figure(round(100 * risk, 1), "g")
