"""What data not yet collected would reveal: Koot (2012), chapters 4 to 6, with exact algorithms."""

# Imported at once: a module here may have the name of its function, which must be the one found.
from singleout.predict.checking.qq import NormalCheck, qq
from singleout.predict.checking.result import Observed, Validation
from singleout.predict.checking.validate import validate
from singleout.predict.checking.wrong_values import WrongValues, wrong_values
from singleout.predict.comparing.fits import DistanceFit
from singleout.predict.comparing.function import places, table
from singleout.predict.comparing.measures import Prediction
from singleout.predict.comparing.result import Predictions
from singleout.predict.correlation.correlated import correlated
from singleout.predict.correlation.result import Correlated
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.distribution.summaries import (
    EstimatedDistance,
    estimate_kl,
    estimate_power_sum,
)
from singleout.predict.entropies.attacker import AttackerEntropy, attacker_entropy
from singleout.predict.funnel.answers import Answer
from singleout.predict.funnel.funnel import Funnel, FunnelStep, funnel
from singleout.predict.granularities.function import granularity
from singleout.predict.granularities.result import Granularity
from singleout.predict.intervals.intervals import IntervalWidths, interval_width, width_for
from singleout.predict.intervals.width_search import WidthFor
from singleout.predict.planning.plan import CollectionPlan, PlanStep
from singleout.predict.planning.planning import plan_collection
from singleout.predict.planning.policy import Policy
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.predict.questionnaire.risk import CodingComparison, QuestionnaireRisk
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.set_sizes.people_for import PeopleFor, people_for
from singleout.predict.set_sizes.result import GroupSizes
from singleout.predict.singletons.approximate_laws import ApproximateLaw
from singleout.predict.singletons.approximations import Approximation, approximate_singletons
from singleout.predict.singletons.bounds import singleton_bounds, singleton_range
from singleout.predict.singletons.singletons import Singletons, singletons
from singleout.predict.singletons.variance import approximate_variance
from singleout.predict.uniqueness.person import PersonRisk, for_person
from singleout.predict.uniqueness.uniqueness import UniquenessProbability, uniqueness_probability

__all__ = [
    "Answer",
    "ApproximateLaw",
    "Approximation",
    "AttackerEntropy",
    "CodingComparison",
    "CollectionPlan",
    "Correlated",
    "DistanceFit",
    "Distribution",
    "EstimatedDistance",
    "Funnel",
    "FunnelStep",
    "Granularity",
    "GroupSizes",
    "IntervalWidths",
    "NormalCheck",
    "Observed",
    "PeopleFor",
    "PersonRisk",
    "PlanStep",
    "Policy",
    "Prediction",
    "Predictions",
    "Questionnaire",
    "QuestionnaireRisk",
    "Singletons",
    "UniquenessProbability",
    "Validation",
    "WidthFor",
    "WrongValues",
    "approximate_singletons",
    "approximate_variance",
    "attacker_entropy",
    "correlated",
    "estimate_kl",
    "estimate_power_sum",
    "for_person",
    "funnel",
    "granularity",
    "group_sizes",
    "interval_width",
    "people_for",
    "places",
    "plan_collection",
    "qq",
    "singleton_bounds",
    "singleton_range",
    "singletons",
    "table",
    "uniqueness_probability",
    "validate",
    "width_for",
    "wrong_values",
]


def __dir__() -> list[str]:
    return list(__all__)
