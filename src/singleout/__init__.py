"""Measure how easily a person can be singled out of your data.

>>> import singleout as so
>>> so.anonymity_sets(so.demo(), ["AGEP", "SEX", "PUMA"]).unique
23
"""

from __future__ import annotations

import logging as _logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

from singleout.core import frames as _frames  # noqa: F401 - it must see every fork

_logging.getLogger("singleout").addHandler(_logging.NullHandler())

if TYPE_CHECKING:
    from singleout import predict, repository
    from singleout.assessment.assess import assess
    from singleout.assessment.comparison.compare import compare
    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.guess.guess import GuessedPlan, guessed_plan
    from singleout.assessment.hipaa.function import hipaa
    from singleout.assessment.hipaa.result import SafeHarbor
    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.result import Assessment
    from singleout.assessment.suggest.function import suggest
    from singleout.assessment.suggest.result import Suggestion
    from singleout.assessment.treated.treat import treat
    from singleout.assessment.treated.treated import Treated
    from singleout.core.choices import MissingPolicy, Role
    from singleout.core.counts import Counts, SizeProfile
    from singleout.core.language import language, speaking
    from singleout.core.table import Column, Table
    from singleout.engines.counting import count
    from singleout.engines.reading import read
    from singleout.engines.spark.engine import Spark
    from singleout.engines.sql.engine import Database
    from singleout.errors import SingleoutError
    from singleout.io.demo import demo
    from singleout.methods.anonymity.function import anonymity_sets
    from singleout.methods.anonymity.result import AnonymitySets
    from singleout.methods.attackers.function import attacker_risk
    from singleout.methods.attackers.result import AttackerRisk
    from singleout.methods.attributes.function import attribute_risk
    from singleout.methods.attributes.result import AttributeRisk
    from singleout.methods.discrimination.function import discrimination_rate
    from singleout.methods.discrimination.result import DiscriminationRate
    from singleout.methods.diversity.function import diversity
    from singleout.methods.diversity.result import Diversity
    from singleout.methods.individual.function import individual_risk
    from singleout.methods.individual.result import IndividualRisk
    from singleout.methods.population.function import population_uniqueness
    from singleout.methods.population.result import PopulationUniqueness
    from singleout.methods.qar.contribution_result import RecordContributions
    from singleout.methods.qar.contributions import contributions
    from singleout.methods.qar.function import qar
    from singleout.methods.qar.result import DatasetRisk
    from singleout.methods.sampling import Population
    from singleout.methods.suda.function import suda
    from singleout.methods.suda.result import Suda
    from singleout.predict.own.function import person
    from singleout.predict.own.result import OwnRisk
    from singleout.repository.client.repository import Repository
    from singleout.repository.publishing.publishable import publishable
    from singleout.treatment.covered.function import covered
    from singleout.treatment.covered.result import Covered
    from singleout.treatment.eliminate import eliminate
    from singleout.treatment.hierarchies.hierarchy import Hierarchy
    from singleout.treatment.hierarchies.proposals import Hierarchies, hierarchies
    from singleout.treatment.losses import Losses
    from singleout.treatment.result import Elimination
    from singleout.treatment.steps.steps import Steps
    from singleout.treatment.suppression.function import suppress_cells
    from singleout.treatment.suppression.result import Suppressed
    from singleout.treatment.utility.function import utility
    from singleout.treatment.utility.result import Utility

__version__ = "0.1.0"

__all__ = [
    "AnonymitySets",
    "Assessment",
    "AttackerRisk",
    "AttributeRisk",
    "Column",
    "Comparison",
    "Counts",
    "Covered",
    "Database",
    "DatasetRisk",
    "DiscriminationRate",
    "Diversity",
    "Elimination",
    "GuessedPlan",
    "Hierarchies",
    "Hierarchy",
    "IndividualRisk",
    "Losses",
    "MissingPolicy",
    "OwnRisk",
    "Plan",
    "Population",
    "PopulationUniqueness",
    "RecordContributions",
    "Repository",
    "Role",
    "SafeHarbor",
    "SingleoutError",
    "SizeProfile",
    "Spark",
    "Steps",
    "Suda",
    "Suggestion",
    "Suppressed",
    "Table",
    "Treated",
    "Utility",
    "__version__",
    "anonymity_sets",
    "assess",
    "attacker_risk",
    "attribute_risk",
    "compare",
    "contributions",
    "count",
    "covered",
    "demo",
    "discrimination_rate",
    "diversity",
    "eliminate",
    "guessed_plan",
    "hierarchies",
    "hipaa",
    "individual_risk",
    "language",
    "person",
    "population_uniqueness",
    "predict",
    "publishable",
    "qar",
    "read",
    "repository",
    "speaking",
    "suda",
    "suggest",
    "suppress_cells",
    "treat",
    "utility",
]

# Loaded when first used: `singleout --help` and a plain import must not wait for compilers.
_HOMES = {
    "AnonymitySets": "singleout.methods.anonymity.result",
    "Assessment": "singleout.assessment.result",
    "AttackerRisk": "singleout.methods.attackers.result",
    "AttributeRisk": "singleout.methods.attributes.result",
    "Column": "singleout.core.table",
    "Comparison": "singleout.assessment.comparison.result",
    "Counts": "singleout.core.counts",
    "Covered": "singleout.treatment.covered.result",
    "Database": "singleout.engines.sql.engine",
    "DatasetRisk": "singleout.methods.qar.result",
    "DiscriminationRate": "singleout.methods.discrimination.result",
    "Diversity": "singleout.methods.diversity.result",
    "Elimination": "singleout.treatment.result",
    "GuessedPlan": "singleout.assessment.guess.guess",
    "Hierarchies": "singleout.treatment.hierarchies.proposals",
    "Hierarchy": "singleout.treatment.hierarchies.hierarchy",
    "IndividualRisk": "singleout.methods.individual.result",
    "Losses": "singleout.treatment.losses",
    "MissingPolicy": "singleout.core.choices",
    "OwnRisk": "singleout.predict.own.result",
    "Plan": "singleout.assessment.plan.plan",
    "Population": "singleout.methods.sampling",
    "PopulationUniqueness": "singleout.methods.population.result",
    "RecordContributions": "singleout.methods.qar.contribution_result",
    "Repository": "singleout.repository.client.repository",
    "Role": "singleout.core.choices",
    "SafeHarbor": "singleout.assessment.hipaa.result",
    "SingleoutError": "singleout.errors",
    "SizeProfile": "singleout.core.counts",
    "Spark": "singleout.engines.spark.engine",
    "Steps": "singleout.treatment.steps.steps",
    "Suda": "singleout.methods.suda.result",
    "Suggestion": "singleout.assessment.suggest.result",
    "Suppressed": "singleout.treatment.suppression.result",
    "Table": "singleout.core.table",
    "Treated": "singleout.assessment.treated.treated",
    "Utility": "singleout.treatment.utility.result",
    "anonymity_sets": "singleout.methods.anonymity.function",
    "assess": "singleout.assessment.assess",
    "attacker_risk": "singleout.methods.attackers.function",
    "attribute_risk": "singleout.methods.attributes.function",
    "compare": "singleout.assessment.comparison.compare",
    "contributions": "singleout.methods.qar.contributions",
    "count": "singleout.engines.counting",
    "covered": "singleout.treatment.covered.function",
    "demo": "singleout.io.demo",
    "discrimination_rate": "singleout.methods.discrimination.function",
    "diversity": "singleout.methods.diversity.function",
    "eliminate": "singleout.treatment.eliminate",
    "guessed_plan": "singleout.assessment.guess.guess",
    "hierarchies": "singleout.treatment.hierarchies.proposals",
    "hipaa": "singleout.assessment.hipaa.function",
    "individual_risk": "singleout.methods.individual.function",
    "language": "singleout.core.language",
    "person": "singleout.predict.own.function",
    "population_uniqueness": "singleout.methods.population.function",
    "publishable": "singleout.repository.publishing.publishable",
    "qar": "singleout.methods.qar.function",
    "read": "singleout.engines.reading",
    "speaking": "singleout.core.language",
    "suda": "singleout.methods.suda.function",
    "suggest": "singleout.assessment.suggest.function",
    "suppress_cells": "singleout.treatment.suppression.function",
    "treat": "singleout.assessment.treated.treat",
    "utility": "singleout.treatment.utility.function",
}


def __getattr__(name: str) -> Any:
    if name in ("predict", "repository"):
        return import_module(f"singleout.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
