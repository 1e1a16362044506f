"""Population uniqueness with its intervals: 200 samples drawn from each fitted model."""

from __future__ import annotations

from functools import partial
from typing import Any

import singleout as so
from bench import data
from bench.case import Contender, Prepared, case

FRACTION, QUICK_ROWS = 0.1, 5_000
_OF_SIZES = ("zayatz", "pitman", "snb", "dankar", "predicted")


@case("population/adult", "UCI Adult as a sample of a tenth, 9 known columns.")
def adult(quick: bool) -> Prepared:
    coded = data.adult()
    names, rows = coded.names, QUICK_ROWS if quick else coded.shape[0]
    table = so.read({name: c[:rows] for name, c in zip(names, coded.columns, strict=True)})
    contenders = [
        Contender("singleout, five by class sizes", partial(_found, table, names, _OF_SIZES), True),
        Contender("singleout, all", partial(_found, table, names, "all"), True),
        *(
            Contender(f"singleout, {name}", partial(_found, table, names, name), True)
            for name in (*_OF_SIZES, "loglinear")
        ),
    ]
    return Prepared((rows, len(names)), contenders, _canonical, _difference)


def _found(table: so.Table, names: list[str], estimator: Any) -> so.PopulationUniqueness:
    population = so.Population(sampling_fraction=FRACTION)
    return so.population_uniqueness(table, names, population, estimator)


def _canonical(answer: so.PopulationUniqueness) -> dict[str, float | None]:
    return {name: one.share for name, one in answer.estimates.items()}


def _difference(shares: dict[str, float | None], ours: dict[str, float | None]) -> str:
    """Return the estimators that say something else; log-linear models are partly drawn."""
    common = [name for name in shares if name in ours and name != "loglinear"]
    other = [name for name in common if shares[name] != ours[name]]
    return f"other shares: {', '.join(other)}" if other else ""
