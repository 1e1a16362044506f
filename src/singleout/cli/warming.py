"""Small work that uses the compiled loops, so that the first real question need not wait for them.

Each piece of work compiles what one kind of question needs, for columns of few and of many values.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from singleout.core.progress import track
from singleout.kernels.compiling import compile_from_now_on

__all__ = ["WORK", "warm"]

_RECORDS = 700


def warm(names: Iterable[str] | None = None) -> None:
    """Do the work of these names, or all of it; what is compiled already takes no time."""
    compile_from_now_on()
    for name in track(list(WORK if names is None else names), "Compiling"):
        WORK[name]()


def _people(columns: int = 7) -> dict[str, Any]:
    """Return a table whose columns have 2 to 600 values."""
    rng = np.random.default_rng(1)
    few = {f"c{n}": rng.integers(0, n + 2, _RECORDS) for n in range(columns)}
    return {**few, "age": rng.integers(0, 90, _RECORDS), "place": np.arange(_RECORDS) % 600}


def _with_gaps() -> dict[str, Any]:
    people = {name: values.tolist() for name, values in _people(4).items()}
    people["c3"] = [None if value == 0 else value for value in people["c3"]]
    return people


def _text() -> None:
    from singleout.io.read import read

    with tempfile.TemporaryDirectory() as folder:
        for name, cell in (("plain.csv", "a"), ("quoted.csv", '"a, ""b"""')):
            path = Path(folder) / name
            path.write_text(f"x,y\n{cell},{cell}\n{cell},{cell}\n", encoding="utf-8")
            read(path)


def _sets() -> None:
    from singleout import anonymity_sets, attribute_risk

    rng = np.random.default_rng(2)
    many = {f"n{n}": rng.integers(0, 70_000, 300_000) for n in range(3)}
    anonymity_sets(many, list(many))
    people = _people()
    anonymity_sets(people, list(people))
    attribute_risk(people)
    anonymity_sets(_with_gaps(), ["c1", "c3", "age"], missing="wildcard")


def _qar() -> None:
    from singleout import contributions, eliminate, qar

    people = _people()
    for columns in (people, {name: values % 9 for name, values in people.items()}):
        qar(columns)
        contributions(columns)
    ordinal = ["age", "place", "c4", "c5", "c6"]
    contributions(people, ordinal=ordinal)
    contributions({name: people[name] // 9 for name in ordinal}, ordinal=ordinal)
    counted = contributions(people | {"people": people["age"] + 1}, count="people")
    counted.correlations  # noqa: B018 - computed when they are asked for
    eliminate(people, records=10)
    eliminate(people, records=10, criterion="contribution")


def _suda() -> None:
    from singleout import suda

    people = _people(4)
    found = suda(people, list_uniques=True)
    found.set_contributions  # noqa: B018 - counted when it is asked for
    found.exact([1, 2])
    suda(people, max_size=2).risky(3)
    suda(_with_gaps(), max_size=2, missing="never")


def _treatment() -> None:
    from singleout import covered, suggest, suppress_cells, treat, utility
    from singleout.treatment.suppression.methods import Method as SuppressionMethod

    people = _people(4)
    known = ["c1", "c2", "c3", "age"]
    treat(people, {"perturb": True, "steps": [{"microaggregate": ["age"], "k": 3}]})
    for way in SuppressionMethod:
        suppress_cells(people, known, k=2, method=way)
    for method in ("full-domain", "cells", "local"):
        found = suggest(people, quasi_identifiers=known, k=2, method=method)
    treated = found.apply().table
    covered(people, treated, known)
    utility(people, treated)


def _population() -> None:
    from singleout import population_uniqueness

    people = _people(8)
    people |= {"band": people["age"] // 10}  # depends on another
    known = list(people)  # so that cells are too many to be listed
    population_uniqueness(people, known, {"sampling_fraction": 0.1}, estimator="loglinear")


def _sketches() -> None:
    from singleout.kernels.sketches.sketch import FEWEST_REGISTERS, Sketches

    hashes = [np.arange(99, dtype=np.uint64), np.arange(99, dtype=np.uint64)]
    Sketches(np.array([[0, 1]]), FEWEST_REGISTERS).add(hashes)


WORK: Mapping[str, Callable[[], None]] = {
    "text": _text,
    "sets": _sets,
    "qar": _qar,
    "suda": _suda,
    "treatment": _treatment,
    "population": _population,
    "sketches": _sketches,
}
