"""The Kullback-Leibler repository: publish, query, analyze, decide. Koot (2012), chapter 7.

>>> from singleout import repository
>>> repository.Record.legacy_tuple(["age", "sex"], {"City": "Urk"}, 0.4011, cells=95).kappa
0.4011
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    "HolderKey",
    "Record",
    "Submission",
    "Vocabulary",
    "canonical",
    "content_hash",
]

# Loaded when first used: a plain import must not wait for what a repository needs.
_HOMES = {
    "CodedAttribute": "singleout.repository.documents.record",
    "Coverage": "singleout.repository.documents.record",
    "DeclaredPopulation": "singleout.repository.documents.population",
    "HolderKey": "singleout.repository.documents.keys",
    "Record": "singleout.repository.documents.record",
    "Submission": "singleout.repository.documents.submission",
    "Vocabulary": "singleout.repository.documents.vocabulary",
    "canonical": "singleout.repository.documents.canonical",
    "content_hash": "singleout.repository.documents.canonical",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'singleout.repository' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
