"""What the extra ``repository`` installs, loaded where it is needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from singleout.errors import MissingDependency

__all__ = ["extra"]


def extra(module: str) -> Any:
    """Return a module of a package that only the extra ``repository`` installs.

    Raises
    ------
    MissingDependency
        If the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependency(
            f"A repository needs the package {error.name or module!r}, which is not installed; "
            'run: pip install "singleout[repository]"'
        ) from None
