"""What an operator may set: limits of size, of rate and of time, and where the audit log goes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["HEAD_BYTES", "BodyLimits", "RateLimit", "ServiceSettings"]

HEAD_BYTES = 16 * 1024  # of the address and the headers of a request

_Count = Annotated[int, Field(ge=1)]
_Seconds = Annotated[float, Field(gt=0)]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RateLimit(_Settings):
    """A token bucket: so many requests at once, refilled by so many a second."""

    burst: _Count
    per_second: _Seconds


class BodyLimits(_Settings):
    """The largest bodies and documents that are read at all."""

    submission: _Count = 256 * 1024  # bytes
    vocabulary: _Count = 4 * 1024 * 1024  # bytes
    question: _Count = 64 * 1024  # bytes
    depth: _Count = 32


class ServiceSettings(_Settings):
    """Settings of a service.

    Parameters
    ----------
    limits
        Of bodies.
    reading, changing
        Rates of one token, or of one address without a token. Each process counts for itself.
    patience
        Seconds that a request may take in all.
    body_patience
        Seconds in which the body must have arrived.
    in_flight
        Requests that one process works on at once; more are sent away.
    readers, writers
        Threads for reading from the store and for appending. Submissions that wait together are
        committed together, by one thread.
    batch
        Submissions in one request.
    cache
        Bytes of answers that one process keeps.
    audit
        The file of the audit log; none by default.
    key_file
        The file of the repository's own key; beside an SQLite file by default.
    demand
        Whether combinations that are asked for without an answer are counted.
    require_vocabulary
        Whether records must have their number of possible cells from a vocabulary. None leaves it
        to `serve`: so where others than programs of this machine can reach it.
    """

    limits: BodyLimits = BodyLimits()
    reading: RateLimit = RateLimit(burst=200, per_second=100)
    changing: RateLimit = RateLimit(burst=50, per_second=20)
    patience: _Seconds = 30
    body_patience: _Seconds = 10
    in_flight: _Count = 512
    readers: _Count = 8
    writers: _Count = 4
    batch: _Count = 256
    cache: Annotated[int, Field(ge=0)] = 64 * 1024 * 1024
    audit: Path | None = None
    key_file: Path | None = None
    require_vocabulary: bool | None = None
    demand: bool = True
