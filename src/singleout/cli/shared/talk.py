"""How much a command says beside its answer: nothing with --quiet, a log with -v and -vv."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated

import typer

__all__ = ["Quiet", "Verbose", "is_quiet", "talking"]

Quiet = Annotated[bool, typer.Option("--quiet", help="Print no notes, and show no progress.")]
Verbose = Annotated[
    int,
    typer.Option(
        "--verbose",
        "-v",
        count=True,
        metavar="",
        show_default=False,
        help="Log to standard error what is opened and counted; -vv every statement's time.",
    ),
]

_quiet = ContextVar("quiet", default=False)


def is_quiet() -> bool:
    """Whether notes and progress are not wanted."""
    return _quiet.get()


@contextmanager
def talking(*, quiet: bool, verbose: int) -> Iterator[None]:
    """Say as much as was asked for, until the end of the command."""
    logger, before = logging.getLogger("singleout"), _quiet.set(quiet)
    level = logger.level
    handler = logging.StreamHandler(sys.stderr)
    if verbose:
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        logger.setLevel(logging.INFO if verbose == 1 else logging.DEBUG)
    else:
        handler.setLevel(logging.ERROR if quiet else logging.WARNING)
    logger.addHandler(handler)
    try:
        yield
    finally:
        _quiet.reset(before)
        logger.removeHandler(handler)
        logger.setLevel(level)
