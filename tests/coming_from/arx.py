"""ARX 3.9.2 on Adult: population uniqueness, journalist and marketer."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import singleout as so
from coming_from.rows import (
    COLUMNS,
    GOLDENS,
    ROWS,
    Cells,
    adult_table,
    golden,
    number,
    row,
)


@cache
def population_uniqueness(columns: str, people: int) -> Any:
    estimators = ["zayatz", "pitman", "snb", "dankar"]
    return so.population_uniqueness(adult_table(), COLUMNS[columns], people, estimators)


def arx_row(line: dict[str, str]) -> Callable[[], Cells]:
    def compute() -> Cells:
        people = int(line["N"])
        ours = population_uniqueness(line["qis"], people).estimates
        attacker = so.attacker_risk(adult_table(), COLUMNS[line["qis"]], people)
        assert line["journalist_success"] == line["marketer"] == line["prosecutor_success"]
        assert attacker.journalist.success == pytest.approx(attacker.marketer.success)
        # by hand: every class has N / n times as many people as records
        by_hand = float(line["prosecutor_success"]) * 30_162 / people
        assert attacker.journalist.success == pytest.approx(by_hand)
        return (
            number(float(line["snb"])),
            number(ours["snb"].share),
            number(float(line["dankar"])),
            number(ours["dankar"].share),
            number(float(line["journalist_success"])),
            number(attacker.journalist.success),
        )

    return compute


if GOLDENS.is_dir():
    for _line in golden("arx_adult_risk.csv"):
        ROWS[f"{_line['qis']}, {int(_line['N']):,}"] = arx_row(_line)


@row("cells K of SNB, 9 columns, N = 150,810")
def shlosser() -> Cells:
    profile = so.count(adult_table(), COLUMNS["9"]).profile
    size, sets = profile.sizes.astype(float), profile.sets.astype(float)
    pi, alone = 0.2, sets[size == 1][0]

    def cells(divisor: float) -> float:
        first = (size * pi**2 * (1 - pi**2) ** (size - 1) * sets).sum() / divisor
        second = ((1 - pi) ** size * sets).sum() / (size * pi * (1 - pi) ** (size - 1) * sets).sum()
        return float(sets.sum() + alone * first * second**2)

    # the sum of (1-pi)^i ((1+pi)^i - 1) s_i with its brackets, and without the outer ones
    right = cells(((1 - pi) ** size * ((1 + pi) ** size - 1) * sets).sum())
    wrong = cells(((1 - pi) ** size * (1 + pi) ** size * sets - 1).sum())
    found = population_uniqueness("9", 150_810).estimates["snb"]
    a, b = (found.parameters[name] for name in ("a", "b"))
    assert found.count == pytest.approx(right * b**a, rel=1e-6)
    return f"{wrong:,.0f}", f"{right:,.0f}"
