"""`so.publishable`: from data to a record, or to a refusal that says what would pass."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so
from singleout.core.counts import SizeProfile
from singleout.errors import (
    BadChoice,
    NotPublishable,
    UnknownColumns,
    UnusableColumn,
    UnusableTable,
)
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.gate.gate import Released, release
from singleout.repository.gate.ledger import LedgerEntry
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.publishing.admission import entry_of
from singleout.repository.publishing.batch import RecordBatch
from singleout.repository.publishing.explain import (
    beside_siblings,
    impact_statement,
    what_becomes_public,
)
from singleout.repository.store.store import Store

KEY = bytes(range(32))
T1200 = [1 + 7 * i % 23 + (7 if i == 0 else 0) for i in range(100)]


def people(n: int = 6000, seed: int = 5) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 78, n),
            "sex": rng.choice(["f", "m"], n),
            "region": rng.choice(["N", "S", "E"], n, p=[0.4, 0.35, 0.25]),
        }
    )


PEOPLE = people()
VOCABULARY = {
    "name": "test",
    "version": "1",
    "attributes": {
        "age": {"kind": "integer", "values": {"from": 18, "to": 97}},
        "sex": {"values": ["f", "m"]},
        "region": {
            "values": ["N", "S", "E", "W"],
            "codings": {"level=half": {"mapping": {"N": "up", "E": "up", "S": "low", "W": "low"}}},
        },
    },
}


def published(*given: Any, **options: Any) -> Record:
    found = so.publishable(*given, **{"key": KEY, **options})
    assert isinstance(found, Record)
    return found


# ---- one record


def test_the_worked_example_of_the_gate_comes_from_a_table_of_people() -> None:
    cells = [(i % 10, i // 10) for i in range(100)]
    rows = [cell for cell, size in zip(cells, T1200, strict=True) for _ in range(size)]
    frame = pl.DataFrame(rows, schema=["a", "b"], orient="row")
    record = published(frame, ["a", "b"], {"City": "Delft"}, cells=120)
    assert (record.people, record.cells, record.kappa) == (1200, 120, 0.36)
    assert record.power_sums == (0.0123, 0.000155)
    assert (record.numbers.largest, record.numbers.support, record.numbers.small) == (30, None, 0.2)
    assert record.numbers.cells_from == "stated"
    assert (record.gate.tier, record.gate.price, record.gate.cost) == ("public", 0.25, 0.25)
    assert record.population == DeclaredPopulation({"City": "Delft"})
    assert record.access == "public"
    assert record.software.startswith("singleout ")


def test_a_table_of_counts_gives_the_record_of_its_people() -> None:
    frame = pl.DataFrame(
        {"a": [i % 10 for i in range(100)], "b": [i // 10 for i in range(100)], "n": T1200}
    )
    # a cell may have several rows, and rows of nobody
    split = pl.concat(
        [
            frame.with_columns(n=pl.col("n") // 2),
            frame.with_columns(n=pl.col("n") - pl.col("n") // 2),
        ]
    )
    record = published(split, ["a", "b"], cells=120, counts="n")
    assert record == published(frame, ["b", "a"], cells=120, counts="n")
    assert (record.people, record.kappa) == (1200, 0.36)


def test_without_a_vocabulary_the_observed_values_are_the_possible_ones_and_it_says_so() -> None:
    record = published(PEOPLE, ["age", "sex", "region"])
    assert record.numbers.cells_from == "observed"
    assert record.cells == 60 * 2 * 3
    assert {one.attribute: one.possible for one in record.quasi_identifier} == {
        "age": 60, "sex": 2, "region": 3,
    }  # fmt: skip


def test_a_vocabulary_says_what_is_possible_in_the_population() -> None:
    record = published(PEOPLE, ["sex", "region"], vocabulary=VOCABULARY)
    assert (record.cells, record.numbers.cells_from) == (8, "vocabulary")
    part = published(PEOPLE, ["sex", "region"], {"region": ["N", "S"]}, VOCABULARY)
    assert part.cells == 4
    assert part.people == 50 * round((PEOPLE["region"] != "E").sum() / 50)
    assert part.vocabulary == record.vocabulary is not None


def test_terms_on_columns_select_records_and_others_are_declarations() -> None:
    adults = published(PEOPLE, ["sex", "region"], {"age": range(18, 60), "City": "Delft"})
    alone = published(PEOPLE.filter(pl.col("age") < 60), ["sex", "region"])
    assert adults.numbers == alone.numbers
    assert adults.population.to_dict() == {"City": "Delft", "age": {"from": 18, "to": 59}}
    others = published(PEOPLE, ["sex", "age:width=20"], {"region": {"not_in": ["N"]}})
    selected = PEOPLE.filter(pl.col("region") != "N")
    assert others.numbers == published(selected, ["sex", "age:width=20"]).numbers


def test_a_term_that_differs_from_a_column_in_case_only_is_a_mistake() -> None:
    with pytest.raises(BadChoice, match="'Region', and the data has 'region'"):
        published(PEOPLE, ["sex"], {"Region": "N"})


def test_attributes_may_have_other_names_in_the_data() -> None:
    renamed = PEOPLE.rename({"sex": "geslacht", "region": "gebied"})
    names = {"sex": "geslacht", "region": "gebied"}
    record = published(renamed, ["sex", "age:width=10"], {"region": "N"}, columns=names)
    assert record == published(PEOPLE, ["sex", "age:width=10"], {"region": "N"})


def test_where_selects_records_without_becoming_public() -> None:
    record = published(PEOPLE, ["sex", "region"], where="age < 60")
    assert record.numbers == published(PEOPLE.filter(pl.col("age") < 60), ["sex", "region"]).numbers
    assert record.population.is_everybody


def test_missing_is_a_value_unless_such_records_are_dropped() -> None:
    holes = PEOPLE.with_columns(pl.when(pl.col("age") > 25).then("sex"))
    assert published(holes, ["sex", "region"]).cells == 9
    dropped = published(holes, ["sex", "region"], missing="drop")
    assert (
        dropped.numbers == published(PEOPLE.filter(pl.col("age") > 25), ["sex", "region"]).numbers
    )


# ---- codings


def test_intervals_and_levels_are_applied_before_counting() -> None:
    bands = PEOPLE.with_columns(age=pl.col("age") // 10, region=pl.col("region") == "S")
    coded = published(
        PEOPLE, ["age:width=10", "region:level=half"], vocabulary=VOCABULARY, cells=16
    )
    plain = published(bands, ["age", "region"], cells=16)
    assert coded.numbers == plain.numbers
    assert list(map(str, coded.quasi_identifier)) == ["age:width=10", "region:level=half"]


def test_an_offset_moves_the_intervals() -> None:
    shifted = PEOPLE.with_columns(age=(pl.col("age") - 3) // 20)
    coded = published(PEOPLE, {"age": "width=20,offset=3", "sex": "identity"})
    assert coded.numbers == published(shifted, ["age", "sex"]).numbers


def test_numbers_that_are_text_have_intervals_too(tmp_path: Path) -> None:
    PEOPLE.write_csv(tmp_path / "people.csv")
    from_text = published(tmp_path / "people.csv", ["age:width=10", "sex"], {"age": range(20, 60)})
    assert from_text == published(PEOPLE, ["age:width=10", "sex"], {"age": range(20, 60)})


def test_values_without_a_group_are_refused_without_being_told() -> None:
    strange = PEOPLE.with_columns(
        region=pl.when(pl.col("age") < 70).then("region").otherwise(pl.lit("Q"))
    )
    with pytest.raises(UnusableColumn, match="has values that level=half has no group for") as told:
        published(strange, ["region:level=half"], vocabulary=VOCABULARY)
    assert "Q" not in str(told.value)
    with pytest.raises(BadChoice, match="known to a vocabulary only"):
        published(PEOPLE, ["region:level=half"])


def test_values_that_the_vocabulary_does_not_know_are_refused() -> None:
    holes = PEOPLE.with_columns(pl.when(pl.col("age") > 25).then("sex"))
    with pytest.raises(BadChoice, match="'sex' lacks values, which the vocabulary does not count"):
        published(holes, ["sex", "region"], vocabulary=VOCABULARY)
    dropped = published(holes, ["sex", "region"], vocabulary=VOCABULARY, missing="drop")
    assert dropped.cells == 8
    old = PEOPLE.with_columns(age=pl.col("age") + 60)
    with pytest.raises(BadChoice, match="'age' has 60 different values in the data"):
        published(old, ["age"], {"age": range(78, 138)}, VOCABULARY)


# ---- refusals


def test_a_safe_and_an_unsafe_file_are_told_apart() -> None:
    assert published(PEOPLE, ["sex", "region"]).people == 6000
    with pytest.raises(NotPublishable, match="About 600 people; public records need 1,000") as few:
        published(people(600), ["sex", "region"])
    assert few.value.reasons[0].endswith("to within 1.8%.")
    assert few.value.refusals[0].reason == "people"
    assert published(people(600), ["sex", "region"], tier="registered").people == 600
    unique = PEOPLE.with_row_index("id")
    with pytest.raises(NotPublishable, match="Too few people share a cell"):
        published(unique, ["id", "age"])


def test_a_population_of_nobody_is_no_population() -> None:
    with pytest.raises(UnusableTable, match="nobody"):
        published(PEOPLE, ["sex"], {"age": 200})


class Ledger:
    """A repository as far as `publishable` asks one."""

    def __init__(self, *records: Record) -> None:
        self.entries = [entry for entry in map(entry_of, records) if entry is not None]

    def ledger(self, population: DeclaredPopulation) -> list[LedgerEntry[DeclaredPopulation]]:
        return [e for e in self.entries if e.population.overlaps(population)]


def test_the_fifth_record_of_the_same_people_is_refused_and_a_cheaper_one_too() -> None:
    one = published(PEOPLE, ["sex", "region"], {"City": "Delft"})
    full = Ledger(one, one, one, one)
    with pytest.raises(NotPublishable, match=r"budget is spent \(1.25 of 1\)"):
        published(PEOPLE, ["age"], {"City": "Delft"}, repository=full)
    assert published(PEOPLE, ["age"], {"City": "Ede"}, repository=full).people == 6000
    assert published(PEOPLE, ["age"], {"City": "Delft"}, repository=Ledger(one)).people == 6000


class Service:
    """A repository elsewhere, which says only what people have to bear."""

    def charge(self, population: DeclaredPopulation, cost: float, tier: str) -> float:
        del tier
        return cost + (1.0 if population.to_dict() == {"City": "Delft"} else 0.0)


class Opened:
    def __init__(self, store: Any) -> None:
        self.store = store


def test_a_service_is_asked_what_people_have_to_bear() -> None:
    service = Opened(Service())
    with pytest.raises(NotPublishable, match="budget is spent"):
        published(PEOPLE, ["age"], {"City": "Delft"}, repository=service)
    assert published(PEOPLE, ["age"], {"City": "Ede"}, repository=service).people == 6000
    with pytest.raises(BadChoice, match="must be a Repository or a Store, not a int"):
        published(PEOPLE, ["age"], repository=5)


def test_a_store_is_asked_for_its_ledger_and_a_personal_one_keeps_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SINGLEOUT_STATE", str(tmp_path / "state"))
    owner = HolderKey(KEY)
    store = Store.create(tmp_path / "public.sqlite", name="test", personal=False, owner=owner)
    with store:
        record = so.publishable(PEOPLE, ["sex", "region"], {"City": "Delft"}, key=owner)
        assert store.ledger(record.population) == []
        receipt = store.append(Submission.sign(record, owner))
        assert receipt.state == "valid", receipt
        most = so.publishable(PEOPLE, ["age"], {"City": "Delft"}, key=owner, repository=store)
        assert [entry.people for entry in store.ledger(record.population)] == [most.people]
        few = {"City": "Delft", "age": range(18, 77)}
        with pytest.raises(NotPublishable, match="The difference would itself be"):
            so.publishable(PEOPLE, ["sex"], few, key=owner, repository=store)
    with Store.create(tmp_path / "mine.sqlite", name="mine", personal=True) as mine:
        assert published(PEOPLE, ["age"], repository=Opened(mine)).people == 6000


def test_a_population_that_differs_by_a_few_people_is_refused() -> None:
    most = published(PEOPLE, ["sex", "region"], {"age": range(18, 70)})
    with pytest.raises(NotPublishable, match="The difference would itself be a record of too few"):
        published(PEOPLE, ["sex", "region"], repository=Ledger(most))
    half = published(PEOPLE, ["sex", "region"], {"age": range(18, 50)})
    assert published(PEOPLE, ["sex", "region"], repository=Ledger(half)).people == 6000
    rest = {"age": range(50, 78)}
    both = Ledger(half, published(PEOPLE, ["sex", "region"], rest))
    whole = {"age": range(18, 78)}
    assert published(PEOPLE, ["sex", "region"], whole, repository=both).people == 6000


# ---- several at once


def test_a_ladder_of_widths_is_a_batch_that_shares_the_price() -> None:
    ladder = so.publishable(
        PEOPLE, {"age": ["width=5", "width=10", "width=20"], "sex": "identity"}, key=KEY
    )
    assert isinstance(ladder, RecordBatch)
    assert [str(record.quasi_identifier[0]) for record in ladder] == [
        "age:width=5", "age:width=10", "age:width=20",
    ]  # fmt: skip
    assert {record.gate.price for record in ladder} == {0.25 / 3}
    assert math.fsum(record.gate.cost for record in ladder) <= 0.25 + 1e-5
    alone = published(PEOPLE, ["age:width=10", "sex"], price=0.25 / 3)
    assert ladder[1] == alone
    assert ladder.to_frame().height == len(ladder) == 3


def test_populations_that_exclude_each_other_need_not_share() -> None:
    regions = [{"region": name} for name in "NSE"]
    batch = so.publishable(PEOPLE, [["sex", "age:width=10"], ["sex"]], regions, key=KEY)
    assert isinstance(batch, RecordBatch)
    assert len(batch) == 6
    assert {record.gate.price for record in batch} == {0.125}
    nested = so.publishable(PEOPLE, ["sex", "age:width=10"], [{}, *regions[:1]], key=KEY)
    assert {record.gate.price for record in nested} == {0.125}


def test_a_batch_says_which_of_its_records_are_refused() -> None:
    regions = [{"age": range(18, 70)}, {"age": range(70, 78)}]
    batch = so.publishable(PEOPLE, ["sex", "region"], regions, key=KEY)
    assert isinstance(batch, RecordBatch)
    assert (len(batch), len(batch.refused)) == (1, 1)
    assert "public records need 1,000" in str(batch.refused[0])
    assert batch.to_dict()["refused"][0]["reason"] == "people"
    with pytest.raises(NotPublishable):
        so.publishable(people(300), [["sex"], ["region"]], key=KEY)


def test_batches_reject_what_is_named_twice() -> None:
    with pytest.raises(BadChoice, match="names a quasi-identifier twice"):
        so.publishable(PEOPLE, [["sex", "age"], ["age", "sex"]], key=KEY)
    with pytest.raises(BadChoice, match="one population twice"):
        so.publishable(PEOPLE, ["sex"], [{"region": "N"}, {"region": ["N"]}], key=KEY)


# ---- samples, personal files, keys


def test_a_sample_is_corrected_by_published_numbers() -> None:
    census = published(PEOPLE, ["age", "sex", "region"])
    sample = published(PEOPLE, ["age", "sex", "region"], coverage="sample")
    assert census.numbers.support is not None
    shift = (census.numbers.support - 1) / (2 * 6000)
    assert sample.numbers.correction == "miller-madow"
    assert sample.kappa == pytest.approx(census.kappa - shift, abs=0.003)
    assert sample.numbers.sd.kappa is not None
    assert census.numbers.sd.kappa is not None
    assert sample.numbers.sd.kappa >= census.numbers.sd.kappa
    assert sample.numbers.s2 == census.numbers.s2
    few = published(PEOPLE, ["sex"], coverage={"kind": "sample", "fraction": 0.1})
    assert few.numbers.correction == "none"  # the number of cells is withheld
    assert "not corrected" in what_becomes_public(few)


def test_a_personal_file_has_exact_numbers_and_no_gate() -> None:
    record = published(people(40), ["sex", "region"], tier="none")
    sizes = people(40).group_by("sex", "region").len()["len"].to_numpy()
    exact = CellNumbers.of(SizeProfile.of(sizes))
    assert record.kappa == exact.kappa(6)
    assert record.power_sums == (exact.power_sum(2), exact.power_sum(3))
    assert (record.gate.tier, record.gate.cost, record.access) == ("none", 0, "holder")
    assert "no gate" in what_becomes_public(record)


def test_the_holders_key_decides_the_noise_and_signs_the_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SINGLEOUT_KEY", str(tmp_path / "holder.key"))
    mine = so.publishable(PEOPLE, ["sex", "region"])
    key = HolderKey.load(tmp_path / "holder.key")
    assert mine == so.publishable(PEOPLE, ["sex", "region"], key=key)
    assert mine == so.publishable(PEOPLE, ["region", "sex"], key=tmp_path / "holder.key")
    assert mine.holder == key.id
    other = so.publishable(PEOPLE, ["sex", "region"], key=HolderKey.make())
    assert other.numbers != mine.numbers


def test_counts_of_counts_are_data_too() -> None:
    profile = SizeProfile.of(np.array(T1200))
    record = published(profile, ["a", "b"], cells=120)
    released = release(profile, 120, key=KEY)
    assert isinstance(released, Released)
    assert (record.people, record.kappa) == (released.people, released.kappa)
    with pytest.raises(BadChoice, match="give cells, or a vocabulary"):
        published(profile, ["a", "b"])


# ---- what is explained


def test_the_dry_run_lists_every_number_and_what_is_withheld() -> None:
    record = published(SizeProfile.of(np.array(T1200)), ["sex", "age"], {"City": "Urk"}, cells=120)
    text = what_becomes_public(record)
    assert text.splitlines()[0] == "What becomes public about age, sex; City=Urk:"
    assert "- People: 1,200. Its noise has a standard deviation of 10;" in text
    assert "- Withheld: the number of occupied cells" in text
    assert "0.36 nats" in text
    assert "at most 59.9%" in text
    for value in ("0.0123", "0.000155", "30", "0.2"):
        assert value in text, value
    assert "without noise" in what_becomes_public(published(PEOPLE, ["sex"]))
    unlimited = {"age": {"kind": "number", "values": {"from": 0, "to": 120}}}
    words = {"name": "w", "version": "1", "attributes": unlimited}
    text = what_becomes_public(published(PEOPLE, ["age"], vocabulary=words))
    assert "the vocabulary does not say how many values each attribute can have" in text


def test_the_holder_gets_a_statement_for_an_impact_assessment() -> None:
    record = published(PEOPLE, ["sex", "region"], {"City": "Urk"})
    text = impact_statement(record)
    assert "0.5-Gaussian differentially private (cost 0.25)" in text
    assert "about 6,000 people (City=Urk)" in text


def test_a_population_is_compared_with_its_siblings() -> None:
    batch = so.publishable(PEOPLE, ["sex", "age"], [{"region": name} for name in "NSE"], key=KEY)
    assert isinstance(batch, RecordBatch)
    text = beside_siblings(batch[0], batch)
    assert text.startswith("Of 2 other populations of this kind")
    assert beside_siblings(batch[0], batch.records[:2]).startswith("One other population")
    assert beside_siblings(batch[0], [published(PEOPLE, ["sex"])]).startswith("No other")


# ---- what cannot be asked


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"tier": "secret"}, BadChoice, "'secret' is no tier"),
        ({"missing": "wildcard"}, BadChoice, "value or drop"),
        ({"counts": "sex"}, BadChoice, "both a quasi-identifier"),
        ({"counts": "region"}, UnusableColumn, "region"),
        ({"cells": 0}, BadChoice, "cells must be"),
        ({"key": 5}, BadChoice, "secret bytes, not a int"),
        ({"licences": "CC0"}, BadChoice, "no option 'licences'"),
        ({"coverage": "everything"}, BadChoice, "coverage"),
    ],
)
def test_an_error_says_what_would_work(options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        published(PEOPLE, ["sex"], **options)


def test_columns_that_are_not_there_are_named() -> None:
    with pytest.raises(UnknownColumns, match="Did you mean 'sex'"):
        published(PEOPLE, ["sexe"])
    with pytest.raises(BadChoice, match="No quasi-identifier"):
        published(PEOPLE, [])
    with pytest.raises(BadChoice, match="twice"):
        published(PEOPLE, ["age", "age:width=5"])
