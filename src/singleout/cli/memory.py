"""What to do where memory runs out: each command knows what it needs less of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from singleout.errors import BadChoice

__all__ = ["advised"]


@contextmanager
def advised(advice: str) -> Iterator[None]:
    """Say what needs less memory, where there is not enough."""
    try:
        yield
    except MemoryError:
        raise BadChoice(f"There is not enough memory; {advice}.") from None
