"""Run the service: on this machine only unless told otherwise, in one process or several."""

from __future__ import annotations

import gc
import ipaddress
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from singleout.core.arguments import whole
from singleout.errors import BadChoice, UnreachableData
from singleout.repository.extra import extra
from singleout.repository.service.settings import HEAD_BYTES, ServiceSettings

__all__ = ["DEFAULT_PORT", "serve", "server_options"]

DEFAULT_PORT = 8718
_KEEP_ALIVE = 15  # seconds that an idle connection is kept
_SWITCH = 0.001  # seconds: whoever computes lets those who wait for the network go first
_GRACE = 20  # seconds for requests under way when the service stops


def serve(
    target: str | os.PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    workers: int = 1,
    settings: ServiceSettings | None = None,
    trusted_proxies: str | None = None,
) -> None:
    """Serve a repository until it is told to stop (SIGTERM or SIGINT).

    Parameters
    ----------
    target
        The path of an SQLite file, or the URL of a PostgreSQL database.
    host, port
        Where to listen: by default only programs of this machine can connect.
    workers
        How many processes answer. One that ends is replaced.
    settings
        Limits and the audit log.
    trusted_proxies
        Addresses of reverse proxies, with commas, whose word on the caller's address is taken.
    """
    uvicorn = extra("uvicorn")
    chosen = settings or ServiceSettings()
    if chosen.require_vocabulary is None:
        # whoever names a proxy has callers from elsewhere
        others = not _is_loopback(host) or trusted_proxies is not None
        chosen = chosen.model_copy(update={"require_vocabulary": others})
    _check_store(target, chosen, host)
    count = whole(workers, "workers")
    app = partial(_created, str(os.fspath(target)), chosen)
    config = uvicorn.Config(
        app,
        factory=True,
        host=host,
        port=whole(port, "port", at_least=0),
        workers=count,
        **server_options(trusted_proxies),
    )
    listening = _bound(config, host, port)
    with listening, _stopping_is_no_failure():
        if count == 1:
            uvicorn.Server(config).run(sockets=[listening])
        else:
            extra("uvicorn.supervisors").Multiprocess(config, sockets=[listening]).run()


@contextmanager
def _stopping_is_no_failure() -> Iterator[None]:
    """Let the service end as usual when it is told to: uvicorn raises the signal once more."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(each, lambda *_: None) for each in signals]
    try:
        yield
    finally:
        for each, handler in zip(signals, before, strict=True):
            signal.signal(each, handler)


def _created(target: str, settings: ServiceSettings) -> Any:
    """Return the application, in the process that answers."""
    from singleout.repository.service.app import create_app

    sys.setswitchinterval(_SWITCH)
    app = create_app(target, settings)
    gc.collect()
    gc.freeze()  # what was imported stays, so that there is no need to look through it again
    return app


def _check_store(target: str | os.PathLike[str], settings: ServiceSettings, host: str) -> None:
    """Say at once, and in a sentence, if there is no store that can be served."""
    from singleout.repository.store.store import Store

    with Store.open(target, key_file=settings.key_file) as store:
        if store.personal and not _is_loopback(host):
            raise BadChoice(
                "This is a personal repository, without roles and minima: it can be served on this "
                "machine only. Make one for others with: singleout repository init --public"
            )


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def server_options(trusted_proxies: str | None) -> dict[str, Any]:
    """Return how uvicorn runs the service: without a banner, and with limits."""
    return {
        "server_header": False,
        "access_log": False,  # the audit log has what is needed, without addresses
        "log_level": "warning",
        "proxy_headers": trusted_proxies is not None,
        "forwarded_allow_ips": trusted_proxies or "",
        "http": _protocol(),
        "h11_max_incomplete_event_size": HEAD_BYTES,
        "timeout_keep_alive": _KEEP_ALIVE,
        "timeout_graceful_shutdown": _GRACE,
        "ws": "none",
        "lifespan": "on",
        "backlog": 1024,
    }


def _protocol() -> Any:
    """Return what speaks HTTP: by a compiled parser, if it is installed, or by one in Python."""
    try:
        from singleout.repository.service.bounded import BoundedProtocol
    except ImportError:
        return "h11"
    return BoundedProtocol


def _bound(config: Any, host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once on sockets that say they are of TCP, and only on those
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or "not an address"
        raise UnreachableData(f"Cannot listen on {host}, port {port}: {reason}.") from None
    listening.listen(config.backlog)
    listening.set_inheritable(True)
    return listening
