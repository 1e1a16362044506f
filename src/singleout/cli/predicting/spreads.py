"""How people spread over values, as the commands below `singleout predict` are told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import options
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.cli.shared.data import Reading
    from singleout.predict.distribution.distribution import Distribution

__all__ = ["Cells", "Count", "Data", "Kl", "Qi", "Shares", "listed", "share_of_text", "spread_of"]

Cells = Annotated[
    int | None,
    typer.Option(
        "--cells", min=1, help="How many values are possible; equally likely without --kl."
    ),
]
Kl = Annotated[
    float | None,
    typer.Option(
        "--kl", help="With --cells: the Kullback-Leibler distance from equally likely, in nats."
    ),
]
Shares = Annotated[
    str | None,
    typer.Option("--shares", metavar="0.5,0.3,…", help="The share of people of each value."),
]
Data = Annotated[
    str | None,
    typer.Option("--data", metavar="FILE", help="Data to take the shares from; needs --qi."),
]
Qi = Annotated[
    str | None, typer.Option("--qi", metavar="A,B,C", help="Columns that others could know.")
]
Count = Annotated[
    str | None,
    typer.Option(
        "--count",
        metavar="COLUMN",
        help="With --data: the column that says how many people a row stands for.",
    ),
]


def spread_of(
    *,
    cells: int | None,
    kl: float | None,
    shares: str | None,
    data: str | None,
    qi: str | None,
    count: str | None,
    reading: Reading,
) -> Distribution:
    """Return how people spread over values, in whichever way it was told."""
    from singleout.predict.distribution.distribution import Distribution

    given = {"--cells": cells, "--shares": shares, "--data": data}
    if sum(value is not None for value in given.values()) != 1:
        raise BadChoice(
            "Say in one way how people spread over the possible values: --cells N (equally "
            "likely), --shares 0.5,0.3,0.2, or --data FILE --qi A,B."
        )
    alone: dict[str, Any] = {"--qi": qi, "--count": count, **reading.given}
    extra = next((name for name, value in alone.items() if value is not None), None)
    if data is None and extra is not None:
        raise BadChoice(f"{extra} goes with --data; give that as well, or leave {extra} out.")
    if cells is None and kl is not None:
        raise BadChoice("--kl goes with --cells; give that as well, or leave --kl out.")
    if shares is not None:
        return Distribution.from_probabilities(listed(shares, "--shares", "0.5,0.3,0.2"))
    if cells is not None:
        import numpy as np

        if kl is not None:
            return Distribution.from_summary(cells=cells, kl=kl)
        return Distribution(np.array([1 / cells]), np.array([cells]), cells)
    if qi is None:
        raise BadChoice("Say with --qi which columns of the data others could know: --qi A,B.")
    assert data is not None
    names = list(options.quasi_identifier(qi))
    with reading.open(data, [*names, *filter(None, [count])]) as counter:
        return Distribution.from_table(counter, names, counts=count)


def listed(text: str, option: str, example: str) -> list[float]:
    """Return the numbers of ``0.5,0.3``; a percentage is a share."""
    return [_number(part, f"{option} {text!r}", example) for part in text.split(",")]


def share_of_text(text: str | None, option: str) -> float | None:
    """Return the share of ``5%`` or ``0.05``."""
    return None if text is None else _number(text, f"{option} {text!r}", "5% or 0.05")


def _number(text: str, whose: str, example: str) -> float:
    plain = text.strip()
    try:
        return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)
    except ValueError:
        raise BadChoice(f"{whose} is not as expected; write numbers, as {example}.") from None
