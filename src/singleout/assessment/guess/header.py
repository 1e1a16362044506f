"""Whether a file lacks a header: the names of its columns look like values of a first record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from singleout.assessment.guess.check_digits import NUMBERS
from singleout.assessment.guess.lists import FIRST_NAMES
from singleout.assessment.guess.names import match_name, tokens
from singleout.assessment.guess.patterns import is_date, is_full_name, is_number
from singleout.assessment.guess.values import Look
from singleout.report.say import say

__all__ = ["header_warnings"]

_LONG = 7  # digits that no name of a column has, but telephone numbers do
_YEARS = (1850, 2100)
_TELLING = [rule for rule in NUMBERS if rule.chance <= 0.05]  # also of one text alone


def header_warnings(columns: Mapping[str, Look]) -> tuple[str, ...]:
    """Return a sentence if the names of columns look like values; it repeats none of them.

    >>> import singleout as so
    >>> from singleout.assessment.guess.looking import look_at
    >>> table = so.read({"a.b@example.org": ["c@example.org"], "sex": ["f"]})
    >>> header_warnings({column.name: look_at(column) for column in table})[0][:55]
    'The names of some columns look like values (e-mail addr'
    """
    kinds = list(dict.fromkeys(_kinds(columns)))
    if not kinds:
        return ()
    return (say("guess.notes.no_header", kinds=", ".join(kinds)),)


def _kinds(columns: Mapping[str, Look]) -> Iterator[str]:
    numbered = _numbered(columns)
    for name, look in columns.items():
        text = name.strip()
        rule = next((rule for rule in _TELLING if rule.passes(text.upper())), None)
        if is_date(text):
            yield say("guess.looks.dates")
        elif rule is not None:
            yield rule.words
        elif is_number(text):
            if not numbered and _like_its_numbers(text, look):
                yield say("guess.looks.numbers")
        elif _names_a_person(text, look):
            yield say("guess.looks.people")
    # one column called 'other' may well hold that word
    if sum(_is_a_value(name, look) for name, look in columns.items()) > 1:
        yield say("guess.looks.held")


def _numbered(columns: Mapping[str, Look]) -> bool:
    """Whether names are only the index of the column, from zero or one."""
    numbers = sorted(int(name) for name in columns if name.isascii() and name.isdigit())
    return bool(numbers) and numbers in (
        list(range(len(numbers))),
        list(range(1, len(numbers) + 1)),
    )


def _like_its_numbers(text: str, look: Look) -> bool:
    if sum(map(str.isdigit, text)) >= _LONG:
        return True
    if not look.numeric:
        return False
    low, high = min(look.numbers), max(look.numbers)
    number = float(text.replace(",", "."))
    first, last = _YEARS
    # a table may have a column for each year
    among_years = first <= low and high <= last
    return low <= number <= high and (among_years or not first <= number <= last)


def _names_a_person(text: str, look: Look) -> bool:
    if look.numeric or not is_full_name(text) or match_name(text) is not None:
        return False
    words = text.replace(",", " ").split()
    if not all(word[0].isupper() for word in (words[0], words[-1])):
        return False
    beside_names = look.full_names and look.distinct_share >= 0.9
    return not FIRST_NAMES.isdisjoint(tokens(text)) or beside_names


def _is_a_value(name: str, look: Look) -> bool:
    text = name.strip()
    return not is_number(text) and text in look.texts
