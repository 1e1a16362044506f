"""A record in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from singleout.core.wording import in_figures
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = ["record_text"]


def record_text(record: Record) -> str:
    """Return what a record says, in a few lines."""
    attributes, population = ", ".join(map(str, record.quasi_identifier)), str(record.population)
    if record.reference_date is None:
        title = say("repository.documents.title", attributes=attributes, population=population)
    else:
        title = say(
            "repository.documents.title_on_a_day",
            attributes=attributes,
            population=population,
            day=record.reference_date.isoformat(),
        )
    return "\n".join([title, *_lines(record)])


def _lines(record: Record) -> Iterator[str]:
    numbers = record.numbers
    kappa = in_figures(numbers.kappa, 4)
    if numbers.sd.kappa:
        noise = in_figures(numbers.sd.kappa, 2)
        yield say("repository.documents.kappa_with_noise", kappa=kappa, sd=noise)
    else:
        yield say("repository.documents.kappa", kappa=kappa)
    if numbers.correction == "miller-madow":
        yield say("repository.documents.corrected")
    yield from _sizes(record)
    if numbers.s2 is not None and numbers.s3 is not None:
        yield say(
            "repository.documents.power_sums",
            s2=in_figures(numbers.s2, 3),
            s3=in_figures(numbers.s3, 3),
        )
    if record.legacy:
        yield say("repository.documents.legacy")
    elif record.gate.tier == "none":
        yield say("repository.documents.ungated")


def _sizes(record: Record) -> Iterator[str]:
    numbers = record.numbers
    if numbers.people is not None:
        yield say("repository.documents.people", people=in_figures(numbers.people, 6))
    if numbers.cells is not None:
        cells = in_figures(numbers.cells, 6)
        if numbers.cells_from == "observed":
            yield say("repository.documents.cells_observed", cells=cells)
        else:
            yield say("repository.documents.cells", cells=cells)
