"""Everything that changes a repository is a signed submission: a body, who, when, and once.

The signature (Ed25519) is over the canonical JSON of all fields but itself. A nonce is used once,
and a submission expires within the hour, so that an overheard one cannot be sent again.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, StringConstraints, field_validator
from pydantic_core import to_json

from singleout.errors import BadChoice, BadSubmission
from singleout.io.yaml.file import Origin, checked
from singleout.repository.documents.bodies import body_of
from singleout.repository.documents.canonical import (
    LARGEST,
    canonical,
    plain_document,
    read_json,
)
from singleout.repository.documents.fields import DocumentModel, KeyId
from singleout.repository.documents.keys import (
    HolderKey,
    SignedStatement,
    are_signed,
    key_id,
    read_signature,
)
from singleout.repository.documents.quick_json import alike, read_canonical
from singleout.repository.documents.record import Record

__all__ = ["LIFETIME", "LONGEST_LIFETIME", "SKEW", "Submission", "read_time", "time_text"]

LIFETIME = timedelta(minutes=5)
LONGEST_LIFETIME = timedelta(hours=1)
SKEW = timedelta(minutes=1)  # by which clocks may differ
_BODY = b'{"body":'
_TIME = "%Y-%m-%dT%H:%M:%SZ"

_PATTERN = r"^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$"

Time = Annotated[str, StringConstraints(pattern=_PATTERN)]


def time_text(time: datetime) -> str:
    """Return a timestamp in UTC, to the second.

    >>> time_text(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05Z'
    """
    if time.tzinfo is None:
        raise BadChoice("A time has no time zone; give one with tzinfo, such as datetime.now(UTC).")
    return time.astimezone(UTC).strftime(_TIME)


@lru_cache(maxsize=1_000)
def read_time(text: str) -> datetime:
    """Return the time of a timestamp in UTC."""
    try:
        return datetime.strptime(text, _TIME).replace(tzinfo=UTC)
    except ValueError:
        raise BadSubmission(
            f"{text!r} is no time; write it as 2026-12-31T23:59:59Z, in UTC."
        ) from None


class Submission(DocumentModel):
    """A body and the signature of who submits it."""

    kind: Literal["submission/1"] = "submission/1"
    body: dict[str, Any]
    by: KeyId
    nonce: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
    issued: Time
    expires: Time
    signature: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{86}$")]

    @field_validator("body")
    @classmethod
    def _without_null(cls, given: dict[str, Any]) -> dict[str, Any]:
        if _may_have_null(given) and _has_null(given):
            raise ValueError("the body has a key with null; leave out what is not known.")
        return given

    @classmethod
    def sign(
        cls,
        body: BaseModel | Mapping[str, Any],
        key: HolderKey,
        *,
        lifetime: timedelta = LIFETIME,
        now: datetime | None = None,
    ) -> Submission:
        """Return a body signed with a key, to be sent within ``lifetime``."""
        issued = now or datetime.now(UTC)
        document = body_of(dict(plain_document(body)))  # nothing is signed that cannot be taken
        unsigned = {
            "kind": "submission/1",
            "body": plain_document(document),
            "by": key.id,
            "nonce": secrets.token_hex(16),
            "issued": time_text(issued),
            "expires": time_text(issued + lifetime),
        }
        return cls(**unsigned, signature=key.sign(canonical(unsigned)))

    @classmethod
    def of(cls, given: Submission | Mapping[str, Any] | str | bytes) -> Submission:
        """Return the submission of plain values or of a JSON text; its signature is not checked."""
        if isinstance(given, Submission):
            return given
        if not isinstance(given, str | bytes):
            return cls.of_values(given)
        if isinstance(given, bytes) and len(given) <= LARGEST:
            values = read_canonical(given)
            if values is not None:
                return cls.of_values(values, given)
        return cls.of_values(read_json(given, "submission", largest=LARGEST))

    @classmethod
    def of_values(cls, values: Any, text: bytes | None = None) -> Submission:
        """Return the submission of plain values; ``text`` is their canonical text, if at hand."""
        try:
            made = checked(cls, values, Origin("submission"))
        except BadChoice as error:
            raise BadSubmission(str(error)) from None
        if text is not None:
            made.__dict__["text"] = text  # as the cached property would
        return made

    @cached_property
    def document(self) -> Any:
        """The body as its model: a `Record`, a `Dispute` and so on."""
        made = body_of(self.body)
        if isinstance(made, Record) and alike(plain_document(made), self.body):
            # nothing was left out, so that what is signed is what the record is named after
            start, end = len(_BODY), len(self.signed_text) - len(self._after_body)
            digest = hashlib.sha256(memoryview(self.signed_text)[start:end])
            made.__dict__["id"] = f"sha256:{digest.hexdigest()}"
        return made

    @cached_property
    def signed_text(self) -> bytes:
        """What is signed: the canonical bytes of all fields but the signature."""
        known: bytes | None = self.__dict__.get("text")
        if known is not None:
            return known[: -len(self._after_signed)] + b"}"
        return _BODY + canonical(self.body) + self._after_body

    @property
    def _after_body(self) -> bytes:
        # in canonical order; no field but the body has a character that JSON escapes
        fields = f'"by":"{self.by}","expires":"{self.expires}","issued":"{self.issued}"'
        return f',{fields},"kind":"{self.kind}","nonce":"{self.nonce}"}}'.encode()

    @property
    def _after_signed(self) -> bytes:
        # the signature is the last of the fields in canonical order
        return f',"signature":"{self.signature}"}}'.encode()

    @cached_property
    def text(self) -> bytes:
        """The canonical bytes of the whole submission."""
        return self.signed_text[:-1] + self._after_signed

    @cached_property
    def hash(self) -> str:
        """The content hash of the whole submission."""
        return f"sha256:{hashlib.sha256(self.text).hexdigest()}"

    def check(self, public_key: bytes, now: datetime | None = None) -> None:
        """Check that a submission is by the owner of a public key, whole, and in time.

        Raises
        ------
        BadSubmission
            If it is forged, changed, expired, from the future or malformed.
        """
        self.check_signed(are_signed([self.statement(public_key)])[0], public_key, now)

    def statement(self, public_key: bytes) -> SignedStatement:
        """Return what the signature says: the text, the signature, and whose it should be."""
        return self.signed_text, read_signature(self.signature), public_key

    def check_signed(self, is_signed: bool, public_key: bytes, now: datetime | None = None) -> None:
        """Check the rest, where it is known whether the signature is that of a public key."""
        named = hmac.compare_digest(key_id(public_key), self.by)
        if not (named and is_signed):
            raise BadSubmission(
                f"The signature is not that of {self.by} for this text; sign it again."
            )
        self._check_time(now or datetime.now(UTC))

    def _check_time(self, now: datetime) -> None:
        issued, expires = read_time(self.issued), read_time(self.expires)
        if not issued <= expires <= issued + LONGEST_LIFETIME:
            raise BadSubmission(
                "A submission expires between its time of issue and an hour later; sign it again."
            )
        if issued > now + SKEW:
            raise BadSubmission(
                f"The submission was issued at {self.issued}, which is in the future; is your "
                "clock right?"
            )
        if now > expires:
            raise BadSubmission(f"The submission expired at {self.expires}; sign it again.")


def _may_have_null(value: Any) -> bool:
    try:
        return b"null" in to_json(value, fallback=lambda _: None)
    except (ValueError, TypeError):  # a text or a key that JSON cannot hold
        return True


def _has_null(value: Any) -> bool:
    """Whether a mapping somewhere has null for a value: canonical documents leave it out."""
    if isinstance(value, dict):
        return any(item is None or _has_null(item) for item in value.values())
    return isinstance(value, list) and any(map(_has_null, value))
