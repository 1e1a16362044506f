"""The funnel of answers to a questionnaire, whose options and tables say how common they are."""

from __future__ import annotations

from collections.abc import Sequence

from singleout.errors import BadChoice, nearest
from singleout.predict.funnel.answers import Answer, FunnelMode
from singleout.predict.funnel.funnel import Funnel, narrowed
from singleout.predict.funnel.together import bounds_together, within
from singleout.predict.questionnaire.answer_model import AnswerModel
from singleout.predict.questionnaire.questions import Question

__all__ = ["answered", "option_of"]


def option_of(question: Question, place: int, model: AnswerModel, option: str) -> tuple[int, int]:
    """Return an answer as the places of its question and its option, or say what is wrong.

    Parameters
    ----------
    question, place
        The question and its place.
    model
        How it is asked.
    option
        What was answered.
    """
    coding = model.codings[place]
    if coding is None:
        raise BadChoice(f"{question.name!r} is dropped, so there is no answer to it.")
    if option in coding.options:
        return place, coding.options.index(option)
    shown = ", ".join(coding.options[:12]) + (", …" if len(coding.options) > 12 else "")
    other = next((one.name for one in question.codings if option in one.options), None)
    hint = nearest(option, coding.options)
    if other is not None:
        advice = f" It is one of the coding {other!r}: ask {question.name!r} in that coding."
    else:
        advice = f" Did you mean {hint!r}?" if hint else ""
    raise BadChoice(f"{question.name!r} has no option {option!r}; it has: {shown}.{advice}")


def answered(
    model: AnswerModel,
    given: Sequence[tuple[int, int]],
    population: int,
    mode: FunnelMode,
    notes: tuple[str, ...],
) -> Funnel:
    """Return the funnel of some answers.

    Parameters
    ----------
    model
        How people answer.
    given
        The answers in order: the place of the question and of the option.
    population
        How many people could answer.
    mode
        What counts as known about answers together.
    notes
        What to say besides.
    """
    answers = [_answer(model, place, option) for place, option in given]
    shares = [model.share(dict(given[: count + 1])) for count in range(len(given))]
    known = {} if mode is FunnelMode.INDEPENDENT else model.known(given)
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


def _answer(model: AnswerModel, place: int, option: int) -> Answer:
    coding = model.codings[place]
    assert coding is not None
    share, name = float(coding.shares[option]), model.questions[place]
    if share == 0:
        raise BadChoice(f"Nobody answers {coding.options[option]!r} to {name!r}: its share is 0.")
    return Answer(name, coding.options[option], share)
