"""The parts of a plan: what a column means, how methods run, what is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model, model_validator
from pydantic.fields import FieldInfo

from singleout.assessment.plan.kinds import (
    ExploitabilityMatrix,
    ExposureLevel,
    InferenceBounds,
    RiskLevel,
    RiskMatrix,
    Severity,
)
from singleout.assessment.plan.ranges import in_range
from singleout.assessment.rating.scales import EXPLOITABILITY, INFERENCE_BOUNDS, RISK, Matrix
from singleout.core.choices import Role
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Count, Part, Share
from singleout.methods.registry import in_plan, on_change
from singleout.methods.sampling import Population
from singleout.report.say import say

__all__ = [
    "ColumnPlan",
    "Matrices",
    "Methods",
    "PlannedDecision",
    "Population",
    "ReleasePolicy",
]


TOLERATED = 0.01  # share of the records that may exceed the level of the table


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
    sensitive: bool = Field(
        default=False,
        description="Whether a quasi-identifier is sensitive too, such as a religion that others "
        "can see: it counts among what is known, and as something to learn for who does not know "
        "it. The same as role: [quasi-identifier, sensitive].",
    )
    values: dict[str, Severity] = Field(
        default_factory=dict,
        description="The severity of single values of a sensitive column, or of ranges of numbers "
        "such as '>= 50000'.",
    )
    cuts: Annotated[list[float], Field(min_length=1)] | None = Field(
        default=None,
        description="Where the bands end in which a sensitive number is guessed; if not given, ten "
        "bands of equal frequency.",
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
        levels = [level for level in (self.bodily, self.material, self.moral) if level is not None]
        return max(levels, default=None)

    @property
    def severity(self) -> int | None:
        """The largest of the impacts and of the severities of values; None if none is stated."""
        return max(filter(None, (self.impact, *self.values.values())), default=None)

    @property
    def is_sensitive(self) -> bool:
        """Whether the column is something to learn, by its role or besides it."""
        return self.sensitive or self.role == Role.SENSITIVE

    @property
    def all_roles(self) -> tuple[Role, ...]:
        """The role, and sensitive where a quasi-identifier is this too."""
        return (self.role, Role.SENSITIVE) if self.sensitive else (self.role,)

    def severity_of(self, *spellings: str) -> int | None:
        """Return how severe a value is: its own if it has one, otherwise the impact of its column.

        A value that is listed counts before a range that holds it. None if the plan says nothing
        about it: that other values are harmless says nothing about this one.

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
        for words, level in self.values.items():
            if in_range(words, spellings[0]):
                return level
        return self.impact

    @model_validator(mode="before")
    @classmethod
    def _two_roles(cls, entries: Any) -> Any:
        """Take ``role: [quasi-identifier, sensitive]`` for a quasi-identifier that is sensitive."""
        if not isinstance(entries, dict) or not isinstance(entries.get("role"), list | tuple):
            return entries
        roles = [str(role) for role in entries["role"]]
        if sorted(roles) != sorted({Role.QUASI_IDENTIFIER, Role.SENSITIVE}):
            raise Mistake(
                ("role",),
                "two roles are taken only as [quasi-identifier, sensitive], for what others can "
                "see and what is sensitive all the same.",
            )
        return {**entries, "role": Role.QUASI_IDENTIFIER, "sensitive": True}

    @model_validator(mode="after")
    def _agrees(self) -> ColumnPlan:
        if self.sensitive and self.role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
            raise Mistake(
                ("sensitive",),
                f"sensitive is for a quasi-identifier that is sensitive too, and the role of "
                f"this column is {self.role}; write role: {Role.SENSITIVE}, or leave it out.",
            )
        if self.cuts and (not self.is_sensitive or sorted(set(self.cuts)) != self.cuts):
            raise Mistake(
                ("cuts",),
                "cuts divide the numbers of a sensitive column into bands: give them to such a "
                "column, in rising order, each once.",
            )
        if self.exposure is not None and self.role != Role.QUASI_IDENTIFIER:
            raise Mistake(
                ("exposure",),
                f"exposure says how a quasi-identifier is found elsewhere, and the role of this "
                f"column is {self.role}; write role: {Role.QUASI_IDENTIFIER}, or leave it out.",
            )
        if self.values and not self.is_sensitive:
            raise Mistake(
                ("values",),
                f"values give the severity of what a sensitive column reveals, and the role of "
                f"this column is {self.role}; write role: {Role.SENSITIVE}, or leave them out.",
            )
        return self


# ---- the methods


_RATING = Field(
    default="certainty",
    description="How records are rated: by how sure an attacker can be of them (certainty), or by "
    "the discrimination rate of Sondeck and Laurent (paper).",
)


_IDENTITY = Field(
    default="people",
    description="How likely a match is right where weights are known: one over the sum of the "
    "weights of those who look the same (people), or the individual risk of Benedetti and "
    "Franconi, which is higher (individual).",
)


def _option_fields() -> dict[str, Any]:
    """Return the rating, and a field for each method that has options: its model and default."""
    return {
        "rating": (Literal["certainty", "paper"], _RATING),
        "identity": (Literal["people", "individual"], _IDENTITY),
    } | {
        method.name: (
            method.options,
            Field(default_factory=method.options, description=method.about),
        )
        for method in in_plan()
        if method.options is not None
    }


def _fit_methods() -> None:
    """Give the model the methods that are registered now."""
    Methods.model_fields.clear()
    for name, (kind, info) in _option_fields().items():
        Methods.model_fields[name] = FieldInfo.from_annotated_attribute(kind, info)
    Methods.model_rebuild(force=True)


if TYPE_CHECKING:

    class Methods(Part):
        """How each method runs."""

        def __getattr__(self, name: str) -> Any: ...
else:
    Methods = create_model(
        "Methods",
        __base__=Part,
        __module__=__name__,
        __doc__="How each method runs.",
        **_option_fields(),
    )

on_change(_fit_methods)


# ---- what is accepted


class PlannedDecision(Part):
    """A decision on what is collected, made before there was data: see the repository's decide."""

    subject: str = Field(min_length=1, description="What was decided on, such as a questionnaire.")
    action: Literal["accept", "coarsen", "drop", "refuse"] = Field(
        description="What was decided: accept, coarsen, drop or refuse."
    )
    says: str = Field(default="", description="The decision as a sentence.")
    hash: str = Field(
        default="", description="The hash of the decision and of the numbers it rests on."
    )
    records: list[str] = Field(
        default_factory=list, description="The records of a repository that it rests on."
    )


class ReleasePolicy(Part):
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
    special_uniques: Annotated[Share, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="The largest acceptable share of records that are special uniques (SUDA); "
        "unique records that were not decided count among them.",
    )
    dis_suda: Annotated[Share, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="The highest acceptable DIS-SUDA of any record: how sure somebody may be of a "
        "match with it.",
    )
    tolerated: Annotated[Share, Field(ge=0, lt=1)] = Field(
        default=TOLERATED,
        description="The level of the table is the highest that at least this share of the records "
        "reaches.",
    )

    @property
    def limits(self) -> dict[str, float]:
        """What the policy asks for, by name."""
        return self.model_dump(exclude={"tolerated"}, exclude_none=True)

    @property
    def through_unique_share(self) -> ReleasePolicy:
        """The same for a search of treatments, which does not look for special uniques.

        Nobody is a special unique, or has a DIS-SUDA, who is not unique: a limit of the unique
        records keeps those of SUDA too.
        """
        shares = [self.special_uniques, None if self.dis_suda is None else 0.0, self.unique_share]
        stated = [share for share in shares if share is not None]
        changes = {
            "special_uniques": None,
            "dis_suda": None,
            "unique_share": min(stated, default=None),
        }
        return self.model_copy(update=changes)


class Matrices(Part):
    """The two matrices that join the scales; rows and columns from 1 to 4."""

    inference: InferenceBounds = Field(
        default=INFERENCE_BOUNDS,
        description="The rates from which on inference is moderate, severe and critical.",
    )
    exploitability: ExploitabilityMatrix = Field(
        default=EXPLOITABILITY, description="By inference, then by exposure."
    )
    risk: RiskMatrix = Field(default=RISK, description="By exploitability, then by severity.")

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the matrices, one sentence each."""
        return tuple(
            say(f"plan.matrix_falls.{name}")
            for name, matrix in (("exploitability", self.exploitability), ("risk", self.risk))
            if not _never_falls(matrix)
        )


def _never_falls(matrix: Matrix) -> bool:
    lines = [*matrix, *zip(*matrix, strict=True)]
    return all(list(line) == sorted(line) for line in lines)
