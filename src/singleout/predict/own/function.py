"""What one's own answers reveal, from a table of records or of counts. Koot (2012), 7.1.2.

An average hides those who stand out, such as the very old (4.5). So the person's own cell is looked
up, and its risk stands beside the average. All combinations are counted and her values are compared
with them here: not even a database is told which they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from singleout.core.arrays import I64, Flags
from singleout.core.counts import Counts
from singleout.core.frame_kinds import framed
from singleout.errors import BadChoice, UnusableTable
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.distribution.sources import whole_counts
from singleout.predict.own.matching import code_of
from singleout.predict.own.result import OwnAnswer, OwnRisk
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.uniqueness.own_cell import OneCell
from singleout.report.say import say

__all__ = ["person"]

_RARE = 0.25  # a cell so much less likely than a typical person's is called rare
_SURE = 0.95  # of the most people who can have values that nobody in the data has


@framed
def person(
    data: Any,
    cell: Mapping[str, Any],
    *,
    counts: str | None = None,
    people: int | None = None,
    engine: Any = None,
    where: Any = None,
) -> OwnRisk:
    """Assess what your own answers reveal of you: computed here, nothing is sent or kept.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`, or data that is elsewhere, see `singleout.read`. Each
        record is a person, or a cell of people if ``counts`` is given.
    cell
        Your values by column, in the order of answering: ``{"PC4": "1056", "gender": "F"}``. They
        are matched as text, and with the labels of values.
    counts
        The column that says how many people a row stands for. Rows of the same cell are added up.
    people
        Among how many people you could be looked for, you included: those who answer a survey, or
        a population of which the data are a sample. If not given, the people of the data.
    engine
        What counts data that is elsewhere: ``local``, ``database``, ``spark``, a `Database` or a
        `Spark`; chosen by the data if not given.
    where
        The condition that records must meet, as text: ``"municipality = 'Urk'"``.

    Returns
    -------
    OwnRisk

    Examples
    --------
    >>> import singleout as so
    >>> mine = so.person(so.demo(), {"AGEP": "34", "SEX": "2", "PUMA": "25-00703"})
    >>> mine.members, round(mine.match, 3), round(mine.average_match, 3)
    (10, 0.1, 0.12)
    """
    from singleout.engines.open import open_data
    from singleout.io.names import pick

    if not isinstance(cell, Mapping) or not cell:
        raise BadChoice(f"Give your values by column, as {{'age': 34, 'sex': 'F'}}, not {cell!r}.")
    needed = [str(name) for name in cell]
    if counts is not None and counts in cell:
        raise BadChoice(f"{counts!r} holds how many people a row stands for; leave it out of cell.")
    with open_data(data, engine, where, [*needed, *filter(None, [counts])]) as counter:
        names = pick(needed, counter.columns)
        found = counter.counts(names, counts)
        labels = [counter.facts(name).labels for name in names]
        source, notes = counter.source, counter.notes
    codes = [
        code_of(name, wanted, values, known)
        for name, wanted, values, known in zip(
            names, cell.values(), found.values, labels, strict=True
        )
    ]
    sizes = found.sizes if found.weights is None else whole_counts(found.weights)
    return _assessed(found, sizes, codes, people, source, notes)


def _assessed(
    found: Counts,
    sizes: I64,
    codes: Sequence[tuple[int, str]],
    people: int | None,
    source: str,
    notes: tuple[str, ...],
) -> OwnRisk:
    population = int(sizes.sum())
    if population == 0:
        raise UnusableTable("There is nobody in the data to be compared with.")
    k = population if people is None else check_people(people, least=1)
    same = [column == code for column, (code, _) in zip(found.codes, codes, strict=True)]
    members = int(sizes[np.logical_and.reduce(same)].sum())
    answers = _answers(found, sizes, same, codes)
    spread = Distribution.from_counts(sizes)
    drawn = k <= population and (people is None or k > population / 100)
    others = group_sizes(spread, k, up_to=1, without_replacement=drawn)
    cell = _cell(members, population, drawn=drawn)
    typical = spread.power_sum(2)  # the mean over people of the share of their cell
    outlier = members < _RARE * typical * population
    warnings = _warnings(members, population, k, answers, outlier=outlier)
    return OwnRisk(
        source,
        population,
        k,
        answers,
        members,
        cell.alone(k),
        others.unique_share,
        cell.expected(k),
        _mean_set(spread, k, drawn=drawn),
        cell.match(k),
        others.occupied / k,
        float(sizes[sizes <= members].sum()) / population,
        outlier,
        (*notes, *_notes(k, population, drawn=drawn)),
        warnings,
    )


def _cell(members: int, population: int, *, drawn: bool) -> OneCell:
    """Return her cell; with nobody in the data it holds her alone."""
    if members == 0:
        return OneCell(1e-300)
    if drawn:
        return OneCell(members / population, members, population)
    return OneCell(members / population)


def _mean_set(spread: Distribution, people: int, *, drawn: bool) -> float:
    """Return the expected set of a person drawn at random, the person included."""
    same = spread.power_sum(2)
    if drawn and spread.population is not None:
        # of the other people of the population, those in the same cell
        same = (same * spread.population - 1) / max(1, spread.population - 1)
    return 1 + (people - 1) * same


def _answers(
    found: Counts, sizes: I64, same: Sequence[Flags], codes: Sequence[tuple[int, str]]
) -> tuple[OwnAnswer, ...]:
    population = int(sizes.sum())
    answers = []
    so_far = np.ones(len(sizes), dtype=np.bool_)
    for index, (name, (_, value)) in enumerate(zip(found.columns, codes, strict=True)):
        so_far = so_far & same[index]
        others = [each for other, each in enumerate(same) if other != index]
        kept = np.logical_and.reduce(others) if others else np.ones(len(sizes), dtype=np.bool_)
        having = int(sizes[same[index]].sum())
        by_value = np.bincount(found.codes[index], weights=sizes.astype(np.float64))
        typical = float((by_value**2).sum()) / population
        answers.append(
            OwnAnswer(
                name,
                value,
                having,
                int(sizes[so_far].sum()),
                int(sizes[kept].sum()),
                having < _RARE * typical,
            )
        )
    return tuple(answers)


def _notes(people: int, population: int, *, drawn: bool) -> tuple[str, ...]:
    if people == population:
        return (say("predict.own.everybody", population=population),)
    numbers = {"people": people, "population": population}
    if people > population:
        return (say("predict.own.sample", **numbers),)
    return (say("predict.drawn", share=people / population, **numbers),) if drawn else ()


def _warnings(
    members: int, population: int, people: int, answers: Sequence[OwnAnswer], *, outlier: bool
) -> tuple[str, ...]:
    if members == 0:
        most = -np.expm1(np.log1p(-_SURE) / population)  # P(none of n) = (1 - p)^n
        at_least = OneCell(float(most)).alone(people)
        return (say("predict.own.nobody_has", most=float(most), alone=at_least, sure=_SURE),)
    rare = [f"{answer.column} = {answer.value}" for answer in answers if answer.rare]
    if rare:
        return (say("predict.own.rare_answers", answers=", ".join(rare)),)
    return (say("predict.own.outlier"),) if outlier else ()
