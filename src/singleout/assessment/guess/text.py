"""A guessed plan as a file to be edited: every guess with its reason, every choice explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from singleout.assessment.guess.column import Guess
from singleout.assessment.plan.file import scalar, yaml_text
from singleout.assessment.plan.plan import Plan
from singleout.core.choices import Role
from singleout.core.text import printable
from singleout.methods.registry import in_plan

__all__ = ["EXAMPLES", "commented"]

_WIDTH = 96
_OPEN = "Not understood: state its role, since the risk depends on it."
_VALUES = "the severity of single values, where it differs"

_HEAD = """\
# Each role, exposure and impact below is a GUESS from names and values, with its reason and how
# sure it is: sure, likely or unsure. Check them all: only somebody who knows the data can say what
# others know, and what would hurt. Nothing was sent anywhere.
#
#   role      direct-identifier (names a person by itself), quasi-identifier (others can know it),
#             sensitive (its disclosure hits people), weight, household, other; or
#             [quasi-identifier, sensitive]: others see it, and its disclosure hits people
#   exposure  of a quasi-identifier, how easily it is found elsewhere:
#             IR internal, restricted   (few people of one service)
#             IE internal, extended     (several services of one organisation)
#             ER external, restricted   (outside, by searching in depth)
#             EE external, extended     (known widely, or found by a search engine)
#   bodily, material, moral
#             how hard a disclosure hits: 1 Negligible, 2 Limited, 3 Significant, 4 Maximum
#   scale     nominal, or ordinal where the values have an order
"""

# Sections that a plan may have besides, that of the methods last: valid once their first sign is
# removed.
EXAMPLES = """\
#policy:                  # what is acceptable
#  highest_risk: 2        # 1 Minor, 2 Significant, 3 Severe, 4 Critical
#  k: 3                   # records that must share each combination of values
#  unique_share: 5 %      # of the records
#methods:
"""
_POPULATION = """\
#population:              # one of: sampling_fraction, size, weights
#  size: 100000           # people in all
"""


def commented(
    plan: Plan, guesses: Sequence[Guess], source: str, records: int, notes: Sequence[str]
) -> str:
    """Return a guessed plan as YAML with comments.

    Parameters
    ----------
    plan
        The plan.
    guesses
        What was guessed for each column, and why.
    source
        What the table is called.
    records
        How many records it has.
    notes
        What is missing for an assessment.
    """
    return "".join(_parts(plan, guesses, source, records, notes))


def _parts(
    plan: Plan, guesses: Sequence[Guess], source: str, records: int, notes: Sequence[str]
) -> Iterator[str]:
    yield _comment(
        f"A plan to assess {printable(source)}: {records:,} records, {len(guesses):,} columns."
    )
    yield _HEAD
    for note in notes:
        yield "#\n" + _comment(f"To do: {note}")
    yield "\n"
    if plan.data is not None:
        yield yaml_text({"data": plan.data})
    yield f"missing: {plan.missing}  # what a missing value means: value, wildcard or drop\n\n"
    entries = {"columns": {}, **plan.entries()}
    yield "columns:\n" if plan.columns else "#columns:\n"
    for guess in guesses:
        yield from _column(guess, entries["columns"].get(guess.column), plan)
    yield "\n"
    population = entries.get("population")
    if population:
        yield "# guess: the column of weights says how many people a record stands for\n"
        yield yaml_text({"population": population})
    else:
        yield _POPULATION
    yield EXAMPLES
    for method in in_plan():
        if method.example:
            yield f"#  {method.name}: {method.example}\n"
    yield _combination(plan)


def _column(guess: Guess, entries: Mapping[str, Any] | None, plan: Plan) -> Iterator[str]:
    yield _comment(f"guess, {guess.sure}: {printable(guess.reason)}", indent=2)
    if entries is None:
        yield from _to_be_stated(guess)
        return
    if not guess.understood:
        yield _comment(_OPEN, indent=2)
    without_values = {key: value for key, value in entries.items() if key != "values"}
    yield yaml_text({guess.column: without_values}, indent=2)
    rated = {value for value, _ in guess.harmless}
    offered = [value for value in guess.offered if value not in rated]
    if guess.harmless:
        yield f"    values:  # {_VALUES}{'; rare ones left out' if offered else ''}\n"
        for value, says in guess.harmless:
            yield f"      {scalar(value)}: 1  # it {says}\n"
    elif offered:
        yield f"    #values:  # {_VALUES}; rare ones left out\n"
    severity = plan.columns[guess.column].severity or 4
    for value in offered:
        before = "      #" if rated else "    #  "
        yield f"{before}{scalar(value)}: {severity}\n"


def _to_be_stated(guess: Guess) -> Iterator[str]:
    """Offer a column whose role is open: on the safe side if nobody understands it."""
    role, why = (
        Role.QUASI_IDENTIFIER,
        "Not understood: state its role, since the risk depends on it.",
    )
    if guess.understood:
        role, why = Role.OTHER, "State its role only if a row is one person after all."
    yield _comment(why, indent=2)
    for line in yaml_text({guess.column: {"role": str(role)}}).splitlines():
        yield f"  #{line}\n"


def _combination(plan: Plan) -> str:
    """Return an example of a combination, of the plan's own columns where it has enough."""
    # what is sensitive too is left to be inferred
    known_only = [name for name in plan.quasi_identifiers if name not in plan.sensitive]
    easiest_first = sorted(known_only, key=plan.exposure_of, reverse=True)
    known = easiest_first[:2]
    if len(known) < 2:
        return ""
    entries = yaml_text({"combinations": {"what a neighbour knows": known}})
    return "".join(f"#{line}\n" for line in entries.splitlines())


def _comment(text: str, indent: int = 0) -> str:
    before = " " * indent + "# "
    lines = wrap(text, _WIDTH - indent, break_on_hyphens=False)
    return "".join(f"{before}{line}\n" for line in lines)
