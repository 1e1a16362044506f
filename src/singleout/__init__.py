"""Measure how easily a person can be singled out of your data.

>>> import singleout as so
>>> so.anonymity_sets(so.demo(), ["AGEP", "SEX", "PUMA"]).unique
23
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from singleout.api.anonymity import anonymity_sets
    from singleout.api.contributions import contributions
    from singleout.api.counting import count
    from singleout.api.eliminate import eliminate
    from singleout.api.qar import qar
    from singleout.core.choices import MissingPolicy, Role
    from singleout.core.counts import Counts, SizeProfile
    from singleout.core.table import Column, Table
    from singleout.errors import SingleoutError
    from singleout.io.demo import demo
    from singleout.io.read import read
    from singleout.measure.anonymity import AnonymitySets
    from singleout.measure.contribution import RecordContributions
    from singleout.measure.dataset_risk import DatasetRisk
    from singleout.treat.eliminate import Elimination

__version__ = "0.1.0"

__all__ = [
    "AnonymitySets",
    "Column",
    "Counts",
    "DatasetRisk",
    "Elimination",
    "MissingPolicy",
    "RecordContributions",
    "Role",
    "SingleoutError",
    "SizeProfile",
    "Table",
    "__version__",
    "anonymity_sets",
    "contributions",
    "count",
    "demo",
    "eliminate",
    "qar",
    "read",
]

# Loaded when first used: `singleout --help` and a plain import must not wait for compilers.
_HOMES = {
    "AnonymitySets": "singleout.measure.anonymity",
    "Column": "singleout.core.table",
    "Counts": "singleout.core.counts",
    "DatasetRisk": "singleout.measure.dataset_risk",
    "Elimination": "singleout.treat.eliminate",
    "MissingPolicy": "singleout.core.choices",
    "RecordContributions": "singleout.measure.contribution",
    "Role": "singleout.core.choices",
    "SingleoutError": "singleout.errors",
    "SizeProfile": "singleout.core.counts",
    "Table": "singleout.core.table",
    "anonymity_sets": "singleout.api.anonymity",
    "contributions": "singleout.api.contributions",
    "count": "singleout.api.counting",
    "demo": "singleout.io.demo",
    "eliminate": "singleout.api.eliminate",
    "qar": "singleout.api.qar",
    "read": "singleout.io.read",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
