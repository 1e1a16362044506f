"""Answers kept by the size of the tree: the log only grows, so an answer holds until it does."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

__all__ = ["FreshNumber", "KeptAnswers"]

_Key = tuple[str | bytes, ...]
_Answer = TypeVar("_Answer")


class KeptAnswers(Generic[_Answer]):
    """Answers to questions about one size of the tree, up to so many bytes."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._size = -1
        self._answers: OrderedDict[_Key, tuple[_Answer, int]] = OrderedDict()

    def get(self, size: int, key: _Key) -> _Answer | None:
        """Return the answer for a tree of this size, if it is kept."""
        if size != self._size:
            return None
        found = self._answers.get(key)
        if found is None:
            return None
        self._answers.move_to_end(key)
        return found[0]

    def put(self, size: int, key: _Key, answer: _Answer, weight: int) -> None:
        """Keep an answer; all that belong to a smaller tree are dropped."""
        if size < self._size or weight > self._room:
            return
        if size > self._size:
            self._answers.clear()
            self._size, self._used = size, 0
        if key in self._answers:
            self._used -= self._answers.pop(key)[1]
        self._answers[key] = (answer, weight)
        self._used += weight
        while self._used > self._room:
            _, (_, freed) = self._answers.popitem(last=False)
            self._used -= freed


class FreshNumber:
    """A number read for all who wait for it at once.

    Nobody gets a number whose reading began before the question came, so what others committed
    before is always seen.
    """

    def __init__(self, read: Callable[[], Awaitable[int]]) -> None:
        self._read = read
        self._running: asyncio.Task[int] | None = None
        self._next: asyncio.Task[int] | None = None

    async def get(self) -> int:
        """Return the number as of now or later."""
        if self._running is None or self._running.done():
            self._running = asyncio.ensure_future(self._read())
            return await asyncio.shield(self._running)
        if self._next is None or self._next.done():
            self._next = asyncio.ensure_future(self._after(self._running))
        return await asyncio.shield(self._next)

    async def _after(self, earlier: asyncio.Task[int]) -> int:
        await asyncio.wait([earlier])
        self._running, self._next = self._next, None
        return await self._read()
