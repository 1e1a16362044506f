"""The data of a workspace, opened as every command opens it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.web.workspaces import Source

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["opened"]


def opened(source: Source) -> Counter:
    """Return what counts the data of a workspace; to be closed."""
    from singleout.engines.open import open_data

    if source.kind == "demo":
        from singleout.io.demo import demo

        return open_data(demo(), where=source.where)
    return open_data(source.data, where=source.where, **source.reading)
