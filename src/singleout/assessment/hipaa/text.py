"""Identifiers within text: forms that little else has, looked for in every value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from singleout.assessment.guess.check_digits import is_ip
from singleout.assessment.guess.patterns import is_number
from singleout.assessment.hipaa.examined import Examined, Found
from singleout.assessment.hipaa.lists import STATE_CODES, VERSION_WORDS

__all__ = ["from_text"]

# Every repetition has a limit, so that hostile text cannot make a search long.
_EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,8}\.[a-zA-Z]{2,24}\b")
_URL = re.compile(r"\b(?:https?|ftp)://[^\s/]|\bwww\.[\w-]{1,63}\.[a-z]{2,24}", re.IGNORECASE)
_SSN = re.compile(
    r"(?<![\w-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])"
    r"|\bSSN\W{0,3}(?!000|666|9)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4}\b",
    re.ASCII,
)
_PHONE = re.compile(
    r"(?<![\w.+/-])(?:\+?1[ .-]?)?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])\d{3}[ .-]\d{4}(?![\w-])"
    r"|(?<![\w.+/-])\+[1-9]\d{0,2} \(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}(?![\w-])",
    re.ASCII,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = re.compile(
    r"(?<![\w.-])(?:1[89]|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\d-])"
    r"|(?<![\w./-])(?:0?[1-9]|[12]\d|3[01])([./-])(?:0?[1-9]|[12]\d|3[01])\1(?:1[89]|20)\d\d(?![\w-])"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|[nr]d|th)?,? (?:1[89]|20)\d\d\b"
    rf"|\b\d{{1,2}}(?:st|[nr]d|th)? {_MONTH},? (?:1[89]|20)\d\d\b",
    re.IGNORECASE | re.ASCII,
)
_MAC = re.compile(
    r"(?<![\w:-])[0-9A-F]{2}(?:([:-])[0-9A-F]{2})(?:\1[0-9A-F]{2}){4}(?![\w:-])", re.I
)
_UDI = re.compile(r"\(01\)\d{14}", re.ASCII)
_MRN = re.compile(r"\bMRN\W{0,3}(?:no\W{0,2})?\d{4,}", re.IGNORECASE | re.ASCII)
_STATE_AND_ZIP = re.compile(r"\b([A-Z]{2}),? \d{5}(?:-\d{4})?\b", re.ASCII)
_ZIP_AND_FOUR = re.compile(r"\d{5}-\d{4}", re.ASCII)
_STREET = re.compile(
    r"\b\d{1,6} (?:[NSEW]\.? )?(?:[A-Z][\w'.]{0,30} ){1,4}"
    r"(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct)\b",
    re.ASCII,
)
_IMAGE = re.compile(r"data:image/[a-z.+-]{2,20};base64,", re.IGNORECASE)


def _has_address(text: str) -> bool:
    if _ZIP_AND_FOUR.fullmatch(text) or _STREET.search(text):
        return True
    return any(found[1].lower() in STATE_CODES for found in _STATE_AND_ZIP.finditer(text))


def _has_ip(text: str) -> bool:
    if text.count(".") < 3 and text.count(":") < 2:
        return False
    return any(is_ip(word.strip("()[],;")) for word in text.split())


_FORMS: tuple[tuple[str, str, Callable[[str], bool]], ...] = (
    ("B", "address", _has_address),
    ("C", "dates", lambda text: bool(_DATE.search(text))),
    ("D", "phone", lambda text: bool(_PHONE.search(text))),
    ("F", "email", lambda text: "@" in text and bool(_EMAIL.search(text))),
    ("G", "ssn", lambda text: bool(_SSN.search(text))),
    ("H", "mrn", lambda text: bool(_MRN.search(text))),
    ("M", "mac", lambda text: bool(_MAC.search(text))),
    ("M", "udi", lambda text: "(01)" in text and bool(_UDI.search(text))),
    ("N", "url", lambda text: bool(_URL.search(text))),
    ("O", "ip", _has_ip),
    ("Q", "image", lambda text: bool(_IMAGE.match(text))),
)
_SHORTEST = 6  # characters of an identifier


def from_text(column: Examined, letter: str) -> Iterator[Found]:
    """Yield what occurs in the values of a column, as a whole or within text."""
    if column.look.dates:
        return  # of dates nothing but dates is to be found
    long = [
        (text, held)
        for text, held in zip(column.texts, column.held, strict=True)
        if len(text) >= _SHORTEST and not is_number(text)
    ]
    version = not VERSION_WORDS.isdisjoint(column.words)
    for found, what, passes in _FORMS:
        if version and found in "OD":
            continue
        records = sum(held for text, held in long if passes(text))
        if records:
            fax = found == "D" and letter == "E"  # written as a telephone number is
            yield Found("E" if fax else found, "text", what, records)
