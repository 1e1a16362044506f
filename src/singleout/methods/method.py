"""A method as an assessment sees it: options in a plan, a measure, its part of every report.

Each room has one `Method` (QaR has a second one, for the contributions of records) in its
``section.py``. What an assessment, a plan, a report and their schemas hold of methods they learn
from here, one method after the other; none of them knows a method by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from singleout.core.choices import MissingPolicy
from singleout.methods.sampling import Population
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.core.table import Table
    from singleout.methods.options import Part as Options
    from singleout.report.content import Part, Section
    from singleout.report.schema import Schema

__all__ = ["Context", "Measured", "Method", "Number"]

_LAST = 99


@dataclass(frozen=True)
class Measured:
    """The result of a method, None where it is switched off or does not apply, and notes on it."""

    result: Any = None
    notes: tuple[str, ...] = ()  # what was limited or left out, one sentence each


@dataclass(frozen=True)
class Number:
    """A number of a result that is compared before and after a change."""

    measure: str  # its name, for programs
    name: str  # the same in words
    unit: Literal["count", "level", "share", "number"]  # a share is from 0 to 1
    value: float
    lower_is_better: bool | None = True  # None if neither is
    records: int | None = None  # a count of records is judged by its share of these
    at_equal_records: bool = False  # whether it compares only tables with equally many records


@dataclass(frozen=True, eq=False)
class Context:
    """What a method is measured on in an assessment."""

    table: Table  # with the missing-value policy of the plan
    known: tuple[str, ...]  # the quasi-identifiers
    options: Mapping[str, Any]  # the plan's options of each method, by its name
    weights: str | None = None  # the column of weights
    stated: Population = field(default_factory=Population)  # what is known of the population
    sensitive: tuple[str, ...] = ()  # what others want to know
    scales: Mapping[str, str] = field(default_factory=dict)  # nominal or ordinal, where stated
    household: str | None = None  # the column that tells households apart
    unit: str | None = None  # the column that says which records are of one person
    measured: dict[str, Measured] = field(default_factory=dict)  # of the methods before, by name

    @cached_property
    def has_groups(self) -> bool:
        """Whether records fall into groups: not so where missing values match everything."""
        from singleout.engines.local.counting import complete_records

        if self.table.missing != MissingPolicy.WILDCARD:
            return True
        return bool(complete_records(self.table, self.known).all())

    @cached_property
    def fraction(self) -> tuple[float | None, tuple[str, ...]]:
        """The sampling fraction by what the plan says, and a note where it is impossible."""
        if self.stated.sampling_fraction is not None:
            return self.stated.sampling_fraction, ()
        people: float | None = self.stated.size
        if people is None and self.weights is not None:
            from singleout.engines.local.counting import weights

            people = float(weights(self.table, self.weights).sum())
        if people is None:
            return None, ()
        if people < self.table.rows:
            return None, (say("methods.small_population", people=people, rows=self.table.rows),)
        return self.table.rows / people, ()


class Method:
    """A method in an assessment; what a method does not say is left out there."""

    # its key among the methods of a plan and in report.json, and the name of its section
    name: ClassVar[str]
    # the model of its options in a plan; with the option ``enabled`` it can be switched off
    options: ClassVar[type[Options] | None] = None
    # what its options are, for the schema of a plan
    about: ClassVar[str] = ""
    # how they are written in a plan: in YAML, on one line, with the default of each
    example: ClassVar[str] = ""
    # whether it counts people where they have several records each; otherwise it is left out there
    counts_people: ClassVar[bool] = False
    # methods that are measured before it, because it uses their results
    uses: ClassVar[tuple[str, ...]] = ()
    # of what `to_json` returns, null included if there may be no result; None: not in report.json
    schema: ClassVar[Schema | None] = None
    # its rank in a plan and in a report, the lowest first; ties in the order of the registry
    plan_order: ClassVar[int] = _LAST
    report_order: ClassVar[int] = _LAST

    @property
    def title(self) -> str:
        """What it is called in sentences."""
        return say(f"methods.titles.{self.name}")

    def applies(self, context: Context) -> bool:
        """Whether it is asked for, and the plan says what it needs."""
        return bool(getattr(context.options[self.name], "enabled", True))

    def measure(self, context: Context) -> Measured | None:  # noqa: ARG002
        """Return what it finds in a table; None if an assessment does not run it by itself."""
        return None

    # ---- for people; results are never None here

    def section(
        self,
        measured: Measured,  # noqa: ARG002
        options: Any,  # noqa: ARG002
    ) -> Section | None:
        """Return its section of a report, also where there is no result; None if it has none."""
        return None

    def headline(self, result: Any) -> tuple[tuple[str, str], ...]:  # noqa: ARG002
        """Return figures that stand beside the verdict of a report, each with its name."""
        return ()

    def spread(self, result: Any) -> list[Part]:  # noqa: ARG002
        """Return how the risk spreads over records, without single records."""
        return []

    def single_records(self, result: Any, most: int) -> list[Part]:  # noqa: ARG002
        """Return single records for a report that was asked to show them, at most so many."""
        return []

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return terms with their meaning, for the explanations of a report."""
        return ()

    def sources(self) -> tuple[str, ...]:
        """Return where it was published, for the end of a report."""
        return ()

    def sentences(self, result: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Return what it found as sentences for the screen."""
        return ()

    def cautions(self, result: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Return why the result may mislead, for the screen."""
        return ()

    # ---- for programs

    def to_json(self, result: Any) -> dict[str, Any]:
        """Return a result as plain values without single records, as `schema` says."""
        answer: dict[str, Any] = result.to_dict()
        return answer

    def numbers(self, result: Any) -> tuple[Number, ...]:  # noqa: ARG002
        """Return the numbers that are compared before and after a change."""
        return ()

    def columns(self, result: Any) -> tuple[str, ...] | None:  # noqa: ARG002
        """Return the columns that it looked at, where it does not look at all of them."""
        return None

    # ---- for the methods themselves

    def nothing(self, measured: Measured, options: Any) -> Part:
        """Return the paragraph of a section that says why there is no result."""
        from singleout.report.content import Paragraph

        if not getattr(options, "enabled", True):
            return Paragraph(say("report.method_off", method=self.title))
        reasons = measured.notes or (say("report.method_left_out", method=self.title),)
        return Paragraph(" ".join(reasons))
