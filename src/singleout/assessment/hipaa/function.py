"""`so.hipaa`: which identifiers of HIPAA's Safe Harbor data holds, wherever it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from singleout.assessment.hipaa.check import check, is_free_text
from singleout.assessment.hipaa.dates import only_ninety
from singleout.assessment.hipaa.examined import Examined, Found, examined
from singleout.assessment.hipaa.groups import examined_by_group
from singleout.assessment.hipaa.result import Finding, SafeHarbor
from singleout.core.choices import Role
from singleout.core.frame_kinds import framed
from singleout.core.progress import track
from singleout.core.wording import percent
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.groups import group_labels, grouping_columns
from singleout.methods.selection import known_columns, named_columns
from singleout.report.say import in_a_row, say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["MOST_VALUES", "hipaa"]

_GROUPING = "BC"  # places and dates may name a group
MOST_VALUES = 100_000  # different values of a column that are examined; of more, a sample


@framed
def hipaa(
    data: Any,
    columns: Sequence[str] | str | None = None,
    by: Sequence[str] | str | None = None,
    *,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> SafeHarbor:
    """Find the identifiers that HIPAA's Safe Harbor asks to remove.

    Names and values of columns are checked for the 18 identifiers of 45 CFR 164.514(b)(2)(i), also
    in columns that nobody declared to be identifiers. No result holds a value of them.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns
        The columns to examine; all if not given.
    by
        A column, or several, to examine each group of records by itself, too.
    engine
        What counts: ``local``, ``database``, ``spark``, a `Database` or a `Spark`; chosen by the
        data if not given. From data that is elsewhere the different values of each column come
        back with their counts, one column at a time (with ``by`` for each group), and no records.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many records a row stands for, in a table of counts; if not given,
        each row is one record.

    Returns
    -------
    SafeHarbor
        What was found, with its evidence.

    Examples
    --------
    >>> import singleout as so
    >>> patients = {"age": [34, 93], "zip": ["02139", "02140"], "visit": ["2021-03-04"] * 2}
    >>> for finding in so.hipaa(patients).findings:
    ...     print(finding.identifier, finding.column, finding.evidence, finding.share)
    B zip ('name',) 1.0
    C age ('name', 'values') 0.5
    C visit ('pattern',) 1.0
    """
    named = named_columns(columns, "columns")
    groups = grouping_columns(by)
    needed = None if named is None else list(dict.fromkeys([*named, *groups]))
    with open_data(data, engine, where, needed, count=count) as counter:
        names = tuple(pick(named, counter.columns))
        labels = group_labels(counter, known_columns(counter, groups)) if groups else {}
        whole = _answer(counter, names, _examined(counter, names), counter.rows)
        parts = {}
        if groups:
            _refuse_identifiers(whole, groups)
            for value, records, examples in examined_by_group(counter, names, groups, MOST_VALUES):
                parts[value] = _answer(counter, names, examples, records)
        notes = (*counter.notes, *whole.notes)
        return replace(whole, by=groups, groups=parts, group_labels=labels, notes=notes)


def _answer(
    counter: Counter,
    names: tuple[str, ...],
    columns: Iterable[tuple[str, Examined]],
    records: int,
) -> SafeHarbor:
    """Return what was found in some columns of so many records."""
    findings: list[Finding] = []
    notes: list[str] = []
    for name, column in columns:
        role = counter.facts(name).role
        signs = check(column, role)
        declared = role == Role.DIRECT_IDENTIFIER
        findings += _findings(name, signs, column.records, declared)
        notes += _notes(column, signs)
    findings.sort(key=lambda finding: (finding.identifier, names.index(finding.column)))
    if any(finding.identifier == "R" for finding in findings):
        notes.append(say("hipaa.notes.codes"))
    notes.append(say("hipaa.notes.limits"))
    return SafeHarbor(tuple(findings), names, records, tuple(notes))


def _refuse_identifiers(found: SafeHarbor, by: Sequence[str]) -> None:
    """Refuse groups by values that identify people: no result may hold them."""
    for name in by:
        if any(finding.identifier not in _GROUPING for finding in found.of(name)):
            raise BadChoice(
                f"{name!r} seems to identify people, so results may not be given by its values; "
                "group by another column."
            )


def _examined(counter: Counter, names: Sequence[str]) -> Iterator[tuple[str, Examined]]:
    """Yield the columns; of one with very many values a sample, in the order of the values."""
    missing = counter.missing(names)
    profiles = counter.profiles([[name] for name in names])
    for name, profile in track(list(zip(names, profiles, strict=True)), "Examining columns"):
        records = counter.rows - missing[name]
        distinct = profile.number_of_sets - bool(missing[name])
        step = max(1, records // MOST_VALUES) if distinct > MOST_VALUES else 1
        counted = counter.values(name, step=step, records=records)
        facts = counter.facts(name)
        sampled = {"records": records, "distinct": distinct} if step > 1 else {}
        yield (
            name,
            examined(
                name,
                ((values[0], size) for values, size in counted),
                description=facts.description,
                labels=facts.labels,
                **sampled,
            ),
        )


def _findings(name: str, signs: Sequence[Found], records: int, declared: bool) -> Iterator[Finding]:
    """Yield a finding for each identifier that a column has signs of."""
    for letter in dict.fromkeys(sign.letter for sign in signs):
        own = [sign for sign in signs if sign.letter == letter]
        held = max(sign.records for sign in own)
        yield Finding(
            letter,
            name,
            tuple(dict.fromkeys(sign.kind for sign in own)),
            in_a_row(dict.fromkeys(_in_words(sign, records) for sign in own)),
            held,
            held / records,
            declared,
        )


def _in_words(sign: Found, records: int) -> str:
    """Return a sign in words, without any value."""
    what = sign.words or say(f"hipaa.what.{sign.what}")
    share = percent(sign.records / records)
    return say(f"hipaa.evidence.{sign.kind.replace(' ', '_')}", what=what, share=share)


def _notes(column: Examined, signs: Sequence[Found]) -> Iterator[str]:
    name = repr(column.name)
    if column.cut:
        yield say("hipaa.notes.cut", column=name, n=column.look.distinct, seen=len(column.texts))
    if any(sign.what == "ages" for sign in signs) and only_ninety(column):
        yield say("hipaa.notes.ninety", column=name)
    if is_free_text(column):
        yield say("hipaa.notes.free_text", column=name)
