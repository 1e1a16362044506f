"""What went wrong, as a sentence in the language of the page, with what to do about it."""

from __future__ import annotations

from typing import Any

from singleout.core.text import ended, printable
from singleout.errors import SingleoutError
from singleout.report.say import say
from singleout.report.translation import translated

__all__ = ["Refused", "sentence_of"]

_LONGEST = 1500


class Refused(Exception):
    """A request that is refused, with its status and the key of its sentence."""

    def __init__(self, status: int, key: str, **values: Any) -> None:
        self.status = status
        self.key = key
        self.values = values
        super().__init__(key)

    @property
    def sentence(self) -> str:
        """What was wrong, and what would work."""
        return say(self.key, **self.values)


def sentence_of(error: BaseException) -> str:
    """Return what an error says to a person: never a traceback, no control character, not long."""
    if isinstance(error, Refused):
        return error.sentence
    if isinstance(error, MemoryError):
        return say("web.errors.memory")
    if not isinstance(error, SingleoutError):
        return say("web.errors.mistake", kind=type(error).__name__)
    text = printable(without_folders(translated(str(error))))
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    return ended(text)


def without_folders(text: str) -> str:
    """Return a sentence without the temporary folder of the server, which says nothing to users."""
    import re
    import tempfile

    folder = re.escape(tempfile.gettempdir())
    return re.sub(rf"{folder}[/\\]singleout-web-[^\s'\"]*[/\\]", "", text)
