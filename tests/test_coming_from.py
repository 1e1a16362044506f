"""Every number of docs/how-to/coming-from.md: theirs from what they answered, ours computed anew.

A row of the page's tables of numbers has a function in tests/coming_from, named by the first cell
of the row, which returns the cells that follow. Answers of ARX 3.9.2 and sdcMicro 5.8.1 are in
../shared/goldens; pycanon 1.0.1.post2 and suda 0.2.2 (of PyPI) are run.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

import pytest

import coming_from.arx
import coming_from.known
import coming_from.same
import coming_from.sdcmicro_risk
import coming_from.suda_rows  # noqa: F401 - rows are known once their modules are loaded
import singleout as so
from coming_from.pycanon_rows import anonymity
from coming_from.rows import GOLDENS, PAGE, RECODED, ROWS, SHARED, TESTDATA, golden
from coming_from.sdcmicro_counts import sizes_of_eight, weights_of_eight

needs_shared = pytest.mark.skipif(
    not GOLDENS.is_dir(), reason="needs the answers of other tools in ../shared/goldens"
)
# pandas 3 warns of how pycanon and suda call it
pytestmark = pytest.mark.filterwarnings("ignore")


def tables() -> Iterator[list[list[str]]]:
    """Yield the cells of each table of numbers, known by its first heading."""
    table: list[list[str]] = []
    for line in [*PAGE.read_text(encoding="utf-8").splitlines(), ""]:
        if line.startswith("|"):
            table.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif table:
            if table[0][0] in ("number", "columns, people"):
                yield table
            table = []


@cache
def shown() -> dict[str, list[str]]:
    rows = [cells for table in tables() for cells in table[2:]]
    found = {label: rest for label, *rest in rows}
    assert len(found) == len(rows), "two rows have the same first cell"
    return found


@needs_shared
def test_every_row_of_numbers_is_computed_here_and_none_besides() -> None:
    assert sorted(shown()) == sorted(ROWS)


@needs_shared
@pytest.mark.parametrize("label", ROWS)
def test_a_row_has_their_number_and_ours(label: str) -> None:
    cells = ROWS[label]()
    assert tuple(shown()[label][: len(cells)]) == cells


def test_every_function_named_is_public() -> None:
    names = set(re.findall(r"\bso\.(\w+)", PAGE.read_text(encoding="utf-8")))
    assert sorted(names - set(so.__all__)) == []


@pytest.mark.parametrize(
    ("function", "argument", "default"),
    [
        ("attacker_risk", "threshold", 0.2),
        ("attribute_risk", "max_size", 3),
        ("diversity", "c", 2.0),
        ("population_uniqueness", "estimator", "all"),
        ("suda", "max_size", "auto"),
        ("suda", "sampling_fraction", None),
        ("suda", "scoring", "lattice"),
    ],
)
def test_our_defaults_are_those_of_the_page(function: str, argument: str, default: Any) -> None:
    parameters = inspect.signature(getattr(so, function)).parameters
    assert parameters[argument].default == default


def test_their_defaults_are_those_of_the_page() -> None:
    module = pytest.importorskip("suda", reason="the bench group is not installed")
    theirs = inspect.signature(module.suda).parameters
    assert (theirs["max_msu"].default, theirs["dis"].default) == (2, 0.1)
    functions = [getattr(anonymity(), name) for name in anonymity().__all__]
    with_gen = [inspect.signature(f).parameters.get("gen") for f in functions]
    assert {gen.default for gen in with_gen if gen is not None} == {True}


def test_the_versions_named_are_those_that_are_run() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name in ("pycanon", "suda"):
        pytest.importorskip(name)
        assert version(name) in page


@needs_shared
def test_what_sdcmicro_expects_of_the_eight_records() -> None:
    text = (SHARED / "data/README.md").read_text(encoding="utf-8")
    theirs = [weights_of_eight()[0], sizes_of_eight()[0].replace(" ", "")]
    assert all(numbers in text for numbers in theirs)


@needs_shared
def test_counts_before_recoding_are_the_same() -> None:
    line = golden("sdcmicro_testdata_recode_steps.csv")[0]
    sizes = so.anonymity_sets(TESTDATA, RECODED).per_record
    assert [(sizes < k).sum() for k in (2, 3)] == [int(line["lt2"]), int(line["lt3"])]
