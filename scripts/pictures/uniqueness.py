"""The pictures of the pages on the chance that all are unique, and on how many are."""

from __future__ import annotations

from typing import Any

import altair as alt

from singleout.io.demo import demo
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.singletons import singletons
from singleout.predict.uniqueness.chart import uniqueness_by_method
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

_LINES = {"uniform": "as if all ages were equally likely", "exact": "exact"}
_POINTS = {"kl": "from the Kullback-Leibler distance"}


def predict_uniqueness() -> alt.LayerChart | alt.FacetChart:
    """Return the chance that all people of a group have different ages, by three methods."""
    ages = Distribution.from_table(demo(), ["AGEP"])
    return uniqueness_by_method(
        _rows(ages, _LINES, range(1, 46)),
        _rows(ages, _POINTS, range(3, 46, 3)),
        "That nobody shares an age soon becomes unlikely",
        "ages of the demo table, 93 of them; people drawn at random",
    )


def _rows(ages: Distribution, methods: dict[str, str], people: range) -> list[dict[str, Any]]:
    return [
        {
            "people": number,
            "probability": uniqueness_probability(ages, number, method).probability,
            "method": words,
        }
        for method, words in methods.items()
        for number in people
    ]


def predict_singletons() -> alt.LayerChart | alt.FacetChart:
    """Return how many of 60 people have an age of their own."""
    ages = Distribution.from_table(demo(), ["AGEP"])
    return singletons(ages, 60).plot()
