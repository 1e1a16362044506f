"""What every reader returns: the columns as the source typed them, and their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A table as its source holds it, before encoding.

    Parameters
    ----------
    frame
        The columns, typed as the source typed them: text stays text.
    name
        Where it came from, in words for people.
    labels
        For each column, what values mean in words.
    descriptions
        For each column, what it means in words.
    notes
        What a reader should know, one sentence each.
    """

    frame: pl.DataFrame
    name: str
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
