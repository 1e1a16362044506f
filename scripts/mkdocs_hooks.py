"""What mkdocs does besides building the manual: pictures and reports before, a search after.

Every function in scripts/pictures/ whose name does not begin with an underscore returns a chart; it
becomes docs/images/made/ with dashes for underscores. The reports of the gallery go to
docs/gallery/. Neither folder is kept: they are made anew. The search works from disk.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
MADE = HERE.parent / "docs" / "images" / "made"

_FRAME = re.compile(r'width="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"')
_LEFT, _RIGHT = 16, 28  # pixels: fonts of readers may be wider than the one that was measured


def on_pre_build(config: Any) -> None:  # noqa: ARG001
    newest = _newest_source()
    MADE.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures():
        path = MADE / f"{name}.svg"
        if not path.exists() or path.stat().st_mtime < newest:
            draw().save(path)
            path.write_text(with_margins(path.read_text(encoding="utf-8")), encoding="utf-8")
    _loaded(HERE / "gallery.py").make(newest)


def on_post_build(config: Any) -> None:
    """Write the index of the search as a script too: a page on disk can fetch no data."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index};", encoding="utf-8")


def with_margins(svg: str) -> str:
    """Return a picture with room at both sides for labels that turn out wider."""
    frame = _FRAME.search(svg)
    assert frame is not None
    width, height = float(frame[1]) + _LEFT + _RIGHT, frame[2]
    wider = f'width="{width:g}" height="{height}" viewBox="{-_LEFT} 0 {width:g} {height}"'
    return svg.replace(frame[0], wider, 1)


def pictures() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the name of each picture and the function that draws it."""
    for path in sorted((HERE / "pictures").glob("*.py")):
        module = _loaded(path)
        for name, draw in inspect.getmembers(module, inspect.isfunction):
            if draw.__module__ == module.__name__ and not name.startswith("_"):
                yield name.replace("_", "-"), draw


def _loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"pictures_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _newest_source() -> float:
    folders = [HERE / "pictures", HERE.parent / "src"]
    return max(path.stat().st_mtime for folder in folders for path in folder.rglob("*.py"))
