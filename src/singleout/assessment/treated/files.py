"""The files that a treatment is written to: never the data itself, and a log with sentences."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import polars as pl

__all__ = ["log_content", "refuse_input"]


def refuse_input(to: Path, data: Any) -> None:
    """Refuse to write over what was read, or into it: a file that would be read the next time."""
    from singleout.core.targets import target_of
    from singleout.engines.inputs import Inputs
    from singleout.errors import BadChoice

    if not isinstance(data, str | os.PathLike):
        return
    inputs, target = Inputs([os.fsdecode(data)]), target_of(to)
    if inputs.hold(target):
        raise BadChoice(f"{str(to)!r} is the file that was read; choose another name.")
    if inputs.would_hold(target):
        raise BadChoice(
            f"{str(to)!r} would be a part of the data the next time it is read; choose another "
            "name or folder."
        )


def log_content(log: pl.DataFrame, steps: Steps) -> pl.DataFrame:
    """Return what the file of a log holds: the sentence of each step, harmless in a spreadsheet."""
    from singleout.core.frames import pl
    from singleout.core.text import spreadsheet_safe

    sentences = dict(enumerate(steps.sentences, start=1))
    words = pl.Series("what", [sentences.get(step) for step in log["step"]], dtype=pl.String)
    written = log.with_columns(words)
    texts = [name for name, kind in written.schema.items() if kind == pl.String]
    safe = written.with_columns(
        pl.Series(name, [spreadsheet_safe(v) for v in written[name]], dtype=pl.String)
        for name in texts
    )
    return safe.select("step", "what", "column", "from", "to", "records")
