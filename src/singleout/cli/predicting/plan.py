"""`singleout predict plan`: the most detailed way to ask a questionnaire that keeps a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import check_report
from singleout.cli.predicting.funnel import LESS, read_questionnaire, tell_report
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, check_chart, print_table, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.planning.plan import CollectionPlan

__all__ = ["plan"]

_SHARE = 0.95


def plan(
    questionnaire: options.QuestionnaireFile = None,
    unique: options.MostUnique = None,
    in_sets_of: options.InSetsOf = None,
    share: options.ShareInSets = None,
    people: Annotated[int | None, typer.Option("--people", "-k", help="How many answer.")] = None,
    prefer: Annotated[
        str,
        typer.Option(
            "--prefer",
            metavar="balance|bits",
            help="What is most detailed: a little of every question, or as many bits as can be.",
        ),
    ] = "balance",
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="QUESTION=NUMBER",
            help="How much a question counts; 1 if absent. Repeatable.",
        ),
    ] = None,
    never_drop: options.NeverDrop = None,
    output: options.ReportOut = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Find the most detailed way to ask a questionnaire that keeps a policy.

    Each question is asked in one of its codings, or dropped. Shows what each step from the most
    detailed questionnaire to the plan buys: how many people are unique before and after it.
    """
    from singleout.report.page import write_page

    check_report(output)
    check_chart(plot)
    if unique is None and in_sets_of is None:
        raise BadChoice(
            "Say what must hold: --unique 0.05 (at most 5% unique), --in-sets-of 5 --share 0.95, "
            "or both."
        )
    if share is not None and in_sets_of is None:
        raise BadChoice("--share goes with --in-sets-of; give that as well, or leave --share out.")
    weights = {q: _number(q, text) for q, text in options.pairs(weight, "--weight").items()}
    policy: dict[str, Any] = {"unique": unique}
    if in_sets_of is not None:
        policy["in_sets_of"] = (in_sets_of, _SHARE if share is None else share)
    with shown_if_slow(LESS):
        asked, name = read_questionnaire(questionnaire)
    read = [questionnaire, *asked.files]
    outputs = Outputs(json=json, csv=csv, plot=plot, files=[output], force=force, read=read)
    with shown_if_slow(LESS):
        result = asked.plan(
            policy,
            people=people,
            prefer=prefer,
            weights=weights,
            never_drop=options.column_names(never_drop, "--never-drop") or (),
        )
        outputs.write(
            rows=lambda: [{"question": q, "coding": c} for q, c in result.codings.items()],
            chart=result.plot,
            files={output: lambda part: write_page(result.report_content(name), part)},
        )

    def for_people() -> None:
        _show(result, name)
        tell_report(output)

    outputs.show(lambda: {"data": name, "plan": result.to_dict()}, for_people)


def _number(question: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadChoice(
            f"--weight {question}={text} is not a number; write it as {question}=2."
        ) from None


def _show(result: CollectionPlan, name: str) -> None:
    from singleout.predict.funnel.tables import plan_steps

    show_table("screen.predict_plan.codings", [list(pair) for pair in result.codings.items()])
    if result.steps:
        print_table(say("screen.predict_plan.steps"), *plan_steps(result))
    kept = ", ".join(map(repr, result.never_drop))
    fixed = [say("screen.predict_plan.never_drop", questions=kept)] if kept else []
    notes = [*result.notes, *fixed, say("screen.from", source=name)]
    tell(f"{result}.", warnings=result.warnings, notes=notes)
