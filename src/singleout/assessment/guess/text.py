"""A guessed plan as a file to be edited: every guess with its reason, every choice explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from singleout.assessment.guess.column import Guess
from singleout.assessment.plan.plan import Plan
from singleout.core.choices import Role
from singleout.core.text import printable
from singleout.io.yaml.text import scalar, yaml_text
from singleout.methods.registry import in_plan
from singleout.report.say import say

__all__ = ["commented"]

_WIDTH = 96


def commented(
    plan: Plan, guesses: Sequence[Guess], source: str, records: int, notes: Sequence[str]
) -> str:
    """Return a guessed plan as YAML with comments; the notes say what is missing to assess."""
    return "".join(_parts(plan, guesses, source, records, notes))


def _parts(
    plan: Plan, guesses: Sequence[Guess], source: str, records: int, notes: Sequence[str]
) -> Iterator[str]:
    sizes = {"records": records, "columns": len(guesses)}
    yield _comment(say("guess.file.title", source=printable(source), **sizes))
    yield say("guess.file.head")
    for note in notes:
        yield "#\n" + _comment(say("guess.file.to_do", note=note))
    yield "\n"
    if plan.data is not None:
        yield yaml_text({"data": plan.data})
    if plan.reading.options:
        yield yaml_text({"reading": plan.reading.options})
    yield f"missing: {plan.missing}  # {say('guess.file.missing')}\n\n"
    entries = {"columns": {}, **plan.entries()}
    yield "columns:\n" if plan.columns else "#columns:\n"
    for guess in guesses:
        yield from _column(guess, entries["columns"].get(guess.column), plan)
    yield "\n"
    population = entries.get("population")
    if population:
        yield f"# {say('guess.file.weights')}\n"
        yield yaml_text({"population": population})
    else:
        yield say("guess.file.population")
    # valid once the first # of each line is removed; that of the methods comes last
    yield say("guess.file.examples")
    for method in in_plan():
        if method.example:
            yield f"#  {method.name}: {method.example}\n"
    yield _combination(plan)


def _column(guess: Guess, entries: Mapping[str, Any] | None, plan: Plan) -> Iterator[str]:
    sure = say(f"guess.sure.{guess.sure}")
    yield _comment(say("guess.file.guess", sure=sure, reason=printable(guess.reason)), indent=2)
    if entries is None:
        yield from _to_be_stated(guess)
        return
    if not guess.understood:
        yield _comment(say("guess.file.open"), indent=2)
    without_values = {key: value for key, value in entries.items() if key != "values"}
    yield yaml_text({guess.column: without_values}, indent=2)
    rated = {value for value, _ in guess.harmless}
    offered = [value for value in guess.offered if value not in rated]
    if guess.harmless:
        about = say("guess.file.values_rare" if offered else "guess.file.values")
        yield f"    values:  # {about}\n"
        for value, says in guess.harmless:
            yield f"      {scalar(value)}: 1  # {say('guess.file.it_says', says=says)}\n"
    elif offered:
        yield f"    #values:  # {say('guess.file.values_rare')}\n"
    severity = plan.columns[guess.column].severity or 4
    for value in offered:
        before = "      #" if rated else "    #  "
        yield f"{before}{scalar(value)}: {severity}\n"


def _to_be_stated(guess: Guess) -> Iterator[str]:
    """Offer a column that nobody understands, on the safe side."""
    yield _comment(say("guess.file.open"), indent=2)
    entries = {"role": str(Role.QUASI_IDENTIFIER)}
    if guess.scale is not None:
        entries["scale"] = guess.scale
    for line in yaml_text({guess.column: entries}).splitlines():
        yield f"  #{line}\n"


def _combination(plan: Plan) -> str:
    """Return an example of a combination, of the plan's own columns where it has enough."""
    # what is sensitive too is left to be inferred
    known_only = [name for name in plan.quasi_identifiers if name not in plan.sensitive]
    easiest_first = sorted(known_only, key=plan.exposure_of, reverse=True)
    known = easiest_first[:2]
    if len(known) < 2:
        return ""
    entries = yaml_text({"combinations": {say("guess.file.combination"): known}})
    return "".join(f"#{line}\n" for line in entries.splitlines())


def _comment(text: str, indent: int = 0) -> str:
    before = " " * indent + "# "
    lines = wrap(text, _WIDTH - indent, break_on_hyphens=False)
    return "".join(f"{before}{line}\n" for line in lines)
