"""The Kullback-Leibler repository: publish, query, analyze, decide. Koot (2012), chapter 7.

>>> from singleout import repository
>>> repository.Record.legacy_tuple(["age", "sex"], {"City": "Urk"}, 0.4011, cells=95).kappa
0.4011
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.repository.answering.compose import Composition, compose, inconsistencies
    from singleout.repository.answering.decide import decide
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.answering.ledger import DisclosureLedger
    from singleout.repository.answering.memory import RecordList
    from singleout.repository.answering.person import SelfAssessment, person
    from singleout.repository.answering.policies import DisclosurePolicy
    from singleout.repository.answering.prediction import RepositoryPrediction, predict_from
    from singleout.repository.answering.query import find
    from singleout.repository.answering.sources import read_questionnaire
    from singleout.repository.answering.table import RecordTable, table
    from singleout.repository.documents.canonical import canonical, content_hash
    from singleout.repository.documents.keys import HolderKey
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import CodedAttribute, Coverage, Record
    from singleout.repository.documents.submission import Submission
    from singleout.repository.documents.vocabulary import Vocabulary
    from singleout.repository.gate.refusal import Refusal
    from singleout.repository.publishing.batch import RecordBatch
    from singleout.repository.publishing.explain import (
        beside_siblings,
        impact_statement,
        what_becomes_public,
    )
    from singleout.repository.publishing.profile import print_sql, read_profile

__all__ = [
    "CodedAttribute",
    "Composition",
    "Coverage",
    "DeclaredPopulation",
    "DisclosureLedger",
    "DisclosurePolicy",
    "HolderKey",
    "Record",
    "RecordBatch",
    "RecordList",
    "RecordTable",
    "Refusal",
    "RepositoryAnswer",
    "RepositoryDecision",
    "RepositoryPrediction",
    "SelfAssessment",
    "Submission",
    "Vocabulary",
    "beside_siblings",
    "canonical",
    "compose",
    "content_hash",
    "decide",
    "find",
    "impact_statement",
    "inconsistencies",
    "person",
    "predict_from",
    "print_sql",
    "read_profile",
    "read_questionnaire",
    "table",
    "what_becomes_public",
]

# Loaded when first used: a plain import must not wait for what a repository needs.
_HOMES = {
    "CodedAttribute": "singleout.repository.documents.record",
    "Composition": "singleout.repository.answering.compose",
    "Coverage": "singleout.repository.documents.record",
    "DeclaredPopulation": "singleout.repository.documents.population",
    "DisclosureLedger": "singleout.repository.answering.ledger",
    "DisclosurePolicy": "singleout.repository.answering.policies",
    "HolderKey": "singleout.repository.documents.keys",
    "Record": "singleout.repository.documents.record",
    "RecordBatch": "singleout.repository.publishing.batch",
    "RecordList": "singleout.repository.answering.memory",
    "RecordTable": "singleout.repository.answering.table",
    "Refusal": "singleout.repository.gate.refusal",
    "RepositoryAnswer": "singleout.repository.answering.answer",
    "RepositoryDecision": "singleout.repository.answering.decision",
    "RepositoryPrediction": "singleout.repository.answering.prediction",
    "SelfAssessment": "singleout.repository.answering.person",
    "Submission": "singleout.repository.documents.submission",
    "Vocabulary": "singleout.repository.documents.vocabulary",
    "beside_siblings": "singleout.repository.publishing.explain",
    "canonical": "singleout.repository.documents.canonical",
    "compose": "singleout.repository.answering.compose",
    "content_hash": "singleout.repository.documents.canonical",
    "decide": "singleout.repository.answering.decide",
    "find": "singleout.repository.answering.query",
    "impact_statement": "singleout.repository.publishing.explain",
    "inconsistencies": "singleout.repository.answering.compose",
    "person": "singleout.repository.answering.person",
    "predict_from": "singleout.repository.answering.prediction",
    "print_sql": "singleout.repository.publishing.profile",
    "read_profile": "singleout.repository.publishing.profile",
    "read_questionnaire": "singleout.repository.answering.sources",
    "table": "singleout.repository.answering.table",
    "what_becomes_public": "singleout.repository.publishing.explain",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout.repository' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
