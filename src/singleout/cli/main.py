"""The `singleout` command: its start, its end, and what it says when something is wrong."""

from __future__ import annotations

import errno
import os
import re
import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from singleout import __version__
from singleout.cli import (
    assess,
    columns,
    compare,
    demo,
    eliminate,
    funnel,
    plan,
    predict,
    qar,
    records,
    sets,
    suda,
)
from singleout.cli.ending import say_interrupted, told_to_end
from singleout.core.text import printable
from singleout.errors import SingleoutError

__all__ = ["app", "run"]

BAD_INPUT = 2
UNEXPECTED = 70
INTERRUPTED = 130

_NO_MEMORY = "There is not enough memory; give fewer columns or fewer records."

# what a mistyped command may hold, and a message about it repeat
_LOGIN = re.compile(r"([\w+.-]*:/*|//)[^\s'\"]*@")
_SECRET = re.compile(r"((?:password|passwd|pwd|token|secret)=)[^&\s'\"]+", re.IGNORECASE)

app = typer.Typer(
    name="singleout",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("assess")(assess.assess)
app.command("compare")(compare.compare)
app.command("columns")(columns.columns)
app.command("plan")(plan.plan)
app.command("sets")(sets.sets)
app.command("qar")(qar.qar)
app.command("records")(records.records)
app.command("eliminate")(eliminate.eliminate)
app.command("suda")(suda.suda)
app.add_typer(predict.app, name="predict")
app.command("funnel")(funnel.funnel)
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
    """Run the command line; exit with 0 (fine), 2 (bad input), 130 (interrupted) or 143 (ended)."""
    with told_to_end():
        code = _run()
    sys.exit(code)


def _run() -> int:
    _replace_unknown_characters()
    try:
        code = int(app(standalone_mode=False) or 0)
        sys.stdout.flush()
    except SingleoutError as error:
        return _say(str(error), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except MemoryError:
        return _say(_NO_MEMORY, BAD_INPUT)
    # the last resort, so that nobody meets a traceback; a panic of polars is no Exception
    except BaseException as error:
        if os.environ.get("SINGLEOUT_DEBUG"):
            raise
        return _last_words(error)
    if code == INTERRUPTED:
        say_interrupted()
    return code


def _replace_unknown_characters() -> None:
    """Let a terminal that knows few characters show something else for the others."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _last_words(error: BaseException) -> int:
    """Say what is wrong with the command, or that something is wrong with singleout."""
    if isinstance(error, SystemExit):
        return int(error.code or 0)
    if isinstance(error, BrokenPipeError):
        # the reader of a pipe left early: nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        return 0
    if hasattr(error, "format_message"):  # a mistake in the command, as typer reports it
        sentence = " ".join(str(error.format_message()).split())
        return _say(f"{sentence.rstrip('.')}. Try singleout --help.", BAD_INPUT)
    if isinstance(error, OSError):
        unwritten = f"The answer could not be written: {error.strerror or error}."
        return _say(_NO_MEMORY if error.errno == errno.ENOMEM else unwritten, BAD_INPUT)
    return _say(
        f"This should not happen: {type(error).__name__}: {error}. "
        "Run it again with SINGLEOUT_DEBUG=1 for the details, and please report them.",
        UNEXPECTED,
    )


def _say(sentence: str, code: int) -> int:
    print(printable(_without_passwords(sentence)), file=sys.stderr)
    return code


def _without_passwords(sentence: str) -> str:
    """Return a sentence without what comes before the host in addresses, whoever wrote it."""
    return _SECRET.sub(r"\1…", _LOGIN.sub(r"\1", sentence))
