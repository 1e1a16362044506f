"""Suggestions on Census-Income: five policies at once, and one more step on what was suggested.

Nobody else answers the first question; a contender applies the steps that were found, which is the
least that any tool would have to do. For the second, polars groups the treated table again, which
gives k and the unique records, but neither loss nor verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

import singleout as so
from bench import data
from bench.case import Contender, Prepared, case
from singleout.core.table import Table
from singleout.kernels import compiling
from singleout.treatment.steps.apply import apply_steps

KNOWN = ("AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN")
POLICY = {"k": 5, "highest_risk": 2, "distinct_l": 2, "records_at_risk": 0.0, "unique_share": 0.0}

# compiled loops are timed, also where none was compiled before
compiling.SMALL_WORK = 0


@case("suggest/census", "Census-Income, 9 known columns, income: five policies at once.")
def census(quick: bool) -> Prepared:
    table = _table(quick)
    found = _suggested(table)
    contenders = [
        Contender("singleout, suggest", lambda: _suggested(table).after, ours=True),
        Contender("singleout, its steps applied", lambda: _again(table, found), ours=True),
    ]
    return Prepared((table.rows, len(KNOWN)), contenders, lambda a: (a.k, a.records), _differs)


@case(
    "suggest/what-if",
    "What was suggested, and one column left out: k, unique, loss, verdict.",
)
def what_if(quick: bool) -> Prepared:
    table = _table(quick)
    found = _suggested(table)
    treated = found.apply().to_frame().select(KNOWN)
    step = {"drop": ["AREORGN"]}

    def polars() -> tuple[int, int]:
        sizes = treated.drop("AREORGN").group_by(pl.all()).len()["len"]
        return int(sizes.to_numpy().min()), table.rows

    contenders = [
        Contender("singleout, what_if", lambda: found.what_if(step).state, ours=True),
        Contender("polars, k and unique records only", polars),
    ]
    return Prepared((table.rows, len(KNOWN)), contenders, _k, _differs)


def _k(answer: Any) -> tuple[int, int]:
    return answer if isinstance(answer, tuple) else (answer.k, answer.records)


def _differs(ours: Sequence[int], theirs: Sequence[int]) -> str:
    return "" if tuple(ours) == tuple(theirs) else f"k and records are {theirs}, not {ours}"


def _table(quick: bool) -> Table:
    path = data.shared("data/census_income_kdd_299285.csv.gz")
    frame = pl.read_csv(path, infer_schema=False, columns=[*KNOWN, "INCOME"])
    return so.read(frame.head(20_000) if quick else frame)


def _suggested(table: Table) -> so.Suggestion:
    return so.suggest(table, POLICY, KNOWN, sensitive="INCOME")


def _again(table: Table, found: so.Suggestion) -> Any:
    sets = so.anonymity_sets(apply_steps(table, found.steps).table, KNOWN)
    return type(found.after)(sets.records, sets.k, sets.unique_share, 0, 0.0)
