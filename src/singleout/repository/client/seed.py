"""The records that come with the package, made from public tables by a script."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.bodies import VocabularyEntry
from singleout.repository.documents.canonical import read_json
from singleout.repository.documents.keys import HolderKey
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.inventories.entries import inventory_of

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository

__all__ = ["SEED_KEY", "plant", "read_seed", "seed_file", "temporary_file"]

# its noise hides nothing: the tables behind the records are public
SEED_KEY = HolderKey(hashlib.sha256(b"singleout seed repository").digest())
_NAME = "seed.json"
_LARGEST = 20_000_000


def seed_file() -> Path:
    """Return the file of the seed."""
    with as_file(files("singleout.repository.client") / _NAME) as path:
        return path


def read_seed(path: str | Path | None = None) -> dict[str, Any]:
    """Return the content of a seed: vocabularies, records and an inventory."""
    raw = (seed_file() if path is None else Path(path)).read_bytes()
    content: dict[str, Any] = read_json(raw, "seed", largest=_LARGEST)
    return content


def plant(repository: Repository, path: str | Path | None = None) -> None:
    """Publish a seed in a repository, signed with the key of the seed."""
    content = read_seed(path)
    bodies = [
        *(VocabularyEntry(vocabulary=Vocabulary.of(each)) for each in content["vocabularies"]),
        *(Record.of(each) for each in content["records"]),
        *(inventory_of(each) for each in content["inventory"]),
    ]
    for body in bodies:
        submission = Submission.sign(body, SEED_KEY)
        repository.store.append(submission, public_key=SEED_KEY.public_bytes)


def temporary_file() -> Path:
    """Return a name in a folder that is removed when Python ends."""
    folder = tempfile.mkdtemp(prefix="singleout-seed-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder) / "seed.db"
