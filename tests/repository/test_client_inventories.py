"""Inventories: read from files, matched with what is published and with each other."""

from pathlib import Path

import pytest

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.inventories.codings import CodedNames, finest, in_common, is_as_fine
from singleout.repository.inventories.description import DescribedColumn, Description
from singleout.repository.inventories.entries import (
    described_entry,
    inventory_of,
    read_descriptions,
    read_inventory,
)
from singleout.repository.inventories.matching import (
    RegisteredInventory,
    demand,
    joint_risks,
    match,
)
from singleout.repository.inventories.results import KnownRisk


def coded(*names: str) -> CodedNames:
    return tuple(CodedAttribute.of(name) for name in names)


def registered(
    name: str, *attributes: str, holder: str = "a", what: str = "questionnaire", **more: object
) -> RegisteredInventory:
    entry = inventory_of({"what": what, "name": name, "attributes": list(attributes), **more})
    return RegisteredInventory(name, holder, entry)


def ask(quasi_identifier: CodedNames, _: DeclaredPopulation) -> KnownRisk:
    """Tell a risk that grows with the number of attributes."""
    return KnownRisk(min(1.0, 0.02 * len(quasi_identifier) ** 2), 1000)


# ---- files


def test_an_inventory_is_read_from_a_small_file(tmp_path: Path) -> None:
    path = tmp_path / "visitors.yaml"
    path.write_text(
        "what: questionnaire\n"
        "name: Visitors\n"
        "attributes: [PC4, Sex, 'Age:width=5']\n"
        "combinations:\n  - [PC4, Sex]\n"
        "population: City=Amsterdam, Age=18..64\n"
        "identified: no\n"
    )
    entry = read_inventory(path)
    assert entry.attributes == coded("PC4", "Sex", "Age:width=5")
    assert entry.population == DeclaredPopulation.of("City=Amsterdam, Age=18..64")
    assert entry.identified is False


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("what: poll\nname: x\nattributes: [a]\n", "line 1: 'what' must be one of"),
        ("what: dataset\nname: x\nattributes: ['a:width=0']\n", "line 3: .*'width=0' is no coding"),
        (
            "what: dataset\nname: x\nattributes: [a]\npopulation: City\n",
            "line 4: .*attribute=value",
        ),
        (
            "what: dataset\nname: x\nattributes: [PC4]\ncombinations: [[PC5]]\n",
            "line 4: 'PC5' is not among the attributes. Did you mean 'PC4'?",
        ),
        ("what: dataset\nname: x\natributes: [a]\n", "did you mean 'attributes'"),
        ("- a\n- b\n", "line 1"),
    ],
)
def test_a_mistake_in_the_file_is_named_with_its_line(
    tmp_path: Path, text: str, sentence: str
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(BadChoice, match=sentence):
        read_inventory(path)


def test_columns_of_a_catalogue_get_the_names_of_the_vocabulary() -> None:
    words = Vocabulary.of({"name": "x", "version": "1", "attributes": {"PC4": {}, "Sex": {}}})
    columns = tuple(map(DescribedColumn, ["pc4", "SEX", "age_gr", "weight"]))
    entry = described_entry(
        Description("Survey", columns, universe="Adults"),
        names={"age_gr": "Age:width=5"},
        columns=["pc4", "SEX", "age_gr"],
        population="City=Urk",
        vocabulary=words,
        identified=True,
    )
    assert entry.attributes == coded("PC4", "Sex", "Age:width=5")
    assert entry.identified
    assert entry.description == "Adults"
    with pytest.raises(BadChoice, match=r"has no column 'pc5'\. Did you mean 'pc4'"):
        described_entry(Description("Survey", columns), names={"pc5": "PC4"})


def test_a_catalogue_of_another_kind_is_refused() -> None:
    with pytest.raises(BadChoice, match=r"should be a DDI codebook \(.xml\)"):
        read_descriptions("columns.csv")


# ---- codings


def test_whoever_knows_years_knows_bands_and_not_the_other_way_round() -> None:
    (years, fives, tens, odd) = coded("Age", "Age:width=5", "Age:width=10", "Age:width=7")
    assert is_as_fine(years, fives)
    assert is_as_fine(fives, tens)
    assert is_as_fine(fives, fives)
    assert not is_as_fine(tens, fives)
    assert not is_as_fine(fives, odd)
    assert in_common([fives], [odd]) == ()
    assert in_common([years], [tens]) == (tens,)
    assert finest([[tens], [fives, *coded("Sex")]]) == (fives, *coded("Sex"))


def test_levels_are_compared_by_the_vocabulary() -> None:
    levels = {"level=digits": {"mapping": {"1011": "10"}}, "level=all": {"of": "level=digits"}}
    words = Vocabulary.of({"name": "x", "version": "1", "attributes": {"PC4": {"codings": levels}}})
    (whole, digits, every, other) = coded(
        "PC4", "PC4:level=digits", "PC4:level=all", "PC4:level=no"
    )
    assert is_as_fine(whole, digits, words)
    assert is_as_fine(digits, every, words)
    assert not is_as_fine(every, digits, words)
    assert not is_as_fine(digits, other, words)


# ---- matching


def test_a_questionnaire_touches_what_it_asks_at_least_as_finely() -> None:
    published = [
        (coded("Age:width=5", "PC4"), 3),
        (coded("Sex"), 1),
        (coded("Age", "Sex"), 2),
        (coded("Income"), 9),
    ]
    found = match(registered("poll", "PC4", "Sex", "Age:width=5"), [], published, ask)
    names = [[str(one) for one in touched.quasi_identifier] for touched in found.touched]
    assert names == [["Age:width=5", "PC4"], ["Sex"]]
    assert [one.finer for one in found.touched] == [False, False]
    finer = match(registered("poll", "Age"), [], [(coded("Age:width=5"), 1)], ask)
    assert finer.touched[0].finer


def test_only_what_is_asked_together_is_revealed_together() -> None:
    poll = registered("poll", "PC4", "Sex", "Age", combinations=[["PC4", "Sex"], ["Age"]])
    published = [(coded("Age", "PC4"), 1), (coded("PC4", "Sex"), 1)]
    found = match(poll, [], published, ask)
    assert [str(one.quasi_identifier[1]) for one in found.touched] == ["Sex"]


def test_identified_data_about_the_same_people_can_be_linked() -> None:
    poll = registered("poll", "PC4", "Sex", "Age:width=5", population={"City": "Urk"})
    register = registered(
        "register", "PC4", "Age", "Name", what="dataset", identified=True, holder="b"
    )
    elsewhere = registered(
        "elsewhere", "PC4", what="dataset", identified=True, population={"City": "Laren"}
    )
    anonymous = registered("anonymous", "PC4", "Sex", what="release")
    found = match(poll, [poll, register, elsewhere, anonymous], [], ask)
    (link,) = found.links
    assert (link.name, link.holder) == ("register", "b")
    assert link.shared == coded("Age:width=5", "PC4")  # each in the coarser coding
    assert str(link.population) == "City=Urk"
    assert link.risk is not None
    assert link.risk.unique == pytest.approx(0.08)


def test_questionnaires_of_one_holder_can_be_identifying_together_only() -> None:
    ones = [
        registered("first", "PC4"),
        registered("second", "Sex"),
        registered("third", "Age"),
        registered("theirs", "Age", holder="b"),
    ]
    pairs = joint_risks(ones, ask, share=0.05)
    assert [risk.names for risk in pairs] == [
        ("first", "second"),
        ("first", "third"),
        ("second", "third"),
    ]
    (all_three,) = joint_risks(ones, ask, share=0.1)
    assert all_three.names == ("first", "second", "third")
    assert joint_risks(ones, ask, share=0.5) == []
    found = match(ones[0], ones, [], ask)
    assert [risk.names for risk in found.joint] == [("first", "second"), ("first", "third")]


def test_questionnaires_of_different_people_do_not_add_up() -> None:
    ones = [
        registered("first", "PC4", population={"City": "Urk"}),
        registered("second", "Sex", population={"City": "Laren"}),
    ]
    assert joint_risks(ones, ask) == []


def test_demand_lists_what_is_asked_without_a_record_the_most_asked_first() -> None:
    ones = [
        registered("first", "PC4", "Sex"),
        registered("second", "Sex", "PC4"),
        registered("third", "Age"),
        registered("fourth", "Income"),
    ]
    known = coded("Income")
    found = demand(ones, lambda names, _: names == known)
    assert [one.names for one in found] == [("first", "second"), ("third",)]
    assert len(found) == 2
    assert str(found) == "2 combinations are asked for without a record"
    assert found.to_frame().rows()[0] == ("PC4+Sex", "everybody", 2)


def test_a_match_can_be_shown_as_a_frame_and_as_plain_values() -> None:
    poll = registered("poll", "PC4", "Sex")
    register = registered("register", "PC4", what="dataset", identified=True)
    found = match(poll, [register], [(coded("Sex"), 1)], lambda *_: None)
    assert found.to_frame().rows() == [
        ("published", "Sex", "", None),
        ("link", "PC4", "register", None),
    ]
    assert found.to_dict()["links"][0]["shared"] == ["PC4"]
    assert str(found).startswith("poll reveals 1 published quasi-identifiers")
