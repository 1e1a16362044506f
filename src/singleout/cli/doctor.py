"""`singleout doctor` and `singleout warm`: what this machine offers, and compiling in advance."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

import typer

from singleout import __version__
from singleout.cli.shared import options
from singleout.cli.shared.configuration import Configuration
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.report.say import say

__all__ = ["doctor", "warm"]

_LIBRARIES = ("numpy", "scipy", "numba", "polars", "altair", "vl-convert-python", "pydantic")
_EXTRAS = ("database", "spark", "repository", "pls")
_AFTER_THE_NAME = re.compile(r"[^\w.-]")  # of a package: an extra of its own, or versions


def doctor(context: typer.Context, json: options.Json = False) -> None:
    """Show what singleout finds here: versions, extras, caches, threads and memory.

    Nothing is changed, and nothing is sent anywhere.
    """
    outputs = Outputs(json=json)
    found = _findings(context.obj or Configuration())
    outputs.show(found, lambda: _show(found))


def warm() -> None:
    """Compile all loops once, so that no later command waits for it.

    For images and shared installations: what is compiled is kept in the package's folder, or in
    NUMBA_CACHE_DIR, and read by everybody.
    """
    from singleout.cli.warming import warm as compile_all
    from singleout.kernels.compiling import cache_folder

    with shown_if_slow():
        compile_all()
    folder = cache_folder()
    tell(say("screen.doctor.warm", folder=folder) if folder else say("screen.doctor.uncached"))


def _findings(configured: Configuration) -> dict[str, Any]:
    from singleout.core.memory import available_memory
    from singleout.kernels.compiling import cache_folder, is_warm
    from singleout.kernels.threads import thread_count

    return {
        "singleout": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "libraries": {name: version(name) for name in _LIBRARIES},
        "extras": {name: _missing(name) for name in _EXTRAS},
        "threads": thread_count(),
        "memory_bytes": available_memory(),
        "compiled_code": cache_folder(),
        "compiled": is_warm(),
        "temporary_folder": _writable(Path(tempfile.gettempdir())),
        "options": configured.file or None,
        "variables": sorted(name for name in os.environ if name.startswith("SINGLEOUT_")),
        "terminal_encoding": getattr(sys.stdout, "encoding", None),
    }


def _missing(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed."""
    missing = []
    for line in requires("singleout") or ():
        package, _, marker = line.partition(";")
        if f'extra == "{extra}"' not in marker.replace("'", '"'):
            continue
        name = _AFTER_THE_NAME.split(package, maxsplit=1)[0]
        try:
            version(name)
        except PackageNotFoundError:
            missing.append(name)
    return missing


def _writable(folder: Path) -> str | None:
    return str(folder) if os.access(folder, os.W_OK) else None


def _show(found: dict[str, Any]) -> None:
    from singleout.core.memory import in_words

    memory = found["memory_bytes"]
    nothing = say("screen.doctor.nothing")
    rows = [
        ("python", f"{found['python']}, {found['system']}"),
        ("libraries", ", ".join(f"{name} {at}" for name, at in found["libraries"].items())),
        ("threads", str(found["threads"])),
        ("memory", nothing if memory is None else in_words(memory)),
        ("cache", found["compiled_code"] or say("screen.doctor.uncached")),
        ("compiled", say(f"screen.doctor.is_{'warm' if found['compiled'] else 'cold'}")),
        ("temporary", found["temporary_folder"] or say("screen.doctor.not_writable")),
        ("options", found["options"] or nothing),
        ("variables", ", ".join(found["variables"]) or nothing),
    ]
    shown = [(say(f"screen.doctor.rows.{key}"), text) for key, text in rows]
    for extra, missing in found["extras"].items():
        state = say("screen.doctor.installed")
        if missing:
            state = say("screen.doctor.missing", names=", ".join(missing), extra=extra)
        shown.append((f"{say('screen.doctor.rows.extra')} {extra}", state))
    tell(say("screen.doctor.title", version=found["singleout"]), "")
    width = max(len(label) for label, _ in shown)
    tell(*(f"  {label:{width}}  {text}" for label, text in shown))
