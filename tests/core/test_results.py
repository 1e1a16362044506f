from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl
import pytest

import singleout as so
from singleout.core.results import Result as Base
from singleout.core.results import check_finite
from singleout.errors import UndefinedMeasure


@dataclass(frozen=True)
class Result(Base):
    value: float | None

    def to_dict(self) -> dict[str, object]:
        return {"name": "nan", "parts": [{"value": self.value}]}

    def to_frame(self) -> pl.DataFrame:
        return pl.DataFrame({"value": [1.0, self.value]})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_is_not_finite_leaves_no_result(value: float) -> None:
    for way_out in (Result(value).to_dict, Result(value).to_frame):
        with pytest.raises(UndefinedMeasure, match="'value' came out as"):
            way_out()


@pytest.mark.parametrize("value", [0.0, -0.0, 1e308, 5e-324, None])
def test_finite_numbers_and_none_leave_as_they_are(value: float | None) -> None:
    assert Result(value).to_dict()["parts"] == [{"value": value}]
    assert Result(value).to_frame()["value"].to_list() == [1.0, value]


def test_text_that_looks_like_a_number_is_text() -> None:
    check_finite({"column": "nan", "values": ["inf", None, 3, True]})


def test_every_result_of_the_package_is_checked() -> None:
    unchecked = []
    for part in ("predict", "methods", "treatment", "assessment"):
        package = importlib.import_module(f"singleout.{part}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for _, kind in inspect.getmembers(
                importlib.import_module(module.name), inspect.isclass
            ):
                if kind.__module__ != module.name:
                    continue
                for name in ("to_dict", "to_frame"):
                    method = kind.__dict__.get(name)
                    if method is not None and not hasattr(method, "__wrapped__"):
                        unchecked.append(f"{kind.__name__}.{name}")
    # what a user wrote is checked where it is read, and data that is published is no result
    assert sorted(unchecked) == [
        "Plan.to_dict",
        "Steps.to_dict",
        "Treated.to_frame",
        "TreatedElsewhere.to_frame",
    ]


def test_a_result_shows_itself_as_a_table_and_as_json() -> None:
    assert "<table" in Result(2.0)._repr_html_()
    assert json.loads(Result(2.0).to_json()) == Result(2.0).to_dict()
    with pytest.raises(UndefinedMeasure, match="came out as inf"):
        Result(float("inf")).to_json()


def results() -> Iterator[type[Base]]:
    """Yield the results of the package."""
    waiting = [Base]
    while waiting:
        for kind in waiting.pop().__subclasses__():
            waiting.append(kind)
            if kind.__module__.startswith("singleout."):
                yield kind


def test_every_result_is_looked_at_in_the_same_ways() -> None:
    for part in ("predict", "methods", "treatment", "assessment", "repository"):
        package = importlib.import_module(f"singleout.{part}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    found = sorted(results(), key=lambda kind: kind.__name__)
    assert len(found) > 15
    # what only other results are made of is no result itself
    bases = {kind for kind in found if kind.to_dict is Base.to_dict and kind.__subclasses__()}
    assert not {kind.__name__ for kind in bases} & set(so.__all__)
    found = [kind for kind in found if kind not in bases]
    for name in ("to_dict", "to_frame"):
        lacking = [kind for kind in found if getattr(kind, name) is getattr(Base, name)]
        assert [kind.__name__ for kind in lacking] == [], name
    assert [kind.__name__ for kind in found if kind.to_json is not Base.to_json] == []
    # guesses, hierarchies, distributions, records and lists are no measures to draw
    undrawn = {kind.__name__ for kind in found if not hasattr(kind, "plot")}
    assert undrawn <= {
        "Composition",
        "DemandList",
        "Distribution",
        "ExactUniques",
        "GuessedPlan",
        "Hierarchies",
        "InventoryMatch",
        "Record",
        "RecordBatch",
        "RecordTable",
        "RecordUniques",
        "RepositoryAnswer",
        "RepositoryDecision",
        "SelfAssessment",
        "SudaPart",
    }
