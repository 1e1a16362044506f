"""`singleout predict plan`: the most detailed way to ask a questionnaire that keeps a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.funnel import chosen, opened, percentage, say
from singleout.cli.memory import advised
from singleout.cli.output import check_free, print_json, print_table, save_chart, write_csv
from singleout.cli.progress import shown_if_slow
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.predict.planning.plan import CollectionPlan

__all__ = ["plan"]

_SHARE = 0.95


def plan(
    questionnaire: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTIONNAIRE", help="The YAML file; the sample that comes with it if absent."
        ),
    ] = None,
    unique: Annotated[
        float | None,
        typer.Option("--unique", help="The share of people that may be unique, as 0.05."),
    ] = None,
    in_sets_of: Annotated[
        int | None,
        typer.Option("--in-sets-of", metavar="SIZE", help="The size that sets should have."),
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share", help="With --in-sets-of: the share of people in such sets; 0.95 if absent."
        ),
    ] = None,
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
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Find the most detailed way to ask a questionnaire that keeps a policy.

    Each question is asked in one of its codings, or dropped. Shows what each step from the most
    detailed questionnaire to the plan buys: how many people are unique before and after it.
    """
    if unique is None and in_sets_of is None:
        raise BadChoice(
            "Say what must hold: --unique 0.05 (at most 5% unique), --in-sets-of 5 --share 0.95, "
            "or both."
        )
    check_free([csv], force=force, read=[questionnaire], plot=plot)
    if share is not None and in_sets_of is None:
        raise BadChoice("--share goes with --in-sets-of; give that as well, or leave --share out.")
    weights = {name: _number(name, text) for name, text in chosen(weight, "--weight").items()}
    policy: dict[str, Any] = {"unique": unique}
    if in_sets_of is not None:
        policy["in_sets_of"] = (in_sets_of, _SHARE if share is None else share)
    with advised("give fewer questions, or coarser codings"), shown_if_slow():
        asked, name = opened(questionnaire)
        found = asked.plan(policy, people=people, prefer=prefer, weights=weights)
        if plot is not None:
            save_chart(plot, found.plot(), force=force)
    if csv is not None:
        write_csv(csv, _rows(found), force=force)
    plain = found.to_dict()  # first, so that nothing is shown of what is refused
    if json:
        print_json({"singleout": __version__, "data": name, "plan": plain})
    else:
        _show(found, name)


def _number(question: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise BadChoice(
            f"--weight {question}={text} is not a number; write it as {question}=2."
        ) from None


def _rows(found: CollectionPlan) -> list[dict[str, Any]]:
    return [{"question": name, "coding": coding} for name, coding in found.codings.items()]


def _show(found: CollectionPlan, name: str) -> None:
    print_table(
        "How to ask",
        ["question", "coding"],
        [[question, coding] for question, coding in found.codings.items()],
    )
    sets = [] if found.in_sets is None else [f"in sets of {found.policy.size}+"]
    if found.steps:
        print_table(
            "What each step buys",
            ["step", "bits lost", "unique before", "after", *sets, "policy kept"],
            [
                [
                    f"{step.attribute}: {step.before} → {step.after}",
                    f"{step.bits_lost:.2f}",
                    percentage(step.unique_before),
                    percentage(step.unique),
                    *([percentage(step.in_sets)] if step.in_sets is not None else []),
                    "yes" if step.kept else "no",
                ]
                for step in found.steps
            ],
        )
    say(name, [f"{found}."], found.warnings, found.notes)
