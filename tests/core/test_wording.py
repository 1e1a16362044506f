"""Numbers in words: a share never reads as nothing or everything unless it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.core.wording import percent
from singleout.report.say import say


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (0.0084, "0.84%"),  # Koot's share reads as he printed it
        (0.00031, "0.031%"),
        (0.005, "0.50%"),
        (0.0000123, "0.0012%"),
        (0.01, "1.0%"),
        (0.00999, "1.0%"),
        (0.0123, "1.2%"),
        (0.25, "25.0%"),
        (0.9996, "99.96%"),
        (0.99951, "99.95%"),
        (-0.0084, "-0.84%"),
        (0, "0%"),
        (1, "100%"),
    ],
)
def test_a_share_has_one_decimal_and_below_one_percent_two_digits(share: float, words: str) -> None:
    assert percent(share) == words


@given(st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_only_nothing_reads_as_0_and_only_everything_as_100(share: float) -> None:
    words = percent(share).removeprefix(">")
    if "10^" in words:
        assert share < 1e-6
    else:
        assert 0 < float(words[:-1]) < 100


@given(st.floats(1e-6, 0.00994))
def test_a_small_share_is_off_by_at_most_one_part_in_twenty(share: float) -> None:
    assert float(percent(share)[:-1]) / 100 == pytest.approx(share, rel=0.05)


def test_sentences_write_shares_the_same_way() -> None:
    assert say("predict.intervals.at_width", singletons="3", share=0.0084, width=2.0) == (
        "3 (0.84%) at width 2"
    )
