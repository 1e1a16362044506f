"""YAML files with line numbers, checked against a model: what is wrong is said, and where.

A file is only composed, never constructed: text stays as it is written (``no`` is a word, not
false), no tag can make an object, and every value keeps its line. Numbers arrive as text; the
pydantic model that checks them knows which values are numbers.
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
from singleout.io.yaml.errors import Location, Mistake, mistake_of, quoted_key, says_nothing

__all__ = ["Location", "Mistake", "Origin", "checked", "parse_yaml", "plain", "read_yaml"]

_MOST_VALUES = 500_000  # aliases can make a small file endless
_DEEPEST = 40
_NOTHING = ("", "~", "null", "Null", "NULL")

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True)
class Origin:
    """Where values come from, to say where something is wrong with them.

    All origins are equal: where a value was read is no part of it.

    Parameters
    ----------
    what
        What the values are: ``plan``.
    name
        The name of the file; empty for values that were not read from a file.
    lines
        The line of each value, by its path.
    folder
        Where the file is; None for values that were not read from a file.
    """

    what: str = field(default="file", compare=False)
    name: str = field(default="", compare=False)
    lines: Mapping[Location, int] = field(default_factory=dict, compare=False)
    folder: Path | None = field(default=None, compare=False)

    def refusal(self, mistake: Mistake) -> BadChoice:
        """Return the mistake as an error that says where it is."""
        return BadChoice(self.placed(mistake.path, mistake.sentence))

    def placed(self, path: Location, sentence: str) -> str:
        """Return a sentence with the place that it is about before it."""
        if self.lines:
            return f"{self.name}, line {self.line(path)}: {sentence}"
        place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
        return f"In the {self.what}, {place.lstrip('.') or 'as a whole'}: {sentence}"

    def line(self, path: Location) -> int:
        """Return the line of a value, or of the closest value around it that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read_yaml(path: str | Path, what: str, *, largest: int = 10_000_000) -> tuple[Any, Origin]:
    """Read a YAML file as plain values: mappings, lists, text and None.

    Parameters
    ----------
    path
        The file.
    what
        What it should be, for sentences: ``plan``.
    largest
        How many bytes it may have.
    """
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
    """Return the plain values of a YAML text, and where each of them stands.

    Parameters
    ----------
    text
        The text.
    what
        What it should be, for sentences: ``plan``.
    name
        What the text is called: the name of its file.
    folder
        Where its file is.
    """
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise UnreadableFile(ended(f"{name}{line}: this is not YAML: {error.problem}")) from None
    # an escape beyond the last sign of Unicode is no error of yaml's own kind
    except (yaml.YAMLError, RecursionError, ValueError, OverflowError) as error:
        said = " ".join(str(error).split())
        raise UnreadableFile(ended(f"{name} is not a YAML file: {said}")) from None
    if root is None:
        raise UnreadableFile(f"{name} is empty; it should be a {what}.")
    reader = _Reader(name, what)
    given = reader.plain(root, ())
    return given, Origin(what, name, reader.lines, folder)


class _Reader:
    """Turns the nodes of a YAML file into plain values, and remembers their lines."""

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
            return [self.plain(one, (*path, place)) for place, one in enumerate(node.value)]
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
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise UnreadableFile(f"{self.name}, line {line}: a key must be a word.")
            name = self._text(key)
            if name in found:
                raise UnreadableFile(
                    f"{self.name}, line {line}: {quoted_key(name)} stands here twice; give it once."
                )
            found[name] = self.plain(value, (*path, name))
            self.lines[*path, name] = line  # the key is what a reader looks for
        return found


def plain(given: Any, origin: Origin, path: Location = ()) -> Any:
    """Return values that were given in Python with text for keys, as a file would have them.

    Parameters
    ----------
    given
        Mappings and lists of anything.
    origin
        What they are.
    path
        Where they are.
    """
    if isinstance(given, Mapping):
        for key in given:
            if key is None or isinstance(key, bool):
                raise origin.refusal(
                    Mistake(path, f"a key is {key!r}, not text; write it in quotes.")
                )
        keys = {key: _whole_text(str(key), origin, path) for key in given}
        return {keys[key]: plain(value, origin, (*path, keys[key])) for key, value in given.items()}
    if isinstance(given, list | tuple):
        return [plain(value, origin, (*path, place)) for place, value in enumerate(given)]
    return _whole_text(given, origin, path) if isinstance(given, str) else given


def _whole_text(text: str, origin: Origin, path: Location) -> str:
    whole = whole_characters(text)
    if whole is None:
        raise origin.refusal(
            Mistake(path, f"{text!r} holds half of a character; write the character itself.")
        )
    return whole


def checked(model: type[_Model], given: Any, origin: Origin) -> _Model:
    """Return the model of plain values; refuse them in one sentence that says where it is wrong.

    Parameters
    ----------
    model
        What the values should be. A validator that raises `Mistake` says by its path which part of
        its own values is wrong.
    given
        The values.
    origin
        Where they come from.
    """
    try:
        found = model.model_validate(given)
    except ValidationError as error:
        raise origin.refusal(mistake_of(error, model, given)) from None
    # in Python None is how a value is not given; in a file it is a line that was not finished
    unsaid = says_nothing(model, given) if origin.lines else None
    if unsaid is not None:
        raise origin.refusal(unsaid)
    return found
