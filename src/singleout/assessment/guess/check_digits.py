"""Check digits: whether a text is a number that some register gave to one person or account.

Each rule has a chance: how often a text of the right shape passes it by luck. A column of numbers
is taken for one of a register only if luck cannot explain that its values pass.
"""

from __future__ import annotations

import ipaddress
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from singleout.report.say import say

__all__ = ["NUMBERS", "Numbers", "recognised"]

_UNLIKELY = 1e-4  # how often a column may pass by chance
_STRAY = 0.6  # the share that must pass a rule that chance hardly passes: some cells are always odd
_CERTAIN = 0.01  # a chance below which a rule is one of those

_LONGEST = 254  # an e-mail address, the longest of all

_BETWEEN = str.maketrans("", "", " .-/\u00a0\u2011")
_EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[^@\s.,;]{2,}")
_PHONE = re.compile(
    r"(?:\+|00)[1-9][\d ().\-/]{6,20}\d"  # with the number of the country
    r"|\(?0\d{1,4}\)?[ .\-/]\d[\d .\-/]{4,15}\d"
    r"|\(?[2-9]\d{2}\)?[ .\-]\d{3}[ .\-]\d{4}"  # North America
)
_DATE = re.compile(r"\d{1,4}([./\- ])\d{1,2}\1\d{1,4}")
_MAC = re.compile(r"[0-9A-F]{2}(?::[0-9A-F]{2}){5}|[0-9A-F]{2}(?:-[0-9A-F]{2}){5}")
_UUID = re.compile(r"[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}")
_NIR = re.compile(r"([1-478]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d{2}|2[AB])\d{6})(\d{2})")
_DNI = re.compile(r"([XYZ]\d{7}|\d{8})([A-Z])")
_NINO = re.compile(
    r"(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]", re.ASCII
)
_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}", re.ASCII)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)
_BELGIAN = re.compile(r"(\d{2}(?:0\d|1[0-2]|[2-5]\d)(?:[0-2]\d|3[01])\d{3})(\d{2})", re.ASCII)
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"


@dataclass(frozen=True)
class Numbers:
    """What a register gives out.

    Parameters
    ----------
    key
        Where the catalogue says what it is: ``bsn``.
    passes
        Whether a text in capitals, without blanks at its ends, is one.
    chance
        How often a text of the right shape passes by chance.
    """

    key: str
    passes: Callable[[str], bool]
    chance: float

    @property
    def words(self) -> str:
        """What it is: ``Dutch citizen service numbers (BSN)``."""
        return say(f"guess.numbers.{self.key}")


def _compact(text: str) -> str:
    return text.translate(_BETWEEN)


def _digits(text: str, *lengths: int) -> str | None:
    """Return a number without separators, if it has one of these lengths."""
    compact = _compact(text)
    return compact if compact.isascii() and compact.isdigit() and len(compact) in lengths else None


def is_ip(text: str) -> bool:
    """Whether a text is an internet address.

    >>> is_ip("192.168.0.1"), is_ip("2001:DB8::1"), is_ip("192.168.0"), is_ip("17")
    (True, True, False, False)
    """
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_iban(text: str) -> bool:
    """Whether a text is a bank account number that passes ISO 7064, mod 97.

    >>> is_iban("NL91 ABNA 0417 1643 00"), is_iban("NL92 ABNA 0417 1643 00")
    (True, False)
    """
    compact = _compact(text)
    if not _IBAN.fullmatch(compact):
        return False
    turned = compact[4:] + compact[:4]
    return int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def is_card(text: str) -> bool:
    """Whether a text is the number of a payment card that passes the test of Luhn.

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    number = _digits(text, 13, 14, 15, 16, 17, 18, 19)
    if number is None or number[0] not in "3456":
        return False
    doubled = [sum(divmod(2 * int(digit), 10)) for digit in number[-2::-2]]
    return (sum(doubled) + sum(map(int, number[-1::-2]))) % 10 == 0


def is_bsn(text: str) -> bool:
    """Whether a text passes the eleven-test of Dutch citizen service numbers.

    >>> is_bsn("111222333"), is_bsn("111222334")
    (True, False)
    """
    number = _digits(text, 8, 9)
    if number is None or not int(number):
        return False
    number = number.zfill(9)
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    return sum(w * int(d) for w, d in zip(weights, number, strict=True)) % 11 == 0


def is_nir(text: str) -> bool:
    """Whether a text is a French social security number with its key.

    >>> is_nir("2 55 08 14 168 025 38"), is_nir("2 55 08 14 168 025 39")
    (True, False)
    """
    found = _NIR.fullmatch(_compact(text))
    if not found:
        return False
    number = int(found[1].replace("2A", "19").replace("2B", "18"))
    return 97 - number % 97 == int(found[2])


def is_dni(text: str) -> bool:
    """Whether a text is a Spanish DNI or NIE with its letter.

    >>> is_dni("12345678Z"), is_dni("X1234567L"), is_dni("12345678A")
    (True, True, False)
    """
    found = _DNI.fullmatch(_compact(text))
    if not found or not found[0].isascii():
        return False
    number = int(found[1].translate(str.maketrans("XYZ", "012")))
    return _DNI_LETTERS[number % 23] == found[2]


def is_german_tax_id(text: str) -> bool:
    """Whether a text is a German tax identification number: ISO 7064, mod 11, 10.

    >>> is_german_tax_id("86095742719"), is_german_tax_id("86095742718")
    (True, False)
    """
    number = _digits(text, 11)
    if number is None or number[0] == "0":
        return False
    times = sorted(Counter(number[:10]).values(), reverse=True)
    if times[0] not in (2, 3) or times[1] != 1:
        return False  # one digit occurs twice or three times, the others once at most
    product = 10
    for digit in number[:10]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(number[10])


def is_nhs_number(text: str) -> bool:
    """Whether a text is a number of the British health service: mod 11.

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    number = _digits(text, 10)
    if number is None or not int(number):
        return False
    total = sum(w * int(d) for w, d in zip(range(10, 1, -1), number, strict=False))
    return -total % 11 == int(number[9])


def is_belgian_number(text: str) -> bool:
    """Whether a text is a Belgian national register number: mod 97.

    >>> is_belgian_number("85.07.30-033.28"), is_belgian_number("85.07.30-033.29")
    (True, False)
    """
    found = _BELGIAN.fullmatch(_compact(text))
    if not found:
        return False
    born_before_or_after_2000 = (int(found[1]), int("2" + found[1]))
    return int(found[2]) in [97 - number % 97 for number in born_before_or_after_2000]


def _is_phone(text: str) -> bool:
    digits = sum(map(str.isdigit, text))
    return bool(_PHONE.fullmatch(text)) and 8 <= digits <= 15 and not _DATE.fullmatch(text)


# The rules that chance hardly passes come first.
NUMBERS: tuple[Numbers, ...] = (
    Numbers("email", lambda text: bool(_EMAIL.fullmatch(text)), 1e-3),
    Numbers("ip", is_ip, 1e-3),
    Numbers("mac", lambda text: bool(_MAC.fullmatch(text)), 1e-3),
    Numbers("uuid", lambda text: bool(_UUID.fullmatch(text)), 1e-3),
    Numbers("nino", lambda t: bool(_NINO.fullmatch(_compact(t))), 1e-2),
    Numbers("ssn", lambda text: bool(_SSN.fullmatch(text)), 1e-2),
    Numbers("iban", is_iban, 1 / 97),
    Numbers("nir", is_nir, 1 / 97),
    Numbers("belgian", is_belgian_number, 2 / 97),
    Numbers("dni", is_dni, 1 / 23),
    Numbers("german_tax", is_german_tax_id, 1 / 20),
    Numbers("card", is_card, 1 / 10),
    Numbers("bsn", is_bsn, 1 / 11),
    Numbers("nhs", is_nhs_number, 1 / 11),
    Numbers("phone", _is_phone, 0.05),
)


def recognised(
    texts: Sequence[str], named: bool = False, rules: Sequence[Numbers] = NUMBERS
) -> Numbers | None:
    """Return the register that a column's values are from; None if chance could explain it.

    Fewer values convince where the column's name speaks of such numbers already (``named``).

    >>> recognised(["111222333", "123456782", "987654329", "100000009"], named=True).words
    'Dutch citizen service numbers (BSN)'
    >>> recognised(["39", "50", "38"]) is None
    True
    """
    folded = [text[: _LONGEST + 1].strip().upper() for text in texts]
    folded = [text if len(text) <= _LONGEST else "" for text in folded]
    for rule in rules:
        passed = sum(map(rule.passes, folded))
        needed = _STRAY if rule.chance <= 2 * _CERTAIN else 0.95
        if not passed or passed < needed * len(folded):
            continue
        ways = 2.0 ** (len(folded) - passed)  # which values are the odd ones
        if named or rule.chance**passed * ways <= _UNLIKELY:
            return rule
    return None
