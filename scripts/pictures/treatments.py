"""The pictures of the pages on treatments: what one of the demo costs, and what it achieves."""

from __future__ import annotations

from typing import Any

import singleout as so

_KNOWN = ["PUMA", "SEX", "AGEP", "MSP"]
_STEPS = [
    {"recode": "AGEP", "width": 10, "top": 80},
    {"recode": "MSP", "rare": 1000},
]


def treatment() -> Any:
    """Return what is left of the risk against what is lost, for each treatment tried."""
    return so.suggest(so.demo(), quasi_identifiers=_KNOWN, k=5).plot()


def suppression() -> Any:
    """Return from which columns cells are blanked, so that three records share each combination."""
    return so.suppress_cells(so.demo(), _KNOWN, k=3).plot()


def utility() -> Any:
    """Return two columns before and after a treatment."""
    treated = so.treat(so.demo(), _STEPS).to_frame()
    return so.utility(so.demo(), treated, columns=["AGEP", "MSP"]).plot()


def covered() -> Any:
    """Return how many published rows may be each record after a treatment."""
    treated = so.treat(so.demo(), _STEPS).to_frame()
    return so.covered(so.demo(), treated, _KNOWN, k=5).plot()
