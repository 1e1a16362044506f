"""Tokens that only pages of this server know, so that no other page can send its forms."""

from __future__ import annotations

import hashlib
import hmac

__all__ = ["FIELD", "HEADER", "csrf_token", "is_same"]

FIELD = "csrf"
HEADER = "x-csrf-token"


def csrf_token(secret: bytes, cookie: str) -> str:
    """Return the token of a user, derived from their cookie: nothing has to be stored."""
    return hmac.new(secret, b"csrf:" + cookie.encode(), hashlib.sha256).hexdigest()


def is_same(given: str | None, expected: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell where they differ."""
    return given is not None and hmac.compare_digest(given.encode(), expected.encode())
