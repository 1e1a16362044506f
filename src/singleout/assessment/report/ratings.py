"""The ratings of an assessment in a report: the matrices, the rows, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.assessment.advice.actions import LEVEL_STAYS
from singleout.assessment.rating.rows import Kind, Row
from singleout.assessment.rating.scales import (
    EXPLOITABILITIES,
    EXPOSURES,
    INFERENCES,
    RISKS,
    SEVERITIES,
    Exposure,
)
from singleout.assessment.rating.scales import (
    Matrix as Levels,
)
from singleout.assessment.report.words import count, first_of, listed, percent, shortened
from singleout.assessment.words import in_percent, told_apart
from singleout.report.content import (
    Cell,
    Level,
    Matrix,
    MatrixCell,
    Message,
    Paragraph,
    Part,
    Section,
    Table,
    TableColumn,
)
from singleout.report.sentences import Sentences

if TYPE_CHECKING:
    from singleout.assessment.advice.actions import Action, Effect
    from singleout.assessment.result import Assessment

__all__ = ["actions_section", "matrix_section", "rows_section"]

_ROWS_SHOWN = 40
_MARKS = 8  # in a cell of a matrix
_LONGEST_MARK = 18  # characters


# ---- rows


def _numbered_rows(assessment: Assessment) -> list[tuple[int, Row]]:
    """Return the rows with their numbers: combinations first, the worst on top; 0 if not shown."""
    rows = told_apart(assessment.ratings)
    together = [row for row in rows if row.combination.kind != Kind.ATTRIBUTE]
    alone = [row for row in rows if row.combination.kind == Kind.ATTRIBUTE]
    shown = [*together[:_ROWS_SHOWN], *alone[:_ROWS_SHOWN]]
    hidden = [*together[_ROWS_SHOWN:], *alone[_ROWS_SHOWN:]]
    return [*enumerate(shown, start=1), *((0, row) for row in hidden)]


def rows_section(assessment: Assessment, said: Sentences) -> Section:
    """Return the rows, combinations and single attributes, the worst first.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    numbered = _numbered_rows(assessment)
    alone = [(n, row) for n, row in numbered if row.combination.kind == Kind.ATTRIBUTE]
    together = [(n, row) for n, row in numbered if row.combination.kind != Kind.ATTRIBUTE]
    tables = [
        _rows(caption, rows, said)
        for caption, rows in ((said.together_caption, together), (said.alone_caption, alone))
        if rows
    ]
    sentence = said.rows_say_names if assessment.direct_identifiers else said.rows_say
    return Section("rows", said.rows, (Paragraph(sentence), *tables))


def _rows(caption: str, numbered: Sequence[tuple[int, Row]], said: Sentences) -> Table:
    steps = (said.inference, said.exposure, said.exploitability, said.severity)
    shown, below = first_of(numbered, _ROWS_SHOWN, said)
    return Table(
        caption,
        (
            TableColumn(said.row, "number"),
            TableColumn(said.known),
            TableColumn(said.learnt),
            TableColumn(said.rate, "number"),
            TableColumn(said.information, "number"),
            *(TableColumn(title, "step") for title in steps),
            TableColumn(said.risk, "level"),
        ),
        tuple(_row(number, row, said) for number, row in shown),
        names=tuple(f"row-{number}" for number, _ in shown),
        below=below,
    )


def _row(number: int, row: Row, said: Sentences) -> tuple[Cell, ...]:
    exposure, information = row.combination.exposure, row.measured.mutual_information
    return (
        str(number),
        _known(row, said),
        said.identity if row.sensitive is None else shortened(row.sensitive),
        f"{row.measured.rate:.3f}",
        said.not_said if information is None else f"{information:.3f}",
        Level(row.inference, INFERENCES[row.inference - 1]),
        Level(exposure, Exposure(exposure).name),
        Level(row.exploitability, EXPLOITABILITIES[row.exploitability - 1]),
        Level(row.severity, SEVERITIES[row.severity - 1]),
        Level(row.risk, RISKS[row.risk - 1]),
    )


def _known(row: Row, said: Sentences) -> str:
    return said.kinds[str(row.combination.kind)].format(
        name=shortened(row.combination.name), columns=listed(row.combination.columns, said)
    )


# ---- matrices


def matrix_section(assessment: Assessment, said: Sentences) -> Section:
    """Return the two matrices with the rows placed in them.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    rows = _numbered_rows(assessment)
    matrices = assessment.plan.matrices
    below = said.matrix_below.format(filled=said.filled)
    first = Matrix(
        said.exploitability_caption,
        said.exposure,
        said.inference,
        _numbered([f"{level.name}, {EXPOSURES[level - 1]}" for level in Exposure]),
        _numbered(INFERENCES)[::-1],
        _cells(
            matrices.exploitability,
            EXPLOITABILITIES,
            [(row.inference, row.combination.exposure) for _, row in rows],
            [_mark(number, row, said) for number, row in rows],
            said,
        ),
    )
    second = Matrix(
        said.risk_caption,
        said.severity,
        said.exploitability,
        _numbered(SEVERITIES),
        _numbered(EXPLOITABILITIES)[::-1],
        _cells(
            matrices.risk,
            RISKS,
            [(row.exploitability, row.severity) for _, row in rows],
            [_mark(number, row, said) for number, row in rows],
            said,
        ),
        below=below,
    )
    how = Paragraph(said.matrix_how.format(rows=said.rows))
    return Section("risk-matrix", said.matrix, (how, first, second))


def _numbered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{level} {word}" for level, word in enumerate(words, start=1))


def _mark(number: int, row: Row, said: Sentences) -> tuple[int, str]:
    """Return the number of a row, and a short name for it."""
    name = row.combination.name
    if row.combination.kind == Kind.EXPOSURE:
        name = said.all_of.format(name=name)
    if len(name) > _LONGEST_MARK:
        name = f"{name[: _LONGEST_MARK - 1]}…"
    return number, name


def _cells(
    matrix: Levels,
    words: Sequence[str],
    places: Sequence[tuple[int, int]],
    marks: Sequence[tuple[int, str]],
    said: Sentences,
) -> tuple[tuple[MatrixCell, ...], ...]:
    """Return the cells from the highest row down, each with the marks that fall there."""
    return tuple(
        tuple(
            _cell(
                Level(level, words[level - 1]),
                [mark for mark, at in zip(marks, places, strict=True) if at == (down, across)],
                said,
            )
            for across, level in enumerate(matrix[down - 1], start=1)
        )
        for down in (4, 3, 2, 1)
    )


def _cell(level: Level, marks: Sequence[tuple[int, str]], said: Sentences) -> MatrixCell:
    """Return a cell: rows of one name, which differ in what is learnt, share a mark."""
    by_name: dict[str, list[int]] = {}
    for number, name in marks:
        by_name.setdefault(name, []).append(number)
    shown = [_shared(name, numbers, said) for name, numbers in list(by_name.items())[:_MARKS]]
    left = len(by_name) - _MARKS
    more = said.more_marks.format(more=count(left)) if left > 0 else ""
    return MatrixCell(level, tuple(shown), more)


def _shared(name: str, numbers: Sequence[int], said: Sentences) -> tuple[str, str]:
    """Return the link of a mark, to its first row if that is shown, and its words."""
    first = numbers[0]
    words = f"{first} {name}" if first else name
    if len(numbers) > 1:
        words = said.several_rows.format(mark=words, rows=count(len(numbers)))
    return (f"row-{first}" if first else ""), words


# ---- what to do


def actions_section(assessment: Assessment, said: Sentences) -> Section:
    """Return what to do, best first, with the effect of each proposal.

    Parameters
    ----------
    assessment
        The assessment.
    said
        The words.
    """
    if not assessment.actions:
        return Section("actions", said.actions, (Paragraph(said.nothing_to_do),))
    numbers = (
        *(said.level, said.at_risk, said.rate, said.information),
        *(said.unique, "k", said.given_up),
    )
    table = Table(
        said.actions_caption,
        (TableColumn(said.proposal), *(TableColumn(title, "number") for title in numbers)),
        tuple(
            (f"{place}. {action.what}", *_effects(action, said))
            for place, action in enumerate(assessment.actions, start=1)
        ),
        below=said.given_up_below,
    )
    parts: list[Part] = [Paragraph(said.actions_say)]
    if LEVEL_STAYS in assessment.notes:
        parts.append(Message(said.notes, (LEVEL_STAYS,)))
    if assessment.direct_identifiers:
        parts.append(Paragraph(said.actions_say_names))
    return Section("actions", said.actions, (*parts, table))


def _effects(action: Action, said: Sentences) -> tuple[str, ...]:
    lost = said.not_said if action.loss is None else percent(action.loss)
    if action.before is None or action.after is None:
        return (*(6 * [said.not_said]), lost)
    pairs = zip(_state(action.before), _state(action.after), strict=True)
    changes = [
        before if before == after else said.from_to.format(before=before, after=after)
        for before, after in pairs
    ]
    return (*changes, lost)


def _state(effect: Effect) -> tuple[str, ...]:
    return (
        str(effect.level),
        count(effect.at_risk),
        f"{effect.rate:.3f}",
        f"{effect.mutual_information:.3f}",
        in_percent(effect.unique_share),
        count(effect.k),
    )
