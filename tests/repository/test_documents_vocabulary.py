"""Vocabularies: files with line numbers, codings from fine to coarse, possible cells (C1)."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.core.table import Column
from singleout.errors import BadChoice, InputError, UnusableColumn
from singleout.repository.documents.coding import Coding, coding_name
from singleout.repository.documents.vocabulary import Attribute, Vocabulary

FILE = """\
name: small country
version: "2026.1"
attributes:
  PC4:
    values: {from: 1000, to: 1011}
    codings:
      level=PC3: {mapping: {1000: 100, 1001: 100, 1010: 101, 1011: 101}}
    determines:
      City: {1000: Amsterdam, 1001: Amsterdam, 1010: Utrecht, 1011: Utrecht}
  City:
    values: [Amsterdam, Utrecht]
    determines: {Province: unknown}
  Province: {possible: 12}
  sex: {values: [F, M]}
  age:
    kind: integer
    values: {from: 0, to: 119}
    ages: yes
    codings:
      width=5: {}
      width=10: {description: ten years}
      level=grown: {of: width=10, mapping: {0: no, 10: no, 20: yes}}
  income: {kind: number}
  born: {kind: date, values: {from: 1900-01-01, to: 2020-12-31}}
"""


def vocabulary(attributes: dict[str, Any]) -> Vocabulary:
    return Vocabulary.of({"name": "v", "version": "1", "attributes": attributes})


@pytest.fixture
def country(tmp_path: Path) -> Vocabulary:
    file = tmp_path / "country.yaml"
    # an empty section is an unfinished line
    file.write_text(FILE.replace("width=5: {}", "width=5: {possible: 24}"), "utf-8")
    return Vocabulary.read(file)


def test_a_file_a_mapping_and_json_are_the_same_document(
    country: Vocabulary, tmp_path: Path
) -> None:
    plain = json.loads(json.dumps(country.to_dict()))
    backwards = {**plain, "attributes": dict(reversed(plain["attributes"].items()))}
    saved = tmp_path / "country.json"
    saved.write_text(json.dumps(backwards, indent=1), "utf-8")
    for other in (
        Vocabulary.of(plain),
        Vocabulary.of(backwards),
        Vocabulary.from_json(json.dumps(plain)),
        Vocabulary.read(saved),
    ):
        assert other.hash == country.hash
    changed = {**plain, "version": "2026.2"}
    assert Vocabulary.of(changed).hash != country.hash
    assert str(country) == "small country 2026.1: 7 attributes"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("kind: integer", "kind: inte_ger", "did you mean 'integer'"),
        ("sex: {values: [F, M]}", "sex: {value_s: [F, M]}", "did you mean 'values'"),
        ("sex: {values: [F, M]}", "sex: {values: []}", "is empty"),
        ("to: 1011}", "to: 999}", "give the smaller end first"),
        ("1010: 101,", "1010: 101, 1010: 102,", "stands here twice"),
        ("width=10:", "widt=10:", "is no coding"),
        ("width=10:", "width=5.0:", "'width=5' stands here twice"),
        ("of: width=10", "of: level=x", "'level=x' is none"),
        ("of: width=10", "of: level=grown", "'level=grown' is none"),
        ("City: {1000", "Citty: {1000", "Did you mean 'City'"),
        ("City: {1000", "City: {900", "'900' is no value of 'PC4'"),
        ("1000: Amsterdam", "1000: Amsterdm", "'Amsterdm' is no value of 'City'"),
        ("possible: 12", "possible: -1", "at least 0"),
        ("possible: 12", "possible: many", "whole number"),
        ("kind: number", "kind: number, codings: {level=x: {of: y}}", "is no coding"),
        ("kind: date, values: {from: 1900-01-01, to: 2020-12-31}", "kind: date, values: [1]",
         "of the kind 'date'"),
        ("sex: {values: [F, M]}", "sex: {values: [F, M], codings: {width=5: {possible: 1}}}",
         "intervals are of numbers"),
        ("sex: {values: [F, M]}", "sex:", "must have entries"),
        ("name: small country", 'name: "a\\x1b"', "cannot be printed"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_file_has_its_line(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    text = FILE.replace("width=5: {}", "width=5: {possible: 24}")
    assert text.count(old) == 1
    line = text[: text.index(old)].count("\n") + 1
    file = tmp_path / "v.yaml"
    file.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(InputError, match=sentence) as error:
        Vocabulary.read(file)
    assert str(error.value).startswith(f"v.yaml, line {line}:")


def test_two_ways_to_determine_a_value_must_agree() -> None:
    with pytest.raises(BadChoice, match="by way of another attribute"):
        vocabulary(
            {
                "PC6": {"determines": {"PC4": {"a": 1}, "City": {"a": "x"}}},
                "PC4": {"determines": {"City": {1: "y"}}},
                "City": {"values": ["x", "y"]},
            }
        )


# ---- codings


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "identity"),
        (" identity ", "identity"),
        ("width=5", "width=5"),
        ("width=5.50, offset=11.5", "width=5.5,offset=0.5"),
        ("width=5,offset=-1", "width=5,offset=4"),
        ("width=0.1,offset=0.2", "width=0.1"),
        ("level=province", "level=province"),
    ],
)
def test_a_coding_has_one_name(text: str, name: str) -> None:
    assert coding_name(text) == name
    assert coding_name(name) == name


@pytest.mark.parametrize(
    "text",
    ["width", "width=0", "width=-5", "width=1e9", "width=5;offset=1", "level=", "width=٥",
     "level=\x1b", f"width={'9' * 5000}", "level=" + "x" * 300],
)  # fmt: skip
def test_what_is_no_coding_gets_a_sentence(text: str) -> None:
    with pytest.raises(BadChoice):
        coding_name(text)


@settings(deadline=None)
@given(
    *[st.integers(1, 12), st.integers(0, 11)] * 2,
)
def test_intervals_are_coarser_exactly_if_they_hold_the_finer(
    width: int, offset: int, finer: int, start: int
) -> None:
    coarse = Coding(name=f"width={width},offset={offset}")
    fine = Coding(name=f"width={finer},offset={start}")
    pairs = {(fine.group_of(n), coarse.group_of(n)) for n in range(-12, 144)}
    holds = len({low for low, _ in pairs}) == len(pairs)
    # on numbers without gaps a width of one is not yet single values
    assert coarse.coarser_than(fine) == (holds and coarse.name != fine.name)


def test_codings_come_from_fine_to_coarse(country: Vocabulary) -> None:
    age = country["age"]
    assert [one.name for one in age.ladder] == ["identity", "width=5", "width=10", "level=grown"]
    assert age.coarser("level=grown", "width=5")
    assert not age.coarser("width=5", "level=grown")
    assert country["born"].coarser("level=year", "level=month")
    assert country["PC4"].coarser("level=PC3", "identity")
    for name in ("level=young", "level=month"):
        with pytest.raises(BadChoice, match="has no coding"):
            age.coding(name)
    with pytest.raises(BadChoice, match="has no coding"):
        country["sex"].coding("width=5")


def test_levels_are_compared_by_their_mappings() -> None:
    attribute = Attribute.model_validate(
        {
            "values": list("abcd"),
            "codings": {
                "level=two": {"mapping": {"a": 1, "b": 1, "c": 2, "d": 2}},
                "level=three": {"mapping": {"a": 1, "b": 1, "c": 2, "d": 3}},
                "level=across": {"mapping": {"a": 1, "b": 2, "c": 1, "d": 2}},
            },
        }
    )
    assert attribute.coarser("level=two", "level=three")
    assert not attribute.coarser("level=three", "level=two")
    assert not attribute.coarser("level=across", "level=two")
    assert not attribute.coarser("level=two", "level=two")


def test_a_column_is_coded() -> None:
    ages = vocabulary({"age": {"kind": "integer", "values": {"from": 0, "to": 99}}})["age"]
    codes = np.array([0, 1, 2, 3, 0], dtype=np.uint8)
    column = Column("age", codes, ("4", "5", "12"), has_missing=True)
    coded = ages.coded(column, "width=5")
    assert [coded.value(code) for code in coded.codes] == [0, 5, 10, None, 0]
    with pytest.raises(UnusableColumn, match="'100', which the vocabulary does not have"):
        ages.coded(Column("age", codes[:1], ("100",)))


# ---- possible cells


@pytest.mark.parametrize(
    ("quasi_identifier", "population", "cells"),
    [
        (["sex"], None, 2),
        (["age", "sex"], None, 240),
        (["age", "sex"], "age=18..64", 94),
        (["age:width=5"], "age=18..64", 10),
        (["age:width=5,offset=3"], "age=18..64", 10),
        (["age:width=5"], "age=4|5|9", 2),
        (["age:level=grown"], "age=15..20", 2),
        (["age:level=grown"], "age=..9", 1),
        (["PC4"], None, 12),
        (["PC4", "City"], "PC4=1000|1001|1010", 3),
        (["PC4", "City"], "City=Utrecht, PC4=1010..", 2),
        (["PC4:level=PC3", "City"], "PC4=1000|1001|1010", 2),
        (["City", "Province"], None, 2),
        (["PC4", "Province"], None, 12 * 12),
        (["Province"], None, 12),
        (["Province"], "Province!=Utrecht", None),
        (["Province"], "Province=Utrecht", 1),
        (["income"], None, None),
        (["income:width=1000"], "income=0..5000", 6),
        (["income:width=1000"], {"income": {"from": 0, "below": 5000}}, 5),
        (["income:width=0.1"], {"income": {"from": 0, "to": 0.3}}, 4),
        (["born"], "born=2000-02-01..2000-03-01", 30),
        (["born:level=month"], "born=2000-01-31..2000-03-01", 3),
        (["born:level=decade"], None, 13),
        (["sex"], "City=Utrecht, PC4=1000", 0),
    ],
)
def test_possible_cells_are_those_in_the_population(
    country: Vocabulary, quasi_identifier: list[str], population: Any, cells: int | None
) -> None:
    assert country.cells_possible(quasi_identifier, population) == cells


def test_an_attribute_that_is_not_there_gets_a_sentence(country: Vocabulary) -> None:
    with pytest.raises(BadChoice, match="Did you mean 'sex'"):
        country.cells_possible(["sexe"])


@settings(deadline=None, max_examples=80)
@given(st.data())
def test_cells_of_attributes_that_determine_each_other_are_as_enumerated(
    data: st.DataObject,
) -> None:
    areas, towns, codes = [1, 2, 3, 4], ["x", "y", "z"], ["p", "q", "r"]
    by_area = data.draw(st.dictionaries(st.sampled_from(areas), st.sampled_from(towns)))
    by_code = data.draw(st.dictionaries(st.sampled_from(codes), st.sampled_from(towns)))
    groups = {area: data.draw(st.sampled_from("gh")) for area in areas}
    found = vocabulary(
        {
            "area": {
                "values": areas,
                "determines": {"town": by_area} if by_area else {},
                "codings": {"level=group": {"mapping": groups}},
            },
            "code": {"values": codes, "determines": {"town": by_code} if by_code else {}},
            "town": {"values": towns},
        }
    )
    chosen = data.draw(
        st.lists(st.sampled_from(["area", "area:level=group", "code", "town"]), min_size=1)
    )
    chosen = [
        one for one in dict.fromkeys(chosen) if one != "area" or "area:level=group" not in chosen
    ]
    allowed = data.draw(st.sets(st.sampled_from(towns), min_size=1))
    people = [
        {"area": area, "area:level=group": groups[area], "code": code, "town": town}
        for area, code, town in product(areas, codes, towns)
        if town in allowed and by_area.get(area, town) == town and by_code.get(code, town) == town
    ]
    expected = len({tuple(person[one] for one in chosen) for person in people})
    assert found.cells_possible(chosen, {"town": sorted(allowed)}) == expected
