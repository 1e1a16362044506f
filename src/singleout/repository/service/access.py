"""Who asks, and which records they may read (D10): public, registered with a purpose, holder."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from singleout.errors import BadChoice, NotAllowed

__all__ = [
    "ANYONE",
    "Caller",
    "KnownToken",
    "bearer",
    "matching",
    "new_token",
    "purpose_of",
    "token_hash",
]

_RANK = {"reader": 1, "holder": 2, "moderator": 3, "administrator": 4}
_TOKEN = re.compile(r"so_[A-Za-z0-9_-]{43}")
_PURPOSE = (5, 200)  # characters

Access = Literal["public", "registered", "holder"]


@dataclass(frozen=True)
class KnownToken:
    """A token as the repository knows it: by its hash.

    Parameters
    ----------
    hash
        The SHA-256 of the token, in hexadecimal.
    roles
        What its bearer may do.
    holder
        The key of the holder it belongs to, if any.
    expires
        The end of its life in UTC, as text; None for never.
    """

    hash: str
    roles: tuple[str, ...]
    holder: str | None = None
    expires: str | None = None

    def is_expired(self, now: datetime) -> bool:
        """Whether its time is over."""
        if self.expires is None:
            return False
        end = datetime.fromisoformat(self.expires)
        return now >= (end if end.tzinfo else end.replace(tzinfo=UTC))


@dataclass(frozen=True)
class Caller:
    """Who asks.

    Parameters
    ----------
    name
        How the audit log names them: the start of the hash of a token, or of an address.
    rank
        0 without a token; 1 to 4 for reader, holder, moderator, administrator.
    holder
        The key of the holder whose token it is.
    purpose
        What records that are not public are read for.
    """

    name: str = ""
    rank: int = 0
    holder: str | None = None
    purpose: str | None = None

    @classmethod
    def with_token(cls, token: KnownToken, purpose: str | None) -> Caller:
        """Return the bearer of a token."""
        rank = max((_RANK.get(role, 0) for role in token.roles), default=0)
        return cls(
            token.hash[:12], rank, token.holder if rank >= _RANK["holder"] else None, purpose
        )

    @property
    def view(self) -> str:
        """What they see, as text: callers of one view get the same answers."""
        if self.rank == 0:
            return "public"
        sees = "all" if self.rank >= _RANK["moderator"] else "registered"
        return f"{sees if self.purpose else 'public'}/{self.holder or ''}"

    def may_read(self, access: str, holder: str) -> bool:
        """Whether they may read a record of this access and this holder."""
        if access == "public" or (self.holder is not None and holder == self.holder):
            return True
        if self.purpose is None:
            return False
        return self.rank >= (_RANK["reader"] if access == "registered" else _RANK["moderator"])

    def is_at_least(self, role: str) -> bool:
        """Whether they have this role or a higher one."""
        return self.rank >= _RANK[role]

    def refusal(self, access: str) -> NotAllowed:
        """Return why they may not read a record of this access."""
        if access == "registered" and self.rank:
            return NotAllowed(
                "This record is registered: say what it is read for in the header Purpose."
            )
        if access == "registered":
            return NotAllowed(
                "This record is registered: send a token in the header Authorization, and say "
                "what it is read for in the header Purpose."
            )
        return NotAllowed("This record is for its holder only; send a token of that holder.")


ANYONE = Caller()


def bearer(header: str) -> str:
    """Return the token of an Authorization header.

    Raises
    ------
    NotAllowed
        If the header is not that of a token; it is not repeated.
    """
    scheme, _, token = header.strip().partition(" ")
    token = token.strip()
    if scheme.lower() != "bearer" or not _TOKEN.fullmatch(token):
        raise NotAllowed(
            "The header Authorization must be Bearer and a token: so_ and 43 characters."
        )
    return token


def token_hash(token: str) -> str:
    """Return what is stored of a token.

    A token has 256 random bits, so that a slow hash would protect nothing more.

    >>> token_hash("so_" + 43 * "A")[:16]
    '415eb1f05c6305db'
    """
    return hashlib.sha256(token.encode()).hexdigest()


def new_token() -> str:
    """Return a token of 256 random bits; whoever makes it submits its hash only."""
    return f"so_{secrets.token_urlsafe(32)}"


def matching(token: str, known: Sequence[KnownToken]) -> KnownToken | None:
    """Return the known token with this hash; compared in constant time."""
    wanted = token_hash(token).encode()
    found = None
    for one in known:
        if hmac.compare_digest(one.hash.encode(), wanted):
            found = one
    return found


def purpose_of(header: str | None) -> str | None:
    """Return the purpose that a header states, or None.

    Raises
    ------
    BadChoice
        If it says nothing, or too much.
    """
    if header is None:
        return None
    text = " ".join(header.split())
    least, most = _PURPOSE
    if not (least <= len(text) <= most and text.isprintable()):
        raise BadChoice(
            f"The header Purpose must have {least} to {most} printable characters; "
            f"it has {len(text)}."
        )
    return text
