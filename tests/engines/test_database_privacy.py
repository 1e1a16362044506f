"""No value of a cell leaves the database: looked at where answers come in, and on the wire."""

import socket
import threading
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest
import stores

from singleout.engines.counter import Counter
from singleout.engines.sql.engine import Database
from singleout.engines.sql.session import Session

# each value is recognisable, as text and as a number
NAMES = [f"zebra{index}quagga" for index in range(6)]
NUMBERS = [8_675_309_001 + 1_000_003 * index for index in range(5)]
REALS = [1234.5678 + 1111.25 * index for index in range(4)]


def people() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [NAMES[index % 6] for index in range(90)],
            "number": [NUMBERS[index % 5] if index % 11 else None for index in range(90)],
            "real": [REALS[index % 4] for index in range(90)],
            "illness": [f"okapi{index % 3}" for index in range(90)],
        }
    )


SECRETS = [*NAMES, *map(str, NUMBERS), *(str(real) for real in REALS), "okapi", "zebra", "quagga"]


def ask_everything(counter: Counter) -> None:
    """Ask what anonymity sets, kappa, discrimination rates, QaR and wildcards are made of."""
    names = ["name", "number", "real"]
    assert counter.rows == 90
    for drop in (False, True):
        counter.profiles([["name"], names, ["number", "real"]], drop=drop)
        counter.distinct_counts([*names, "illness"], 2, drop=drop)
        counter.joint_counts(names, "illness", drop=drop)
    counter.missing(names)
    counter.complete(names)
    counter.ranked_counts(names)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite", "postgresql", "mariadb"])
def test_every_cell_that_comes_in_is_a_count_or_a_rank(
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    put = getattr(stores, f"put_in_{kind}")
    servers = ("postgresql", "mariadb")
    store: Any = request.getfixturevalue(kind) if kind in servers else tmp_path / "p"
    counter = Database().counter(put(store, people(), "private"))
    received: list[pl.DataFrame] = []
    receive = Session.receive

    def watched(self: Session, text: str) -> pl.DataFrame:
        received.append(receive(self, text))
        return received[-1]

    monkeypatch.setattr(Session, "receive", watched)
    ask_everything(counter)
    assert len(received) >= 10
    for frame in received:
        for cell in (cell for row in frame.rows() for cell in row):
            assert int(cell) == cell
            assert 0 <= cell <= 90
    counter.counts(["name"])  # asks for values, so that the test sees them when they come
    assert NAMES[0] in str(received[-1].to_dict())
    counter.close()


class Wire:
    """Stands between a client and a server, and writes down what the server says."""

    def __init__(self, host: str, port: int) -> None:
        self.sent = bytearray()
        self._server = (host, port)
        self._door = socket.create_server(("127.0.0.1", 0))
        self._open = [self._door]
        self.port = self._door.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        for each in self._open:
            each.close()

    def _serve(self) -> None:
        with suppress(OSError):  # the door is closed in the end
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(self._server)
                self._open += [client, server]
                threading.Thread(target=self._pass_on, args=(client, server), daemon=True).start()
                threading.Thread(target=self._listen, args=(server, client), daemon=True).start()

    def _pass_on(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(1 << 16):
                server.sendall(data)

    def _listen(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(1 << 16):
                self.sent += data
                client.sendall(data)


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_no_value_is_on_the_wire(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(kind)
    put = getattr(stores, f"put_in_{kind}")
    parts = urlsplit(put(url, people(), "private"))
    assert parts.hostname is not None
    assert parts.port is not None
    with closing(Wire(parts.hostname, parts.port)) as wire:
        there = url.replace(f"{parts.hostname}:{parts.port}", f"127.0.0.1:{wire.port}")
        plain = "?sslmode=disable" if kind == "postgresql" else ""
        counter = Database().counter(f"{there}{plain}#private")
        ask_everything(counter)
        sent = bytes(wire.sent)
        assert len(sent) > 500
        for secret in SECRETS:
            assert secret.encode() not in sent, secret
        counter.counts(["name"])  # values are asked for: the wire is open to be read
        assert NAMES[0].encode() in bytes(wire.sent)
        counter.close()
