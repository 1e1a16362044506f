"""Recode: the values of one column become coarser ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from singleout.core.text import names_in_text, printable
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Count
from singleout.report.say import say
from singleout.treatment.steps.kinds import Amount, HierarchySource, Weight, plain_number
from singleout.treatment.steps.step import Step, check_ascending, in_figures

__all__ = ["DATE_LEVELS", "METHODS", "Recode"]

DATE_LEVELS = ("day", "month", "quarter", "year", "decade")
METHODS = ("width", "cuts", "round", "prefix", "date", "groups", "rare", "hierarchy")
_ENDS = ("bottom", "top")
# options of a recode that belong to some of its methods
_BELONGS = {"offset": ("width",), "other": ("rare", "groups"), "level": ("hierarchy",)}


class Recode(Step):
    """Replace the values of one column by coarser ones."""

    in_memory: ClassVar[bool] = False

    recode: str = Field(min_length=1, description="The column.")
    width: Weight | None = Field(default=None, description="The width of equal intervals.")
    offset: Amount = Field(default=0, description="Where one of the equal intervals starts.")
    cuts: Annotated[list[Amount], Field(min_length=1)] | None = Field(
        default=None, description="Where a new interval starts, ascending."
    )
    top: Amount | None = Field(
        default=None,
        description="The largest number to publish: larger ones become this one. With width, where "
        "the open interval at the top starts.",
    )
    bottom: Amount | None = Field(
        default=None,
        description="The smallest number to publish: smaller ones become this one. With width, "
        "where the open interval at the bottom ends.",
    )
    round: Weight | None = Field(default=None, description="Round to a multiple of this number.")
    prefix: Count | None = Field(
        default=None, description="How many characters of a code are kept."
    )
    date: Literal["day", "month", "quarter", "year", "decade"] | None = Field(
        default=None, description="What is kept of a date."
    )
    groups: dict[str, Annotated[list[str], Field(min_length=1)]] | None = Field(
        default=None, description="The values that become one, by the new value."
    )
    rare: Count | None = Field(
        default=None,
        description="Values that fewer records have become one value, called as `other` says.",
    )
    other: str | None = Field(
        default=None,
        min_length=1,
        description="The name of what rare values become ('other' if not given), or of all values "
        "that are in no group (which stay as they are if not given).",
    )
    hierarchy: HierarchySource | None = Field(
        default=None,
        description="The CSV file of a hierarchy, or its rows, each from a value to the top.",
    )
    level: Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="The level of the hierarchy to publish; 0 are the values."
    )

    @property
    def method(self) -> str:
        """How the column is recoded, by the name of the option that says so."""
        named = next((name for name in METHODS if getattr(self, name) is not None), None)
        return named or "ends"

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The column."""
        return (self.recode,)

    @property
    def sentence(self) -> str:
        """What the step does."""
        return say(f"steps.recode.{self.method}", column=printable(self.recode), **self._words())

    def _words(self) -> dict[str, Any]:
        ends = f" ({self._ends('steps.recode.open_')})" if self._has_ends else ""
        words: dict[str, Callable[[], dict[str, Any]]] = {
            "ends": lambda: {"ends": self._ends("steps.recode.ends_")},
            "width": lambda: {"width": plain_number(self.width or 0), "ends": ends},
            "cuts": lambda: {"cuts": in_figures(self.cuts or [])},
            "groups": self._group_words,
            "rare": lambda: {"n": self.rare, "other": printable(self.other or "other")},
            "hierarchy": lambda: {"level": self.level},
            "round": lambda: {"value": plain_number(self.round or 0)},
        }
        usual = {"value": getattr(self, self.method, None)}
        return words[self.method]() if self.method in words else usual

    @property
    def _has_ends(self) -> bool:
        return self.top is not None or self.bottom is not None

    def _ends(self, key: str) -> str:
        given = [(end, getattr(self, end)) for end in _ENDS if getattr(self, end) is not None]
        words = [say(f"{key}{end}", value=plain_number(value)) for end, value in given]
        return say("steps.and").join(words)

    def _group_words(self) -> dict[str, str]:
        rest = "" if self.other is None else say("steps.rest", other=printable(self.other))
        return {"groups": names_in_text(self.groups or ()), "rest": rest}

    @model_validator(mode="after")
    def _one_method(self) -> Recode:
        given = [name for name in METHODS if getattr(self, name) is not None]
        if not given and not self._has_ends:
            raise Mistake(
                (),
                f"how {self.recode!r} is recoded is not said; give one of {', '.join(METHODS)}, "
                "top, bottom.",
            )
        if len(given) > 1:
            raise Mistake(
                (given[1],), f"{given[0]} is given already; recode by {given[1]} in another step."
            )
        if given and self._has_ends and given != ["width"]:
            end = "top" if self.top is not None else "bottom"
            raise Mistake(
                (end,), f"{end} stands alone or with width, not with {given[0]}; use another step."
            )
        self._check_options(self.method)
        return self

    def _check_options(self, method: str) -> None:
        for option, methods in _BELONGS.items():
            if option in self.model_fields_set and method not in methods:
                raise Mistake((option,), f"{option} is for {' and '.join(methods)} only.")
        if self.hierarchy is not None and self.level is None:
            raise Mistake(("hierarchy",), "the level to publish is missing; give level: 1 or more.")
        if self.cuts is not None:
            check_ascending(self.cuts)
        if self.top is not None and self.bottom is not None and self.bottom >= self.top:
            raise Mistake(
                ("bottom",),
                f"bottom must be less than top, which is {plain_number(self.top)}, not "
                f"{plain_number(self.bottom)}.",
            )
        self._check_groups()

    def _check_groups(self) -> None:
        of: dict[str, str] = {}
        for label, members in (self.groups or {}).items():
            for index, member in enumerate(members):
                if member in of:
                    raise Mistake(
                        ("groups", label, index),
                        f"{member!r} is in the group {of[member]!r} already; give it once.",
                    )
                of[member] = label
