"""The picture of the page on interval width and correlation."""

from __future__ import annotations

import altair as alt
from scipy import stats

from singleout.predict.intervals.intervals import interval_width


def predict_intervals() -> alt.LayerChart | alt.FacetChart:
    """Return the share of unique people against the width: weight, 100 people."""
    weight = stats.norm(57.6, 5.289)
    return interval_width(weight, [0.1, 0.5, 1, 2, 5], people=100).plot()
