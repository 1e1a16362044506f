"""The files that data is read from, so that no output ever overwrites one of them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from singleout.core.paths import expanded
from singleout.engines.sql.urls import is_database_url, read_url
from singleout.io.files import scheme_of
from singleout.io.size import PARQUET

if TYPE_CHECKING:
    from singleout.core.targets import OutputTarget

__all__ = ["Inputs", "is_data"]

# what SQLite and DuckDB keep beside a database, and read with it
_BESIDE = ("-wal", "-shm", "-journal", ".wal")
_ALTERNATIVES = re.compile(r"\{([^{}]*)\}")


class Inputs:
    """Everything that a command reads: URLs of databases, files, folders and glob patterns.

    ``spark`` says that Spark reads it: then every file in a folder is data.
    """

    def __init__(self, inputs: Iterable[str | Path | None], *, spark: bool = False) -> None:
        self._spark = spark
        self._identities: set[tuple[int, int]] = set()
        self._names: set[Path] = set()  # with links followed
        self._folders: list[Path] = []
        self._patterns: list[Path] = []
        for one in inputs:
            if one is not None and os.fspath(one).strip():
                self._add(os.fspath(one))

    def hold(self, target: OutputTarget) -> bool:
        """Whether an output is one of the files that are read, under any name."""
        state = target.state
        if state is not None and (state.st_dev, state.st_ino) in self._identities:
            return True
        return target.file in self._names

    def would_hold(self, target: OutputTarget) -> bool:
        """Whether a new file would be read as well when the command is run again."""
        if target.is_stream:
            return False
        for folder in self._folders:
            if target.file.is_relative_to(folder) and self._takes(target.file, folder):
                return True
        unresolved = Path(os.path.realpath(target.given.parent)) / target.given.name
        names = {unresolved.parts, target.file.parts}
        return any(_match(name, pattern.parts) for name in names for pattern in self._patterns)

    # ---- what is read

    def _add(self, text: str) -> None:
        if is_database_url(text):
            with suppress(ValueError):  # an impossible name: the reader says so
                for file in read_url(text).files:
                    self._add_database(file)
            return
        for path in _possible_paths(text):
            self._add_files(path)

    def _add_database(self, file: Path) -> None:
        real = Path(os.path.realpath(file))
        for base in {file.absolute(), real}:
            for ending in ("", *_BESIDE):
                self._add_file(base.with_name(base.name + ending))

    def _add_files(self, path: Path) -> None:
        """Add a file, those in a folder, or those that match a pattern."""
        matches = [path]
        with suppress(OSError, ValueError):  # an impossible name: the reader says so
            if glob.has_magic(str(path)) and not path.exists():
                self._patterns.append(Path(os.path.realpath(path)))
                # a pattern may be absolute, which pathlib does not take
                matches = [Path(match) for match in glob.iglob(str(path), recursive=True)]  # noqa: PTH207
            for one in matches:
                self._add_folder(one) if one.is_dir() else self._add_file(one)

    def _add_folder(self, folder: Path) -> None:
        self._folders.append(Path(os.path.realpath(folder)))
        for file in folder.rglob("*"):
            if self._takes(file, folder) and file.is_file():
                self._add_file(file)

    def _add_file(self, file: Path) -> None:
        self._names.add(Path(os.path.realpath(file)))
        with suppress(OSError):  # it does not exist, or may not be read: the reader says so
            state = file.stat()
            self._identities.add((state.st_dev, state.st_ino))

    def _takes(self, file: Path, folder: Path) -> bool:
        """Whether a file in a folder is read with it."""
        known = self._spark or file.suffix.lower() in PARQUET
        return known and is_data(file.relative_to(folder))


def is_data(path: Path) -> bool:
    """Whether Spark takes a file for data: not if a name starts with a dot or an underscore."""
    return not any(
        part.startswith(".") or (part.startswith("_") and "=" not in part) for part in path.parts
    )


def _possible_paths(text: str) -> Iterator[Path]:
    """Yield the paths that a text may stand for on this machine, glob patterns among them."""
    scheme = scheme_of(text)
    if scheme is not None:
        if scheme == "file":  # Spark takes such a URL
            yield Path("/" + text.partition(":")[2].lstrip("/"))
        return
    yield Path(text)
    if text.startswith("~"):
        yield expanded(text)
    braces = _ALTERNATIVES.search(text)  # Spark knows {a,b} in patterns
    if braces is not None:
        for one in braces[1].split(","):
            yield from _possible_paths(text[: braces.start()] + one + text[braces.end() :])


def _match(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Whether a path matches a pattern, folder by folder; ``**`` stands for any of them."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_match(parts[begin:], pattern[1:]) for begin in range(len(parts) + 1))
    if not parts or (parts[0].startswith(".") and not pattern[0].startswith(".")):
        return False
    return fnmatchcase(parts[0], pattern[0]) and _match(parts[1:], pattern[1:])
