"""The pictures of the page on the funnel: Table B.3 of the thesis, and ways to ask."""

from __future__ import annotations

import altair as alt

from singleout.predict.funnel.funnel import funnel
from singleout.predict.questionnaire.questionnaire import Questionnaire


def predict_funnel() -> alt.LayerChart | alt.FacetChart:
    """Return Table B.3 of Koot (2012), corrected, with its bounds."""
    answers = {
        "education": ("vocational", 0.30),
        "background": ("non-immigrant", 0.79),
        "living situation": ("with children", 0.33),
        "work": ("corporate sector", 0.37),
        "income": ("more than € 56,000", 0.44),
        "PC4 + gender + YoB": ("1056 + F + 1981", 0.00002),
    }
    return funnel(16_000_000, answers).plot()


def predict_codings() -> alt.FacetChart:
    """Return what each way to ask the sample questionnaire costs."""
    return Questionnaire.sample().compare().plot()
