"""All hostile cases. ``python tests/hostile/hostile_corpus.py FOLDER`` writes them to look at."""

from __future__ import annotations

import shlex
import sys
from itertools import chain
from pathlib import Path

import hostile_contents
import hostile_databases
import hostile_files
import hostile_options
import hostile_outputs
import hostile_plans
import hostile_text
import hostile_typed
import hostile_workbooks
from hostile_case import Case

PARTS = (
    hostile_text,
    hostile_contents,
    hostile_workbooks,
    hostile_typed,
    hostile_databases,
    hostile_files,
    hostile_outputs,
    hostile_plans,
    hostile_options,
)
CASES: tuple[Case, ...] = tuple(chain.from_iterable(part.cases() for part in PARTS))


def write(folder: Path) -> None:
    """Write each case into a folder of its own, and its command beside it, as a shell takes it."""
    for case in CASES:
        own = folder / case.name
        own.mkdir(parents=True)
        case.make(own)
        words = shlex.join(word.replace("\0", "") for word in case.words)
        script = f"cd {shlex.quote(str(own))} && singleout {words}\n"
        (folder / f"{case.name}.sh").write_text(script, "utf-8", "surrogateescape")


if __name__ == "__main__":
    if len(sys.argv) != 2 or Path(sys.argv[1]).exists():
        sys.exit("Give the name of a folder that does not exist yet.")
    write(Path(sys.argv[1]))
