"""The job that checks a log: whole for a file; for a service, what can be seen from here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.core.progress import working_on
from singleout.errors import SingleoutError, StoreChanged
from singleout.report.say import say
from singleout.web.errors import sentence_of
from singleout.web.repositories.opening import opened
from singleout.web.work import Task

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository

__all__ = ["prove"]


def prove(_: Task, where: Mapping[str, Any]) -> dict[str, Any]:
    """Check that nothing was changed or removed; return the head of the log, or what was."""
    asked = {"target": where["target"]}
    try:
        with opened(where) as repository:
            working_on(say("web.repository.proving"))
            seen = _seen(repository)
            head = repository.verify()
            return {
                **asked,
                "whole": True,
                "remote": repository.is_remote,
                "seen": seen,
                "size": head.size,
                "root": head.root,
                "time": head.time,
                "key": head.key,
                "sealed": _is_sealed(repository),
            }
    except StoreChanged as error:
        return {**asked, "whole": False, "sentence": _shown(error, where), "entry": error.entry}
    except SingleoutError as error:  # it cannot be opened or reached: nothing is known of the log
        return {**asked, "whole": None, "sentence": _shown(error, where)}


def _is_sealed(repository: Repository) -> bool:
    """Whether every byte of a file was compared; of a service nothing is known."""
    from singleout.repository.store.store import Store

    return not isinstance(repository.store, Store) or repository.store.is_sealed()


def _shown(error: SingleoutError, where: Mapping[str, Any]) -> str:
    """Return what went wrong, without the folder that the file lies in."""
    return sentence_of(error).replace(where["target"], where["shown"])


def _seen(repository: Repository) -> dict[str, Any] | None:
    """Return the head that was seen last from here."""
    from singleout.repository.log.heads import RememberedHeads

    head = RememberedHeads().get(repository.location)
    return None if head is None else {"size": head.size, "time": head.time}
