"""The pictures of the pages on measures: what each of them finds in the demo."""

from __future__ import annotations

from typing import Any

import singleout as so
from singleout.assessment.plan.demo import demo_plan

_WEIGHTS = so.Population(weights="PWGTP")


def anonymity_sets() -> Any:
    """Return how many records share area, sex, age and marital status."""
    return so.anonymity_sets(so.demo(), ["PUMA", "SEX", "AGEP", "MSP"]).plot()


def attackers() -> Any:
    """Return which share of the records is above each chance to be found."""
    return so.attacker_risk(so.demo(), ["AGEP", "SEX", "PUMA"], _WEIGHTS).plot()


def attributes() -> Any:
    """Return the combinations of columns that tell most records apart."""
    known = ["PUMA", "AGEP", "SEX", "MSP", "RAC1P", "EDU", "INDP"]
    return so.attribute_risk(so.demo(), known).plot()


def hipaa() -> Any:
    """Return the identifiers of Safe Harbor that the demo holds."""
    return so.hipaa(so.demo()).plot()


def individual() -> Any:
    """Return how many records have which individual risk."""
    return so.individual_risk(so.demo(), ["AGEP", "SEX", "PUMA", "MSP"], "PWGTP").plot()


def diversity() -> Any:
    """Return how many values, and how unusual ones, the classes of the demo have."""
    return so.diversity(so.demo(), ["AGEP", "SEX"], ["DPHY"]).plot()


def population() -> Any:
    """Return what six estimators say about how many people are unique in the population."""
    known = ["AGEP", "SEX", "PUMA", "MSP", "EDU", "INDP_CAT"]
    return so.population_uniqueness(so.demo(), known, _WEIGHTS).plot()


def assessment() -> Any:
    """Return where what an attacker could learn falls between harmless and critical."""
    return so.assess(so.demo(), demo_plan()).plot()


def person() -> Any:
    """Return how many people of the demo are left after each answer of one of them."""
    return so.person(so.demo(), {"PUMA": "25-00703", "SEX": 1, "AGEP": 34}).plot()


def predict_places() -> Any:
    """Return how many of 60 people would be unique in each area of the demo."""
    return so.predict.places(so.demo(), "AGEP", by="PUMA", people=60).plot()
