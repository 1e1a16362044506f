"""`singleout funnel`: what a questionnaire gives away, question by question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.memory import advised
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    save_chart,
    screen,
    write_csv,
    write_safely,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.text import printable
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.predict.funnel.funnel import Funnel
    from singleout.predict.questionnaire.questionnaire import Questionnaire
    from singleout.predict.questionnaire.risk import CodingComparison, QuestionnaireRisk

__all__ = ["Codings", "chosen", "funnel", "opened", "percentage", "say"]

_COMMA = re.compile(r"(?<!\\),")
_EQUALS = re.compile(r"(?<!\\)=")

Codings = Annotated[
    list[str] | None,
    typer.Option(
        "--coding",
        metavar="QUESTION=CODING",
        help="Ask a question in another coding, as age='age band', or not at all: age=drop. "
        "Repeatable.",
    ),
]


def funnel(
    questionnaire: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTIONNAIRE", help="The YAML file; the sample that comes with it if absent."
        ),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answers",
            metavar="QUESTION=ANSWER,…",
            help="Follow these answers, as age=30-39,sex=female. Repeatable.",
        ),
    ] = None,
    coding: Codings = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            metavar="independent|joint|bounds",
            help="What counts as known about answers together; joint if the file has joint tables.",
        ),
    ] = None,
    population: Annotated[
        int | None, typer.Option("--population", help="How many people could answer.")
    ] = None,
    people: Annotated[int | None, typer.Option("--people", help="How many answer.")] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="OUT", help="Write the sample questionnaire to a file."),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print what a questionnaire may hold: a JSON schema.")
    ] = False,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Show how few people are left after each answer to a questionnaire.

    Without --answers: what the questions give away about a respondent on average and at worst, the
    share of respondents who would be unique, and what each other way to ask would change.
    """
    from singleout.io.demo import demo_files
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    if schema:
        print_json(Questionnaire.json_schema())
        return
    check_free([save, csv], force=force, read=[questionnaire, *demo_files()], plot=plot)
    given = chosen(answers, "--answers")
    _check_together(given, mode, people)
    with advised("give fewer questions, or coarser codings"), shown_if_slow():
        asked, name = opened(questionnaire)
        codings = chosen(coding, "--coding")
        shown: _Followed | _Overview
        if given:
            shown = _Followed(
                asked.funnel(given, codings=codings, mode=mode, population=population), name
            )
        else:
            shown = _Overview(asked, codings, people, population, name)
        if plot is not None:
            save_chart(plot, shown.chart(), force=force)
    if csv is not None:
        write_csv(csv, shown.rows(), force=force)
    if save is not None:
        sample = files("singleout.demo_data") / "questionnaire.yaml"
        write_safely(save, lambda part: part.write_bytes(sample.read_bytes()), force=force)
    plain = shown.to_dict()  # first, so that nothing is shown of what is refused
    if json:
        print_json({"singleout": __version__, "data": name, **plain})
    else:
        shown.show()


def opened(questionnaire: str | None) -> tuple[Questionnaire, str]:
    """Return the questionnaire in a file, or the sample, and what it is called."""
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    if questionnaire is None:
        return Questionnaire.sample(), "the sample questionnaire"
    return Questionnaire.read(questionnaire), Path(questionnaire).name


def chosen(given: Sequence[str] | None, option: str) -> dict[str, str]:
    r"""Return the pairs of ``A=b,C=d``; a comma or an equals sign in a name has a ``\`` before it.

    Parameters
    ----------
    given
        What was written, once or several times.
    option
        The option, for the sentence that says what is wrong.
    """
    found: dict[str, str] = {}
    for part in (part for text in given or () for part in _COMMA.split(text)):
        sides = _EQUALS.split(part, maxsplit=1)
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise BadChoice(
                f"{option} {part!r} is not a question and an answer; write them as age=30-39, and "
                r"a comma within one of them as \,."
            )
        question, answer = (re.sub(r"\\([,=])", r"\1", side).strip() for side in sides)
        if question in found:
            raise BadChoice(f"{option} has {question!r} twice; give it once.")
        found[question] = answer
    return found


def _check_together(answers: Mapping[str, str], mode: str | None, people: int | None) -> None:
    """Refuse options that would change nothing."""
    if mode is not None and not answers:
        raise BadChoice("--mode says how to follow answers; give them with --answers.")
    if people is not None and answers:
        raise BadChoice(
            "--people says how many answer, which changes nothing for those who give the same "
            "answers as in --answers; leave one of the two out, or give --population."
        )


# ---- what is shown


class _Followed:
    """The funnel of the answers that were given."""

    def __init__(self, found: Funnel, name: str) -> None:
        self.found = found
        self.name = name

    def to_dict(self) -> dict[str, Any]:
        return {"funnel": self.found.to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        return self.found.to_frame().to_dicts()

    def chart(self) -> Any:
        return self.found.plot()

    def show(self) -> None:
        _show_steps("How many people give the same answers", self.found)
        say(self.name, [f"{self.found}."], self.found.warnings, self.found.notes)


class _Overview:
    """What the whole questionnaire gives away."""

    def __init__(
        self,
        asked: Questionnaire,
        codings: Mapping[str, str],
        people: int | None,
        population: int | None,
        name: str,
    ) -> None:
        self.title = asked.title
        self.name = name
        how: dict[str, Any] = {"codings": codings, "population": population}
        self.risk: QuestionnaireRisk = asked.risk(people=people, **how)
        self.rarest: Funnel = asked.path("rarest", **how)
        self.ways: CodingComparison = asked.compare(people=people, **how)

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "risk": self.risk.to_dict(),
            "rarest": self.rarest.to_dict(),
            "codings": self.ways.to_dict()["codings"],
        }

    def rows(self) -> list[dict[str, Any]]:
        return self.ways.to_frame().to_dicts()

    def chart(self) -> Any:
        import altair as alt

        return alt.vconcat(self.risk.plot(), self.ways.plot(), spacing=30)

    def show(self) -> None:
        title = printable(self.title or self.name)
        screen().print(
            f"{title}: {self.risk.people:,} of {self.risk.population:,} people answer\n",
            soft_wrap=True,
        )
        print_table(
            "What the answers give away, one after the other",
            ["question", "options", "bits", "mean set", "smallest", "largest", "unique"],
            [
                [
                    _asked_as(row.question, row.coding),
                    number(row.options),
                    f"{row.bits:.2f}",
                    *(number(_short(v)) for v in (row.mean_set, row.rarest_set, row.commonest_set)),
                    percentage(row.unique),
                ]
                for row in self.risk.rows
            ],
        )
        _show_steps("The rarest answers: the worst case", self.rarest)
        print_table(
            "Other ways to ask, all other questions unchanged",
            ["question", "options", "bits", "mean set", "smallest", "unique"],
            [
                [
                    _asked_as(row.question, row.coding) + (" *" if row.asked else ""),
                    number(row.options),
                    f"{row.bits:.2f}",
                    number(_short(row.mean_set)),
                    number(_short(row.rarest_set)),
                    percentage(row.unique),
                ]
                for row in self.ways.rows
            ],
        )
        lines = [
            "set: how many people of the population give the same answers; unique: share of the "
            "people who answer; *: as it is asked.",
            f"{self.risk}.",
        ]
        warnings = [*self.risk.warnings, *self.ways.warnings, *self.rarest.warnings]
        say(self.name, lines, warnings, self.risk.notes)


def _show_steps(title: str, found: Funnel) -> None:
    print_table(
        title,
        ["answer", "share", "people left", "divided by", "bits", "at least", "at most", "alone"],
        [
            [
                f"{step.question}: {step.answer}",
                percentage(step.share),
                number(_short(step.size)),
                number(_short(step.factor)),
                number(_short(step.bits)),
                number(_short(step.lower)),
                number(_short(step.upper)),
                "–" if step.alone is None else percentage(step.alone),
            ]
            for step in found.steps
        ],
    )


def _asked_as(question: str, coding: str) -> str:
    return question if question == coding else f"{question} ({coding})"


def _short(value: float | None) -> float | None:
    """Return a number without the digits that nobody needs."""
    if value is None:
        return None
    return round(value) if value >= 100 else float(f"{value:.3g}")


def percentage(share: float) -> str:
    """Return a share as a percentage that is rounded to nothing only if it is next to nothing."""
    if share >= 0.0005 or share == 0:
        return f"{share:.1%}"
    return f"{100 * share:.1g}%" if share >= 1e-6 else "0.0%"


def say(name: str, lines: Sequence[str], warnings: Sequence[str], notes: Sequence[str]) -> None:
    """Print sentences, warnings and notes, each once."""
    out = screen()
    for line in lines:
        out.print(printable(line), soft_wrap=True)
    for warning in dict.fromkeys(warnings):
        out.print(f"Warning: {printable(warning)}", soft_wrap=True)
    for note in dict.fromkeys((*notes, f"From {name}.")):
        out.print(f"Note: {printable(note)}", soft_wrap=True)
