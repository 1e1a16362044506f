"""`singleout predict attacker-entropy`: how uncertain an attacker is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.predicting.spreads import listed
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.entropies.attacker import AttackerEntropy

__all__ = ["attacker_entropy"]

_QUANTILES = (0.5, 0.9, 0.99)


def attacker_entropy(
    shares: Annotated[
        str | None,
        typer.Option(
            "--shares",
            metavar="0.5,0.3,…",
            help="How likely each person is to be the one who is looked for; they sum to 1.",
        ),
    ] = None,
    odds: Annotated[
        str | None,
        typer.Option(
            "--odds",
            metavar="10,1,1,…",
            help="The same as numbers that are divided by their sum; 10,1x9 stands for one 10 and "
            "nine times 1.",
        ),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Measure how uncertain an attacker is who takes some people to be likelier than others.

    The degree of anonymity, Shannon's and Rényi's entropies, and how many bits are missing at least
    for 90% of the people.
    """
    from singleout.predict.entropies.attacker import attacker_entropy as measured

    if (shares is None) == (odds is None):
        raise BadChoice("Give --shares 0.5,0.3,0.2 or --odds 10,1x9: one of them.")
    outputs = Outputs(json=json, csv=csv, plot=plot, force=force)
    with shown_if_slow():
        if shares is not None:
            numbers = listed(shares, "--shares", "0.5,0.3,0.2")
        else:
            weights = _weights(odds or "")
            numbers = [weight / sum(weights) for weight in weights]
        found = measured(numbers)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(found.to_dict, lambda: _show(found))


def _weights(text: str) -> list[float]:
    weights: list[float] = []
    for part in text.split(","):
        weight, times, number = part.partition("x")
        if times and not (number.strip().isdigit() and 0 < int(number) <= 10**7):
            raise BadChoice(f"--odds {part!r} is no number of times; write 1x9 for nine times 1.")
        weights += listed(weight, "--odds", "10,1x9") * (int(number) if times else 1)
    if not (all(0 <= weight < float("inf") for weight in weights) and sum(weights) > 0):
        raise BadChoice(f"--odds {text!r} must be numbers from 0 on, and not all 0.")
    return weights


def _show(found: AttackerEntropy) -> None:
    rows = [
        (say("screen.entropy.possible"), found.renyi(0)),
        (say("screen.entropy.most"), found.most),
        (say("screen.entropy.entropy"), found.entropy),
        (say("screen.entropy.collision"), found.renyi(2)),
        (say("screen.entropy.least"), found.least),
        *(
            (say("screen.entropy.quantile", share=stated_percent(share)), found.bits_for(share))
            for share in _QUANTILES
        ),
    ]
    show_table("screen.entropy.measures", [[name, f"{bits:.3f}"] for name, bits in rows])
    numbers = {"degree": found.degree, "people": found.people, "possible": found.possible}
    tell(say("screen.entropy.degree", **numbers), f"{found}.", notes=found.distribution.notes)
