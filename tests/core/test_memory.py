"""Work that cannot fit into memory says so before it starts."""

from pathlib import Path

import pytest

from singleout.core import memory
from singleout.errors import UnusableTable


def test_what_fits_is_allowed_and_what_does_not_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**9)
    memory.require_memory(10**9, "This")
    with pytest.raises(UnusableTable, match=r"This needs about 1\.5 GB.*1\.0 GB are available"):
        memory.require_memory(1_500_000_000, "This")


def test_where_the_system_does_not_say_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    memory.require_memory(10**30, "This")


def test_the_available_memory_is_read_from_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "meminfo"
    told.write_text("MemTotal:  9 kB\nMemAvailable:   5 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", told)
    assert memory.available_memory() == 5 * 1024


def test_without_meminfo_it_is_all_memory_or_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "absent")
    amounts = {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", amounts.__getitem__, raising=False)
    assert memory.available_memory() == 3 * 4096
    monkeypatch.delattr(memory.os, "sysconf")
    assert memory.available_memory() is None


def test_sizes_are_written_as_people_read_them() -> None:
    sizes = [999, 1000, 2_500_000, 3_400_000_000, 5 * 10**15]
    assert [memory.in_words(size) for size in sizes] == [
        "999 bytes",
        "1.0 kB",
        "2.5 MB",
        "3.4 GB",
        "5,000.0 TB",
    ]
