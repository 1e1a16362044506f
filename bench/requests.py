"""A lean HTTP client in a process of its own, so that the service has the cores to itself.

It sends requests over connections that stay open, one after the other on each, and reads every
answer whole. A general client takes as much time for a request as the service does; this one takes
a few dozen microseconds, all of which still count.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

__all__ = ["Requests", "Timed", "ask"]

_LENGTH = re.compile(rb"\r\ncontent-length: *([0-9]+)\r\n", re.IGNORECASE)
_END = b"\r\n\r\n"
_PATIENCE = 60  # seconds for one answer


@dataclass(frozen=True)
class Requests:
    """What to send, where, over how many connections, and the status of a good answer."""

    host: str
    port: int
    path: str
    bodies: Sequence[bytes]
    lanes: int
    expected: int = 200
    kind: str = "application/json"

    def texts(self) -> list[bytes]:
        """Return the requests as they are sent."""
        head = (
            f"POST {self.path} HTTP/1.1\r\nHost: {self.host}\r\nContent-Type: {self.kind}\r\n"
            "Content-Length: "
        ).encode()
        return [b"%b%d%b%b" % (head, len(body), _END, body) for body in self.bodies]


@dataclass(frozen=True)
class Timed:
    """The seconds of each request, from sending it to its whole answer, and of all together."""

    each: list[float]
    elapsed: float


def ask(requests: Requests) -> Timed:
    """Send requests from a process beside this one."""
    return _client().submit(_ask, requests).result()


_pools: list[ProcessPoolExecutor] = []


def _client() -> ProcessPoolExecutor:
    if not _pools:
        context = multiprocessing.get_context("spawn")
        _pools.append(ProcessPoolExecutor(1, mp_context=context))
        _pools[0].submit(os.getpgid, 0).result()  # it is started
    return _pools[0]


@dataclass
class _Lane:
    """One connection, and what has come over it of an answer."""

    connection: socket.socket
    texts: Iterator[bytes]
    status: bytes
    times: list[float]
    started: float = 0.0
    came: bytearray = field(default_factory=bytearray)

    def send(self) -> bool:
        """Send the next request; return whether there is one."""
        text = next(self.texts, None)
        if text is None:
            return False
        self.started = time.perf_counter()
        self.connection.sendall(text)
        return True

    def receive(self) -> bool:
        """Read what came; return whether the answer is whole."""
        part = self.connection.recv(1 << 18)
        if not part:
            raise RuntimeError(f"the connection ended within an answer: {bytes(self.came[:300])!r}")
        self.came += part
        end = self.came.find(_END)
        if end < 0:
            return False
        length = _LENGTH.search(self.came, 0, end + 2)
        if length is None:
            raise RuntimeError(f"an answer does not say its length: {bytes(self.came[:300])!r}")
        if len(self.came) < end + len(_END) + int(length[1]):
            return False
        self.times.append(time.perf_counter() - self.started)
        if not self.came.startswith(self.status):
            raise RuntimeError(f"not as expected: {bytes(self.came[:900])!r}")
        self.came.clear()
        return True


def _ask(requests: Requests) -> Timed:
    texts, times = requests.texts(), list[float]()
    status = f"HTTP/1.1 {requests.expected} ".encode()
    with selectors.DefaultSelector() as ready:
        lanes = []
        for number in range(min(requests.lanes, len(texts))):
            connection = socket.create_connection((requests.host, requests.port), _PATIENCE)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            own = iter(texts[number :: requests.lanes])
            lanes.append(_Lane(connection, own, status, times))
            ready.register(connection, selectors.EVENT_READ, lanes[-1])
        started = time.perf_counter()
        under_way = sum(lane.send() for lane in lanes)
        while under_way:
            answering = ready.select(_PATIENCE)
            if not answering:
                raise RuntimeError(f"no answer within {_PATIENCE} s")
            for key, _ in answering:
                lane: _Lane = key.data
                if lane.receive() and not lane.send():
                    ready.unregister(lane.connection)
                    lane.connection.close()
                    under_way -= 1
        return Timed(times, time.perf_counter() - started)
