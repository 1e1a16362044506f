"""A hostile case: how its files are made, the command, and what must come of it."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BAD_INPUT = 2
CANNOT_WRITE = 74

Make = Callable[[Path], object]

PEOPLE = "a,b\n1,x\n1,x\n2,y\n3,\n"
NOISE = random.Random(11).randbytes(20_000)
PEOPLE_ON_A_AND_B = {"records": 4, "sets": 3, "unique": 2}


@dataclass(frozen=True)
class Case:
    """One command in a folder of its own.

    Parameters
    ----------
    name
        What is hostile, unique in the corpus.
    words
        The words of the command; names of files are relative to the folder of the case.
    make
        Writes the files into the folder.
    code
        The exit code.
    says
        What the sentence, or the answer, must contain; letters may be large or small.
    answer
        Values in the JSON that is printed, by their path: ``results.0.records``.
    writes
        The files that the command may leave behind, and what each must contain.
    may_refuse
        Whether one sentence and exit code 2 are as good as the right answer.
    alone
        Whether it needs a process of its own, since it could wait for ever or take all memory.
    settings
        What that process is given: see ``run_alone``.
    """

    name: str
    words: tuple[str, ...]
    make: Make = field(default=lambda _folder: None)
    code: int = BAD_INPUT
    says: tuple[str, ...] = ()
    answer: Mapping[str, Any] = field(default_factory=dict)
    writes: Mapping[str, str] = field(default_factory=dict)
    may_refuse: bool = False
    alone: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)


def files(contents: Mapping[str, str | bytes]) -> Make:
    """Return what writes files with these contents."""

    def make(folder: Path) -> None:
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    return make


def csv_file(content: str | bytes, name: str = "x.csv") -> Make:
    """Return what writes one text file."""
    return files({name: content})


def both(*makes: Make) -> Make:
    """Return what does one thing after the other."""

    def make(folder: Path) -> None:
        for one in makes:
            one(folder)

    return make


def written(name: str, write: Callable[[Path], object]) -> Make:
    """Return what lets a library write a file."""
    return lambda folder: write(folder / name)


def cut(make: Make, name: str, share: float) -> Make:
    """Return what makes a file and truncates it."""

    def shortened(folder: Path) -> None:
        make(folder)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: int(len(whole) * share)])

    return shortened


def sets(file: str, *options: str) -> tuple[str, ...]:
    """Return the command that counts the anonymity sets of a and b."""
    return ("sets", file, "--qi", "a+b", *options)


people = files({"people.csv": PEOPLE})


def refused(
    name: str, *words: str, make: Make = people, says: tuple[str, ...], **more: Any
) -> Case:
    """Return a case that must end with one sentence and the exit code for bad input."""
    return Case(name, words, make, says=says, **more)


def answered(
    name: str, *words: str, make: Make = people, answer: Mapping[str, Any], **more: Any
) -> Case:
    """Return a case that must give the right answer, as JSON."""
    return Case(name, (*words, "--json"), make, code=0, answer=answer, **more)


def counted(
    name: str,
    make: Make,
    file: str,
    qi: str = "a+b",
    *,
    expected: Mapping[str, Any] = PEOPLE_ON_A_AND_B,
    options: tuple[str, ...] = (),
    **more: Any,
) -> Case:
    """Return a case that counts anonymity sets, and must give these counts."""
    answer = {f"results.0.{key}": value for key, value in expected.items()}
    return answered(name, "sets", file, "--qi", qi, *options, make=make, answer=answer, **more)


def like_csv(name: str, text: str, **more: Any) -> Case:
    """Return a case that is read as Python's csv module reads it, or refused.

    The counts are those of records on all columns; a line without anything is no record.
    """
    header, *rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    sizes = Counter(map(tuple, rows))
    expected = {
        "records": len(rows),
        "sets": len(sizes),
        "unique": sum(size == 1 for size in sizes.values()),
    }
    made = files({"x.csv": text})
    qi = "+".join(header)
    return counted(name, made, "x.csv", qi, expected=expected, may_refuse=True, **more)
