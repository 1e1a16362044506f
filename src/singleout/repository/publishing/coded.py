"""Codings of attributes, applied where the data is before anything is counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singleout.engines.recoding import Recoding
from singleout.errors import BadChoice
from singleout.repository.documents.coding import IDENTITY, Coding
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.values import text_of
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.where.kinds import read_number

__all__ = ["column_of", "groups_of", "recodings_of"]


def column_of(coded: CodedAttribute, columns: Mapping[str, str]) -> str:
    """Return the column to count: that of the attribute, or the one that is made of it."""
    column = columns.get(coded.attribute, coded.attribute)
    return column if coded.coding == IDENTITY else f"{column} ({coded.coding})"


def recodings_of(
    quasi_identifiers: Sequence[Sequence[CodedAttribute]],
    vocabulary: Vocabulary | None,
    columns: Mapping[str, str],
) -> dict[str, Recoding]:
    """Return how the columns that are not in the data are made, by their names."""
    wanted = {one for attributes in quasi_identifiers for one in attributes}
    return {
        column_of(coded, columns): _recoding(coded, vocabulary, columns)
        for coded in sorted(wanted, key=str)
        if coded.coding != IDENTITY
    }


def groups_of(coded: CodedAttribute, vocabulary: Vocabulary | None) -> dict[Any, tuple[str, ...]]:
    """Return the values of each group of a level."""
    groups = _groups(_steps(coded, vocabulary))
    if groups is None:
        raise BadChoice(
            f"{coded.coding} of {coded.attribute!r} is made of intervals, which has no statement; "
            "name the values of its groups in the vocabulary."
        )
    return groups


def _recoding(
    coded: CodedAttribute, vocabulary: Vocabulary | None, columns: Mapping[str, str]
) -> Recoding:
    column = columns.get(coded.attribute, coded.attribute)
    steps = _steps(coded, vocabulary)
    coding = steps[-1]
    only = coding if len(steps) == 1 else None
    intervals = only is not None and only.kind == "interval"
    return Recoding(
        column,
        coded.coding,
        _in_steps(steps),
        width=only.width if only is not None and intervals else None,
        offset=(only.offset or 0.0) if only is not None else 0.0,
        groups=_groups(steps),
    )


def _steps(coded: CodedAttribute, vocabulary: Vocabulary | None) -> list[Coding]:
    """Return the coding after those that it is made of, the finest first."""
    if vocabulary is not None and coded.attribute in vocabulary:
        attribute = vocabulary[coded.attribute]
        steps = [attribute.coding(coded.coding)]
        while steps[0].kind == "level" and steps[0].of != IDENTITY:
            steps.insert(0, attribute.coding(steps[0].of))
    elif coded.coding.startswith("level="):
        raise BadChoice(
            f"{coded.coding} of {coded.attribute!r} is known to a vocabulary only; give "
            "vocabulary=, or intervals such as width=5."
        )
    else:
        steps = [Coding(name=coded.coding)]
    for step in steps:
        if step.kind == "level" and step.mapping is None:
            raise BadChoice(
                f"The vocabulary does not say which values {step.name} of {coded.attribute!r} "
                "groups; add a mapping to it."
            )
    return steps


def _in_steps(steps: Sequence[Coding]) -> Callable[[Any], Any]:
    def group_of(value: Any) -> Any:
        group: Any = value
        if steps[0].kind == "interval" and isinstance(value, str):
            group = read_number(value)  # numbers of text files are text
        for step in steps:
            group = None if group is None else step.group_of(group)
        return group

    return group_of


def _groups(steps: Sequence[Coding]) -> dict[Any, tuple[str, ...]] | None:
    """Return the values of each group, if they are all named."""
    if any(step.kind != "level" for step in steps):
        return None
    first, *others = steps
    groups: dict[Any, list[str]] = {}
    for value, group in (first.mapping or {}).items():
        found: Any = group
        for step in others:
            found = None if found is None else (step.mapping or {}).get(text_of(found))
        if found is not None:
            groups.setdefault(found, []).append(value)
    return {group: tuple(values) for group, values in groups.items()}
