"""Delimited text that Spark would not read as it is read in memory, and is therefore refused.

Spark takes every line for a record, also within quotes, and drops lines that have nothing but
blanks in them. It counts without looking at cells that are not asked for. So files that can be seen
here go through the check that all readers share (`singleout.io.text.records`) first.
"""

from __future__ import annotations

import re

from singleout.errors import UnreadableFile
from singleout.io.text.dialect import Dialect, Header
from singleout.io.text.encoding import OtherEncoding, Text
from singleout.io.text.records import oddities_of_header, records_of
from singleout.kernels.text_loops import BLANK_LINE, BREAK_IN_QUOTES, LONE_CR, STRAY_QUOTE

__all__ = ["refuse_what_spark_reads_differently"]

_WORDS = {
    BREAK_IN_QUOTES: "has line breaks within cells",
    LONE_CR: "has line ends of its own",
    STRAY_QUOTE: "has quote marks within cells",
}
# Records of nothing but blanks, which all characters up to the blank are to Spark. An empty line is
# a record in a file of one column only.
_LOST = re.compile(rb"^(?!\r?$)[\x01-\x09\x0b-\x20]+$", re.MULTILINE)
_LOST_OF_ONE = re.compile(rb"^[\x01-\x09\x0b-\x20]*$", re.MULTILINE)


def refuse_what_spark_reads_differently(text: Text, dialect: Dialect, header: Header) -> None:
    """Go through a text file and say so if Spark would find other records or cells in it."""
    # Spark goes by the name
    if text.packed != text.name.lower().endswith(".gz"):
        raise _different(text, "is compressed or not, other than its name says")
    oddities = oddities_of_header(text, dialect, header)
    if oddities & BLANK_LINE:
        raise UnreadableFile(f"{text.name} has a blank line before its header; remove it.")
    _refuse_odd(text, oddities)
    one = len(header.cells) == 1
    lost = _LOST_OF_ONE if one else _LOST
    try:
        for records in records_of(text, dialect, header):
            _refuse_odd(text, records.oddities)
            # a delimiter that can be seen makes every record be seen
            if (one or dialect.delimiter <= " ") and lost.search(records.data.removesuffix(b"\n")):
                raise _different(text, "has records without any value that are blank lines")
    except OtherEncoding:
        # Spark would replace what is no UTF-8 by one and the same character
        raise _different(text, "is not UTF-8 text throughout") from None


def _refuse_odd(text: Text, oddities: int) -> None:
    for oddity, words in _WORDS.items():
        if oddities & oddity:
            raise _different(text, words)


def _different(text: Text, oddity: str) -> UnreadableFile:
    return UnreadableFile(
        f"{text.name} {oddity}, which Spark would not read exactly as it is written; read it with "
        "the local engine, or save it as Parquet or as plain UTF-8 CSV."
    )
