"""`singleout person` as a user meets it."""

import json
from pathlib import Path

import pytest

from run_command import refused, singleout

CELLS = "PC4,gender,YoB,n\n1056,F,1981,5\n1056,M,1981,9\n1056,F,1950,3\n1011,F,1950,40\n"
MINE = "PC4=1056,gender=F,YoB=1981"


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    path = tmp_path / "cells.csv"
    path.write_text(CELLS)
    return path


def test_own_risk_stands_beside_the_average(cells: Path) -> None:
    done = singleout("person", "--data", cells, "--cell", MINE, "--count", "n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 other people of 57 have the same values as you" in done.stdout
    assert "let it be gender: then 14 people share the others" in done.stdout
    assert "Computed here: nothing was sent." in done.stdout
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "you 0% 20.0% 5" in lines
    assert "average person 0% 7.0% 30.09" in lines
    assert "gender F 48 8 14" in lines


def test_records_need_no_count(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("PC4,age\n1056,30\n1056,31\n1011,31\n")
    found = json.loads(
        singleout(
            "person", "--data", path, "--cell", "PC4=1056", "--cell", "age=31", "--json"
        ).stdout
    )
    assert (found["population"], found["members"], found["match"]) == (3, 1, 1)


def test_files_are_written_together(cells: Path, tmp_path: Path) -> None:
    page, rows, drawn = (tmp_path / name for name in ("me.html", "me.csv", "me.svg"))
    done = singleout(
        *("person", "--data", cells, "--cell", MINE, "--count", "n", "-k", 20),
        *("--output", page, "--csv", rows, "--plot", drawn),
    )
    assert done.returncode == 0
    assert "Among 20 people you are alone" in page.read_text()
    assert rows.read_text().splitlines()[1] == "PC4,1056,17,17,5,False"
    assert drawn.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ((), "--data"),
        (("--data", "cells.csv"), "--cell PC4=1056"),
        (("--data", "cells.csv", "--cell", "1056"), "PC4=1056"),
        (("--data", "cells.csv", "--cell", "pc=1056"), "pc"),
        (("--data", "cells.csv", "--cell", "PC4=9999"), "Nobody in the data has '9999' as 'PC4'"),
        (("--data", "cells.csv", "--cell", MINE, "--output", "x.pdf"), ".html"),
        (("--data", "cells.csv", "--cell", MINE, "--output", "cells.csv"), ".html"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    cells: Path, options: tuple[str, ...], says: str
) -> None:
    assert says in refused(singleout("person", *options, cwd=cells.parent))
