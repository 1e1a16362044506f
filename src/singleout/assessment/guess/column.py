"""What one column means, guessed: rules in order, each from a name, from values, or from both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from singleout.assessment.guess.check_digits import recognised
from singleout.assessment.guess.names import counts_something, speaks_of_an_id
from singleout.assessment.guess.subject import Basis, Guess, Subject, Sure
from singleout.assessment.guess.values import Look
from singleout.assessment.guess.words import MEANINGS, Meaning
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role
from singleout.report.say import say

__all__ = ["Guess", "Subject", "guess_column"]

_SOMETHING_SENSITIVE = (1, 3, 3)  # where nobody says what it is about
_BARE = (
    "national id",
    "account",
    "person number",
)  # recognised by their digits, with the name's help


def guess_column(subject: Subject) -> Guess:
    """Guess what a column is for."""
    found = next(filter(None, (rule(subject) for rule in _RULES)), None)
    found = found or _nothing_known(subject)
    if found.role == Role.OTHER and subject.look.own_text:
        # names of people, whatever the column is called and whether or not a list knows them
        reason = _own(found)
        return replace(
            found, role=Role.DIRECT_IDENTIFIER, sure="unsure", reason=reason, basis="values"
        )
    return found


def _own(found: Guess) -> str:
    own = say("guess.reasons.own_text")
    return f"{found.reason}; {own}" if found.reason != say("guess.reasons.own_value") else own


# ---- what is known without guessing


def _from_the_source(subject: Subject) -> Guess | None:
    role, meaning = subject.column.role, subject.meaning
    if role == Role.OTHER:
        return None
    agrees = meaning is not None and meaning.role == role
    key = subject.meaning_key if agrees else ""
    found = subject.guess(role, say("guess.reasons.source"), "sure", key, basis="source")
    found = replace(found, meaning=subject.meaning_key)
    if role == Role.QUASI_IDENTIFIER and not agrees:
        return replace(found, exposure=Exposure.ER)
    if role == Role.SENSITIVE and not agrees:
        return replace(found, impacts=_SOMETHING_SENSITIVE)
    return found


def _without_difference(subject: Subject) -> Guess | None:
    meaning = subject.meaning
    if subject.look.records == 0:
        return subject.guess(Role.OTHER, say("guess.reasons.empty"), "sure", basis="values")
    if subject.look.constant and not (meaning and meaning.role == Role.WEIGHT):
        return subject.guess(Role.OTHER, say("guess.reasons.constant"), "sure", basis="values")
    return None


# ---- who it is


def _of_a_register(subject: Subject) -> Guess | None:
    meaning, look = subject.meaning, subject.look
    if look.handful or look.dates:
        return None
    named = meaning is not None and meaning.role == Role.DIRECT_IDENTIFIER
    rule = recognised(look.texts, named=named and subject.meaning_key in _BARE)
    if rule is None:
        return None
    looks = say("guess.reasons.looks_like", what=rule.words)
    return subject.guess(
        Role.DIRECT_IDENTIFIER,
        say("guess.reasons.and_name_agrees", reason=looks) if named else looks,
        "sure" if named or rule.chance <= 0.01 else "likely",
        basis="name and values" if named else "values",
    )


def _of_sentences(subject: Subject) -> Guess | None:
    look, meaning = subject.look, subject.meaning
    if not look.free_text or look.numeric or look.dates:
        return None
    if meaning is not None and meaning.role == Role.SENSITIVE:
        return subject.guess(
            Role.SENSITIVE,
            say("guess.reasons.name_of_text", what=_about(meaning)),
            "unsure",
            subject.meaning_key,
            basis="name and values",
        )
    return subject.guess(
        Role.DIRECT_IDENTIFIER,
        say("guess.reasons.text"),
        "unsure",
        basis="values",
    )


# ---- what the name says


def _of_its_name(subject: Subject) -> Guess | None:
    meaning, match, key = subject.meaning, subject.match, subject.meaning_key
    if meaning is None or match is None or _is_rather_an_id(subject, meaning):
        return None
    if subject.look.dates and not meaning.ordered and meaning.role != Role.DIRECT_IDENTIFIER:
        return None  # the date of a diagnosis is a date
    against = _misfit(key, meaning, subject.look)
    if against:
        reason = say("guess.reasons.name_but", what=meaning.words, against=against)
        return subject.guess(Role.OTHER, reason, "unsure", basis="nothing")
    reason = say(f"guess.reasons.{'survey' if match.survey else 'name'}", what=_about(meaning))
    fits = _FITS.get(key)
    if fits is not None and fits(subject.look):
        reason = say("guess.reasons.and_values_fit", reason=reason)
        return subject.guess(meaning.role, reason, "sure", key, basis="name and values")
    sure: Sure = "unsure" if match.weak else "likely"
    return subject.guess(meaning.role, reason, sure, key, basis="name")


def _about(meaning: Meaning) -> str:
    if not meaning.law:
        return meaning.words
    return f"{meaning.words}, {say(f'guess.laws.{meaning.law}')}"


def _is_rather_an_id(subject: Subject, meaning: Meaning) -> bool:
    """Whether a column holds a key of the records, whatever else its name speaks of."""
    own = meaning.role in (Role.QUASI_IDENTIFIER, Role.OTHER)
    return own and speaks_of_an_id(subject.column.name) and subject.look.nearly_unique


def _misfit(key: str, meaning: Meaning, look: Look) -> str:
    """Return why the values do not fit the name; nothing if they may."""
    if meaning.role == Role.DIRECT_IDENTIFIER and look.handful:
        return say("guess.against.shared", n=look.distinct)
    if meaning.role == Role.WEIGHT:
        return _no_weight(look)
    misfits = _MISFITS.get(key)
    if misfits is None or not misfits(look):
        return ""
    return say(f"guess.against.{key}", n=look.distinct)


_MISFITS: dict[str, Callable[[Look], bool]] = {
    "name": lambda look: look.numeric,
    "email": lambda look: not any("@" in text for text in look.texts),
    "postcode": lambda look: max(map(len, look.texts)) < 3,
    "sex": lambda look: look.distinct > 12,
    "age": lambda look: not any(char.isdigit() for text in look.texts for char in text),
}


def _no_weight(look: Look) -> str:
    if not look.numeric:
        return say("guess.against.no_numbers")
    return say("guess.against.negative") if min(look.numbers) < 0 else ""


def _years(look: Look) -> bool:
    return look.whole and all(1850 <= number <= 2100 for number in look.numbers)


def _postcodes(look: Look) -> bool:
    digits = look.whole and all(100 <= number < 100_000 for number in look.numbers)
    return look.postcodes or look.five_digits or digits


_FITS: dict[str, Callable[[Look], bool]] = {
    "birth date": lambda look: look.dates,
    "event date": lambda look: look.dates,
    "birth year": _years,
    "year": _years,
    "age": lambda look: look.whole and max(look.numbers) <= 125,
    "sex": lambda look: look.sexes or look.distinct == 2,
    "country": lambda look: look.countries,
    "nationality": lambda look: look.countries,
    "postcode": _postcodes,
    "municipality": lambda look: look.places,
    "region": lambda look: look.places,
    "name": lambda look: look.people,
    "income": lambda look: look.numeric,
    "money": lambda look: look.numeric,
    "gains": lambda look: look.numeric,
    "benefits": lambda look: look.numeric,
    "poverty": lambda look: look.numeric,
    "weight": lambda look: look.numeric and min(look.numbers) >= 0,
    "household weight": lambda look: look.numeric and min(look.numbers) >= 0,
    "household size": lambda look: look.whole and look.few,
    "children": lambda look: look.whole and look.few,
}


# ---- what the values say


def _of_its_values(subject: Subject) -> Guess | None:
    for looks, kind, key, sure in _LOOKS:
        if looks(subject.look):
            meaning = MEANINGS[key]
            reason = say("guess.reasons.looks_like", what=say(f"guess.looks.{kind}"))
            return subject.guess(meaning.role, reason, sure, key, basis="values")
    return None


_LOOKS: tuple[tuple[Callable[[Look], bool], str, str, Sure], ...] = (
    (lambda look: look.dates, "dates", "event date", "likely"),
    (lambda look: look.sexes, "sexes", "sex", "likely"),
    (lambda look: look.postcodes, "postcodes", "postcode", "likely"),
    (lambda look: look.five_digits, "five_digits", "postcode", "unsure"),
    (lambda look: look.countries, "countries", "country", "likely"),
    (lambda look: look.places, "places", "municipality", "likely"),
    (lambda look: look.people, "people", "name", "likely"),
    (lambda look: look.parts, "parts", "survey", "likely"),
    (lambda look: look.diagnoses, "diagnoses", "health", "unsure"),
)


def _numbered(subject: Subject) -> Guess | None:
    """Guess from consecutive numbers of all records, which are a key whatever the name."""
    look = subject.look
    if not look.numbers_all_records:
        return None
    return _one_by_one(subject, say("guess.reasons.numbered"))


def _of_one_record(subject: Subject) -> Guess | None:
    look = subject.look
    if look.running:
        return _one_by_one(subject, say("guess.reasons.numbered"))
    if look.given_out:
        return _one_by_one(subject, say("guess.reasons.never_shared"))
    if not look.nearly_unique or (look.numeric and not look.whole):
        return None
    named = speaks_of_an_id(subject.column.name)
    if named or look.serial or (look.codes and not look.numeric):
        return subject.guess(
            Role.DIRECT_IDENTIFIER,
            say("guess.reasons.own_code"),
            "likely" if named else "unsure",
            basis=_with_values(named),
        )
    return None


def _one_by_one(subject: Subject, reason: str) -> Guess:
    named = speaks_of_an_id(subject.column.name)
    found = subject.guess(
        Role.DIRECT_IDENTIFIER,
        say("guess.reasons.and_name_says_so", reason=reason) if named else reason,
        "sure" if named else "likely",
        basis=_with_values(named),
    )
    return replace(found, numbered=True)


def _with_values(named: bool) -> Basis:
    return "name and values" if named else "values"


def _of_ages(subject: Subject) -> Guess | None:
    if not subject.look.ages or counts_something(subject.column.name):
        return None
    return subject.guess(
        Role.QUASI_IDENTIFIER,
        say("guess.reasons.ages"),
        "unsure",
        "age",
        basis="values",
    )


def _nothing_known(subject: Subject) -> Guess:
    if subject.look.nearly_unique:
        return subject.guess(Role.OTHER, say("guess.reasons.own_value"), "unsure", basis="nothing")
    decimals = subject.look.numeric and not subject.look.whole
    return Guess(
        subject.column.name,
        Role.OTHER,
        say("guess.reasons.nothing"),
        "unsure",
        unknown=not decimals,
    )


_RULES: tuple[Callable[[Subject], Guess | None], ...] = (
    _from_the_source,
    _without_difference,
    _of_a_register,
    _of_sentences,
    _numbered,
    _of_its_name,
    _of_its_values,
    _of_one_record,
    _of_ages,
)
