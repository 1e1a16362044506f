"""The `singleout` command: its start, its end, and what it says when something is wrong."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from singleout import __version__
from singleout.cli import columns, demo, sets
from singleout.core.text import printable
from singleout.errors import SingleoutError

__all__ = ["app", "run"]

BAD_INPUT = 2
UNEXPECTED = 70
INTERRUPTED = 130

app = typer.Typer(
    name="singleout",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("columns")(columns.columns)
app.command("sets")(sets.sets)
app.command("demo")(demo.demo)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"singleout {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Measure how easily a person can be singled out of your data."""


def run() -> None:
    """Run the command line; exit with 0 (fine), 2 (bad input) or 130 (interrupted)."""
    sys.exit(_run())


def _run() -> int:
    try:
        app()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            return _say("Interrupted: what was not finished was not written.", INTERRUPTED)
        raise
    except SingleoutError as error:
        return _say(str(error), BAD_INPUT)
    except MemoryError:
        return _say("There is not enough memory; give fewer columns or fewer records.", BAD_INPUT)
    except Exception as error:
        if os.environ.get("SINGLEOUT_DEBUG"):
            raise
        return _say(
            f"This should not happen: {type(error).__name__}: {error}. "
            "Run it again with SINGLEOUT_DEBUG=1 for the details, and please report them.",
            UNEXPECTED,
        )
    return 0


def _say(sentence: str, code: int) -> int:
    print(printable(sentence), file=sys.stderr)
    return code
