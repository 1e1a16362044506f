"""Run the web application: on this machine only unless told otherwise, in one process or more."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from uvicorn.supervisors import Multiprocess

from singleout.errors import BadChoice, UnreachableData
from singleout.web.server_folder import server_folder
from singleout.web.settings import DEFAULT_PORT, WebSettings, is_loopback

__all__ = ["DEFAULT_PORT", "serve"]

_HEADERS = 16 * 1024  # bytes of the headers of a request
_GRACE = 2  # seconds for requests under way when the server stops


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    workers: int = 1,
    public_url: str | None = None,
    folder: Path | None = None,
    ready: Callable[[str, int], None] = lambda *_: None,
    **settings: Any,
) -> None:
    """Serve the web application until it is told to stop (SIGTERM or SIGINT).

    Parameters
    ----------
    host, port
        Where to listen; any free port if 0.
    workers
        How many processes answer.
    public_url
        The URL under which a reverse proxy offers it, such as ``https://example.org/singleout``.
    folder
        Where its private folder is made; that of temporary files if not given.
    ready
        Called with the URL to open and the number of folders that killed servers had left behind.
    settings
        As `WebSettings` has them.
    """
    listening = _bound(host, port)
    port = listening.getsockname()[1]
    with listening, server_folder(folder) as made:
        alone = is_loopback(host) and public_url is None
        token = None if alone else secrets.token_urlsafe(24)
        chosen = WebSettings(
            folder=made.path,
            host=host,
            port=port,
            token=token,
            **_offered(public_url),
            **settings,
        )
        ready(_start_url(chosen, public_url), made.removed)
        config = uvicorn.Config(
            partial(_created, chosen),
            factory=True,
            host=host,
            port=port,
            workers=workers,
            **_OPTIONS,
        )
        server = uvicorn.Server(config)
        with _stopping_is_no_failure(server):
            if workers == 1:
                server.run(sockets=[listening])
            else:
                Multiprocess(config, sockets=[listening]).run()


_OPTIONS: dict[str, Any] = {
    "server_header": False,
    "access_log": False,  # a path may hold a name from the data
    "log_level": "warning",
    "proxy_headers": False,
    "http": "h11",  # which refuses headers that are too large
    "h11_max_incomplete_event_size": _HEADERS,
    "timeout_keep_alive": 15,
    "timeout_graceful_shutdown": _GRACE,
    "ws": "none",
    "lifespan": "on",
}


def _created(settings: WebSettings) -> Any:
    """Return the application, in the process that answers."""
    from singleout.web.app import create_app

    return create_app(settings)


def _offered(public_url: str | None) -> dict[str, Any]:
    if public_url is None:
        return {}
    parts = urlsplit(public_url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
        raise BadChoice(
            f"{public_url!r} is not the URL of a reverse proxy; give one such as "
            "https://example.org/singleout."
        )
    return {
        "hosts": (parts.hostname,),
        "root_path": parts.path.rstrip("/"),
        "secure": parts.scheme == "https",
    }


def _start_url(settings: WebSettings, public_url: str | None) -> str:
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if host in ("0.0.0.0", "[::]"):
        host = socket.gethostname()
    where = f"http://{host}:{settings.port}" if public_url is None else public_url.rstrip("/")
    return f"{where}/" if settings.token is None else f"{where}/?token={settings.token}"


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "not an address"
        raise UnreachableData(
            f"Cannot listen on {host}, port {port}: {reason}; choose another with --port, or any "
            "that is free with --port 0."
        ) from None
    listening.listen(1024)
    listening.set_inheritable(True)
    return listening


def _stop(server: uvicorn.Server) -> None:
    server.should_exit = True


@contextmanager
def _stopping_is_no_failure(server: uvicorn.Server) -> Iterator[None]:
    """Let the server end as usual when it is told to: uvicorn raises the signal once more.

    Nobody else hears of signals meanwhile: the data of users is deleted before the process ends.
    One that comes before uvicorn listens to them stops it as soon as it has started.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals: tuple[int, ...] = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: _stop(server)) for each in signals]
    others = signal.set_wakeup_fd(-1)
    hung_up = getattr(signal, "SIGHUP", None)  # the terminal was closed
    if hung_up is not None:
        signals, before = (*signals, hung_up), [*before, signal.getsignal(hung_up)]
        signal.signal(hung_up, lambda *_: os.kill(os.getpid(), signal.SIGTERM))
    try:
        yield
    finally:
        signal.set_wakeup_fd(others)
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)
