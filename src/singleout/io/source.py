"""What every reader returns: typed columns and their labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

__all__ = ["Source"]


@dataclass(frozen=True)
class Source:
    """A table before encoding, with the types of its source: text stays text."""

    frame: pl.DataFrame
    name: str  # for people
    labels: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)  # of values, by column
    descriptions: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # one sentence each
