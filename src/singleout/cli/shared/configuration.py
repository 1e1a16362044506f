"""Options from a file: ``singleout.toml``, or ``[tool.singleout]`` of ``pyproject.toml``.

Keys at the top are options of every command that has them; a table such as ``[assess]`` is for one
command. What is typed wins, then variables such as ``SINGLEOUT_ASSESS_POLICY``, then the file. Only
the folder in which a command runs is looked at: a file further up may be somebody else's.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from singleout.cli.shared.advice import without_passwords
from singleout.core.text import printable
from singleout.errors import BadChoice, did_you_mean

__all__ = ["VARIABLE", "Configuration", "configured"]

VARIABLE = "SINGLEOUT_CONFIG"  # another file; nothing for none

_LARGEST = 1_000_000  # bytes


class Configuration:
    """The options of a file, by command."""

    def __init__(self, file: str = "", defaults: Mapping[str, Any] | None = None) -> None:
        self.file = file
        self.defaults = dict(defaults or {})

    def note(self, command: str | None) -> str | None:
        """Return what the file says about a command, as it does; None for nothing."""
        words = list(_written(self.defaults.get(command or "", {})))
        if not words:
            return None
        options = printable(without_passwords(", ".join(words)))
        return f"Options from {printable(self.file)}, unless given: {options}."


def configured(command: Any) -> Configuration:
    """Return the options of the file for this folder; an error is one sentence with its name."""
    path, values = _read()
    if path is None:
        return Configuration()
    try:
        return Configuration(str(path), _for_commands(command, values))
    except BadChoice as error:
        raise BadChoice(f"In {str(path)!r}: {error}") from None


def _read() -> tuple[Path | None, dict[str, Any]]:
    """Return the file with options, and what it holds; no file if there is none."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return (Path(named), _parsed(Path(named))) if named else (None, {})
    own, project = Path("singleout.toml"), Path("pyproject.toml")
    if own.is_file():
        return own, _parsed(own)
    if project.is_file():
        part = _parsed(project, required=False).get("tool", {}).get("singleout")
        if isinstance(part, dict):
            return project, part
    return None, {}


def _parsed(path: Path, *, required: bool = True) -> dict[str, Any]:
    """Return the content of a TOML file; what is wrong with somebody else's is not our business."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise ValueError(f"it is larger than {_LARGEST:,} bytes")
        return tomllib.loads(content.decode())
    except (OSError, ValueError) as error:
        if not required:
            return {}
        reason = getattr(error, "strerror", None) or str(error)
        raise BadChoice(f"The options in {str(path)!r} cannot be read: {reason}.") from None


# ---- commands and their options


def _for_commands(command: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the defaults of a group of commands, by the names of commands and parameters."""
    tables = {key: value for key, value in values.items() if isinstance(value, dict)}
    general = {key: value for key, value in values.items() if key not in tables}
    for key in tables:
        if key not in command.commands:
            names = list(command.commands)
            raise BadChoice(f"There is no command {key!r}.{did_you_mean(key, names)}")
    known: set[str] = set()
    defaults = {}
    for name, one in command.commands.items():
        if hasattr(one, "commands"):
            defaults[name] = _for_commands(one, tables.get(name, {}))
            continue
        options = _options(one)
        known |= set(options)
        shared = {key: value for key, value in general.items() if _plain(key) in options}
        defaults[name] = _checked(name, options, {**shared, **tables.get(name, {})})
    for key in general:
        if _plain(key) not in known:
            raise BadChoice(f"No command has an option {key!r}.{did_you_mean(key, known)}")
    return defaults


def _options(command: Any) -> dict[str, Any]:
    """Return the parameters of a command by the names of its options, as they are in a file."""
    return {
        _plain(word): parameter
        for parameter in command.params
        for word in parameter.opts
        if word.startswith("--") and word not in ("--help", "--version")
    }


def _plain(option: str) -> str:
    return option.lstrip("-").replace("_", "-")


def _checked(command: str, options: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a command by the names of its parameters."""
    defaults = {}
    for key, value in values.items():
        parameter = options.get(_plain(key))
        if parameter is None:
            hint = did_you_mean(_plain(key), options)
            raise BadChoice(f"The command {command!r} has no option {key!r}.{hint}")
        if isinstance(value, dict):
            raise BadChoice(f"The option {key!r} of {command!r} is a table; give one value.")
        several = bool(getattr(parameter, "multiple", False))
        if isinstance(value, list) and not several:
            raise BadChoice(f"The option {key!r} of {command!r} takes one value, not a list.")
        defaults[parameter.name] = [value] if several and not isinstance(value, list) else value
    return defaults


def _written(values: Mapping[str, Any]) -> Iterator[str]:
    for name, value in values.items():
        if not isinstance(value, dict):
            yield f"{_plain(name)} = {json.dumps(value, ensure_ascii=False, default=str)}"
