"""Special uniques on the screen: minimal uniques by size, columns, values, records and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.cli.shared.output import number, print_table, share_of, show_table, tell
from singleout.core.wording import figure, in_figures, percent
from singleout.report.say import say, words

if TYPE_CHECKING:
    import polars as pl

    from singleout.methods.suda.exact import ExactUniques
    from singleout.methods.suda.one_record import RecordUniques
    from singleout.methods.suda.result import Suda

__all__ = ["show", "show_exact", "show_record"]


def show(
    source: str, result: Suda, risky: pl.DataFrame, *, top: int, identifier: str | None
) -> None:
    """Print sizes, contributions of ``top`` values, and the riskiest records with their ids."""
    tell(
        say(
            "screen.suda.about",
            source=source,
            records=result.records,
            size=result.max_size,
            columns=len(result.columns),
        )
    )
    _show_sizes(result)
    _show_kinds(result)
    _show_contributions(result, top)
    if result.has_dis_score:
        intervals = result.dis_intervals.rows()
        show_table("screen.suda.intervals", [[name, number(n)] for name, n in intervals])
    if result.groups:
        show_table("screen.suda.groups", _of_groups(result), by=", ".join(result.by))
    if len(risky):
        _show_records(result, risky, identifier)
    unique = say(
        "screen.suda.unique",
        unique=result.unique,
        records=result.records,
        share=share_of(result.unique, result.records),
        in_pairs=result.in_pairs,
    )
    notes = [say(f"screen.suda.missing.{result.missing}"), *result.notes]
    tell(f"{result}.", unique, *_above(result), *_validated(result), notes=notes)


def show_exact(found: ExactUniques, top: int) -> None:
    """Print the records that were searched for sets of all sizes."""
    show_table(
        "screen.suda.exact",
        [
            [
                number(one.record),
                say("screen.suda.complete", n=1 if one.complete else 0),
                one.kind,
                number(min(one.sizes, default=None)),
                number(int(one.by_size.sum())),
                in_figures(one.score),
            ]
            for one in found.found[:top]
        ],
    )
    tell(f"{found}.", "")


def show_record(found: RecordUniques, name: str | None) -> None:
    """Print Table A.3 of the paper for one record, which may have a name besides its number."""
    key = "screen.suda.one_record"
    frame = found.to_frame()
    heads = [say(f"{key}.column"), say(f"{key}.value")]
    heads += [say(f"{key}.of_size", size=size) for size in found.sizes]
    heads += [say(f"{key}.percent_of_size", size=size) for size in found.sizes]
    rows = [
        [row[0], row[1], *(number(n) for n in row[2 : 2 + len(found.sizes)]),
         *(figure(share, ".2f") for share in row[2 + len(found.sizes) :])]
        for row in frame.rows()
    ]  # fmt: skip
    title = say(f"{key}.title", record=found.record)
    print_table(
        title if name is None else f"{title} ({name})",
        [*heads, say(f"{key}.percent_of_score")],
        rows,
    )
    tell(f"{found}.", "")


def _validated(result: Suda) -> list[str]:
    """Print how right the scores are, and return it in sentences."""
    truth = result.validation
    if truth is None:
        return []
    kinds = truth.by_kind.to_dicts()
    show_table(
        "screen.suda.validation_kinds",
        [
            [
                row["kind"],
                number(row["records"]),
                percent(row["population_unique"]),
                percent(row["right"]),
                "–" if row["predicted"] is None else percent(row["predicted"]),
            ]
            for row in kinds
        ],
    )
    if len(truth.calibration):
        show_table(
            "screen.suda.calibration",
            [
                [
                    f"({low:g}, {high:g}]" if high else "0",
                    number(records),
                    figure(predicted, ".3f"),
                    figure(right, ".3f"),
                    figure(2 * sd, ".3f"),
                ]
                for low, high, records, predicted, right, sd, _ in truth.calibration.rows()
            ],
        )
    sentences = [f"{truth}.", say("suda.validation.assumption")]
    if truth.not_found:
        sentences.append(say("suda.validation.not_found", n=truth.not_found))
    return sentences


def _above(result: Suda) -> list[str]:
    """Return how many records are above the threshold, if there is one."""
    if result.threshold is None:
        return []
    above = int(result.above_threshold.sum())
    limit = in_figures(result.threshold)
    return [say("suda.above", n=above, records=number(result.records), threshold=limit)]


def _show_kinds(result: Suda) -> None:
    rows = [
        [say(f"suda.kinds.{kind}"), number(n), share_of(n, result.records)]
        for kind, n in result.records_by_kind.items()
    ]
    if rows:
        show_table("screen.suda.kinds", rows)


def _of_groups(result: Suda) -> list[list[str]]:
    return [
        [
            result.group_name(value),
            number(part.records),
            number(part.unique),
            number(part.with_uniques),
            in_figures(float(part.score.max(initial=0.0))),
        ]
        for value, part in result.groups.items()
    ]


def _show_sizes(result: Suda) -> None:
    weights, totals = result.weights.tolist(), result.summary["uniques_by_size"]
    having = (result.counts_by_size > 0).sum(axis=0).tolist()
    show_table(
        "screen.suda.sizes",
        [
            [size, number(totals[size]), number(records), in_figures(weight)]
            for size, records, weight in zip(totals, having, weights, strict=True)
        ],
    )


def _show_contributions(result: Suda, top: int) -> None:
    from singleout.core.frames import pl

    variables = result.variable_contributions.sort("share", descending=True, maintain_order=True)
    show_table(
        "screen.suda.variables",
        [[row["variable"], percent(row["share"])] for row in variables.to_dicts()],
    )
    values = result.value_contributions.filter(pl.col("share") > 0)
    if top and len(values):
        worst = values.sort("share", descending=True, maintain_order=True).head(top)
        show_table(
            "screen.suda.values",
            [
                [f"{row['variable']}={row['value']}", number(row["records"]), percent(row["share"])]
                for row in worst.to_dicts()
            ],
        )
    sets = result.set_contributions.filter(pl.col("size") > 1)
    if top and len(sets):
        show_table(
            "screen.suda.sets",
            [
                [row["set"], number(row["records"]), percent(row["share"])]
                for row in sets.head(top).to_dicts()
            ],
        )


def _show_records(result: Suda, risky: pl.DataFrame, identifier: str | None) -> None:
    heads = dict(words("screen.suda.heads"))
    heads["score"] = say("screen.suda.heads.score", size=result.max_size)
    if not result.has_dis_score:
        del heads["dis_score"]
    sizes = [name for name in risky.columns if name.startswith("uniques_of_size_")]
    rows = []
    for row in risky.to_dicts():
        cells = {
            "record": number(row["record"]),
            "score": in_figures(row["score"]),
            "lattice": percent(row["proportion_of_lattice"]),
            "dis_score": figure(row["dis_score"], ".4f") if result.has_dis_score else "",
            "uniques": number(sum(row[name] for name in sizes)),
        }
        rows.append([*([row["id"]] if identifier else []), *(cells[name] for name in heads)])
    named = [identifier] if identifier else []
    print_table(say("screen.suda.title"), [*named, *heads.values()], rows)
    tell(
        *(
            say("screen.suda.because", record=row["record"], because=row["because"])
            for row in risky.to_dicts()
        ),
        "",
    )
