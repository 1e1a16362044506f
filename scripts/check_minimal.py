"""Check an install without extras: every module imports, and the main job runs."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys

import singleout
from singleout.errors import MissingDependency

NOT_NEEDED = ("duckdb", "pytest", "pyarrow", "sklearn", "ibis", "pyspark", "fastapi", "sqlalchemy")
# these are nothing without what the extra installs, and say so
OF_AN_EXTRA = (
    "singleout.web",
    *(f"singleout.repository.{part}" for part in ("store", "service", "client")),
)


def refused(name: str) -> None:
    """Let a module of an extra raise the sentence that names the extra."""
    if not (name.startswith(OF_AN_EXTRA) and isinstance(sys.exception(), MissingDependency)):
        raise  # noqa: PLE0704 - called while it is handled


def exists(name: str) -> bool:
    """Whether a public name is there, or says which extra it needs."""
    try:
        return hasattr(singleout, name)
    except MissingDependency:
        return True


def main() -> None:
    present = [name for name in NOT_NEEDED if importlib.util.find_spec(name)]
    if present:
        sys.exit(f"This is not a minimal install: it has {', '.join(present)}.")
    walk = pkgutil.walk_packages(singleout.__path__, "singleout.", onerror=refused)
    modules = [module.name for module in walk]
    for name in modules:
        try:
            importlib.import_module(name)
        except MissingDependency:
            refused(name)
    missing = [name for name in singleout.__all__ if not exists(name)]
    if missing:
        sys.exit(f"Public names that do not exist: {missing}")
    unique = singleout.anonymity_sets(singleout.demo()).unique
    print(f"minimal install: {len(modules)} modules import, {unique:,} unique records in the demo")


if __name__ == "__main__":
    main()
