"""Hostile workbooks: damaged, locked, or larger than they look."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from hostile_case import NOISE, PEOPLE, Case, Make, counted, files, refused, sets, written

XLS = Path(__file__).parents[1] / "io" / "data" / "people.xls"
MEGABYTE = 1 << 20
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
KIND, MADE = "application/vnd.openxmlformats", "officedocument.spreadsheetml"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


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


def _cell(reference: str, value: str) -> str:
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


HEAD = f'<row r="1">{_cell("A1", "a")}{_cell("B1", "b")}</row>'
ROWS = HEAD + "".join(
    f'<row r="{row}">{_cell(f"A{row}", a)}{_cell(f"B{row}", b)}</row>'
    for row, (a, b) in enumerate([("1", "x"), ("1", "x"), ("2", "y")], start=2)
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


def _zip(parts: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return stream.getvalue()


def xlsx(content: str | bytes) -> Make:
    return files({"x.xlsx": content})


def dimensions() -> Iterator[Case]:
    """Dimensions that are wrong, and cells far from the table."""
    three = {"records": 3, "sets": 2, "unique": 1}

    def read(name: str, content: bytes, **more: bool) -> Case:
        return counted(name, xlsx(content), "x.xlsx", expected=three, **more)

    yield read("plain-workbook", workbook(ROWS))
    large = workbook(ROWS, dimension="A1:XFD1048576")
    yield read("dimension-that-lies-too-large", large, may_refuse=True, alone=True)
    yield read("dimension-that-lies-too-small", workbook(ROWS, dimension="A1"))
    yield read("dimension-that-is-nonsense", workbook(ROWS, dimension="??"), may_refuse=True)
    corner = ROWS + f'<row r="1048576">{_cell("XFD1048576", "far")}</row>'
    beyond = ROWS + f'<row r="99999999">{_cell("ZZZZZ99999999", "far")}</row>'
    for name, content in (
        ("cell-in-the-last-corner", workbook(corner, dimension="A1:XFD1048576")),
        ("cell-beyond-the-last-corner", workbook(beyond)),
    ):
        yield refused(name, *sets("x.xlsx"), make=xlsx(content), says=("x.xlsx",), alone=True)


def sheets() -> Iterator[Case]:
    """Sheets that are empty, absent or not XML."""
    twice = HEAD.replace(">b<", ">a<") + ROWS[len(HEAD) :]
    absent = '<sheet name="one" sheetId="1" r:id="r9"/>'
    stolen = (
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        f'<worksheet xmlns="{SHEET}"><sheetData>{HEAD.replace(">b<", ">&e;<")}</sheetData>'
        "</worksheet>"
    )
    entity = workbook("", more={"xl/worksheets/sheet1.xml": stolen.encode()})
    strings = '<row r="1"><c r="A1" t="s"><v>99999999</v></c></row>'
    for name, content, part in (
        ("workbook-without-sheets", workbook(ROWS, sheets=""), "sheet"),
        ("workbook-with-an-empty-sheet", workbook(""), "one"),
        ("workbook-with-a-header-only", workbook(HEAD), "no rows"),
        ("workbook-with-a-name-twice", workbook(twice), "'a'"),
        ("sheet-part-missing", workbook(ROWS, sheets=absent), "x.xlsx"),
        ("entity-of-another-file", entity, "x.xlsx"),
        ("shared-string-that-is-not-there", workbook(strings), "x.xlsx"),
    ):
        yield refused(name, *sets("x.xlsx"), make=xlsx(content), says=(part,))
    for name, sheet in (
        ("sheet-that-is-not-there", "\x1b[2Jtwo"),
        ("sheet-number-beyond-64-bits", "9" * 30),
    ):
        words = sets("x.xlsx", "--sheet", sheet)
        yield refused(name, *words, make=xlsx(workbook(ROWS)), says=("one",))


def archives() -> Iterator[Case]:
    """Files that are no workbook, not a whole one, or a locked one."""
    book = sets("x.xlsx")
    yield refused("workbook-that-is-a-bomb", *book, make=_bomb, says=("x.xlsx",), alone=True)
    for name, content, part in (
        ("workbook-cut-off", workbook(ROWS)[:-200], "x.xlsx"),
        ("workbook-of-noise", NOISE, "x.xlsx"),
        ("workbook-of-nothing", b"", "empty"),
        ("archive-that-is-no-workbook", _zip({"readme.txt": b"hello"}), "x.xlsx"),
        ("csv-called-workbook", PEOPLE, "x.xlsx"),
    ):
        yield refused(name, *book, make=xlsx(content), says=(part,))
    locked = written("x.xlsx", _locked)
    yield refused("workbook-with-a-password", *book, make=locked, says=("password",))
    page = files({"x.xls": "<html><table><tr><td>a</td></tr></table></html>"})
    yield refused("page-called-workbook", *sets("x.xls"), make=page, says=("x.xls",))
    yield Case(
        "old-workbook-under-a-new-name",
        ("columns", "x.xlsx", "--json"),
        xlsx(XLS.read_bytes()),
        code=0,
        answer={"records": 3},
        may_refuse=True,
    )
    old = files({"x.xls": XLS.read_bytes()[:3000]})
    yield refused("old-workbook-cut-off", "columns", "x.xls", make=old, says=("x.xls",))
    yield refused("ods-of-noise", *sets("x.ods"), make=files({"x.ods": NOISE}), says=("x.ods",))


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (dimensions, sheets, archives):
        yield from part()
