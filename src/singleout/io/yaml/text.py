"""YAML as text that any YAML reader takes the same way, whatever the columns are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

__all__ = ["scalar", "yaml_text"]


class _Dumper(yaml.SafeDumper):  # type: ignore[misc] # yaml has no types
    """Writes mappings line by line, lists in brackets, and no aliases."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the name is yaml's
        return True


def _bracketed(dumper: yaml.SafeDumper, values: Any) -> yaml.Node:
    return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=True)


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
    # in double quotes a control character is written as an escape sequence
    style = None if value.isprintable() else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


def _shown(text: str) -> str:
    """Escape control characters: names of columns must not control a terminal."""
    return "".join(char if char == "\n" or char.isprintable() else _number(char) for char in text)


def _number(char: str) -> str:
    return f"\\U{ord(char):08X}"


_Dumper.add_representer(str, _text)
_Dumper.add_multi_representer(str, _text)  # texts that can be written in another language too
_Dumper.add_representer(list, _bracketed)
_Dumper.add_representer(tuple, _bracketed)


def yaml_text(entries: Mapping[str, Any], *, indent: int = 0) -> str:
    r"""Return mappings, lists, text, numbers and None as YAML, each line indented.

    >>> print(yaml_text({"no": "yes", "sizes": [1, 2]}), end="")
    'no': 'yes'
    sizes: [1, 2]
    """
    if not entries:
        return ""
    text = yaml.dump(
        dict(entries),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=float("inf"),
    )
    text = _shown(text)
    before = " " * indent
    return "".join(f"{before}{line}\n" for line in text.split("\n")[:-1])


def scalar(value: str) -> str:
    """Return one text as a YAML scalar on one line.

    Examples
    --------
    >>> scalar("no"), scalar("a: b"), scalar("Utrecht")
    ("'no'", "'a: b'", 'Utrecht')
    """
    text: str = yaml.dump(value, Dumper=_Dumper, allow_unicode=True, width=float("inf"))
    return _shown(text.removesuffix("\n").removesuffix("\n...").strip())
