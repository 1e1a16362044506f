"""The plan of an assessment: what each column means, how methods run, what is accepted.

A plan states what no computation can find out: which columns others know, how easily, and how hard
a disclosure would hit people. Sondeck and Laurent, sections 3 and 4.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from singleout.assessment.plan.checks import (
    check_combination,
    check_counts,
    check_policy,
    check_unit,
    check_weights,
    spellings,
)
from singleout.assessment.plan.parts import (
    ColumnPlan,
    Matrices,
    Methods,
    PlannedDecision,
    Population,
    ReleasePolicy,
)
from singleout.assessment.plan.ranges import is_range
from singleout.assessment.plan.reading import PlanReading
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import MissingPolicy, Role
from singleout.core.paths import expanded
from singleout.core.table import Table
from singleout.core.text import json_text
from singleout.core.wording import capital, composed
from singleout.errors import BadChoice, nearest
from singleout.io.yaml.document import Document
from singleout.io.yaml.errors import missing_column
from singleout.io.yaml.text import yaml_text
from singleout.methods.method import Method
from singleout.methods.registry import on_change
from singleout.report.say import say

__all__ = ["ColumnPlan", "Matrices", "Plan", "Population", "ReleasePolicy", "plan_schema_text"]

_SHOWN = 5  # names in a warning


class Plan(Document):
    """What an assessment needs to know about a table, besides the table.

    Examples
    --------
    >>> import singleout as so
    >>> plan = so.Plan.of({
    ...     "columns": {
    ...         "age": {"role": "quasi-identifier", "exposure": "EE"},
    ...         "disease": {"role": "sensitive", "moral": 4, "values": {"Colds": 1}},
    ...     }
    ... })
    >>> plan.quasi_identifiers, plan.sensitive, plan.columns["disease"].severity
    (('age',), ('disease',), 4)
    """

    part_of: ClassVar[str] = "assessment"
    largest: ClassVar[int] = 2_000_000  # bytes: room for ten thousand columns

    title: str | None = Field(default=None, description="What is assessed, for the report.")
    language: Literal["en", "fr"] | None = Field(
        default=None,
        description="The language of the report and of the screen; that of the system if absent.",
    )
    data: str | None = Field(
        default=None, description="The data file; a relative path starts at the plan's folder."
    )
    reading: PlanReading = Field(
        default_factory=PlanReading, description="How the data file is read."
    )
    unit: str | None = Field(
        default=None,
        description="The column that says which records are of one person, such as the visits of a "
        "patient.",
    )
    missing: MissingPolicy = Field(
        default=MissingPolicy.VALUE,
        description="What a missing value means: a value like another, a wildcard that matches "
        "everything, or a reason to drop the record.",
    )
    columns: dict[str, ColumnPlan] = Field(
        default_factory=dict, description="What each column means, by its name."
    )
    combinations: dict[str, Annotated[list[str], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="Combinations of quasi-identifiers to assess besides the usual ones, by name.",
    )
    population: Population = Field(
        default_factory=Population, description="How many people the records stand for."
    )
    methods: Methods = Field(
        default_factory=Methods, description="How each method runs, and whether it does."
    )
    matrices: Matrices = Field(
        default_factory=Matrices, description="The matrices that join the scales."
    )
    policy: ReleasePolicy = Field(default_factory=ReleasePolicy, description="What is acceptable.")
    decisions: list[PlannedDecision] = Field(
        default_factory=list,
        max_length=1_000,
        description="What was decided on collecting it, by records of a repository.",
    )

    @classmethod
    def of(cls, given: Plan | str | os.PathLike[str] | Mapping[str, Any]) -> Plan:
        """Return the plan that is given as a plan, as the path of a file or as a mapping.

        Parameters
        ----------
        given
            A plan, a path, or what the file would hold.
        """
        if isinstance(given, Plan):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.read(given)
        if isinstance(given, Mapping):
            return cls._given(given)
        raise BadChoice(
            f"A plan cannot be made of a {type(given).__name__}; give a Plan, the path of a YAML "
            "file or a mapping of what the file would hold."
        )

    # ---- what it says

    def with_role(self, role: str) -> tuple[str, ...]:
        """Return the names of the columns that have a role, also as their second one."""
        return tuple(name for name, column in self.columns.items() if role in column.all_roles)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that others can know."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The columns whose disclosure hits people."""
        return self.with_role(Role.SENSITIVE)

    @property
    def roles(self) -> dict[str, str]:
        """The role of each column, as `Table.with_roles` takes them."""
        return {name: str(column.role) for name, column in self.columns.items()}

    @property
    def ordinal(self) -> tuple[str, ...]:
        """The columns whose values have an order by the plan."""
        return tuple(name for name, column in self.columns.items() if column.scale == "ordinal")

    @property
    def weights(self) -> str | None:
        """The column of weights: the one of the population, or the one with that role."""
        return self.population.weights or next(iter(self.with_role(Role.WEIGHT)), None)

    @property
    def count(self) -> str | None:
        """The column that says how many people a row stands for, in a table of counts."""
        return next(iter(self.with_role(Role.COUNT)), None)

    def within(self, names: Iterable[str]) -> Plan:
        """Return what the plan says about a table that has only some of its columns.

        Who knows a combination still knows what is left of it.

        Parameters
        ----------
        names
            The columns of the table.
        """
        there = set(names)
        population = self.population
        if population.weights is not None and population.weights not in there:
            population = Population()
        changed = {
            "columns": {name: one for name, one in self.columns.items() if name in there},
            "combinations": {
                title: [name for name in members if name in there]
                for title, members in self.combinations.items()
                if not there.isdisjoint(members)
            },
            "population": population,
            "unit": self.unit if self.unit in there else None,
        }
        return self.model_copy(update=changed)

    @property
    def data_file(self) -> Path | None:
        """The data file, found from the folder of the plan if the plan was read from a file."""
        if self.data is None:
            return None
        return self._file(self.data)

    @property
    def population_file(self) -> Path | None:
        """The file that counts the population, found in the same way."""
        table = self.population.table
        return self._file(table) if isinstance(table, str) else table

    def _file(self, name: str) -> Path:
        return (self._origin.folder or Path()) / expanded(name)

    def exposure_of(self, name: str) -> Exposure:
        """Return the exposure of a quasi-identifier; one that is not given counts as EE."""
        return self.columns[name].exposure or Exposure.EE

    def options_of(self, method: Method) -> Any:
        """Return the options of a method: as the plan has them, or their defaults."""
        if method.options is None:
            return None
        options = getattr(self.methods, method.name, None)
        return method.options() if options is None else options

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is odd about the plan, one sentence each."""
        return tuple(self._oddities())

    def _oddities(self) -> Iterable[str]:
        for name, column in self.columns.items():
            path = ("columns", name)
            if column.role == Role.QUASI_IDENTIFIER and column.exposure is None:
                yield self._located(path, say("plan.no_exposure", column=repr(name)))
            if column.is_sensitive and column.severity is None:
                yield self._located(path, say("plan.no_severity", column=repr(name)))
            if column.impact and max(column.values.values(), default=0) > column.impact:
                yield self._located((*path, "values"), say("plan.more_severe", column=repr(name)))
        yield from self.matrices.warnings

    def _located(self, path: tuple[str | int, ...], sentence: str) -> str:
        if not self._origin.lines:
            return capital(sentence)
        return composed(self._origin.placed, path, sentence)

    # ---- whether it fits a table

    def check(self, table: Table | Iterable[str]) -> tuple[str, ...]:
        """Refuse a plan that names columns which a table lacks; return warnings.

        Parameters
        ----------
        table
            The table, or only the names of its columns.

        Returns
        -------
        tuple of str
            What is odd, one sentence each: columns that the plan leaves out, and severities of
            values that do not occur.
        """
        names = list(table.columns) if isinstance(table, Table) else list(table)
        known = set(names)
        gone = []
        for path, name in self._named_columns():
            if name in known:
                continue
            if not self._may_be_gone(name, names):
                raise self._origin.refusal(missing_column(name, names, path))
            gone.append(repr(name))
        warnings = list(self.warnings)
        if gone:
            warnings.append(say("plan.identifiers_gone", columns=", ".join(gone), n=len(gone)))
        left_out = [repr(name) for name in names if name not in {*self.columns, self.unit}]
        if left_out and self.columns:
            columns = ", ".join(left_out[:_SHOWN])
            if len(left_out) > _SHOWN:
                columns = say("plan.and_more", columns=columns, more=len(left_out) - _SHOWN)
            warnings.append(say("plan.not_named", columns=columns))
        if isinstance(table, Table):
            warnings += self._absent_values(table)
        return tuple(warnings)

    def _may_be_gone(self, name: str, names: list[str]) -> bool:
        """Whether a column that the table lacks named people, and was left out; no misspelling."""
        others = [other for other in names if other not in self.columns]
        named = name in self.columns and self.columns[name].role == Role.DIRECT_IDENTIFIER
        return named and nearest(name, others) is None

    def _named_columns(self) -> Iterable[tuple[tuple[str | int, ...], str]]:
        for name in self.columns:
            yield ("columns", name), name
        if self.population.weights is not None:
            yield ("population", "weights"), self.population.weights
        if self.unit is not None:
            yield ("unit",), self.unit

    def _absent_values(self, table: Table) -> Iterable[str]:
        for name, column in self.columns.items():
            if not column.values:
                continue
            spelled = spellings(table[name])
            for value in column.values:
                if value not in spelled and not is_range(value):
                    yield self._located(
                        ("columns", name, "values", value),
                        say("plan.absent_value", value=repr(value), column=repr(name)),
                    )

    # ---- how it leaves

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the plan says, defaults included, as plain values.

        What it does not say is left out, so that reading it again, also from a file, gives the
        same plan.
        """
        stated: dict[str, Any] = _stated_only(self.model_dump(mode="json"))
        return stated

    def entries(self) -> dict[str, Any]:
        """Return what a file of this plan holds: what differs from the defaults, and all roles."""
        entries = self.model_dump(mode="json", exclude_defaults=True)
        if self.columns:
            entries["columns"] = {name: _entries(column) for name, column in self.columns.items()}
        return entries

    def to_yaml(self) -> str:
        """Return the plan as YAML; reading it gives the same plan."""
        return yaml_text(self.entries()) or "{}\n"

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the plan to a YAML file.

        Parameters
        ----------
        path
            The file, which is written over if it exists.
        """
        from singleout.core.output_files import write_safely
        from singleout.core.targets import target_of
        from singleout.engines.inputs import Inputs

        file = Path(path)
        if Inputs([self.data_file]).hold(target_of(file)):
            raise BadChoice(f"{str(file)!r} is the data that the plan is for; choose another name.")
        text = self.to_yaml()
        write_safely(file, lambda part: part.write_text(text, encoding="utf-8"), force=True)

    @classmethod
    def schema_json(cls) -> str:  # type: ignore[override] # replaces one that pydantic retired
        """Return the JSON schema of a plan as text."""
        return json_text(cls._schema())

    @model_validator(mode="after")
    def _makes_sense(self) -> Plan:
        check_weights(self)
        check_unit(self)
        check_counts(self)
        if "policy" in self.model_fields_set:
            check_policy(self.policy)
        for name, members in self.combinations.items():
            check_combination(self, name, members)
        return self


# the methods of a plan are those that are registered
on_change(lambda: Plan.model_rebuild(force=True))


def plan_schema_text() -> str:
    """Return the JSON schema of a plan as it is published."""
    return Plan.schema_json()


def _stated_only(values: Any) -> Any:
    """Return values without the keys that have none, and without sections left empty by that."""
    if not isinstance(values, dict):
        return values
    stated = {key: _stated_only(value) for key, value in values.items()}
    return {key: value for key, value in stated.items() if value is not None and value != {}}


def _entries(column: ColumnPlan) -> dict[str, Any]:
    """Return what a file says about a column; one with two roles has a list of them."""
    roles = [str(role) for role in column.all_roles]
    said = column.model_dump(mode="json", exclude_defaults=True, exclude={"role", "sensitive"})
    return {"role": roles if len(roles) > 1 else roles[0], **said}
