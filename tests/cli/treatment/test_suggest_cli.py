"""`singleout suggest`: the answer, its steps as a file, the treated data, and Ctrl-C."""

import csv
import json
import shlex
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import singleout as so
from run_command import refused, singleout, working_on

KNOWN = ["age", "sex", "region"]
ASKED = ["--qi", ",".join(KNOWN), "--k", 4]


def test_its_last_line_is_the_command_that_applies_the_steps(survey: Path) -> None:
    folder = survey.parent
    done = singleout("suggest", survey.name, *ASKED, "-o", "my steps.yaml", cwd=folder)
    assert done.returncode == 0, done.stderr
    last = done.stdout.strip().splitlines()[-1]
    start, _, command = last.partition("  ")
    assert start == "Apply it:"
    words = shlex.split(command)
    assert words[:4] == ["singleout", "treat", "survey.csv", "my steps.yaml"]
    assert singleout(*words[1:], cwd=folder).returncode == 0
    assert so.anonymity_sets(folder / "treated.csv", KNOWN).k >= 4


def test_the_options_of_reading_are_in_that_command(survey: Path) -> None:
    words = singleout("suggest", survey, *ASKED, "--na", "east", "--na", "x", "--delimiter", ",")
    last = words.stdout.strip().splitlines()[-1]
    assert last.startswith("Add -o steps.yaml to write the steps, then apply them:")
    assert last.endswith("--na east --na x --delimiter ,")


def test_data_that_is_elsewhere_is_fetched_by_that_command(survey: Path) -> None:
    folder = survey.parent / "parts"
    folder.mkdir()
    pl.read_csv(survey).write_parquet(folder / "a.parquet")
    done = singleout("suggest", "parts", *ASKED, "-o", "steps.yaml", cwd=survey.parent)
    command = done.stdout.strip().splitlines()[-1].removeprefix("Apply it:  ")
    assert command == "singleout treat parts steps.yaml -o treated.csv --engine local"
    again = singleout(*command.split()[1:], cwd=survey.parent)
    assert again.returncode == 0, again.stderr
    assert so.anonymity_sets(survey.parent / "treated.csv", KNOWN).k >= 4


def test_it_shows_what_is_reached_and_what_it_costs(survey: Path) -> None:
    words = singleout("suggest", survey, *ASKED).stdout
    found = so.suggest(survey, quasi_identifiers=KNOWN, k=4)
    assert str(found) in words
    assert f" 1. {found.steps.sentences[0]}" in words
    row = next(line for line in words.splitlines() if line.startswith(" k: smallest"))
    assert row.split()[-5:] == ["1", str(found.after.k), "at", "least", "4"]
    assert words.count(" suggested ") == 1
    assert max(map(len, words.splitlines()[4:-2])) <= 160


def test_json_and_the_frontier_as_a_file(survey: Path) -> None:
    out, picture = survey.parent / "frontier.csv", survey.parent / "frontier.svg"
    done = singleout("suggest", survey, *ASKED, "--json", "--csv", out, "--plot", picture)
    found = so.suggest(survey, quasi_identifiers=KNOWN, k=4)
    answer = json.loads(done.stdout)
    assert answer["loss"] == found.loss
    assert answer["steps"] == found.steps.to_dict()["steps"]
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [float(row["loss"]) for row in rows] == found.frontier["loss"].to_list()
    assert [row["suggested"] for row in rows].count("True") == 1
    assert "<svg" in picture.read_text()


def test_apply_writes_what_treat_would_write(survey: Path) -> None:
    folder = survey.parent
    words = ["-o", folder / "steps.yaml", "--apply", folder / "one.csv"]
    done = singleout("suggest", survey, *ASKED, *words)
    assert done.returncode == 0, done.stderr
    assert "Apply it" not in done.stdout
    singleout("treat", survey, folder / "steps.yaml", "-o", folder / "two.csv")
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    assert (folder / "one.log.csv").read_bytes() == (folder / "two.log.csv").read_bytes()


def test_steps_are_for_their_owner_and_it_says_if_they_hold_values(survey: Path) -> None:
    rng = np.random.default_rng(3)
    jobs = [["baker", "nurse", "clerk", "smith", "tailor"][i] for i in rng.integers(0, 5, 240)]
    pl.read_csv(survey).with_columns(pl.Series("job", jobs)).write_csv(survey)
    steps, out = survey.parent / "steps.yaml", survey.parent / "out.csv"
    asked = ["--qi", "age,sex,job", "--k", 30, "--method", "full-domain", "--force"]
    for more in ([], ["--apply", out]):
        steps.unlink(missing_ok=True)
        done = singleout("suggest", survey, *asked, "-o", steps, *more)
        assert stat.S_IMODE(steps.stat().st_mode) == 0o600
        assert "nurse" in steps.read_text()
        assert f"Written: {steps}, the steps. Their hierarchies show original" in done.stdout
    assert "nurse" not in singleout("suggest", survey, *asked, "--json").stdout
    done = singleout("suggest", survey, "--qi", "age,sex", "--k", 4, "-o", steps, "--force")
    assert f"Written: {steps}\n" in done.stdout


def test_assess_opens_its_gate_for_what_was_treated(survey: Path) -> None:
    folder = survey.parent
    plan = folder / "plan.yaml"
    roles = "".join(f"  {name}: {{role: quasi-identifier}}\n" for name in KNOWN)
    plan.write_text(
        f"columns:\n{roles}  name: {{role: direct-identifier}}\n  income: {{role: sensitive}}\n"
        "policy: {highest_risk: 2, k: 3, unique_share: 0}\n"
    )
    assert singleout("assess", survey, "--plan", plan, "--no-advice").returncode == 1
    done = singleout("suggest", survey, "--plan", plan, "--apply", folder / "out.csv")
    assert done.returncode == 0, done.stdout
    assert "name" not in so.read(folder / "out.csv").columns
    # a plan names the columns that are there
    plan.write_text(plan.read_text().replace("  name: {role: direct-identifier}\n", ""))
    again = singleout("assess", folder / "out.csv", "--plan", plan, "--no-advice")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "The policy is met" in again.stdout


def test_full_domain_with_a_hierarchy_shows_the_levels(survey: Path) -> None:
    hierarchy = survey.parent / "age.csv"
    hierarchy.write_text("".join(f"{n};{n // 10 * 10};*\n" for n in range(20, 60)))
    options = ["--method", "full-domain", "--max-suppressed", "2%", "--hierarchy"]
    done = singleout("suggest", survey, *ASKED, *options, f"age={hierarchy}")
    found = so.suggest(
        survey,
        quasi_identifiers=KNOWN,
        k=4,
        method="full-domain",
        max_suppressed=0.02,
        hierarchies={"age": hierarchy},
    )
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert {
        row[0]: int(row[2]) for row in rows if len(row) == 3 and row[0] in KNOWN
    } == found.levels


def test_a_policy_that_nothing_reaches_is_1_and_says_what_stands_in_the_way(survey: Path) -> None:
    done = singleout("suggest", survey, "--qi", "sex", "--k", 300)
    assert done.returncode == 1
    assert "No treatment that was tried reaches the policy." in done.stdout
    assert " nearest " in done.stdout
    assert "What stands in the way: The table has 240 records, fewer than the 300" in done.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "There is no policy to reach: give --k 5 or --highest-risk 2 or another limit"),
        (["--k", 3, "--qi", "agee"], "Did you mean 'age' for 'agee'?"),
        ([*ASKED, "--max-suppressed", "2x"], "--max-suppressed is a share from 0 to 1"),
        ([*ASKED, "--unique-share", "200%"], "--unique-share is a share from 0 to 1"),
        ([*ASKED, "--importance", "age=much"], "--importance 'much' is no number"),
        ([*ASKED, "--hierarchy", "age"], "--hierarchy 'age' is not a column and a file"),
        ([*ASKED, "--hierarchy", "sex=bad.csv"], "The hierarchy of 'sex' lacks the value 'm'"),
        (
            [*ASKED, "--method", "other"],
            "'other' is not a method; choose local, full-domain or cells.",
        ),
        ([*ASKED, "--log", "x.csv"], "--log is for the data that --apply writes"),
        ([*ASKED, "-o", "survey.csv", "--force"], "is the data itself"),
        ([*ASKED, "--apply", "out.xyz"], "A table cannot be written as 'out.xyz'"),
        ([*ASKED, "--hierarchy", "sex=bad.csv", "-o", "bad.csv", "--force"], "that is read here"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(
    survey: Path, words: list[object], sentence: str
) -> None:
    (survey.parent / "bad.csv").write_text("f;*\n")
    files = sorted(survey.parent.iterdir())
    assert sentence in refused(singleout("suggest", "survey.csv", *words, cwd=survey.parent))
    assert sorted(survey.parent.iterdir()) == files


def _large(folder: Path) -> None:
    rng = np.random.default_rng(3)
    columns = {f"c{n}": rng.integers(0, 4 + 3 * n, 6_000) for n in range(9)}
    pl.DataFrame({**columns, "secret": rng.integers(0, 3, 6_000)}).write_csv(folder / "large.csv")


# the level of a person who is found is never 1: the search goes on until all records are one class
LONG = ["suggest", "large.csv", "--qi", ",".join(f"c{n}" for n in range(9)), "--highest-risk", 1]


def test_ctrl_c_shows_the_best_so_far(tmp_path: Path) -> None:
    _large(tmp_path)
    words = [*LONG, "--sensitive", "secret", "-o", "steps.yaml"]
    with working_on("Trying classes of 10", *words, cwd=tmp_path) as process:
        time.sleep(0.1)  # until it is within the treatment
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=120)
    assert process.returncode == 1  # the policy is not reached
    assert errors.strip().startswith("Stopping: what was found so far is shown.")
    assert "Note: The search was stopped before its end" in out
    assert len(so.Steps.read(tmp_path / "steps.yaml")) == 1


# a search within one step of many minutes, which no signal enters
STUCK = """
import hashlib
from singleout.cli import main
from singleout.cli.shared.ending import stopped_by_the_first

def stuck():
    with stopped_by_the_first():
        print("busy", flush=True)
        hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)

main.command = lambda: lambda **_: stuck()
main.run()
"""


def test_the_second_ctrl_c_ends_a_search_that_does_not_stop() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUCK], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            assert process.stdout.readline() == "busy\n"
            time.sleep(0.3)  # until it is within the step
            process.send_signal(signal.SIGINT)
            assert process.stderr.readline() == "\n"
            assert process.stderr.readline().startswith("Stopping: ")
            time.sleep(1.5)  # longer than an end that is not forgiven takes
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGINT
    assert errors == "Interrupted: what was not finished was not written.\n"
