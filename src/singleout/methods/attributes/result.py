"""Attribute risk as a result: every column and combination, and the minimal keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import whole
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.text import names_in_text
from singleout.core.wording import percent
from singleout.errors import BadChoice
from singleout.methods.attributes.measure import Names, Telling, minimal_keys
from singleout.methods.groups import Grouped
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["AttributeRisk"]


@dataclass(frozen=True, eq=False)
class AttributeRisk(Grouped, Result):
    """How far each column, and each combination of columns, tells records apart.

    Parameters
    ----------
    columns
        The columns that were combined.
    max_size
        How many columns a combination has at most.
    combinations
        How far each combination tells records apart, the one with the highest distinction first.
    missing
        What a missing value meant.
    by
        The columns of the groups.
    groups
        The same for the records of each group, by its value.
    notes
        What a reader should know, one sentence each.
    """

    columns: Names
    max_size: int
    combinations: tuple[Telling, ...] = field(repr=False)
    missing: MissingPolicy = MissingPolicy.VALUE
    by: Names = ()
    groups: Mapping[Any, AttributeRisk] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    @cached_property
    def keys(self) -> tuple[Names, ...]:
        """The combinations that tell all records apart, without those that hold a smaller one."""
        return minimal_keys(self.combinations)

    @property
    def worst(self) -> Telling:
        """The combination with the highest distinction."""
        return self.combinations[0]

    @property
    def records(self) -> int:
        """How many records there are; fewer count for a combination if missing values drop some."""
        return max(one.records for one in self.combinations)

    def of(self, *columns: str | Sequence[str]) -> Telling:
        """Return how far some columns together tell records apart, in whatever order."""
        names = [name for one in columns for name in ([one] if isinstance(one, str) else one)]
        wanted = frozenset(names)
        for one in self.combinations:
            if frozenset(one.columns) == wanted:
                return one
        raise BadChoice(
            f"{names} was not measured: up to {self.max_size} of the columns {list(self.columns)} "
            "were combined."
        )

    # ---- ways to look at it

    def to_frame(self) -> Frame:
        """Return a row for each combination, the one with the highest distinction first."""
        from singleout.core.frames import pl

        return pl.DataFrame(
            [{**group, **_row(one)} for group, part in self._parts() for one in part.combinations]
        )

    def to_dict(self, top: int = 20) -> dict[str, Any]:
        """Return the keys and the worst combinations as plain values that JSON can hold.

        Parameters
        ----------
        top
            How many of the combinations with the highest distinction to give.
        """
        top = whole(top, "top", at_least=0, of="combinations")
        answer: dict[str, Any] = {
            "columns": list(self.columns),
            "max_size": self.max_size,
            "missing": str(self.missing),
            "records": self.records,
            "combinations": len(self.combinations),
            "keys": [list(names) for names in self.keys],
            "worst": [
                _row(one) | {"columns": list(one.columns)} for one in self.combinations[:top]
            ],
            "notes": list(self.notes),
        }
        return self._with_groups(answer, top)

    def plot(self, top: int = 20) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: distinction and separation of the worst combinations.

        Parameters
        ----------
        top
            How many combinations to draw.
        """
        from singleout.methods.attributes.chart import telling_bars

        shown = self.combinations[: whole(top, "top", of="combinations")]
        return telling_bars([_row(one) for one in shown], len(self.combinations) - len(shown))

    def __str__(self) -> str:
        worst = self.worst
        numbers = {
            "worst": names_in_text(worst.columns),
            "distinction": percent(worst.distinction),
            "separation": percent(worst.separation),
            "unique": percent(worst.unique_share),
            "size": self.max_size,
        }
        if self.keys:
            return say(
                "attributes.has_keys",
                first=names_in_text(self.keys[0]),
                n=len(self.keys),
                **numbers,
            )
        return say("attributes.no_key", **numbers)


def _row(one: Telling) -> dict[str, Any]:
    return {
        "combination": ",".join(one.columns),
        "size": len(one.columns),
        "records": one.records,
        "distinct": one.distinct,
        "distinction": one.distinction,
        "separation": one.separation,
        "unique_share": one.unique_share,
        "key": one.is_key,
    }
