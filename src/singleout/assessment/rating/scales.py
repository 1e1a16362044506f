"""The scales of an assessment and the two matrices that join them. Sondeck and Laurent, 3 to 5.

Severity says how hard a disclosure hits a person, exposure how easily an attribute is found
elsewhere, inference how far attributes tell the sensitive value. Exposure and inference give the
exploitability (their Figure 1), exploitability and severity the risk (their Figure 2).
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Any

from singleout.errors import BadChoice
from singleout.methods.levels import INFERENCE_BOUNDS, INFERENCES, inference_level

__all__ = [
    "EXPLOITABILITIES",
    "EXPLOITABILITY",
    "EXPOSURES",
    "INFERENCES",
    "INFERENCE_BOUNDS",
    "RISK",
    "RISKS",
    "SEVERITIES",
    "Exposure",
    "Matrix",
    "inference_level",
    "named_level",
    "parse_exposure",
]

Matrix = tuple[tuple[int, ...], ...]


class Exposure(IntEnum):
    """How easily an attribute is found elsewhere, 1 the hardest."""

    IR = 1  # internal, restricted: one operation uses it, and nobody else
    IE = 2  # internal, extended: several services of one organisation use it
    ER = 3  # external, restricted: to be found outside by searching in depth
    EE = 4  # external, extended: widely used and easily found


SEVERITIES = ("Negligible", "Limited", "Significant", "Maximum")
EXPLOITABILITIES = ("Very difficult", "Difficult", "Easy", "Very easy")
RISKS = ("Minor", "Significant", "Severe", "Critical")
EXPOSURES = (
    "internal, restricted",
    "internal, extended",
    "external, restricted",
    "external, extended",
)

# rows by inference, columns by exposure, both from 1 (Figure 1)
EXPLOITABILITY: Matrix = (
    (1, 1, 2, 2),
    (1, 2, 2, 3),
    (2, 2, 3, 4),
    (2, 3, 4, 4),
)
# rows by exploitability, columns by severity, both from 1 (Figure 2)
RISK: Matrix = (
    (1, 1, 2, 2),
    (1, 2, 2, 2),
    (2, 2, 3, 4),
    (2, 3, 4, 4),
)

_EXPOSURE_WORDS = {
    **{member.name: member for member in Exposure},
    **{member.name[::-1]: member for member in Exposure},  # the paper's tables: RI, EI, RE
    **{str(int(member)): member for member in Exposure},
}
_NUMBERED = re.compile(r"([1-4])\s*-\s*([A-Z]{2})")  # 2-EI


def parse_exposure(value: Any) -> Exposure:
    """Return the exposure that is meant by a number, an abbreviation or both.

    Accepted are 1 to 4, ``IR``, ``IE``, ``ER``, ``EE``, the same reversed (``RI``, ``EI``, ``RE``),
    and as the paper prints them: ``2-EI``.

    >>> parse_exposure("2-EI").name, parse_exposure("RE").name, parse_exposure(4).name
    ('IE', 'ER', 'EE')
    """
    exposure = None
    if isinstance(value, str):
        word = value.strip().upper()
        numbered = _NUMBERED.fullmatch(word)
        exposure = _EXPOSURE_WORDS.get(numbered[2] if numbered else word)
        if numbered and exposure is not None and int(exposure) != int(numbered[1]):
            exposure = None
    elif isinstance(value, int) and not isinstance(value, bool):
        exposure = _EXPOSURE_WORDS.get(str(int(value)))
    if exposure is None:
        raise BadChoice(
            f"{value!r} is not an exposure; choose one of IR (1), IE (2), ER (3), EE (4), from "
            "internal and restricted to external and extended."
        )
    return exposure


def named_level(level: int, names: tuple[str, ...]) -> str:
    """Return a level as the paper's tables print it.

    Examples
    --------
    >>> named_level(4, RISKS)
    '4-Critical'
    """
    return f"{level}-{names[level - 1]}"
