"""Who a record is about: a conjunction of attribute = value, range or set, with an exact algebra.

``{}`` is everybody; ``{"City": "Amsterdam", "age": {"from": 18, "to": 64}}`` is a part. Everybody
has one value for each attribute, and missing is a value like another, so that the people outside a
range include those without a number. Without a vocabulary, the numbers of an attribute are whole
if all that two populations say of it are whole, and every end closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import ConfigDict, RootModel, WithJsonSchema, model_validator

from singleout.errors import BadChoice
from singleout.report.say import say
from singleout.repository.documents.canonical import canonical, hash_of, read_json, short
from singleout.repository.documents.values import EVERYTHING, ValueSet, scalar, text_of

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["DeclaredPopulation", "PopulationLike"]

PopulationLike: TypeAlias = "DeclaredPopulation | Mapping[str, Any] | str | Iterable[str] | None"

_MOST_TERMS = 50
_VALUE = {"type": ["string", "number", "boolean"]}
_ITEM = {
    "oneOf": [
        _VALUE,
        {
            "type": "object",
            "properties": {
                key: {"type": ["string", "number"]} for key in ("from", "above", "to", "below")
            },
            "minProperties": 1,
            "additionalProperties": False,
        },
    ]
}
_LIST = {"type": "array", "items": _ITEM}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "maxProperties": _MOST_TERMS,
    "additionalProperties": {
        "oneOf": [
            *_ITEM["oneOf"],
            *(
                {
                    "type": "object",
                    "properties": {key: _LIST},
                    "required": [key],
                    "additionalProperties": False,
                }
                for key in ("in", "not_in")
            ),
        ]
    },
}


class DeclaredPopulation(RootModel[Annotated[dict[str, Any], WithJsonSchema(_SCHEMA)]]):
    """The people who meet all terms; without terms, everybody.

    Examples
    --------
    >>> adults = DeclaredPopulation.of("City=Amsterdam, age=18..64")
    >>> adults.contains({"City": "Amsterdam", "age": 30, "sex": "F"})
    True
    >>> str(adults.difference("age=..40")[0])
    'City=Amsterdam, age=41..64'
    """

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _normal(cls, given: Any) -> Any:
        if isinstance(given, DeclaredPopulation):
            return given.root
        if not isinstance(given, Mapping):
            return given  # pydantic says what it should be
        return _single_terms(given) or {name: each.term() for name, each in _sets(given).items()}

    @classmethod
    def of(cls, given: PopulationLike) -> DeclaredPopulation:
        """Return the population of a mapping, of ``"key=value"`` texts, or everybody for None."""
        if isinstance(given, DeclaredPopulation):
            return given
        if given is None:
            return cls({})
        if isinstance(given, str):
            given = _of_text(given)
        if not isinstance(given, Mapping):
            if not isinstance(given, Iterable):
                raise BadChoice(
                    f"{short(str(given))} is no population; give a mapping of attributes to "
                    "values, or texts such as age=18..64."
                )
            given = _of_terms(given)
        return cls.model_construct(
            root={name: values.term() for name, values in _sets(given).items()}
        )

    @cached_property
    def sets(self) -> dict[str, ValueSet]:
        """The set of values of each attribute that has a term."""
        return {name: ValueSet.of(term, name) for name, term in self.root.items()}

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that have a term, in order."""
        return tuple(self.root)

    @cached_property
    def key(self) -> str:
        """The hash of the normal form."""
        return hash_of(self.text)

    @cached_property
    def text(self) -> bytes:
        """The canonical bytes of the normal form."""
        return canonical(self.root)

    @property
    def is_everybody(self) -> bool:
        """Whether there are no terms."""
        return not self.root

    # ---- algebra

    def is_empty(self, vocabulary: Vocabulary | None = None) -> bool:
        """Whether nobody can be in it: the vocabulary knows of no such values."""
        if vocabulary is None and not any(type(term) is dict for term in self.root.values()):
            return False  # one value each
        return _impossible(self.sets, vocabulary)

    def contains(self, other: PopulationLike, vocabulary: Vocabulary | None = None) -> bool:
        """Whether everybody of another population is in this one."""
        inner = DeclaredPopulation.of(other)
        if _has_every_term(inner.root, self.root):
            return True  # word for word
        if vocabulary is None and not self.root.keys() <= inner.root.keys():
            return inner.is_empty()  # nothing is known of them
        return all(
            _impossible(_both(inner.sets, {name: values.complement()}, vocabulary), vocabulary)
            for name, values in self.sets.items()
        )

    def is_disjoint(self, other: PopulationLike, vocabulary: Vocabulary | None = None) -> bool:
        """Whether nobody is in both."""
        both = _both(self.sets, DeclaredPopulation.of(other).sets, vocabulary)
        return _impossible(both, vocabulary)

    def overlaps(self, other: PopulationLike, vocabulary: Vocabulary | None = None) -> bool:
        """Whether somebody can be in both."""
        return not self.is_disjoint(other, vocabulary)

    def intersection(
        self, other: PopulationLike, vocabulary: Vocabulary | None = None
    ) -> DeclaredPopulation | None:
        """Return who is in both; None if nobody can be."""
        both = _both(self.sets, DeclaredPopulation.of(other).sets, vocabulary)
        return None if _impossible(both, vocabulary) else _written(both)

    def difference(
        self, other: PopulationLike, vocabulary: Vocabulary | None = None
    ) -> tuple[DeclaredPopulation, ...]:
        """Return who is in this population and not in the other, as disjoint populations."""
        taken = DeclaredPopulation.of(other)
        pieces = []
        rest = dict(self.sets)
        for name, values in taken.sets.items():
            piece = _both(rest, {name: values.complement()}, vocabulary)
            if not _impossible(piece, vocabulary):
                pieces.append(_written(piece))
            rest = _both(rest, {name: values}, vocabulary)
            if _impossible(rest, vocabulary):
                break
        return tuple(pieces) if taken.root else ()

    def within(self, vocabulary: Vocabulary) -> DeclaredPopulation:
        """Return the normal form under a vocabulary: equal populations are written alike.

        Terms that follow from others are left out, the longest first.

        Raises
        ------
        BadChoice
            If the vocabulary does not have an attribute or any of its values.
        """
        for name, values in self.sets.items():
            if _impossible({name: values}, vocabulary) or name != vocabulary[name].name:
                raise BadChoice(
                    f"There is no such value of {name!r} in the vocabulary {str(vocabulary)!r}: "
                    f"{_shown(values)[:60]}."
                )
        left = vocabulary.closed(self.sets)
        if any(values.is_empty for values in left.values()):
            raise BadChoice(
                f"Nobody can be in the population {short(str(self))}: the vocabulary "
                f"{str(vocabulary)!r} knows of no such combination of values."
            )
        for name in sorted(left, key=lambda name: (-len(str(left[name].term())), name)):
            rest = {other: values for other, values in left.items() if other != name}
            if _impossible(_both(rest, {name: left[name].complement()}, vocabulary), vocabulary):
                left = rest
        return _written(left)

    # ---- to look at

    def to_dict(self) -> dict[str, Any]:
        """Return the normal form as JSON."""
        return dict(self.root)

    def __str__(self) -> str:
        if not self.root:
            return say("repository.documents.everybody")
        return ", ".join(f"{name}{_shown(values)}" for name, values in self.sets.items())

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        # by sets: to Python, True is 1
        return isinstance(other, DeclaredPopulation) and self.sets == other.sets


def _has_every_term(inner: Mapping[str, Any], outer: Mapping[str, Any]) -> bool:
    for name, term in outer.items():  # noqa: SIM110 # asked some ten times for each question
        if inner.get(name) != term:
            return False
    return True


# ---- reading


def _sets(given: Mapping[Any, Any]) -> dict[str, ValueSet]:
    if len(given) > _MOST_TERMS:
        raise BadChoice(f"A population has {len(given):,} terms; give at most {_MOST_TERMS}.")
    sets = {}
    for name, term in given.items():
        checked = text_of(scalar(name, "The name of an attribute"))
        if not checked.strip():
            raise BadChoice("A population has an attribute without a name; give each a name.")
        values = ValueSet.of(term, checked)
        if not values.is_everything:
            sets[checked] = values
    return dict(sorted(sets.items()))


def _single_terms(given: Mapping[Any, Any]) -> dict[str, Any] | None:
    """Return the normal form of terms of one text or whole number each; None if there are others.

    Most populations are of this kind, and sets of values take longer to make.
    """
    if len(given) > _MOST_TERMS or not all(type(term) in (str, int) for term in given.values()):
        return None
    found = {}
    for name, term in given.items():
        checked = text_of(scalar(name, "The name of an attribute"))
        if not checked.strip():
            return None  # said by whoever makes the sets
        found[checked] = scalar(term, checked)
    return dict(sorted(found.items()))


def _of_text(text: str) -> Mapping[str, Any]:
    if text.lstrip().startswith("{"):
        found = read_json(text, "population")
        assert isinstance(found, dict)
        return found
    return _of_terms(part for part in text.split(",") if part.strip())


def _of_terms(terms: Iterable[Any]) -> Mapping[str, Any]:
    found: dict[str, Any] = {}
    for term in terms:
        name, equals, value = str(term).partition("=")
        name = name.strip()
        if not equals or not name.rstrip("!"):
            raise BadChoice(
                f"{short(str(term))} is no term of a population; write attribute=value, "
                "attribute=18..64 or attribute=N|S."
            )
        negated = name.endswith("!")
        name = name.removesuffix("!").strip()
        if name in found:
            raise BadChoice(
                f"{short(name)} stands in the population twice; give all its values in one term, "
                "such as region=N|S."
            )
        items = [_of_item(part.strip()) for part in value.split("|")]
        found[name] = {"not_in" if negated else "in": items}
    return found


def _of_item(text: str) -> Any:
    low, dots, high = text.partition("..")
    if not dots or not (low or high):
        return text
    return {key: end.strip() for key, end in (("from", low), ("to", high)) if end.strip()}


# ---- the algebra of conjunctions


def _both(
    one: Mapping[str, ValueSet], other: Mapping[str, ValueSet], vocabulary: Vocabulary | None
) -> dict[str, ValueSet]:
    both = dict(one)
    for name, values in other.items():
        mine = both.get(name, EVERYTHING)
        if _is_whole(name, mine, values, vocabulary):
            both[name] = (mine.discrete() & values.discrete()).discrete()
        else:
            both[name] = mine & values
    return both


def _is_whole(name: str, one: ValueSet, other: ValueSet, vocabulary: Vocabulary | None) -> bool:
    known = None if vocabulary is None else vocabulary.is_whole(name)
    return one.is_whole and other.is_whole if known is None else known


def _impossible(sets: Mapping[str, ValueSet], vocabulary: Vocabulary | None) -> bool:
    if vocabulary is not None:
        return vocabulary.is_impossible(sets)
    return any(values.is_empty for values in sets.values())


def _written(sets: Mapping[str, ValueSet]) -> DeclaredPopulation:
    kept = {name: values for name, values in sorted(sets.items()) if not values.is_everything}
    return DeclaredPopulation({name: values.term() for name, values in kept.items()})


# ---- words


def _shown(values: ValueSet) -> str:
    term = values.term()
    if isinstance(term, dict) and ("in" in term or "not_in" in term):
        ((key, items),) = term.items()
        return ("=" if key == "in" else "≠") + "|".join(_item_text(item) for item in items)
    return f"={_item_text(term)}"


def _item_text(item: Any) -> str:
    if not isinstance(item, dict):
        return text_of(item)
    low, high = item.get("from", item.get("above")), item.get("to", item.get("below"))
    left = "" if low is None else text_of(low) + ("<" if "above" in item else "")
    right = "" if high is None else ("<" if "below" in item else "") + text_of(high)
    return f"{left}..{right}"
