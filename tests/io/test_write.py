"""Files without some of their records: the others stay what they were."""

import datetime as dt
import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import polars as pl
import pyreadstat
import pytest
from formats import PEOPLE, WRITERS, people
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.core.table import Column
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.write.table import check_writable, column_series, write_frame, write_without

COPIED = [".csv", ".parquet", ".arrow", ".feather", ".arrows", ".jsonl", ".ndjson", ".json",
          ".sav", ".zsav", ".dta", ".xpt"]  # fmt: skip
Write = Callable[..., Path]


def reduced(source: Path, removed: list[int], to: str, rows: int = 3, **options: str) -> Path:
    out = source.parent / to
    write_without(source, np.array(removed, dtype=np.int64), out, rows=rows, **options)
    return out


def values(table: so.Table) -> dict[str, list[object]]:
    return {c.name: [c.value(int(code)) for code in c.codes] for c in table}


# ---- each format


@pytest.mark.parametrize("extension", COPIED)
@pytest.mark.parametrize("removed", [[0], [1], [0, 2], []])
def test_the_same_format_without_the_removed_records(
    tmp_path: Path, extension: str, removed: list[int]
) -> None:
    source = tmp_path / f"people{extension}"
    WRITERS[extension](source)
    before = so.read(source)
    after = so.read(reduced(source, removed, f"out{extension}"))
    kept = [row for row in range(3) if row not in removed]
    assert values(after) == values(before.take(np.array(kept)))
    assert after.columns == before.columns


@pytest.mark.parametrize("extension", sorted(WRITERS))
@pytest.mark.parametrize("target", [".csv", ".tsv", ".jsonl", ".parquet", ".arrow", ".sav", ".dta"])
def test_any_format_can_become_another(tmp_path: Path, extension: str, target: str) -> None:
    source = tmp_path / f"people{extension}"
    WRITERS[extension](source)
    after = so.read(reduced(source, [1], f"out{target}"))
    assert after.columns == tuple(PEOPLE)
    assert values(after)["id"] == ["01", "2"]
    assert values(after)["name"] == ["Zoë", "NA"]
    assert [None if v is None else float(str(v)) for v in values(after)["age"]] == [30.0, None]


@pytest.mark.parametrize(
    "name", ["out.xls", "out.rds", "out.sas7bdat", "out.por", "out", "out.sav.gz"]
)
def test_what_cannot_be_written_is_refused_with_what_can(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadChoice, match=r"end the name in one of \.csv"):
        check_writable(name)
    source = tmp_path / "people.csv"
    WRITERS[".csv"](source)
    with pytest.raises(BadChoice, match="cannot be written"):
        reduced(source, [0], name)


# ---- text stays as it was written, byte by byte


@pytest.mark.parametrize(
    ("content", "removed", "expected"),
    [
        (b"a,b\n1,x\n2,y\n3,z\n", [1], b"a,b\n1,x\n3,z\n"),
        (b"a;b\r\n1;'x'\r\n2;'y'\r\n3;'z'\r\n", [0], b"a;b\r\n2;'y'\r\n3;'z'\r\n"),
        (b"a,b\r1,x\r2,y\r3,z\r", [2], b"a,b\r1,x\r2,y\r"),
        (b'a,b\n"1","x\ny"\n 2 ,"y ""q"""\n3,\n', [1], b'a,b\n"1","x\ny"\n3,\n'),
        (b'a,b\n"1","x\ny"\n2,y\n3,z', [0], b"a,b\n2,y\n3,z"),
        (b"\n\na,b\n1,x\n\n2,y\n3,z\n\n", [1], b"\n\na,b\n1,x\n\n3,z\n\n"),
        (b"a\n1\n\n3\n", [1], b"a\n1\n3\n"),
        (b"\xef\xbb\xbfa,b\n1,x\n2,y\n3,z\n", [0], b"\xef\xbb\xbfa,b\n2,y\n3,z\n"),
        (b"a,b\n1,Zo\xeb\n2,y\n3,\x80\n", [1], b"a,b\n1,Zo\xeb\n3,\x80\n"),
    ],
    ids=["plain", "semicolon", "mac", "quoted", "no-end", "blank", "narrow", "mark", "western"],
)
def test_delimited_records_are_copied_as_they_are(
    write: Write, content: bytes, removed: list[int], expected: bytes
) -> None:
    source = write(content)
    assert so.read(source).rows == 3
    assert reduced(source, removed, "out.csv").read_bytes() == expected


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_kept(write: Write, codec: str) -> None:
    mark = "\ufeff" if codec.endswith("be") else ""
    source = write((mark + "a,b\n1,é\n2,y\n3,z\n").encode(codec))
    expected = (mark + "a,b\n1,é\n3,z\n").encode(codec)
    assert reduced(source, [1], "out.csv").read_bytes() == expected


def test_what_was_said_about_reading_is_used_for_writing(write: Write) -> None:
    source = write("a:b\n1:é\n2:y\n3:z\n".encode("cp850"))
    out = reduced(source, [1], "out.csv", delimiter=":", encoding="cp850")
    assert out.read_bytes() == "a:b\n1:é\n3:z\n".encode("cp850")


def test_gzip_in_and_out(write: Write) -> None:
    content = b"a,b\n1,x\n2,y\n3,z\n"
    source = write(gzip.compress(content), "people.csv.gz")
    packed = reduced(source, [0], "out.csv.gz").read_bytes()
    assert gzip.decompress(packed) == b"a,b\n2,y\n3,z\n"
    assert reduced(source, [0], "plain.csv").read_bytes() == b"a,b\n2,y\n3,z\n"
    assert reduced(write(content), [0], "again.csv.gz").read_bytes() == packed


def test_the_final_name_decides_where_the_file_is_written_under_another(write: Write) -> None:
    source = write(b"a,b\n1,x\n2,y\n3,z\n")
    out = reduced(source, [0], "part.tmp", target="out.csv.gz")
    assert gzip.decompress(out.read_bytes()) == b"a,b\n2,y\n3,z\n"


def test_a_tsv_has_tabs_and_a_csv_has_none(write: Write) -> None:
    source = write(b"a,b\n1,x\n2,\n3,z\n")
    assert reduced(source, [0], "out.tsv").read_bytes() == b"a\tb\n2\t\n3\tz\n"
    tabs = write(b"a\tb\n1\tx\n2\ty\n3\tz\n", "people.tsv")
    assert reduced(tabs, [0], "out.csv").read_bytes() == b"a,b\n2,y\n3,z\n"
    assert reduced(tabs, [0], "out.txt").read_bytes() == b"a\tb\n2\ty\n3\tz\n"


def test_a_file_that_changed_meanwhile_is_refused(write: Write) -> None:
    source = write(b"a,b\n1,x\n2,y\n3,z\n")
    with pytest.raises(UnreadableFile, match="read as 4 records, but 3 were found"):
        reduced(source, [0], "out.csv", rows=4)
    with pytest.raises(UnreadableFile, match="read as 2 records, but 3 were found"):
        reduced(source, [0], "out.csv", rows=2)


quoted = st.text(st.sampled_from('ab,;"\n\r '), max_size=5)


@given(st.lists(st.tuples(quoted, quoted), min_size=1, max_size=8), st.data())
def test_whatever_the_cells_hold(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], data: st.DataObject
) -> None:
    source = tmp_path_factory.mktemp("cells") / "people.csv"
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    source.write_bytes("\n".join(["one,two", *quoted, ""]).encode())
    gone = data.draw(st.lists(st.integers(0, len(rows) - 1), unique=True, max_size=len(rows) - 1))
    before = so.read(source, delimiter=",", quote='"')
    out = source.parent / "out.csv"
    write_without(
        source, np.array(gone, dtype=np.int64), out, rows=len(rows), delimiter=",", quote='"'
    )
    after = so.read(out, delimiter=",", quote='"')
    kept = np.array([row for row in range(len(rows)) if row not in gone])
    assert values(after) == values(before.take(kept))


# ---- JSON


def test_json_lines_are_copied_as_they_are(write: Write) -> None:
    source = write(b'{"a": 1.50}\n\n{"a": 2}\n{"b": "x"}', "people.jsonl")
    assert reduced(source, [1], "out.jsonl").read_bytes() == b'{"a": 1.50}\n\n{"b": "x"}'


def test_members_of_a_json_list_are_copied_as_they_are(write: Write) -> None:
    source = write(' [ {"a": 1.50} , {"a":\n2}, {"a": "],[é"} ]'.encode(), "people.json")
    out = reduced(source, [1], "out.json")
    assert b'{"a": 1.50}' in out.read_bytes()
    assert values(so.read(out)) == {"a": [1.5, "],[é"]}
    lines = reduced(source, [2], "out.jsonl").read_bytes().splitlines()
    assert len(lines) == 2


# ---- statistical packages keep their words


def test_an_spss_file_keeps_labels_formats_and_declared_missing_values(tmp_path: Path) -> None:
    source = tmp_path / "people.sav"
    frame = people().select("id", "age", "born").with_columns(answer=pl.Series([1, 99, 2]))
    pyreadstat.write_sav(
        frame,
        source,
        file_label="a survey",
        column_labels={"age": "Age in years"},
        note="a note",
        variable_value_labels={"answer": {1: "yes", 2: "no", 99: "refused"}},
        missing_ranges={"answer": [99]},
        variable_measure={"answer": "ordinal"},
    )
    out = reduced(source, [0], "out.sav")
    frame, about = pyreadstat.read_sav(out, user_missing=True, output_format="polars")
    assert frame["answer"].to_list() == [99, 2]
    assert frame["born"].to_list() == [None, dt.date(2001, 12, 31)]
    assert about.column_names_to_labels["age"] == "Age in years"
    assert about.variable_value_labels == {"answer": {1: "yes", 2: "no", 99: "refused"}}
    assert about.missing_ranges == {"answer": [{"lo": 99.0, "hi": 99.0}]}
    assert about.variable_measure["answer"] == "ordinal"
    assert (about.file_label, about.notes) == ("a survey", ["a note"])
    assert so.read(out)["answer"].labels == {2.0: "no"} | {1.0: "yes", 99.0: "refused"}


@pytest.mark.parametrize("extension", ["parquet", "arrow"])
def test_values_of_removed_records_are_nowhere_in_the_file(tmp_path: Path, extension: str) -> None:
    source = tmp_path / f"people.{extension}"
    notes = pl.Series(["ok", "SECRETNAME", "ok"], dtype=pl.Enum(["ok", "SECRETNAME"]))
    write_frame(pl.DataFrame({"a": [1, 2, 3], "note": notes}), source, target=source.name)
    out = reduced(source, [1], f"out.{extension}")
    assert b"SECRETNAME" in source.read_bytes()
    assert b"SECRETNAME" not in out.read_bytes()
    assert values(so.read(out))["note"] == ["ok", "ok"]


def test_a_stata_file_keeps_its_kinds_of_missing(tmp_path: Path) -> None:
    source = tmp_path / "people.dta"
    pyreadstat.write_dta(
        pl.DataFrame({"x": pl.Series([1, "a", "b"], dtype=pl.Object), "y": [1, 2, 3]}),
        source,
        missing_user_values={"x": ["a", "b"]},
        variable_value_labels={"x": {1: "one", "a": "refused"}},
    )
    out = reduced(source, [2], "out.dta")
    frame, about = pyreadstat.read_dta(out, user_missing=True, output_format="dict")
    assert list(frame["x"]) == [1, "a"]
    assert about.missing_user_values == {"x": ["a"]}
    assert about.variable_value_labels["x"] == {1: "one", "a": "refused"}


def test_a_name_that_a_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "people.csv"
    source.write_text("a b,c\n1,x\n2,y\n3,z\n")
    with pytest.raises(UnreadableFile, match=r"cannot be written as \.dta: .*\.csv or"):
        reduced(source, [0], "out.dta")


@pytest.mark.parametrize(
    "numbers",
    [
        [5, 2**127 - 1],
        [2**127 - 1, 5],
        [Decimal(2**127 - 1), Decimal(5)],
        [Decimal("1E-50"), Decimal(1)],
        [Decimal(10**37), Decimal("0.1")],
    ],
)
def test_numbers_of_too_many_digits_are_text(numbers: list[int | Decimal]) -> None:
    column = Column("n", np.array([0, 1, 2], dtype=np.uint8), numbers, True)
    assert column_series(column).to_list() == [*map(str, numbers), None]
