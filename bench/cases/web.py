"""The web application on loopback: how soon it is there, and how soon pages answer.

Each measure has beside it what cannot be avoided: importing the server's libraries, grouping the
same columns in memory with pandas, or the same pages with nothing else to do.
"""

from __future__ import annotations

import atexit
import html
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np

from bench.case import Contender, Prepared, case
from bench.data import shared

PATIENCE = 600  # seconds for a file to be read
SIZES = (1, 2, 3, 5, 8, 12, 20, 30)  # columns that are ticked at once
PAGES = ("/", "/assess", "/explore/suda", "/treat", "/predict", "/person")
ROUNDS = 30  # times each page is asked for
BREATH = 0.02  # seconds between two requests: a person does not hammer


@case("web/start", "From `singleout serve` to the first page.")
def start(quick: bool) -> Prepared:  # noqa: ARG001
    took: dict[str, list[float]] = {}

    def first_page() -> int:
        began = time.perf_counter()
        with _served():
            took.setdefault("the first page", []).append(time.perf_counter() - began)
            return 200

    def libraries() -> int:
        subprocess.run([sys.executable, "-c", "import fastapi, jinja2, uvicorn"], check=True)
        return 200

    contenders = [
        Contender("singleout serve, the first page, and stopped", first_page, ours=True),
        Contender("python, importing FastAPI, uvicorn and jinja2", libraries),
    ]
    return Prepared((1, 1), contenders, int, _same, findings=lambda: _quantiles(took))


@case("web/explore", "Anonymity sets of columns that are ticked on a page.")
def explore(quick: bool) -> Prepared:
    import pandas as pd

    file = _file(quick)
    frame = pd.read_csv(file, dtype="category", sep=";" if quick else ",")
    user = _reader(file)
    names = _columns(user)
    frame.columns = names
    rng = np.random.default_rng(0)
    ticked = [list(rng.choice(names, min(size, len(names)), replace=False)) for size in SIZES]
    took: dict[str, list[float]] = {}

    def page() -> int:
        for columns in ticked:
            began = time.perf_counter()
            answer = user.post("/explore/sets", data={"columns": columns})
            took.setdefault("a tick", []).append(time.perf_counter() - began)
            assert answer.status_code == 200
            assert "data-spec" in answer.text
        return len(ticked)

    def grouped() -> int:
        for columns in ticked:
            frame.groupby(columns, observed=True, sort=False, dropna=False).size()
        return len(ticked)

    contenders = [
        Contender("the page, text and chart", page, ours=True),
        Contender("pandas, group sizes only", grouped),
    ]
    findings = lambda: _quantiles(took)  # noqa: E731
    return Prepared((len(frame), len(names)), contenders, int, _same, findings=findings)


@case("web/beside", "Pages while the data is assessed in the background.")
def beside(quick: bool) -> Prepared:
    user = _reader(_file(quick))
    names = _columns(user)
    took: dict[str, list[float]] = {}

    def pages(name: str) -> int:
        for _ in range(ROUNDS):
            for path in PAGES:
                began = time.perf_counter()
                answer = user.get(path)
                seconds = time.perf_counter() - began
                assert answer.status_code == 200, (path, answer.status_code)
                took.setdefault(name, []).append(seconds)
                took.setdefault(f"{name}: {path}", []).append(seconds)
                time.sleep(BREATH)
        return ROUNDS

    def under_way() -> int:
        user.post("/assess")
        done = pages("while assessed")
        cancel = re.search(r'action="(/jobs/\w+/cancel)"', user.get("/assess").text)
        if cancel is not None:  # else it was over before the pages were
            user.post(cancel[1])
        return done

    contenders = [
        Contender("pages, while the data is assessed", under_way, ours=True),
        Contender("the same pages, nothing else to do", lambda: pages("alone")),
    ]
    findings = lambda: _quantiles(took)  # noqa: E731
    return Prepared((len(PAGES) * ROUNDS, len(names)), contenders, int, _same, findings=findings)


def _same(answer: Any, ours: Any) -> str:
    return "" if answer == ours else f"{answer}, not {ours}"


def _quantiles(took: dict[str, list[float]]) -> str:
    """Return the milliseconds of what was asked for, as a table."""
    lines = ["| asked | times | p50 | p95 | longest |", "| --- | ---: | ---: | ---: | ---: |"]
    for name, seconds in took.items():
        p50, p95, most = (1000 * float(np.quantile(seconds, share)) for share in (0.5, 0.95, 1))
        lines.append(
            f"| {name} | {len(seconds):,} | {p50:,.0f} ms | {p95:,.0f} ms | {most:,.0f} ms |"
        )
    return "\n".join(lines)


# ---- the application


def _file(quick: bool) -> Path:
    return shared("data/adult.csv" if quick else "data/census_income_kdd_299285.csv.gz")


@contextmanager
def _served() -> Iterator[httpx.Client]:
    """Yield a client of a new server, once it has sent its first page."""
    with tempfile.TemporaryDirectory(prefix="singleout-bench-") as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "singleout", "serve", "--no-open", "--port", "0"],
            stdout=subprocess.PIPE,
            text=True,
            env={**_environment(), "TMPDIR": folder, "PYTHONUNBUFFERED": "1"},
        )
        try:
            assert process.stdout is not None
            said = (re.search(r"http://[\w.:]+", line) for line in process.stdout)
            base = next(found[0] for found in said if found)
            with httpx.Client(base_url=base, timeout=PATIENCE, follow_redirects=True) as client:
                page = client.get("/").raise_for_status()
                token = re.search(r'name="csrf" content="(\w+)"', page.text)
                assert token is not None
                client.headers["X-CSRF-Token"] = token[1]
                yield client
        finally:
            process.terminate()
            process.wait(60)
            assert process.stdout is not None
            process.stdout.close()


def _environment() -> dict[str, str]:
    import os

    return {name: value for name, value in os.environ.items() if name != "SINGLEOUT_LANGUAGE"}


def _reader(file: Path) -> httpx.Client:
    """Return a client whose file has been read, and whose first questions were answered."""
    user = _kept(_served())
    with file.open("rb") as content:
        user.post("/data/upload", files={"file": (file.name, content)})
    end = time.monotonic() + PATIENCE
    while 'class="job"' in user.get("/").text:
        if time.monotonic() > end:
            raise RuntimeError("the file was not read in time")
        time.sleep(0.2)
    user.get("/range")
    for path in PAGES:
        user.get(path)
    return user


def _columns(user: httpx.Client) -> list[str]:
    found: Sequence[str] = re.findall(r'name="columns" value="([^"]*)"', user.get("/explore").text)
    return [html.unescape(name) for name in found]


_STACK = ExitStack()
atexit.register(_STACK.close)


def _kept(made: Any) -> httpx.Client:
    client: httpx.Client = _STACK.enter_context(made)
    return client
