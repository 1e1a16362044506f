"""Reading of text equals Python's csv module, or is refused with one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.errors import SingleoutError
from singleout.io.text import records
from singleout.io.text.delimited import read_delimited
from singleout.io.text.dialect import Dialect
from singleout.kernels import text_loops
from text_cases import Read, TextFile, text_files


def read_here(file: TextFile, path: Path) -> Read | None:
    path.write_bytes(file.content)
    try:
        frame = read_delimited(path, delimiter=file.delimiter, quote=file.quote).frame
    except SingleoutError:
        return None
    return frame.columns, frame.rows()


@pytest.mark.parametrize(
    ("number", "piece"), [(1500, 1 << 24), (400, 3), (400, 17)], ids=["whole", "by 3", "by 17"]
)
def test_every_text_file_is_read_as_by_csv_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, piece: int
) -> None:
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", piece)
    read = 0
    for file in text_files(number, seed=piece):
        expected = file.by_csv()
        assert read_here(file, tmp_path / "t.csv") == expected, file
        read += expected is not None
    assert number // 2 < read < number


@pytest.mark.parametrize("piece", [1 << 24, 40])
def test_compiled_loops_find_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    monkeypatch.setattr("singleout.io.text.records.worth_compiling", lambda *_: True)
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", piece)
    for file in text_files(400, seed=1):
        assert read_here(file, tmp_path / "t.csv") == file.by_csv(), file


@given(
    rows=st.lists(st.sampled_from(["1,22", "é,", ",", "a,bcdefghi", "x", ""]), max_size=12),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    last=st.sampled_from(["", "\n", "\r\n", "\r", "3,4"]),
)
def test_the_quick_scan_equals_the_exact_one_up_to_where_it_ends(
    rows: list[str], end: str, last: str
) -> None:
    data = np.frombuffer((end.join(rows) + last).encode(), np.uint8)
    quick = np.zeros(text_loops.FOUND, np.int64)
    text_loops.scan_quickly(data, ord(","), 2, quick)
    exact = np.zeros(text_loops.FOUND, np.int64)
    whole = data[: quick[text_loops.END]]
    text_loops.scan(whole, True, records._kinds(Dialect(",", '"')), 2, exact)
    exact[text_loops.CELLS] = 0
    assert quick.tolist() == exact.tolist()
    regular = all(row.count(",") == 1 for row in rows) and end != "\r"
    if regular and rows and last in ("\n", "\r\n") and len(data) % 8 == 0:
        assert quick[text_loops.RECORDS] == len(rows)


@pytest.mark.parametrize(
    ("content", "count"),
    [
        (b"a\nx\ry\nz\n", 3),  # one column with several kinds of line ends
        (b"a\rx\n\ry\r", 3),
        (b'a,b\r"x\ny",1\rz,2\r', 2),  # a quoted line feed in a file of carriage returns
        (b'a\r"x\ny"\rz\r', 2),
        (b"a,b\nx,1\r\nx,1\n", 2),
        (b"a,b\n1,2\n\n3,4", 2),
        (b"a\n\n\n", 2),
    ],
)
def test_line_ends_of_several_kinds_lose_no_record(
    tmp_path: Path, content: bytes, count: int
) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    assert read_delimited(tmp_path / "t.csv").frame.height == count


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a,b\n1,2\n3,4,", "line 3 has 3 values but the header has 2"),
        (b'a,b\n1,2\n""\n3,4\n', "line 3 has 1 value but the header has 2"),
        (b"a,b\n1,2\n  \n3,4\n", "line 3 has 1 value but the header has 2"),
        (b"a,b\nx\r,1\ny,2\n", "line 2 has 1 value but the header has 2"),
        (b"a,b\n1,2\n\x1a", "line 3 has nothing but the mark that ends a file in DOS"),
        (b" \na,b\n1,2\n", "line 1 has nothing but blanks where the header should be"),
        (b'""\nx\ny\n', "line 1 has nothing but blanks where the header should be"),
        (b'a,"b"c\n1,2\n', "no readable header line"),
        (b"\xef\xbb\xbfa\0,b\n1,2\n", "zero byte in its header"),
        (b"\xef\xbb\xbfa,b\n1,\xe9\n", "begins as utf-8-sig text, but some of its bytes"),
    ],
)
def test_what_cannot_be_a_record_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(SingleoutError, match=words):
        read_delimited(tmp_path / "t.csv")


def test_a_carriage_return_within_quotes_makes_another_value(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b'a,b\n1,"x\r"\n2,x\r\n3,x\n')
    assert read_delimited(tmp_path / "t.csv").frame["b"].to_list() == ["x\r", "x", "x"]


def test_names_and_cells_are_decoded_alike_where_the_encoding_shows_late(tmp_path: Path) -> None:
    text = "é,b\n" + "x,y\n" * 100_000
    (tmp_path / "t.csv").write_bytes(text.encode() + b"\xe9,1\n")
    source = read_delimited(tmp_path / "t.csv")
    assert source.frame.columns == ["Ã©", "b"]
    assert "Windows-1252" in source.notes[0]


def test_kinds_of_bytes_are_all_different() -> None:
    assert len(set(text_loops.KINDS.values())) == len(text_loops.KINDS)
