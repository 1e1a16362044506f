"""A questionnaire as a file: questions, options and how common they are.

The file is YAML; its text stays as it is written, so that the options may be called what they are
called: ``no``, ``1985`` or ``30-39``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from singleout.io.yaml.file import Origin, checked, plain, read_yaml

__all__ = [
    "CodingEntry",
    "JointEntry",
    "QuestionEntry",
    "QuestionnaireFile",
    "as_share",
    "read_file",
    "read_mapping",
]

_PERCENT = re.compile(r"\s*([\d.]+)\s*%\s*")


def _from_percent(given: Any) -> Any:
    found = _PERCENT.fullmatch(given) if isinstance(given, str) else None
    return float(found[1]) / 100 if found and found[1].count(".") < 2 else given


def as_share(given: Any) -> float | None:
    """Return a number or a percentage as a number of 0 or more; None if it is neither."""
    try:
        number = float(_from_percent(given))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) and number >= 0 else None


Share = Annotated[
    float,
    BeforeValidator(_from_percent, json_schema_input_type=float | str),
    Field(ge=0, allow_inf_nan=False, description="A number such as 0.25, or a percentage: 25 %."),
]
_MOST_PEOPLE = 10**12  # more than ever lived

Count = Annotated[int, Field(ge=0, le=_MOST_PEOPLE)]
People = Annotated[int, Field(ge=1, le=_MOST_PEOPLE)]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CodingEntry(_Entry):
    """A way to ask a question: its options, by shares, counts or as groups of the first coding."""

    name: str = Field(min_length=1, description="What this way to ask is called.")
    shares: dict[str, Share] | None = Field(default=None, description="Share of people by option.")
    counts: dict[str, Count] | None = Field(default=None, description="Number of people by option.")
    groups: dict[str, str | list[str]] | None = Field(
        default=None,
        description="For each option, the options of the first coding that it puts together: a "
        "list, or first..last.",
    )


class QuestionEntry(_Entry):
    """A question with its options, or with several codings of them, most detailed first."""

    name: str = Field(min_length=1, description="A short name, used in --answers.")
    text: str = Field(default="", description="The question as respondents read it.")
    shares: dict[str, Share] | None = Field(default=None, description="Share of people by option.")
    counts: dict[str, Count] | None = Field(default=None, description="Number of people by option.")
    codings: list[CodingEntry] | None = Field(
        default=None, max_length=50, description="Several ways to ask, the most detailed first."
    )
    ask: str | None = Field(
        default=None, description="The coding that is asked; if absent, the first."
    )


class JointEntry(_Entry):
    """How the answers to several questions depend: shares or counts of their combinations."""

    questions: list[str] = Field(min_length=2, description="Which questions, in order.")
    shares: dict[str, Any] | None = Field(
        default=None, description="By option of the first question, then of the second, and so on."
    )
    counts: dict[str, Any] | None = Field(
        default=None, description="The same as numbers of people."
    )


class QuestionnaireFile(_Entry):
    """Everything a questionnaire file may hold."""

    title: str = Field(default="", description="What the questionnaire is called.")
    population: People | None = Field(
        default=None,
        description="How many people could answer, such as the inhabitants of a country.",
    )
    people: People | None = Field(
        default=None, description="How many of them are expected to answer; if absent, all."
    )
    questions: list[QuestionEntry] = Field(
        min_length=1, max_length=200, description="In the order of asking."
    )
    joint: list[JointEntry] = Field(
        default_factory=list,
        max_length=200,
        description="What is known of how answers depend.",
    )


def read_file(path: str | Path) -> tuple[QuestionnaireFile, Origin]:
    """Read a questionnaire from a YAML file.

    Parameters
    ----------
    path
        The file.
    """
    given, origin = read_yaml(path, "questionnaire")
    return checked(QuestionnaireFile, given, origin), origin


def read_mapping(given: Mapping[str, Any]) -> tuple[QuestionnaireFile, Origin]:
    """Take a questionnaire from plain values, laid out as in a file.

    Parameters
    ----------
    given
        What the file would hold.
    """
    origin = Origin("questionnaire")
    return checked(QuestionnaireFile, plain(given, origin), origin), origin
