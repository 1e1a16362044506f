"""Several answers to a question, a rest that is not known, and the most common path."""

from __future__ import annotations

import json
from itertools import product

import pytest
import yaml

from run_command import refused, singleout
from singleout.errors import SingleoutError
from singleout.predict import Questionnaire

BACKGROUND = {"name": "background", "several": True, "shares": {"Dutch": 0.79, "Turkish": 0.02}}


def asked(*questions, population=1000):
    return Questionnaire.from_dict({"population": population, "questions": list(questions)})


def test_several_answers_are_all_sets_of_them():
    """Appendix B, screen 2: zero or more cultural backgrounds."""
    made = asked({**BACKGROUND, "shares": {"a": 0.5, "b": 0.25, "c": 0.1}})
    coding = made["background"].coding()
    naive = {}
    for ticked in product([False, True], repeat=3):
        share = 1.0
        for given, each in zip(ticked, (0.5, 0.25, 0.1), strict=True):
            share *= each if given else 1 - each
        names = [name for given, name in zip(ticked, "abc", strict=True) if given]
        naive["+".join(names) or "none"] = share
    found = dict(zip(coding.options, coding.shares.tolist(), strict=True))
    assert found == pytest.approx(naive)
    assert sum(found.values()) == pytest.approx(1)


def test_the_order_of_ticks_does_not_matter():
    made = asked(BACKGROUND)
    for answer in ("Dutch+Turkish", "Turkish + Dutch"):
        assert made.funnel({"background": answer}).size == pytest.approx(1000 * 0.79 * 0.02)
    assert made.funnel({"background": "none"}).size == pytest.approx(1000 * 0.21 * 0.98)
    assert "independently" in made.notes[0]
    with pytest.raises(SingleoutError, match="no option 'Greek'"):
        made.funnel({"background": "Greek"})


def test_one_known_share_and_a_rest():
    """Appendix B: middle vocational 30 %, and six other levels whose shares are not stated."""
    education = {"name": "education", "shares": {"middle vocational": "30 %"}, "rest": 6}
    made = asked(education, population=16_000_000)
    assert made.funnel({"education": "middle vocational"}).size == pytest.approx(4_800_000)
    assert made.funnel({"education": "other 3"}).size == pytest.approx(16e6 * 0.7 / 6)
    assert made.notes == (
        "Of 'education' the shares of some answers are not known: 70.0% of the people count as 6 "
        "other answers, equally common.",
    )
    one = asked({**education, "rest": 1})
    assert one["education"].coding().options == ("middle vocational", "other")
    assert "least that the question can give away" in one.notes[0]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ({"name": "q", "shares": {"a": 1.0}, "rest": 2}, "leave nothing"),
        ({"name": "q", "shares": {"other": 0.5}, "rest": 1}, "already"),
        ({"name": "q", "counts": {"a": 5}, "rest": 1}, "goes with shares"),
        ({"name": "q", "counts": {"a": 5}, "several": True}, "need shares"),
        ({"name": "q", "shares": {"a": 1.5}, "several": True}, "above 1"),
        ({"name": "q", "shares": {"a+b": 0.5}, "several": True}, "cannot be ticked"),
        ({"name": "q", "shares": {str(n): 0.5 for n in range(17)}, "several": True}, "at most 16"),
    ],
)
def test_what_cannot_be_asked_so_is_refused(question, says):
    with pytest.raises(SingleoutError, match=says):
        asked(question)


def test_the_most_common_path_of_appendix_b(tmp_path):
    """E32: 4.80M, 3.792M, … from the shares of the largest group of each question."""
    known = {"education": 0.30, "background": 0.79, "work": 0.33, "income": 0.37, "size": 0.44}
    questions = [
        {"name": name, "shares": {"largest": share}, "rest": 4} for name, share in known.items()
    ]
    path = tmp_path / "concert.yaml"
    path.write_text(yaml.safe_dump({"population": 16_000_000, "questions": questions}))
    found = json.loads(singleout("funnel", path, "--path", "commonest", "--json").stdout)
    steps = [step["size"] for step in found["commonest"]["steps"]]
    assert steps == pytest.approx([4_800_000, 3_792_000, 1_251_360, 463_003.2, 203_721.4], abs=0.1)
    shown = singleout("funnel", path, "--path", "commonest").stdout
    assert "The most common answers: the best case" in shown
    assert "'middle' is not a path" in refused(singleout("funnel", path, "--path", "middle"))
    assert refused(singleout("funnel", path, "--path", "commonest", "--answers", "work=largest"))
