"""The picture of an attacker's uncertainty: the bits that are missing, by share of the people."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import numpy as np

from singleout.report import charts
from singleout.report.offline import drawn_offline
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.entropies.attacker import AttackerEntropy

__all__ = ["bits_by_share"]

_HEIGHT = 260


@drawn_offline
def bits_by_share(result: AttackerEntropy) -> alt.LayerChart | alt.FacetChart:
    """Return the bits missing at least for a share of the people, with Shannon's and the most."""
    times = result.distribution.multiplicity[::-1].astype(np.float64)
    upto = np.cumsum(times) / times.sum()
    bits = -np.log2(result.distribution.probabilities[::-1])
    rows = [{"share": 0.0, "bits": float(bits[0])}]
    rows += [
        {"share": float(share), "bits": float(each)} for share, each in zip(upto, bits, strict=True)
    ]
    across = alt.X(
        "share:Q",
        title=say("predict.entropy.chart.share"),
        axis=alt.Axis(format="%"),
        scale=alt.Scale(domain=[0, 1]),
    )
    up = alt.Y("bits:Q", title=say("predict.entropy.chart.bits"))
    tips = [
        charts.tip("share:Q", "predict.entropy.chart.share", ".1%"),
        charts.tip("bits:Q", "predict.entropy.chart.bits", ".2f"),
    ]
    line = (
        alt.Chart(charts.data(rows))
        .mark_line(interpolate="step-before", color="black", strokeWidth=1.8)
        .encode(across, up, tooltip=tips)
    )
    lines = charts.data(
        [
            {"bits": result.entropy, "name": say("predict.entropy.chart.entropy")},
            {"bits": result.most, "name": say("predict.entropy.chart.most")},
        ]
    )
    rules = alt.Chart(lines).mark_rule(strokeDash=[5, 4], color=charts.LINE).encode(y="bits:Q")
    names = (
        alt.Chart(lines)
        .mark_text(align="left", dx=4, dy=-6, color=charts.LINE)
        .encode(alt.X(datum=0), alt.Y("bits:Q"), alt.Text("name:N"))
    )
    return alt.layer(rules, line, names).properties(
        width=charts.WIDTH,
        height=_HEIGHT,
        title=charts.title(
            say("predict.entropy.chart.title"), say("predict.entropy.chart.subtitle")
        ),
    )
