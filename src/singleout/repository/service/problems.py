"""Errors as problem+json (RFC 9457), each with one sentence.

The class of an error decides its status, so that a client can raise the same class again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus

from starlette.responses import Response

from singleout.errors import (
    BadSubmission,
    InputError,
    NotAllowed,
    NotPublishable,
    SingleoutError,
    StoreChanged,
    UndefinedMeasure,
    UnreachableData,
    UnreadableFile,
    UnwritableOutput,
)

__all__ = ["MISTAKE", "PROBLEM", "Refused", "problem", "problem_of"]

PROBLEM = "application/problem+json"

MISTAKE = "This is a mistake of the service; report it with the Request-Id of this response."

_TITLES = {
    413: "Content Too Large",
    422: "Unprocessable Content",
}
# the first class that fits decides
_STATUS: tuple[tuple[type[SingleoutError], int], ...] = (
    (NotPublishable, 422),
    (NotAllowed, 403),
    (UndefinedMeasure, 404),
    (BadSubmission, 422),
    (UnreadableFile, 503),  # of the store: nobody who asks names a file
    (InputError, 422),
    (UnreachableData, 503),
    (UnwritableOutput, 503),
    (StoreChanged, 503),
)
_STORE_DOWN = "The store does not answer now; nothing was acknowledged, so send it again later."
_RETRY = {"Retry-After": "5"}


class Refused(Exception):
    """A request that is refused with this status and this sentence.

    Parameters
    ----------
    status
        The HTTP status.
    sentence
        What was given and what would work.
    error
        The name of the class that a client raises.
    headers
        Further headers of the response.
    """

    def __init__(
        self,
        status: int,
        sentence: str,
        error: type[SingleoutError] = InputError,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.error = error.__name__
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """Return it as a response."""
        return problem(self.status, self.sentence, self.error, headers=self.headers)


def problem(
    status: int,
    sentence: str,
    error: str = InputError.__name__,
    *,
    reasons: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """Return a response that says what is wrong."""
    document = {
        "type": "about:blank",
        "title": _TITLES.get(status) or HTTPStatus(status).phrase,
        "status": status,
        "detail": sentence,
        "error": error,
        "reasons": list(reasons),
    }
    content = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Response(content, status, dict(headers or {}), media_type=PROBLEM)


def problem_of(error: SingleoutError) -> Response:
    """Return the response for an error of this package."""
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 422)
    if status == 503:  # what the driver says may name hosts and users
        return problem(status, _STORE_DOWN, UnreachableData.__name__, headers=_RETRY)
    reasons = error.reasons if isinstance(error, NotPublishable) else ()
    return problem(status, str(error), _public_name(error), reasons=reasons)


def _public_name(error: SingleoutError) -> str:
    """Return the nearest class that clients know."""
    known = (NotPublishable, NotAllowed, BadSubmission, UndefinedMeasure, InputError)
    return next(kind.__name__ for kind in (*known, SingleoutError) if isinstance(error, kind))
