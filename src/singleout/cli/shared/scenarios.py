"""`singleout suda --key`: several keys in one run, compared."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.cli.shared import options
from singleout.cli.shared.data import with_ids
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.suda_files import parts_of, write_csv
from singleout.core.wording import figure, in_figures, percent
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.cli.shared.data import Reading
    from singleout.methods.suda.scenarios import SudaScenarios

__all__ = ["ScenarioFiles", "keys_of", "show_scenarios"]


@dataclass(frozen=True)
class ScenarioFiles:
    """What is written, and how the result is shown."""

    output: Path | None
    csv: Path | None
    plot: Path | None
    json: bool
    force: bool


def keys_of(texts: Sequence[str], idle: Collection[str]) -> dict[str, list[str]]:
    """Return the columns of each ``NAME=A,B,C``; refuse options that are for one key only."""
    if idle:
        raise BadChoice(f"{sorted(idle)[0]} is for one key; leave it out, or leave --key out.")
    keys: dict[str, list[str]] = {}
    for text in texts:
        name, found, columns = text.partition("=")
        if not found or not name.strip():
            raise BadChoice(f"--key {text!r} is no key; write it as neighbour=age,sex,street.")
        if name.strip() in keys:
            raise BadChoice(f"--key has {name.strip()!r} twice; give it once.")
        keys[name.strip()] = options.column_names([columns], "--key") or []
    return keys


def show_scenarios(
    data: str,
    reading: Reading,
    keys: Mapping[str, list[str]],
    choices: dict[str, Any],
    *,
    identifier: str | None,
    files: ScenarioFiles,
) -> None:
    """Search every key, write what was asked for and show the comparison."""
    from singleout.methods.suda.function import suda
    from singleout.methods.suda.question import COPIES
    from singleout.methods.suda.scenarios import search_scenarios

    path = parts_of(files.output).get("records")
    outputs = Outputs(
        json=files.json,
        csv=files.csv,
        plot=files.plot,
        files=[path],
        force=files.force,
        read=[data, choices["population"]],
        engine=reading.engine,
    )
    needed = [name for names in keys.values() for name in names]
    beside = [] if choices["weights"] is None else [choices["weights"]]
    needed = list(dict.fromkeys([*needed, *(choices["by"] or ()), *beside]))
    with shown_if_slow(), reading.records(data, needed, identifier, copies=COPIES) as records:
        table = records.table
        found: SudaScenarios = search_scenarios(suda, records, keys, **choices)

        def write(part: Path) -> None:
            write_csv(part, with_ids(found.to_frame(), table, identifier))

        private = [path, files.csv]
        outputs.write(chart=found.plot, files=dict.fromkeys(private, write), private=private)
    outputs.show(lambda: {"data": table.source, **found.to_dict(0)}, lambda: _show(found))


def _show(found: SudaScenarios) -> None:
    rows = [
        [
            row["scenario"],
            number(row["columns"]),
            number(row["max_size"]),
            number(row["unique"]),
            number(row["special"]),
            number(row["undecided"]),
            in_figures(row["highest_score"]),
            "–" if row["dis"] is None else percent(row["dis"]),
            "–" if row["highest_dis_score"] is None else figure(row["highest_dis_score"], ".4f"),
        ]
        for row in found.comparison.to_dicts()
    ]
    show_table("screen.suda.scenarios", rows)
    tell(f"{found}.", notes=found.notes)
