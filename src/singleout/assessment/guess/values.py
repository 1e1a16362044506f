"""What a column's values look like: numbers, dates, postcodes, names, free text, running numbers.

Patterns are looked for in a sample of the records; different values are counted on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from singleout.assessment.guess.lists import COUNTRIES, FIRST_NAMES, PARTS, PLACES, SEXES
from singleout.assessment.guess.names import tokens
from singleout.assessment.guess.patterns import (
    CODE,
    FIVE_DIGITS,
    ICD,
    POSTCODE,
    is_date,
    is_full_name,
    is_number,
)

__all__ = ["Look"]

_NEARLY_ALL = 0.95
_MOST = 0.8
_LONGEST_LIFE = 125  # years
_ENOUGH_RECORDS = 100  # to distinguish assigned numbers from a few that happen to differ
_PAIRS_EXPECTED = 10  # by chance, so that none at all is no chance
_LARGEST_GAP = 1_000  # between numbers given out in order, on average; amounts lie further apart
_FILLED = 0.7  # of the numbers of one length


@dataclass(frozen=True)
class Look:
    """What the values of a column look like.

    Parameters
    ----------
    records
        How many records have a value.
    distinct
        How many different values there are, on all records.
    texts
        The different values of a sample of the records, as text.
    held
        How many of all records have each of them.
    dated
        Whether the source typed them as dates.
    ends
        The first and the last value in order, as text.
    ascending
        Whether each record has a higher value than the record before it.
    """

    records: int
    distinct: int
    texts: tuple[str, ...]
    held: tuple[int, ...]
    dated: bool
    ends: tuple[str, str]
    ascending: bool = False

    @property
    def constant(self) -> bool:
        """Whether all records have the same value."""
        return self.distinct <= 1 and self.records != 1

    @property
    def distinct_share(self) -> float:
        """Different values / records that have one."""
        return self.distinct / self.records if self.records else 0.0

    @property
    def nearly_unique(self) -> bool:
        """Whether almost every record has its own value."""
        return self.records >= 10 and self.distinct_share >= 0.9

    @property
    def own_text(self) -> bool:
        """Whether almost every record has its own text, neither a number nor a date."""
        return self.nearly_unique and not self.numeric and not self.dates

    @property
    def counted(self) -> Iterable[tuple[str, int]]:
        """The values of the sample, each with the number of all records that have it."""
        return zip(self.texts, self.held, strict=True)

    @property
    def few(self) -> bool:
        """Whether so few values are shared by so many records that they name nobody."""
        return self.records >= 20 and self.distinct <= max(10, self.records // 50)

    @property
    def handful(self) -> bool:
        """Whether there are so few values that they cannot tell people apart: yes and no, say."""
        return self.records >= 20 and self.distinct <= 10

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The texts that read as numbers."""
        return tuple(map(_float, filter(is_number, self.texts)))

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers; a few may say why there is none."""
        return len(self.numbers) > 0 and len(self.numbers) >= len(self.texts) - 2

    @property
    def all_numbers(self) -> bool:
        """Whether every value in the sample is a number."""
        return len(self.numbers) == len(self.texts) > 0

    @cached_property
    def whole(self) -> bool:
        """Whether the values are whole numbers."""
        return self.numeric and all(number.is_integer() for number in self.numbers)

    @cached_property
    def dates(self) -> bool:
        """Whether the values are dates."""
        return self.dated or self._share(is_date) >= _NEARLY_ALL

    @cached_property
    def postcodes(self) -> bool:
        """Whether the values are postcodes of a form that little else has."""
        share = self._share(lambda text: bool(POSTCODE.fullmatch(text.upper())))
        return share >= _NEARLY_ALL and len(self.texts) >= 3

    @cached_property
    def five_digits(self) -> bool:
        """Whether the values are five digits, some with a zero before, and many are shared."""
        share = self._share(lambda text: bool(FIVE_DIGITS.fullmatch(text)))
        zero = any(text.startswith("0") for text in self.texts)
        return share == 1 and zero and len(self.texts) >= 10 and not self.nearly_unique

    @cached_property
    def sexes(self) -> bool:
        """Whether the values are sexes in words or letters."""
        kinds = {SEXES.get(text) for text in self._folded()}
        return {"man", "woman"} <= kinds and self.distinct <= 6 and _known(kinds) >= len(kinds) - 1

    @cached_property
    def countries(self) -> bool:
        """Whether the values are names or codes of countries."""
        return self._listed(COUNTRIES) >= _MOST and 3 <= self.distinct <= 300

    @cached_property
    def places(self) -> bool:
        """Whether many values are names of large towns or regions."""
        return self._listed(PLACES) >= 0.5 and self.distinct >= 3

    @property
    def parts(self) -> bool:
        """Whether the values name the parts of a file that a model learns from and is tested on."""
        return self.distinct > 1 and self._listed(PARTS) == 1

    @cached_property
    def diagnoses(self) -> bool:
        """Whether the values are codes of diagnoses, ICD-10."""
        share = self._share(lambda text: bool(ICD.fullmatch(text)))
        return share >= _NEARLY_ALL and len(self.texts) >= 5

    @cached_property
    def full_names(self) -> bool:
        """Whether the values are a few words each, as the names of people are."""
        return self._share(is_full_name) >= _MOST

    @property
    def people(self) -> bool:
        """Whether the values are names of people, and more than a few shared ones."""
        return not self.handful and self.like_people

    @cached_property
    def like_people(self) -> bool:
        """Whether the values are written as names of people, however few there are."""
        if not self.full_names:
            return self._listed(FIRST_NAMES) >= 0.4 and len(self.texts) >= 5
        words = [tokens(text) for text in self.texts]
        named = sum(not FIRST_NAMES.isdisjoint(parts) for parts in words)
        return named >= 0.3 * len(words) and len(words) >= 3

    @cached_property
    def free_text(self) -> bool:
        """Whether the values are sentences."""
        if len(self.texts) < 3 or self.few:
            return False
        words = np.mean([len(text.split()) for text in self.texts])
        return bool(words >= 4.5) and self.distinct_share > 0.3

    @cached_property
    def codes(self) -> bool:
        """Whether the values are codes with digits and no blanks, of five characters or more."""
        return self._share(lambda text: bool(CODE.fullmatch(text))) >= _NEARLY_ALL

    @cached_property
    def one_length(self) -> bool:
        """Whether all values have the same number of characters."""
        return len({len(text) for text in self.texts}) == 1

    @cached_property
    def running(self) -> bool:
        """Whether the values are the numbers from one to another, each once."""
        if not self.whole or self.distinct != self.records or self.records < 3:
            return False
        try:
            first, last = (float(text) for text in self.ends)
        except ValueError:
            return False
        return last - first + 1 == self.distinct

    @property
    def numbers_all_records(self) -> bool:
        """Whether the values run from zero or one through all records, more than a life has years.

        Ages and years may each occur once in a small table.
        """
        return self.running and self.ends[0] in ("0", "1") and self.records > _LONGEST_LIFE

    @cached_property
    def given_out(self) -> bool:
        """Whether no two records share a whole number although chance would make some do.

        Of n numbers drawn from a range of r, about n squared / 2 r pairs are equal. A sequence
        with gaps and an amount in cents differ in that.
        """
        if not self.whole or self.distinct != self.records or self.records < _ENOUGH_RECORDS:
            return False
        seen = [*self.numbers, *map(_float, filter(is_number, self.ends))]
        low, high = min(seen), max(seen)
        pairs = self.records * (self.records - 1) / 2 / (high - low + 1)
        in_order = self.ascending and high - low <= _LARGEST_GAP * self.records
        return pairs >= _PAIRS_EXPECTED or in_order

    @cached_property
    def serial(self) -> bool:
        """Whether the values are whole numbers of one length, five digits or more, all over it.

        Amounts crowd together; numbers that a system gives out fill what their digits allow.
        """
        if not self.whole or not self.one_length or not self.codes or not self.texts:
            return False
        if any(text.startswith("0") for text in self.texts):
            return True
        low, high = min(self.numbers), max(self.numbers)
        return bool(high - low >= _FILLED * 9 * 10 ** (len(self.texts[0]) - 1))

    @cached_property
    def ages(self) -> bool:
        """Whether the values could be ages: whole numbers from the young to the old, most of them.

        Shares in percent end at 99 or 100 and hours at 168, so neither passes for ages.
        """
        if not self.whole or not self.all_numbers or self.records < 50:
            return False
        low, high = min(self.numbers), max(self.numbers)
        dense = self.distinct >= _MOST * (high - low + 1)
        return 0 <= low <= 20 and 70 <= high <= 120 and high not in (99, 100) and dense

    def _share(self, passes: Callable[[str], bool]) -> float:
        return sum(map(passes, self.texts)) / len(self.texts) if self.texts else 0.0

    def _folded(self) -> Iterable[str]:
        return (" ".join(tokens(text)) for text in self.texts)

    def _listed(self, words: frozenset[str]) -> float:
        if not self.texts:
            return 0.0
        return sum(text in words for text in self._folded()) / len(self.texts)


def _float(text: str) -> float:
    return float(text.replace(",", "."))


def _known(kinds: Iterable[str | None]) -> int:
    return sum(kind is not None for kind in kinds)
