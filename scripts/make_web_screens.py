"""Take the pictures of the web application anew: ``python scripts/make_web_screens.py``.

They show the demo, in Chromium, as the tutorial of the pages walks through it. To look at every
page on three widths, light and dark, let the tests draw them: ``SINGLEOUT_SCREENS=FOLDER pytest
tests/web/test_every_page.py``.
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import zlib
from itertools import starmap
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images" / "web"
WIDTH, HEIGHT = 1100, 760
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
PATIENCE = 300_000  # milliseconds
NAMES = (
    *("start", "columns", "assess", "explore", "frontier", "treat"),
    *("predict", "person", "repository"),
)
_QUESTION = "qi=PC4,Sex,Age:width=5&population=PC4=1056&people=1000&date=2021-01-01"
_COLOURS = 256  # of a picture: what is beyond is the smoothing of letters


def make() -> None:
    """Write a picture of the top of each page."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "singleout", "serve", "--no-open", "--port", "0"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        screen = browser.new_page(
            color_scheme="light", locale="en", viewport={"width": WIDTH, "height": HEIGHT}
        )
        _walk(screen, _address(server))
        browser.close()
        server.terminate()


def _address(server: subprocess.Popen[str]) -> str:
    """Return where the server is, once it says so."""
    assert server.stdout is not None
    for line in server.stdout:
        found = re.search(r"http://[\w.:]+", line)
        if found:
            return found[0]
    raise RuntimeError("the server did not start")


def _walk(screen: Any, address: str) -> None:
    screen.goto(f"{address}/")
    _picture(screen, "start")
    screen.locator('form[action$="/data/demo"] button').click()
    screen.wait_for_selector("#range .scale", timeout=PATIENCE)
    _picture(screen, "columns")
    screen.goto(f"{address}/assess")
    screen.locator('form[action$="/assess"] button').click()
    screen.wait_for_selector("#verdict", timeout=PATIENCE)
    _picture(screen, "assess")
    screen.goto(f"{address}/explore/suda")
    _press(screen, 'form[action$="/explore/suda"] button.main', ".lists")
    _picture(screen, "explore")
    screen.goto(f"{address}/treat/policy")
    _press(screen, 'form[action$="/treat/policy"] button.main', "table.points")
    _picture(screen, "frontier")
    _press(screen, "table.points button.main", "table.effect")
    _picture(screen, "treat")
    screen.goto(f"{address}/predict")
    _press(screen, 'form[action$="/predict/example"] button', "#found .vega svg")
    _picture(screen, "predict")
    screen.goto(f"{address}/person")
    for number in range(4):
        screen.select_option(f"#mine-{number}", "0")
    _picture(screen, "person")
    screen.goto(f"{address}/repository")
    screen.locator('form:has([value="practice"]) button').click()
    screen.goto(f"{address}/repository/search?{_QUESTION}")
    screen.wait_for_selector("#found", timeout=PATIENCE)
    _picture(screen, "repository")


def _press(screen: Any, button: str, shown: str) -> None:
    screen.locator(button).click()
    screen.wait_for_selector(shown, timeout=PATIENCE)


def _picture(screen: Any, name: str) -> None:
    screen.wait_for_function("() => !document.querySelector('.vega[data-drawn]:empty')")
    screen.evaluate("() => scrollTo(0, 0)")
    (FOLDER / f"{name}.png").write_bytes(_small(screen.screenshot()))
    print(f"written: docs/images/web/{name}.png")


# ---- smaller pictures


def _small(png: bytes) -> bytes:
    """Return a picture with a palette in place of three bytes a pixel: a fifth of the size."""
    pixels = _pixels(png)
    flat = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    colours, index, times = np.unique(flat, return_inverse=True, return_counts=True)
    kept = np.sort(np.argsort(-times)[:_COLOURS])
    parts = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1).astype(int)
    away = ((parts[:, None, :] - parts[None, kept, :]) ** 2).sum(axis=2)
    rows = away.argmin(axis=1).astype(np.uint8)[index].reshape(pixels.shape[:2])
    plain = b"".join(b"\0" + row.tobytes() for row in rows)
    head = struct.pack(">IIBBBBB", rows.shape[1], rows.shape[0], 8, 3, 0, 0, 0)
    palette = parts[kept].astype(np.uint8).tobytes()
    chunks = (b"IHDR", head), (b"PLTE", palette), (b"IDAT", zlib.compress(plain, 9)), (b"IEND", b"")
    return _SIGNATURE + b"".join(starmap(_chunk, chunks))


_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _pixels(png: bytes) -> Any:
    """Return the pixels of a picture of Chromium: rows, columns, and red, green and blue."""
    place, packed, width, depth = len(_SIGNATURE), b"", 0, 3
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        data = png[place + 8 : place + 8 + length]
        if kind == b"IHDR":
            width, depth = struct.unpack(">I", data[:4])[0], {2: 3, 6: 4}[data[9]]
        packed += data if kind == b"IDAT" else b""
        place += 12 + length
    lines = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(-1, 1 + width * depth)
    before = np.zeros((width, depth), np.uint8)
    rows = []
    for line in lines:
        before = _unfiltered(int(line[0]), line[1:].reshape(width, depth), before)
        rows.append(before[:, :3])
    return np.array(rows)


def _unfiltered(kind: int, line: Any, above: Any) -> Any:
    """Return a row of pixels from what is written of it (PNG specification, section 9)."""
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line, axis=0, dtype=np.uint8)
    if kind == 2:
        return line + above
    done = np.zeros_like(line)
    left = corner = np.zeros(line.shape[1], int)
    for number, (here, up) in enumerate(zip(line.astype(int), above.astype(int), strict=True)):
        guess = (left + up) // 2 if kind == 3 else _paeth(left, up, corner)
        left, corner = (here + guess) % 256, up
        done[number] = left
    return done


def _paeth(left: Any, up: Any, corner: Any) -> Any:
    from_left, from_up = abs(up - corner), abs(left - corner)
    from_corner = abs(left + up - 2 * corner)
    second = np.where(from_up <= from_corner, up, corner)
    return np.where((from_left <= from_up) & (from_left <= from_corner), left, second)


if __name__ == "__main__":
    make()
