"""A guessed plan as a file to be edited: every guess with its reason, every choice explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from singleout.assessment.guess.column import Guess
from singleout.assessment.plan.file import scalar, yaml_text
from singleout.assessment.plan.plan import Plan
from singleout.core.text import printable

__all__ = ["EXAMPLES", "commented"]

_WIDTH = 96

_HEAD = """\
# Each role, exposure and impact below is a GUESS from names and values, with its reason and how
# sure it is: sure, likely or unsure. Check them all: only somebody who knows the data can say what
# others know, and what would hurt. Nothing was sent anywhere.
#
#   role      direct-identifier (names a person by itself), quasi-identifier (others can know it),
#             sensitive (its disclosure hits people), weight, household, other
#   exposure  of a quasi-identifier, how easily it is found elsewhere:
#             IR internal, restricted   (few people of one service)
#             IE internal, extended     (several services of one organisation)
#             ER external, restricted   (outside, by searching in depth)
#             EE external, extended     (known widely, or found by a search engine)
#   bodily, material, moral
#             how hard a disclosure hits: 1 Negligible, 2 Limited, 3 Significant, 4 Maximum
#   scale     nominal, or ordinal where the values have an order
"""

# Sections that a plan may have besides: valid once their first sign is removed.
EXAMPLES = """\
#policy:                  # what is acceptable
#  highest_risk: 2        # 1 Minor, 2 Significant, 3 Severe, 4 Critical
#  k: 3                   # records that must share each combination of values
#  unique_share: 5 %      # of the records
#methods:
#  qar: {size: 3, alpha: 0.01, tail: 0.05, estimator: plotting}
#  suda: {max_size: 3, scoring: lattice}
#  contributions: {enabled: yes}
#  discrimination: {variant: paper}   # or mutual-information, worst-value
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
    entries = plan.entries()
    yield "columns:\n"
    for guess in guesses:
        yield from _column(guess, entries["columns"][guess.column], plan)
    yield "\n"
    population = entries.get("population")
    if population:
        yield "# guess: the column of weights says how many people a record stands for\n"
        yield yaml_text({"population": population})
    else:
        yield _POPULATION
    yield EXAMPLES
    yield _combination(plan)


def _column(guess: Guess, entries: Mapping[str, Any], plan: Plan) -> Iterator[str]:
    yield _comment(f"guess, {guess.sure}: {printable(guess.reason)}", indent=2)
    yield yaml_text({guess.column: entries}, indent=2)
    if not guess.offered:
        return
    severity = plan.columns[guess.column].severity or 4
    yield "    #values:  # the severity of single values, where it differs; rare ones left out\n"
    for value in guess.offered:
        yield f"    #  {scalar(value)}: {severity}\n"


def _combination(plan: Plan) -> str:
    """Return an example of a combination, of the plan's own columns where it has enough."""
    easiest_first = sorted(plan.quasi_identifiers, key=plan.exposure_of, reverse=True)
    known = easiest_first[:2]
    if len(known) < 2:
        return ""
    entries = yaml_text({"combinations": {"what a neighbour knows": known}})
    return "".join(f"#{line}\n" for line in entries.splitlines())


def _comment(text: str, indent: int = 0) -> str:
    before = " " * indent + "# "
    lines = wrap(text, _WIDTH - indent, break_on_hyphens=False)
    return "".join(f"{before}{line}\n" for line in lines)
