"""`singleout predict` and `singleout predict plan` as a user meets them."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from run_command import refused, singleout
from singleout import __version__, predict
from singleout.errors import UnusableTable


def test_29_people_of_95_ages_are_all_unique_with_084_percent() -> None:
    done = singleout("predict", "--cells", 95, "--people", 29)
    assert (done.returncode, done.stderr) == (0, "")
    assert "29 people; 95 cells" in done.stdout
    assert "Everybody is unique with probability 0.84%" in done.stdout
    assert "21.56" in done.stdout
    assert "15 – 27" in done.stdout
    exact = json.loads(singleout("predict", "--cells", 95, "--people", 29, "--json").stdout)
    assert exact["uniqueness"]["probability"] == pytest.approx(0.0084, abs=5e-5)


def test_a_process_of_its_own_says_the_same() -> None:
    command = [sys.executable, "-m", "singleout", "predict", "--cells", "95", "--people", "29"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Everybody is unique with probability 0.84%" in done.stdout


def test_a_third_of_as_many_people_as_birthdays_are_alone() -> None:
    answer = json.loads(singleout("predict", "--cells", 365, "-k", 365, "--json").stdout)
    assert answer["singleout"] == __version__
    assert answer["singletons"]["mean"] == pytest.approx(134.46, abs=0.01)
    assert answer["singletons"]["interval"] == [117, 153]
    assert answer["singletons"]["interval_error"] == 0
    assert answer["sizes"]["unique_share"] == pytest.approx(0.3684, abs=1e-4)


def test_shares_and_counted_data_are_distributions(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    path.write_text("age,sex,n\n1,f,30\n1,m,20\n2,f,50\n")
    both = ["predict", "--data", path, "--qi", "age+sex", "--count", "n", "-k", 10]
    done = singleout(*both)
    assert "3 cells, from 100 people" in done.stdout
    assert "nobody is drawn twice (without replacement)" in done.stdout
    drawn = json.loads(singleout(*both, "--json").stdout)["singletons"]["mean"]
    replaced = json.loads(singleout(*both, "--with-replacement", "--json").stdout)
    shares = json.loads(singleout("predict", "--shares", "0.3,0.2,0.5", "-k", 10, "--json").stdout)
    assert replaced["singletons"]["mean"] == pytest.approx(shares["singletons"]["mean"])
    assert drawn != pytest.approx(shares["singletons"]["mean"], rel=1e-3)


def test_records_are_counted_if_no_column_says_how_many(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age\n1\n1\n2\n3\n")
    done = singleout("predict", "--data", path, "--qi", "age", "-k", 4, "--json")
    # all four are drawn: 2 and 3 are alone
    assert json.loads(done.stdout)["singletons"]["mean"] == pytest.approx(2)


def test_a_summary_comes_with_the_range_it_leaves_open() -> None:
    done = singleout("predict", "--cells", 95, "--kl", 0.1, "-k", 95, "--up-to", 2)
    assert "has between 31.14 and 34.67 unique people on average" in done.stdout
    sums = singleout("predict", "--cells", 95, "--power-sums", "0.012,0.00016", "-k", 95, "--json")
    found = json.loads(sums.stdout)["singletons"]
    low, high = found["range"]
    assert low < found["mean"] < high


def test_widths_are_compared() -> None:
    words = ["predict", "--normal", 10, "--width", 1, "--width", 5, "--people", 100]
    done = singleout(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert "12.24" in done.stdout
    rows = json.loads(singleout(*words, "--json").stdout)["widths"]["widths"]
    assert [row["width"] for row in rows] == [1, 5]
    other = singleout("predict", "--exponential", 10, "--width", 1, "-k", 5)
    assert other.returncode == 0


def test_many_cells_take_no_time_and_an_approximate_interval_says_so(tmp_path: Path) -> None:
    path = tmp_path / "many.csv"
    counts = "\n".join(f"{i},{i}" for i in range(1, 4001))
    path.write_text(f"a,n\n{counts}\n")
    done = singleout(
        "predict", "--data", path, "--qi", "a", "--count", "n", "-k", 10_000, "--up-to", 1
    )
    assert done.returncode == 0
    assert "The interval is that of an approximation" in done.stdout
    huge = singleout("predict", "--cells", 1e30, "-k", 1000, "--up-to", 1)
    assert "Everybody is unique with probability 100%" in huge.stdout


@pytest.mark.parametrize(
    ("cells", "people", "unique"),
    [("100", 100_000, 0), ("95", 10**12, 0), ("1e300", 3, 3)],  # among far more people, and fewer
)
def test_extreme_numbers_of_people_and_cells_are_answered_quietly(
    cells: str, people: int, unique: int
) -> None:
    done = singleout("predict", "--cells", cells, "-k", people, "--up-to", 1)
    assert (done.returncode, done.stderr) == (0, "")
    found = singleout("predict", "--cells", cells, "-k", people, "--up-to", 1, "--json")
    assert json.loads(found.stdout)["singletons"]["interval"] == [unique, unique]


def test_files_are_written(tmp_path: Path) -> None:
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    words = ["predict", "--cells", 95, "-k", 29, "--up-to", 3, "--csv", out, "--plot", picture]
    assert singleout(*words).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["size"] for row in rows] == ["0", "1", "2", "3"]
    assert picture.read_text().startswith("<svg")
    assert "exists already" in refused(singleout(*words))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--people", "3"], "Say how people spread over the possible values: --cells N"),
        (["--cells", "5"], "Say with --people how many people there will be"),
        (["--cells", "5", "-k", "0"], "--people must be a whole number of 1 or more, not 0."),
        (["--cells", "5", "--shares", "1", "-k", "3"], "and not with --cells and --shares"),
        (["--cells", "2.5", "-k", "3"], "--cells must be a whole number of 1 or more, not 2.5."),
        (["--cells", "inf", "-k", "3"], "not inf"),
        (["--cells", "nan", "-k", "3"], "not nan"),
        (["--cells", "5", "--width", "3", "-k", "3"], "--width goes with --normal or"),
        (["--shares", "1", "--kl", "0.3", "-k", "3"], "--kl goes with --cells"),
        (["--cells", "5", "--qi", "a", "-k", "3"], "--qi goes with --data"),
        (["--shares", "a,b", "-k", "3"], "is not a list of numbers"),
        (["--shares", "0.5,0.6", "-k", "3"], "--shares sum to 1.1, not to 1; give the shares"),
        (["--shares", "1", "--kl", "0", "-k", "3"], "--kl goes with --cells"),
        (["--cells", "9", "--kl", "0", "--power-sums", "1", "-k", "3"], "--kl or --power-sums"),
        (["--normal", "1", "--width", "1", "--up-to", "3", "-k", "3"], "--up-to goes with --cells"),
        (["--cells", "95", "-k", "1" + "0" * 23], "--people must be at most 10^12"),
        (["--data", "x.csv", "-k", "3"], "Say with --qi"),
        (["--normal", "10", "-k", "3"], "Say with --width how --normal is rounded"),
        (["--normal", "-1", "--width", "1", "-k", "3"], "--normal must be a number above 0"),
        (["--cells", "5", "--without-replacement", "-k", "3"], "how many people each cell has"),
        (
            ["--normal", "5", "--width", "1", "--without-replacement", "-k", "3"],
            "--without-replacement needs to know",
        ),
        (["--cells", "95", "--kl", "-1", "-k", "3"], "0 or more"),
        (["--people", "3", "plan"], "Write the options after 'plan'"),
    ],
)
def test_what_cannot_be_predicted_is_refused_in_a_sentence(words: list[str], sentence: str) -> None:
    assert sentence in refused(singleout("predict", *words))


def test_more_people_than_the_data_has_are_refused_in_the_words_of_the_command(
    tmp_path: Path,
) -> None:
    path = tmp_path / "few.csv"
    path.write_text("age\n1\n1\n2\n")
    words = ["predict", "--data", path, "--qi", "age", "-k", 4]
    assert refused(singleout(*words)) == (
        "4 people cannot be drawn from the 3 of the data; give fewer, or --with-replacement if the "
        "data is itself a sample."
    )
    assert singleout(*words, "--with-replacement").returncode == 0


@pytest.mark.parametrize("words", [["predict", "--cells", "9", "-k", "3"], ["predict", "plan"]])
def test_a_picture_that_cannot_be_written_is_refused_before_any_work(
    words: list[str], tmp_path: Path
) -> None:
    more, module = (["--unique", "0.05"], "plan") if "plan" in words else ([], "predict")
    with patch(
        f"singleout.cli.predicting.{module}.shown_if_slow", side_effect=AssertionError("worked")
    ):
        said = refused(singleout(*words, *more, "--plot", tmp_path / "zz.bmp"))
    assert "A picture cannot be written as 'zz.bmp'" in said


# ---- plans


def test_a_plan_says_how_to_ask_and_what_each_step_buys() -> None:
    done = singleout("predict", "plan", "--unique", 0.05)
    assert (done.returncode, done.stderr) == (0, "")
    assert "How to ask" in done.stdout
    assert "age: year of birth → age band" in done.stdout
    assert "is the most detailed that keeps the policy (at most 5% unique)" in done.stdout


def test_a_plan_is_json_and_files(tmp_path: Path) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(
        "population: 10000\npeople: 100\nquestions:\n- name: age\n  codings:\n  - name: year\n"
        "    counts: {'1': 1, '2': 1, '3': 1, '4': 1}\n  - name: half\n"
        "    groups: {old: 1..2, young: 3..4}\n- name: sex\n  shares: {f: 0.5, m: 0.5}\n"
    )
    out, picture = tmp_path / "out.csv", tmp_path / "out.svg"
    words = ["predict", "plan", path, "--in-sets-of", 15, "--share", 0.9]
    done = singleout(*words, "--json", "--csv", out, "--plot", picture)
    found = json.loads(done.stdout)["plan"]
    assert found["codings"] == {"age": "half", "sex": "sex"}
    assert found["in_sets"] >= 0.9
    assert found["policy"] == {"unique": None, "in_sets_of": [15, 0.9]}
    assert out.read_text().splitlines() == ["question,coding", "age,half", "sex,sex"]
    assert "What each step of the plan buys" in picture.read_text()
    shown = singleout(*words)
    assert "in sets of 15+" in shown.stdout
    heavy = singleout(*words, "--weight", "age=9", "--json")
    assert json.loads(heavy.stdout)["plan"]["codings"] == {"age": "year", "sex": "drop"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Say what must hold: --unique 0.05"),
        (["--unique", "0.1", "--share", "0.9"], "--share goes with --in-sets-of"),
        (["--unique", "5"], "unique must be a share from 0 to 1, not 5.0"),
        (["--unique", "0.1", "--weight", "age=x"], "--weight age=x is not a number"),
        (["--unique", "0.1", "--weight", "ag=1"], "weights has 'ag'"),
        (["--unique", "0.1", "--prefer", "all"], "'all' is not a preference"),
        (["--in-sets-of", "9999"], "No questionnaire keeps the policy"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_a_sentence(words: list[str], sentence: str) -> None:
    assert sentence in refused(singleout("predict", "plan", *words))


@pytest.mark.parametrize(
    "words",
    [
        ("--exponential", "1e308", "--width", "1"),
        ("--exponential", "1e308", "--width", "1e308"),
        ("--normal", "1e308", "--width", "1e308"),
        ("--normal", "5e-324", "--width", "5e-324"),
        ("--normal", "1e-310", "--width", "1"),
        ("--exponential", "1e-320", "--width", "1e-320"),
        ("--normal", "1", "--width", "1e-320"),
        ("--normal", "1", "--width", "-0.0"),
        ("--cells", "1e308"),
        ("--cells", "-0.0"),
        ("--cells", "1e308", "--kl", "1"),
        ("--cells", "1e301", "--power-sums", "1e-200"),
        ("--shares", "1e308,1e308"),
        ("--shares", "nan,1"),
        ("--cells", "100", "--kl", "1e400"),
        ("--cells", "1e9", "--up-to", "99999999999999999999", "--people", "1000000000"),
        ("--cells", "100", "--people", "1e400"),
        ("--cells", "100", "--people", "99999999999999999999"),
        ("--cells", "100", "--people", "-0"),
    ],
)
def test_numbers_beyond_all_measure_are_refused_in_a_sentence(words: tuple[str, ...]) -> None:
    people = () if "--people" in words else ("--people", "10")
    for json_or_not in ((), ("--json",)):
        sentence = refused(singleout("predict", *words, *people, *json_or_not))
        assert "should not happen" not in sentence


@pytest.mark.parametrize("cells", ["1e30", "1e200", "1e300"])
@pytest.mark.parametrize("people", [10, 10_000])
def test_so_many_cells_that_nobody_meets_are_answered_without_the_chance_of_none(
    cells: str, people: int
) -> None:
    done = singleout("predict", "--cells", cells, "-k", people, "--json")
    found = json.loads(done.stdout)["singletons"]
    assert (done.returncode, done.stderr) == (0, "")
    assert found["mean"] == pytest.approx(people)
    assert found["probability_none"] is None
    shown = singleout("predict", "--cells", cells, "-k", people)
    assert "Everybody is unique with probability 100%." in shown.stdout


def test_where_memory_runs_out_the_advice_is_that_of_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("singleout.cli.screens.predict.cells", full)
    sentence = refused(singleout("predict", "--cells", 10, "-k", 5))
    assert "fewer people, fewer cells" in sentence
    assert "records" not in sentence
    monkeypatch.setattr("singleout.predict.questionnaire.questionnaire.Questionnaire.risk", full)
    assert "fewer questions" in refused(singleout("funnel"))
    monkeypatch.setattr("singleout.predict.questionnaire.questionnaire.Questionnaire.plan", full)
    assert "fewer questions" in refused(singleout("predict", "plan", "--unique", 0.05))


def test_memory_that_a_prediction_would_need_is_told_with_advice_that_fits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("singleout.core.memory.available_memory", lambda: 1000)
    found = predict.singletons([0.5, 0.5], people=5000)
    with pytest.raises(UnusableTable, match="give fewer people"):
        found.pmf()
