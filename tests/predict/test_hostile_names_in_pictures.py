"""Pictures of questionnaires whose names would break a drawing or steer a terminal."""

import json

import altair as alt
import pytest

from singleout.predict.questionnaire.questionnaire import Questionnaire

NAME = "x\x1b[31m\u202e\x9b\u2028'\"\\y"


@pytest.mark.parametrize("kind", ["risk", "ways", "path", "plan"])
def test_every_picture_of_a_questionnaire_can_be_drawn(kind: str) -> None:
    asked = Questionnaire.from_dict(
        {
            "title": NAME,
            "population": 1000,
            "people": 100,
            "questions": [
                {
                    "name": NAME,
                    "codings": [
                        {"name": NAME, "shares": {f"{NAME}{n}": 0.25 for n in range(4)}},
                        {
                            "name": "halves",
                            "groups": {
                                NAME: [f"{NAME}0", f"{NAME}1"],
                                "b": [f"{NAME}2", f"{NAME}3"],
                            },
                        },
                    ],
                },
                {"name": "sex", "shares": {"f": 0.5, "m": 0.5}},
            ],
        }
    )
    chart: alt.TopLevelMixin = {
        "risk": lambda: asked.risk().plot(),
        "ways": lambda: asked.compare().plot(),
        "path": lambda: asked.path("rarest").plot(),
        "plan": lambda: asked.plan({"unique": 0.01}).plot(),
    }[kind]()
    import vl_convert

    drawn = vl_convert.vegalite_to_svg(json.loads(chart.to_json()))
    assert drawn.startswith("<svg")
    assert not any(char in drawn for char in "\x1b\u202e\x9b\u2028")
