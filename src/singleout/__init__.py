"""Measure how easily a person can be singled out of your data.

>>> import singleout as so
>>> so.anonymity_sets(so.demo(), ["AGEP", "SEX", "PUMA"]).unique
23
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from singleout.core import frames as _frames  # noqa: F401 - it must see every fork

if TYPE_CHECKING:
    from singleout import predict
    from singleout.api.anonymity import anonymity_sets
    from singleout.api.assess import assess
    from singleout.api.compare import compare
    from singleout.api.contributions import contributions
    from singleout.api.counting import count
    from singleout.api.discrimination import discrimination_rate
    from singleout.api.eliminate import eliminate
    from singleout.api.qar import qar
    from singleout.api.reading import read
    from singleout.api.suda import suda
    from singleout.assessment.assessment import Assessment
    from singleout.assessment.comparison import Comparison
    from singleout.assessment.guess import GuessedPlan, guessed_plan
    from singleout.assessment.plan import Plan
    from singleout.core.choices import MissingPolicy, Role
    from singleout.core.counts import Counts, SizeProfile
    from singleout.core.table import Column, Table
    from singleout.engines.database import Database
    from singleout.engines.spark import Spark
    from singleout.errors import SingleoutError
    from singleout.io.demo import demo
    from singleout.measure.anonymity import AnonymitySets
    from singleout.measure.contribution import RecordContributions
    from singleout.measure.dataset_risk import DatasetRisk
    from singleout.measure.discrimination import DiscriminationRate
    from singleout.measure.suda import Suda
    from singleout.treat.eliminate import Elimination

__version__ = "0.1.0"

__all__ = [
    "AnonymitySets",
    "Assessment",
    "Column",
    "Comparison",
    "Counts",
    "Database",
    "DatasetRisk",
    "DiscriminationRate",
    "Elimination",
    "GuessedPlan",
    "MissingPolicy",
    "Plan",
    "RecordContributions",
    "Role",
    "SingleoutError",
    "SizeProfile",
    "Spark",
    "Suda",
    "Table",
    "__version__",
    "anonymity_sets",
    "assess",
    "compare",
    "contributions",
    "count",
    "demo",
    "discrimination_rate",
    "eliminate",
    "guessed_plan",
    "predict",
    "qar",
    "read",
    "suda",
]

# Loaded when first used: `singleout --help` and a plain import must not wait for compilers.
_HOMES = {
    "AnonymitySets": "singleout.measure.anonymity",
    "Assessment": "singleout.assessment.assessment",
    "Column": "singleout.core.table",
    "Comparison": "singleout.assessment.comparison",
    "Counts": "singleout.core.counts",
    "Database": "singleout.engines.database",
    "DatasetRisk": "singleout.measure.dataset_risk",
    "DiscriminationRate": "singleout.measure.discrimination",
    "Elimination": "singleout.treat.eliminate",
    "GuessedPlan": "singleout.assessment.guess",
    "MissingPolicy": "singleout.core.choices",
    "Plan": "singleout.assessment.plan",
    "RecordContributions": "singleout.measure.contribution",
    "Role": "singleout.core.choices",
    "SingleoutError": "singleout.errors",
    "SizeProfile": "singleout.core.counts",
    "Spark": "singleout.engines.spark",
    "Suda": "singleout.measure.suda",
    "Table": "singleout.core.table",
    "anonymity_sets": "singleout.api.anonymity",
    "assess": "singleout.api.assess",
    "compare": "singleout.api.compare",
    "contributions": "singleout.api.contributions",
    "count": "singleout.api.counting",
    "demo": "singleout.io.demo",
    "discrimination_rate": "singleout.api.discrimination",
    "eliminate": "singleout.api.eliminate",
    "guessed_plan": "singleout.assessment.guess",
    "qar": "singleout.api.qar",
    "read": "singleout.api.reading",
    "suda": "singleout.api.suda",
}


def __getattr__(name: str) -> Any:
    if name == "predict":
        return import_module("singleout.predict")
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
