"""A folder of finished answers: a run that was interrupted resumes where it stopped.

Every answer is a file named by the fingerprint of its data, its question and its task, so an old
answer is never taken for a new one. A file appears under its name when it is complete; a damaged
one is computed again. The files hold arrays and JSON, no pickles: nothing in them can run.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from singleout.core.paths import expanded
from singleout.errors import BadChoice

__all__ = ["Checkpoint", "fingerprint"]

_FORMAT = "singleout checkpoint 2"
_CONTAINERS = {"tuple": tuple, "list": list, "dict": dict}
_DAMAGED = (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)
_number = count()


@runtime_checkable
class _Fingerprinted(Protocol):
    """An object that has a fingerprint of its own, of the parts that matter."""

    @property
    def fingerprint(self) -> str: ...


def fingerprint(*parts: Any) -> str:
    """Return 32 hexadecimal digits that differ where any of the parts differs.

    Equal parts have equal fingerprints in every process, which pickled bytes do not promise.

    >>> fingerprint("qar", 3) == fingerprint("qar", 3), fingerprint("qar", 3) == fingerprint("qar3")
    (True, False)
    """
    arrays: list[NDArray[Any]] = []
    digest = blake2b(json.dumps(_tree(parts, arrays, objects=True)).encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@dataclass(frozen=True)
class Checkpoint:
    """A folder that keeps answers by their fingerprints.

    An answer is an array of numbers, a plain value, or a tuple, list or dict of answers.
    """

    folder: Path

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> Checkpoint:
        """Return the checkpoint in a folder, which is made if need be and must be writable."""
        path = expanded(folder)
        try:
            # counts of single records are nobody else's business
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise _unusable(path, error) from None
        if not os.access(path, os.W_OK | os.X_OK):
            raise BadChoice(f"The checkpoint folder {str(path)!r} cannot be written to.")
        return cls(path)

    def find(self, key: str) -> tuple[Any] | None:
        """Return the answer kept under a fingerprint, in a tuple; None if there is no whole one."""
        try:
            with (
                self._file(key).open("rb") as opened,
                np.load(opened, allow_pickle=False) as archive,
            ):
                plan = json.loads(archive["plan"].tobytes())
                if (plan["format"], plan["of"]) != (_FORMAT, key):
                    return None
                return (_value(plan["answer"], archive),)
        except (FileNotFoundError, *_DAMAGED):
            return None
        except OSError as error:
            raise _unusable(self.folder, error) from None

    def keep(self, key: str, answer: Any) -> None:
        """Keep an answer under a fingerprint: the file is there whole or not at all."""
        arrays: list[NDArray[Any]] = []
        plan = json.dumps({"format": _FORMAT, "of": key, "answer": _tree(answer, arrays)})
        file = self._file(key)
        partial = file.with_name(f"{key}.{os.getpid()}-{next(_number)}.partial")
        try:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            with partial.open("wb") as opened:
                np.savez_compressed(opened, *arrays, plan=np.frombuffer(plan.encode(), np.uint8))
                opened.flush()
                os.fsync(opened.fileno())
            partial.replace(file)
        except OSError as error:
            raise _unusable(self.folder, error) from None

    def _file(self, key: str) -> Path:
        # few files in each folder: thousands of tasks are common
        return self.folder / key[:2] / f"{key}.npz"


def _unusable(path: Path, error: OSError) -> BadChoice:
    return BadChoice(f"The checkpoint folder {str(path)!r} cannot be used: {error.strerror}.")


def _tree(value: Any, arrays: list[NDArray[Any]], *, objects: bool = False) -> Any:
    """Return a value as JSON, its arrays apart; a list is the name of a type and its members."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        arrays.append(value)
        return ["array", len(arrays) - 1]
    members = _members(value, objects=objects)
    return [type(value).__name__, *(_tree(member, arrays, objects=objects) for member in members)]


def _members(value: Any, *, objects: bool) -> Iterable[Any]:
    if type(value) in (tuple, list):
        return list(value)
    if type(value) is dict:
        return value.items()
    if objects and isinstance(value, _Fingerprinted):
        return [value.fingerprint]
    if objects and is_dataclass(value):
        return [(field.name, getattr(value, field.name)) for field in fields(value)]
    raise TypeError(f"a {type(value).__name__} cannot be kept in a checkpoint")


def _value(tree: Any, archive: Mapping[str, NDArray[Any]]) -> Any:
    if not isinstance(tree, list):
        return tree
    kind, *members = tree
    if kind == "array":
        return archive[f"arr_{members[0]}"]
    return _CONTAINERS[kind](_value(member, archive) for member in members)
