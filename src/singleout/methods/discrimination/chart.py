"""The discrimination rates of the worst values, with the bounds of the levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from singleout.core.text import printable
from singleout.report.offline import drawn_offline

__all__ = ["value_bars"]

_WIDTH = 520


@drawn_offline
def value_bars(
    values: Sequence[Mapping[str, Any]],
    *,
    name: str,
    sensitive: str,
    rate: float,
    left_out: int,
    bounds: Sequence[float],
    levels: Sequence[str],
) -> alt.LayerChart | alt.FacetChart:
    """Return one bar for each value: its rate, with lines where the levels begin.

    Parameters
    ----------
    values
        What to draw: ``value``, ``rate`` and ``records``, worst first.
    name, sensitive
        What is known, and what it tells.
    rate
        The rate of all values together.
    left_out
        How many values are not drawn.
    bounds, levels
        Where the levels above the first begin, and what all levels are called.
    """
    data = [{**value, "value": printable(value["value"])} for value in values]
    order = [row["value"] for row in data]
    more = f"; {left_out:,} more values are not drawn" if left_out else ""
    heading = alt.TitleParams(
        printable(f"How far the values of {name} tell {sensitive}"),
        subtitle=f"together the rate is {rate:.3f}; bars begin at 0, dashed lines are where "
        f"levels begin{more}",
        anchor="start",
    )
    across = alt.X("rate:Q", title="discrimination rate", scale=alt.Scale(domainMax=1))
    bars = (
        alt.Chart(alt.InlineData(values=data))
        .mark_bar(color="#c8d6e5", stroke="black", strokeWidth=0.5)
        .encode(
            across,
            alt.Y("value:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
            tooltip=[
                alt.Tooltip("value:N", title="value"),
                alt.Tooltip("rate:Q", format=".4f"),
                alt.Tooltip("records:Q", format=","),
            ],
        )
    )
    edges = [
        {"rate": bound, "level": level} for bound, level in zip(bounds, levels[1:], strict=True)
    ]
    lines = alt.Chart(alt.InlineData(values=edges))
    rules = lines.mark_rule(color="black", strokeDash=[4, 3]).encode(x="rate:Q")
    texts = lines.mark_text(align="left", dx=3, dy=-6, baseline="bottom", fontSize=10).encode(
        x="rate:Q", y=alt.value(0), text="level:N"
    )
    return alt.layer(bars, rules, texts).properties(width=_WIDTH, title=heading)
