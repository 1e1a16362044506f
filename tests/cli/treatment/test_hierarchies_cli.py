"""`singleout hierarchies`: what it proposes, and files that are read again."""

import json
from pathlib import Path

import singleout as so
from run_command import refused, singleout
from singleout.treatment.hierarchies.read import read_hierarchy


def test_each_column_has_a_sentence_with_an_example(survey: Path) -> None:
    done = singleout("hierarchies", survey, "--columns", "age,sex")
    found = so.hierarchies(survey, ["age", "sex"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("survey.csv: 2 columns\n")
    for sentence in found.sentences:
        assert sentence in done.stdout
    assert "Add -o FOLDER" in done.stdout


def test_the_files_are_hierarchies_that_can_be_read_again(survey: Path) -> None:
    folder = survey.parent / "levels"
    done = singleout("hierarchies", survey, "--columns", "age,region", "-o", folder)
    assert done.returncode == 0, done.stderr
    found = so.hierarchies(survey, ["age", "region"])
    for name in ("age", "region"):
        assert f"Written: {folder / name}.csv" in done.stdout
        again = read_hierarchy(folder / f"{name}.csv", name)
        assert again.labels[1:] == found[name].labels[1:]


def test_files_that_exist_are_kept(survey: Path) -> None:
    folder = survey.parent / "levels"
    folder.mkdir()
    (folder / "sex.csv").write_text("precious")
    said = refused(singleout("hierarchies", survey, "-o", folder))
    assert said.endswith("sex.csv' exists already; choose another name, or add --force.")
    assert [file.name for file in folder.iterdir()] == ["sex.csv"]
    assert (folder / "sex.csv").read_text() == "precious"
    assert singleout("hierarchies", survey, "-o", folder, "--force").returncode == 0
    assert (folder / "sex.csv").read_text() == "f;*\nm;*\n"


def test_the_data_is_not_written_over_by_a_column_of_its_name(survey: Path) -> None:
    data = survey.parent / "sex.csv"
    survey.rename(data)
    before = data.read_bytes()
    said = refused(singleout("hierarchies", data, "-o", survey.parent, "--force"))
    assert "is the data itself" in said
    assert data.read_bytes() == before


def test_the_folder_is_taken_by_suggest_for_the_columns_that_it_treats(survey: Path) -> None:
    folder = survey.parent / "levels"
    words = singleout("hierarchies", survey, "-o", folder).stdout
    assert words.endswith(f"singleout suggest DATA --hierarchy {folder}\n")
    (folder / "sex.csv").unlink()
    asked = ["--k", 4, "--hierarchy", folder]
    known = ["--qi", "age,sex", "--method", "full-domain", "--json"]
    answer = json.loads(singleout("suggest", survey, *asked, *known).stdout)
    recoded = {step.get("recode"): step for step in answer["steps"]}
    assert recoded["age"]["hierarchy"] == str(folder / "age.csv")
    said = refused(singleout("suggest", survey, *asked, "--qi", "sex"))
    assert "has no hierarchy of these columns; their files are named as 'sex.csv'." in said
    assert "add --qi or --plan" in refused(singleout("suggest", survey, *asked))


def test_json_has_the_rows(survey: Path) -> None:
    words = ["--columns", "region", "--nominal", "region", "--json"]
    answer = json.loads(singleout("hierarchies", survey, *words).stdout)
    rows = answer["hierarchies"]["region"]["rows"]
    assert {row[0] for row in rows} == {"north", "south", "east"}
    assert {row[-1] for row in rows} == {"*"}
