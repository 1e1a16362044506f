"""Hostile cells and names of columns in text files that are otherwise sound."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import split

from hostile_case import Case, answered, counted, csv_file, files, refused, sets

MEGABYTE = 1 << 20


def contents() -> Iterator[Case]:
    """Cells and names that are meant to do harm where they are shown."""
    escape = "\x1b]0;owned\x07\x1b[2J"
    yield answered(
        "escape-sequence-in-a-name",
        "columns",
        "x.csv",
        make=csv_file(f"a,{escape}\n1,2\n"),
        answer={"records": 1, "columns.1.column": escape},
    )
    yield Case(
        "escape-sequence-on-the-screen",
        ("columns", "x.csv"),
        csv_file(f"a,{escape}\n1,2\n"),
        code=0,
        says=("\\x1b[2J",),
    )
    yield Case(
        "escape-sequence-in-a-value",
        ("suda", "x.csv"),
        csv_file(f"a,b\n1,{escape}\n2,y\n2,y\n1,y\n"),
        code=0,
        says=("\\x1b[2J",),
    )
    yield refused(
        "escape-sequence-in-a-message",
        *sets("x.csv"),
        make=csv_file(f"{escape},c\n1,2\n"),
        says=("not found",),
    )
    backwards = "\u202egnp.exe\u2066\u200f"
    yield answered(
        "right-to-left-override-in-a-name",
        "columns",
        "x.csv",
        make=csv_file(f"a,{backwards}\n1,2\n"),
        answer={"columns.1.column": backwards},
    )
    yield Case(
        "right-to-left-override-on-the-screen",
        ("columns", "x.csv"),
        csv_file(f"a,{backwards}\n1,2\n"),
        code=0,
        says=("\\u202e",),
    )
    yield answered(
        "csi-of-one-byte-in-a-name",
        "columns",
        "x.csv",
        make=csv_file("a,\x9b2J\n1,2\n"),
        answer={"columns.1.column": "\x9b2J"},
    )
    yield Case(
        "plan-of-hostile-names",
        ("plan", "x.csv"),
        csv_file(f"{escape},{backwards},</script>,'\":{{}}[]#&*!|>%@`\n1,2,3,4\n2,3,4,5\n"),
        code=0,
        says=("columns:",),
    )
    for sign in "=+-@":
        yield Case(
            f"formula-{ord(sign):x}-in-a-result",
            ("sets", "x.csv", "--qi", r"a\+b" if sign == "+" else f"{sign}cmd", "--csv", "out.csv"),
            csv_file("a+b\n1\n2\n" if sign == "+" else f"{sign}cmd,b\n1,2\n2,3\n"),
            code=0,
            writes={"out.csv": "a+b" if sign == "+" else f"'{sign}cmd"},
        )
    script = "</script><script>alert(1)</script>"
    yield Case(
        "script-in-a-picture",
        ("sets", "x.csv", "--qi", script, "--plot", "out.html"),
        csv_file(f"{script},b\n1,2\n"),
        code=0,
        writes={"out.html": "\\u003c/script>\\u003cscript>alert(1)"},
    )
    yield Case(
        "script-in-a-drawing",
        ("sets", "x.csv", "--qi", script, "--plot", "out.svg"),
        csv_file(f"{script},b\n1,2\n"),
        code=0,
        writes={"out.svg": "&lt;/script&gt;"},
    )
    yield counted(
        "long-cell",
        csv_file(f"a,b\n1,{'x' * 8 * MEGABYTE}\n1,y\n"),
        "x.csv",
        expected={"records": 2, "sets": 2, "unique": 2},
    )
    digits = "9" * 10_000
    yield counted(
        "number-of-ten-thousand-digits",
        csv_file(f"a,b\n1,{digits}\n1,{digits[:-1]}8\n"),
        "x.csv",
        expected={"records": 2, "sets": 2, "unique": 2},
    )
    yield counted(
        "comparing-numbers-of-ten-thousand-digits",
        csv_file(f"a,b\n1,{digits}\n1,5\n"),
        "x.csv",
        options=("--where", "b > 7"),
        expected={"records": 1},
        may_refuse=True,
    )
    for name, weight in (
        ("that-are-no-numbers", "nan"),
        ("without-end", "inf"),
        ("below-zero", "-1"),
        ("of-text", "x"),
    ):
        make = csv_file(f"a,b,w\n1,2,{weight}\n1,2,1\n")
        yield refused(f"weights-{name}", *sets("x.csv", "--weights", "w"), make=make, says=("w",))
    for engine in ("local", "database"):
        yield refused(
            f"weights-beyond-all-numbers-{engine}",
            *sets("x.csv", "--weights", "w", "--engine", engine),
            make=csv_file("a,b,w\n1,2,1e308\n1,2,1e308\n"),
            says=("weight",),
        )


def names() -> Iterator[Case]:
    """Names of files that are patterns, options or worse."""
    for engine in ("local", "database"):
        for number, name in enumerate(
            ("[abc].csv", "star*.csv", "mark?.csv", "{a,b}.csv", "quo'te\".csv", "per%cent#.csv")
        ):
            decoys = dict.fromkeys(("a.csv", "star1.csv", "marks.csv"), "a,b\n9,9\n")
            yield counted(
                f"name-{number}-as-a-pattern-for-{engine}",
                files({**decoys, name: "a,b\n1,x\n1,x\n2,y\n3,\n"}),
                name,
                options=("--engine", engine),
            )
    yield refused(
        "several-files-that-differ",
        *split("sets part*.csv --qi a+b"),
        make=files({"part1.csv": "a,b\n1,2\n", "part2.csv": "a,c\n1,2\n"}),
        says=("part2.csv",),
    )
    yield refused(
        "several-files-and-one-damaged",
        *split("sets part*.csv --qi a+b"),
        make=files({"part1.csv": "a,b\n1,2\n", "part2.csv": b"\0\1\2"}),
        says=("part2.csv",),
    )
    yield refused("pattern-without-files", *split("sets no*.csv --qi a+b"), says=("no*.csv",))
    for engine in ("local", "database"):
        yield refused(
            f"record-too-short-for-{engine}",
            "sets",
            "x.csv",
            "--qi",
            "a+b",
            "--engine",
            engine,
            make=csv_file("a,b\n1,2\n3\n"),
            says=("x.csv",),
        )
        yield refused(
            f"zero-bytes-for-{engine}",
            "sets",
            "x.csv",
            "--qi",
            "a+b",
            "--engine",
            engine,
            make=csv_file(b"a,b\n1,\0\n2,x\n"),
            says=("x.csv",),
        )


def cases() -> Iterator[Case]:
    """Yield all of them."""
    yield from contents()
    yield from names()
