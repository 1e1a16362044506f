"""Hostile files of other formats: workbooks, Parquet, Arrow, statistical packages, JSON, SQLite."""

from __future__ import annotations

import gzip
import io
import json
import random
import sqlite3
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hostile_case import PEOPLE, Case, Make, counted, files, refused

NOISE = random.Random(11).randbytes(20_000)
XLS = Path(__file__).parents[1] / "io" / "data" / "people.xls"
MEGABYTE = 1 << 20
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND, MADE = "application/vnd.openxmlformats", "officedocument.spreadsheetml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _sets(name: str, *options: str) -> tuple[str, ...]:
    return ("sets", name, "--qi", "a+b", *options)


def _frame() -> Any:
    import polars as pl

    return pl.DataFrame({"a": [1, 1, 2, 3], "b": ["x", "x", "y", None]})


def written(name: str, write: Callable[[Path], object]) -> Make:
    """Return what lets a library write a file."""
    return lambda folder: write(folder / name)


def cut(make: Make, name: str, share: float) -> Make:
    """Return what makes a file and cuts it off."""

    def shortened(folder: Path) -> None:
        make(folder)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: int(len(whole) * share)])

    return shortened


# ---- workbooks


def _relation(name: str, kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )


def workbook(
    rows: str,
    *,
    dimension: str = "A1:B3",
    sheets: str | None = None,
    more: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a workbook whose one sheet holds these rows, as XML."""
    names = sheets if sheets is not None else '<sheet name="one" sheetId="1" r:id="r1"/>'
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{KIND}-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{KIND}-{MADE}.sheet.main+xml"/>'
        '<Override PartName="/xl/worksheets/sheet1.xml" '
        f'ContentType="{KIND}-{MADE}.worksheet+xml"/></Types>',
        "_rels/.rels": _relation("r0", "officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">'
        f"<sheets>{names}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": _relation("r1", "worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{SHEET}"><dimension ref="{dimension}"/>'
        f"<sheetData>{rows}</sheetData></worksheet>",
        **(more or {}),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


def _cell(place: str, value: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{value}</t></is></c>'


HEAD = f'<row r="1">{_cell("A1", "a")}{_cell("B1", "b")}</row>'
ROWS = HEAD + "".join(
    f'<row r="{place}">{_cell(f"A{place}", a)}{_cell(f"B{place}", b)}</row>'
    for place, (a, b) in enumerate([("1", "x"), ("1", "x"), ("2", "y")], start=2)
)


def _locked(path: Path) -> None:
    import msoffcrypto
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    plain = io.BytesIO()
    book.save(plain)
    with path.open("wb") as stream:
        msoffcrypto.OfficeFile(plain).encrypt("secret", stream)


def _bomb(folder: Path) -> None:
    blanks = f'<sst xmlns="{SHEET}">'.encode() + b" " * (300 * MEGABYTE) + b"</sst>"
    (folder / "x.xlsx").write_bytes(workbook("", more={"xl/sharedStrings.xml": blanks}))


def workbooks() -> Iterator[Case]:
    """Workbooks that are damaged, locked, or larger than they look."""
    three = {"records": 3, "sets": 2, "unique": 1}
    book = _sets("x.xlsx")

    def xlsx(content: bytes) -> Make:
        return files({"x.xlsx": content})

    yield counted("plain-workbook", xlsx(workbook(ROWS)), "x.xlsx", expected=three)
    yield counted(
        "dimension-that-lies-too-large",
        xlsx(workbook(ROWS, dimension="A1:XFD1048576")),
        "x.xlsx",
        expected=three,
        may_refuse=True,
        alone=True,
    )
    yield counted(
        "dimension-that-lies-too-small",
        xlsx(workbook(ROWS, dimension="A1")),
        "x.xlsx",
        expected=three,
    )
    yield counted(
        "dimension-that-is-nonsense",
        xlsx(workbook(ROWS, dimension="??")),
        "x.xlsx",
        expected=three,
        may_refuse=True,
    )
    corner = ROWS + f'<row r="1048576">{_cell("XFD1048576", "far")}</row>'
    yield refused(
        "cell-in-the-last-corner",
        *book,
        make=xlsx(workbook(corner, dimension="A1:XFD1048576")),
        says=("x.xlsx",),
        alone=True,
    )
    yield refused(
        "cell-beyond-the-last-corner",
        *book,
        make=xlsx(workbook(ROWS + f'<row r="99999999">{_cell("ZZZZZ99999999", "far")}</row>')),
        says=("x.xlsx",),
        alone=True,
    )
    yield refused(
        "workbook-without-sheets", *book, make=xlsx(workbook(ROWS, sheets="")), says=("sheet",)
    )
    yield refused("workbook-with-an-empty-sheet", *book, make=xlsx(workbook("")), says=("one",))
    yield refused(
        "workbook-with-a-header-only", *book, make=xlsx(workbook(HEAD)), says=("no rows",)
    )
    yield refused(
        "workbook-with-a-name-twice",
        *book,
        make=xlsx(workbook(HEAD.replace(">b<", ">a<") + ROWS[len(HEAD) :])),
        says=("'a'",),
    )
    yield refused(
        "sheet-that-is-not-there",
        *book,
        "--sheet",
        "\x1b[2Jtwo",
        make=xlsx(workbook(ROWS)),
        says=("one",),
    )
    yield refused(
        "sheet-number-beyond-64-bits",
        *book,
        "--sheet",
        "9" * 30,
        make=xlsx(workbook(ROWS)),
        says=("one",),
    )
    yield refused(
        "sheet-part-missing",
        *book,
        make=xlsx(workbook(ROWS, sheets='<sheet name="one" sheetId="1" r:id="r9"/>')),
        says=("x.xlsx",),
    )
    stolen = (
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        f'<worksheet xmlns="{SHEET}"><sheetData>{HEAD.replace(">b<", ">&e;<")}</sheetData>'
        "</worksheet>"
    )
    yield refused(
        "entity-of-another-file",
        *book,
        make=xlsx(workbook("", more={"xl/worksheets/sheet1.xml": stolen.encode()})),
        says=("x.xlsx",),
    )
    strings = '<row r="1"><c r="A1" t="s"><v>99999999</v></c></row>'
    yield refused(
        "shared-string-that-is-not-there", *book, make=xlsx(workbook(strings)), says=("x.xlsx",)
    )
    yield refused("workbook-that-is-a-bomb", *book, make=_bomb, says=("x.xlsx",), alone=True)
    yield refused("workbook-cut-off", *book, make=xlsx(workbook(ROWS)[:-200]), says=("x.xlsx",))
    yield refused("workbook-of-noise", *book, make=xlsx(NOISE), says=("x.xlsx",))
    yield refused("workbook-of-nothing", *book, make=xlsx(b""), says=("empty",))
    yield refused(
        "archive-that-is-no-workbook",
        *book,
        make=xlsx(_zip({"readme.txt": b"hello"})),
        says=("x.xlsx",),
    )
    yield refused(
        "workbook-with-a-password", *book, make=written("x.xlsx", _locked), says=("password",)
    )
    yield refused("csv-called-workbook", *book, make=files({"x.xlsx": PEOPLE}), says=("x.xlsx",))
    yield refused(
        "page-called-workbook",
        *_sets("x.xls"),
        make=files({"x.xls": "<html><table><tr><td>a</td></tr></table></html>"}),
        says=("x.xls",),
    )
    yield Case(
        "old-workbook-under-a-new-name",
        ("columns", "x.xlsx", "--json"),
        files({"x.xlsx": XLS.read_bytes()}),
        code=0,
        answer={"records": 3},
        may_refuse=True,
    )
    yield refused(
        "old-workbook-cut-off",
        "columns",
        "x.xls",
        make=files({"x.xls": XLS.read_bytes()[:3000]}),
        says=("x.xls",),
    )
    yield refused("ods-of-noise", *_sets("x.ods"), make=files({"x.ods": NOISE}), says=("x.ods",))


def _zip(parts: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


# ---- columns of known types


def _nested(path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame({"a": [1, 2], "b": [[1], [2, 3]], "c": [{"x": 1}, {"x": 2}]})
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path)


def _twice(path: Path) -> None:
    import pyarrow as pa

    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def typed() -> Iterator[Case]:
    """Parquet, Arrow and the files of statistical packages, damaged in every way."""
    import pyreadstat

    parquet = written("x.parquet", lambda path: _frame().write_parquet(path))
    arrow = written("x.arrow", lambda path: _frame().write_ipc(path))
    sav = written("x.sav", lambda path: pyreadstat.write_sav(_frame(), str(path)))
    dta = written("x.dta", lambda path: pyreadstat.write_dta(_frame(), str(path)))
    xpt = written("x.xpt", lambda path: pyreadstat.write_xport(_frame(), str(path)))
    made = {"x.parquet": parquet, "x.arrow": arrow, "x.sav": sav, "x.dta": dta, "x.xpt": xpt}
    for name, make in made.items():
        kind = name[2:]
        for share in (0.1, 0.5, 0.9):
            yield refused(
                f"{kind}-cut-at-{share}",
                *_sets(name),
                make=cut(make, name, share),
                says=(name,),
                may_refuse=False,
            )
        yield refused(f"{kind}-of-noise", *_sets(name), make=files({name: NOISE}), says=(name,))
        yield refused(f"{kind}-of-nothing", *_sets(name), make=files({name: b""}), says=("empty",))
        yield refused(f"csv-called-{kind}", *_sets(name), make=files({name: PEOPLE}), says=(name,))
    for name in ("x.sas7bdat", "x.por", "x.rds", "x.rda", "x.feather"):
        yield refused(f"{name[2:]}-of-noise", *_sets(name), make=files({name: NOISE}), says=(name,))
    yield refused(
        "parquet-of-lists",
        "sets",
        "x.parquet",
        "--qi",
        "a+b",
        make=written("x.parquet", _nested),
        says=("'b'",),
    )
    yield refused(
        "arrow-of-structures",
        "sets",
        "x.arrow",
        "--qi",
        "a+c",
        make=written("x.arrow", _nested),
        says=("'c'",),
    )
    yield counted(
        "nested-columns-left-out",
        written("x.parquet", _nested),
        "x.parquet",
        "a",
        expected={"records": 2, "unique": 2},
    )
    yield refused(
        "arrow-with-a-name-twice", *_sets("x.arrow"), make=written("x.arrow", _twice), says=("'a'",)
    )
    foot = b"PAR1" + b"\0" * 100 + struct.pack("<I", 0xFFFFFFF0) + b"PAR1"
    yield refused(
        "parquet-with-an-endless-footer",
        *_sets("x.parquet"),
        make=files({"x.parquet": foot}),
        says=("x.parquet",),
    )
    empty = written("x.parquet", lambda path: _frame().head(0).write_parquet(path))
    yield refused("parquet-without-rows", *_sets("x.parquet"), make=empty, says=("no rows",))
    yield refused(
        "parquet-for-a-database-cut-off",
        *_sets("x.parquet", "--engine", "database"),
        make=cut(parquet, "x.parquet", 0.5),
        says=("x.parquet",),
    )

    def folder_of(parts: Mapping[str, Make]) -> Make:
        def make(folder: Path) -> None:
            (folder / "parts").mkdir()
            for name, one in parts.items():
                one(folder / "parts")
                (folder / "parts" / "x.parquet").rename(folder / "parts" / name)

        return make

    other = written("x.parquet", lambda path: _frame().rename({"b": "z"}).write_parquet(path))
    yield refused(
        "folder-with-a-damaged-part",
        *_sets("parts"),
        make=folder_of({"1.parquet": parquet, "2.parquet": cut(parquet, "x.parquet", 0.5)}),
        says=("2.parquet",),
    )
    yield refused(
        "folder-whose-parts-differ",
        *_sets("parts"),
        make=folder_of({"1.parquet": parquet, "2.parquet": other}),
        says=("2.parquet",),
    )
    yield refused(
        "folder-without-parts",
        *_sets("parts"),
        make=lambda folder: (folder / "parts").mkdir(),
        says=("parts",),
    )
    # the head of an R file, and a vector that says that it has two thousand million entries
    huge = b"X\n" + struct.pack(">iiiii", 2, 0x40000, 0x20300, 0x0000000E, 0x7FFFFFFF)
    yield refused(
        "r-vector-without-end",
        *_sets("x.rds"),
        make=files({"x.rds": gzip.compress(huge, mtime=0)}),
        says=("x.rds",),
        alone=True,
    )


# ---- JSON


def json_files() -> Iterator[Case]:
    """JSON that is no table, or not even JSON."""

    def made(content: str | bytes, name: str = "x.json") -> Make:
        return files({name: content})

    rows = [{"a": 1, "b": "x"}, {"a": 1, "b": "x"}, {"a": 2, "b": None}]
    words = _sets("x.json")
    three = {"records": 3, "sets": 2, "unique": 1}
    yield counted(
        "json-with-a-byte-order-mark", made("\ufeff" + json.dumps(rows)), "x.json", expected=three
    )
    yield refused(
        "json-nested-without-end",
        *words,
        make=made("[" * 100_000 + "]" * 100_000),
        says=("x.json",),
    )
    yield refused(
        "json-objects-nested-without-end",
        *words,
        make=made('{"a":' * 100_000 + "1" + "}" * 100_000),
        says=("x.json",),
    )
    yield refused(
        "jsonl-nested-without-end",
        *_sets("x.jsonl"),
        make=made('{"a":' + "[" * 100_000 + "]" * 100_000 + "}\n", "x.jsonl"),
        says=("x.jsonl",),
    )
    yield counted(
        "json-with-a-lone-surrogate",
        made('[{"a":1,"b":"\\ud800"},{"a":1,"b":"x"}]'),
        "x.json",
        expected={"records": 2, "sets": 2},
        may_refuse=True,
    )
    yield refused(
        "json-name-with-a-lone-surrogate",
        *words,
        make=made('[{"a":1,"\\udc80":2}]'),
        says=("x.json",),
    )
    yield counted(
        "json-with-nan",
        made('[{"a":NaN,"b":1},{"a":Infinity,"b":1}]'),
        "x.json",
        expected={"records": 2, "sets": 2},
        may_refuse=True,
    )
    yield counted(
        "json-of-mixed-kinds",
        made('[{"a":1,"b":"1"},{"a":"1","b":true},{"a":1.5,"b":null}]'),
        "x.json",
        expected={"records": 3, "sets": 3, "unique": 3},
    )
    yield counted(
        "json-with-records-of-other-names",
        made('[{"a":1,"b":2},{"b":2},{"a":null,"b":2}]'),
        "x.json",
        expected={"records": 3, "sets": 2},
        may_refuse=True,
    )
    yield counted(
        "json-number-of-ten-thousand-digits",
        made(f'[{{"a":{"9" * 10_000},"b":1}},{{"a":1,"b":1}}]'),
        "x.json",
        expected={"records": 2, "sets": 2},
        may_refuse=True,
    )
    yield counted(
        "json-number-beyond-all-floats",
        made('[{"a":1e999,"b":1},{"a":-1e999,"b":1}]'),
        "x.json",
        expected={"records": 2, "sets": 2},
        may_refuse=True,
    )
    yield counted(
        "json-with-a-key-twice",
        made('[{"a":1,"a":2,"b":3}]'),
        "x.json",
        expected={"records": 1},
        may_refuse=True,
    )
    yield refused("json-with-lists", *words, make=made('[{"a":[1],"b":2}]'), says=("'a'",))
    for name, content in (
        ("a-number", "7"),
        ("a-word", '"x"'),
        ("null", "null"),
        ("numbers", "[1,2]"),
        ("no-rows", "[]"),
        ("cut-off", '[{"a":1,'),
        ("noise", NOISE),
        ("nothing", b""),
        ("zero-bytes", b"\0\0\0\0"),
    ):
        yield refused(f"json-of-{name}", *words, make=made(content), says=("x.json",))
    yield refused(
        "jsonl-with-a-broken-line",
        *_sets("x.jsonl"),
        make=made('{"a":1,"b":2}\n{"a":\n', "x.jsonl"),
        says=("x.jsonl",),
    )


# ---- SQLite


def database(script: str, *values: tuple[str, tuple[Any, ...]]) -> Make:
    """Return what makes a database of SQLite."""

    def make(folder: Path) -> None:
        connection = sqlite3.connect(folder / "x.db")
        with connection:
            connection.executescript(script)
            for statement, row in values:
                connection.execute(statement, row)
        connection.close()

    return make


TABLE = "create table t (a integer, b text);"
FILL = tuple(
    ("insert into t values (?, ?)", row) for row in [(1, "x"), (1, "x"), (2, "y"), (3, None)]
)


def databases() -> Iterator[Case]:
    """Databases of SQLite with hostile names, values and addresses."""
    here = "sqlite:///x.db"
    yield counted("sqlite-in-this-folder", database(TABLE, *FILL), f"{here}#t")
    yield counted("sqlite-by-its-whole-path", database(TABLE, *FILL), "sqlite:///{folder}/x.db#t")
    yield refused("sqlite-that-is-not-there", *_sets("sqlite:///no.db#t"), says=("no.db",))
    yield refused(
        "sqlite-that-is-text", *_sets(f"{here}#t"), make=files({"x.db": PEOPLE}), says=("x.db",)
    )
    yield refused(
        "sqlite-of-noise",
        *_sets(f"{here}#t"),
        make=files({"x.db": b"SQLite format 3\0" + NOISE}),
        says=("x.db",),
    )
    yield refused("sqlite-of-nothing", *_sets(f"{here}#t"), make=files({"x.db": b""}), says=("t",))
    yield refused(
        "sqlite-cut-off",
        *_sets(f"{here}#t"),
        make=cut(database(TABLE, *FILL), "x.db", 0.5),
        says=("x.db",),
    )
    yield refused(
        "sqlite-without-that-table",
        *_sets(f"{here}#nosuch"),
        make=database(TABLE, *FILL),
        says=("nosuch",),
    )
    yield refused(
        "sqlite-without-a-table-named",
        *_sets(here),
        make=database(TABLE, *FILL),
        says=("#",),
        may_refuse=False,
    )
    yield refused(
        "sqlite-that-is-a-folder",
        *_sets(f"{here}#t"),
        make=lambda folder: (folder / "x.db").mkdir(),
        says=("x.db",),
    )
    yield refused(
        "sqlite-table-as-an-attack",
        *_sets(f"{here}#t; drop table t"),
        make=database(TABLE, *FILL),
        says=("URL",),
    )
    hostile = 'x"; drop table t; --'
    quoted = '"' + hostile.replace('"', '""') + '"'
    yield counted(
        "sqlite-table-called-like-an-attack",
        database(
            f"{TABLE} create table {quoted} as select 1 as a, 'x' as b union all select 2, 'y';",
            *FILL,
        ),
        f"{here}#{hostile}",
        expected={"records": 2, "unique": 2},
        may_refuse=True,
    )
    column = '"b""; drop table t; --"'
    yield counted(
        "sqlite-column-called-like-an-attack",
        database(f"create table t (a integer, {column} text);", *FILL),
        f"{here}#t",
        'a+b"; drop table t; --',
    )
    wrong = ("insert into t values (1, cast(? as text))", (b"\xff\xfe",))
    # counts alone need no text: the values of groups do
    yield refused(
        "sqlite-with-text-that-is-not-utf-8",
        *("sets", f"{here}#t", "--qi", "a", "--by", "b"),
        make=database(TABLE, *FILL, wrong),
        says=("utf-8",),
    )
    mixed = tuple(
        ("insert into t values (?, ?)", row)
        for row in [("1", 1), (1, "1"), (1.5, b"x"), (None, None)]
    )
    yield counted(
        "sqlite-of-mixed-kinds",
        database("create table t (a, b);", *mixed),
        f"{here}#t",
        expected={"records": 4},
        may_refuse=True,
    )
    yield refused(
        "sqlite-view-of-nothing",
        *_sets(f"{here}#v"),
        make=database("create view v as select * from gone;"),
        says=("v",),
    )
    yield refused(
        "sqlite-endless-view",
        *_sets(f"{here}#v", "--timeout", "2"),
        make=database(
            "create view v as with recursive r(a, b) as "
            "(select 1, 2 union all select a + 1, b from r) select * from r;"
        ),
        says=("2",),
        alone=True,
    )
    yield refused(
        "sqlite-address-with-a-zero-byte",
        *_sets(f"{here}\0#t"),
        make=database(TABLE),
        says=(),
    )
    for name, address in (
        ("unknown-database", "nosuch://x/y#t"),
        ("address-of-nothing", "sqlite://"),
        ("address-with-odd-port", "postgresql://host:port/x#t"),
        ("address-of-a-web-page", "https://example.org/x.csv"),
        ("address-of-a-bucket", "s3://bucket/x.csv"),
        ("address-of-a-file", "file:///etc/passwd"),
    ):
        yield refused(
            name, *_sets(address), says=("URL" if "port" in address else address.split(":")[0],)
        )


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (workbooks, typed, json_files, databases):
        yield from part()
