"""The numbers of a record: as the gate releases them, or exact for a personal repository."""

from __future__ import annotations

import math
from typing import Any

from singleout.core.counts import SizeProfile
from singleout.repository.documents.record import Coverage, Deviations, Gated, Numbers
from singleout.repository.gate.gate import Released, release
from singleout.repository.gate.noise import grid_below, on_grid, two_digits
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.refusal import Refusal
from singleout.repository.publishing.cells import PossibleCells

__all__ = ["PERSONAL", "gated_numbers"]

PERSONAL = "none"  # the tier of a file that nobody else reads


def gated_numbers(
    profile: SizeProfile,
    possible: PossibleCells,
    coverage: Coverage,
    *,
    tier: str,
    key: bytes,
    price: float | None,
) -> tuple[Numbers, Gated] | Refusal:
    """Return the numbers of a record and the gate that they went through, or a refusal."""
    if tier == PERSONAL:
        return _exact(profile, possible, coverage), Gated(tier="none")
    found = release(profile, possible.cells, tier=tier, key=key, price=price)
    if isinstance(found, Refusal):
        return found
    numbers = Numbers(
        people=found.people,
        cells=found.cells,
        cells_from=possible.source,
        support=found.support,
        largest=found.largest,
        kappa=found.kappa,
        s2=found.s2,
        s3=found.s3,
        small=found.small,
        sd=Deviations(**found.sd),
    )
    gate = Gated(tier=_tier(found), price=found.price, cost=found.cost)
    return _corrected(numbers, coverage), gate


def _tier(found: Released) -> Any:
    return found.tier


def _exact(profile: SizeProfile, possible: PossibleCells, coverage: Coverage) -> Numbers:
    exact = CellNumbers.of(profile)
    numbers = Numbers(
        people=exact.people,
        cells=possible.cells,
        cells_from=possible.source,
        support=exact.support,
        largest=exact.largest,
        kappa=exact.kappa(possible.cells),
        s2=exact.power_sum(2),
        s3=exact.power_sum(3),
        small=exact.small / exact.people,
        sd=Deviations(people=0, support=0, largest=0, kappa=0, s2=0, s3=0, small=0),
    )
    return _corrected(numbers, coverage)


def _corrected(numbers: Numbers, coverage: Coverage) -> Numbers:
    """Return the numbers with kappa of a sample corrected for its bias (Miller and Madow).

    A sample of n people in M cells shows less entropy than its population, by (M - 1)/(2 n) on
    average. It follows from published numbers, so that it costs nothing. Power sums have no bias.
    """
    people, support, cells = numbers.people, numbers.support, numbers.cells
    if coverage.kind != "sample" or support is None or not people or not cells:
        return numbers
    kappa = numbers.kappa - (support - 1) / (2 * people)
    spread = (numbers.sd.support or 0.0) / (2 * people)
    sd = math.hypot(numbers.sd.kappa or 0.0, spread)
    kappa = min(max(kappa, 0.0), math.log(cells))
    if sd > 0:
        kappa = on_grid(kappa, grid_below(sd))
    return numbers.model_copy(
        update={
            "kappa": kappa,
            "correction": "miller-madow",
            "sd": numbers.sd.model_copy(update={"kappa": two_digits(sd)}),
        }
    )
