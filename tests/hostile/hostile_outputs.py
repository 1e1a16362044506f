"""Hostile files to write to: the data themselves, links to them, what cannot be written."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from shlex import split

from hostile_case import CANNOT_WRITE, PEOPLE, Case, Make, both, files, people, refused

COUNT = ("--qi", "a")


def _linked(hard: bool) -> Make:
    def make(folder: Path) -> None:
        people(folder)
        other = folder / "other.csv"
        os.link(folder / "people.csv", other) if hard else other.symlink_to("people.csv")

    return make


def _database(folder: Path) -> None:
    connection = sqlite3.connect(folder / "x.db")
    with connection:
        connection.execute("create table t as select 1 as a, 2 as b")
    connection.close()


def over_the_data() -> Iterator[Case]:
    """Outputs that would destroy what is read."""
    write = ("--force", "--csv")
    for name, make, out in (
        ("relative", people, "people.csv"),
        ("by-a-detour", people, "../{name}/./people.csv"),
        ("absolute", people, "{folder}/people.csv"),
        ("by-a-symbolic-link", _linked(hard=False), "other.csv"),
        ("by-a-hard-link", _linked(hard=True), "other.csv"),
    ):
        yield refused(
            f"output-over-the-data-{name}",
            "sets",
            "people.csv",
            *COUNT,
            *write,
            out,
            make=make,
            says=("people.csv" if "other" not in out else "other.csv",),
        )
    yield refused(
        "output-over-data-that-is-a-link",
        "sets",
        "other.csv",
        *COUNT,
        *write,
        "people.csv",
        make=_linked(hard=False),
        says=("people.csv",),
    )
    yield refused(
        "output-over-a-database",
        "sets",
        "sqlite:///x.db#t",
        *COUNT,
        *write,
        "x.db",
        make=_database,
        says=("x.db",),
    )
    yield refused(
        "output-over-a-database-by-its-whole-path",
        "sets",
        "sqlite:///x.db#t",
        *COUNT,
        *write,
        "{folder}/x.db",
        make=_database,
        says=("x.db",),
    )

    def parts(folder: Path) -> None:
        import polars as pl

        (folder / "parts").mkdir()
        pl.DataFrame({"a": [1, 2]}).write_parquet(folder / "parts" / "1.parquet")

    yield refused(
        "output-over-a-part-of-the-folder-read",
        "sets",
        "parts",
        *COUNT,
        *write,
        "parts/1.parquet",
        make=parts,
        says=("1.parquet",),
    )
    yield refused(
        "output-over-a-file-of-a-pattern",
        "sets",
        "part*.csv",
        *COUNT,
        *write,
        "part2.csv",
        make=files({"part1.csv": PEOPLE, "part2.csv": PEOPLE}),
        says=("part2.csv",),
    )
    plan = files(
        {
            "plan.yaml": "columns: {a: {role: quasi-identifier, exposure: EE}, "
            "b: {role: sensitive, moral: 2}}\n"
        }
    )
    yield refused(
        "report-over-the-plan",
        *split("assess people.csv --plan plan.yaml --force --report-json plan.yaml"),
        make=both(people, plan),
        says=("plan.yaml",),
    )
    yield refused(
        "report-over-the-data",
        *split("assess people.csv --plan plan.yaml --force --report-json people.csv"),
        make=both(people, plan),
        says=("people.csv",),
    )
    yield refused(
        "reduced-file-over-the-data",
        *split("eliminate people.csv --size 2 --records 1 --out people.csv"),
        says=("people.csv", "--force"),
    )
    yield refused(
        "plan-over-the-data",
        *split("plan people.csv --force -o people.csv"),
        says=("people.csv",),
    )
    yield refused(
        "comparison-over-one-of-the-two",
        *split("compare people.csv after.csv --force --csv after.csv"),
        make=files({"people.csv": PEOPLE, "after.csv": PEOPLE}),
        says=("after.csv",),
    )
    yield refused(
        "prediction-over-its-data",
        *split("predict --data people.csv --qi a --people 2 --force --csv people.csv"),
        says=("people.csv",),
    )
    yield refused(
        "table-over-the-questionnaire",
        *split("funnel q.yaml --force --csv q.yaml"),
        make=files(
            {
                "q.yaml": "population: 9\npeople: 3\n"
                "questions: [{name: sex, shares: {f: 0.5, m: 0.5}}]\n"
            }
        ),
        says=("q.yaml",),
    )
    yield refused(
        "parts-of-suda-over-the-data",
        *split("suda x-values.csv --force -o x.csv"),
        make=files({"x-values.csv": PEOPLE}),
        says=("x-values.csv",),
    )


def outputs() -> Iterator[Case]:
    """Outputs that cannot be written."""
    sets = ("sets", "people.csv", *COUNT)

    def closed(folder: Path) -> None:
        people(folder)
        (folder / "closed").mkdir(mode=0o555)

    def cannot(name: str, *words: str, says: str, make: Make = people, **more: object) -> Case:
        return Case(name, words, make, code=CANNOT_WRITE, says=(says,), **more)  # type: ignore[arg-type]

    yield refused(
        "output-that-exists",
        *sets,
        "--csv",
        "old.csv",
        make=files({"people.csv": PEOPLE, "old.csv": "kept"}),
        says=("--force",),
    )
    yield refused("output-twice", *sets, "--csv", "x.csv", "--records", "./x.csv", says=("x.csv",))
    yield refused(
        "output-twice-by-a-link",
        *sets,
        "--force",
        "--csv",
        "x.csv",
        "--records",
        "y.csv",
        make=both(
            files({"people.csv": PEOPLE, "x.csv": ""}),
            lambda folder: (folder / "y.csv").symlink_to("x.csv"),
        ),
        says=("y.csv",),
    )
    yield refused(
        "output-that-is-a-folder",
        *sets,
        "--force",
        "--csv",
        "sub",
        make=both(people, lambda folder: (folder / "sub").mkdir()),
        says=("folder",),
    )
    yield refused("output-of-no-name", *sets, "--csv", "", says=("folder",))
    yield refused("output-with-a-zero-byte", *sets, "--csv", "x\0.csv", says=("--csv",))
    yield refused("picture-of-an-unknown-kind", *sets, "--plot", "x.exe", says=(".svg",))
    yield refused(
        "report-of-an-unknown-kind", *split("assess people.csv -o x.exe"), says=("x.exe",)
    )
    yield refused(
        "records-of-an-unknown-kind",
        *split("eliminate people.csv --size 2 --records 1 --out x.exe"),
        says=("x.exe",),
    )
    yield refused("output-into-a-missing-folder", *sets, "--csv", "no/x.csv", says=("no folder",))
    yield refused("output-below-a-file", *sets, "--csv", "people.csv/x.csv", says=("people.csv",))
    yield refused("output-of-a-long-name", *sets, "--csv", "x" * 300 + ".csv", says=("long",))
    yield cannot(
        "output-into-a-closed-folder",
        *sets,
        "--csv",
        "closed/x.csv",
        make=closed,
        says="cannot be written",
        alone=True,
        settings={"powerless": True},
    )
    yield cannot(
        "output-to-a-full-device", *sets, "--csv", "/dev/full", says="/dev/full", alone=True
    )
    yield cannot(
        "forced-output-to-a-full-device",
        *sets,
        "--force",
        "--csv",
        "/dev/full",
        says="/dev/full",
        alone=True,
    )
    yield cannot(
        "output-beyond-the-limit-for-files",
        *sets,
        "--plot",
        "x.html",
        says="x.html",
        alone=True,
        settings={"largest_file": 10_000},
    )
    yield cannot(
        "answer-to-a-full-device",
        *sets,
        says="be written",
        alone=True,
        settings={"stdout": "/dev/full"},
    )
    yield cannot(
        "json-to-a-full-device",
        *sets,
        "--json",
        says="be written",
        alone=True,
        settings={"stdout": "/dev/full"},
    )
    yield cannot(
        "answer-to-a-closed-output",
        *sets,
        says="be written",
        alone=True,
        settings={"closed": 1},
    )
    yield Case(
        "answer-with-errors-closed",
        sets,
        people,
        code=0,
        says=("4",),
        alone=True,
        settings={"closed": 2},
    )
    yield Case(
        "answer-with-input-closed",
        sets,
        people,
        code=0,
        says=("4",),
        alone=True,
        settings={"closed": 0},
    )
    yield Case(
        "output-to-the-null-device", (*sets, "--csv", "/dev/null"), people, code=0, says=("4",)
    )
    yield Case(
        "forced-output-to-the-null-device",
        (*sets, "--force", "--csv", "/dev/null"),
        people,
        code=0,
        says=("4",),
    )
    yield Case(
        "output-with-a-hostile-name",
        (*sets, "--csv", "=cmd\n\x1b[2J.csv"),
        people,
        code=0,
        says=("4",),
        writes={"=cmd\n\x1b[2J.csv": "4"},
    )
    yield Case(
        "output-by-a-link-to-another-file",
        (*sets, "--force", "--csv", "link.csv"),
        both(
            files({"people.csv": PEOPLE, "kept.csv": "old"}),
            lambda folder: (folder / "link.csv").symlink_to("kept.csv"),
        ),
        code=0,
        says=("4",),
        writes={"link.csv": "4", "kept.csv": ""},
    )
    yield refused("saved-table-that-exists", *split("demo --save people.csv"), says=("--force",))


def cases() -> Iterator[Case]:
    """Yield all of them."""
    yield from over_the_data()
    yield from outputs()
