"""`singleout assess` with several files: each alone, or as one table."""

from __future__ import annotations

import json
from pathlib import Path

import openpyxl
import polars as pl
import pytest
import yaml

import singleout as so
from run_command import singleout
from singleout.errors import UnreadableFile

SAFE = "age,region,diagnosis\n" + "30-39,north,flu\n30-39,north,asthma\n" * 6
UNSAFE = SAFE + "40-49,south,flu\n"
PLAN = """columns:
  age: {role: quasi-identifier, exposure: EE}
  region: {role: quasi-identifier, exposure: EE}
  diagnosis: {role: sensitive, moral: 3}
policy: {k: 2}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a safe file, an unsafe one and a plan."""
    (tmp_path / "safe.csv").write_text(SAFE)
    (tmp_path / "unsafe.csv").write_text(UNSAFE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def lines_of(out: str, file: str) -> list[str]:
    return [line for line in out.splitlines() if line.strip().startswith(f"{file} ")]


def test_each_file_has_a_line_and_one_that_breaks_the_policy_gives_exit_1(folder: Path) -> None:
    done = singleout(
        "assess", "safe.csv", "unsafe.csv", "--plan", "plan.yaml", "--no-advice", cwd=folder
    )
    assert (done.returncode, done.stderr) == (1, "")
    (safe,) = lines_of(done.stdout, "safe.csv")
    (unsafe,) = lines_of(done.stdout, "unsafe.csv")
    assert safe.split()[1] == "12"
    assert safe.split()[-3:] == ["12", "0%", "met"]
    assert unsafe.split()[1] == "13"
    assert unsafe.split()[-4:] == ["1", "7.7%", "not", "met"]
    assert "unsafe.csv: The policy is not met: k is 1" in done.stdout
    assert "\nsafe.csv: The policy is met" in done.stdout


def test_the_lines_say_what_each_file_says_alone(folder: Path) -> None:
    done = singleout(
        "assess", "safe.csv", "unsafe.csv", "--plan", "plan.yaml", "--json", cwd=folder
    )
    both = json.loads(done.stdout)
    for file, found in zip(("safe.csv", "unsafe.csv"), both, strict=True):
        alone = json.loads(
            singleout("assess", file, "--plan", "plan.yaml", "--json", cwd=folder).stdout
        )
        assert found.pop("file") == file
        del found["made"], alone["made"]
        assert found == alone
    assert done.stderr.startswith("unsafe.csv: The policy is not met")


def test_an_unreadable_file_gives_exit_2_and_the_others_are_assessed(folder: Path) -> None:
    (folder / "broken.xlsx").write_bytes(b"PK\x03\x04 not a workbook")
    words = ["assess", "broken.xlsx", "unsafe.csv", "--plan", "plan.yaml", "--no-advice"]
    done = singleout(*words, cwd=folder)
    assert done.returncode == 2
    assert done.stderr.startswith("broken.xlsx: ")
    assert len(done.stderr.strip().splitlines()) == 1
    assert "cannot be assessed" in lines_of(done.stdout, "broken.xlsx")[0]
    assert "not met" in lines_of(done.stdout, "unsafe.csv")[0]
    first, second = json.loads(singleout(*words, "--json", cwd=folder).stdout)
    assert set(first) == {"file", "error"}
    assert second["met"] is False


def test_the_hook_of_pre_commit_refuses_a_risky_file_among_several(folder: Path) -> None:
    root = Path(__file__).parents[2]
    (hook,) = yaml.safe_load((root / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, *words = hook["entry"].split()
    assert program == "singleout"
    (folder / "singleout.toml").write_text('[assess]\nplan = "plan.yaml"\n')
    (folder / "also.csv").write_text(SAFE)
    assert singleout(*words, "safe.csv", "also.csv", cwd=folder).returncode == 0
    assert singleout(*words, "safe.csv", "unsafe.csv", cwd=folder).returncode == 1
    assert singleout(*words, "unsafe.csv", cwd=folder).returncode == 1


def test_reports_go_to_a_folder_and_never_to_one_file(folder: Path) -> None:
    other = folder / "other"
    other.mkdir()
    (other / "safe.csv").write_text(SAFE)
    words = ["assess", "safe.csv", "other/safe.csv", "--plan", "plan.yaml", "--no-advice"]
    done = singleout(*words, "-o", "reports", cwd=folder)
    assert done.returncode == 0
    names = sorted(path.name for path in (folder / "reports").iterdir())
    assert names == ["safe.csv-2.html", "safe.csv.html"]
    page = (folder / "reports" / "safe.csv.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    again = singleout(*words, "-o", "reports", cwd=folder)
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    assert singleout(*words, "-o", "reports", "--force", cwd=folder).returncode == 0
    done = singleout(*words, "-o", "report.html", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--output is a folder, not 'report.html'" in done.stderr


@pytest.mark.parametrize(
    "option", ["--pia", "--report-json", "--junit", "--sarif", "--steps", "--csv", "--plot"]
)
def test_an_output_of_one_table_is_refused(folder: Path, option: str) -> None:
    done = singleout("assess", "safe.csv", "unsafe.csv", option, "out.json", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{option} is for one table, and 2 are given")
    assert not (folder / "out.json").exists()


def test_a_folder_is_its_data_files_and_says_what_is_left_out(folder: Path) -> None:
    (folder / "~$lock.xlsx").write_text("of a spreadsheet that is open")
    done = singleout("assess", ".", "--plan", folder / "plan.yaml", "--no-advice", cwd=folder)
    assert done.returncode == 1
    assert lines_of(done.stdout, "safe.csv")
    assert lines_of(done.stdout, "unsafe.csv")
    assert "plan.yaml is no data file by its name and was left out." in done.stdout
    assert "lock" not in done.stdout + done.stderr
    empty = folder / "empty"
    empty.mkdir()
    done = singleout("assess", "empty", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("There is no data file in the folder 'empty'")


def test_a_folder_of_parquet_files_and_a_pattern_stay_one_table(folder: Path) -> None:
    parts = folder / "parts"
    parts.mkdir()
    for name in ("a", "b"):
        pl.read_csv(folder / "safe.csv").write_parquet(parts / f"{name}.parquet")
    for data in ("parts", "*safe.csv"):
        done = singleout("assess", data, "--plan", "plan.yaml", "--no-advice", cwd=folder)
        assert f"2 files of {data}: 2" in done.stdout


def test_together_counts_the_records_of_all_files(folder: Path) -> None:
    book = openpyxl.Workbook()
    for line in UNSAFE.splitlines():
        book.active.append(line.split(","))
    book.save(folder / "unsafe.xlsx")
    words = ["assess", "unsafe.csv", "unsafe.xlsx", "--plan", "plan.yaml", "--no-advice"]
    assert singleout(*words, cwd=folder).returncode == 1
    done = singleout(*words, "--together", cwd=folder)
    assert done.returncode == 0
    assert "2 files, unsafe.csv and others: 26 records, 3 columns" in done.stdout
    assert "k is 2 and at least 2 is asked for" in done.stdout


def test_a_list_of_paths_is_one_table(folder: Path) -> None:
    table = so.read([folder / "safe.csv", folder / "unsafe.csv"])
    whole = so.read({name: [*so_values(folder, name)] for name in ("age", "region", "diagnosis")})
    assert table.rows == 25
    for column in whole:
        same = table[column.name]
        assert [same.value(code) for code in same.codes.tolist()] == [
            column.value(code) for code in column.codes.tolist()
        ]


def so_values(folder: Path, name: str) -> list[str]:
    """Return the values of a column in both files."""
    frames = [pl.read_csv(folder / file) for file in ("safe.csv", "unsafe.csv")]
    return [value for frame in frames for value in frame[name].to_list()]


def test_files_of_other_columns_or_kinds_are_not_one_table(folder: Path) -> None:
    (folder / "other.csv").write_text("age,sex\n30,f\n")
    with pytest.raises(UnreadableFile, match=r"safe\.csv has 'diagnosis', and other\.csv has not"):
        so.read([folder / "safe.csv", folder / "other.csv"])
    pl.DataFrame({"a": [1, 2]}).write_parquet(folder / "one.parquet")
    pl.DataFrame({"a": ["x", "y"]}).write_parquet(folder / "two.parquet")
    with pytest.raises(UnreadableFile, match=r"Column 'a' holds values of one kind in one"):
        so.read([folder / "one.parquet", folder / "two.parquet"])
