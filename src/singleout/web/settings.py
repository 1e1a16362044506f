"""What whoever starts the web application may set: where it listens, what it offers, its limits."""

from __future__ import annotations

import ipaddress
import os
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["DEFAULT_PORT", "WebSettings", "is_loopback"]

DEFAULT_PORT = 8719
_MEGABYTE = 1 << 20

_Count = Annotated[int, Field(ge=1)]
_Seconds = Annotated[float, Field(gt=0)]


class WebSettings(BaseModel):
    """Settings of the web application; every process that answers has the same.

    Parameters
    ----------
    folder
        The private folder of this server: workspaces, secrets, locks.
    host, port
        Where it listens.
    files
        What it was started with: paths and addresses that users may choose from.
    repository
        The repository that users may look at: a file or an address.
    publish
        Whether users may publish in it with the key of whoever runs the server, although others
        than that person can connect.
    token
        What whoever connects must know; none on this machine only.
    hosts
        Names, besides those of this machine, that browsers may reach it by.
    root_path
        The path under which a reverse proxy offers it, such as ``/singleout``.
    secure
        Whether browsers reach it by HTTPS: cookies are sent over nothing else then.
    read_only
        Whether only what the server was started with can be looked at: no uploads, no other
        addresses, no downloads of data.
    record_view
        Whether single records may be shown with their values.
    language
        The language for those who have chosen none; otherwise that of their browser.
    max_upload
        Bytes that an uploaded file may have.
    max_expanded
        Bytes that a compressed file may have once it is expanded.
    idle
        Seconds after which a workspace that nobody uses is deleted.
    jobs
        Long computations that run at once; others wait.
    jobs_each
        Long computations that one user may have running or waiting.
    workspaces
        Users at once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    folder: Path
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    files: tuple[str, ...] = ()
    repository: str | None = None
    publish: bool = False
    token: str | None = None
    hosts: tuple[str, ...] = ()
    root_path: str = ""
    secure: bool = False
    read_only: bool = False
    record_view: bool = False
    language: str | None = None
    max_upload: _Count = 2048 * _MEGABYTE
    max_expanded: _Count = 16384 * _MEGABYTE
    idle: _Seconds = 2 * 3600
    jobs: _Count = max(2, (os.cpu_count() or 2) // 2)
    jobs_each: _Count = 3
    workspaces: _Count = 200

    @property
    def is_shared(self) -> bool:
        """Whether others than the person who runs the server can connect."""
        return self.token is not None


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can connect to an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
