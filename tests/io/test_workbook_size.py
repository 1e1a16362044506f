"""Workbooks that would fill the memory are refused in a sentence, before they are opened."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import openpyxl
import pytest
from formats import PEOPLE, write_ods, write_xlsx

from singleout.errors import UnreadableFile, UnusableTable
from singleout.io import archive
from singleout.io.formats import workbook_size
from singleout.io.formats.excel import read_excel

_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>a</t></is></c></row>'
CORNER = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'


def book(folder: Path, rows: str, *, sheets: int = 1, shared: bytes | None = None) -> Path:
    """Write a workbook whose last sheet has these rows, the others a header and a number."""
    small = f'{HEADER}<row r="2"><c r="A2"><v>7</v></c></row>'
    numbers = range(1, sheets + 1)
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {_MAIN} xmlns:r="{_OFFICE}"><sheets>'
        + "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="rId{n}"/>' for n in numbers)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        + "".join(
            f'<Relationship Id="rId{n}" Type="{_OFFICE}/worksheet" Target="worksheets/x{n}.xml"/>'
            for n in numbers
        )
        + "</Relationships>",
    }
    for n in numbers:
        body = rows if n == sheets else small
        parts[f"xl/worksheets/x{n}.xml"] = (
            f'<worksheet {_MAIN}><dimension ref="A1:A2"/><sheetData>{body}</sheetData></worksheet>'
        )
    if shared is not None:
        parts["xl/sharedStrings.xml"] = shared
    path = folder / "book.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


@pytest.mark.parametrize(
    "corner",
    [
        CORNER,
        CORNER.replace("XFD1048576", "ZZZZZZZ99999999999"),
        '<row r="2"><c s="1" r="XFD1048576"><v>1</v></c></row>',
        '<x:row xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" r="1048576">'
        '<x:c r="XFD1048576"><x:v>1</x:v></x:c></x:row>',
        '<row r="1048576"><c\tr="XFD1048576"><v>1</v></c></row>',
        "<row>" + "<c/>" * 16_383 + '<c><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
    ],
)
def test_a_stray_cell_far_from_the_table_is_refused(tmp_path: Path, corner: str) -> None:
    path = book(tmp_path, HEADER + corner)
    with pytest.raises(UnusableTable, match=r"book\.xlsx, sheet 'S1', reaches over [\d,]+ rows"):
        read_excel(path)


def test_the_sentence_says_what_is_there_and_what_would_work(tmp_path: Path) -> None:
    with pytest.raises(UnusableTable) as refusal:
        read_excel(book(tmp_path, HEADER + CORNER))
    assert str(refusal.value) == (
        "book.xlsx, sheet 'S1', reaches over 1,048,576 rows and 16,384 columns for 2 cells that "
        "hold something, which would need 687.2 GB of memory; delete the rows and columns beyond "
        "the table and save it again, or save the sheet as CSV."
    )


def test_a_stray_cell_does_not_spoil_the_other_sheets(tmp_path: Path) -> None:
    path = book(tmp_path, HEADER + CORNER, sheets=2)
    assert read_excel(path, sheet="S1").frame.rows() == [(7.0,)]
    with pytest.raises(UnusableTable, match="sheet 'S2', reaches"):
        read_excel(path, sheet="S2")


def test_blank_cells_far_from_the_table_hold_nothing_and_do_no_harm(tmp_path: Path) -> None:
    blank = '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
    rows = f'{HEADER}<row r="2"><c r="A2"><v>7</v></c></row>{blank}'
    assert read_excel(book(tmp_path, rows)).frame.rows() == [(7.0,)]


def test_a_sheet_is_as_large_as_its_cells_wherever_a_piece_of_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheet = openpyxl.Workbook()
    for row in range(1, 40):
        for column in (1, 2, 27, 703):
            sheet.active.cell(row, column, row)
    sheet.save(tmp_path / "book.xlsx")
    raw = (tmp_path / "book.xlsx").read_bytes()
    part = archive.members(raw)["xl/worksheets/sheet1.xml"]
    for piece in (1, 7, 64, 1 << 20):
        monkeypatch.setattr(archive, "_PIECE", piece)
        extent = workbook_size._regular(archive.unpacked(raw, part))
        assert extent is not None
        assert (extent.rows, extent.columns, extent.cells) == (39, 703, 39 * 4)
        exact = workbook_size._Sheet().read(archive.unpacked(raw, part), "book.xlsx")
        assert exact == extent


def test_a_sheet_that_is_no_xml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cut off, damaged or of another kind"):
        read_excel(book(tmp_path, "<row><c><v>1</v></row>"))


# ---- what unpacks to more than there is


def test_a_part_that_unpacks_to_more_than_the_memory_is_refused_whatever_size_it_declares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "available_memory", lambda: 20_000_000)
    path = book(tmp_path, HEADER, shared=b" " * 30_000_000)
    sentence = r"book\.xlsx unpacks to more than 10\.0 MB, too much for the memory here; save"
    with pytest.raises(UnusableTable, match=sentence):
        read_excel(path)
    lying = path.read_bytes().replace(struct.pack("<I", 30_000_000), struct.pack("<I", 10))
    assert zipfile.ZipFile(io.BytesIO(lying)).getinfo("xl/sharedStrings.xml").file_size == 10
    path.write_bytes(lying)
    with pytest.raises(UnusableTable, match=sentence):
        read_excel(path)
    with pytest.raises(UnusableTable, match=sentence):
        read_excel(book(tmp_path, HEADER + " " * 30_000_000))


def test_a_full_sheet_needs_room_for_its_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.xlsx"
    write_xlsx(path)
    read_excel(path)
    monkeypatch.setattr(workbook_size, "memory", lambda: 100)
    with pytest.raises(UnusableTable, match="sheet 'People', reaches over 4 rows and"):
        read_excel(path)


# ---- OpenDocument


def changed_ods(folder: Path, old: str, new: str) -> Path:
    path = folder / "people.ods"
    write_ods(path)
    with zipfile.ZipFile(path) as packed:
        parts = {name: packed.read(name).decode() for name in packed.namelist()}
    assert old in parts["content.xml"]
    parts["content.xml"] = parts["content.xml"].replace(old, new, 1)
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return path


EMPTY = (
    '<table:table-row table:number-rows-repeated="1048570"><table:table-cell '
    'table:number-columns-repeated="16384"/></table:table-row>'
)
VALUE = (
    '<table:table-row><table:table-cell table:number-columns-repeated="16383"/><table:table-cell '
)


def test_the_empty_rows_at_the_end_of_an_ods_sheet_do_no_harm(tmp_path: Path) -> None:
    plain = changed_ods(tmp_path, "<table:table-row>", "<table:table-row>")
    rows = read_excel(plain).frame
    ended = changed_ods(tmp_path, "</table:table>", f"{EMPTY}</table:table>")
    assert read_excel(ended).frame.equals(rows)
    assert rows.columns == list(PEOPLE)


@pytest.mark.parametrize(
    "rows",
    [
        f'{EMPTY}{VALUE}office:value-type="float" office:value="1"/></table:table-row>',
        EMPTY.replace('columns-repeated="16384"', 'columns-repeated="16384" office:value="1"'),
    ],
)
def test_an_ods_sheet_with_cells_far_apart_is_refused(tmp_path: Path, rows: str) -> None:
    path = changed_ods(tmp_path, "</table:table>", f"{rows}</table:table>")
    with pytest.raises(UnusableTable, match=r"people\.ods reaches over 1,048,57\d rows and 16,384"):
        read_excel(path)


def test_a_workbook_without_sheets_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableTable, match=r"book\.xlsx has no sheets; open it in its own"):
        read_excel(book(tmp_path, "", sheets=0))
