"""What answers reveal of oneself (D8, C15): computed here, from a file, with nothing sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice
from singleout.repository.documents.coding import Coding
from singleout.repository.documents.population import PopulationLike
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.values import scalar, text_of
from singleout.where.kinds import read_number

if TYPE_CHECKING:
    from singleout.repository.answering.person import SelfAssessment
    from singleout.repository.client.asking import Asking
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["assessed"]


def assessed(
    repository: Asking,
    values: Mapping[str, Any],
    population: PopulationLike,
    *,
    people: int,
    margins: Mapping[str, Any] | None = None,
    **how: Any,
) -> SelfAssessment:
    """Return what a person can know of herself, from a repository in a file."""
    from singleout.repository.answering.person import person

    if repository.is_remote:
        raise BadChoice(
            "Your own answers are looked at on a copy here, so that nothing is sent: make one "
            f"with singleout repository mirror {repository.location} copy.db."
        )
    mine = {CodedAttribute.of(name): value for name, value in values.items()}
    answer = repository.query(list(mine), population, people=people)
    coded = {one.attribute: _coded(one, value, answer.vocabulary) for one, value in mine.items()}
    known = {CodedAttribute.of(name).attribute: each for name, each in (margins or {}).items()}
    return person(
        people,
        values=coded,
        margins=known,
        record=answer if answer.found else None,
        **how,
    )


def _coded(one: CodedAttribute, value: Any, words: Vocabulary | None) -> str:
    """Return a value as it is asked: 34 in bands of five years is 30."""
    if words is not None and one.attribute in words:
        coding = words[one.attribute].coding(one.coding)
    else:
        coding = Coding(name=one.coding)
    given: Any = scalar(value)
    if coding.kind == "interval" and isinstance(given, str):
        given = read_number(given)
    group = None if given is None else coding.group_of(given)
    if group is None:
        raise BadChoice(f"{value!r} is no value of {one.attribute!r} that {one.coding} can code.")
    return text_of(group)
