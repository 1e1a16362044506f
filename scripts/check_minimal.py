"""Check an install without extras: every module imports, and the main job runs."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys

import singleout

NOT_NEEDED = ("duckdb", "pytest", "pyarrow", "sklearn", "ibis", "pyspark", "fastapi")


def main() -> None:
    present = [name for name in NOT_NEEDED if importlib.util.find_spec(name)]
    if present:
        sys.exit(f"This is not a minimal install: it has {', '.join(present)}.")
    modules = [m.name for m in pkgutil.walk_packages(singleout.__path__, "singleout.")]
    for name in modules:
        importlib.import_module(name)
    missing = [name for name in singleout.__all__ if not hasattr(singleout, name)]
    if missing:
        sys.exit(f"Public names that do not exist: {missing}")
    unique = singleout.anonymity_sets(singleout.demo()).unique
    print(f"minimal install: {len(modules)} modules import, {unique:,} unique records in the demo")


if __name__ == "__main__":
    main()
