"""Places side by side: in which of them answers would single out more people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singleout.core.wording import count, figure, percent
from singleout.report.content import Message, Part
from singleout.report.say import say
from singleout.web.charts import chart_text
from singleout.web.predicting.columns import FEWEST
from singleout.web.predicting.following import plain, sentence, table

if TYPE_CHECKING:
    from singleout.web.answering import Held

__all__ = ["compared"]

_SHOWN = 30  # places in the table


def compared(held: Held, columns: Sequence[str], by: str, people: int) -> dict[str, Any]:
    """Return for each place how many of so many people there would be unique.

    Parameters
    ----------
    held
        The data.
    columns
        What people would be asked.
    by
        The column of the places.
    people
        How many people there will be in each.
    """
    from singleout.predict.comparing.function import places

    found = places(held.counter(), list(columns), by=by, people=people, least=FEWEST)
    worst = sorted(found.rows, key=lambda row: -row.phi[0])[:_SHOWN]
    rows = [
        [
            str(row.place),
            count(row.population or 0),
            figure(people * row.phi[0], ",.1f"),
            percent(row.phi[0]),
        ]
        for row in worst
    ]
    heads = say("web.predict.places_heads").split(" | ")
    caption = say("web.predict.places_table", n=len(rows))
    parts: list[Part] = [table(caption, heads, rows)]
    notes = tuple(map(str, found.notes))
    if notes:
        parts.append(Message(say("predict.funnel.page.notes"), notes))
    return {
        "sentence": sentence(str(found)),
        "parts": plain(parts),
        "chart": chart_text(found.plot()),
    }
