"""Small text files of every kind, by chance, and what Python's csv module reads in them."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass

ENDS = [
    ["\n"],
    ["\n"],
    ["\r\n"],
    ["\r\n"],
    ["\r"],
    ["\n", "\r\n"],
    ["\n", "\r"],
    ["\n", "\r", "\r\n"],
    ["\r\r\n"],
    ["\n\r"],
]
PLAIN = ["x", "y", "1", "22", ""]
ODD = ["a b", " ", "é", "01", "#c", "\x1a", "\\", "NA", "x\r", "\t", "日本", "\ufeff", "x\x01"]
CODECS = ["utf-8"] * 6 + ["utf-8-sig", "utf-16", "cp1252"]

Read = tuple[list[str], list[tuple[str | None, ...]]]


@dataclass(frozen=True)
class TextFile:
    """The bytes of a file and how they were written; an empty quote: nothing is in quotes."""

    content: bytes
    codec: str
    delimiter: str
    quote: str

    def by_csv(self) -> Read | None:
        """Return the names and records, an empty cell being None; None if it is no table."""
        text = self.content.decode("utf-8-sig" if self.codec == "utf-8" else self.codec)
        try:
            rows = list(
                csv.reader(
                    io.StringIO(text, newline=""),
                    delimiter=self.delimiter,
                    quotechar=self.quote or None,
                    quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
                    strict=True,
                )
            )
        except csv.Error:
            return None
        while rows and not rows[0]:
            rows.pop(0)
        if not rows or "\0" in text or not text.strip():
            return None
        header, *records = rows
        width = len(header)
        # an empty line is an empty cell in a file of one column, and no record in others
        records = [
            ["" if not record else record[0]] if width == 1 and len(record) < 2 else record
            for record in records
            if record or width == 1
        ]
        names = [name if name.strip() else f"column_{n}" for n, name in enumerate(header, 1)]
        complete = all(len(record) == width for record in records)
        named = len(set(names)) == width and (width > 1 or bool(header[0].strip()))
        if not complete or not named:
            return None
        return names, [tuple(cell or None for cell in record) for record in records]


def text_files(number: int, seed: int) -> Iterator[TextFile]:
    """Yield files by chance: some ordinary, some with much that is odd."""
    rng = random.Random(seed)
    for _ in range(number):
        yield _file(rng)


def _file(rng: random.Random) -> TextFile:
    delimiter = rng.choice(",;\t| ")
    quote = rng.choice(['"', '"', '"', "'", ""])
    mark = quote or '"'
    odd = rng.choice([0, 0, 0.05, 0.3])
    width = rng.choice([1, 1, 2, 2, 3, 4])
    names = [
        f"c{n}"
        if rng.random() < 0.9
        else rng.choice([f"{mark}c{n}{mark}", f"{mark}c\n{n}{mark}", ""])
        for n in range(width)
    ]
    rows = [delimiter.join(names)]
    if rng.random() < 0.08:
        rows.insert(0, rng.choice(["", " ", mark * 2]))
    for _ in range(rng.randrange(7)):
        if rng.random() < 0.06 + 0.2 * odd:
            rows.append(rng.choice(["", "", "", "", " ", "\t", mark * 2, f"{mark} {mark}", "\x1a"]))
            continue
        cells = max(1, width + rng.choice([-1, 1])) if rng.random() < 0.15 * odd else width
        rows.append(delimiter.join(_cell(rng, delimiter, mark, odd) for _ in range(cells)))
    ends = rng.choice(ENDS)
    text = "".join(row + rng.choice(ends) for row in rows[:-1]) + rows[-1]
    text += rng.choice(ends) if rng.random() < 0.6 else ""
    text += rng.choice(["\0", delimiter]) if rng.random() < 0.06 else ""
    codec = rng.choice(CODECS)
    try:
        content = text.encode(codec)
    except UnicodeEncodeError:
        content, codec = text.encode(), "utf-8"
    return TextFile(content, codec, delimiter, quote)


def _cell(rng: random.Random, delimiter: str, mark: str, odd: float) -> str:
    usual = rng.random() >= 0.2 + odd
    bare = rng.choice(PLAIN if usual else [*ODD, mark, f"x{mark}y"])
    if rng.random() > 0.25 + odd:
        return bare
    inside = [bare, bare, f"a{delimiter}b", "l1\nl2", "l1\r\nl2", "l1\rl2", "t\r", "\n", mark]
    cell = mark + rng.choice(inside).replace(mark, mark * 2) + mark
    if rng.random() < 0.3 * odd:
        return rng.choice([cell + "z", " " + cell, cell + " ", cell[:-1], cell + mark])
    return cell
