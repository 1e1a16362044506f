"""How predictions for several places and numbers of people are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singleout.cli.screens.predict import chance
from singleout.cli.shared.output import number, print_table, show_table, tell
from singleout.core.wording import in_figures, percent
from singleout.predict.comparing.measures import Measure
from singleout.predict.distribution.people import readable_cells
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.comparing.fits import DistanceFit
    from singleout.predict.comparing.measures import Prediction
    from singleout.predict.comparing.result import Predictions

__all__ = ["ShownPlaces"]

_ROWS_SHOWN = 60
_COLUMNS_SHOWN = 20
_FEW = 8  # places that stand across, however few the numbers of people are


@dataclass(frozen=True, eq=False)
class ShownPlaces:
    """Predictions side by side, and the measure that they are compared by."""

    found: Predictions
    measure: Measure
    against: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON holds."""
        return {"predictions": self.found.to_dict()}

    def rows(self) -> list[dict[str, Any]]:
        """Return the rows of a file."""
        rows: list[dict[str, Any]] = self.found.to_frame().to_dicts()
        return rows

    def chart(self) -> Any:
        """Return the picture of the measure."""
        return self.found.plot(self.measure, self.against)

    def show(self) -> None:
        """Print a table of the places, or of one measure for several numbers of people."""
        found = self.found
        hidden = self._one(found.people[0]) if len(found.people) == 1 else self._grid()
        if hidden > 0:
            tell(say("screen.places.hidden", n=hidden))
        fits = [_sentence(fit) for fit in found.fits(self.measure) if fit.r2 is not None]
        tell(f"{found}.", *fits, warnings=found.warnings, notes=found.notes)

    def _one(self, people: int) -> int:
        """Print everything for one number of people; return how many places are not shown."""
        rows = [*self.found.at(people)[:_ROWS_SHOWN], *self.found.uniform]
        cells = self.found.cells
        show_table(
            "screen.places.table",
            [_row(row) for row in rows],
            people=people,
            cells=say("screen.places.different_cells") if cells is None else readable_cells(cells),
        )
        return len(self.found.places) - _ROWS_SHOWN

    def _grid(self) -> int:
        """Print one measure, the longer list down; return how many places are not shown."""
        found = self.found
        columns = {place: found.of(place) for place in found.places}
        uniform = say("predict.places.uniform")
        if found.uniform:
            columns[uniform] = list(found.uniform)
        across = list(columns)
        people = [f"{k:,}" for k in found.people]
        cells = [[self._cell(row) for row in columns[place]] for place in across]
        title = say(f"predict.places.chart.{self.measure.replace('-', '_')}.curve")
        if found.cells is None and all(row.kl == 0 for row in found.rows):
            title = say("screen.places.by_cells", measure=title)
        if len(across) <= min(_COLUMNS_SHOWN + 1, max(len(people), _FEW)):
            rows = [[k, *row] for k, row in zip(people, zip(*cells, strict=True), strict=True)]
            heads = [say("predict.places.chart.people"), *across]
            print_table(title, heads, rows[:_ROWS_SHOWN], narrow=len(across) > _FEW)
            return 0
        shown = people[:_COLUMNS_SHOWN]
        heads = [say("predict.places.chart.place"), *shown]
        rows = [
            [place, *row[: len(shown)]]
            for place, row in zip(across, cells, strict=True)
            if place != uniform
        ]
        last = [[uniform, *cells[-1][: len(shown)]]] if found.uniform else []
        print_table(title, heads, [*rows[:_ROWS_SHOWN], *last])
        return len(rows) - _ROWS_SHOWN

    def _cell(self, row: Prediction) -> str:
        if self.measure is Measure.ALL_UNIQUE:
            return _all_unique(row)
        value = row.value(self.measure)
        if value is None:
            return "–"
        if self.measure in (Measure.UNIQUE, Measure.VARIANCE):
            return f"{value:,.2f}"
        return f"{value:.3f}" if self.measure is Measure.NONE_UNIQUE else percent(value)


def _row(row: Prediction) -> list[str]:
    return [
        row.place,
        number(row.population),
        "–" if row.kl is None else f"{row.kl:.4f}",
        _all_unique(row),
        f"{row.unique:,.2f}",
        f"{2 * row.sd:,.2f}",
        *map(percent, row.phi),
    ]


def _all_unique(row: Prediction) -> str:
    return chance(float("-inf") if row.log_all_unique is None else row.log_all_unique)


def _sentence(fit: DistanceFit) -> str:
    slope = fit.slope or 0.0
    text = say(
        "predict.places.fit",
        people=fit.people,
        measure=say(f"predict.places.chart.{fit.measure.replace('-', '_')}.axis"),
        intercept=in_figures(fit.intercept or 0.0),
        sign="−" if slope < 0 else "+",
        slope=in_figures(abs(slope)),
        places=fit.places,
        r2=fit.r2,
    )
    if fit.approximation_r2 is None or fit.approximation_error is None:
        return f"{text}."
    whole = say(
        "predict.places.fit_and_approximation",
        fit=text,
        r2=fit.approximation_r2,
        error=in_figures(fit.approximation_error, 2),
    )
    return f"{whole}."
