"""`singleout predict correlated` and `for-person`: the functions of the same names."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from singleout.cli.predicting import spreads
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice

__all__ = ["correlated", "for_person"]

People = Annotated[
    int | None, typer.Option("--people", "-k", help="How many people there will be.")
]


def correlated(
    people: People = None,
    sd: Annotated[
        str | None,
        typer.Option(
            "--sd", metavar="4.83,5.289", help="The standard deviation of each normal attribute."
        ),
    ] = None,
    correlation: Annotated[
        str | None,
        typer.Option(
            "--correlation",
            metavar="0.5",
            help="Of each pair of them: of the first with the second, the third, …, of the second "
            "with the third, and so on; one number for all if alike.",
        ),
    ] = None,
    width: Annotated[
        str | None,
        typer.Option("--width", metavar="2,2", help="How wide the intervals of each are."),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="auto|exact|closed|order1|order2|simulate",
            help="How it is computed; order1 is the thesis's formula.",
        ),
    ] = "auto",
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Predict how many people are unique by normal attributes that depend on each other.

    Such as height and weight: --sd 4.83,5.289 --correlation 0.5028 --width 2,2 -k 40. For observed
    columns use singleout predict granularity, which takes their dependence from the data.
    """
    from singleout.predict.correlation.correlated import correlated as measured

    if people is None or sd is None or width is None:
        raise BadChoice("Give --sd 4.83,5.289, --correlation 0.5, --width 2,2 and --people.")
    outputs = Outputs(json=json, csv=csv, plot=plot, force=force)
    deviations = spreads.listed(sd, "--sd", "4.83,5.289")
    widths = spreads.listed(width, "--width", "2,2")
    with shown_if_slow():
        covariance = _covariance(deviations, correlation)
        found = measured(people, covariance=covariance, widths=widths, method=method)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(
        found.to_dict, lambda: tell(f"{found}.", warnings=found.warnings, notes=found.notes)
    )


def for_person(
    probability: Annotated[
        str | None,
        typer.Option(
            "--probability", metavar="1%", help="How likely the person's values are: 1% or 0.01."
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option("--people", "-k", help="How many people there are, the person included."),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", help="How many of them are in a sample.")
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
) -> None:
    """Predict for one person whose values have a known share: alone, and among how many.

    To look the values up in a table, use singleout person.
    """
    from singleout.predict.uniqueness.person import for_person as measured

    likely = spreads.share_of_text(probability, "--probability")
    if likely is None or people is None:
        raise BadChoice("Give --probability 1%, the share of people with the values, and --people.")
    if not 0 < likely <= 1:
        raise BadChoice(f"--probability must be above 0 and at most 1 (100%), not {likely:g}.")
    outputs = Outputs(json=json, csv=csv, plot=plot, force=force)
    with shown_if_slow():
        found = measured([likely, 1 - likely] if likely < 1 else [1.0], 0, people, sample)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(found.to_dict, lambda: tell(f"{found}.", notes=found.notes))


def _covariance(deviations: list[float], correlation: str | None) -> Any:
    import numpy as np

    size = len(deviations)
    pairs = size * (size - 1) // 2
    given = [0.0] if correlation is None else spreads.listed(correlation, "--correlation", "0.5")
    if len(given) not in (1, pairs):
        raise BadChoice(
            f"--correlation has {len(given)} numbers, and {size} attributes have {pairs} pairs; "
            "give one for each pair, or one for all."
        )
    matrix = np.eye(size)
    upper = np.triu_indices(size, 1)
    matrix[upper] = given[0] if len(given) == 1 else given
    matrix.T[upper] = matrix[upper]
    return matrix * np.outer(deviations, deviations)
