"""Requests to a repository over HTTP: bounded answers, errors as sentences of the service."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from singleout import errors
from singleout.errors import BadChoice, NotAllowed, NotPublishable, SingleoutError, UnreachableData
from singleout.repository.documents.canonical import canonical, read_json
from singleout.repository.extra import extra

__all__ = ["Connection", "base_url", "is_url"]

_LARGEST = 64_000_000  # bytes of one answer
_SECONDS = 35.0  # the service itself gives up after 30
_TOO_MANY = 429
_PATIENCE = 5.0  # seconds that the service may ask to wait
_TRIES = 6


def is_url(target: object) -> bool:
    """Whether a repository is reached over HTTP."""
    return isinstance(target, str) and target.lower().startswith(("http://", "https://"))


def base_url(url: str) -> str:
    """Return the address of a repository, however it was written.

    >>> base_url("HTTPS://Repository.example/kl/v1/")
    'https://repository.example/kl'
    """
    parts = urlsplit(url.strip())
    if not parts.hostname:
        raise BadChoice(f"{url!r} is no address; write it as https://repository.example.")
    if parts.username or parts.password:
        raise BadChoice("An address must not hold a password; give a token instead.")
    path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
    return urlunsplit((parts.scheme.lower(), parts.netloc.lower(), path, "", ""))


class Connection:
    """A repository at an address: asks, and raises what the service refuses.

    Parameters
    ----------
    url
        The address of the repository.
    token
        An API token, for records that are not public.
    purpose
        What registered records are read for, in a few words; needed with a token.
    transport
        Used in place of the network, for tests.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | None = None,
        purpose: str | None = None,
        transport: Any = None,
    ) -> None:
        self.url = base_url(url)
        if token is not None and not self.is_private:
            raise BadChoice(
                f"A token would be sent to {self.url} for everybody to read; use https."
            )
        headers = {"Accept": "application/json"}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if purpose is not None:
            headers["Purpose"] = purpose
        self._httpx = extra("httpx")
        self._client = self._httpx.Client(headers=headers, timeout=_SECONDS, transport=transport)

    @property
    def is_private(self) -> bool:
        """Whether nobody on the way can read what is sent: it is encrypted, or stays here."""
        parts = urlsplit(self.url)
        return parts.scheme == "https" or _is_loopback(parts.hostname or "")

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return what the service answers."""
        asked = {name: value for name, value in query.items() if value is not None}
        return self._send("GET", path, params=asked)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Send a document, and return what the service answers."""
        headers = {"Content-Type": "application/json"}
        return self._send("POST", path, content=canonical(body), headers=headers)

    def _send(self, method: str, path: str, **options: Any) -> Any:
        """Send a request; where the service asks to wait a little, wait and send it again."""
        for _ in range(_TRIES):
            status, raw, wait = self._answer(method, path, options)
            if status != _TOO_MANY or wait > _PATIENCE:
                break
            time.sleep(wait)
        if 200 <= status < 300:
            return self._read(raw)
        raise self._refusal(status, raw)

    def _answer(self, method: str, path: str, options: Any) -> tuple[int, bytes, float]:
        """Return the status, the content, and for how many seconds to wait."""
        httpx = self._httpx
        try:
            with self._client.stream(method, f"{self.url}/v1{path}", **options) as response:
                raw = self._bounded(response)
                after = response.headers.get("Retry-After", "")
                wait = float(after) if after.isdigit() else _PATIENCE + 1
                return response.status_code, raw, wait
        except httpx.TimeoutException:
            raise UnreachableData(
                f"The repository at {self.url} did not answer in time; try again later."
            ) from None
        except httpx.HTTPError as error:
            raise UnreachableData(
                f"The repository at {self.url} cannot be reached ({type(error).__name__}); check "
                "the address and the network."
            ) from None

    def _bounded(self, response: Any) -> bytes:
        parts, size = [], 0
        for part in response.iter_bytes():
            size += len(part)
            if size > _LARGEST:
                raise UnreachableData(
                    f"The repository at {self.url} sent more than {_LARGEST // 1_000_000} MB; "
                    "ask for less."
                )
            parts.append(part)
        return b"".join(parts)

    def _read(self, raw: bytes) -> Any:
        try:
            return read_json(raw, "answer", largest=_LARGEST)
        except SingleoutError:
            raise self._no_repository() from None

    def _no_repository(self) -> UnreachableData:
        return UnreachableData(
            f"What answers at {self.url} is no repository of singleout; check the address."
        )

    def _refusal(self, status: int, raw: bytes) -> SingleoutError:
        """Return the error that the service names, with its sentence."""
        try:
            problem = read_json(raw, "answer")
            detail, name = str(problem["detail"]), str(problem["error"])
            reasons = [str(reason) for reason in problem.get("reasons", ())]
        except (SingleoutError, KeyError, TypeError, AttributeError):
            if status in (401, 403):
                return NotAllowed(f"The repository at {self.url} does not allow this ({status}).")
            return self._no_repository()
        if name == "NotPublishable":
            return NotPublishable(reasons or detail)
        kind = getattr(errors, name, SingleoutError)
        if not (isinstance(kind, type) and issubclass(kind, SingleoutError)):
            kind = SingleoutError
        try:
            return kind(detail)
        except TypeError:
            return SingleoutError(detail)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
