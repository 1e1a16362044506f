"""Data is opened by one function: the engine is chosen once, and the data is read once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import singleout as so
from run_command import singleout
from singleout.core import memory
from singleout.engines import open as opening
from singleout.engines.local import engine as local_engine
from singleout.errors import UnusableTable

COLUMNS = ("age", "sex", "zip", "job")

FUNCTIONS: dict[str, Callable[[Path], Any]] = {
    "anonymity_sets": lambda file: so.anonymity_sets(file, COLUMNS),
    "assess": so.assess,
    "contributions": lambda file: so.contributions(file, COLUMNS, size=2, tail=0.5),
    "count": lambda file: so.count(file, COLUMNS),
    "discrimination_rate": lambda file: so.discrimination_rate(file, ["age", "sex"], "job"),
    "eliminate": lambda file: so.eliminate(file, 2, columns=COLUMNS, size=2, tail=0.5),
    "predict": lambda file: so.predict.Distribution.from_table(file, ["age", "sex"]),
    "qar": lambda file: so.qar(file, COLUMNS, size=2, tail=0.5),
    "read": so.read,
    "suda": lambda file: so.suda(file, COLUMNS),
}
COMMANDS = {
    "columns": (),
    "sets": ("--qi", "age+sex"),
    "qar": ("--qi", "age,sex,zip,job", "--size", "2"),
    "records": ("--qi", "age,sex,zip,job", "--size", "2", "--id", "zip"),
    "eliminate": ("--records", "2", "--size", "2"),
    "suda": ("--qi", "age,sex,job", "--id", "zip"),
    "plan": (),
    "assess": (),
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "people.csv"
    rows = [f"{20 + row % 7},{'fm'[row % 2]},z{row % 5},j{row % 11}" for row in range(60)]
    found.write_text("\n".join([",".join(COLUMNS), *rows]) + "\n")
    return found


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often something is asked where data goes, and how often the file is read."""
    times = {"decided": 0, "read": 0, "estimated": 0, "memory": 0}

    def counting(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **options: Any) -> Any:
            # a table that was read goes the same road again, and costs nothing
            times[name] += not (given and isinstance(given[0], so.Table))
            return function(*given, **options)

        return call

    monkeypatch.setattr(opening, "_owner", counting("decided", opening._owner))
    monkeypatch.setattr(local_engine, "read", counting("read", local_engine.read))
    monkeypatch.setattr(
        local_engine, "memory_to_read", counting("estimated", local_engine.memory_to_read)
    )
    monkeypatch.setattr(
        local_engine, "available_memory", counting("memory", local_engine.available_memory)
    )
    return times


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_decides_once_and_reads_once(file, counted, name):
    FUNCTIONS[name](file)
    assert counted == {"decided": 1, "read": 1, "estimated": 1, "memory": 1}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_decides_once_and_reads_once(file, counted, command):
    done = singleout(command, file, *COMMANDS[command])
    assert done.returncode in (0, 1), done.stderr
    assert counted == {"decided": 1, "read": 1, "estimated": 1, "memory": 1}


def test_a_table_judged_small_enough_is_read_here_whatever_becomes_of_the_memory(file, monkeypatch):
    free = iter([10**9, 10])
    monkeypatch.setattr(local_engine, "available_memory", lambda: next(free))
    assert so.anonymity_sets(file, "age").notes == ()


def test_a_file_is_refused_where_no_memory_is_free_at_all(file, monkeypatch):
    monkeypatch.setattr(local_engine, "available_memory", lambda: 0)
    monkeypatch.setattr(memory, "available_memory", lambda: 0)
    with pytest.raises(UnusableTable, match=r"Reading people\.csv needs .* 0 bytes are avail"):
        so.anonymity_sets(file, "age")


# ibis asks DuckDB in a way that DuckDB calls old
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ibis.*")
@pytest.mark.parametrize("name", ["suda", "contributions", "eliminate", "read"])
def test_what_needs_records_of_a_file_too_large_says_that_they_were_fetched(
    file, monkeypatch, name
):
    pytest.importorskip("ibis")
    monkeypatch.setattr(local_engine, "available_memory", lambda: 10)
    notes = FUNCTIONS[name](file).notes
    (note,) = [note for note in notes if "embedded database" in note]
    assert "too much for the 10 bytes of memory that are free" in note
    assert "fetched through the embedded database" in note
    assert "counted by the embedded database" in so.anonymity_sets(file, "age").notes[0]


def test_a_new_engine_is_a_line_in_the_register(monkeypatch):
    class Letters:
        name = "letters"

        @staticmethod
        def claims(data: Any) -> bool:
            return isinstance(data, str) and data.startswith("letters:")

        def counter(self, data: str, where: Any = None, columns: Any = None) -> Any:
            text = data.partition(":")[2]
            return local_engine.Local().counter({"letter": list(text)}, where, columns)

    monkeypatch.setitem(globals(), "Letters", Letters)
    registered = {"letters": f"{__name__}:Letters", **opening.ENGINES}
    monkeypatch.setattr(opening, "ENGINES", registered)
    found = so.anonymity_sets("letters:abca", "letter", where="letter != 'c'")
    assert (found.sets, found.unique) == (2, 1)
    assert so.anonymity_sets({"a": [1, 1]}, "a").sets == 1
