"""The process that holds the table of a workspace and answers questions about it.

python -m singleout.web.answering FOLDER
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import time
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.web.locks import try_lock
from singleout.web.work import called, ends_with_the_server, function_named
from singleout.web.workspaces import Workspace, write_json

if TYPE_CHECKING:
    from singleout.core.table import Table
    from singleout.engines.counter import Counter

__all__ = ["Held", "main"]

_IDLE = 900.0  # seconds without a question until it ends
_LOOK = 10.0  # seconds between two looks at the clock


class Held:
    """The data of a workspace, read once; read anew when other data was chosen."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._key = ""
        self._counter: Counter | None = None
        self.kept: dict[str, Any] = {}  # what functions keep between two questions on the same data

    def counter(self) -> Counter:
        """Return what counts the data that is chosen now."""
        from singleout.web.opening import opened

        source = self.workspace.source
        if source is None:
            from singleout.errors import BadChoice

            raise BadChoice("There is no data yet; choose a file first.")
        if self._counter is None or self._key != source.key:
            if self._counter is not None:
                self._counter.close()
            self.kept.clear()
            self._counter, self._key = opened(source), source.key
        return self._counter

    def table(self) -> Table:
        """Return all records; fetched where they are elsewhere."""
        counter = self.counter()
        return counter.held.table if counter.held is not None else counter.records(None).table


class _Answering:
    """Answers one question after another, from whatever process of the server."""

    def __init__(self, workspace: Workspace) -> None:
        self._held = Held(workspace)
        self._turn = threading.Lock()
        self.last = time.monotonic()

    def connection(self, connection: Connection) -> None:
        """Answer what a connection asks."""
        with connection:
            question = json.loads(connection.recv_bytes())
            with self._turn:
                outcome = called(
                    lambda: function_named(question["function"])(
                        self._held, **question["arguments"]
                    ),
                    lambda *_: None,
                    question["language"],
                )
                self.last = time.monotonic()
            source = self._held.workspace.source
            if source is not None:
                outcome = source.named(outcome)
            connection.send_bytes(json.dumps(outcome).encode())


def main(folder: Path) -> None:
    """Answer questions until nobody asks any more."""
    ends_with_the_server()
    lock = try_lock(folder / "lock")
    if lock is None:  # another was faster
        return
    key = secrets.token_bytes(32)
    with Listener(("127.0.0.1", 0), authkey=key) as listener:
        (folder / "ask.json").unlink(missing_ok=True)
        write_json(folder / "pid", os.getpid())
        answering = _Answering(Workspace(folder))
        threading.Thread(target=_end_when_idle, args=(answering, folder), daemon=True).start()
        write_json(folder / "ask.json", {"port": listener.address[1], "key": key.hex()})
        while True:
            _accept(listener, answering)


def _accept(listener: Listener, answering: _Answering) -> None:
    from multiprocessing import AuthenticationError

    try:
        connection = listener.accept()
    except (AuthenticationError, EOFError, OSError):  # somebody else, or one who left
        return
    threading.Thread(target=answering.connection, args=(connection,), daemon=True).start()


def _end_when_idle(answering: _Answering, folder: Path) -> None:
    while time.monotonic() - answering.last < _IDLE and folder.exists():
        time.sleep(_LOOK)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
