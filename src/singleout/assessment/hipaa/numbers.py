"""Numbers that registers give out, by the identifier of Safe Harbor that they are.

Those of `guess.check_digits`, and three more: vehicles (ISO 3779, with the check digit of North
America), mobile devices (IMEI) and beneficiaries of Medicare (MBI).
"""

from __future__ import annotations

import re

from singleout.assessment.guess.check_digits import NUMBERS, Numbers, recognised
from singleout.assessment.hipaa.examined import Examined, Found
from singleout.assessment.hipaa.lists import VERSION_WORDS

__all__ = ["from_registers"]

_VIN = re.compile(r"(?=.*[A-Z])(?=.*\d)[A-HJ-NPR-Z0-9]{8}[0-9X][A-HJ-NPR-Z0-9]{8}", re.ASCII)
_VIN_VALUES = {
    **{str(digit): digit for digit in range(10)},
    **dict(zip("ABCDEFGH", range(1, 9), strict=True)),
    **dict(zip("JKLMN", range(1, 6), strict=True)),
    **{"P": 7, "R": 9},
    **dict(zip("STUVWXYZ", range(2, 10), strict=True)),
}
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_IMEI = re.compile(r"(?:01|35|86|99)\d{13}", re.ASCII)  # the bodies that give most of them out
_LETTER = "[AC-HJKMNP-RT-Y]"
_EITHER = "[AC-HJKMNP-RT-Y0-9]"
_MBI = re.compile(
    rf"[1-9]{_LETTER}{_EITHER}\d-?{_LETTER}{_EITHER}\d-?{_LETTER}{{2}}\d{{2}}", re.ASCII
)


def is_vin(text: str) -> bool:
    """Whether a text is the number of a vehicle with its check digit.

    >>> is_vin("1M8GDM9AXKP042788"), is_vin("1M8GDM9A1KP042788"), is_vin("11111111111111111")
    (True, False, False)
    """
    if not _VIN.fullmatch(text):
        return False
    total = sum(w * _VIN_VALUES[char] for w, char in zip(_VIN_WEIGHTS, text, strict=True))
    return "0123456789X"[total % 11] == text[8]


def is_imei(text: str) -> bool:
    """Whether a text is the number of a mobile device that passes the test of Luhn.

    >>> is_imei("35-209900-176148-1"), is_imei("352099001761482")
    (True, False)
    """
    number = re.sub(r"[ -]", "", text)
    if not _IMEI.fullmatch(number):
        return False
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2]]
    return (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0


def is_mbi(text: str) -> bool:
    """Whether a text is written as the number of a beneficiary of Medicare.

    >>> is_mbi("1EG4-TE5-MK73"), is_mbi("1EG4TE5MK73"), is_mbi("1SG4-TE5-MK73")
    (True, True, False)
    """
    return bool(_MBI.fullmatch(text))


_RULES = (
    Numbers("mbi", is_mbi, 1e-3),
    Numbers("vin", is_vin, 1 / 11),
    Numbers("imei", is_imei, 1 / 10),
    *NUMBERS,
)
_LETTERS = {
    "mbi": "I",
    "vin": "L",
    "imei": "M",
    "email": "F",
    "ip": "O",
    "mac": "M",
    "uuid": "R",
    "nino": "G",
    "ssn": "G",
    "iban": "J",
    "nir": "G",
    "belgian": "R",
    "dni": "R",
    "german_tax": "R",
    "card": "J",
    "bsn": "G",
    "nhs": "I",
    "phone": "D",
}
_WRITTEN = ("mbi", "email", "ip", "mac", "uuid", "nino", "ssn", "phone")  # no check digit
_RARE = 0.01  # the chance below which a few shared values convince too


def from_registers(column: Examined, letter: str) -> Found | None:
    """Return the register that a column's numbers are from; its name may speak of a ``letter``."""
    if column.look.dates:
        return None
    texts = [text for text in column.look.texts if text]
    rules = [rule for rule in _RULES if rule.chance <= _RARE or not column.look.handful]
    rule = recognised(texts, rules=rules)
    if rule is None and letter:
        named = [rule for rule in _RULES if _LETTERS[rule.key] == letter]
        rule = recognised(texts, named=True, rules=named)
    if rule is None or _is_a_version(column, rule):
        return None
    passes = rule.passes
    records = column.having(lambda text: passes(text.upper()))
    kind = "pattern" if rule.key in _WRITTEN else "check digits"
    # a fax number is written as a telephone number
    found = "E" if rule.key == "phone" and letter == "E" else _LETTERS[rule.key]
    return Found(found, kind, rule.key, records, rule.words)


def _is_a_version(column: Examined, rule: Numbers) -> bool:
    return rule.key == "ip" and not VERSION_WORDS.isdisjoint(column.words)
