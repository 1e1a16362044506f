"""The codings a plan can choose from: of independent attributes, of a table, of a questionnaire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice, SingleoutError
from singleout.predict.distribution.distribution import Distribution, as_distribution
from singleout.predict.planning.coding_search import Levels
from singleout.predict.questionnaire.independent import combined, entropy_bits, no_questions
from singleout.predict.questionnaire.joint_tables import margin
from singleout.predict.questionnaire.questions import DROP
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.questionnaire.questionnaire import Questionnaire

__all__ = ["Asked", "Independent", "Joint", "named_codings"]

_CACHED = 512  # distributions


def named_codings(attribute: object, codings: Any) -> dict[str, Any]:
    """Return the codings of an attribute by name; those of a list are ``coding 1`` and so on."""
    if isinstance(codings, Mapping):
        named = {str(name): coding for name, coding in codings.items()}
    elif isinstance(codings, Sequence) and not isinstance(codings, str):
        named = {f"coding {number}": coding for number, coding in enumerate(codings, start=1)}
    else:
        named = {}
    if not named:
        raise BadChoice(
            f"The codings of {attribute!r} must be given by name or as a list, the most detailed "
            "first, as in {'year': [...], 'decade': [...]}."
        )
    if DROP in named:
        raise BadChoice(
            f"{attribute!r} has a coding named {DROP!r}, which is what leaving it out is called; "
            "choose another name."
        )
    return named


class Independent:
    """Independent attributes, with distributions, probabilities or shares by option as codings."""

    def __init__(self, attributes: Mapping[str, Mapping[str, Any]]):
        self._codings = [
            [_as_coding(name, coding, spread) for coding, spread in codings.items()]
            for name, codings in attributes.items()
        ]
        self.bits = [[*(one.entropy for one in codings), 0.0] for codings in self._codings]
        self.notes = (say("predict.plan.independent"),)
        self._product = lru_cache(maxsize=_CACHED)(self._combined)

    def distribution(self, levels: Levels, groups: int) -> Distribution:
        """Return the distribution over the combinations in these codings."""
        asked = tuple(
            (index, level)
            for index, level in enumerate(levels)
            if level < len(self._codings[index])
        )
        return self._product(asked, groups)

    def _combined(self, asked: tuple[tuple[int, int], ...], groups: int) -> Distribution:
        """Return the product; that of all attributes but the last is usually in the cache."""
        if not asked:
            return no_questions()
        *_, (index, level) = asked
        return combined([self._product(asked[:-1], groups), self._codings[index][level]], groups)


def _as_coding(attribute: str, coding: str, spread: Any) -> Distribution:
    try:
        return as_distribution(spread)
    except SingleoutError as error:
        raise BadChoice(f"The coding {coding!r} of {attribute!r}: {error}") from None


class Joint:
    """Attributes with a joint table of shares or counts, whose codings are groups of options."""

    def __init__(self, joint: Any, attributes: Mapping[str, Mapping[str, Any]]):
        self._table, self._is_counts = _checked_table(joint, list(attributes))
        self._groups = [
            [_checked_groups(name, coding, labels, options) for coding, labels in codings.items()]
            for (name, codings), options in zip(attributes.items(), self._table.shape, strict=True)
        ]
        self.bits = []
        for axis, codings in enumerate(self._groups):
            shares = margin(self._table, [axis]) / self._table.sum()
            self.bits.append(
                [*(entropy_bits(_merged(shares, 0, groups)) for groups in codings), 0.0]
            )
        self.notes = ()

    def distribution(self, levels: Levels, groups: int) -> Distribution:  # noqa: ARG002
        """Return the distribution over the combinations in these codings."""
        table = self._table
        for axis, level in enumerate(levels):
            codings = self._groups[axis]
            groups_of = codings[level] if level < len(codings) else np.zeros(table.shape[axis], int)
            table = _merged(table, axis, groups_of)
        if self._is_counts:
            return Distribution.from_counts(np.round(table).astype(np.int64).ravel())
        return Distribution.from_probabilities(table.ravel())


def _checked_table(joint: Any, names: Sequence[str]) -> tuple[F64, bool]:
    try:
        table = np.asarray(joint, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadChoice(
            "joint must be an array of numbers, with an axis for each attribute."
        ) from None
    if table.ndim != len(names):
        raise BadChoice(
            f"joint has {table.ndim} axes, and there are {len(names)} attributes "
            f"({', '.join(names)}); it needs an axis for each, in this order."
        )
    if not np.isfinite(table).all() or (table < 0).any() or table.sum() <= 0:
        raise BadChoice("joint must hold numbers of 0 or more, and not only zeros.")
    is_counts = bool((table == np.round(table)).all() and table.sum() > 1)
    if not is_counts and abs(table.sum() - 1) > 1e-6:
        raise BadChoice(
            f"joint adds up to {table.sum():.6g}; shares must add up to 1, and counts be whole."
        )
    return table, is_counts


def _checked_groups(attribute: str, coding: str, groups: Any, options: int) -> I64:
    labels = list(groups) if isinstance(groups, Sequence | np.ndarray | range) else []
    if len(labels) != options or isinstance(groups, str):
        raise BadChoice(
            f"The coding {coding!r} of {attribute!r} must give the group of each of its "
            f"{options:,} options, as in [0, 0, 1, …]."
        )
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def _merged(table: F64, axis: int, groups: I64) -> F64:
    """Return the table with the options of an axis summed by group."""
    options_first = np.moveaxis(table, axis, 0)
    sums = np.zeros((int(groups.max()) + 1, *options_first.shape[1:]))
    np.add.at(sums, groups, options_first)
    return np.moveaxis(sums, 0, axis)


class Asked:
    """The questions of a questionnaire, dependent according to its joint tables."""

    def __init__(self, questionnaire: Questionnaire):
        self._questionnaire = questionnaire
        self.bits = [
            [*(entropy_bits(coding.shares) for coding in question.codings), 0.0]
            for question in questionnaire.questions
        ]
        self.notes = ()

    def distribution(self, levels: Levels, groups: int) -> Distribution:
        """Return the distribution over the combinations in these codings."""
        codings: dict[str, str | None] = {
            question.name: question.codings[level].name if level < len(question.codings) else None
            for question, level in zip(self._questionnaire.questions, levels, strict=True)
        }
        model = self._questionnaire.model(codings)
        return model.distribution(model.asked, groups)
