"""Every public result in a line, in a notebook, and as a frame of the library that came in."""

from __future__ import annotations

import base64
import inspect
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import singleout as so
from singleout.core.results import Result

HOSTILE = "</td><script>alert(1)</script>\u202e"
KNOWN = ["age", "sex", HOSTILE]
_rng = np.random.default_rng(20)
VALUES = {
    "age": _rng.integers(20, 60, 60),
    "sex": _rng.choice(["m", "f"], 60),
    HOSTILE: _rng.choice([HOSTILE, "north", "south"], 60),
    "disease": _rng.choice(["flu", "cold"], 60),
    "weight": np.full(60, 10.0),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(VALUES),
    "pyarrow": lambda: pa.table(VALUES),
    "polars": lambda: pl.DataFrame(VALUES),
}
KINDS = {"pandas": pd.DataFrame, "pyarrow": pa.Table, "polars": pl.DataFrame}
STEPS = [{"recode": "age", "width": 10}]


def _spread(data: Any) -> so.predict.Distribution:
    return so.predict.Distribution.from_table(data, "age")


def _batch(data: Any) -> Any:
    return so.publishable(data, {"age": ["width=10", "width=20"]}, tier="none")


# what is measured of data, or of a distribution of data
OF_DATA: dict[str, Callable[[Any], Any]] = {
    "AnonymitySets": lambda d: so.anonymity_sets(d, KNOWN, by="sex"),
    "Assessment": lambda d: so.assess(d, advice=False),
    "AttackerRisk": lambda d: so.attacker_risk(d, KNOWN),
    "AttributeRisk": lambda d: so.attribute_risk(d, KNOWN),
    "Comparison": lambda d: so.treat(d, STEPS).compare(),
    "Covered": lambda d: so.covered(d, so.treat(d, STEPS).to_frame(), ["age", "sex"], k=2),
    "DatasetRisk": lambda d: so.qar(d, KNOWN, size=2),
    "DiscriminationRate": lambda d: so.discrimination_rate(d, KNOWN, "disease"),
    "Diversity": lambda d: so.diversity(d, ["sex"], "disease"),
    "Elimination": lambda d: so.eliminate(d, 5, columns=KNOWN, size=2),
    "GuessedPlan": so.guessed_plan,
    "Hierarchies": lambda d: so.hierarchies(d, KNOWN),
    "IndividualRisk": lambda d: so.individual_risk(d, KNOWN, "weight"),
    "Losses": lambda d: (
        so.treat(d, STEPS, plan={"columns": {"age": {"role": "quasi-identifier"}}}).loss
    ),
    "OwnRisk": lambda d: so.person(d, {"age": int(VALUES["age"][0]), "sex": "m"}, people=500),
    "PopulationUniqueness": lambda d: so.population_uniqueness(
        d, KNOWN, population=2000, estimator="zayatz"
    ),
    "RecordContributions": lambda d: so.contributions(d, KNOWN, size=2),
    "SafeHarbor": so.hipaa,
    "Suda": lambda d: so.suda(d, KNOWN),
    "Suggestion": lambda d: so.suggest(d, quasi_identifiers=["sex", "age"], k=2),
    "Suppressed": lambda d: so.suppress_cells(d, ["age", "sex"], k=2),
    "Treated": lambda d: so.treat(d, STEPS),
    "Utility": lambda d: so.utility(d, so.treat(d, STEPS).to_frame(), columns=["age", "sex"]),
    "predict.Distribution": _spread,
    "predict.Granularity": lambda d: so.predict.granularity(d, {"age": [1, 10]}, 50),
    "predict.GroupSizes": lambda d: so.predict.group_sizes(_spread(d), 50),
    "predict.NormalCheck": lambda d: so.predict.qq(d, "age"),
    "predict.PeopleFor": lambda d: so.predict.people_for(_spread(d), unique=0.5),
    "predict.PersonRisk": lambda d: so.predict.for_person(_spread(d), 30, 50),
    "predict.Predictions": lambda d: so.predict.places(d, ["age"], "sex", 50),
    "predict.Singletons": lambda d: so.predict.singletons(_spread(d), 50),
    "predict.UniquenessProbability": lambda d: so.predict.uniqueness_probability(_spread(d), 5),
    "predict.Validation": lambda d: so.predict.validate(d, ["age"], within="sex"),
    "predict.WrongValues": lambda d: so.predict.wrong_values(d, ["age", "sex"], repeats=2),
    "repository.Record": lambda d: so.publishable(d, ["age"], tier="none"),
    "repository.RecordBatch": _batch,
    # not public themselves, but what a public result returns
    "exposure": lambda d: so.qar(d, KNOWN, size=2).exposure(5.0),
    "group": lambda d: so.anonymity_sets(d, KNOWN, by="sex").groups["m"],
    "of_record": lambda d: so.suda(d, KNOWN).of_record(1),
    "scenarios": lambda d: so.suda.scenarios(d, {"one": ["age"], "two": ["age", "sex"]}),
    "within an assessment": lambda d: so.assess(d, advice=False).anonymity,
    "of a table": lambda d: so.anonymity_sets(so.read(d).with_missing("drop"), KNOWN),
}


SHARES = {"a": {"fine": [0.5, 0.3, 0.2], "coarse": [0.5, 0.5]}, "b": {"b": [0.5, 0.5]}}


@cache
def _record() -> Any:
    census = {"age": list(range(100)), "people": [120 - abs(45 - age) for age in range(100)]}
    return so.publishable(census, ["age"], counts="people", key=bytes(32))


def _answer() -> Any:
    return so.repository.find(so.repository.RecordList([_record()]), ["age"])


# what no data comes in for: polars
OF_NUMBERS: dict[str, Callable[[], Any]] = {
    "predict.IntervalWidths": lambda: so.predict.interval_width([1, 2, 2, 5], [1, 2], 3),
    "predict.AttackerEntropy": lambda: so.predict.attacker_entropy([0.5, 0.25, 0.25]),
    "predict.CodingComparison": lambda: so.predict.Questionnaire.sample().compare("age"),
    "predict.CollectionPlan": lambda: so.predict.plan_collection(SHARES, 30, {"unique": 0.05}),
    "predict.Correlated": lambda: so.predict.correlated(10, joint=[[0.5, 0.1], [0.1, 0.3]]),
    "predict.Funnel": lambda: so.predict.funnel(1000, {HOSTILE: (HOSTILE, 0.5)}),
    "predict.QuestionnaireRisk": lambda: so.predict.Questionnaire.sample().risk(people=500),
    "repository.Composition": lambda: so.repository.compose(
        [_record(), so.repository.Record.legacy_tuple(["sex"], {}, 0.0002, cells=2)]
    ),
    "repository.RecordTable": lambda: so.repository.table(_record(), [5, 20]),
    "repository.RepositoryAnswer": _answer,
    "repository.RepositoryDecision": lambda: so.repository.decide(
        so.repository.RecordList([_record()]), ["age"], people=60, policy={"unique": 0.5}
    ),
    "repository.RepositoryPrediction": lambda: _answer().predict(people=60),
    "repository.SelfAssessment": lambda: so.repository.person(
        300, values={"age": 45}, record=_record()
    ),
}
EVERY = [*OF_DATA, *OF_NUMBERS]


@cache
def _made(name: str, kind: str = "pandas") -> Any:
    return OF_DATA[name](FRAMES[kind]()) if name in OF_DATA else OF_NUMBERS[name]()


def test_no_public_result_is_left_out() -> None:
    places = {"": so, "predict.": so.predict, "repository.": so.repository}
    public = {
        f"{prefix}{name}"
        for prefix, module in places.items()
        for name in module.__all__
        if inspect.isclass(kind := getattr(module, name)) and issubclass(kind, Result)
    }
    assert public - set(EVERY) == set()


@pytest.mark.parametrize("name", EVERY)
def test_a_result_is_one_short_line(name: str) -> None:
    shown = repr(_made(name))
    assert shown.startswith(f"{type(_made(name)).__name__}(")
    assert shown.isprintable()
    assert 12 < len(shown) < 250
    assert "array(" not in shown


@pytest.mark.parametrize("name", EVERY)
def test_a_notebook_shows_the_finding_a_table_and_the_picture(name: str) -> None:
    made = _made(name)
    page = made._repr_html_()
    assert "<script" not in page
    assert "\u202e" not in page
    text = re.sub(r'src="[^"]*"', "", page)
    assert "<table" in text
    assert re.search(r"<p>\S|<caption>\S", text)
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', page)
    assert len(pictures) == hasattr(made, "plot")
    for picture in pictures:
        drawing = ElementTree.fromstring(base64.b64decode(picture))
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(page) < 200_000


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("name", OF_DATA)
def test_a_frame_is_of_the_library_that_came_in(name: str, kind: str) -> None:
    frame = _made(name, kind).to_frame()
    assert type(frame) is KINDS[kind]
    same = _made(name, "polars").to_frame()
    columns = frame.column_names if kind == "pyarrow" else list(frame.columns)
    assert columns == same.columns
    assert len(frame) == len(same)


@pytest.mark.parametrize("name", OF_NUMBERS)
def test_what_no_frame_came_in_for_is_polars(name: str) -> None:
    assert type(_made(name).to_frame()) is pl.DataFrame


def test_a_file_gives_polars_and_imports_no_other_library(tmp_path: Any) -> None:
    path = tmp_path / "people.csv"
    pl.DataFrame({"age": [1, 1, 2]}).write_csv(path)
    code = (
        "import sys, polars, singleout as so\n"
        "frame = so.anonymity_sets(sys.argv[1], 'age').to_frame()\n"
        "assert type(frame) is polars.DataFrame\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_pandas_without_pyarrow_comes_back_too(monkeypatch: pytest.MonkeyPatch) -> None:
    found = so.anonymity_sets(pd.DataFrame({"age": [1, 1, 2]}), "age")

    def missing(_: Any) -> Any:
        raise ModuleNotFoundError("pyarrow")

    monkeypatch.setattr(pl.DataFrame, "to_pandas", missing)
    assert type(found.to_frame()) is pd.DataFrame
    assert found.to_frame()["records"].tolist() == [3]


def test_treated_data_comes_back_with_its_values() -> None:
    people = pd.DataFrame({"age": [21, 22, 35], "n": [1, 2, 3]}, index=[7, 7, 9])
    treated = so.treat(people, [{"recode": "age", "width": 10}]).to_frame()
    assert treated["n"].tolist() == [1, 2, 3]
    assert treated["age"].nunique() == 2


@pytest.mark.parametrize("module", [so, so.predict, so.repository])
def test_only_public_names_are_listed(module: Any) -> None:
    assert dir(module) == sorted(module.__all__)
