"""A questionnaire as a YAML file: questions, options and how common they are.

Scalars are read as text, so that ``no``, ``1985`` and ``30-39`` can be names of options.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from singleout.core.arguments import from_percent
from singleout.io.yaml.file import Origin, checked, plain, read_yaml

__all__ = [
    "MOST_OPTIONS",
    "CodingEntry",
    "JointEntry",
    "QuestionEntry",
    "QuestionnaireFile",
    "SummaryEntry",
    "as_share",
    "read_file",
    "read_mapping",
]


def as_share(value: Any) -> float | None:
    """Return a number or a percentage as a number of 0 or more; None if it is neither."""
    try:
        number = float(from_percent(value))
    except (TypeError, ValueError):
        return None
    return number if isfinite(number) and number >= 0 else None


Share = Annotated[
    float,
    BeforeValidator(from_percent, json_schema_input_type=float | str),
    Field(ge=0, allow_inf_nan=False, description="A number such as 0.25, or a percentage: 25 %."),
]
MOST_OPTIONS = 100_000
_MOST_PEOPLE = 10**12  # more than ever lived

Count = Annotated[int, Field(ge=0, le=_MOST_PEOPLE)]
People = Annotated[int, Field(ge=1, le=_MOST_PEOPLE)]


def _file_or_options(value: Any) -> str:
    return "file" if isinstance(value, str) else "options"


_FileName = Annotated[str, Field(min_length=1), Tag("file")]
_Counts = Annotated[
    Annotated[dict[str, Count], Tag("options")] | _FileName, Discriminator(_file_or_options)
]
_CellCounts = Annotated[
    Annotated[dict[str, Any], Tag("options")] | _FileName, Discriminator(_file_or_options)
]
_COUNTS = "Number of people by option, or the file that has them, such as people.csv."
_VALUE = "In the file of counts: the column of the options; that of the question's name if absent."
_COUNT = "In the file of counts: the column of the numbers of people; count if absent."


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SummaryEntry(_Entry):
    """What is published of a question whose table is not: see `Distribution.from_summary`."""

    cells: int = Field(ge=1, le=MOST_OPTIONS, description="How many answers are possible.")
    kl: float | None = Field(
        default=None, description="The Kullback-Leibler distance to uniform, in nats."
    )
    power_sums: list[float] | None = Field(
        default=None, description="The sums of the squares and of the cubes of the shares."
    )


class CodingEntry(_Entry):
    """A way to ask a question: its options, by shares, counts or as groups of the first coding."""

    name: str = Field(min_length=1, description="What this way to ask is called.")
    shares: dict[str, Share] | None = Field(default=None, description="Share of people by option.")
    counts: _Counts | None = Field(default=None, description=_COUNTS)
    value: str | None = Field(default=None, description=_VALUE)
    count: str | None = Field(default=None, description=_COUNT)
    rest: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Where only some shares are known: how many other answers share what is left, "
        "equally.",
    )
    groups: dict[str, str | list[str]] | None = Field(
        default=None,
        description="For each option, the options of the first coding that it puts together: a "
        "list, or first..last, or 1000..1099 for the numbers within.",
    )
    summary: SummaryEntry | None = Field(
        default=None, description="A published summary, where shares are not published."
    )
    record: dict[str, Any] | None = Field(
        default=None,
        description="A record of a repository, of which the summary is taken: repository, "
        "quasi_identifier and population.",
    )


class QuestionEntry(_Entry):
    """A question with its options, or with several codings of them, most detailed first."""

    name: str = Field(min_length=1, description="A short name, used in --answers.")
    text: str = Field(default="", description="The question as respondents read it.")
    shares: dict[str, Share] | None = Field(default=None, description="Share of people by option.")
    counts: _Counts | None = Field(default=None, description=_COUNTS)
    value: str | None = Field(default=None, description=_VALUE)
    count: str | None = Field(default=None, description=_COUNT)
    summary: SummaryEntry | None = Field(
        default=None, description="A published summary, where shares are not published."
    )
    record: dict[str, Any] | None = Field(
        default=None,
        description="A record of a repository, of which the summary is taken: repository, "
        "quasi_identifier and population.",
    )
    rest: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        description="Where only some shares are known: how many other answers share what is left, "
        "equally.",
    )
    several: bool = Field(
        default=False,
        description="Whether several answers can be given, or none: then each has the share of "
        "people who give it, and the shares need not add up to 1.",
    )
    never_drop: bool = Field(
        default=False, description="Whether a plan must ask the question, however coarsely."
    )
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
    counts: _CellCounts | None = Field(
        default=None, description="The same as numbers of people, or the file that has them."
    )
    values: list[str] | None = Field(
        default=None,
        description="In the file of counts: the column of each question; those of their names if "
        "absent.",
    )
    count: str | None = Field(default=None, description=_COUNT)


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
    """Read a questionnaire from a YAML file."""
    content, origin = read_yaml(path, "questionnaire")
    return checked(QuestionnaireFile, content, origin), origin


def read_mapping(content: Mapping[str, Any]) -> tuple[QuestionnaireFile, Origin]:
    """Read a questionnaire from plain values, structured as in a file."""
    origin = Origin("questionnaire")
    return checked(QuestionnaireFile, plain(content, origin), origin), origin
