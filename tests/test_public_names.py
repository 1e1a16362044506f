import subprocess
import sys

import pytest

import singleout as so


def test_the_public_names_are_these() -> None:
    assert so.__all__ == [
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
    assert so.__all__ == dir(so)


def test_every_public_name_exists_and_has_words() -> None:
    for name in so.__all__:
        found = getattr(so, name)
        assert name == "__version__" or found.__doc__, name


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'anonimity_sets'"):
        _ = so.anonimity_sets


def test_importing_the_package_waits_for_no_compiler() -> None:
    check = "import sys, singleout; sys.exit(bool({'numba', 'polars'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
