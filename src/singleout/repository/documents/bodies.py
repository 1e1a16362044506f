"""What can be submitted to a repository, each a document with its kind."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, field_validator

from singleout.errors import BadSubmission
from singleout.io.yaml.file import Origin, checked
from singleout.repository.documents.canonical import short
from singleout.repository.documents.fields import DocumentModel, Hash, KeyId, Name, Reason, Words
from singleout.repository.documents.keys import key_id, read_public_key
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Coverage, Record
from singleout.repository.documents.vocabulary import Vocabulary

__all__ = [
    "BODIES",
    "ROLES",
    "Body",
    "DecisionEntry",
    "Dispute",
    "HolderEntry",
    "HolderRemoval",
    "InventoryEntry",
    "KeyRotation",
    "RepositoryEntry",
    "Resolution",
    "Role",
    "Ruling",
    "TokenEntry",
    "TokenRemoval",
    "VocabularyEntry",
    "Withdrawal",
    "body_of",
]

Role = Literal["reader", "holder", "moderator", "administrator"]
ROLES: tuple[Role, ...] = ("reader", "holder", "moderator", "administrator")
TokenHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
_TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"


class Dispute(DocumentModel):
    """A holder says that a record is wrong."""

    kind: Literal["dispute/1"] = "dispute/1"
    record: Hash
    reason: Reason


class Withdrawal(DocumentModel):
    """A holder takes a record back; its hash stays."""

    kind: Literal["withdrawal/1"] = "withdrawal/1"
    record: Hash
    reason: Reason


class Resolution(DocumentModel):
    """A moderator ends a dispute about a key: by one record, or by none."""

    kind: Literal["resolution/1"] = "resolution/1"
    key: Hash
    chosen: Hash | None = None
    reason: Reason


class Ruling(DocumentModel):
    """A moderator lets a record count, or sets it apart."""

    kind: Literal["ruling/1"] = "ruling/1"
    record: Hash
    state: Literal["valid", "quarantined"]
    reason: Reason


class HolderEntry(DocumentModel):
    """An administrator registers somebody by a public key."""

    kind: Literal["holder/1"] = "holder/1"
    name: Name
    public_key: str
    roles: tuple[Role, ...] = ("holder",)
    contact: Words = ""

    @field_validator("public_key")
    @classmethod
    def _public_key(cls, given: str) -> str:
        read_public_key(given)
        return given

    @field_validator("roles")
    @classmethod
    def _roles(cls, given: tuple[Role, ...]) -> tuple[Role, ...]:
        return tuple(role for role in ROLES if role in given)

    @property
    def id(self) -> str:
        """The short name of the key."""
        return key_id(read_public_key(self.public_key))


class HolderRemoval(DocumentModel):
    """An administrator ends what a key may do; what it signed stays."""

    kind: Literal["holder-removal/1"] = "holder-removal/1"
    holder: KeyId
    reason: Reason


class TokenEntry(DocumentModel):
    """An administrator lets the owner of a token read; only the token's hash is known."""

    kind: Literal["token/1"] = "token/1"
    token_hash: TokenHash
    name: Name
    roles: tuple[Role, ...] = ("reader",)
    holder: KeyId | None = None
    expires: Annotated[str, StringConstraints(pattern=_TIME)] | None = None

    @field_validator("roles")
    @classmethod
    def _roles(cls, given: tuple[Role, ...]) -> tuple[Role, ...]:
        return tuple(role for role in ROLES if role in given)


class TokenRemoval(DocumentModel):
    """An administrator ends what a token opens."""

    kind: Literal["token-removal/1"] = "token-removal/1"
    token_hash: TokenHash
    reason: Reason


class RepositoryEntry(DocumentModel):
    """The first entry of a repository, signed by its own key."""

    kind: Literal["repository/1"] = "repository/1"
    name: Name
    personal: bool
    public_key: str


class KeyRotation(DocumentModel):
    """The repository announces its next key, signed by the one that it replaces."""

    kind: Literal["key-rotation/1"] = "key-rotation/1"
    public_key: str
    previous: str
    reason: Words = ""

    @field_validator("public_key", "previous")
    @classmethod
    def _public_key(cls, given: str) -> str:
        read_public_key(given)
        return given


class VocabularyEntry(DocumentModel):
    """A vocabulary, which records then refer to by its hash."""

    kind: Literal["vocabulary/1"] = "vocabulary/1"
    vocabulary: Vocabulary


class InventoryEntry(DocumentModel):
    """A data set, a questionnaire or a release of research data: what somebody holds or asks."""

    kind: Literal["inventory/1"] = "inventory/1"
    what: Literal["dataset", "questionnaire", "release"]
    name: Name
    description: Words = ""
    attributes: tuple[CodedAttribute, ...] = Field(min_length=1, max_length=1_000)
    combinations: tuple[tuple[Name, ...], ...] = Field(default=(), max_length=1_000)
    population: DeclaredPopulation = DeclaredPopulation({})
    identified: bool = False  # whether it names people
    coverage: Coverage = Coverage()
    source: Words = ""
    supersedes: Hash | None = None


class DecisionEntry(DocumentModel):
    """What was decided, with the numbers it was decided on."""

    kind: Literal["decision/1"] = "decision/1"
    subject: Name
    outcome: Name
    records: tuple[Hash, ...] = Field(default=(), max_length=1_000)
    document: dict[str, Any] = Field(default_factory=dict)
    reason: Words = ""


Body = (
    Record
    | Dispute
    | Withdrawal
    | Resolution
    | Ruling
    | HolderEntry
    | HolderRemoval
    | TokenEntry
    | TokenRemoval
    | RepositoryEntry
    | KeyRotation
    | VocabularyEntry
    | InventoryEntry
    | DecisionEntry
)
BODIES: dict[str, type[DocumentModel]] = {
    kind.model_fields["kind"].default: kind
    for kind in (
        Record,
        Dispute,
        Withdrawal,
        Resolution,
        Ruling,
        HolderEntry,
        HolderRemoval,
        TokenEntry,
        TokenRemoval,
        RepositoryEntry,
        KeyRotation,
        VocabularyEntry,
        InventoryEntry,
        DecisionEntry,
    )
}


def body_of(values: Any) -> Any:
    """Return the document of plain values, by its kind."""
    kind = values.get("kind") if isinstance(values, dict) else None
    model = BODIES.get(kind) if isinstance(kind, str) else None
    if model is None:
        raise BadSubmission(
            f"The body of the submission is of the kind {short(str(kind))}; give one of "
            f"{', '.join(BODIES)}."
        )
    try:
        return checked(model, values, Origin("submission"))
    except BadSubmission:
        raise
    except ValueError as error:
        raise BadSubmission(str(error)) from None
