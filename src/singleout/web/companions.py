"""A process beside each workspace that holds its table in memory and answers small questions.

Reading a file takes seconds, and a question about it milliseconds: so it is read once. Any process
of the server can ask; who asks first starts it. It ends by itself when nobody asks any more.
"""

from __future__ import annotations

import json
import time
from multiprocessing.connection import Client
from pathlib import Path
from typing import Any

from singleout.core.language import spoken
from singleout.web.errors import Refused
from singleout.web.jobs import end_process, is_ending, run_beside
from singleout.web.locks import held, is_held
from singleout.web.workspaces import Workspace

__all__ = ["Unanswered", "ask", "dismiss"]

_PATIENCE = 60.0  # seconds for an answer
_START = 30.0  # seconds for the process to start
_PAUSE = 0.02


class Unanswered(Exception):
    """A question that has no answer; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(sentence)


def ask(
    workspace: Workspace, function: str, *, patience: float = _PATIENCE, **arguments: Any
) -> Any:
    """Return what a function answers about the table of a workspace.

    Parameters
    ----------
    workspace
        Whose table.
    function
        ``singleout.web.….module:name``; it is called with a `Held` and the arguments, in the
        process that holds the table, and returns plain values.
    patience
        Seconds to wait for the answer.
    arguments
        Plain values.

    Raises
    ------
    Unanswered
        If the function raises an error of singleout.
    Refused
        If there is no answer in time; the process goes on, and can be asked again.
    """
    question = {"function": function, "arguments": arguments, "language": spoken()}
    for attempt in (1, 2):
        where = _running(workspace.folder)
        try:
            return _answered(where, question, patience)
        except (EOFError, ConnectionError, OSError):  # it has just ended
            if attempt == 2:
                raise Refused(503, "web.errors.companion") from None
    raise AssertionError("unreachable")


def dismiss(workspace: Workspace) -> None:
    """End the process."""
    end_process(workspace.folder)


def _answered(where: dict[str, Any], question: dict[str, Any], patience: float) -> Any:
    with Client(("127.0.0.1", where["port"]), authkey=bytes.fromhex(where["key"])) as connection:
        connection.send_bytes(json.dumps(question).encode())
        if not connection.poll(patience):
            raise Refused(503, "web.errors.slow_answer")
        outcome = json.loads(connection.recv_bytes())
    if "error" in outcome:
        raise Unanswered(outcome["error"])
    return outcome["answer"]


def _running(folder: Path) -> dict[str, Any]:
    """Return where to ask; start the process if there is none."""
    where = _where(folder)
    if where is not None:
        return where
    with held(folder / "start.lock"):
        where = _where(folder)
        if where is not None:
            return where
        if not is_held(folder / "lock"):
            run_beside(["singleout.web.answering", str(folder)])
        end = time.monotonic() + _START
        while (where := _where(folder)) is None:
            if is_ending() or time.monotonic() > end:
                raise Refused(503, "web.errors.companion")
            time.sleep(_PAUSE)
        return where


def _where(folder: Path) -> dict[str, Any] | None:
    if not is_held(folder / "lock"):
        return None
    try:
        found: dict[str, Any] = json.loads((folder / "ask.json").read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return found
