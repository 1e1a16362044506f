"""A repository, opened for one question; the one to practise with is made when first needed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.web.locks import held

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository

__all__ = ["opened"]

_KEY = "holder.key"
_STATE = "SINGLEOUT_STATE"  # where heads and receipts are remembered


@contextmanager
def opened(where: Mapping[str, Any]) -> Iterator[Repository]:
    """Give a repository; whatever was written to a file is sealed at the end."""
    from singleout.repository.client.repository import Repository

    if where["kind"] != "practice":
        with Repository(where["target"]) as repository:
            yield repository
        return
    file = Path(where["target"])
    with _remembering_in(file.parent.with_name("practice-state")):
        if not file.exists():
            with held(file.parent.with_name("practice.lock")):
                if not file.exists():  # a job has made it meanwhile
                    _make(file)
        with Repository(file, key=file.parent / _KEY) as repository:
            yield repository


def _make(file: Path) -> None:
    """Make the repository to practise with, and a key of its own: nothing of it is for others."""
    from singleout.repository.client.repository import Repository
    from singleout.repository.documents.keys import HolderKey

    part = file.parent.with_name(f"{file.parent.name}-part")
    shutil.rmtree(part, ignore_errors=True)  # one that was not finished
    part.mkdir(mode=0o700)
    HolderKey.make().save(part / _KEY)
    Repository.seed(part / file.name).close()
    part.rename(file.parent)


@contextmanager
def _remembering_in(folder: Path) -> Iterator[None]:
    """Remember heads in a folder of the workspace: it is deleted with the repository."""
    before = os.environ.get(_STATE)
    os.environ[_STATE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[_STATE]
        else:
            os.environ[_STATE] = before
