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

__all__ = ["Guess", "Subject", "guess_column"]

_SOMETHING_SENSITIVE = (1, 3, 3)  # where nobody says what it is about
_OWN = "almost every record has a value of its own: find out whether others know it"
_BARE = ("national id", "account", "person number")  # told from their digits, with the name's help


def guess_column(subject: Subject) -> Guess:
    """Guess what a column is for.

    Parameters
    ----------
    subject
        The column.
    """
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
    own = "almost every record has a text of its own, which may name people"
    return f"{found.reason}; {own}" if found.reason != _OWN else own


# ---- what is known without guessing


def _from_the_source(subject: Subject) -> Guess | None:
    role, meaning = subject.column.role, subject.meaning
    if role == Role.OTHER:
        return None
    agrees = meaning is not None and meaning.role == role
    key = subject.meaning_key if agrees else ""
    found = subject.guess(role, "the source of the table says so", "sure", key, basis="source")
    found = replace(found, meaning=subject.meaning_key)
    if role == Role.QUASI_IDENTIFIER and not agrees:
        return replace(found, exposure=Exposure.ER)
    if role == Role.SENSITIVE and not agrees:
        return replace(found, impacts=_SOMETHING_SENSITIVE)
    return found


def _without_difference(subject: Subject) -> Guess | None:
    meaning = subject.meaning
    if subject.look.records == 0:
        return subject.guess(Role.OTHER, "no record has a value", "sure", basis="values")
    if subject.look.constant and not (meaning and meaning.role == Role.WEIGHT):
        return subject.guess(Role.OTHER, "every record has the same value", "sure", basis="values")
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
    also = ", and the name agrees" if named else ""
    return subject.guess(
        Role.DIRECT_IDENTIFIER,
        f"the values look like {rule.words}{also}",
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
            f"the name speaks of {_about(meaning)}; the values are free text, which can name "
            "people: read it or leave it out",
            "unsure",
            subject.meaning_key,
            basis="name and values",
        )
    return subject.guess(
        Role.DIRECT_IDENTIFIER,
        "the values are free text, which can name people: read it or leave it out",
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
        said = f"the name speaks of {meaning.words}, but {against}"
        return subject.guess(Role.OTHER, said, "unsure", basis="nothing")
    said = f"the name speaks of {_about(meaning)}"
    if match.survey:
        said = f"the name is a survey's code for {_about(meaning)}"
    fits = _FITS.get(key)
    if fits is not None and fits(subject.look):
        said = f"{said}, and the values fit"
        return subject.guess(meaning.role, said, "sure", key, basis="name and values")
    sure: Sure = "unsure" if match.weak else "likely"
    return subject.guess(meaning.role, said, sure, key, basis="name")


def _about(meaning: Meaning) -> str:
    return f"{meaning.words}, {meaning.law}" if meaning.law else meaning.words


def _is_rather_an_id(subject: Subject, meaning: Meaning) -> bool:
    """Whether a column is numbered one by one, whatever else its name speaks of."""
    own = meaning.role in (Role.QUASI_IDENTIFIER, Role.OTHER)
    return own and speaks_of_an_id(subject.column.name) and subject.look.nearly_unique


def _misfit(key: str, meaning: Meaning, look: Look) -> str:
    """Return why the values do not fit the name; nothing if they may."""
    if meaning.role == Role.DIRECT_IDENTIFIER and look.handful:
        return f"many records share {look.distinct:,} different values"
    if meaning.role == Role.WEIGHT:
        return _no_weight(look)
    misfits, why = _MISFITS.get(key, (None, ""))
    return why.format(look.distinct) if misfits is not None and misfits(look) else ""


_MISFITS: dict[str, tuple[Callable[[Look], bool], str]] = {
    "name": (lambda look: look.numeric, "the values are numbers"),
    "email": (lambda look: not any("@" in text for text in look.texts), "no value looks like one"),
    "postcode": (lambda look: max(map(len, look.texts)) < 3, "the values are too short"),
    "sex": (lambda look: look.distinct > 12, "there are {:,} different values"),
    "age": (
        lambda look: not any(char.isdigit() for text in look.texts for char in text),
        "no value has a number",
    ),
}


def _no_weight(look: Look) -> str:
    if not look.numeric:
        return "the values are not numbers"
    return "some values are negative" if min(look.numbers) < 0 else ""


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
    for looks, words, key, sure in _LOOKS:
        if looks(subject.look):
            meaning = MEANINGS[key]
            said = f"the values look like {words}"
            return subject.guess(meaning.role, said, sure, key, basis="values")
    return None


_LOOKS: tuple[tuple[Callable[[Look], bool], str, str, Sure], ...] = (
    (lambda look: look.dates, "dates", "event date", "likely"),
    (lambda look: look.sexes, "sexes", "sex", "likely"),
    (lambda look: look.postcodes, "postcodes", "postcode", "likely"),
    (lambda look: look.five_digits, "postcodes of five digits", "postcode", "unsure"),
    (lambda look: look.countries, "countries", "country", "likely"),
    (lambda look: look.places, "names of places", "municipality", "likely"),
    (lambda look: look.people, "names of people", "name", "likely"),
    (lambda look: look.parts, "parts of a file to learn from and to test on", "survey", "likely"),
    (lambda look: look.diagnoses, "codes of diagnoses", "health", "unsure"),
)


def _numbered(subject: Subject) -> Guess | None:
    """Numbers from zero or one to the last record, which no name makes into anything else."""
    look = subject.look
    if not look.numbers_all_records:
        return None
    return _one_by_one(subject, "the values number the records one by one")


def _of_one_record(subject: Subject) -> Guess | None:
    look = subject.look
    if look.running:
        return _one_by_one(subject, "the values number the records one by one")
    if look.given_out:
        return _one_by_one(
            subject, "no two records share a number, which chance would make some do"
        )
    if not look.nearly_unique or (look.numeric and not look.whole):
        return None
    named = speaks_of_an_id(subject.column.name)
    if named or look.serial or (look.codes and not look.numeric):
        return subject.guess(
            Role.DIRECT_IDENTIFIER,
            "almost every record has a code of its own",
            "likely" if named else "unsure",
            basis=_with_values(named),
        )
    return None


def _one_by_one(subject: Subject, reason: str) -> Guess:
    named = speaks_of_an_id(subject.column.name)
    found = subject.guess(
        Role.DIRECT_IDENTIFIER,
        reason + (", and the name says so" if named else ""),
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
        "the values are whole numbers that could be ages",
        "unsure",
        "age",
        basis="values",
    )


def _nothing_known(subject: Subject) -> Guess:
    if subject.look.nearly_unique:
        return subject.guess(Role.OTHER, _OWN, "unsure", basis="nothing")
    decimals = subject.look.numeric and not subject.look.whole
    return Guess(
        subject.column.name,
        Role.OTHER,
        "neither the name nor the values say what it is",
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
