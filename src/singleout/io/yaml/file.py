"""YAML files checked against a pydantic model; errors have line numbers.

A file is only composed, never constructed: text stays as it is written (``no`` is a word, not
false), no tag can create an object, and every value has a line. Numbers are text until the model
converts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from singleout.core.paths import check_name, expanded
from singleout.core.text import ended, whole_characters
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.yaml.errors import Location, Mistake, mistake_of, quoted_key, without_value

__all__ = ["Location", "Mistake", "Origin", "checked", "parse_yaml", "plain", "read_yaml"]

_MOST_VALUES = 500_000  # with aliases a small file can have very many values
_DEEPEST = 40
_NOTHING = ("", "~", "null", "Null", "NULL")

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Origin:
    """The file that values come from, for messages; empty for values that were given in Python.

    All origins are equal, so that equal values of different files are equal.
    """

    what: str = field(default="file", compare=False)  # what the values are, as "plan"
    name: str = field(default="", compare=False)
    lines: Mapping[Location, int] = field(default_factory=dict, compare=False)
    folder: Path | None = field(default=None, compare=False)

    def refusal(self, mistake: Mistake) -> BadChoice:
        """Return the mistake as an error with its line or path."""
        return BadChoice(self.placed(mistake.path, mistake.sentence))

    def placed(self, path: Location, sentence: str) -> str:
        """Return a sentence after the line or path that it is about."""
        if self.lines:
            return f"{self.name}, line {self.line(path)}: {sentence}"
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        place = where.lstrip(".")
        if not place:
            return f"In the {self.what}, as a whole: {sentence}"
        return f"In the {self.what}, {place}: {sentence}"

    def line(self, path: Location) -> int:
        """Return the line of a value, or of the innermost value around it that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(path: str | Path, what: str, *, largest: int = 10_000_000) -> tuple[Any, Origin]:
    """Read a YAML file as mappings, lists, text and None; ``what`` it is, for messages."""
    file = expanded(path)
    check_name(str(file))
    try:
        with file.open("rb") as stream:
            raw = stream.read(largest + 1)  # a device may have no end
        if len(raw) > largest:
            raise UnreadableFile(
                f"{str(file)!r} is too large for a {what}: more than {largest // 1_000_000} MB."
            )
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile(f"{str(file)!r} is not text in UTF-8; save it as UTF-8.") from None
    except OSError as error:
        raise UnreadableFile(f"{str(file)!r} cannot be read: {error.strerror}.") from None
    return parse_yaml(text, what, name=file.name, folder=file.parent)


def parse_yaml(
    text: str, what: str, *, name: str, folder: Path | None = None
) -> tuple[Any, Origin]:
    """Return the plain values of a YAML text, and their origin."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise UnreadableFile(ended(f"{name}{line}: this is not YAML: {error.problem}")) from None
    # an escape beyond the last code point of Unicode is not a YAMLError
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())
        raise UnreadableFile(ended(f"{name} is not a YAML file: {reason}")) from None
    if root is None:
        raise UnreadableFile(f"{name} is empty; it should be a {what}.")
    reader = _Reader(name, what)
    return reader.plain(root, ()), Origin(what, name, reader.lines, folder)


class _Reader:
    """Converts the nodes of a YAML file into plain values, and records their lines."""

    def __init__(self, name: str, what: str) -> None:
        self.name = name
        self.what = what
        self.lines: dict[Location, int] = {}
        self._values = 0

    def plain(self, node: yaml.Node, path: Location) -> Any:
        self.lines[path] = node.start_mark.line + 1
        self._values += 1
        if self._values > _MOST_VALUES or len(path) > _DEEPEST:
            raise UnreadableFile(
                f"{self.name}, line {self.lines[path]}: there are more or deeper values than "
                f"a {self.what} can have; does an alias (*) refer to itself?"
            )
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.plain(item, (*path, index)) for index, item in enumerate(node.value)]
        quoted = node.style in ("'", '"', "|", ">")
        return None if not quoted and node.value in _NOTHING else self._text(node)

    def _text(self, node: yaml.ScalarNode) -> str:
        text = whole_characters(node.value)
        if text is None:
            raise UnreadableFile(
                f"{self.name}, line {node.start_mark.line + 1}: an escape such as \\ud800 is "
                "half of a character; write the character itself."
            )
        return text

    def _mapping(self, node: yaml.MappingNode, path: Location) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise UnreadableFile(f"{self.name}, line {line}: a key must be a word.")
            name = self._text(key)
            if name in values:
                raise UnreadableFile(
                    f"{self.name}, line {line}: {quoted_key(name)} stands here twice; give it once."
                )
            values[name] = self.plain(value, (*path, name))
            self.lines[*path, name] = line  # of the key, which may be above the value
        return values


def plain(value: Any, origin: Origin, path: Location = ()) -> Any:
    """Return a value that was given in Python as a file would have it: with text for keys."""
    if isinstance(value, Mapping):
        for key in value:
            if key is None or isinstance(key, bool):
                raise origin.refusal(
                    Mistake(path, f"a key is {key!r}, not text; write it in quotes.")
                )
        keys = {key: _whole_text(str(key), origin, path) for key in value}
        return {keys[key]: plain(item, origin, (*path, keys[key])) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, origin, (*path, index)) for index, item in enumerate(value)]
    return _whole_text(value, origin, path) if isinstance(value, str) else value


def _whole_text(text: str, origin: Origin, path: Location) -> str:
    whole = whole_characters(text)
    if whole is None:
        raise origin.refusal(
            Mistake(path, f"{text!r} holds half of a character; write the character itself.")
        )
    return whole


def checked(model: type[_Model], values: Any, origin: Origin) -> _Model:
    """Return the model of plain values; an error is one sentence with a line or path.

    A validator that raises `Mistake` gives a path within its own values.
    """
    try:
        result = model.model_validate(values)
    except ValidationError as error:
        raise origin.refusal(mistake_of(error, model, values)) from None
    # in Python None means a default; in a file it is a line that was not finished
    unfinished = without_value(model, values) if origin.lines else None
    if unfinished is not None:
        raise origin.refusal(unfinished)
    return result
