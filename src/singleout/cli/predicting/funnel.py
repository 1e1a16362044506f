"""`singleout funnel`: what a questionnaire gives away, question by question."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import check_report
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, check_chart, print_json, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.funnel.funnel import Funnel
    from singleout.predict.questionnaire.questionnaire import Questionnaire
    from singleout.predict.questionnaire.risk import CodingComparison, QuestionnaireRisk
    from singleout.report.content import Report

__all__ = ["LESS", "funnel", "read_questionnaire", "tell_report"]

_PATHS = ("rarest", "commonest")
LESS = "give fewer questions, or coarser codings"


def funnel(
    questionnaire: options.QuestionnaireFile = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            "--answers",
            metavar="QUESTION=ANSWER,…",
            help="Follow these answers, as age=30-39,sex=female. Repeatable.",
        ),
    ] = None,
    coding: Annotated[
        list[str] | None,
        typer.Option(
            "--coding",
            metavar="QUESTION=CODING",
            help="Ask a question in another coding, as age='age band', or not at all: age=drop. "
            "Repeatable.",
        ),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            metavar="independent|joint|bounds",
            help="What counts as known about answers together; joint if the file has joint tables.",
        ),
    ] = None,
    path: Annotated[
        str,
        typer.Option(
            "--path",
            metavar="rarest|commonest",
            help="Without --answers: follow the rarest answers, or the most common ones as in "
            "appendix B of the thesis.",
        ),
    ] = "rarest",
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
    output: options.ReportOut = None,
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
    from singleout.report.page import write_page

    if schema:
        print_json(Questionnaire.json_schema())
        return
    check_report(output)
    check_chart(plot)
    followed = options.pairs(answers, "--answers")
    _check_together(followed, mode, people, path)
    with shown_if_slow(LESS):
        asked, name = read_questionnaire(questionnaire)
    read = [questionnaire, *asked.files, *demo_files()]
    outputs = Outputs(json=json, csv=csv, plot=plot, files=[save, output], force=force, read=read)
    with shown_if_slow(LESS):
        codings = options.pairs(coding, "--coding")
        shown: _Followed | _Overview
        if followed:
            funnel = asked.funnel(followed, codings=codings, mode=mode, population=population)
            shown = _Followed(funnel, name)
        else:
            shown = _Overview(asked, codings, people, population, name, path)
        sample = files("singleout.demo_data") / "questionnaire.yaml"
        outputs.write(
            rows=shown.rows,
            chart=shown.chart,
            files={
                save: lambda part: part.write_bytes(sample.read_bytes()),
                output: lambda part: write_page(shown.page(), part),
            },
        )

    def for_people() -> None:
        shown.show()
        tell_report(output)

    outputs.show(lambda: {"data": name, **shown.to_dict()}, for_people)


def tell_report(output: Path | None) -> None:
    """Print which report was written, if one was."""
    tell(*([] if output is None else [say("screen.written", file=output)]))


def read_questionnaire(questionnaire: str | None) -> tuple[Questionnaire, str]:
    """Return the questionnaire in a file, or the sample, and its name."""
    from singleout.predict.questionnaire.questionnaire import Questionnaire

    if questionnaire is None:
        return Questionnaire.sample(), say("screen.funnel.sample")
    return Questionnaire.read(questionnaire, records=_record), Path(questionnaire).name


def _record(given: Mapping[str, Any]) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """Return the summary of a record that a question names; repositories load only then."""
    from singleout.repository.answering.sources import summary_of_record

    return summary_of_record(given)


def _check_together(
    answers: Mapping[str, str], mode: str | None, people: int | None, path: str
) -> None:
    """Refuse options that would change nothing."""
    if path not in _PATHS:
        raise BadChoice(f"--path {path!r} is not a path; choose rarest or commonest.")
    if answers and path != _PATHS[0]:
        raise BadChoice("--path chooses the answers itself; leave it out, or leave out --answers.")
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

    def __init__(self, funnel: Funnel, name: str) -> None:
        self.funnel = funnel
        self.name = name

    def to_dict(self) -> dict[str, Any]:
        return {"funnel": self.funnel.to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.funnel.to_frame().to_dicts()
        return rows

    def chart(self) -> Any:
        return self.funnel.plot()

    def page(self) -> Report:
        return self.funnel.report_content(self.name)

    def show(self) -> None:
        from singleout.predict.funnel.tables import legends, step_rows

        title = say("screen.funnel.followed")
        show_table("screen.funnel.steps", step_rows(self.funnel, bounds=True), title=title)
        notes = [*self.funnel.notes, say("screen.from", source=self.name)]
        legend = legends(self.funnel)
        tell(f"{self.funnel}.", *legend, warnings=self.funnel.warnings, notes=notes)


class _Overview:
    """What the whole questionnaire gives away."""

    def __init__(
        self,
        asked: Questionnaire,
        codings: Mapping[str, str],
        people: int | None,
        population: int | None,
        name: str,
        path: str,
    ) -> None:
        self.which = path
        self.title = asked.title
        self.name = name
        how: dict[str, Any] = {"codings": codings, "population": population}
        self.risk: QuestionnaireRisk = asked.risk(people=people, **how)
        self.path: Funnel = asked.path(path, **how)
        self.ways: CodingComparison = asked.compare(people=people, **how)

    def to_dict(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "risk": self.risk.to_dict(),
            self.which: self.path.to_dict(),
            "codings": self.ways.to_dict()["codings"],
        }

    def rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = self.ways.to_frame().to_dicts()
        return rows

    def chart(self) -> Any:
        import altair as alt

        return alt.vconcat(self.risk.plot(), self.ways.plot(), spacing=30)

    def page(self) -> Report:
        from singleout.predict.funnel.page import questionnaire_page

        source = self.title or self.name
        return questionnaire_page(self.risk, self.path, self.ways, which=self.which, source=source)

    def show(self) -> None:
        from singleout.predict.funnel.tables import coding_rows, legends, risk_rows, step_rows

        counts = {"people": self.risk.people, "population": self.risk.population}
        tell(say("screen.funnel.about", title=self.title or self.name, **counts))
        show_table("screen.funnel.risk", risk_rows(self.risk))
        title = say(f"screen.funnel.{self.which}")
        show_table("screen.funnel.path", step_rows(self.path, bounds=False), title=title)
        show_table("screen.funnel.codings", coding_rows(self.ways))
        tell(
            *legends(ways=self.ways),
            f"{self.risk}.",
            warnings=[*self.risk.warnings, *self.ways.warnings, *self.path.warnings],
            notes=[*self.risk.notes, say("screen.from", source=self.name)],
        )
