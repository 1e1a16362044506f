"""The picture of wrong values: unique people by right values, and unique records with errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.checking.wrong_values import WrongValues

__all__ = ["unique_with_errors"]


@drawn_offline
def unique_with_errors(found: WrongValues) -> alt.Chart:
    """Return three bars: unique people, unique records with errors, and those that are right."""
    numbers = {
        "unique": float(found.unique),
        "apparent": float(found.apparent.mean()),
        "right": float(found.right.mean()),
    }
    names = [say(f"predict.wrong_values.{kind}") for kind in numbers]
    rows = [
        {"kind": name, "records": value}
        for name, value in zip(names, numbers.values(), strict=True)
    ]
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, height=24)
        .encode(
            alt.Y(
                "kind:N",
                sort=names,
                title=None,
                axis=alt.Axis(labelLimit=260),
            ),
            alt.X("records:Q", title=say("predict.wrong_values.axis")),
            tooltip=[charts.tip("records:Q", "predict.wrong_values.axis", ",.1f")],
        )
        .properties(
            width=charts.WIDTH,
            height=120,
            title=charts.title(
                say("predict.wrong_values.title"),
                say("predict.wrong_values.below", share=found.share),
            ),
        )
    )
    return chart
