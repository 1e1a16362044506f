"""A person's own values, found in the columns of a table as text.

People write 1056 or "f", and a table holds the number 1056.0 or the text "F " with a label. A value
is matched as it is written, then without regard to case and spaces, then as a number.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from typing import Any

from singleout.errors import BadChoice, did_you_mean

__all__ = ["code_of"]

_SHOWN = 5


def code_of(
    column: str, wanted: Any, values: Sequence[Any], labels: Mapping[Any, str]
) -> tuple[int, str]:
    """Return the code of a value in a codebook, and how it is called there.

    None stands for a missing value, whose code follows the last.

    >>> code_of("sex", "f", ["F", "M"], {}), code_of("zip", "1056", [1011.0, 1056.0], {})
    ((0, 'F'), (1, '1056.0'))
    """
    if wanted is None:
        return len(values), "–"
    text = str(wanted)
    for form in (str, _loose, _number):
        target = form(text)
        if target is None:
            continue
        found = [
            code
            for code, value in enumerate(values)
            if target in (form(str(value)), form(labels[value]) if value in labels else None)
        ]
        if len(found) == 1:
            return found[0], labels.get(values[found[0]], str(values[found[0]]))
        if found:
            names = ", ".join(repr(values[code]) for code in found[:_SHOWN])
            raise BadChoice(
                f"{text!r} could be several values of {column!r}: {names}; write it as in the data."
            )
    texts = [str(value) for value in values]
    shown = ", ".join(map(repr, texts[:_SHOWN])) + (", …" if len(texts) > _SHOWN else "")
    raise BadChoice(
        f"Nobody in the data has {text!r} as {column!r}; its values are: {shown}."
        f"{did_you_mean(text, [*texts, *labels.values()])}"
    )


def _loose(text: str) -> str:
    return " ".join(text.split()).casefold()


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return None if isnan(number) else number
