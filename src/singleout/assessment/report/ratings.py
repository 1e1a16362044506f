"""The ratings of an assessment in a report: the matrices, the rows, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.assessment.advice.action import Action
from singleout.assessment.findings import distinct_rows
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import (
    Exposure,
)
from singleout.assessment.rating.scales import (
    Matrix as Levels,
)
from singleout.assessment.report.levels import risk_in_words
from singleout.assessment.report.summary import aim_of_remedy
from singleout.core.wording import count, figure, percent
from singleout.methods.levels import level_name, level_names
from singleout.report.content import (
    Cell,
    Level,
    Matrix,
    MatrixCell,
    Message,
    Paragraph,
    Part,
    ReportTable,
    Section,
)
from singleout.report.say import say
from singleout.report.words import first_of, head, listed, shortened

if TYPE_CHECKING:
    from singleout.assessment.advice.action import Action
    from singleout.assessment.advice.effect import Effect
    from singleout.assessment.result import Assessment

__all__ = ["actions_section", "matrix_section", "rows_section"]

_ROWS_SHOWN = 40
_MARKS = 8  # in a cell of a matrix
_LONGEST_MARK = 18  # characters
_STEPS = ("report.inference", "report.exposure", "report.exploitability", "report.severity")


# ---- rows


def _numbered_rows(assessment: Assessment) -> list[tuple[int, Row]]:
    """Return the rows with their numbers: combinations first, the worst on top; 0 if not shown."""
    rows = distinct_rows(assessment.ratings)
    together = [row for row in rows if row.combination.kind != Kind.ATTRIBUTE]
    alone = [row for row in rows if row.combination.kind == Kind.ATTRIBUTE]
    shown = [*together[:_ROWS_SHOWN], *alone[:_ROWS_SHOWN]]
    hidden = [*together[_ROWS_SHOWN:], *alone[_ROWS_SHOWN:]]
    return [*enumerate(shown, start=1), *((0, row) for row in hidden)]


def rows_section(assessment: Assessment) -> Section:
    """Return the rows, combinations and single attributes, the worst first."""
    numbered = _numbered_rows(assessment)
    alone = [(n, row) for n, row in numbered if row.combination.kind == Kind.ATTRIBUTE]
    together = [(n, row) for n, row in numbered if row.combination.kind != Kind.ATTRIBUTE]
    tables = [
        _rows(caption, rows, certain=assessment.by_certainty)
        for caption, rows in (
            (say("report.together_caption"), together),
            (say("report.alone_caption"), alone),
        )
        if rows
    ]
    named = assessment.direct_identifiers
    sentences = [say("report.rows_say_names") if named else say("report.rows_say")]
    sentences.append(
        say(f"report.rows_rated_by.{'certainty' if assessment.by_certainty else 'paper'}")
    )
    return Section("rows", say("report.rows"), (Paragraph(" ".join(sentences)), *tables))


def _rows(caption: str, numbered: Sequence[tuple[int, Row]], *, certain: bool) -> ReportTable:
    rated = ("report.mean_identity", "report.mean_gain", "report.at_risk") if certain else ()
    rate = "report.discrimination_rate" if certain else "report.rate"
    shown, below = first_of(numbered, _ROWS_SHOWN)
    return ReportTable(
        caption,
        (
            head("report.row", "number"),
            head("report.known"),
            head("report.learnt"),
            head("report.risk", "level"),
            *(head(key, "number") for key in rated),
            head(rate, "number"),
            head("report.information", "number"),
            *(head(key, "step") for key in _STEPS),
        ),
        tuple(_row(number, row) for number, row in shown),
        names=tuple(f"row-{number}" for number, _ in shown),
        below=below,
    )


def _row(number: int, row: Row) -> tuple[Cell, ...]:
    exposure, information = row.combination.exposure, row.measured.mutual_information
    return (
        str(number),
        _known(row),
        say("report.identity") if row.sensitive is None else shortened(row.sensitive),
        Level(row.risk, level_name("risk", row.risk)),
        *_certainty(row),
        figure(row.measured.rate, ".3f"),
        say("report.not_said") if information is None else figure(information, ".3f"),
        Level(row.inference, level_name("inference", row.inference)),
        Level(exposure, Exposure(exposure).name),
        Level(row.exploitability, level_name("exploitability", row.exploitability)),
        Level(row.severity, level_name("severity", row.severity)),
    )


def _certainty(row: Row) -> tuple[str, ...]:
    """Return what a row is rated by where it is rated by certainty; nothing where it is not."""
    if row.identity is None or row.gain is None:
        return ()
    return (
        figure(row.identity, ".3f"),
        figure(row.gain, ".3f"),
        percent(row.reaching(3) / sum(row.by_risk)),
    )


def _known(row: Row) -> str:
    return say(
        f"report.kinds.{row.combination.kind!s}",
        name=shortened(row.combination.name),
        columns=listed(row.combination.columns),
    )


# ---- matrices


def matrix_section(assessment: Assessment) -> Section:
    """Return the two matrices with the rows in their cells."""
    rows = _numbered_rows(assessment)
    matrices = assessment.plan.matrices
    below = say("report.matrix_below", filled=say("report.filled"))
    first = Matrix(
        say("report.exploitability_caption"),
        say("report.exposure"),
        say("report.inference"),
        _numbered([f"{level.name}, {level_name('exposure', level)}" for level in Exposure]),
        _numbered(level_names("inference"))[::-1],
        _cells(
            matrices.exploitability,
            level_names("exploitability"),
            [(row.inference, row.combination.exposure) for _, row in rows],
            [_mark(number, row) for number, row in rows],
        ),
    )
    second = Matrix(
        say("report.risk_caption"),
        say("report.severity"),
        say("report.exploitability"),
        _numbered(level_names("severity")),
        _numbered(level_names("exploitability"))[::-1],
        _cells(
            matrices.risk,
            level_names("risk"),
            [(row.exploitability, row.severity) for _, row in rows],
            [_mark(number, row) for number, row in rows],
        ),
        below=below,
    )
    how = Paragraph(say("report.matrix_how", rows=say("report.rows")))
    return Section("risk-matrix", say("report.matrix"), (how, first, second), appendix=True)


def _numbered(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{level} {word}" for level, word in enumerate(words, start=1))


def _mark(number: int, row: Row) -> tuple[int, str]:
    """Return the number of a row, and a short name for it."""
    name = row.combination.name
    if row.combination.kind == Kind.EXPOSURE:
        name = say("report.all_of", name=name)
    if len(name) > _LONGEST_MARK:
        name = f"{name[: _LONGEST_MARK - 1]}…"
    return number, name


def _cells(
    matrix: Levels,
    words: Sequence[str],
    cells: Sequence[tuple[int, int]],
    marks: Sequence[tuple[int, str]],
) -> tuple[tuple[MatrixCell, ...], ...]:
    """Return the cells from the highest row down, each with the marks that fall there."""
    return tuple(
        tuple(
            _cell(
                Level(level, words[level - 1]),
                [mark for mark, at in zip(marks, cells, strict=True) if at == (down, across)],
            )
            for across, level in enumerate(matrix[down - 1], start=1)
        )
        for down in (4, 3, 2, 1)
    )


def _cell(level: Level, marks: Sequence[tuple[int, str]]) -> MatrixCell:
    """Return a cell: rows of one name, which differ in what is learnt, share a mark."""
    by_name: dict[str, list[int]] = {}
    for number, name in marks:
        by_name.setdefault(name, []).append(number)
    shown = [_shared(name, numbers) for name, numbers in list(by_name.items())[:_MARKS]]
    left = len(by_name) - _MARKS
    more = say("report.more_marks", more=count(left)) if left > 0 else ""
    return MatrixCell(level, tuple(shown), more)


def _shared(name: str, numbers: Sequence[int]) -> tuple[str, str]:
    """Return the link of a mark, to its first row if that is shown, and its words."""
    first = numbers[0]
    words = f"{first} {name}" if first else name
    if len(numbers) > 1:
        words = say("report.several_rows", mark=words, rows=count(len(numbers)))
    return (f"row-{first}" if first else ""), words


# ---- what to do


def actions_section(assessment: Assessment) -> Section:
    """Return what to do, best first, with the effect of each proposal."""
    parts: list[Part] = []
    if assessment.remedy is not None:
        steps = assessment.remedy.sentences
        parts.append(Paragraph(aim_of_remedy(assessment)))
        if steps:
            parts.append(Message(say("report.in_this_order"), steps, numbered=True))
    if not assessment.actions:
        parts = parts or [
            Paragraph(say("report.nothing_to_do" if assessment.advised else "report.no_advice"))
        ]
        return Section("actions", say("report.actions"), tuple(parts))
    numbers = (
        *("report.level", "report.at_risk"),
        "report.mean_certainty" if assessment.by_certainty else "report.rate",
        *("report.unique", "report.k", "report.given_up"),
    )
    table = ReportTable(
        say("report.actions_caption"),
        (head("report.proposal"), *(head(key, "number") for key in numbers)),
        tuple(
            (f"{rank}. {action.what}", *_effects(action))
            for rank, action in enumerate(assessment.actions, start=1)
        ),
        below=say("report.given_up_below"),
    )
    parts.append(Paragraph(say("report.actions_say")))
    if say("advice.level_stays") in assessment.notes:
        parts.append(Message(say("report.notes"), (say("advice.level_stays"),)))
    if assessment.direct_identifiers:
        parts.append(Paragraph(say("report.actions_say_names")))
    return Section("actions", say("report.actions"), (*parts, table))


def _effects(action: Action) -> tuple[str, ...]:
    lost = say("report.not_said") if action.loss is None else percent(action.loss)
    if action.before is None or action.after is None:
        return (*(5 * [say("report.not_said")]), lost)
    pairs = zip(_state(action.before), _state(action.after), strict=True)
    changes = [
        before if before == after else say("report.from_to", before=before, after=after)
        for before, after in pairs
    ]
    return (*changes, lost)


def _state(effect: Effect) -> tuple[str, ...]:
    return (
        risk_in_words(effect.level),
        count(effect.at_risk),
        figure(effect.rate, ".3f"),
        percent(effect.unique_share),
        count(effect.k),
    )
