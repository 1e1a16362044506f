"""Every number of docs/how-to/coming-from.md: theirs from what they answered, ours computed anew.

A row of the page's tables of numbers has a function here, named by the first cell of the row, which
returns the cells that follow. Answers of ARX 3.9.2 and sdcMicro 5.8.1 are in ../shared/goldens;
pycanon 1.0.1.post2 and suda 0.2.2 (of PyPI) are run.
"""

from __future__ import annotations

import csv
import inspect
import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so

PROJECT = Path(__file__).resolve().parents[1]
SHARED = PROJECT.parent / "shared"
PAGE = PROJECT / "docs/how-to/coming-from.md"
GOLDENS = SHARED / "goldens"
ADULT = SHARED / "data/adult.csv"
TESTDATA = SHARED / "data/sdcmicro_testdata.csv"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
RECODED = ["urbrur", "roof", "walls", "sex", "age"]
COLUMNS = {
    "9": [
        "sex", "age", "race", "marital-status", "education", "native-country", "workclass",
        "occupation", "salary-class",
    ],
    "5": ["sex", "age", "race", "education", "native-country"],
    "4": ["sex", "age", "race", "marital-status"],
}  # fmt: skip

needs_shared = pytest.mark.skipif(
    not GOLDENS.is_dir(), reason="needs the answers of other tools in ../shared/goldens"
)
# pandas 3 warns of how pycanon and suda call it
pytestmark = pytest.mark.filterwarnings("ignore")

Cells = tuple[str, ...]
ROWS: dict[str, Callable[[], Cells]] = {}


def row(label: str) -> Callable[[Callable[[], Cells]], Callable[[], Cells]]:
    """Say which row of the page a function computes."""

    def register(compute: Callable[[], Cells]) -> Callable[[], Cells]:
        assert label not in ROWS
        ROWS[label] = compute
        return compute

    return register


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


def golden(name: str) -> list[dict[str, str]]:
    with (GOLDENS / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def golden_numbers(name: str, column: str) -> np.ndarray:
    return np.array([float(line[column]) for line in golden(name)])


def number(value: float | None) -> str:
    return "none" if value is None else f"{value:.4g}"


def listed(values: Any) -> str:
    return ", ".join(f"{value:g}" for value in values)


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
        ("suda", "max_size", 3),
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


# ---- ARX on Adult


@cache
def adult_table() -> so.Table:
    return so.read(ADULT)


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


@row("SNB where the truth is 0.5143")
def snb_of_known_population() -> Cells:
    """Adult is the population, a fifth of it the sample."""
    sampled = np.random.default_rng(1).random(len(adult_strings())) < 0.2
    sample = adult_strings().filter(pl.Series(sampled))
    truth = so.anonymity_sets(adult_strings(), COLUMNS["9"]).unique_share
    assert round(truth, 4) == 0.5143
    found = so.population_uniqueness(sample, COLUMNS["9"], len(adult_strings()), "snb")
    assert found.estimates["snb"].share == pytest.approx(truth, rel=0.05)
    return "not run", number(found.estimates["snb"].share)


# ---- sdcMicro


@cache
def individual() -> Any:
    return so.individual_risk(TESTDATA, KEYS, "sampling_weight", "ori_hid")


def exact_risk(f: int, p: float) -> float:
    """The mean of 1/F, by hand: F has a negative binomial distribution."""
    terms = (
        math.exp(
            math.lgamma(h) - math.lgamma(f) - math.lgamma(h - f + 1)
            + f * math.log(p) + (h - f) * math.log1p(-p)
        ) / h
        for h in range(f, int(40 * f / p))
    )  # fmt: skip
    return math.fsum(terms)


def risk_row(f: int, decimals: int) -> Callable[[], Cells]:
    def compute() -> Cells:
        theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
        record = int(np.argmax(individual().matches == f))
        ours = float(individual().risk[record])
        assert ours == pytest.approx(exact_risk(f, 0.01), rel=1e-9)
        assert theirs[record] == pytest.approx(0.01 / (f - 0.99))
        return f"{theirs[record]:.{decimals}f}", f"{ours:.{decimals}f}"

    return compute


for _f, _decimals in ((3, 6), (4, 6), (5, 6), (107, 10)):
    ROWS[f"individual risk, f = {_f}, F = {100 * _f:,}"] = risk_row(_f, _decimals)


@row("records whose individual risk differs, and by how much at most")
def records_that_differ() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
    excess = theirs / individual().risk - 1
    different = np.abs(excess) > 1e-9
    assert np.array_equal(different, individual().matches >= 3)
    assert individual().matches[excess.argmax()] == 3
    return f"{different.sum():,} of 4,580", f"{excess.max():.2%} above"


@row("expected re-identifications")
def expected() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "risk_ER")
    return f"{theirs:.4f}", f"{individual().expected:.4f}"


@row("global risk")
def global_risk() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "risk")
    return f"{theirs:.7f}", f"{individual().global_risk:.7f}"


@row("expected re-identifications with households")
def expected_of_households() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "hier_risk_ER")
    return f"{theirs:.4f}", f"{individual().household.sum():.4f}"


@row("global risk with households")
def global_risk_of_households() -> Cells:
    (theirs,) = golden_numbers("sdcmicro_testdata_global_risk_hh.csv", "hier_risk")
    return f"{theirs:.6f}", f"{individual().household.mean():.6f}"


# the log-linear model


@cache
def occurring() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the cells that occur, their counts, and the fit of main effects, by hand."""
    codes = pl.read_csv(TESTDATA).select(KEYS).to_numpy()
    cells, counts = np.unique(codes, axis=0, return_counts=True)
    shares = [[(codes[:, j] == value).mean() for j, value in enumerate(cell)] for cell in cells]
    return cells, counts, len(codes) * np.prod(shares, axis=1)


def per_cell(counts: np.ndarray, rates: np.ndarray) -> tuple[float, float]:
    """Return tau1 and tau2 for a sampling fraction of 0.01, divided by the cells that occur."""
    v = rates[counts == 1] * 0.99
    return float(np.exp(-v).sum() / len(counts)), float((-np.expm1(-v) / v).sum() / len(counts))


def poisson_fit(counts: np.ndarray, terms: np.ndarray, offset: Any = 0.0) -> np.ndarray:
    """Fit a Poisson regression by iterated least squares."""
    fitted = counts + 0.1
    linear = np.log(fitted)
    for _ in range(60):
        working = linear - offset + (counts - fitted) / fitted
        weighted = terms * fitted[:, None]
        linear = terms @ np.linalg.solve(weighted.T @ terms, weighted.T @ working) + offset
        fitted = np.exp(linear)
    return fitted


def slopes(method: str) -> tuple[float, float]:
    """Return what sdcMicro's glm computes: mu for lambda, and codes taken for quantities."""
    cells, counts, _ = occurring()
    known = dict(zip(map(tuple, cells.tolist()), counts.tolist(), strict=True))
    grid = np.array(list(itertools.product(*(np.unique(column) for column in cells.T))))
    of_cell = np.array([known.get(tuple(cell), 0) for cell in grid.tolist()], dtype=float)
    weights = 100 * of_cell
    terms = np.column_stack([np.ones(len(grid)), grid])
    if method == "weightedLLM":
        fitted = poisson_fit(of_cell, np.column_stack([terms, weights]))
    elif method == "CE":
        offset = np.divide(of_cell, weights, out=np.zeros_like(of_cell), where=weights > 0)
        fitted = poisson_fit(of_cell, terms, np.log(offset + 0.1))
    else:
        fitted = poisson_fit(of_cell, terms)
    return per_cell(of_cell[of_cell > 0], fitted[of_cell > 0])


@cache
def main_effects() -> tuple[float, float]:
    weights = so.Population(weights="sampling_weight")
    found = so.population_uniqueness(TESTDATA, KEYS, weights, "loglinear")
    first = found.model_search[0]
    assert first["pairs"] == []
    cells, counts, fitted = occurring()
    by_hand = per_cell(counts, fitted / 0.01)
    assert (first["tau1"] / len(cells), first["tau2"] / len(cells)) == pytest.approx(by_hand)
    return first["tau1"], first["tau2"]


def model_row(method: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        (line,) = golden(f"sdcmicro_testdata_modrisk_{method}.csv")
        theirs = float(line["gr1"]), float(line["gr2"])
        _, counts, fitted = occurring()
        reproduced = per_cell(counts, fitted) if method == "IPF" else slopes(method)
        assert theirs == pytest.approx(reproduced, rel=1e-9)
        ours = [tau / len(counts) for tau in main_effects()]
        return tuple(", ".join(f"{value:.4f}" for value in pair) for pair in (theirs, ours))

    return compute


for _method in ("default", "PML", "CE", "weightedLLM", "IPF"):
    ROWS[f"`modRisk`, {_method}: gr1, gr2"] = model_row(_method)


@row("τ1, τ2 where the truth is 56, 116.5")
def known_population() -> Cells:
    """Adult is the population, a tenth of it the sample; sex, age, race, marital status."""
    names = COLUMNS["4"]
    people = pl.read_csv(ADULT, separator=";", infer_schema=False).select(names)
    sampled = np.random.default_rng(1).random(len(people)) < 0.1
    everybody = people.select(pl.len().over(names)).to_series().to_numpy()[sampled]
    sample = people.filter(pl.Series(sampled))
    alone = sample.select(pl.len().over(names)).to_series().to_numpy() == 1
    truth = (everybody[alone] == 1).sum(), (1 / everybody[alone]).sum()
    assert truth == (56, pytest.approx(116.5, abs=0.05))
    shares = [sample.select(pl.len().over(name)).to_series() / len(sample) for name in names]
    v = len(sample) * np.prod(shares, axis=0)[alone] * 0.9
    theirs = np.exp(-v).sum(), (-np.expm1(-v) / v).sum()
    found = so.population_uniqueness(sample, names, len(people), "loglinear")
    first = found.model_search[0]
    ours = first["tau1"], first["tau2"]
    assert np.abs(np.array(ours) / truth - 1).max() < 0.25
    return tuple(", ".join(f"{value:.1f}" for value in pair) for pair in (theirs, ours))


# missing values


EIGHT = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, None, 2, 1, 1, None, 1],
    "weight": [18, 45.5, 39, 17, 92, 8, 123.5, 51],
}


@row("f of the [eight records](missing-values.md#eight-records-to-check-by-hand)")
def sizes_of_eight() -> Cells:
    ours = so.anonymity_sets(EIGHT, ["A", "B", "C"])
    same = so.anonymity_sets(EIGHT, ["A", "B", "C"], missing="wildcard")
    return listed(same.per_record), listed(ours.per_record)


@row("F of the eight records")
def weights_of_eight() -> Cells:
    ours = so.anonymity_sets(EIGHT, ["A", "B", "C"], weight="weight")
    same = so.anonymity_sets(EIGHT, ["A", "B", "C"], weight="weight", missing="wildcard")
    return listed(same.weighted_per_record), listed(ours.weighted_per_record)


@needs_shared
def test_what_sdcmicro_expects_of_the_eight_records() -> None:
    text = (SHARED / "data/README.md").read_text(encoding="utf-8")
    theirs = [weights_of_eight()[0], sizes_of_eight()[0].replace(" ", "")]
    assert all(numbers in text for numbers in theirs)


@row("k of the rows (1, blank) and (1, 2)")
def blanked() -> Cells:
    rows = {"A": [1, 1], "B": [None, 2]}
    wildcard, value = (
        so.anonymity_sets(rows, ["A", "B"], missing=m).k for m in ("wildcard", "value")
    )
    return str(wildcard), str(value)


def recoded(step: str) -> pl.DataFrame:
    """Recode as R's cut does with breaks 0, 10, ... 100: age 0 is in no interval, and missing."""
    table = pl.read_csv(TESTDATA)
    if step == "original":
        return table
    decade = pl.when(pl.col("age") > 0).then((pl.col("age") - 1) // 10)
    table = table.with_columns(decade.alias("age"))
    if step == "age decades":
        return table
    return table.with_columns(pl.col("roof").replace({6: 5, 9: 5}))


def recode_row(step: str, column: str) -> Callable[[], Cells]:
    def ours(missing: str) -> float:
        data = recoded(step)
        if column.startswith("lt"):
            sizes = so.anonymity_sets(data, RECODED, missing=missing).per_record
            return float((sizes < int(column[2:])).sum())
        found = so.individual_risk(data, RECODED, "sampling_weight", "ori_hid", missing=missing)
        return float(found.expected if column == "risk_ER" else found.household.sum())

    def compute() -> Cells:
        (theirs,) = (
            float(line[column])
            for line in golden("sdcmicro_testdata_recode_steps.csv")
            if line["step"] == step
        )
        # with the same policy only the approximation for f > 2 is left, at most 0.05 %
        assert ours("wildcard") == pytest.approx(theirs, rel=5e-4)
        form = ".0f" if column.startswith("lt") else ".4f"
        same = ours("wildcard")
        return format(theirs, form), f"{ours('value'):{form}}; wildcard {same:{form}}"

    return compute


for _step, _named in (
    ("age decades", "age in decades"),
    ("roof 5,6,9 grouped", "age in decades, roof grouped"),
):
    for _column, _what in (
        ("lt2", "unique records"),
        ("lt3", "records below 3-anonymity"),
        ("risk_ER", "expected re-identifications"),
        ("hier_risk_ER", "the same with households"),
    ):
        ROWS[f"{_named}: {_what}"] = recode_row(_step, _column)


def unrecoded(column: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        line = golden("sdcmicro_testdata_recode_steps.csv")[0]
        found = so.individual_risk(TESTDATA, RECODED, "sampling_weight", "ori_hid")
        ours = found.expected if column == "risk_ER" else found.household.sum()
        return f"{float(line[column]):.4f}", f"{ours:.4f}"

    return compute


ROWS["not recoded: expected re-identifications"] = unrecoded("risk_ER")
ROWS["not recoded: the same with households"] = unrecoded("hier_risk_ER")


@needs_shared
def test_counts_before_recoding_are_the_same() -> None:
    line = golden("sdcmicro_testdata_recode_steps.csv")[0]
    sizes = so.anonymity_sets(TESTDATA, RECODED).per_record
    assert [(sizes < k).sum() for k in (2, 3)] == [int(line["lt2"]), int(line["lt3"])]


# SUDA


@cache
def adult_strings() -> pl.DataFrame:
    return pl.read_csv(ADULT, separator=";", infer_schema=False)


@cache
def suda_of(name: str, max_size: int | None) -> so.Suda:
    data, columns = (TESTDATA, KEYS) if name == "testdata" else (ADULT, COLUMNS["9"])
    return so.suda(data, columns, max_size, sampling_fraction=0.01)


@row("SUDA, testdata: records with a score, sum of scores")
def suda_testdata() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "score")
    assert np.array_equal(suda_of("testdata", None).score, theirs)
    ours = suda_of("testdata", 3).score
    return tuple(f"{(score > 0).sum()}, {score.sum():,.0f}" for score in (theirs, ours))


@row("SUDA, Adult: records with a score, sum of scores")
def suda_adult() -> Cells:
    (line,) = golden("sdcmicro_adult_suda2_summary.csv")
    whole, ours = suda_of("adult", None).score, suda_of("adult", 3).score
    assert [whole.sum(), whole.max()] == [float(line["sum_score"]), float(line["max_score"])]
    theirs = f"{int(line['n_pos']):,}, {int(line['sum_score']):,}"
    return theirs, f"{(ours > 0).sum():,}, {ours.sum():,.0f}"


@row("DIS-SUDA, Adult: mean")
def dis_adult() -> Cells:
    (line,) = golden("sdcmicro_adult_suda2_summary.csv")
    assert suda_of("adult", None).dis_score.mean() == pytest.approx(float(line["mean_dis"]))
    return f"{float(line['mean_dis']):.4f}", f"{suda_of('adult', 3).dis_score.mean():.4f}"


@row("contributions of education and of the same as numbers, Adult")
def contributions() -> Cells:
    spec = (SHARED / "spec/suda.md").read_text(encoding="utf-8")
    theirs = re.search(r"sdcMicro gives (\S+) % and (\S+) % on Adult", spec)
    assert theirs is not None
    same = adult_strings()["education"].rank("dense").alias("education-num")
    found = so.suda(adult_strings().with_columns(same), max_size=None)
    shares = dict(found.variable_contributions.select("variable", "share").rows())
    ours = f"{shares['education']:.1%}, {shares['education-num']:.1%}"
    return f"{theirs[1]}%, {theirs[2]}%", ours


@row("unique records in DIS, Adult")
def uniques_of_dis() -> Cells:
    spec = (SHARED / "spec/suda.md").read_text(encoding="utf-8")
    theirs = re.search(r"sdcMicro counts (\S+) of 15,512 on Adult", spec)
    assert theirs is not None
    return theirs[1], f"{suda_of('adult', 3).unique:,}"


# ---- pycanon


def anonymity() -> Any:
    return pytest.importorskip("pycanon.anonymity", reason="the bench group is not installed")


def frame(columns: dict[str, Any], index: list[int] | None = None) -> Any:
    return pytest.importorskip("pandas").DataFrame(columns, index=index)


@cache
def adult_frame() -> Any:
    return pytest.importorskip("pandas").read_csv(ADULT, sep=";")


def one_missing() -> Any:
    return frame(
        {"area": ["n", "n", None, "s", "s"], "disease": ["flu", "cold", "flu", "flu", "cold"]}
    )


@row("k, l, α of five records, one without an area")
def pycanon_missing() -> Cells:
    data, them = one_missing(), anonymity()
    alpha, k = them.alpha_k_anonymity(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    theirs = (k, them.l_diversity(data, ["area"], ["disease"]), alpha)
    return listed(theirs), listed((ours.k, ours.distinct_l, ours.alpha))


def four(index: list[int]) -> Any:
    columns = {"area": ["n", "s", "n", "s"], "disease": ["cold", "flu", "cold", "flu"]}
    return frame(columns, index)


@row("l, α of four records, index 1, 0, 2, 3")
def pycanon_index() -> Cells:
    data, them = four([1, 0, 2, 3]), anonymity()
    theirs = them.l_diversity(data, ["area"], ["disease"])
    alpha, _ = them.alpha_k_anonymity(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    return listed((theirs, alpha)), listed((ours.distinct_l, ours.alpha))


@row("l of the same records, index 10, 11, 12, 13")
def pycanon_other_index() -> Cells:
    data = four([10, 11, 12, 13])
    with pytest.raises(IndexError):
        anonymity().l_diversity(data, ["area"], ["disease"])
    return "`IndexError`", str(so.diversity(data, "area", "disease").distinct_l)


@cache
def adult_diversity(sensitive: str) -> Any:
    return so.diversity(adult_frame(), ["sex", "race"], sensitive)


def pycanon_adult(function: str, sensitive: str) -> Any:
    return getattr(anonymity(), function)(adult_frame(), ["sex", "race"], [sensitive])


def entropy_row(sensitive: str) -> Callable[[], Cells]:
    def compute() -> Cells:
        ours = adult_diversity(sensitive).entropy_l
        theirs = pycanon_adult("entropy_l_diversity", sensitive)
        assert math.floor(ours) == theirs
        return str(theirs), f"{ours:.2f}"

    return compute


for _sensitive in ("education", "occupation"):
    ROWS[f"entropy l of {_sensitive}, Adult"] = entropy_row(_sensitive)


@row("recursive (c, l) of counts 5, 1, 1, for l = 3")
def pycanon_recursive() -> Cells:
    data = frame({"area": ["n"] * 7, "disease": ["flu"] * 5 + ["cold", "cancer"]})
    c, l = anonymity().recursive_c_l_diversity(data, ["area"], ["disease"])  # noqa: E741
    assert l == 3
    ours = so.diversity(data, "area", "disease").columns["disease"].recursive_c(3)
    return f"c = {c}", f"c above {ours:g}"


@row("recursive (c, l) of education, Adult, for l = 12")
def pycanon_recursive_adult() -> Cells:
    c, l = pycanon_adult("recursive_c_l_diversity", "education")  # noqa: E741
    assert l == adult_diversity("education").distinct_l == 12
    return (
        f"c = {c}",
        f"c above {adult_diversity('education').columns['education'].recursive_c(l):g}",
    )


def two_classes() -> Any:
    return frame({"area": list("nnss"), "disease": ["flu", "flu", "cold", "cold"]})


@row("enhanced β of two classes with one disease each")
def pycanon_enhanced() -> Cells:
    theirs = anonymity().enhanced_beta_likeness(two_classes(), ["area"], ["disease"])
    return number(theirs), number(so.diversity(two_classes(), "area", "disease").enhanced_beta)


@row("enhanced β of education, Adult")
def pycanon_enhanced_adult() -> Cells:
    theirs = pycanon_adult("enhanced_beta_likeness", "education")
    return number(theirs), number(adult_diversity("education").enhanced_beta)


@row("δ of the classes flu, cancer and flu, flu")
def pycanon_delta() -> Cells:
    data = frame({"area": list("nnss"), "disease": ["flu", "cancer", "flu", "flu"]})
    theirs = anonymity().delta_disclosure(data, ["area"], ["disease"])
    ours = so.diversity(data, "area", "disease")
    assert ours.columns["disease"].occurring_delta == pytest.approx(theirs)
    return number(theirs), number(ours.delta)


@row("δ of education, Adult")
def pycanon_delta_adult() -> Cells:
    theirs = pycanon_adult("delta_disclosure", "education")
    ours = adult_diversity("education")
    assert ours.columns["education"].occurring_delta == pytest.approx(theirs)
    return number(theirs), number(ours.delta)


@row("t of the classes 1, 1 and 2, 3, stored as text")
def pycanon_text() -> Cells:
    data = frame({"area": list("nnss"), "stage": ["1", "1", "2", "3"]})
    theirs = anonymity().t_closeness(data, ["area"], ["stage"])
    nominal = so.diversity(data, "area", "stage", scale="nominal").t
    assert nominal == pytest.approx(theirs)
    return number(theirs), number(so.diversity(data, "area", "stage").t)


@row("average risk of classes of 3 and 1 records")
def average_risk() -> Cells:
    risk = so.attacker_risk({"area": ["n", "n", "n", "s"]}, ["area"])
    over_classes = (1 / 3 + 1) / 2
    return number(over_classes), number(risk.prosecutor.success)


# ---- suda of PyPI


@cache
def ihsn() -> dict[str, Any]:
    case = json.loads((SHARED / "spec/suda-golden.json").read_text(encoding="utf-8"))["ihsn"]
    return dict(case)


def pypi_suda(data: Any, largest: int) -> Any:
    module = pytest.importorskip("suda", reason="the bench group is not installed")
    return module.suda(data, max_msu=largest)


def ihsn_frame() -> Any:
    rows = ihsn()["table"]
    return frame(dict(zip(ihsn()["names"], map(list, zip(*rows, strict=True)), strict=True)))


def ihsn_row(largest: int) -> Callable[[], Cells]:
    def compute() -> Cells:
        theirs = pypi_suda(ihsn_frame(), largest)["suda"]
        ours = so.suda(ihsn_frame(), ihsn()["names"], largest).score
        return listed(theirs[theirs > 0]), listed(ours[ours > 0])

    return compute


for _largest in (2, 3, 4):
    ROWS[f"scores of the IHSN guide's ten records, M = {_largest}"] = ihsn_row(_largest)


@row("DIS-SUDA of the first of them with a score")
def pypi_dis() -> Cells:
    theirs = pypi_suda(ihsn_frame(), 2)["dis-suda"]
    assert (theirs == 0).all()
    ours = so.suda(ihsn_frame(), ihsn()["names"], 2, sampling_fraction=0.01)
    return number(theirs[2]), number(ours.dis_score[2])


@row("score of the record (2, 2) of (1, 1), (1, 2), (2, 2), (3, 2), index 3, 2, 1, 0")
def pypi_index() -> Cells:
    columns = {"a": [1, 1, 2, 3], "b": [1, 2, 2, 2]}
    assert pypi_suda(frame(columns), 2)["suda"].tolist() == [2, 1, 2, 2]
    theirs = pypi_suda(frame(columns, [3, 2, 1, 0]), 2)["suda"]
    ours = so.suda(frame(columns, [3, 2, 1, 0]), ["a", "b"]).score
    return f"{theirs[1]}; 2 with index 0, 1, 2, 3", f"{ours[2]:g}, whatever the index"


@row("score of the record (missing, 1) of (1, 1), (1, 2), (missing, 1), (2, 1), (2, 2)")
def pypi_missing() -> Cells:
    data = {"a": [1.0, 1.0, None, 2.0, 2.0], "b": [1, 2, 1, 1, 2]}
    ours, never = (so.suda(data, ["a", "b"], missing=m).score[2] for m in ("value", "never"))
    return f"{pypi_suda(frame(data), 2)['suda'][2]:g}", f'{ours:g}; `missing="never"` {never:g}'


@row("columns of your own frame afterwards, of 4")
def pypi_columns() -> Cells:
    theirs, ours = ihsn_frame(), ihsn_frame()
    pypi_suda(theirs, 2)
    so.suda(ours, ihsn()["names"], 2)
    return str(len(theirs.columns)), str(len(ours.columns))


# ---- what is the same, and how nearly


def nearly(differences: Any) -> tuple[str]:
    """Return the largest difference, rounded up to a power of ten from 1e-12 on."""
    largest = float(np.max(np.abs(differences)))
    if largest == 0:
        return ("0",)
    return (f"below 1e-{-max(-12, math.floor(math.log10(largest)) + 1):02d}",)


@row("ARX: classes, unique records, average and highest risk, prosecutor")
def same_arx() -> Cells:
    differences = []
    for line in golden("arx_adult_risk.csv"):
        sets = so.anonymity_sets(adult_table(), COLUMNS[line["qis"]])
        risk = so.attacker_risk(adult_table(), COLUMNS[line["qis"]]).prosecutor
        ours = [
            sets.sets, sets.unique / sets.records, risk.success, risk.highest, risk.at_risk,
            risk.success,
        ]  # fmt: skip
        names = "classes uniques avg_risk highest prosecutor_at_risk_0.2 prosecutor_success"
        differences += [
            one - float(line[name]) for one, name in zip(ours, names.split(), strict=True)
        ]
    return nearly(differences)


@row("ARX: population uniqueness by Zayatz and Pitman")
def same_uniqueness() -> Cells:
    return nearly(
        [
            population_uniqueness(line["qis"], int(line["N"])).estimates[name].share
            - float(line[name])
            for line in golden("arx_adult_risk.csv")
            for name in ("zayatz", "pitman")
        ]
    )


@row("sdcMicro: f and F of every record")
def same_counts() -> Cells:
    name = "sdcmicro_testdata_individual_risk_hh.csv"
    found = so.anonymity_sets(TESTDATA, KEYS, weight="sampling_weight")
    differences = [
        found.per_record - golden_numbers(name, "fk"),
        found.weighted_per_record - golden_numbers(name, "Fk"),
    ]
    return nearly(differences)


@row("sdcMicro: individual risk where f is 1 or 2")
def same_risk() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_individual_risk_hh.csv", "risk")
    few = individual().matches <= 2
    toy = so.individual_risk(
        SHARED / "data/sdcmicro_francdat.csv", ["Key1", "Key2", "Key3", "Key4"], "w"
    )
    francdat = golden_numbers("sdcmicro_francdat_freq_risk.csv", "risk")
    return nearly([*(individual().risk - theirs)[few], *(toy.risk - francdat)])


@row("sdcMicro: distinct, entropy and recursive l of every record")
def same_diversity() -> Cells:
    found = so.diversity(TESTDATA, KEYS, "age", c=2).per_record
    names = {"distinct_l": "Distinct", "entropy_l": "Entropy", "recursive_l": "Recursive"}
    return nearly(
        [
            found[ours].to_numpy()
            - golden_numbers("sdcmicro_testdata_ldiversity_age.csv", f"age_{theirs}_Ldiversity")
            for ours, theirs in names.items()
        ]
    )


@row("sdcMicro: SUDA scores, all sizes")
def same_suda() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "score")
    return nearly(suda_of("testdata", None).score - theirs)


@row("sdcMicro: DIS-SUDA, all sizes")
def same_dis() -> Cells:
    theirs = golden_numbers("sdcmicro_testdata_suda2.csv", "disScore")
    return nearly(suda_of("testdata", None).dis_score - theirs)


@row("pycanon: k, distinct l, α, t, basic β of Adult")
def same_pycanon() -> Cells:
    ours = adult_diversity("education")
    alpha, k = pycanon_adult("alpha_k_anonymity", "education")
    return nearly(
        [
            ours.k - k,
            ours.distinct_l - pycanon_adult("l_diversity", "education"),
            ours.alpha - alpha,
            ours.t - pycanon_adult("t_closeness", "education"),
            ours.beta - pycanon_adult("basic_beta_likeness", "education"),
        ]
    )
