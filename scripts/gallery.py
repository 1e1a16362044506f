"""The reports of the gallery: the commands of docs/gallery.md, run in their order.

The page is the only list of them. A report goes to docs/gallery/, which is not kept but made anew
when the code or the page has changed.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "gallery.md"
FOLDER = CHECKOUT / "docs" / "gallery"

_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_EXIT = re.compile(r"\s*#\s*exit (\d+)\s*$")
_LINK = re.compile(r"\]\(gallery/([\w-]+)\.html\)")


def names() -> list[str]:
    """Return the reports that the page links to."""
    return list(dict.fromkeys(_LINK.findall(PAGE.read_text(encoding="utf-8"))))


def make(newest_source: float = 0.0) -> None:
    """Make all reports, unless each is newer than the page and than the newest source."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two builds at once: the second finds all done
        newest = max(newest_source, PAGE.stat().st_mtime)
        made = [FOLDER / f"{name}.html" for name in names()]
        if all(path.exists() and path.stat().st_mtime >= newest for path in made):
            return
        with tempfile.TemporaryDirectory() as folder:
            follow(Path(folder))
            for path in made:
                shutil.copyfile(Path(folder) / path.name, path)


def follow(folder: Path) -> None:
    """Do in a folder what the page says."""
    with contextlib.chdir(folder), patch.dict(os.environ, {"SINGLEOUT_LANGUAGE": "en"}):
        for language, title, text in _BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            if title:
                Path(title).write_text(text, encoding="utf-8")
            elif language == "python":
                exec(compile(text, PAGE.name, "exec"), {"__name__": "page"})
            else:
                for words, expected in commands(text):
                    _call(words, expected)


def commands(text: str) -> Iterator[tuple[list[str], int]]:
    """Yield the words of each command, with the exit code that it must have."""
    for line in text.splitlines():
        if line.startswith("$ "):
            code = _EXIT.search(line)
            yield shlex.split(_EXIT.sub("", line[2:])), int(code[1]) if code else 0


def _call(words: list[str], expected: int) -> None:
    """Run a command within this process: a new one each time loads every module again."""
    from singleout.cli.main import run

    said = io.StringIO()
    try:
        with (
            patch.object(sys, "argv", words),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            run()
    except SystemExit as end:
        if end.code == expected:
            return
    raise RuntimeError(f"docs/gallery.md: {shlex.join(words)}\n{said.getvalue()}")
