"""What a person has disclosed so far, in a file of her own (C14).

Only how common her answers are is kept, not the answers: that is all that the next assessment
needs, and a file that is lost tells nobody who she is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from singleout.core.text import json_text
from singleout.errors import UnreadableFile, UnwritableOutput

__all__ = ["Disclosed", "DisclosureLedger"]

_KIND = "disclosed/1"


@dataclass(frozen=True)
class Disclosed:
    """One answer: to whom, when, which attribute, and the share of people who give the same."""

    attribute: str
    share: float | None
    to: str = ""
    on: str = ""


class DisclosureLedger:
    """What a person has disclosed, in a local file that only she can read.

    Parameters
    ----------
    path
        The file; it is made when something is added.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    @property
    def entries(self) -> tuple[Disclosed, ...]:
        """Everything disclosed, in order."""
        if not self.path.exists():
            return ()
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
            if content["kind"] != _KIND:
                raise KeyError("kind")
            return tuple(Disclosed(**entry) for entry in content["disclosed"])
        except (OSError, ValueError, KeyError, TypeError):
            raise UnreadableFile(
                f"{str(self.path)!r} is no ledger of what was disclosed; give another file, or one "
                "that does not exist yet."
            ) from None

    def shares(self) -> dict[str, float | None]:
        """Return how common each attribute's value is, the rarest if it was disclosed twice."""
        found: dict[str, float | None] = {}
        for entry in self.entries:
            before = found.get(entry.attribute)
            known = [each for each in (before, entry.share) if each is not None]
            found[entry.attribute] = min(known) if known else None
        return found

    def add(
        self, shares: Mapping[str, float | None], *, to: str = "", on: date | None = None
    ) -> None:
        """Remember that answers were given.

        Parameters
        ----------
        shares
            For each attribute, the share of people who have the same value; None if not known.
        to
            Whom they were given to.
        on
            When; today if absent.
        """
        day = (on or date.today()).isoformat()
        entries = [
            *self.entries,
            *(Disclosed(name, each, to, day) for name, each in shares.items()),
        ]
        content: dict[str, Any] = {"kind": _KIND, "disclosed": [vars(each) for each in entries]}
        partial = self.path.with_name(self.path.name + ".part")
        try:
            handle = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(json_text(content))
            partial.replace(self.path)
        except OSError as error:
            raise UnwritableOutput(
                f"{str(self.path)!r} cannot be written ({error.strerror}); give another file."
            ) from None
