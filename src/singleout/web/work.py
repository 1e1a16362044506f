"""The process of one job: waits for its turn, does the work, and writes what it found.

python -m singleout.web.work FOLDER
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from singleout.core.language import language, speaking
from singleout.core.progress import listening
from singleout.web.locks import held, try_lock
from singleout.web.workspaces import Workspace, write_json

__all__ = ["Task", "called", "ends_with_the_server", "main"]

_PAUSE = 0.1  # seconds between two looks whether it is one's turn
_EVERY = 0.2  # seconds between two reports of progress
_KINDER = 10  # the pages go first, and other programs are not kept waiting


@dataclass(frozen=True)
class Task:
    """What a function that runs as a job is given: its workspace, and a folder for its files."""

    workspace: Workspace
    folder: Path

    def file(self, name: str) -> Path:
        """Return where to write a file that can be downloaded later."""
        return self.folder / "files" / name


def main(folder: Path) -> None:
    """Do the work that a folder asks for."""
    ends_with_the_server()
    with held(folder / "lock"):
        write_json(folder / "pid", os.getpid())
        spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
        _wait_for_a_slot(Path(spec["slot_folder"]), spec["slots"])
        write_json(folder / "progress.json", {})
        _let_others_go_first()
        task = Task(Workspace(folder.parents[1]), folder)
        language(spec["language"])  # threads have no context
        outcome = called(
            lambda: function_named(spec["function"])(task, **spec["arguments"]),
            _Reporter(folder / "progress.json"),
            spec["language"],
        )
        source = task.workspace.source
        if source is not None:
            outcome = source.named(outcome)
        name = "result.json" if "error" not in outcome else "error.json"
        found = outcome.get("answer", {"sentence": outcome.get("error")})
        write_json(folder / name, found)


def _let_others_go_first() -> None:
    if hasattr(os, "nice"):
        os.nice(_KINDER)
    with suppress(OSError):  # Linux may share processors among sessions, and this is one of its own
        Path("/proc/self/autogroup").write_text(str(_KINDER), encoding="ascii")


def _wait_for_a_slot(folder: Path, slots: int) -> int:
    """Return the lock of a slot, which is kept until the process ends."""
    while True:
        for number in range(slots):
            lock = try_lock(folder / str(number))
            if lock is not None:
                return lock
        time.sleep(_PAUSE)


class _Reporter:
    """Writes the progress of the work, not more often than people can read it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = ("", 0.0)

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if what == self._last[0] and now - self._last[1] < _EVERY and done != total:
            return
        self._last = (what, now)
        with suppress(OSError):  # the workspace is being deleted
            write_json(self._path, {"what": str(what), "done": done, "total": total})


def called(
    function: Callable[[], Any], reporter: Callable[[str, int, int], None], code: str
) -> dict[str, Any]:
    """Return the answer of a function, or the sentence that says why there is none."""
    from singleout.errors import SingleoutError
    from singleout.web.errors import sentence_of

    with speaking(code), listening(reporter):
        try:
            return {"answer": function()}
        except (SingleoutError, MemoryError) as error:
            return {"error": sentence_of(error), "kind": type(error).__name__}
        # the last resort: whatever happens is a sentence, and a panic of polars is no Exception
        except BaseException as error:
            if os.environ.get("SINGLEOUT_DEBUG"):
                raise
            return {"error": sentence_of(error), "kind": "Mistake"}


def function_named(name: str) -> Callable[..., Any]:
    """Return a function of the web application by its name, ``module:function``."""
    module, _, function = name.partition(":")
    if not module.startswith("singleout.web."):
        raise ValueError(f"not a function of the web application: {name}")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found


def ends_with_the_server() -> None:
    """End this process once the server that started it is gone: its standard input is closed."""

    def wait() -> None:
        while os.read(0, 1024):
            continue
        os._exit(0)

    threading.Thread(target=wait, daemon=True).start()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
