import pytest

from singleout.core.text import printable, spreadsheet_safe
from singleout.core.wording import in_figures


def test_control_characters_cannot_steer_a_terminal() -> None:
    assert printable("\x1b[31mred\x07\n") == "\\x1b[31mred\\x07\\n"
    assert printable("Zoë, 東京") == "Zoë, 東京"
    assert printable("right\u202eleft") == "right\\u202eleft"


@pytest.mark.parametrize("text", ["=cmd()", "+1+1", "-x", "@x", "\t=1"])
def test_text_that_a_spreadsheet_would_run_gets_a_quote(text: str) -> None:
    assert spreadsheet_safe(text) == f"'{text}"


def test_numbers_and_plain_text_stay_as_they_are() -> None:
    assert spreadsheet_safe(-1.5) == -1.5
    assert spreadsheet_safe("age") == "age"
    assert spreadsheet_safe("-5") == "-5"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.4e49, "3.4 × 10^49"),
        (1e80, "1 × 10^80"),
        (-2.5e-7, "-2.5 × 10^-7"),
        (0.0, "0"),
        (0.00012, "0.00012"),
        (40320.0, "40,320"),
        (123456.7, "123,457"),
        (2.75, "2.75"),
        (999_999_999_999.0, "999,999,999,999"),
        (float("inf"), "inf"),
    ],
)
def test_very_large_and_very_small_numbers_are_powers_of_ten(value: float, shown: str) -> None:
    assert in_figures(value) == shown


def test_a_change_shows_its_sign() -> None:
    assert in_figures(2.5, sign="+") == "+2.5"
    assert in_figures(3e20, sign="+") == "+3 × 10^20"
