"""The parts of a plan: what a column means, how methods run, what is accepted."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from singleout.assessment.plan.kinds import (
    Count,
    ExploitabilityMatrix,
    ExposureLevel,
    RiskLevel,
    RiskMatrix,
    SetSize,
    Severity,
    Share,
)
from singleout.assessment.rating.scales import EXPLOITABILITY, RISK, Matrix
from singleout.core.choices import Role
from singleout.io.yaml.errors import mistake_of
from singleout.io.yaml.file import Mistake, Origin
from singleout.methods.qar.pareto import Estimator
from singleout.methods.suda.measure import Scoring

__all__ = [
    "ColumnPlan",
    "ContributionsPlan",
    "DiscriminationPlan",
    "Matrices",
    "Methods",
    "Part",
    "Policy",
    "Population",
    "QarPlan",
    "SudaPlan",
]


class Part(BaseModel):
    """Values that are checked when they are given, and refused in one sentence."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise Origin("plan").refusal(mistake_of(error, type(self), given)) from None

    # a part within a plan is checked by the plan, which knows the whole path
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]


# ---- columns


class ColumnPlan(Part):
    """What a column is for, how easily it is found elsewhere, and how hard its disclosure hits."""

    role: Role = Field(description="What the column is for.")
    exposure: ExposureLevel | None = Field(
        default=None,
        description="How easily a quasi-identifier is found elsewhere: IR (1, internal "
        "restricted), IE (2, internal extended), ER (3, external restricted), EE (4, external "
        "extended).",
    )
    bodily: Severity | None = Field(
        default=None, description="How hard a disclosure hits the body: 1 to 4."
    )
    material: Severity | None = Field(
        default=None, description="How hard a disclosure hits what a person owns: 1 to 4."
    )
    moral: Severity | None = Field(
        default=None,
        description="How hard a disclosure hits a person's standing and peace: 1 to 4.",
    )
    values: dict[str, Severity] = Field(
        default_factory=dict, description="The severity of single values of a sensitive column."
    )
    scale: Literal["nominal", "ordinal"] | None = Field(
        default=None,
        description="Whether the values have an order; if not given, numbers and dates have one.",
    )
    coding: str | None = Field(
        default=None, description="How the values are coded, in words for the report."
    )

    @property
    def impact(self) -> int | None:
        """The largest of the three impacts; None if none is given."""
        given = [level for level in (self.bodily, self.material, self.moral) if level is not None]
        return max(given, default=None)

    @property
    def severity(self) -> int | None:
        """The largest of the impacts and of the severities of values; None if nothing is said."""
        return max(filter(None, (self.impact, *self.values.values())), default=None)

    def severity_of(self, *spellings: str) -> int | None:
        """Return how severe a value is: its own if it has one, otherwise the impact of its column.

        None if the plan says neither: that other values are harmless says nothing about this one.

        Parameters
        ----------
        spellings
            The value as text, and its label if it has one; the first that is listed counts.

        Examples
        --------
        >>> disease = ColumnPlan(role="sensitive", moral=3, values={"HIV": 4, "Colds": 1})
        >>> disease.severity_of("Colds"), disease.severity_of("Asthma")
        (1, 3)
        """
        for spelling in spellings:
            if spelling in self.values:
                return self.values[spelling]
        return self.impact

    @model_validator(mode="after")
    def _agrees(self) -> ColumnPlan:
        if self.exposure is not None and self.role != Role.QUASI_IDENTIFIER:
            raise Mistake(
                ("exposure",),
                f"exposure says how a quasi-identifier is found elsewhere, and the role of this "
                f"column is {self.role}; write role: {Role.QUASI_IDENTIFIER}, or leave it out.",
            )
        if self.values and self.role != Role.SENSITIVE:
            raise Mistake(
                ("values",),
                f"values give the severity of what a sensitive column reveals, and the role of "
                f"this column is {self.role}; write role: {Role.SENSITIVE}, or leave them out.",
            )
        return self


# ---- the population and the methods


class Population(Part):
    """How many people the records stand for: one of three ways to say it, or none."""

    sampling_fraction: Annotated[Share, Field(gt=0, le=1)] | None = Field(
        default=None, description="Which share of the population is in the data."
    )
    size: Count | None = Field(default=None, description="How many people there are in all.")
    weights: str | None = Field(
        default=None,
        min_length=1,
        description="The column that says for how many people a record stands.",
    )

    @model_validator(mode="after")
    def _once(self) -> Population:
        ways = {name: getattr(self, name) for name in ("sampling_fraction", "size", "weights")}
        given = [name for name, value in ways.items() if value is not None]
        if len(given) > 1:
            raise Mistake(
                (given[1],),
                f"the population is given more than once, as {' and as '.join(given)}; keep one.",
            )
        return self


class QarPlan(Part):
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

    @model_validator(mode="after")
    def _within_the_tail(self) -> QarPlan:
        if self.alpha > self.tail:
            raise Mistake(
                ("alpha",),
                f"alpha is {self.alpha} and tail is {self.tail}; the risk is estimated within the "
                "tail, so alpha must not be larger.",
            )
        return self


class SudaPlan(Part):
    """How special uniques are searched."""

    enabled: bool = Field(default=True, description="Whether to search them.")
    max_size: SetSize = Field(
        default=3, description="The largest set of columns to search, or all."
    )
    scoring: Scoring = Field(default=Scoring.LATTICE, description="What a set weighs by its size.")
    missing: Literal["value", "never", "drop"] | None = Field(
        default=None, description="What a missing value means here, if not the plan's own policy."
    )


class ContributionsPlan(Part):
    """Whether the contribution of each record to the risk of the table is measured."""

    enabled: bool = Field(default=True, description="Whether to measure it.")


class DiscriminationPlan(Part):
    """How the discrimination rate is taken."""

    variant: Literal["paper", "mutual-information", "worst-value"] = Field(
        default="paper", description="Which discrimination rate decides."
    )


class Methods(Part):
    """How each method runs."""

    qar: QarPlan = Field(default_factory=QarPlan, description="The risk of the whole table.")
    suda: SudaPlan = Field(default_factory=SudaPlan, description="Special uniques.")
    contributions: ContributionsPlan = Field(
        default_factory=ContributionsPlan, description="What each record adds to the risk."
    )
    discrimination: DiscriminationPlan = Field(
        default_factory=DiscriminationPlan, description="The discrimination rate."
    )


# ---- what is accepted


class Policy(Part):
    """What is acceptable; what is not given does not matter."""

    highest_risk: RiskLevel | None = Field(
        default=None, description="The highest acceptable level of risk: 1 to 4."
    )
    k: Count | None = Field(
        default=None, description="How many records must share each combination of values."
    )
    unique_share: Annotated[Share, Field(ge=0, le=1)] | None = Field(
        default=None, description="The largest acceptable share of records that are unique."
    )
    records_at_risk: Annotated[Share, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="The largest acceptable share of records at severe or critical risk.",
    )


class Matrices(Part):
    """The two matrices that join the scales; rows and columns from 1 to 4."""

    exploitability: ExploitabilityMatrix = Field(
        default=EXPLOITABILITY, description="By inference, then by exposure."
    )
    risk: RiskMatrix = Field(default=RISK, description="By exploitability, then by severity.")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the matrices, one sentence each."""
        return tuple(
            f"The matrix of {name} falls somewhere from a lower to a higher level; a worse "
            "situation usually does not have a lower level."
            for name, matrix in (("exploitability", self.exploitability), ("risk", self.risk))
            if not _never_falls(matrix)
        )


def _never_falls(matrix: Matrix) -> bool:
    lines = [*matrix, *zip(*matrix, strict=True)]
    return all(list(line) == sorted(line) for line in lines)
