import pytest

from singleout.core.text import printable, spreadsheet_safe


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
