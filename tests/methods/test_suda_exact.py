"""All sizes for chosen records on many columns, and searches in parts that are kept in a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner, Result

import naive_suda
import singleout as so
from singleout.cli.main import app
from singleout.errors import BadChoice, SingleoutError
from singleout.kernels.uniques.exact import exact_counts
from singleout.kernels.uniques.search import Task
from singleout.methods.suda import parts, tasks

Rows = list[tuple[Any, ...]]


def frame(rows: Any) -> pl.DataFrame:
    names = [f"v{column}" for column in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.Int64), orient="row")


def wide(records: int, columns: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return frame((4 * rng.random((records, columns)) ** 2.5).astype(int).tolist())


def run(*words: object) -> Result:
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done


# ---- chosen records


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * width), min_size=1, max_size=10
        )
    ),
    st.integers(1, 5),
    st.booleans(),
)
def test_the_minimal_uniques_of_every_record_are_counted_exactly(
    rows: Rows, max_size: int, never: bool
) -> None:
    size = min(max_size, len(rows[0]))
    codes, missing = [], []
    for column in zip(*rows, strict=True):
        codes.append(np.array([3 if value is None else value for value in column], np.uint8))
        missing.append(3)
    found = exact_counts(codes, range(len(rows)), size, never=missing if never else None)
    uniques = naive_suda.minimal_uniques(rows, size, never=never)
    expected = naive_suda.counts_by_variable(uniques, len(rows), len(codes), size)
    for record, one in enumerate(found):
        assert one.complete
        assert one.counts.tolist() == [expected[k][record] for k in range(size)]


def test_records_of_forty_columns_are_searched_for_sets_of_all_sizes() -> None:
    data = wide(60, 40)
    found = so.suda(data)
    assert found.max_size < 40
    exact = found.exact([3, 1])
    assert [one.record for one in exact.found] == [3, 1]
    assert exact.complete == 2
    one = exact[3]
    assert one.max_size == 40
    # what was found for all records together is there too
    m = found.max_size
    assert one.by_size[:m].tolist() == found.counts_by_size[2].tolist()
    assert one.counts[:m].tolist() == found.found.by_variable[:, 2, :].tolist()
    assert one.score > found.score[2]
    assert one.kind == "special"
    assert len(exact.to_frame()) == 2
    assert json.loads(exact.to_json())["complete"] == 2


def test_exact_scores_are_those_of_a_search_of_all_sizes() -> None:
    data = wide(300, 8)
    whole = so.suda(data, max_size=None)
    exact = so.suda(data, max_size=2).exact()
    assert len(exact) == whole.unique
    for one in exact.found:
        assert one.score == whole.score[one.record - 1]
        assert one.kind == whole.kind[one.record - 1]
    limited = so.suda(data, max_size=2).score
    assert limited[exact.found[0].record - 1] == limited.max()  # the riskiest so far comes first


def test_when_the_time_is_over_the_rest_is_not_complete() -> None:
    found = so.suda(wide(3000, 50), max_size=1)
    exact = found.exact(range(1, 9), seconds=0.3)
    assert exact.complete < 8
    rows = exact.to_frame().filter(~pl.col("complete"))
    assert len(rows) == 8 - exact.complete
    unfinished = next(one for one in exact.found if not one.complete)
    assert "the time was over" in str(unfinished)
    with pytest.raises(BadChoice, match="seconds must be a number above 0"):
        found.exact([1], seconds=0)


def test_the_command_line_searches_records_for_all_sizes(tmp_path: Path) -> None:
    data = tmp_path / "x.csv"
    wide(40, 30).write_csv(data)
    said = run("suda", data, "--max-size", "2", "--record", "5", "--seconds", "60").stdout
    assert "Record 5: minimal uniques that hold each column" in said
    assert "minimal uniques of up to 30 columns, and the score" in said
    every = run("suda", data, "--max-size", "2", "--seconds", "60", "--top", "3").stdout
    assert "Records searched for sets of all sizes" in every
    assert "40 records were searched for sets of all sizes, 40 to the end." in every


# ---- parts in a folder


@pytest.mark.parametrize("missing", ["value", "never"])
def test_parts_are_put_together_to_the_whole(tmp_path: Path, missing: str) -> None:
    data, names = wide(200, 9), [f"v{c}" for c in range(9)]
    whole = so.suda(data, names, max_size=4, missing=missing)
    folder, more = tmp_path / "parts", {"max_size": 4, "missing": missing}
    with pytest.raises(BadChoice, match="tasks are not in the checkpoint"):
        so.suda(data, names, checkpoint=folder, merge=True, **more)
    done = [so.suda.part(data, names, f"{i}/3", folder, **more) for i in (3, 1, 2)]
    assert sum(part.tasks for part in done) > 3
    assert [part.found for part in done] == [0, 0, 0]
    again = so.suda.part(data, names, (1, 3), folder, **more)
    assert again.found == again.tasks
    merged = so.suda(data, names, checkpoint=folder, merge=True, **more)
    np.testing.assert_array_equal(merged.found.by_variable, whole.found.by_variable)
    assert merged.set_contributions.rows() == whole.set_contributions.rows()
    # another question does not take these answers for its own
    with pytest.raises(BadChoice, match="not in the checkpoint"):
        so.suda(data, names, checkpoint=folder, merge=True, max_size=3)


def test_a_search_that_was_interrupted_goes_on_and_cuts_what_was_slow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, names = wide(150, 10), [f"v{c}" for c in range(10)]
    whole = so.suda(data, names, max_size=4)
    real, begun = tasks.search_part, []

    def interrupted(search: Any, task: Task) -> Any:
        begun.append(task)
        if len(begun) == 3:
            raise KeyboardInterrupt
        return real(search, task)

    monkeypatch.setenv("SINGLEOUT_THREADS", "1")
    monkeypatch.setattr(parts, "search_part", interrupted)
    with pytest.raises(KeyboardInterrupt):
        so.suda(data, names, max_size=4, checkpoint=tmp_path)
    slow = begun[2]
    ran: list[Task] = []
    monkeypatch.setattr(
        parts, "search_part", lambda search, task: (ran.append(task), real(search, task))[1]
    )
    found = so.suda(data, names, max_size=4, checkpoint=tmp_path)
    np.testing.assert_array_equal(found.found.by_variable, whole.found.by_variable)
    assert not set(begun[:2]) & set(ran)  # they were finished
    if slow.halves:
        assert slow not in ran
        assert set(slow.halves) <= set(ran)
    ran.clear()
    so.suda(data, names, max_size=4, checkpoint=tmp_path, merge=True)
    assert not ran


def test_the_halves_of_a_task_are_the_task() -> None:
    assert Task(0, 1, 6).halves == (Task(0, 1, 3), Task(0, 3, 6))
    assert Task(2, 3, 4).halves == ()


@pytest.mark.parametrize("part", ["0/3", "4/3", "x", (1,), (1.0, 2), "1", None])
def test_what_is_no_part_is_refused(tmp_path: Path, part: Any) -> None:
    with pytest.raises(BadChoice, match="A part is written as 2/5"):
        so.suda.part({"a": [1, 2]}, ["a"], part, tmp_path)


def test_the_command_line_searches_parts_and_merges_them(tmp_path: Path) -> None:
    data, folder = tmp_path / "x.csv", tmp_path / "parts"
    wide(100, 7).write_csv(data)
    words = ["suda", data, "--max-size", "3", "--checkpoint", folder]
    said = run(*words, "--part", "1/2").stdout
    assert said.startswith("Part 1 of 2: ")
    with pytest.raises(SingleoutError, match="not in the checkpoint folder"):
        run(*words, "--merge")
    run(*words, "--part", "2/2")
    merged = run(*words, "--merge", "--json").stdout
    (one,) = json.loads(merged)["results"]
    (other,) = json.loads(run("suda", data, "--max-size", "3", "--json").stdout)["results"]
    assert one == other
    for more, sentence in [
        (["--part", "1/2"], "give it as --checkpoint"),
        (["--merge"], "give the checkpoint folder"),
    ]:
        with pytest.raises(SingleoutError, match=sentence):
            run("suda", data, *more)
