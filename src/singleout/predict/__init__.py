"""What data not yet collected would reveal: Koot (2012), chapters 4 to 6, with exact algorithms."""

# Imported at once: a module here may have the name of its function, which must be the one found.
from singleout.predict.approximations import (
    Approximation,
    approximate_singletons,
    approximate_variance,
)
from singleout.predict.bounds import singleton_bounds, singleton_range
from singleout.predict.correlated import Correlated, correlated
from singleout.predict.distribution import Distribution
from singleout.predict.funnel import Funnel, FunnelStep, funnel
from singleout.predict.funnel_answers import Answer
from singleout.predict.group_sizes import GroupSizes, group_sizes
from singleout.predict.intervals import IntervalWidths, interval_width, width_for
from singleout.predict.person import PersonRisk, for_person
from singleout.predict.plan import CollectionPlan, PlanStep
from singleout.predict.planning import plan_collection
from singleout.predict.policy import Policy
from singleout.predict.questionnaire import Questionnaire
from singleout.predict.questionnaire_risk import CodingComparison, QuestionnaireRisk
from singleout.predict.singleton_approximations import ApproximateLaw
from singleout.predict.singletons import Singletons, singletons
from singleout.predict.summaries import EstimatedDistance, estimate_kl, estimate_power_sum
from singleout.predict.uniqueness import UniquenessProbability, uniqueness_probability
from singleout.predict.width_search import WidthFor

__all__ = [
    "Answer",
    "ApproximateLaw",
    "Approximation",
    "CodingComparison",
    "CollectionPlan",
    "Correlated",
    "Distribution",
    "EstimatedDistance",
    "Funnel",
    "FunnelStep",
    "GroupSizes",
    "IntervalWidths",
    "PersonRisk",
    "PlanStep",
    "Policy",
    "Questionnaire",
    "QuestionnaireRisk",
    "Singletons",
    "UniquenessProbability",
    "WidthFor",
    "approximate_singletons",
    "approximate_variance",
    "correlated",
    "estimate_kl",
    "estimate_power_sum",
    "for_person",
    "funnel",
    "group_sizes",
    "interval_width",
    "plan_collection",
    "singleton_bounds",
    "singleton_range",
    "singletons",
    "uniqueness_probability",
    "width_for",
]
