"""The `singleout` command: its start, its end, and what it says when something is wrong."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import typer

from singleout import __version__
from singleout.cli import (
    assess,
    attacker_risk,
    attribute_risk,
    columns,
    compare,
    contributions,
    demo,
    discrimination,
    diversity,
    doctor,
    eliminate,
    hipaa,
    individual_risk,
    plan,
    population_uniqueness,
    qar,
    serve,
    sets,
    suda,
)
from singleout.cli.assess import NOT_MET
from singleout.cli.predicting import funnel, person
from singleout.cli.predicting import subcommands as predict
from singleout.cli.repository import app as repository
from singleout.cli.repository import decide, publish, query
from singleout.cli.shared.advice import about_the_command, as_options, without_passwords
from singleout.cli.shared.configuration import configured
from singleout.cli.shared.ending import ending_on_signals, say_interrupted
from singleout.cli.shared.language import speaking_as_asked, with_language
from singleout.cli.treatment import covered, hierarchies, suggest, treat, utility
from singleout.core.paths import as_bytes
from singleout.core.text import ended, printable, whole_characters
from singleout.errors import (
    BadChoice,
    NotPublishable,
    SingleoutError,
    StoreChanged,
    UnwritableOutput,
)
from singleout.report.translation import translated

__all__ = ["app", "command", "run"]

BAD_INPUT = 2
UNEXPECTED = 70
UNWRITABLE = 74
HUNG_UP = 129
INTERRUPTED = 130
ENDED = 143

EXIT_CODES = {
    0: "all is well",
    NOT_MET: "the policy (assess, suggest, decide) or a wanted value (diversity) is not met, and "
    "everything was written; a record may not be published or no record answers (publish, query); "
    "a repository was changed (verify)",
    BAD_INPUT: "the data or the question cannot be used as given; one sentence says why",
    UNEXPECTED: "a mistake in singleout: please report it",
    UNWRITABLE: "the answer or a file cannot be written: no room, no right to, or closed",
    HUNG_UP: "the terminal was closed; what was not finished was not written",
    INTERRUPTED: "you interrupted it; what was not finished was not written",
    ENDED: "something told it to end; what was not finished was not written",
}

# the disk or the quota is full, the file may grow no more, or nothing may be written at all
_NO_ROOM = {
    number
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EROFS")
    if (number := getattr(errno, name, None)) is not None
}

_LONGEST_SENTENCE = 1500
_NO_MEMORY = "There is not enough memory; give fewer columns or fewer records."

app = typer.Typer(
    name="singleout",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 fine, 1 policy not met, not publishable or changed, 2 bad input, "
    "70 a mistake in singleout, 74 output cannot be written, 129, 130 or 143 interrupted.",
)
app.command("assess")(assess.assess)
app.command("compare")(compare.compare)
app.command("columns")(columns.columns)
app.command("plan")(plan.plan)
app.command("sets")(sets.sets)
app.command("qar")(qar.qar)
app.command("contributions")(contributions.contributions)
app.command("records", hidden=True)(contributions.contributions)
app.command("eliminate")(eliminate.eliminate)
app.command("suggest")(suggest.suggest)
app.command("treat")(treat.treat)
app.command("utility")(utility.utility)
app.command("covered")(covered.covered)
app.command("hierarchies")(hierarchies.hierarchies)
app.command("suda")(suda.suda)
app.command("discriminate")(discrimination.discrimination)
app.command("discrimination", hidden=True)(discrimination.discrimination)
app.command("attacker-risk")(attacker_risk.attacker_risk)
app.command("attribute-risk")(attribute_risk.attribute_risk)
app.command("hipaa")(hipaa.hipaa)
app.command("individual-risk")(individual_risk.individual_risk)
app.command("diversity")(diversity.diversity)
app.command("population-uniqueness")(population_uniqueness.population_uniqueness)
app.add_typer(predict.app, name="predict")
app.command("funnel")(funnel.funnel)
app.command("person")(person.person)
app.command("publish")(publish.publish)
app.command("query")(query.query)
app.command("decide")(decide.decide)
app.add_typer(repository.app, name="repository")
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)
app.command("doctor")(doctor.doctor)
app.command("warm")(doctor.warm)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"singleout {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Measure how easily a person can be singled out of your data."""
    # there is no configuration where another program runs the commands
    note = None if context.obj is None else context.obj.note(context.invoked_subcommand)
    if note is not None:
        typer.echo(translated(note), err=True)


@cache
def command() -> Any:
    """Return the command with all options; building it from the functions takes a while."""
    return with_language(typer.main.get_command(app))


def run() -> None:
    """Run the command line, and exit with the code that says how it ended."""
    with ending_on_signals():
        code = _run()
    sys.exit(code)


def _run() -> int:
    _open_what_is_closed()
    if sys.stdout is None:
        return _say("The answer cannot be written: the standard output is closed.", UNWRITABLE)
    _replace_unknown_characters()
    try:
        with speaking_as_asked(sys.argv[1:]):
            return _answer()
    except SingleoutError as error:  # there is no such language
        return _say(str(error), BAD_INPUT)


def _answer() -> int:
    out = sys.stdout
    try:
        _check_text(sys.argv[1:])
        options = configured(command())
        code = int(
            command()(
                standalone_mode=False,
                default_map=options.defaults,
                auto_envvar_prefix="SINGLEOUT",
                obj=options,
            )
            or 0
        )
        sys.stdout.flush()
    except SingleoutError as error:
        return _say(str(error), _code_of(error), about_options=True)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except MemoryError:
        return _say(_NO_MEMORY, BAD_INPUT)
    # the last resort, so that nobody meets a traceback; a panic of polars is no Exception
    except BaseException as error:
        if os.environ.get("SINGLEOUT_DEBUG"):
            raise
        return _last_words(error)
    finally:
        sys.stdout = out  # a command whose result goes there shows the rest elsewhere
    if code == INTERRUPTED:
        say_interrupted()
    return code


def _code_of(error: SingleoutError) -> int:
    if isinstance(error, NotPublishable | StoreChanged):
        return NOT_MET
    return UNWRITABLE if isinstance(error, UnwritableOutput) else BAD_INPUT


def _open_what_is_closed() -> None:
    """Open standard streams that are closed; otherwise the next file would take their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115


def _check_text(arguments: Iterable[str]) -> None:
    """Refuse arguments that are not valid Unicode: no screen and no file could hold them."""
    for text in arguments:
        if whole_characters(text) != text:
            raise BadChoice(
                f"'{as_bytes(text)}' is not text in UTF-8; write it in UTF-8, and if it is the "
                "name of a file, rename the file."
            )


def _replace_unknown_characters() -> None:
    """Let a terminal show a replacement for characters that its encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _last_words(error: BaseException) -> int:
    """Say what is wrong with the command, or that something is wrong with singleout."""
    if isinstance(error, typer.Abort):  # typer takes the end of any file for that of the input
        error = error.__cause__ or error
    if isinstance(error, SystemExit):
        return int(error.code or 0)
    if isinstance(error, BrokenPipeError):
        # the reader of a pipe closed it early: nothing more can be written
        _close_stdout()
        return 0
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # type: ignore[attr-defined]
        return 0
    if hasattr(error, "format_message"):  # a mistake in the command, as typer reports it
        return _say(about_the_command(error), BAD_INPUT)
    # what goes wrong with an open stream has no file name
    if isinstance(error, OSError) and (error.filename is None or error.errno in _NO_ROOM):
        return _of_the_system(error)
    return _say(
        f"This should not happen: {type(error).__name__}: {ended(str(error))} "
        "Run it again with SINGLEOUT_DEBUG=1 for the details, and please report them.",
        UNEXPECTED,
    )


def _of_the_system(error: OSError) -> int:
    if error.errno == errno.ENOMEM:
        return _say(_NO_MEMORY, BAD_INPUT)
    _close_stdout()
    return _say(f"The answer could not be written: {error.strerror or error}.", UNWRITABLE)


def _close_stdout() -> None:
    """Discard buffered output, which Python would otherwise flush again at exit."""
    with suppress(OSError):  # it is no file of the system
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(sentence: str, code: int, *, about_options: bool = False) -> int:
    sentence = translated(sentence)
    if about_options:
        sentence = as_options(sentence, command(), sys.argv[1:])
    print(_shortened(printable(without_passwords(sentence))), file=sys.stderr)
    return code


def _shortened(sentence: str) -> str:
    """Return a sentence that fits a screen: the middle of a long one is left out."""
    if len(sentence) <= _LONGEST_SENTENCE:
        return sentence
    half = _LONGEST_SENTENCE // 2
    return f"{sentence[:half]} … {sentence[-half:]}"
