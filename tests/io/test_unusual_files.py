"""Files that are huge once unpacked, change while they are read, or are not quite files."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import singleout as so
from run_command import refused, singleout
from singleout.errors import SingleoutError, UnreadableFile, UnusableTable
from singleout.io import unpack
from singleout.io.read import read
from singleout.io.text import delimited
from singleout.io.text.delimited import read_delimited

Write = Callable[..., Path]

# ---- small files that are large once they are unpacked


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let 20 MB be available."""
    for module in ("io.text.delimited", "io.text.encoding", "io.unpack", "core.memory"):
        monkeypatch.setattr(f"singleout.{module}.available_memory", lambda: 20_000_000)


def zeros(megabytes: int, start: bytes, line: bytes) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(megabytes):
            file.write(line * ((1 << 20) // len(line)))
    return out.getvalue()


@pytest.mark.usefixtures("little_memory")
def test_a_gzip_file_is_unpacked_only_as_far_as_there_is_memory(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(zeros(200, b"a,b\n", b"x,y\n"), "people.csv.gz")
    seen: list[int] = []
    cells = delimited._cells

    def counted(*arguments: object) -> pl.DataFrame:
        frame: pl.DataFrame = cells(*arguments)  # type: ignore[arg-type]
        seen.append(frame.height)
        return frame

    monkeypatch.setattr("singleout.io.text.delimited._cells", counted)
    with pytest.raises(UnusableTable, match=r"people\.csv\.gz does not fit into memory: 20.0 MB"):
        read_delimited(path)
    assert len(seen) == 1


@pytest.mark.usefixtures("little_memory")
def test_packed_json_is_unpacked_only_as_far_as_there_is_memory(write: Write) -> None:
    with pytest.raises(UnreadableFile, match=r"too much for the 20\.0 MB of memory"):
        read(write(zeros(40, b"", b'{"a": 1}\n       '), "people.jsonl.gz"))


def test_a_line_that_never_ends_is_not_held_in_memory(write: Write) -> None:
    with pytest.raises(UnreadableFile, match=r"has no header that ends within 16\.8 MB"):
        read_delimited(write(zeros(40, b"a", b"a"), "people.csv.gz"))
    with pytest.raises(UnreadableFile, match=r"line 2 begins a record of more than 134\.2 MB"):
        read_delimited(write(zeros(200, b"a,b\n", b"a"), "people.csv.gz"))


@pytest.mark.usefixtures("little_memory")
def test_a_workbook_or_r_file_that_unpacks_too_large_is_refused(write: Write) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b"<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", bytes(30_000_000))
    raw = out.getvalue()
    # the size that the archive claims is no proof
    small = raw.replace((30_000_000).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    with pytest.raises(UnreadableFile, match=r"more than 20\.0 MB once it is unpacked"):
        read(write(raw, "people.xlsx"))
    with pytest.raises(UnreadableFile, match=r"people\.xlsx"):
        read(write(small, "people.xlsx"))
    with pytest.raises(UnreadableFile, match=r"more than 20\.0 MB once it is unpacked"):
        read(write(zeros(30, b"X\n", b"\0"), "people.rds"))


@pytest.mark.usefixtures("little_memory")
def test_a_parquet_file_of_very_many_records_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pl.select(a=pl.lit("x").repeat_by(2_000_000).explode(), b=1).write_parquet(path)
    assert path.stat().st_size < 50_000
    with pytest.raises(UnusableTable, match=r"Reading people\.parquet needs about 34\.0 MB"):
        read(path)
    assert read(path, ["b"]).rows == 2_000_000


def test_the_database_engine_leaves_some_of_the_disk_free(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1 << 28})
    monkeypatch.setattr("singleout.engines.sql.text.shutil.disk_usage", lambda _: usage)
    path = write("a,b\n1,é\n".encode("utf-16"))
    with pytest.raises(UnreadableFile, match=r"only 268\.4 MB of disk are left"):
        so.anonymity_sets(path, ["a"], engine="database")


# ---- files that change


@pytest.mark.parametrize("new", [b"a,b\n1,2\n", b"a,b\n" + b"3,4\n" * 5000, None])
def test_a_file_that_changes_while_it_is_read_is_refused(
    write: Write, monkeypatch: pytest.MonkeyPatch, new: bytes | None
) -> None:
    path = write(b"a,b\n" + b"1,2\n" * 4000)
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", 1000)
    cells = delimited._cells

    def changed(*arguments: object) -> pl.DataFrame:
        if new is None:
            os.truncate(path, 2000)
        else:
            path.write_bytes(new)
        monkeypatch.setattr("singleout.io.text.delimited._cells", cells)
        return cells(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("singleout.io.text.delimited._cells", changed)
    with pytest.raises(UnreadableFile, match=r"people\.csv was changed while it was read"):
        read_delimited(path)


def test_a_file_of_any_kind_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "people.arrow"
    pl.DataFrame({"a": [1, 2]}).write_ipc(path)
    arrow = pl.read_ipc

    def changed(*arguments: object, **options: object) -> pl.DataFrame:
        path.write_bytes(b"no more")
        return arrow(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(pl, "read_ipc", changed)
    with pytest.raises(UnreadableFile, match=r"people\.arrow was changed while it was read"):
        read(path)


def test_a_failing_disk_is_one_sentence(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(b"a,b\n1,2\n")

    def failing(_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(unpack, "state_of", failing)
    with pytest.raises(UnreadableFile, match=r"people\.csv cannot be read: Input/output error"):
        list(unpack.unpacked(path, 10))


# ---- what is not quite a file

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")


@linux
def test_what_the_system_tells_in_files_of_no_size_is_read() -> None:
    assert Path("/proc/self/limits").stat().st_size == 0
    done = singleout("columns", "/proc/self/limits", "--delimiter", "|")
    assert done.returncode == 0
    assert "limits: " in done.stdout
    assert "1 columns" in done.stdout


@linux
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/proc/self/mem"])
@pytest.mark.parametrize("engine", ["local", "database"])
def test_devices_are_refused_and_not_waited_for(path: str, engine: str) -> None:
    assert refused(singleout("columns", path, "--engine", engine)).endswith(".")


def test_a_very_long_header_is_read_whole(write: Write) -> None:
    names = [f"a rather long name of a column, number {n}" for n in range(50_000)]
    text = '"' + '","'.join(names) + '"\n' + ",".join(["1"] * 50_000) + "\n"
    assert len(text) > 2_000_000
    assert read_delimited(write(text.encode()), [names[-1]]).frame.to_dict(as_series=False) == {
        names[-1]: ["1"]
    }


def test_too_many_columns_are_refused_at_once(write: Write) -> None:
    with pytest.raises(UnusableTable, match="has 100,001 columns, and at most 100,000 can be read"):
        read_delimited(write(b"," * 100_000 + b"\n1\n"))
    with pytest.raises(SingleoutError, match="line 2 has 1,000,001 values but the header has 2"):
        read_delimited(write(b"a,b\n" + b"," * 1_000_000 + b"\n"))


def test_a_long_list_of_columns_is_shown_in_part(write: Write) -> None:
    path = write(
        (",".join(f"c{n}" for n in range(1200)) + "\n" + "1" + ",1" * 1199 + "\n").encode()
    )
    done = singleout("columns", path)
    assert "people.csv: 1 records, 1,200 columns" in done.stdout
    assert "The first 1,000 columns are shown; --csv or --json gives all of them." in done.stdout
    assert "c999 " in done.stdout
    assert "c1000 " not in done.stdout
