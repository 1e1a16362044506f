"""How files are written: whole or not at all, over nothing that is not meant, for whom it was."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from singleout.core import part_files
from singleout.core.output_files import write_safely, write_together
from singleout.errors import BadChoice, UnreadableFile, UnwritableOutput
from singleout.io.read import read
from singleout.io.write.table import write_table


def writer(text: str) -> Callable[[Path], object]:
    return lambda part: part.write_text(text)


@pytest.fixture
def usual_rights() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# ---- who may read it


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o444])
@pytest.mark.usefixtures("usual_rights")
def test_a_file_that_is_replaced_keeps_who_may_read_it(tmp_path: Path, mode: int) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(mode)
    write_safely(out, writer("new"), force=True)
    assert (out.read_text(), rights(out)) == ("new", mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_a_file_that_is_replaced_keeps_its_owner(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    os.chown(out, 12345, 54321)
    write_safely(out, writer("new"), force=True)
    assert (out.stat().st_uid, out.stat().st_gid) == (12345, 54321)


def test_a_group_that_cannot_be_kept_gets_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("old")
    out.chmod(0o664)
    real = os.stat_result(out.stat())
    other = os.stat_result([*real[:5], real.st_gid + 1, *real[6:]])
    monkeypatch.setattr(os, "chown", lambda *_: (_ for _ in ()).throw(PermissionError(1, "no")))
    from singleout.core.output_files import _mode_kept

    assert _mode_kept(out, other) == 0o604
    assert _mode_kept(out, real) == 0o664


@pytest.mark.usefixtures("usual_rights")
def test_new_files_that_hold_records_are_for_their_owner_only(tmp_path: Path) -> None:
    records, summary = tmp_path / "records.csv", tmp_path / "summary.csv"
    write_together({records: writer("1"), summary: writer("2")}, force=False, private=[records])
    assert (rights(records), rights(summary)) == (0o600, 0o644)


# ---- links


def test_what_is_written_through_a_symbolic_link_changes_its_target(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "sub" / "link.csv"
    link.parent.mkdir()
    link.symlink_to(target)
    target.touch()
    with pytest.raises(BadChoice, match="exists already"):
        write_safely(link, writer("new"), force=False)
    target.chmod(0o600)
    write_safely(link, writer("new"), force=True)
    assert link.is_symlink()
    assert (target.read_text(), rights(target)) == ("new", 0o600)
    assert [path.name for path in link.parent.iterdir()] == ["link.csv"]


def test_a_link_to_nothing_gets_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("target.csv")
    write_safely(link, writer("new"), force=False)
    assert link.is_symlink()
    assert (tmp_path / "target.csv").read_text() == "new"


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to(link)
    with pytest.raises(BadChoice, match=r"link\.csv' cannot be written to"):
        write_safely(link, writer("new"), force=True)
    (tmp_path / "lost.csv").symlink_to("no/folder.csv")
    with pytest.raises(UnreadableFile, match="There is no folder"):
        write_safely(tmp_path / "lost.csv", writer("new"), force=True)


# ---- streams and devices


def test_a_named_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_safely(pipe, writer("hello"), force=False)
    reader.join(timeout=10)
    assert got == ["hello"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe.csv"]


@pytest.mark.parametrize("force", [False, True])
def test_a_device_is_written_to_and_stays_one(tmp_path: Path, *, force: bool) -> None:
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make devices")
    write_safely(device, writer("gone"), force=force)
    assert stat.S_ISCHR(device.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["null"]


def test_a_device_of_blocks_and_a_socket_are_refused(tmp_path: Path) -> None:
    import socket

    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        with pytest.raises(BadChoice, match="neither a file nor a stream"):
            write_safely(path, writer("x"), force=True)
    assert stat.S_ISSOCK(path.stat().st_mode)


def test_a_full_device_is_one_sentence() -> None:
    with pytest.raises(UnwritableOutput, match="'/dev/full' cannot be written: No space left on"):
        write_safely(Path("/dev/full"), writer("x"), force=False)


def test_a_reader_who_stops_early_is_no_error(tmp_path: Path) -> None:
    out, (reading, writing) = tmp_path / "out.csv", os.pipe()
    os.close(reading)
    try:
        much = writer("x" * 1_000_000)
        write_together({Path(f"/dev/fd/{writing}"): much, out: writer("1")}, force=False)
    finally:
        os.close(writing)
    assert out.read_text() == "1"


def test_an_open_file_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "log.txt"
    with file.open("w") as log:
        log.write("before\n")
        log.flush()
        (tmp_path / "link.csv").symlink_to(f"/dev/fd/{log.fileno()}")
        for path in (Path(f"/dev/fd/{log.fileno()}"), tmp_path / "link.csv"):
            write_safely(path, writer("a,b\n"), force=False)
        log.write("after\n")
    assert file.read_text() == "before\na,b\na,b\nafter\n"


# ---- two at once


WAITS = textwrap.dedent(
    """
    import sys, time
    from pathlib import Path
    from singleout.core.output_files import write_safely

    def wait(part):
        part.write_text("half")
        print("writing", flush=True)
        sys.stdin.readline()

    write_safely(Path(sys.argv[1]), wait, force=False)
    """
)


def waiting(out: Path) -> subprocess.Popen[str]:
    """Start a process that has written half of a file, and waits."""
    process = subprocess.Popen(
        [sys.executable, "-c", WAITS, str(out)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def test_of_two_processes_that_write_one_file_the_second_refuses(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    second = waiting(out)
    write_safely(out, writer("first"), force=False)
    errors = second.communicate("go on\n")[1]
    assert second.returncode != 0
    assert "out.csv' was made by another process meanwhile, and was left as it is" in errors
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "first"}


def test_a_file_that_another_process_made_meanwhile_is_left_as_it_is(tmp_path: Path) -> None:
    first, out = tmp_path / "first.csv", tmp_path / "out.csv"

    def slow(part: Path) -> None:
        part.write_text("second")
        out.write_text("theirs")

    with pytest.raises(BadChoice, match=r"out\.csv' was made by another process meanwhile"):
        write_together({first: writer("1"), out: slow}, force=False)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "theirs"}


def test_without_hard_links_nothing_is_overwritten_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unknown)
    out = tmp_path / "out.csv"
    write_safely(out, writer("first"), force=False)
    assert out.read_text() == "first"
    out.unlink()

    def slow(part: Path) -> None:
        part.write_text("second")
        out.write_text("theirs")

    with pytest.raises(BadChoice, match="was made by another process meanwhile"):
        write_safely(out, slow, force=False)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "theirs"}


# ---- what was killed


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not(
    tmp_path: Path,
) -> None:
    killed, living = waiting(tmp_path / "killed.csv"), waiting(tmp_path / "living.csv")
    left = {process.pid: _part_of(tmp_path, process.pid) for process in (killed, living)}
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    mine = tmp_path / ".singleout-notes"  # nobody's part
    mine.touch()
    write_safely(tmp_path / "out.csv", writer("new"), force=False)
    assert not left[killed.pid].exists()
    assert left[living.pid].read_text() == "half"
    assert mine.exists()
    living.communicate("go on\n")
    assert living.returncode == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [".singleout-notes", "living.csv", "out.csv"]
    assert (tmp_path / "living.csv").read_text() == "half"


def _part_of(folder: Path, pid: int) -> Path:
    (part,) = folder.glob(f".singleout-{pid}-*.csv")
    return part


def test_a_part_that_was_taken_for_abandoned_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = part_files.fcntl.flock, iter(range(9))

    def flock(handle: int, how: int) -> None:
        if next(calls) == 0:  # between the making of the file and its lock
            part_files.remove_abandoned(tmp_path)
        real(handle, how)

    monkeypatch.setattr(part_files.fcntl, "flock", flock)
    write_safely(tmp_path / "out.csv", writer("new"), force=False)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"out.csv": "new"}


# ---- no room


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let no file grow beyond 20,000 bytes."""
    # a module imported now would be kept as bytecode that is cut off
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize(
    "ending",
    [".csv", ".csv.gz", ".jsonl", ".parquet", ".arrow", ".arrows", ".sav", ".zsav", ".dta", ".xpt"],
)
@pytest.mark.usefixtures("little_room")
def test_a_table_that_does_not_fit_is_one_sentence_in_every_format(
    tmp_path: Path, ending: str
) -> None:
    numbers = np.random.default_rng(1).random(20_000)
    table = read(pl.DataFrame({"a": numbers, "b": numbers.astype(str)}))
    out = tmp_path / f"out{ending}"
    with pytest.raises(UnwritableOutput, match=r"out\S+' cannot be written: File too large\.$"):
        write_safely(out, lambda part: write_table(table, part, target=out.name), force=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", [".svg", ".png", ".pdf", ".html", ".json"])
@pytest.mark.usefixtures("little_room")
def test_a_picture_that_does_not_fit_is_one_sentence(tmp_path: Path, ending: str) -> None:
    import altair as alt

    from singleout.cli.shared.output import write_chart

    points = pl.DataFrame({"a": np.random.default_rng(1).random(1000)})
    chart = alt.Chart(points).mark_point().encode(x="a", y="a")
    out = tmp_path / f"out{ending}"
    with pytest.raises(UnwritableOutput, match=r"cannot be written: File too large\.$"):
        write_safely(out, lambda part: write_chart(part, chart), force=False)
    assert list(tmp_path.iterdir()) == []
