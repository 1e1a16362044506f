"""Suppress: whole records, or single cells."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from singleout.core.text import names_in_text, printable
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Count
from singleout.report.say import say
from singleout.treatment.steps.kinds import Columns, Weight
from singleout.treatment.steps.rules import SensitiveRule, rules_in_words
from singleout.treatment.steps.step import AtLeastTwo, Step, check_named
from singleout.where.condition import parse

__all__ = ["SuppressCells", "SuppressRecords"]


def _parsed(where: str) -> None:
    try:
        parse(where)
    except ValueError as error:
        raise Mistake(("where",), str(error)) from None


class SuppressRecords(Step):
    """Blank some columns of records, or remove the records."""

    suppress: Literal["records"] = Field(description="Whole records.")
    where: str | None = Field(default=None, description="The condition that the records meet.")
    k: AtLeastTwo | None = Field(
        default=None, description="Records in classes of fewer records are suppressed."
    )
    numbers: Annotated[list[Count], Field(min_length=1)] | None = Field(
        default=None, description="The records by their numbers in the table, from 1."
    )
    columns: Columns | None = Field(
        default=None, description="The columns that classes are made of, and that are blanked."
    )
    rows: Literal["blank", "remove"] = Field(
        default="blank",
        description="Whether the columns of a record become missing, or the record is removed.",
    )
    sensitive: dict[str, SensitiveRule] = Field(
        default_factory=dict,
        description="With k: records in classes that break a rule are suppressed, too.",
    )

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns that are blanked."""
        return tuple(self.columns or ()) if self.rows == "blank" else ()

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Also the columns of the condition."""
        condition = parse(self.where).columns if self.where is not None else ()
        return tuple(dict.fromkeys([*(self.columns or ()), *self.sensitive, *condition]))

    @property
    def sentence(self) -> str:
        """What the step does."""
        columns = names_in_text(self.columns or ())
        if self.k is not None:
            rules = rules_in_words("steps.sensitive.broken", self.sensitive)
            which = say("steps.records.small", k=self.k, columns=columns) + rules
        elif self.numbers is not None:
            which = say("steps.records.numbered", n=len(self.numbers))
        else:
            which = say("steps.records.where", condition=printable(self.where))
        return say(f"steps.records.{self.rows}", which=which, columns=columns)

    @model_validator(mode="after")
    def _makes_sense(self) -> SuppressRecords:
        if sum(given is not None for given in (self.where, self.k, self.numbers)) != 1:
            raise Mistake((), "say which records: give one of where, k and numbers.")
        if self.columns is None and (self.k is not None or self.rows == "blank"):
            raise Mistake((), "columns are missing: name those that k or the blanking is about.")
        if self.columns is not None and self.k is None and self.rows == "remove":
            raise Mistake(("columns",), "columns have no meaning where records are removed "
                          "without k; leave them out.")  # fmt: skip
        if self.sensitive and self.k is None:
            raise Mistake(("sensitive",), "rules are for classes; give k with them.")
        if self.where is not None:
            _parsed(self.where)
        return self


class SuppressCells(Step):
    """Blank single cells."""

    suppress: Literal["cells"] = Field(description="Single cells.")
    columns: Columns = Field(description="The columns whose cells may be blanked.")
    where: str | None = Field(default=None, description="The condition that the records meet.")
    k: AtLeastTwo | None = Field(
        default=None, description="How many records must share each combination afterwards."
    )
    method: Literal["peel", "uniques", "wildcard"] = Field(
        default="peel",
        description="How the cells are chosen: by peeling, by minimal sample uniques, or as "
        "sdcMicro counts, with missing values that match everything.",
    )
    importance: dict[str, Weight] = Field(
        default_factory=dict,
        description="How much a column matters, by name; 1 if not given. Cells of columns that "
        "matter more are blanked less often.",
    )
    max_size: Count | None = Field(
        default=None, description="How many columns a minimal sample unique has at most (uniques)."
    )

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.columns)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Also the columns of the condition."""
        condition = parse(self.where).columns if self.where is not None else ()
        return tuple(dict.fromkeys([*self.columns, *condition]))

    @property
    def sentence(self) -> str:
        """What the step does."""
        columns = names_in_text(self.columns)
        if self.where is not None:
            condition = printable(self.where)
            return say("steps.cells.where", columns=columns, condition=condition)
        return say(f"steps.cells.{self.method}", columns=columns, k=self.k)

    @model_validator(mode="after")
    def _makes_sense(self) -> SuppressCells:
        if (self.where is None) == (self.k is None):
            raise Mistake((), "say which cells: give either where or k, and not both.")
        for option in ("method", "importance", "max_size"):
            if self.k is None and option in self.model_fields_set:
                raise Mistake((option,), f"{option} has no meaning with where; leave it out.")
        if self.max_size is not None and self.method != "uniques":
            raise Mistake(("max_size",), "max_size is for the method uniques only.")
        if self.where is not None:
            _parsed(self.where)
        check_named(self.importance, self.columns, "importance")
        return self
