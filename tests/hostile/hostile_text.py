"""Hostile text files: what looks like CSV and is not, or is in a way that few expect."""

from __future__ import annotations

import gzip
import random
import zlib
from collections.abc import Iterator

from hostile_case import Case, answered, counted, csv_file, like_csv, refused, sets

MEGABYTE = 1 << 20


def shapes() -> Iterator[Case]:
    """Records and headers of odd shapes."""
    yield refused(
        "record-too-short", *sets("x.csv"), make=csv_file("a,b\n1,2\n3\n"), says=("x.csv", "3")
    )
    yield refused(
        "record-too-long", *sets("x.csv"), make=csv_file("a,b\n1,2,9\n"), says=("x.csv", "2")
    )
    ragged = "a,b\n" + "1,2\n" * 50_000 + "1,2,3\n" + "1,2\n" * 10
    yield refused("ragged-far-down", *sets("x.csv"), make=csv_file(ragged), says=("50",))
    yield refused("empty-file", *sets("x.csv"), make=csv_file(""), says=("empty",))
    yield refused("only-blank-lines", *sets("x.csv"), make=csv_file("\n\r\n\n"), says=("empty",))
    yield refused(
        "only-a-byte-order-mark", *sets("x.csv"), make=csv_file("\ufeff"), says=("empty",)
    )
    yield refused("only-a-header", *sets("x.csv"), make=csv_file("a,b\n"), says=("no rows",))
    yield refused(
        "header-without-line-end", *sets("x.csv"), make=csv_file("a,b"), says=("no rows",)
    )
    yield refused(
        "header-with-a-name-twice", *sets("x.csv"), make=csv_file("a,b,a\n1,2,3\n"), says=("'a'",)
    )
    yield refused(
        "header-with-many-names-twice",
        *sets("x.csv"),
        make=csv_file("a,b," * 500 + "c\n" + "1,2," * 500 + "3\n"),
        says=("'a'",),
    )
    yield answered(
        "header-with-blank-names",
        *("columns", "x.csv"),
        make=csv_file("a,,\n1,2,3\n"),
        answer={"records": 1, "columns.0.column": "a", "columns.2.different_values": 1},
    )
    yield refused(
        "header-of-a-megabyte",
        *sets("x.csv"),
        make=csv_file("h" * 1_200_000 + ",b\n1,2\n"),
        says=(),
    )
    yield answered(
        "million-commas",
        "columns",
        "x.csv",
        make=csv_file("," * 1_000_000 + "\n"),
        answer={},
        may_refuse=True,
        alone=True,
    )
    wide = ",".join(f"c{number}" for number in range(60_000))
    yield counted(
        "sixty-thousand-columns",
        csv_file(f"{wide}\n{'1,' * 59_999}1\n{'1,' * 59_999}2\n"),
        "x.csv",
        "c0+c59999",
        expected={"records": 2, "sets": 2, "unique": 2},
    )
    yield counted("one-line-of-text-at-the-end", csv_file("a,b\n1,x\n1,x\n2,y\n3,"), "x.csv")
    yield counted("semicolons", csv_file("a;b\n1;x\n1;x\n2;y\n3;\n"), "x.csv")
    yield refused(
        "prose",
        *sets("x.csv"),
        make=csv_file("Dear reader,\nthis is a letter, and no table.\nYours\n"),
        says=(),
    )


def marks() -> Iterator[Case]:
    """Line ends, quotes and separators within cells."""
    yield like_csv("mixed-line-ends", "a,b\r\n1,x\n1,x\r2,y\n3,z\r\n")
    yield like_csv("line-ends-of-old-macintosh", "a,b\r1,x\r1,x\r2,y\r")
    yield like_csv("carriage-return-in-a-cell", 'a,b\n1,"x\ry"\n1,"x\ry"\n2,"x\ny"\n3,"x\r\ny"\n')
    yield like_csv("quoted-line-ends-everywhere", 'a,b\n"\n","\n\n"\n"\n","\n\n"\n1,2\n')
    yield like_csv(
        "form-feed-and-friends", "a,b\n1,x\x0by\n1,x\x0cy\n2,x\x1cy\n3,x\x85y\n4,x\u2028y\n"
    )
    yield like_csv("quote-in-the-middle", 'a,b\n1,x"y\n1,x"y\n2,z\n')
    yield like_csv("doubled-quotes", 'a,b\n1,"x""y"\n1,"x""y"\n2,""""\n')
    yield like_csv("text-after-a-closing-quote", 'a,b\n1,"x"y\n1,xy\n2,z\n')
    yield like_csv("blanks-before-a-quote", 'a,b\n1, "x"\n1, "x"\n2,"x"\n')
    yield like_csv("spaces-are-values", "a,b\n1,x\n1, x\n1,x \n")
    yield like_csv("composed-and-decomposed-letters", "a,b\n1,\u00e9\n1,e\u0301\n1,e\n")
    yield like_csv("leading-zeros-and-signs", "a,b\n1,01\n1,1\n1,+1\n1,1.0\n1,1e0\n")
    yield like_csv(
        "words-for-missing-and-infinite",
        "a,b\n1,NaN\n1,nan\n1,inf\n1,-Infinity\n1,NULL\n1,NA\n1,None\n",
    )
    for name, text in (
        ("unclosed-quote", 'a,b\n1,"x\n2,y\n'),
        ("unclosed-quote-in-the-header", 'a,"b\n1,2\n'),
        ("unclosed-quote-far-down", "a,b\n" + "1,2\n" * 60_000 + '3,"4\n5,6\n'),
    ):
        yield refused(name, *sets("x.csv"), make=csv_file(text), says=("quote",))


def encodings() -> Iterator[Case]:
    """Bytes that are not the text that they seem to be."""
    text = "a,b\n1,x\n1,x\n2,y\n3,\n"
    for encoding in ("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        bare = encoding.endswith(("le", "be"))
        yield counted(
            f"encoded-in-{encoding}",
            csv_file(text.encode(encoding)),
            "x.csv",
            may_refuse=bare or encoding == "utf-32",
        )
    yield counted(
        "byte-order-mark-twice", csv_file(f"\ufeff\ufeff{text}"), "x.csv", may_refuse=True
    )
    latin = "a,b\n1,é\n1,é\n2,ü\n".encode("latin-1")
    yield counted(
        "latin-1", csv_file(latin), "x.csv", expected={"records": 3, "sets": 2, "unique": 1}
    )
    for name, bad in (
        ("surrogate-in-utf-8", b"\xed\xa0\x80"),
        ("overlong-utf-8", b"\xc0\xaf"),
        ("stray-continuation", b"\x80\xbf\xff"),
    ):
        content = b"a,b\n1," + bad + b"\n1," + bad + b"\n2,y\n"
        yield counted(
            name,
            csv_file(content),
            "x.csv",
            expected={"records": 3, "sets": 2, "unique": 1},
            may_refuse=True,
        )
    yield refused("zero-bytes", *sets("x.csv"), make=csv_file(b"a,b\n1,\0\n2,x\n"), says=("x.csv",))
    yield refused(
        "zero-bytes-far-down",
        *sets("x.csv"),
        make=csv_file(b"a,b\n" + b"1,2\n" * 400_000 + b"1,\0\n"),
        says=("x.csv",),
    )
    noise = random.Random(7).randbytes(50_000)
    for name, content in (
        ("random-bytes", noise),
        ("a-program", b"\x7fELF\x02\x01\x01" + noise),
        ("a-picture", b"\x89PNG\r\n\x1a\n" + noise),
        ("a-document", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + noise),
        ("an-archive", b"PK\x03\x04" + noise),
    ):
        yield refused(name, *sets("x.csv"), make=csv_file(content), says=("x.csv",))
    for encoding in (
        "nosuch",
        "rot13",
        "hex",
        "zlib",
        "idna",
        "punycode",
        "undefined",
        "",
        "utf-8\0",
        "../utf-8",
    ):
        shown = encoding.replace("\0", "0") or "nothing"
        yield refused(
            f"encoding-option-{shown.replace('/', '-')}",
            *sets("x.csv", "--encoding", encoding),
            make=csv_file(text),
            says=("encoding",),
        )
    yield refused(
        "wrong-encoding-given",
        *sets("x.csv", "--encoding", "utf-8"),
        make=csv_file(latin),
        says=("utf-8",),
    )
    for name, options in (
        ("delimiter-of-two", ("--delimiter", "ab")),
        ("delimiter-empty", ("--delimiter", "")),
        ("delimiter-line-end", ("--delimiter", "\n")),
        ("delimiter-zero", ("--delimiter", "\0")),
        ("delimiter-is-the-quote", ("--delimiter", '"')),
    ):
        yield refused(name, *sets("x.csv", *options), make=csv_file(text), says=("delimiter",))
    yield refused(
        "quote-of-two", *sets("x.csv", "--quote", "ab"), make=csv_file(text), says=("quote",)
    )


def _members(piece: bytes, times: int, first: bytes = b"") -> bytes:
    """Return gzip members that unpack to a piece many times over."""
    return (gzip.compress(first, mtime=0) if first else b"") + gzip.compress(
        piece, 9, mtime=0
    ) * times


def packed() -> Iterator[Case]:
    """Gzip archives: bombs, cut off, of a wrong name."""
    text = b"a,b\n1,x\n1,x\n2,y\n3,\n"
    whole = gzip.compress(text * 1000, mtime=0)
    zeros = _members(bytes(MEGABYTE), 3000)
    letters = _members(b"a" * MEGABYTE, 3000)
    gz = ("sets", "x.csv.gz", "--qi", "a+b")
    yield refused(
        "bomb-of-zero-bytes", *gz, make=csv_file(zeros, "x.csv.gz"), says=("x.csv.gz",), alone=True
    )
    yield refused("bomb-of-one-line", *gz, make=csv_file(letters, "x.csv.gz"), says=(), alone=True)
    yield refused(
        "cut-off-archive",
        *gz,
        make=csv_file(whole[: len(whole) // 2], "x.csv.gz"),
        says=("x.csv.gz",),
    )
    yield refused(
        "archive-cut-within-its-head", *gz, make=csv_file(whole[:5], "x.csv.gz"), says=("x.csv.gz",)
    )
    damaged = whole[:-8] + bytes(4) + whole[-4:]
    yield refused(
        "archive-with-a-wrong-checksum", *gz, make=csv_file(damaged, "x.csv.gz"), says=("x.csv.gz",)
    )
    yield refused(
        "archive-of-nothing",
        *gz,
        make=csv_file(gzip.compress(b"", mtime=0), "x.csv.gz"),
        says=("empty",),
    )
    yield refused(
        "archive-in-an-archive",
        *gz,
        make=csv_file(gzip.compress(whole, mtime=0), "x.csv.gz"),
        says=("x.csv.gz",),
    )
    yield refused(
        "text-after-an-archive",
        *gz,
        make=csv_file(gzip.compress(text, mtime=0) + b"garbage", "x.csv.gz"),
        says=("x.csv.gz",),
        may_refuse=True,
    )
    yield refused(
        "zlib-called-gzip", *gz, make=csv_file(zlib.compress(text), "x.csv.gz"), says=("x.csv.gz",)
    )
    yield counted("archive-called-csv", csv_file(gzip.compress(text, mtime=0)), "x.csv")
    yield counted("csv-called-archive", csv_file(text, "x.csv.gz"), "x.csv.gz", may_refuse=True)
    yield counted(
        "archive-of-two-members",
        csv_file(gzip.compress(text[:12], mtime=0) + gzip.compress(text[12:], mtime=0), "x.csv.gz"),
        "x.csv.gz",
    )


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (shapes, marks, encodings, packed):
        yield from part()
