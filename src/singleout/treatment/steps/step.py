"""What every step has, and the kinds of values that several have."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, ClassVar

from pydantic import Field

from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Count, Part
from singleout.treatment.steps.kinds import plain_number

__all__ = ["AtLeastTwo", "Step", "check_ascending", "check_named", "in_figures"]

AtLeastTwo = Annotated[Count, Field(ge=2)]


class Step(Part):
    """What every step has."""

    what: ClassVar[str] = "step"
    perturbs: ClassVar[bool] = False  # whether published values are no longer true of a person
    in_memory: ClassVar[bool] = True  # whether the records must be in memory

    @property
    def columns_changed(self) -> tuple[str, ...]:
        """The columns that the step may change; none if it removes or moves records."""
        raise NotImplementedError

    @property
    def columns_used(self) -> tuple[str, ...]:
        """All columns that the step names."""
        return self.columns_changed

    @property
    def sentence(self) -> str:
        """What the step does."""
        raise NotImplementedError

    def entries(self) -> dict[str, Any]:
        """Return what a file says about the step: what differs from the defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def outline(self) -> dict[str, Any]:
        """Return the same without the rows of hierarchies, which hold every value of a column."""
        entries = self.entries()
        if "hierarchy" in entries:
            entries["hierarchy"] = _extent(entries["hierarchy"])
        if "hierarchies" in entries:
            sources = entries["hierarchies"].items()
            entries["hierarchies"] = {name: _extent(source) for name, source in sources}
        return entries

    @property
    def holds_values(self) -> bool:
        """Whether the rows of a hierarchy are in it, with every value of a column."""
        return self.outline() != self.entries()

    def __str__(self) -> str:
        return self.sentence


def _extent(source: Any) -> Any:
    """Return the path of a hierarchy, or how many values and levels its rows have."""
    if isinstance(source, str):
        return source
    return {"values": len(source), "levels": len(source[0])}


def check_named(given: Mapping[str, Any], columns: list[str], option: str) -> None:
    """Refuse options of columns that a step does not name."""
    for name in given:
        if name not in columns:
            raise Mistake((option, name), f"{name!r} is not among the columns of this step.")


def check_ascending(cuts: list[float]) -> None:
    """Refuse cuts that do not ascend."""
    if any(one >= other for one, other in pairwise(cuts)):
        raise Mistake(("cuts",), f"cuts must ascend, not {in_figures(cuts)}.")


def in_figures(values: list[float]) -> str:
    """Return numbers in a row."""
    return ", ".join(str(plain_number(value)) for value in values)
