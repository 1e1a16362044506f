"""The other steps, and all of them: what each can say, what contradicts itself, its sentence."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from singleout.core.text import names_in_text
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Share
from singleout.report.say import say
from singleout.treatment.steps.kinds import Columns, HierarchySource, Weight
from singleout.treatment.steps.recode import Recode
from singleout.treatment.steps.rules import SensitiveRule, rules_in_words
from singleout.treatment.steps.step import AtLeastTwo, Step, check_named
from singleout.treatment.steps.suppress import SuppressCells, SuppressRecords

__all__ = [
    "Drop",
    "Generalise",
    "Microaggregate",
    "Recode",
    "SensitiveRule",
    "Shuffle",
    "Step",
    "SuppressCells",
    "SuppressRecords",
]


class Drop(Step):
    """Leave columns out."""

    in_memory: ClassVar[bool] = False

    drop: Columns = Field(description="The columns.")

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.drop)

    @property
    def sentence(self) -> str:
        """What the step does."""
        return say("steps.drop", n=len(self.drop), columns=names_in_text(self.drop))


class Generalise(Step):
    """Local recoding: each class of records is generalised as little as it needs."""

    generalise: Columns = Field(description="The columns.")
    k: AtLeastTwo = Field(description="How many records must share each combination afterwards.")
    hierarchies: dict[str, HierarchySource] = Field(
        default_factory=dict,
        description="The hierarchies of columns, by name, as a CSV file or as rows; those that are "
        "not given are proposed from the values.",
    )
    sensitive: dict[str, SensitiveRule] = Field(
        default_factory=dict, description="What must hold in each class, by sensitive column."
    )
    importance: dict[str, Weight] = Field(
        default_factory=dict, description="How much a column matters, by name; 1 if not given."
    )
    max_suppressed: Annotated[Share, Field(ge=0, le=1)] = Field(
        default=0,
        description="The share of the records that may be suppressed where that costs less.",
    )
    rows: Literal["blank", "remove"] = Field(
        default="blank",
        description="What becomes of suppressed records: they stay with blanks, or go.",
    )
    highest: dict[str, Annotated[int, Field(ge=0)]] = Field(
        default_factory=dict,
        description="The highest level of its hierarchy that a column may be published on, by "
        "name; 0 leaves it as it is. Records for which that is not enough are suppressed.",
    )
    scales: dict[str, Literal["nominal", "ordinal"]] = Field(
        default_factory=dict,
        description="Whether the values of a column have an order, by name, where a hierarchy is "
        "proposed; told by the values if not given.",
    )
    narrow: bool = Field(
        default=False,
        description="Whether classes publish intervals and sets of their own values where no "
        "hierarchy is given.",
    )

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.generalise)

    @property
    def columns_used(self) -> tuple[str, ...]:
        """Also the sensitive columns."""
        return tuple(dict.fromkeys([*self.generalise, *self.sensitive]))

    @property
    def sentence(self) -> str:
        """What the step does."""
        rules = rules_in_words("steps.sensitive.rule", self.sensitive)
        columns = names_in_text(self.generalise)
        key = "steps.generalise_or_remove" if self.rows == "remove" else "steps.generalise"
        return say(key, columns=columns, k=self.k, rules=rules)

    @model_validator(mode="after")
    def _makes_sense(self) -> Generalise:
        check_named(self.hierarchies, self.generalise, "hierarchies")
        check_named(self.importance, self.generalise, "importance")
        check_named(self.highest, self.generalise, "highest")
        check_named(self.scales, self.generalise, "scales")
        for name in self.sensitive:
            if name in self.generalise:
                raise Mistake(
                    ("sensitive", name), f"{name!r} is generalised itself; leave it out of one."
                )
        return self


class Shuffle(Step):
    """Move the values of some columns among the records, or the records themselves."""

    perturbs: ClassVar[bool] = True

    shuffle: Literal["records"] | Columns = Field(
        description="The columns, whose values move together; or 'records', to change their order."
    )
    seed: Annotated[int, Field(ge=0)] | None = Field(
        default=None,
        description="For the same order again; keep it secret, since it undoes the step. If not "
        "given, chance is the system's.",
    )

    @property
    def of_records(self) -> bool:
        """Whether whole records move, which changes no value."""
        return isinstance(self.shuffle, str)

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns."""
        return () if isinstance(self.shuffle, str) else tuple(self.shuffle)

    @property
    def sentence(self) -> str:
        """What the step does."""
        if self.of_records:
            return say("steps.shuffle.records")
        return say("steps.shuffle.columns", columns=names_in_text(self.columns_changed))


class Microaggregate(Step):
    """Publish the means of small groups of similar records."""

    perturbs: ClassVar[bool] = True

    microaggregate: Columns = Field(description="The columns, which hold numbers.")
    k: AtLeastTwo = Field(default=3, description="How many records each group has at least.")

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns."""
        return tuple(self.microaggregate)

    @property
    def sentence(self) -> str:
        """What the step does."""
        columns = names_in_text(self.microaggregate)
        return say("steps.microaggregate", columns=columns, k=self.k)
