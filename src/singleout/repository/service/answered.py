"""The answers over HTTP, for the OpenAPI document only.

Answers are written from stored documents as they are, not built from these models.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.log.heads import SignedHead

__all__ = [
    "AnnouncedKeyEntry",
    "AnnouncedKeys",
    "AnyDocument",
    "AskedCombination",
    "BatchAnswer",
    "ChargeAnswer",
    "Composed",
    "ConsistencyAnswer",
    "DecisionFacts",
    "DecisionList",
    "DemandAnswer",
    "DisputeEvent",
    "FoundAnswer",
    "FoundRecord",
    "FoundRecords",
    "HealthAnswer",
    "HolderFacts",
    "HolderList",
    "InclusionAnswer",
    "InventoryFacts",
    "InventoryList",
    "LogEntries",
    "LogEntry",
    "Predictions",
    "ProblemDocument",
    "QuasiIdentifierCount",
    "QuasiIdentifierList",
    "RecordDisputes",
    "RecordHistory",
    "RepositoryFacts",
    "StateEvent",
    "SubmissionReceipt",
    "VocabularyFacts",
    "VocabularyList",
]


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class AnyDocument(_Open):
    """A document of its own kind."""


class ProblemDocument(BaseModel):
    """What is wrong (RFC 9457)."""

    type: Literal["about:blank"]
    title: str
    status: int
    detail: str
    error: str
    reasons: list[str]


class SubmissionReceipt(BaseModel):
    """What came of a submission, with the proof that it is in the log."""

    index: int
    id: str | None
    state: str
    reasons: list[str]
    leaf: str
    head: SignedHead
    proof: list[str]


class LineAnswer(BaseModel):
    """What came of one submission of several: a receipt, or why it was refused."""

    status: int
    receipt: SubmissionReceipt | None = None
    problem: ProblemDocument | None = None


class BatchAnswer(BaseModel):
    """What came of several submissions, in their order."""

    answers: list[LineAnswer]


class FoundRecord(BaseModel):
    """A stored record."""

    id: str
    record: Record
    state: str
    reasons: list[str]
    index: int
    time: str
    holder: str


class FoundAnswer(_Open):
    """The answer to a query."""

    found: bool
    exact: bool
    record: dict[str, Any] | None
    records: list[dict[str, Any]]
    path: list[dict[str, Any]]
    notes: list[str]
    nearest: list[str]
    withheld: int


class FoundRecords(BaseModel):
    """The records of a search."""

    records: list[FoundRecord]
    withheld: int


class Predictions(BaseModel):
    """Predictions for one or several numbers of people."""

    predictions: list[dict[str, Any]]
    answer: FoundAnswer


class Composed(BaseModel):
    """The composition of several records."""

    composition: dict[str, Any]
    predictions: list[dict[str, Any]]


class ChargeAnswer(BaseModel):
    """What would have been spent of these people's budget, and whether that is allowed."""

    charge: float
    total: float
    allowed: bool


class RepositoryFacts(BaseModel):
    """What the repository says of itself."""

    name: str
    api: Literal["v1"]
    personal: bool
    key: str
    public_key: str
    size: int
    tiers: dict[str, dict[str, float]]
    requires_vocabulary: bool
    limits: dict[str, int]


class AskedCombination(BaseModel):
    """Attributes that were asked for, those of the population, and how often."""

    quasi_identifier: list[str]
    population: list[str]
    asked: int


class DemandAnswer(BaseModel):
    """What is asked for without an answer."""

    counting: bool
    least: int
    combinations: list[AskedCombination]


class HealthAnswer(BaseModel):
    """Whether the store answers."""

    status: Literal["ok"]


class StateEvent(BaseModel):
    """A state that a record got."""

    index: int
    time: str
    by: str
    state: str
    reasons: list[str]


class RecordHistory(BaseModel):
    """All states of a record."""

    id: str
    history: list[StateEvent]


class DisputeEvent(BaseModel):
    """What was said against a record."""

    index: int
    time: str
    by: str
    reason: str


class RecordDisputes(BaseModel):
    """All disputes of a record."""

    id: str
    disputes: list[DisputeEvent]


class QuasiIdentifierCount(BaseModel):
    """A quasi-identifier and how many records it has."""

    quasi_identifier: list[CodedAttribute]
    qid_key: str
    records: int


class QuasiIdentifierList(BaseModel):
    """All quasi-identifiers that have records."""

    quasi_identifiers: list[QuasiIdentifierCount]


class VocabularyFacts(BaseModel):
    """The name of a vocabulary."""

    hash: str
    name: str
    version: str


class VocabularyList(BaseModel):
    """A page of vocabularies."""

    vocabularies: list[VocabularyFacts]
    next: str | None


class HolderFacts(BaseModel):
    """A holder."""

    id: str
    name: str
    public_key: str
    roles: list[str]
    contact: str
    active: bool
    index: int


class HolderList(BaseModel):
    """A page of holders."""

    holders: list[HolderFacts]
    next: str | None


class InventoryFacts(BaseModel):
    """An inventory and whose it is."""

    id: str
    holder: str
    index: int
    time: str
    inventory: dict[str, Any]


class InventoryList(BaseModel):
    """A page of inventories."""

    inventories: list[InventoryFacts]
    next: str | None


class DecisionFacts(BaseModel):
    """A decision and whose it is."""

    id: str
    holder: str
    index: int
    time: str
    decision: dict[str, Any]


class DecisionList(BaseModel):
    """A page of decisions."""

    decisions: list[DecisionFacts]
    next: str | None


class LogEntry(BaseModel):
    """An entry of the log."""

    index: int
    leaf: str
    leaf_hash: str
    outcome: str | None
    submission: str | None
    withheld: bool


class LogEntries(BaseModel):
    """A page of entries."""

    entries: list[LogEntry]
    next: int | None


class InclusionAnswer(BaseModel):
    """A proof that an entry is in the tree."""

    index: int
    size: int
    leaf_hash: str
    proof: list[str]


class AnnouncedKeyEntry(BaseModel):
    """An entry that announces a new key, and the proof that it is in the tree."""

    index: int
    leaf: str
    submission: str
    proof: list[str]


class AnnouncedKeys(BaseModel):
    """The keys of the repository that followed each other."""

    keys: list[AnnouncedKeyEntry]
    size: int


class ConsistencyAnswer(BaseModel):
    """A proof that a tree continues an earlier one."""

    first: int
    second: int
    proof: list[str]
