"""Pictures of a validation: population uniques by kind, and DIS-SUDA against what is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt

from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.suda.validation import Validation

__all__ = ["pictures"]

_HEIGHT = 260
_ROW = 22


@drawn_offline
def pictures(found: Validation) -> alt.VConcatChart:
    """Return population uniques by kind, and the calibration of DIS-SUDA where there is one."""
    panels: list[alt.Chart | alt.LayerChart | alt.FacetChart] = [_kinds(found)]
    if len(found.calibration):
        panels.append(_calibration(found))
    chart: alt.VConcatChart = alt.vconcat(*panels, spacing=30)
    return chart


def _kinds(found: Validation) -> alt.Chart:
    rows = [
        {"kind": row["kind"], "share": row["population_unique"], "records": row["records"]}
        for row in found.by_kind.to_dicts()
    ]
    chart: alt.Chart = (
        alt.Chart(charts.data(rows))
        .mark_bar(color=charts.FILL, stroke=charts.LINE, strokeWidth=0.5)
        .encode(
            alt.X(
                "share:Q",
                title=say("suda.validation.chart.share"),
                axis=alt.Axis(format="%"),
                scale=alt.Scale(domain=[0, 1]),
            ),
            alt.Y("kind:N", sort=[row["kind"] for row in rows], title=None),
            tooltip=[
                charts.tip("kind:N", "suda.kind"),
                charts.tip("share:Q", "chart.share", ".1%"),
                charts.tip("records:Q", "chart.records", ","),
            ],
        )
        .properties(
            width=charts.WIDTH,
            height=_ROW * len(rows),
            title=charts.title(
                say("suda.validation.chart.kinds"),
                say("suda.validation.chart.below", n=found.records, samples=found.samples),
            ),
        )
    )
    return chart


def _calibration(found: Validation) -> alt.LayerChart | alt.FacetChart:
    rows = [
        {
            "predicted": row["predicted"],
            "right": row["right"],
            "low": max(0.0, row["right"] - 2 * row["sd"]),
            "high": min(1.0, row["right"] + 2 * row["sd"]),
            "records": row["records"],
        }
        for row in found.calibration.to_dicts()
    ]
    across = alt.X(
        "predicted:Q", title=say("suda.validation.chart.predicted"), scale=alt.Scale(domain=[0, 1])
    )
    up = alt.Y("right:Q", title=say("suda.validation.chart.right"), scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(charts.data(rows))
    line = (
        alt.Chart(charts.data([{"predicted": 0.0, "right": 0.0}, {"predicted": 1.0, "right": 1.0}]))
        .mark_line(strokeDash=[4, 4], color=charts.LINE)
        .encode(across, up)
    )
    bars = base.mark_rule(color=charts.LINE).encode(across, alt.Y("low:Q"), alt.Y2("high:Q"))
    dots = base.mark_circle(size=60, color=charts.LINE, opacity=1).encode(
        across,
        up,
        tooltip=[
            charts.tip("predicted:Q", "suda.validation.chart.predicted", ".3f"),
            charts.tip("right:Q", "suda.validation.chart.right", ".3f"),
            charts.tip("records:Q", "chart.records", ","),
        ],
    )
    return alt.layer(line, bars, dots).properties(
        width=charts.WIDTH,
        height=_HEIGHT,
        title=charts.title(
            say("suda.validation.chart.calibration"), say("suda.validation.chart.diagonal")
        ),
    )
