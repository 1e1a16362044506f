"""`so.population_uniqueness`: who is alone in the population, from a sample on any engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.choices import MissingPolicy
from singleout.core.counts import SizeProfile
from singleout.core.frame_kinds import framed
from singleout.core.progress import working_on
from singleout.core.wording import figure
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.methods.classes import Classes, classes_of
from singleout.methods.groups import by_group, group_labels, grouping_columns
from singleout.methods.people import PeopleOfClasses
from singleout.methods.population.estimators import ESTIMATORS
from singleout.methods.population.forest import Cells
from singleout.methods.population.measure import estimate
from singleout.methods.population.result import PopulationUniqueness
from singleout.methods.rows import Rows
from singleout.methods.sampling import Population, as_population, population_of
from singleout.methods.selection import known_columns, left_out_note, named_columns, policy_of
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["population_uniqueness"]


@framed
def population_uniqueness(
    data: Any,
    quasi_identifiers: Sequence[str] | str | None = None,
    population: Any = None,
    estimator: Sequence[str] | str = "all",
    by: Sequence[str] | str | None = None,
    missing: str | None = None,
    *,
    seed: int = 0,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> PopulationUniqueness:
    """Estimate how many people are alone in the population, from a sample of it.

    Who is unique in a sample need not be unique in the population. Six estimators say how many
    are; each has an interval, and says where it does not apply.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    quasi_identifiers
        The columns that an attacker knows. If not given, the columns of the table that have this
        role.
    population
        How many people the sample was drawn from: their number, or a `Population` by size,
        sampling fraction, weights or a table of counts. If not given, the column that has the role
        weight says it.
    estimator
        ``all``, or one or several of ``zayatz``, ``pitman``, ``snb``, ``dankar``, ``loglinear`` and
        ``predicted``.
    by
        A column, or several, to estimate for each group of records, too. Without weights a group
        has the sampling fraction of all.
    missing
        What a missing value means: ``value`` (a value like another), ``wildcard`` (it matches
        everything) or ``drop`` (records with a missing quasi-identifier are left out, and
        counted). If not given, the policy of the table.
    seed
        The seed of the random numbers that intervals are drawn with.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. Of data that is elsewhere counts of counts are asked for; ``loglinear``
        asks for ranks and counts of the combinations, and ``by`` for its values.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    PopulationUniqueness
        The estimates by name, and the one to believe.

    Examples
    --------
    >>> import singleout as so
    >>> known = ["AGEP", "SEX", "PUMA"]
    >>> found = so.population_uniqueness(so.demo(), known, 760_000, "zayatz")
    >>> found.estimates["zayatz"].converged
    True
    """
    named = named_columns(quasi_identifiers, "quasi_identifiers")
    estimators = _estimators(estimator)
    groups = grouping_columns(by)
    seed = whole(seed, "seed", at_least=0)
    stated = as_population(population)
    weight = [] if stated.weights is None else [stated.weights]
    needed = None if named is None or population is None else [*named, *groups, *weight]
    with open_data(data, engine, where, needed, count=count) as counter:
        names = known_columns(counter, named)
        labels = group_labels(counter, known_columns(counter, groups)) if groups else {}
        stated = population_of(population, counter)
        if stated.basis is None:
            raise BadChoice(
                "population_uniqueness needs to know the population that the sample was drawn "
                "from: give population=, its size, or a Population with sampling_fraction, weights "
                "or table."
            )
        question = _Question(names, stated, estimators, policy_of(counter, missing), seed)
        working_on(say("progress.population"))
        if _counts_suffice(counter, question, stated):
            whole_, parts, left_out = _by_counts(counter, question, groups)
        else:
            whole_, parts, left_out = _by_rows(counter, question, groups)
        return replace(
            whole_,
            by=groups,
            groups=parts,
            group_labels=labels,
            notes=(*counter.notes, *whole_.notes, *left_out),
        )


def _estimators(asked: Any) -> tuple[str, ...]:
    """Return the estimators asked for, in their order."""
    given = [asked] if isinstance(asked, str) else asked
    if not isinstance(given, Iterable):
        given = [given]
    names = list(given)
    unknown = [name for name in names if name not in (*ESTIMATORS, "all")]
    if unknown or not names:
        raise BadChoice(
            f"Unknown estimator: {(unknown or [names])[0]!r}. Choose from: "
            f"{', '.join(('all', *ESTIMATORS))}."
        )
    return ESTIMATORS if "all" in names else tuple(n for n in ESTIMATORS if n in names)


class _Question:
    """What is estimated, and the population it is about."""

    def __init__(
        self,
        names: tuple[str, ...],
        stated: Population,
        estimators: tuple[str, ...],
        policy: MissingPolicy,
        seed: int,
    ) -> None:
        self.names = names
        self.stated = stated
        self.estimators = estimators
        self.policy = policy
        self.seed = seed
        self.fraction: float | None = None  # of the whole: what is stated holds for groups, too

    def people(self, records: int, weights: float | None, table: float | None) -> float:
        """Return how many people a sample of some records is from."""
        if weights is not None:
            return weights
        if self.fraction is None:
            if self.stated.sampling_fraction is not None:
                self.fraction = self.stated.sampling_fraction
            else:
                total = table if table is not None else float(self.stated.size or records)
                if total < records:
                    raise BadChoice(
                        f"A population of {total:,.0f} is smaller than its sample of {records:,} "
                        "records; give the size of the population they were drawn from."
                    )
                self.fraction = records / total
        return records / self.fraction

    def answer(
        self,
        profile: SizeProfile,
        people: float,
        cells: Cells | None,
        dropped: int,
    ) -> PopulationUniqueness:
        """Return the estimates from one sample."""
        found = estimate(profile, people, cells, self.estimators, self.seed)
        notes = left_out_note(profile.records + dropped, profile.records)
        if "loglinear" in self.estimators and "loglinear" not in found.estimates:
            notes = (*notes, say("population.no_cells"))
        alone = profile.sets[profile.sizes == 1]
        return PopulationUniqueness(
            self.names,
            found,
            profile.records,
            people,
            int(alone.sum()),
            population=self.stated.basis,
            missing=self.policy,
            dropped=dropped,
            notes=notes,
        )


_Answer = tuple[PopulationUniqueness, dict[Any, PopulationUniqueness], tuple[str, ...]]


def _counts_suffice(counter: Counter, question: _Question, stated: Population) -> bool:
    """Return whether counts of counts, taken where the data is, are all that is needed."""
    return (
        counter.held is None
        and "loglinear" not in question.estimators
        and question.policy != MissingPolicy.WILDCARD
        and stated.table is None
    )


def _by_counts(counter: Counter, question: _Question, groups: tuple[str, ...]) -> _Answer:
    names, drop = question.names, question.policy == MissingPolicy.DROP
    weight = question.stated.weights
    (profile,) = counter.profiles([names], drop=drop)
    total = None if weight is None else counter.weight_totals(names, weight, drop=drop)[()].total
    people = question.people(profile.records, total, None)
    whole_ = question.answer(profile, people, None, counter.rows - profile.records)
    if not groups:
        return whole_, {}, ()
    parts, left_out = {}, []
    rows = counter.group_rows(groups)
    totals = {} if weight is None else counter.weight_totals(names, weight, groups, drop=drop)
    for key, part in counter.grouped_profiles(names, groups, drop=drop).items():
        value = key if len(groups) > 1 else key[0]
        if not part.records:
            left_out.append(say("methods.group_left_out", group=whole_.group_name(value)))
            continue
        of_group = None if weight is None else totals[key].total
        people = question.people(part.records, of_group, None)
        parts[value] = question.answer(part, people, None, rows[key] - part.records)
    return whole_, parts, tuple(left_out)


def _by_rows(counter: Counter, question: _Question, groups: tuple[str, ...]) -> _Answer:
    keys = tuple(dict.fromkeys([*question.names, *groups]))
    stated = question.stated
    rows = Rows.of(counter, keys, weight=stated.weights, values=bool(groups))
    of_table, notes = _table(stated, rows, keys, question.names)

    def measured(part: Rows) -> PopulationUniqueness:
        classes = classes_of(part, question.names, question.policy)
        weights = None
        if part.weights is not None:
            counted = slice(None) if classes.counted is None else classes.counted
            weights = float(part.weights[counted].sum())
        people = question.people(classes.counted_records, weights, of_table)
        profile = _profile(classes)
        cells = _cells(part, classes, question)
        return question.answer(profile, people, cells, classes.dropped)

    whole_ = measured(rows)
    parts, left_out = by_group(rows, groups, question.names, question.policy, measured)
    return replace(whole_, notes=(*whole_.notes, *notes)), parts, left_out


def _table(
    stated: Population, rows: Rows, columns: Sequence[str], names: Sequence[str]
) -> tuple[float | None, tuple[str, ...]]:
    """Return how many people a table of the population counts, and who of them is alone."""
    if stated.table is None:
        return None, ()
    counted = PeopleOfClasses.stated(stated, rows.records, columns).totals(names)
    assert counted is not None
    total, alone = counted
    return total, (say("population.known", share=figure(alone / total, ".4%"), n=alone),)


def _profile(classes: Classes) -> SizeProfile:
    """Return the counts of counts of the classes.

    Where missing values match everything, records do not fall into classes: there are as many
    classes of j as records that j match, divided by j.
    """
    if classes.matches is classes.records:
        return SizeProfile.of(classes.records)
    sizes, index = np.unique(classes.matches, return_inverse=True)
    sets: Any = np.bincount(index, classes.records) / sizes  # no whole numbers, for once
    return SizeProfile(sizes.astype(np.int64), sets)


def _cells(rows: Rows, classes: Classes, question: _Question) -> Cells | None:
    """Return the value combinations for a log-linear model; None where it is not wanted."""
    if "loglinear" not in question.estimators or classes.matches is not classes.records:
        return None
    codes, levels = [], []
    for name in question.names:
        values, code = np.unique(rows.table[name].codes[classes.first], return_inverse=True)
        codes.append(code.astype(np.int32))
        levels.append(len(values))
    return Cells(tuple(codes), tuple(levels), classes.records.astype(np.float64))
