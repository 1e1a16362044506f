"""Column names: unique, never blank, and the selection of some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from singleout.core.text import whole_characters
from singleout.errors import BadChoice, UnknownColumns, UnusableTable

__all__ = ["Wanted", "all_different", "filled", "pick"]


def filled(cells: Iterable[object]) -> list[str]:
    """Return header cells as names; a blank one is named by its position, as in ``column_3``."""
    texts = ["" if cell is None else str(cell) for cell in cells]
    return [text if text.strip() else f"column_{number}" for number, text in enumerate(texts, 1)]


def all_different(names: Iterable[object], source: str) -> tuple[str, ...]:
    """Return the names as text, or refuse them if one is repeated."""
    texts = tuple(str(name) for name in names)
    if not texts:
        raise UnusableTable(f"{source} has no columns; at least one is needed.")
    broken = [name for name in texts if whole_characters(name) != name]
    if broken:
        raise UnusableTable(
            f"{source} has a column called {broken[0]!r}, which holds half of a character; "
            "rename it."
        )
    repeated = [name for name, times in Counter(texts).items() if times > 1]
    if repeated:
        raise UnusableTable(
            f"{source} has more than one column called {repeated[0]!r}; "
            "column names must be different."
        )
    return texts


class Wanted(list[str]):
    """Columns to read, and others of the table whose name is like that."""

    def __init__(self, columns: Iterable[str], also: Callable[[str], bool]) -> None:
        super().__init__(columns)
        self.also = also


def pick(columns: Iterable[str] | None, available: Sequence[str]) -> list[str]:
    """Return the columns to read, in the asked order and each once; all of them if None."""
    if columns is None:
        return list(available)
    wanted = list(dict.fromkeys([columns] if isinstance(columns, str) else columns))
    if not wanted:
        raise BadChoice("No columns were asked for; name at least one, or leave columns out.")
    known = set(available)
    absent = [name for name in wanted if name not in known]
    if absent:
        raise UnknownColumns(absent, available)
    if isinstance(columns, Wanted):
        wanted += [name for name in available if name not in wanted and columns.also(name)]
    return wanted
