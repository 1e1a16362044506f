"""`singleout diversity`: how much records that look alike give away about sensitive columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import NOT_MET
from singleout.cli.shared import classes as shared
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import (
    Outputs,
    number,
    print_table,
    share_of,
    show_table,
    tell,
    write_rows,
)
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import figure, in_figures
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.methods.diversity.breaking import Breaking
    from singleout.methods.diversity.result import Diversity

__all__ = ["diversity"]


def _least(name: str, what: str) -> Any:
    return typer.Option(name, metavar="N", help=f"List classes with {what}, and exit with 1.")


@takes_data
def diversity(
    data: options.Data,
    qi: shared.Known,
    sensitive: Annotated[
        list[str],
        typer.Option(
            "--sensitive", metavar="A,B", help="The columns that nobody should learn. Repeatable."
        ),
    ],
    c: Annotated[
        float, typer.Option("--c", help="The c of recursive (c, l)-diversity, above 0.")
    ] = 2.0,
    scale: Annotated[
        list[str] | None,
        typer.Option(
            "--scale",
            metavar="nominal|ordinal",
            help="How far values are apart for t: ordinal if they are numbers or dates, unless "
            "this says otherwise; COLUMN=ordinal for one column. Repeatable.",
        ),
    ] = None,
    by: shared.By = None,
    unit: shared.Unit = None,
    missing: options.Missing = MissingPolicy.VALUE,
    k: Annotated[int | None, _least("--k", "fewer records")] = None,
    l: Annotated[  # noqa: E741 - the name that everybody gives it
        int | None, _least("--l", "fewer different values (distinct l)")
    ] = None,
    entropy_l: Annotated[float | None, _least("--entropy-l", "a lower entropy l")] = None,
    recursive_l: Annotated[int | None, _least("--recursive-l", "a lower recursive l")] = None,
    alpha: Annotated[float | None, _least("--alpha", "a more frequent value")] = None,
    t: Annotated[float | None, _least("--t", "a larger t")] = None,
    beta: Annotated[float | None, _least("--beta", "a larger beta")] = None,
    enhanced_beta: Annotated[
        float | None, _least("--enhanced-beta", "a larger enhanced beta, or none")
    ] = None,
    delta: Annotated[float | None, _least("--delta", "a larger delta, or none")] = None,
    top: Annotated[int, options.top("classes")] = 10,
    identifier: shared.Identifier = None,
    json: options.Json = False,
    csv: shared.PerRecord = None,
    classes: Annotated[
        Path | None,
        typer.Option(
            "--classes",
            metavar="OUT",
            help="Write the classes to a CSV file: those that break what is wanted, or all.",
        ),
    ] = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Measure how much records that look alike give away: l-diversity, t-closeness and others.

    Records that are equal in the columns of --qi form a class. If all of a class have the same
    sensitive value, who knows the class knows the value. The numbers are those of the worst class.
    With --l, --t and the like, the classes that break a wanted value are listed, and the command
    exits with 1 if there are any.
    """
    from singleout.methods.diversity.breaking import WANTED, checked_wanted
    from singleout.methods.diversity.function import diversity as measure

    asked = locals()
    given = {word: asked[word] for word in WANTED if asked[word] is not None}
    wanted = checked_wanted(given) if given else {}
    known = shared.quasi_identifiers(qi)
    targets = options.column_names(sensitive, "--sensitive") or []
    groups = list(by or [])
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[classes],
        force=force,
        read=[data],
        engine=reading.engine,
    )
    shared.refuse_units_of_counts(unit, reading)
    columns = [*known, *targets, *groups, unit]
    with (
        shown_if_slow(),
        shared.opened(reading, data, columns, csv=csv, identifier=identifier) as counter,
    ):
        result = measure(counter, known, targets, c, _scale(scale), groups, missing, unit=unit)
        broken = result.breaking(**wanted) if wanted else None  # type: ignore[arg-type]
        outputs.write(
            chart=result.plot,
            files=_writers(result, broken, counter, csv, classes, identifier),
            private=[csv],
        )
        worst = broken.to_frame().head(top).to_dicts() if broken is not None else []
        source = counter.source
    plain = result.to_dict()
    if broken is not None:
        plain["breaking"] = broken.to_dict() | {"worst": worst}
    outputs.show({"data": source, "results": [plain]}, lambda: _show(source, result, broken, worst))
    if broken is not None and not broken.met:
        raise typer.Exit(NOT_MET)


def _scale(texts: list[str] | None) -> str | dict[str, str] | None:
    """Return one word for all columns, or a word for each of some."""
    if not texts:
        return None
    if len(texts) == 1 and "=" not in texts[0]:
        return texts[0]
    return options.pairs(texts, "--scale")


def _writers(
    result: Diversity,
    broken: Breaking | None,
    counter: Counter,
    csv: Path | None,
    classes: Path | None,
    identifier: str | None,
) -> dict[Path | None, Callable[[Path], Any]]:
    """Return what writes the measures of records and of classes."""

    def records(part: Path) -> None:
        write_rows(part, shared.record_rows(result.per_record, counter, identifier))

    def listed(part: Path) -> None:
        frame = result.per_class if broken is None else broken.to_frame()
        write_rows(part, frame.to_dicts(), frame.columns)

    return {csv: records, classes: listed}


# ---- the screen


def _show(
    source: str, result: Diversity, broken: Breaking | None, worst: list[dict[str, Any]]
) -> None:
    """Print the answer for people."""
    about = {"records": result.records, "classes": result.classes, "known": result.name}
    tell(say("screen.diversity.about", source=source, **about))
    rows = result.to_frame().to_dicts()
    show_table("screen.diversity.many", [_many(row) for row in rows], c=number(result.c))
    show_table("screen.diversity.far", [_far(row) for row in rows])
    if broken is not None and worst:
        shown = [_shown(row, broken) for row in worst]
        print_table(say("screen.diversity.breaking"), list(shown[0]), map(_cells, shown))
    tell(*_sentences(result, broken), notes=result.notes)


def _shown(row: dict[str, Any], broken: Breaking) -> dict[str, Any]:
    """Return what a screen shows of a class: its values, its records and what was asked about."""
    from singleout.methods.diversity.breaking import WANTED

    others = set(WANTED.values()) - {WANTED[word] for word in broken.wanted}
    return {name: cell for name, cell in row.items() if name not in others}


def _label(row: dict[str, Any]) -> str:
    group = row.get("group")
    return row["sensitive"] if group is None else f"  {row['sensitive']}, {group}"


def _many(row: dict[str, Any]) -> list[str]:
    numbers = [row["k"], row["values"], row["distinct_l"], row["entropy_l"], row["recursive_l"]]
    certain = share_of(row["certain"], row["records"])
    return [_label(row), *map(number, numbers), number(row["certain"]), certain]


def _far(row: dict[str, Any]) -> list[str]:
    names = ("alpha", "t", "beta", "enhanced_beta", "delta")
    return [_label(row), row["scale"], *(_decimals(row[name]) for name in names)]


def _decimals(value: float | None) -> str:
    return "–" if value is None else figure(value, ",.4g")


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        cell
        if isinstance(cell, str)
        else number(cell)
        if isinstance(cell, int)
        else _decimals(cell)
        for cell in row.values()
    ]


def _sentences(result: Diversity, broken: Breaking | None) -> list[str]:
    sentences = [
        say(
            "screen.diversity.certain" if column.certain else "screen.diversity.none_certain",
            sensitive=name,
            certain=number(column.certain),
            records=number(result.records),
            share=share_of(column.certain, result.records),
        )
        for name, column in result.columns.items()
    ]
    if any(column.enhanced_beta is None for column in result.columns.values()):
        sentences.append(say("diversity.no_enhanced_beta"))
    if any(column.delta is None for column in result.columns.values()):
        sentences.append(say("diversity.no_delta"))
    if broken is not None:
        words = ", ".join(
            f"{word} = {in_figures(value, 6)}" for word, value in broken.wanted.items()
        )
        sentences.append(
            say(
                "screen.diversity.met" if broken.met else "screen.diversity.broken",
                wanted=words,
                n=broken.classes,
                records=number(broken.records),
                share=share_of(broken.records, result.records),
            )
        )
    return sentences
