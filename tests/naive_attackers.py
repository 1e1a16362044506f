"""Prosecutor, journalist and marketer, record by record, in fractions. El Emam (2013)."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = tuple[Any, ...]


def matches(one: Row, other: Row, *, wildcard: bool) -> bool:
    pairs = list(zip(one, other, strict=True))
    if wildcard:
        return all(a == b or a is None or b is None for a, b in pairs)
    return all(a == b for a, b in pairs)


def attackers(
    rows: Sequence[Row],
    people: Sequence[Fraction],
    threshold: Fraction,
    *,
    wildcard: bool = False,
) -> dict[str, dict[str, Fraction]]:
    """Return the three attackers; ``people`` is for how many each record stands."""
    file, population = [], []
    for row in rows:
        alike = [i for i, other in enumerate(rows) if matches(row, other, wildcard=wildcard)]
        file.append(len(alike))
        population.append(max(Fraction(len(alike)), sum((people[i] for i in alike), Fraction())))
    n = len(rows)
    prosecuted = [Fraction(1, f) for f in file]
    matched = [1 / F for F in population]
    # every class once: a record is 1/f of its class
    classes = sum(prosecuted, Fraction())
    in_them = sum((F / f for f, F in zip(file, population, strict=True)), Fraction())
    marketed = sum(matched, Fraction()) / n
    return {
        "prosecutor": {
            "at_risk": Fraction(sum(risk > threshold for risk in prosecuted), n),
            "highest": max(prosecuted),
            "success": classes / n,
        },
        "journalist": {
            "at_risk": Fraction(sum(risk > threshold for risk in matched), n),
            "highest": max(matched),
            "success": max(classes / in_them, marketed),
        },
        "marketer": {"success": marketed},
    }
