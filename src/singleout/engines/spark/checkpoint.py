"""A folder of finished answers: a run that was cut short goes on where it stopped.

Every answer has a file of its own, named by what it answers: the data, the question and the task.
Other data or another question have other names, so an old answer is never taken for a new one. A
file appears under its name when it is complete; one that is damaged all the same is done again.
The files hold arrays of numbers and what joins them, no Python objects: nothing in them can run.
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import blake2b
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.paths import expanded
from singleout.core.table import Table
from singleout.errors import BadChoice

__all__ = ["Checkpoint", "fingerprint", "pack", "unpack"]

_FORMAT = "singleout checkpoint 1"
_PLAIN = (bool, int, float, str, type(None))
_number = count()


# ---- what an answer is an answer to


def fingerprint(*parts: Any) -> str:
    """Return 32 hexadecimal digits that differ where any of the parts differs.

    An object may have a ``fingerprint`` of its own, text, where more than its parts makes it what
    it is, or less. Equal parts have equal fingerprints in every process, which pickled bytes do not
    promise.

    >>> fingerprint("qar", 3) == fingerprint("qar", 3), fingerprint("qar", 3) == fingerprint("qar3")
    (True, False)
    """
    digest = blake2b(digest_size=16)
    for part in parts:
        _feed(digest.update, part)
    return digest.hexdigest()


def _feed(update: Callable[[Any], None], part: Any) -> None:
    """Add a part, each kind with a mark of its own and its length: nothing runs together."""
    own = getattr(part, "fingerprint", None)
    if isinstance(own, str):
        _mark(update, "own", own.encode())
    elif isinstance(part, np.ndarray):
        _mark(update, f"array {part.dtype.str} {part.shape}", b"")
        update(np.ascontiguousarray(part).data)
    elif isinstance(part, (*_PLAIN, np.generic)):
        plain = part.item() if isinstance(part, np.generic) else part
        _mark(update, type(plain).__name__, repr(plain).encode("utf-8", "surrogatepass"))
    elif isinstance(part, bytes):
        _mark(update, "bytes", part)
    else:
        members = _members(part)
        _mark(update, f"{type(part).__qualname__} {len(members)}", b"")
        for member in members:
            _feed(update, member)


def _mark(update: Callable[[Any], None], kind: str, content: bytes) -> None:
    update(f"{kind} {len(content)}:".encode())
    update(content)


def _members(part: Any) -> list[Any]:
    if isinstance(part, Table):
        # codes and how many there can be: what values they stand for changes no count
        return [str(part.missing), *((c.name, c.levels, c.missing_code, c.codes) for c in part)]
    if is_dataclass(part) and not isinstance(part, type):
        return [(field.name, getattr(part, field.name)) for field in fields(part)]
    if isinstance(part, Mapping):
        return [member for pair in part.items() for member in pair]
    if isinstance(part, range):
        return [part.start, part.stop, part.step]
    if isinstance(part, tuple | list):
        return list(part)
    raise TypeError(f"a {type(part).__name__} has no fingerprint")


# ---- answers as bytes


def pack(answer: Any, of: str = "") -> bytes:
    """Return an answer as bytes: arrays in a zip archive, with a plan of how they belong together.

    Parameters
    ----------
    answer
        Arrays of numbers, plain values, and tuples, lists and dicts of these.
    of
        What it answers; `unpack` gives it back.
    """
    arrays: list[NDArray[Any]] = []
    plan = json.dumps({"format": _FORMAT, "of": of, "answer": _taken_apart(answer, arrays)})
    buffer = BytesIO()
    named = {f"a{index}": array for index, array in enumerate(arrays)}
    np.savez_compressed(buffer, plan=np.frombuffer(plan.encode(), dtype=np.uint8), **named)  # type: ignore[arg-type]
    return buffer.getvalue()


def unpack(content: bytes) -> tuple[Any, str]:
    """Return an answer and what it answers; ValueError if the bytes are damaged."""
    try:
        with np.load(BytesIO(content), allow_pickle=False) as archive:
            plan = json.loads(archive["plan"].tobytes())
            if plan["format"] != _FORMAT:
                raise ValueError(f"the format is {plan['format']!r}")
            return _put_together(plan["answer"], archive), plan["of"]
    except (OSError, EOFError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"not a whole answer: {error}") from None


def _taken_apart(answer: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(answer, np.ndarray) and answer.dtype.kind in "biuf":
        arrays.append(answer)
        return {"array": len(arrays) - 1}
    if isinstance(answer, (*_PLAIN, np.generic)):
        return {"plain": answer.item() if isinstance(answer, np.generic) else answer}
    if isinstance(answer, tuple | list):
        return {type(answer).__name__: [_taken_apart(member, arrays) for member in answer]}
    if isinstance(answer, dict):
        pairs = [[_taken_apart(one, arrays) for one in pair] for pair in answer.items()]
        return {"dict": pairs}
    raise TypeError(f"an answer of type {type(answer).__name__} cannot be kept in a checkpoint")


def _put_together(plan: dict[str, Any], archive: Mapping[str, NDArray[Any]]) -> Any:
    ((kind, content),) = plan.items()
    if kind == "array":
        return archive[f"a{content}"]
    if kind == "plain":
        return content
    if kind == "dict":
        return {_put_together(k, archive): _put_together(v, archive) for k, v in content}
    members = [_put_together(member, archive) for member in content]
    return tuple(members) if kind == "tuple" else members


# ---- the folder


@dataclass(frozen=True)
class Checkpoint:
    """A folder that keeps answers by what they answer.

    Parameters
    ----------
    folder
        Where the files are; made where it does not exist.
    """

    folder: Path

    @classmethod
    def at(cls, folder: str | os.PathLike[str]) -> Checkpoint:
        """Return the checkpoint in a folder, which must be one that can be written to."""
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
            answer, of = unpack(self._file(key).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise _unusable(self.folder, error) from None
        return (answer,) if of == key else None

    def keep(self, key: str, answer: Any) -> None:
        """Keep an answer under a fingerprint: the file is there whole or not at all."""
        file = self._file(key)
        partial = file.with_name(f"{key}.{os.getpid()}-{next(_number)}.partial")
        try:
            file.parent.mkdir(mode=0o700, exist_ok=True)
            with partial.open("wb") as opened:
                opened.write(pack(answer, key))
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
