"""Arguments are checked once, at the door: what is refused says what would work."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from singleout.core.arguments import share, whole
from singleout.errors import BadChoice


@pytest.mark.parametrize("value", [3, np.int8(3), np.uint64(3)])
def test_whole_numbers_of_any_kind_are_taken(value: Any) -> None:
    number = whole(value, "size")
    assert (number, type(number)) == (3, int)


@pytest.mark.parametrize("value", [True, np.bool_(True), 3.0, "3", None, 0, -1, float("nan"), [3]])
def test_other_things_are_no_whole_numbers(value: Any) -> None:
    with pytest.raises(BadChoice, match=r"^size must be a whole number of columns, 1 or more, not"):
        whole(value, "size", of="columns")


def test_a_whole_number_says_what_else_would_work() -> None:
    with pytest.raises(BadChoice, match="2 or more, or None for all, not 1"):
        whole(1, "size", at_least=2, instead="None for all")


@pytest.mark.parametrize("value", [0.5, np.float32(0.5), Fraction(1, 2)])
def test_shares_of_any_kind_are_taken(value: Any) -> None:
    assert share(value, "alpha") == 0.5


@pytest.mark.parametrize("value", [True, "0.5", None, 0.5j])
def test_other_things_are_no_shares(value: Any) -> None:
    with pytest.raises(BadChoice, match=r"^alpha must be a number between 0 and 1, not"):
        share(value, "alpha")


@pytest.mark.parametrize(
    ("zero", "one", "taken"), [(False, False, []), (False, True, [1]), (True, True, [0, 1])]
)
def test_the_ends_are_shares_where_they_have_a_meaning(zero, one, taken):
    for value in (-0.1, 0, 1, 1.1, float("inf"), float("nan")):
        if value in taken:
            assert share(value, "x", zero=zero, one=one) == value
        else:
            with pytest.raises(BadChoice, match=r"^x must "):
                share(value, "x", zero=zero, one=one)


def test_control_characters_in_what_was_given_are_not_repeated() -> None:
    class Hostile:
        def __repr__(self) -> str:
            return "\x1b[31m"

    with pytest.raises(BadChoice) as refused:
        whole(Hostile(), "size")
    assert "\x1b" not in str(refused.value)
