"""What a reader of special uniques should know besides, and the check of a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.core.arguments import share
from singleout.errors import BadChoice
from singleout.methods.selection import left_out_note
from singleout.methods.suda.measure import MOST_VARIABLES_OF_DIS_SCORES
from singleout.methods.suda.size import limit_note
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.suda.result import Suda

__all__ = ["notes_on", "threshold_asked"]


def threshold_asked(
    threshold: float | None, fraction: float | None, population: object = None
) -> float | None:
    """Check a threshold of DIS-SUDA, which needs a sampling fraction or a population."""
    if threshold is None:
        return None
    if fraction is None and population is None:
        raise BadChoice(
            "A threshold is compared with DIS-SUDA, which needs to know the share of the "
            "population that is in the data; give sampling_fraction or weights as well."
        )
    return share(threshold, "threshold", zero=True, one=True, meaning="0.1 for one match in ten")


def notes_on(result: Suda, rows: int, asked: int | str | None, different: int) -> tuple[str, ...]:
    """Return notes on records left out, on the sizes searched and on what this leaves open."""
    notes = list(left_out_note(rows, result.records))
    width = len(result.columns)
    if isinstance(asked, int) and asked > width:
        notes.append(say("suda.all_sizes", size=asked, columns=width))
    if result.chosen and result.max_size < width:
        notes.append(limit_note(result.max_size, width, different))
    if result.undecided:
        notes.append(
            say("suda.undecided", n=result.undecided, size=result.max_size, unique=result.unique)
        )
        if result.has_dis_score:
            notes.append(say("suda.understated", size=result.max_size))
    if result.sampling_fraction is not None and width > MOST_VARIABLES_OF_DIS_SCORES:
        notes.append(say("suda.no_dis_scores", most=MOST_VARIABLES_OF_DIS_SCORES, columns=width))
    return tuple(notes)
