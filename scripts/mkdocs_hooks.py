"""What mkdocs does besides building the manual: pictures before, and a search from disk after.

Every function in scripts/pictures/ whose name does not begin with an underscore returns a chart; it
becomes docs/images/made/ with dashes for underscores. The folder is not kept: it is made anew.
"""

from __future__ import annotations

import importlib.util
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).resolve().parent
MADE = HERE.parent / "docs" / "images" / "made"


def on_pre_build(config: Any) -> None:  # noqa: ARG001
    MADE.mkdir(parents=True, exist_ok=True)
    for name, draw in pictures():
        path = MADE / f"{name}.svg"
        if not path.exists() or path.stat().st_mtime < _newest_source():
            draw().save(path)


def on_post_build(config: Any) -> None:
    """Write the index of the search as a script too: a page on disk can fetch no data."""
    folder = Path(config["site_dir"]) / "search"
    index = (folder / "search_index.json").read_text(encoding="utf-8")
    (folder / "search_index.js").write_text(f"var __index = {index};", encoding="utf-8")


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
