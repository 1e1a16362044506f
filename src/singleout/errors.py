"""What can go wrong, each as one sentence that says what was given and what would work.

    SingleoutError
    ├── InputError                the data or the question cannot be used as given
    │   ├── UnreadableFile        missing, empty, damaged, locked or of an unknown kind
    │   │   └── NoRepository      no repository, or damaged so that it cannot be opened
    │   ├── UnusableTable         no rows, no columns, duplicate names, too large
    │   ├── UnusableColumn        a column of lists, or text where numbers are needed
    │   ├── UnknownColumns        names that the table does not have
    │   ├── BadChoice             an option or a combination of options that has no meaning
    │   └── BadSubmission         a document of a repository that is malformed, forged or expired
    ├── UndefinedMeasure          a measure that does not exist under the chosen policy
    ├── UnreachableData           a database or cluster that does not answer, or no longer
    ├── UnwritableOutput          no room, no right to write, or an output that is closed
    ├── NotPublishable            a record that would reveal too much about single persons
    ├── NotAllowed                a role, a token or an access tier that does not permit it
    ├── StoreChanged              a repository whose log does not verify; names the entry
    └── MissingDependency         an optional part that is not installed

The command line prints the sentence and exits with 2, or 74 for an output that cannot be written;
nothing below it catches these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "BadChoice",
    "BadSubmission",
    "InputError",
    "MissingDependency",
    "NoRepository",
    "NotAllowed",
    "NotPublishable",
    "SingleoutError",
    "StoreChanged",
    "UndefinedMeasure",
    "UnknownColumns",
    "UnreachableData",
    "UnreadableFile",
    "UnusableColumn",
    "UnusableTable",
    "UnwritableOutput",
    "did_you_mean",
    "nearest",
]

_NAMES_SHOWN = 30
_LONGEST_COMPARED = 200  # comparing two texts takes the product of their lengths


class SingleoutError(Exception):
    """Everything this package raises on purpose."""


class InputError(SingleoutError, ValueError):
    """The data or the question cannot be used as given."""


class UnreadableFile(InputError):
    """A file that is missing, empty, damaged, locked or of an unknown kind."""


class NoRepository(UnreadableFile):
    """A file that is no repository, or one that is damaged so that it cannot be opened."""


class UnusableTable(InputError):
    """A table without rows or columns, with duplicate names, or too large."""


class UnusableColumn(InputError):
    """A column that holds something other than one plain value per record."""


class UnknownColumns(InputError):
    """Names that the table does not have.

    Parameters
    ----------
    wanted
        The names that were asked for and not found.
    available
        The names of the table, in its order.
    """

    def __init__(self, wanted: Iterable[str], available: Sequence[str]) -> None:
        self.wanted = tuple(wanted)
        self.available = tuple(available)
        shown = ", ".join(repr(name) for name in self.available[:_NAMES_SHOWN])
        more = len(self.available) - _NAMES_SHOWN
        tail = f" and {more} more" if more > 0 else ""
        hints = [(name, nearest(name, self.available)) for name in self.wanted]
        advice = "".join(f" Did you mean {hint!r} for {name!r}?" for name, hint in hints if hint)
        super().__init__(
            f"Columns not found: {list(self.wanted)}. The table has: [{shown}{tail}].{advice}"
        )

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], tuple[str, ...]]]:
        return type(self), (self.wanted, self.available)


class BadChoice(InputError):
    """An option, or a combination of options, that has no meaning."""


class BadSubmission(InputError):
    """A document or a signed submission that is malformed, forged, expired or too large."""


class UndefinedMeasure(SingleoutError):
    """A measure that does not exist under the chosen policy."""


class UnreachableData(SingleoutError):
    """A database or a cluster that does not answer, not in time, or no longer."""


class UnwritableOutput(SingleoutError):
    """An output that cannot be written: no room, no right to write, or closed."""


class NotPublishable(SingleoutError):
    """A record that would reveal too much about single persons.

    Parameters
    ----------
    reasons
        Each reason as one sentence that also says what would pass.
    refusals
        The refusals of the gate that the reasons were written from, if any.
    """

    def __init__(self, reasons: Iterable[str] | str, refusals: Iterable[object] = ()) -> None:
        self.reasons = (reasons,) if isinstance(reasons, str) else tuple(reasons)
        self.refusals = tuple(refusals)
        super().__init__(" ".join(self.reasons) or "This record cannot be published.")

    def __reduce__(self) -> tuple[type, tuple[tuple[str, ...], tuple[object, ...]]]:
        return type(self), (self.reasons, self.refusals)


class NotAllowed(SingleoutError):
    """A role, a token or an access tier that does not permit what was asked for."""


class StoreChanged(SingleoutError):
    """A repository whose log does not verify.

    Parameters
    ----------
    sentence
        What was changed, removed or added.
    entry
        The index of the first entry that is not as it was, if one can be named.
    """

    def __init__(self, sentence: str, entry: int | None = None) -> None:
        self.sentence = sentence
        self.entry = entry
        super().__init__(sentence)

    def __reduce__(self) -> tuple[type, tuple[str, int | None]]:
        return type(self), (self.sentence, self.entry)


class MissingDependency(SingleoutError):
    """An optional part that is not installed."""


def nearest(name: object, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like ``name``, upper and lower case being the same."""
    name = str(name)  # a data frame may have numbers or tuples for names
    if len(name) > _LONGEST_COMPARED:
        return None
    by_folded = {
        candidate.casefold(): candidate
        for candidate in candidates
        if len(candidate) <= _LONGEST_COMPARED
    }
    close = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """Return a hint at the candidate most like ``name``, to end a message with.

    >>> did_you_mean("Sexe", ["age", "sex"]), did_you_mean("zip", ["age", "sex"])
    (" Did you mean 'sex'?", '')
    """
    hint = nearest(name, candidates)
    return f" Did you mean {hint!r}?" if hint else ""
