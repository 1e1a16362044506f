"""Steps: an ordered list of what is done to a table, as a YAML file or in Python.

The same manners as plans: an error is one sentence with a line, and there is a JSON schema.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from singleout.core.paths import expanded
from singleout.core.text import json_text
from singleout.errors import BadChoice, InputError, nearest
from singleout.io.yaml.document import Document
from singleout.io.yaml.errors import Mistake, missing_column, mistake_of, quoted_key, without_value
from singleout.io.yaml.file import Origin, plain
from singleout.io.yaml.text import yaml_text
from singleout.treatment.steps.models import (
    Drop,
    Generalise,
    Microaggregate,
    Recode,
    Shuffle,
    Step,
    SuppressCells,
    SuppressRecords,
)

__all__ = ["Steps", "steps_schema_text"]

_KINDS: Mapping[str, type[Step]] = {
    "recode": Recode,
    "drop": Drop,
    "generalise": Generalise,
    "shuffle": Shuffle,
    "microaggregate": Microaggregate,
}
_SUPPRESS: Mapping[str, type[Step]] = {"records": SuppressRecords, "cells": SuppressCells}
_WORDS = (*_KINDS, "suppress")


def _step(value: Any) -> Any:
    """Return the step that some entries are, by the word that starts it."""
    if isinstance(value, Step):
        return value
    if not isinstance(value, Mapping):
        raise Mistake((), f"a step is an entry such as 'recode: age', one of {', '.join(_WORDS)}.")
    kind = _kind(value)
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        # a key without a value explains the error better than what follows from it
        raise without_value(kind, value) or mistake_of(error, kind, value) from None


def _kind(value: Mapping[str, Any]) -> type[Step]:
    found = [word for word in _WORDS if word in value]
    if not found:
        keys = [str(key) for key in value]
        hint = next((hint for key in keys if (hint := nearest(key, _WORDS))), None)
        raise Mistake(
            (),
            f"{quoted_key(keys[0]) if keys else 'it'} is no step, but {', '.join(_WORDS)} are"
            + (f"; did you mean {hint!r}?" if hint else "."),
        )
    if len(found) > 1:
        raise Mistake(
            (found[1],), f"{found[0]!r} and {found[1]!r} are two steps; start a new one with '-'."
        )
    if found[0] != "suppress":
        return _KINDS[found[0]]
    what = value["suppress"]
    if what not in _SUPPRESS:
        raise Mistake(("suppress",), f"'suppress' must be records or cells, not {what!r}.")
    return _SUPPRESS[what]


_AnyStep = Recode | Drop | SuppressRecords | SuppressCells | Generalise | Shuffle | Microaggregate


class Steps(Document):
    """What is done to a table, one step after the other.

    Examples
    --------
    >>> import singleout as so
    >>> steps = so.Steps.of([{"recode": "age", "width": 5}, {"drop": ["name"]}])
    >>> for sentence in steps.sentences:
    ...     print(sentence)
    age becomes intervals of 5.
    Column left out: name.
    """

    what: ClassVar[str] = "steps"
    part_of: ClassVar[str] = "treatment"
    largest: ClassVar[int] = 20_000_000  # bytes: hierarchies may be written in it

    steps: list[Annotated[_AnyStep, BeforeValidator(_step)]] = Field(
        default_factory=list, description="The steps, in their order."
    )
    perturb: bool = Field(
        default=False,
        description="Whether steps are allowed that publish values which are not true of a person: "
        "shuffle and microaggregate.",
    )

    @classmethod
    def of(
        cls, given: Steps | str | os.PathLike[str] | Mapping[str, Any] | Sequence[Any] | Step
    ) -> Steps:
        """Return the steps that are given as steps, a path, a list or a mapping.

        Parameters
        ----------
        given
            Steps, one step, a list of steps or of their entries, a path, or what the file would
            hold.
        """
        if isinstance(given, Steps):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.read(given)
        if isinstance(given, Step):
            given = [given]
        if isinstance(given, Mapping):
            entries = {"steps": [given]} if any(word in given for word in _WORDS) else given
        elif isinstance(given, Iterable):
            entries = {"steps": list(given)}
        else:
            raise BadChoice(
                f"Steps cannot be made of a {type(given).__name__}; give Steps, a list of steps, "
                "the path of a YAML file or a mapping of what the file would hold."
            )
        return cls._given(entries)

    @classmethod
    def _plain(cls, values: Any, origin: Origin) -> Any:
        """Return entries with text for keys; steps that are made already stay as they are."""
        if not (isinstance(values, Mapping) and isinstance(values.get("steps"), list | tuple)):
            return plain(values, origin)
        steps = [one if isinstance(one, Step) else plain(one, origin) for one in values["steps"]]
        rest = {key: one for key, one in values.items() if key != "steps"}
        return {**plain(rest, origin), "steps": steps}

    # ---- what they say

    def __iter__(self) -> Iterator[Step]:  # type: ignore[override] # of pydantic: fields
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def __getitem__(self, index: int) -> Step:
        return self.steps[index]

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return tuple(step.sentence for step in self.steps)

    @property
    def folder(self) -> Path | None:
        """The folder of the file that the steps were read from."""
        return self._origin.folder

    def file(self, name: str) -> Path:
        """Return the path of a file that a step names."""
        return (self.folder or Path()) / expanded(name)

    def refusal(self, index: int, error: Mistake | InputError) -> BadChoice:
        """Return what is wrong with a step as an error with its line."""
        path = error.path if isinstance(error, Mistake) else ()
        return self._origin.refusal(Mistake(("steps", index, *path), str(error)))

    def check(self, names: Iterable[str]) -> None:
        """Refuse steps that name a column which a table does not have, or no longer.

        Parameters
        ----------
        names
            The columns of the table.
        """
        there = list(names)
        for index, step in enumerate(self.steps):
            for name in step.columns_used:
                if name not in there:
                    raise self.refusal(index, missing_column(name, there))
            if isinstance(step, Drop):
                there = [name for name in there if name not in step.drop]
                if not there:
                    raise self.refusal(
                        index, Mistake((), "no column would be left; keep at least one.")
                    )

    # ---- how they leave

    def to_dict(self) -> dict[str, Any]:
        """Return what a file of these steps holds, as plain values."""
        entries: dict[str, Any] = {"perturb": True} if self.perturb else {}
        return {**entries, "steps": [step.entries() for step in self.steps]}

    def outline(self) -> list[dict[str, Any]]:
        """Return the entries of each step, without the rows of hierarchies: how many they are."""
        return [step.outline() for step in self.steps]

    @property
    def hold_values(self) -> bool:
        """Whether rows of hierarchies are in them, with every value of a column."""
        return any(step.holds_values for step in self.steps)

    def to_yaml(self) -> str:
        """Return the steps as YAML; reading it gives the same steps."""
        lines = ["perturb: true\n"] if self.perturb else []
        lines.append("steps:\n" if self.steps else "steps: []\n")
        for step in self.steps:
            text = yaml_text(step.entries(), indent=4)
            lines.append(f"  - {text[4:]}")
        return "".join(lines)

    def write(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write the steps to a YAML file, for its owner only: hierarchies in it hold all values.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that exists is written over.
        """
        from singleout.core.output_files import write_safely

        text = self.to_yaml()
        write_safely(
            Path(path),
            lambda part: part.write_text(text, encoding="utf-8"),
            force=force,
            private=True,
        )

    @classmethod
    def schema(cls) -> dict[str, Any]:  # type: ignore[override] # replaces one that pydantic retired
        """Return the JSON schema of steps."""
        return cls._schema()

    def __repr__(self) -> str:
        return f"Steps({len(self.steps)}: {' '.join(self.sentences)})"

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    @model_validator(mode="after")
    def _makes_sense(self) -> Steps:
        dropped: set[str] = set()
        for index, step in enumerate(self.steps):
            if step.perturbs and not self.perturb:
                word = next(iter(step.entries()))
                raise Mistake(
                    ("steps", index),
                    f"{word} publishes values that are not true of a person, or moves them; write "
                    "'perturb: true' above the steps if that is wanted.",
                )
            gone = [name for name in step.columns_used if name in dropped]
            if gone:
                raise Mistake(("steps", index), f"{gone[0]!r} was dropped by a step before.")
            if isinstance(step, Drop):
                dropped.update(step.drop)
        return self


def steps_schema_text() -> str:
    """Return the JSON schema of steps as it is published."""
    return json_text(Steps.schema())
