"""The page "The papers, figure by figure": nothing is left out, and every line of it runs."""

from __future__ import annotations

import re
import shlex
from importlib.resources import files
from pathlib import Path
from shutil import copy

import numpy as np
import polars as pl
import pytest

from figures import Source, sources
from run_command import singleout

ROOT = Path(__file__).resolve().parents[1]
PAPERS = ROOT.parent / "shared" / "papers"
NUMBERED = re.compile(
    r"(?:Figure|Fig\.|Table) (?:[A-Z]\.)?[0-9]+(?:\.[0-9]+)?(?=\.\*\*|:| Lattice| Sub-lattice)"
)
# as they are printed, so that the test needs no paper
PRINTED = {
    "bera": [f"Fig. {number}" for number in range(1, 11)],
    "elliot": ["Table 2.1", "Figure 2.1", "Figure 2.2", "Figure 1.3", "Table 2.2", "Table A.3"],
    "koot": [
        *(
            f"Figure {number}"
            for number in ["1.1", "1.2", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2", "4.3", "4.4"]
        ),
        *(
            f"Figure {number}"
            for number in ["5.1", "5.2", "6.1", "6.2", "6.3", "6.4", "6.5", "7.1"]
        ),
        *(f"Figure B.{number}" for number in range(1, 5)),
        *(
            f"Table {number}"
            for number in ["3.1", "3.2", "3.3", "3.4", "3.5", "A.1", "B.1", "B.2", "B.3"]
        ),
    ],
    "sondeck": [*(f"Table {number}" for number in range(1, 14)), "Figure 1", "Figure 2"],
}
COMMANDS = sorted({item.made_by for source in sources() for item in source.items if item.command})


def test_every_numbered_table_and_figure_is_on_the_page() -> None:
    listed = {s.file.split("-")[0]: {item.number for item in s.items} for s in sources()}
    assert listed == {name: set(numbers) for name, numbers in PRINTED.items()}


@pytest.mark.parametrize("source", sources(), ids=lambda source: source.file.split("-")[0])
def test_the_numbers_are_those_of_the_papers(source: Source) -> None:
    paper = PAPERS / source.file
    if not paper.exists():
        pytest.skip("the papers are not part of the package")
    found = set(NUMBERED.findall(paper.read_text(encoding="utf-8")))
    assert found == {item.number for item in source.items}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files that the page names."""
    folder = tmp_path_factory.mktemp("papers")
    demo = files("singleout.demo_data").joinpath("ma2019.csv").read_text(encoding="utf-8")
    # the first records are enough to draw everything
    (folder / "demo.csv").write_text("".join(demo.splitlines(keepends=True)[:1001]))
    _write_register(folder)
    versions = {"original": 1, "k-anonymous": 2, "hipaa": 3}
    for name, number in versions.items():
        copy(ROOT / "tests" / "assessment" / f"paper_table{number}.csv", folder / f"{name}.csv")
    (folder / "plan.yaml").write_text(_PLAN)
    return folder


_PLAN = """
columns:
  Age: {role: quasi-identifier, exposure: EE}
  Gender: {role: quasi-identifier, exposure: EE}
  Country: {role: quasi-identifier, exposure: EE}
  Admission Date: {role: quasi-identifier, exposure: IE}
  Blood Type: {role: quasi-identifier, exposure: IE}
  Disease: {role: sensitive, moral: 4, values: {Colds: 1, Flu: 1, Diabetes: 3}}
"""


def _write_register(folder: Path) -> None:
    """Write a made-up register of people, and how many of each age live in each place."""
    rng = np.random.default_rng(2012)
    places = np.array(["Aalten", "Bedum", "Cuijk", "Delft"])
    place = rng.choice(4, 1500, p=[0.1, 0.2, 0.3, 0.4])
    age = np.minimum(rng.gamma(4, 10, 1500).astype(int), 94)
    postcode = 1100 + 100 * place + rng.integers(0, 5, 1500)
    letters = rng.choice(list("ABCDE"), 1500)
    people = pl.DataFrame(
        {
            "municipality": places[place],
            "PC4": postcode,
            "PC6": [f"{code}{letter}" for code, letter in zip(postcode, letters, strict=True)],
            "gender": rng.choice(["F", "M"], 1500),
            "YoB": 2010 - age,
            "MoB": rng.integers(1, 13, 1500),
            "DoB": rng.integers(1, 29, 1500),
            "age": age,
        }
    )
    people.write_csv(folder / "register.csv")
    counted = people.group_by("municipality", "age").len("number").sort("municipality", "age")
    counted.write_csv(folder / "ages.csv")
    body = rng.multivariate_normal([172.7, 57.6], [[23.33, 12.84], [12.84, 27.97]], 500).round(1)
    pl.DataFrame(body, schema=["height", "weight"]).write_csv(folder / "body.csv")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_runs(command: str, folder: Path) -> None:
    words = shlex.split(command)
    assert words[0] == "singleout"
    done = singleout(*words[1:], "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for option in ("--plot", "--output", "--csv"):
        if option in words:
            assert (folder / words[words.index(option) + 1]).stat().st_size > 500
