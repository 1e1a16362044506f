"""Populations: subset, overlap and difference are those of an enumeration."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_population_algebra as naive
from singleout.errors import BadChoice, InputError
from singleout.repository.documents.canonical import canonical
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.vocabulary import Vocabulary

# every interval between two ends that terms use has a value of the universe in it
HALVES = sorted([2.25, 2.75, *(n / 2 for n in range(-1, 12))])
NUMBERS = [int(n) if n.is_integer() else n for n in HALVES]
WHOLE = list(range(-1, 7))
DAYS = [f"2020-02-{day:02}" for day in range(26, 30)] + ["2020-03-01", "2020-03-02"]
OTHERS: list[Any] = ["N", "S", "01", True]


def ends(values: list[Any], *, opens: bool) -> st.SearchStrategy[dict[str, Any]]:
    starts = ["from", "above"] if opens else ["from"]
    stops = ["to", "below"] if opens else ["to"]

    def written(drawn: tuple[Any, Any, str, str, int]) -> dict[str, Any]:
        one, two, start, stop, which = drawn
        low, high = sorted([one, two])
        if low == high and {start, stop} & {"above", "below"}:
            start, stop = "from", "to"
        return [{start: low, stop: high}, {start: low}, {stop: high}][which]

    value = st.sampled_from(values)
    return st.tuples(
        value, value, st.sampled_from(starts), st.sampled_from(stops), st.integers(0, 2)
    ).map(written)


def terms(numbers: list[Any], *, opens: bool) -> st.SearchStrategy[Any]:
    inner = [number for number in numbers[1:-1] if isinstance(number, int)]
    item = st.one_of(
        st.sampled_from([*inner, *DAYS[1:-1], *OTHERS]),
        ends(inner, opens=opens),
        ends(DAYS[1:-1], opens=False),
    )
    many = st.lists(item, min_size=1, max_size=4)
    return st.one_of(item, many.map(lambda i: {"in": i}), many.map(lambda i: {"not_in": i}))


def populations(numbers: list[Any], *, opens: bool) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from(["a", "b"]), terms(numbers, opens=opens), max_size=2)


CONTINUOUS = naive.universe({"a": [*NUMBERS, *DAYS, *OTHERS], "b": [*NUMBERS, *DAYS, *OTHERS]})
DISCRETE = naive.universe({"a": [*WHOLE, *DAYS, *OTHERS], "b": [*WHOLE, *DAYS, *OTHERS]})


def agree(one: dict[str, Any], other: dict[str, Any], everybody: list[dict[str, Any]]) -> None:
    left, right = naive.people(one, everybody), naive.people(other, everybody)
    mine, theirs = DeclaredPopulation.of(one), DeclaredPopulation.of(other)
    assert naive.people(mine.to_dict(), everybody) == left
    assert mine.contains(theirs) == (left >= right)
    assert mine.is_disjoint(theirs) == (not left & right)
    assert mine.overlaps(theirs) != mine.is_disjoint(theirs)
    both = mine.intersection(theirs)
    assert (set() if both is None else naive.people(both.to_dict(), everybody)) == left & right
    pieces = [naive.people(piece.to_dict(), everybody) for piece in mine.difference(theirs)]
    assert set().union(*pieces) == left - right
    assert sum(map(len, pieces)) == len(left - right)
    assert all(pieces)


@settings(deadline=None, max_examples=150)
@given(populations(NUMBERS, opens=True), populations(NUMBERS, opens=True))
def test_numbers_without_gaps_are_as_enumerated(one: dict[str, Any], other: dict[str, Any]) -> None:
    # half a number within a term makes an attribute one of numbers without gaps
    for population in (one, other):
        for name in ("a", "b"):
            population[name] = with_half(population.get(name))
    for name in ("a", "b"):  # a range may have swallowed it
        sets = [DeclaredPopulation.of(population).sets.get(name) for population in (one, other)]
        assume(not all(values is None or values.is_whole for values in sets))
    agree(one, other, CONTINUOUS)


def with_half(term: Any) -> Any:
    if term is None:
        return {"not_in": [2.5]}
    if isinstance(term, dict) and ("in" in term or "not_in" in term):
        ((key, items),) = term.items()
        return {key: [*items, 2.5]}
    return {"in": [term, 2.5]}


@settings(deadline=None, max_examples=200)
@given(populations(WHOLE, opens=False), populations(WHOLE, opens=False))
def test_whole_numbers_are_as_enumerated(one: dict[str, Any], other: dict[str, Any]) -> None:
    agree(one, other, DISCRETE)


@settings(deadline=None, max_examples=100)
@given(populations(WHOLE, opens=False), st.randoms())
def test_equal_populations_have_equal_keys_whatever_their_order(
    given_: dict[str, Any], random: Any
) -> None:
    shuffled = {}
    for name in random.sample(list(given_), len(given_)):
        term = given_[name]
        if isinstance(term, dict) and ("in" in term or "not_in" in term):
            ((key, items),) = term.items()
            term = {key: random.sample(items, len(items)) + items[:1]}
        shuffled[name] = term
    one, other = DeclaredPopulation.of(given_), DeclaredPopulation.of(shuffled)
    assert one == other
    assert one.key == other.key
    assert hash(one) == hash(other)
    assert DeclaredPopulation.of(canonical(one.to_dict()).decode()) == one
    assert DeclaredPopulation.model_validate_json(one.model_dump_json()) == one


# ---- determination: a small area determines a larger one

AREAS = [1, 2, 3, 4]


@st.composite
def determined(draw: st.DrawFn) -> tuple[Any, ...]:
    """Areas determine towns, for some perhaps not known, and towns determine provinces."""
    towns = draw(st.dictionaries(st.sampled_from(AREAS), st.sampled_from("xyz"), min_size=1))
    provinces = draw(st.dictionaries(st.sampled_from("xyz"), st.sampled_from("PQ"), min_size=1))
    subset = {
        "area": st.sets(st.sampled_from(AREAS), min_size=1),
        "town": st.sets(st.sampled_from("xyz"), min_size=1),
        "province": st.sets(st.sampled_from("PQ"), min_size=1),
    }
    two = [
        {
            name: {draw(st.sampled_from(["in", "not_in"])): sorted(draw(subset[name]))}
            for name in draw(st.sets(st.sampled_from(list(subset))))
        }
        for _ in range(2)
    ]
    return towns, provinces, *two


@settings(deadline=None, max_examples=200)
@given(determined())
def test_determination_is_as_enumerated(drawn: tuple[Any, ...]) -> None:
    towns, provinces, one, other = drawn
    vocabulary = Vocabulary.of(
        {
            "name": "areas",
            "version": "1",
            "attributes": {
                "area": {"values": AREAS, "determines": {"town": towns}},
                "town": {"values": list("xyz"), "determines": {"province": provinces}},
                "province": {"values": ["P", "Q"]},
            },
        }
    )
    everybody = naive.universe(
        {"area": AREAS, "town": list("xyz"), "province": ["P", "Q"]},
        {("area", "town"): towns, ("town", "province"): provinces},
    )
    left, right = naive.people(one, everybody), naive.people(other, everybody)
    mine, theirs = DeclaredPopulation.of(one), DeclaredPopulation.of(other)
    assert mine.is_empty(vocabulary) == (not left)
    assert mine.contains(theirs, vocabulary) == (left >= right)
    assert mine.is_disjoint(theirs, vocabulary) == (not left & right)
    pieces = [naive.people(p.to_dict(), everybody) for p in mine.difference(theirs, vocabulary)]
    assert set().union(*pieces) == left - right
    assert sum(map(len, pieces)) == len(left - right)
    if left:
        normal = mine.within(vocabulary)
        assert naive.people(normal.to_dict(), everybody) == left
        if left == right:
            assert normal == theirs.within(vocabulary)


# ---- ways of writing


@pytest.mark.parametrize(
    ("given_", "normal"),
    [
        (None, {}),
        ("", {}),
        ({"a": {"not_in": [1]}}, {"a": {"not_in": [1]}}),
        ({"b": range(3, 7)}, {"b": {"from": 3, "to": 6}}),
        ("age=18..64", {"age": {"from": 18, "to": 64}}),
        ("age=18.., City=Amsterdam", {"City": "Amsterdam", "age": {"from": 18}}),
        (["age=..64"], {"age": {"to": 64}}),
        ("region=N|S", {"region": {"in": ["N", "S"]}}),
        ("region!=S|N", {"region": {"not_in": ["N", "S"]}}),
        ("region=N|N", {"region": "N"}),
        (["name=a, b"], {"name": "a, b"}),
        ({"pc": "1056"}, {"pc": 1056}),
        ({"pc": "01056"}, {"pc": "01056"}),
        ({"x": 2.0}, {"x": 2}),
        ({"x": -0.0}, {"x": 0}),
        ({"x": {"in": [3, 1, 2, 2]}}, {"x": {"in": [1, 2, 3]}}),
        ({"x": [{"from": 1, "to": 3}, {"from": 3, "to": 5}, 4]}, {"x": {"from": 1, "to": 5}}),
        ({"x": {"in": [{"below": 3}, {"above": 3}, 3]}}, {"x": {"in": [{"to": 0}, {"from": 0}]}}),
        ({"d": date(2020, 2, 29)}, {"d": "2020-02-29"}),
        ("d=2020-01-01..2020-12-31", {"d": {"from": "2020-01-01", "to": "2020-12-31"}}),
        ({"d": ["2020-02-28", "2020-02-29"]}, {"d": {"from": "2020-02-28", "to": "2020-02-29"}}),
        ({"d": {"above": "2020-02-28"}}, {"d": {"from": "2020-02-29"}}),
        ({"d": {"to": "9999-12-31"}}, {"d": {"from": "0001-01-01"}}),
        ({"x": [True, "true"]}, {"x": True}),
        ('{"age": {"from": 18}}', {"age": {"from": 18}}),
    ],
)  # fmt: skip
def test_a_population_has_one_normal_form(given_: Any, normal: dict[str, Any]) -> None:
    population = DeclaredPopulation.of(given_)
    assert population.to_dict() == normal
    assert DeclaredPopulation.of(population.to_dict()) == population


def test_populations_read_as_they_are_written() -> None:
    assert str(DeclaredPopulation.of(None)) == "everybody"
    text = "City=Amsterdam, age=18..64, region=N|S"
    assert str(DeclaredPopulation.of(text)) == text
    assert str(DeclaredPopulation.of({"x": {"above": 1.5, "below": 3}})) == "x=1.5<..<3"
    assert str(DeclaredPopulation.of({"x": {"not_in": [1, 2]}})) == "x≠1|2"


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ("age", "write attribute=value"),
        ("age=1, age=2", "twice"),
        ({"age": {}}, "give a value, a range"),
        ({"age": {"from": 5, "to": 3}}, "give the smaller end first"),
        ({"age": {"from": 5, "above": 3}}, "give 'from' or 'above'"),
        ({"age": {"from": 5, "to": "2020-01-01"}}, "both must be numbers, or both dates"),
        ({"age": {"from": "N"}}, "both must be numbers, or both dates"),
        ({"age": {"form": 5}}, "give a value, a range"),
        ({"age": []}, "is empty"),
        ({"age": [[1]]}, "a list within a list"),
        ({"age": {"in": "N"}}, "must be a list"),
        ({"age": None}, "give text, a number"),
        ({"age": float("nan")}, "finite"),
        ({"age": float("inf")}, "finite"),
        ({"age": 2**53}, "write it as text"),
        ({"age": 10**5000}, "write it as text"),
        ({"age": 1e300}, "write it as text"),
        ({"age": "\ud800"}, "cannot be printed"),
        ({"age": "a\x1b[2J"}, "cannot be printed"),
        ({"a\x00": 1}, "cannot be printed"),
        ({" ": 1}, "without a name"),
        ({"": 1}, "without a name"),
        ({"age": "x" * 201}, "at most 200"),
        ({"age": range(0)}, "is empty"),
        ({"age": range(1_000_000)[::2]}, "at most 20,000"),
        ({"age": [str(n) for n in range(20_001)]}, "at most 20,000"),
        ({f"a{n}": 1 for n in range(51)}, "at most 50"),
        ('{"age": 1, "age": 2}', "stands there twice"),
        ('[1]', "write attribute=value"),
        (5, "is no population"),
        ([5], "write attribute=value"),
    ],
)  # fmt: skip
def test_what_is_no_population_gets_a_sentence(given_: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence) as error:
        DeclaredPopulation.of(given_)
    assert len(str(error.value)) < 400


def test_yes_is_not_one() -> None:
    assert DeclaredPopulation.of({"x": True}) != DeclaredPopulation.of({"x": 1})
    assert DeclaredPopulation.of({"x": True}).is_disjoint({"x": 1})


def test_long_numbers_in_text_are_text() -> None:
    long = "9" * 100
    assert DeclaredPopulation.of({"account": long}).to_dict() == {"account": long}


def test_a_vocabulary_says_which_values_there_are() -> None:
    vocabulary = Vocabulary.of(
        {
            "name": "v",
            "version": "1",
            "attributes": {
                "sex": {"values": ["F", "M"]},
                "age": {"kind": "integer", "values": {"from": 0, "to": 120}},
                "height": {"kind": "number"},
            },
        }
    )
    everybody = DeclaredPopulation.of(None)
    assert DeclaredPopulation.of("sex=F|M").contains(everybody, vocabulary)
    assert DeclaredPopulation.of({"age": {"above": 17}}).difference("age=18..", vocabulary) == ()
    assert DeclaredPopulation.of({"height": {"from": 1, "to": 2}}).difference(
        {"height": {"in": [1, 2]}}, vocabulary
    ) == (DeclaredPopulation.of({"height": {"above": 1, "below": 2}}),)
    assert DeclaredPopulation.of("sex=F|M, age=1|2|3").within(vocabulary) == (
        DeclaredPopulation.of("age=1..3")
    )
    for wrong, sentence in (
        ("sex=X", "no such value of 'sex'"),
        ("agee=3", "did you mean 'age'|Did you mean 'age'"),
        ("age=121..", "no such value of 'age'"),
    ):
        with pytest.raises(BadChoice, match=sentence):
            DeclaredPopulation.of(wrong).within(vocabulary)
