"""The page "The papers, figure by figure", from scripts/figures.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
MADE_BY = "<!-- Made by scripts/make_reference.py from scripts/figures.toml: change it there. -->"
COLUMNS = {
    "ORDINAL": "AGEP,EDU,PINCP_DECILE,NOC,NPF,DENSITY,HISP,RAC1P,OWN_RENT,HOUSING_TYPE",
    "KEY": "PUMA,AGEP,SEX,MSP,RAC1P,EDU,INDP_CAT",
}

_ABOUT = """\
# The papers, figure by figure

singleout unites four sources. For every numbered table and figure of theirs, this page has the
command that makes it from your data, or says why there is none. `demo.csv` is the demo: `singleout
demo --save demo.csv`. Every command is run by the tests.
"""


@dataclass(frozen=True)
class Item:
    """A numbered table or figure: what makes it, or why nothing does."""

    number: str
    shows: str
    command: str = ""
    why_not: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.why_not):
            raise ValueError(f"{self.number} needs either a command or a reason why there is none")

    @property
    def made_by(self) -> str:
        """The command, with the columns that it stands for."""
        return self.command.format(**COLUMNS)


@dataclass(frozen=True)
class Source:
    """A paper with its numbered tables and figures."""

    title: str
    file: str
    page: str
    about: str
    items: tuple[Item, ...]


def sources() -> tuple[Source, ...]:
    """Return what is written down about each paper."""
    entries = tomllib.loads((HERE / "figures.toml").read_text(encoding="utf-8"))["source"]
    return tuple(_source(entry) for entry in entries)


def _source(entry: dict[str, Any]) -> Source:
    items = tuple(Item(**item) for item in entry.pop("item"))
    return Source(**entry, items=items)


def papers_page() -> str:
    """Return the page."""
    return "\n".join([MADE_BY, "", _ABOUT, *(line for one in sources() for line in _section(one))])


def _section(source: Source) -> Iterator[str]:
    yield f"## {source.title}\n"
    yield f"{source.about.strip()} More is on [the page of the method]({source.page}).\n"
    for item in source.items:
        more = " ".join(part for part in (item.why_not, item.note) if part)
        yield f"**{item.number}.** {item.shows}.{' ' + more if more else ''}\n"
        if item.made_by:
            yield f"```text\n{item.made_by}\n```\n"
