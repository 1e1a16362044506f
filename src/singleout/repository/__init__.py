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
    from singleout.repository.answering.decide import decide
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.answering.memory import RecordList
    from singleout.repository.answering.policies import DisclosurePolicy
    from singleout.repository.answering.prediction import RepositoryPrediction, predict_from
    from singleout.repository.answering.query import find
    from singleout.repository.documents.canonical import canonical, content_hash
    from singleout.repository.documents.keys import HolderKey
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import CodedAttribute, Coverage, Record
    from singleout.repository.documents.submission import Submission
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = [
    "CodedAttribute",
    "Coverage",
    "DeclaredPopulation",
    "DisclosurePolicy",
    "HolderKey",
    "Record",
    "RecordList",
    "RepositoryAnswer",
    "RepositoryDecision",
    "RepositoryPrediction",
    "Submission",
    "Vocabulary",
    "canonical",
    "content_hash",
    "decide",
    "find",
    "predict_from",
]

# Loaded when first used: a plain import must not wait for what a repository needs.
_HOMES = {
    "CodedAttribute": "singleout.repository.documents.record",
    "Coverage": "singleout.repository.documents.record",
    "DeclaredPopulation": "singleout.repository.documents.population",
    "DisclosurePolicy": "singleout.repository.answering.policies",
    "HolderKey": "singleout.repository.documents.keys",
    "Record": "singleout.repository.documents.record",
    "RecordList": "singleout.repository.answering.memory",
    "RepositoryAnswer": "singleout.repository.answering.answer",
    "RepositoryDecision": "singleout.repository.answering.decision",
    "RepositoryPrediction": "singleout.repository.answering.prediction",
    "Submission": "singleout.repository.documents.submission",
    "Vocabulary": "singleout.repository.documents.vocabulary",
    "canonical": "singleout.repository.documents.canonical",
    "content_hash": "singleout.repository.documents.canonical",
    "decide": "singleout.repository.answering.decide",
    "find": "singleout.repository.answering.query",
    "predict_from": "singleout.repository.answering.prediction",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout.repository' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
