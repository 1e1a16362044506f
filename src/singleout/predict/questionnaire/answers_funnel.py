"""The funnel of answers to a questionnaire, with shares from its options and joint tables."""

from __future__ import annotations

from collections.abc import Sequence

from singleout.errors import BadChoice, did_you_mean
from singleout.predict.funnel.answers import Answer, FunnelMode
from singleout.predict.funnel.funnel import Funnel, narrowed
from singleout.predict.funnel.together import bounds_together, within
from singleout.predict.questionnaire.answer_model import AnswerModel
from singleout.predict.questionnaire.questions import Question

__all__ = ["answered", "option_of"]


def option_of(question: Question, index: int, model: AnswerModel, option: str) -> tuple[int, int]:
    """Return the index of a question and that of an option in the coding that is asked."""
    coding = model.codings[index]
    if coding is None:
        raise BadChoice(f"{question.name!r} is dropped, so there is no answer to it.")
    if option in coding.options:
        return index, coding.options.index(option)
    shown = ", ".join(coding.options[:12]) + (", …" if len(coding.options) > 12 else "")
    other = next((one.name for one in question.codings if option in one.options), None)
    advice = f" It is one of the coding {other!r}: ask {question.name!r} in that coding."
    if other is None:
        advice = did_you_mean(option, coding.options)
    raise BadChoice(f"{question.name!r} has no option {option!r}; it has: {shown}.{advice}")


def answered(
    model: AnswerModel,
    indices: Sequence[tuple[int, int]],
    population: int,
    mode: FunnelMode,
    notes: tuple[str, ...],
) -> Funnel:
    """Return the funnel of some answers: indices of questions and their options, in order."""
    answers = [_answer(model, question, option) for question, option in indices]
    shares = [model.share(dict(indices[: count + 1])) for count in range(len(indices))]
    known = {} if mode is FunnelMode.INDEPENDENT else model.known(indices)
    bounds = bounds_together([answer.share for answer in answers], known)
    return narrowed(
        population,
        answers,
        None if mode is FunnelMode.BOUNDS else within(shares, bounds),
        bounds,
        mode=mode,
        notes=notes,
        warnings=model.warnings,
    )


def _answer(model: AnswerModel, question: int, option: int) -> Answer:
    coding = model.codings[question]
    assert coding is not None
    share, name = float(coding.shares[option]), model.questions[question]
    if share == 0:
        raise BadChoice(f"Nobody answers {coding.options[option]!r} to {name!r}: its share is 0.")
    return Answer(name, coding.options[option], share)
