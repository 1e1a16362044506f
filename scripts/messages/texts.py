"""Texts that code puts together, as templates: literal characters with blanks between them.

An expression is followed to the texts it may be: constants, f-strings, alternatives, variables of
the function, constants of the module, parameters by the arguments of all calls, functions by what
they return. What cannot be followed is a blank.
"""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product

from messages.places import Package, Place

__all__ = ["Blank", "Reader", "Text", "key_of", "merged", "opened"]

_MOST = 6  # alternatives that are written out; of more, the parts are phrases of their own
_DEEPEST = 10
_SAME = {"capital", "ended", "printable", "str", "_start", "shown_text", "whole_characters"}
_NUMBERS = {"count", "percent", "figure", "in_figures", "stated_percent", "len", "number"}
# what holds the sentence of another error, or of the system
_SENTENCE = re.compile(r"\b(error|sentence|reason|strerror|why|refusal|mistake)\b")
_FIELDS = {"source"}  # of `str.format`, that hold words of this package
_UNCHANGED = {"strip", "rstrip", "lstrip", "removesuffix", "removeprefix", "lower", "capitalize"}
_OF_TEXTS = {*_UNCHANGED, "format", "get", "join"}


@dataclass(frozen=True)
class Blank:
    """A gap in a text: a value, a number, or a phrase that is translated in its turn."""

    source: str
    kind: str = "value"
    phrases: frozenset[Text] = field(default=frozenset(), compare=False, hash=False)


Text = tuple["str | Blank", ...]


def merged(parts: Iterable[str | Blank]) -> Text:
    """Return parts with neighbouring literals as one, and neighbouring blanks as one phrase."""
    found: list[str | Blank] = []
    for part in parts:
        last = found[-1] if found else None
        if part == "":
            continue
        if isinstance(part, str) and isinstance(last, str):
            found[-1] = last + part
        elif isinstance(part, Blank) and isinstance(last, Blank):
            kind = "phrase" if "phrase" in (part.kind, last.kind) else "value"
            phrases = part.phrases | last.phrases
            found[-1] = Blank(f"{last.source}}}{{{part.source}", kind, phrases)
        else:
            found.append(part)
    return tuple(found)


def key_of(text: Text) -> str:
    """Return a text as its key: the blanks numbered, braces doubled."""
    numbers = iter(range(len(text)))
    return "".join(
        part.replace("{", "{{").replace("}", "}}")
        if isinstance(part, str)
        else f"{{{next(numbers)}}}"
        for part in text
    )


class Reader:
    """What expressions may be as texts, in one package."""

    def __init__(self, package: Package) -> None:
        self.package = package
        self.seen: set[tuple[str, int, int]] = set()  # the literals that were read
        self._open: list[int] = []
        self._read: dict[int, list[Text]] = {}

    def texts(self, node: ast.AST | None, place: Place) -> list[Text]:
        """Return the texts that an expression may be; one blank if it cannot be followed."""
        if node is None:
            return []
        if id(node) in self._read:
            return self._read[id(node)]
        if id(node) in self._open or len(self._open) > _DEEPEST:
            return [(Blank(ast.unparse(node)),)]
        self._open.append(id(node))
        try:
            method = getattr(self, f"_{type(node).__name__.lower()}", None)
            found = method(node, place) if method else None
        finally:
            self._open.pop()
        known = list(dict.fromkeys(found)) if found else [(Blank(ast.unparse(node)),)]
        self._read[id(node)] = known
        return known

    # ---- kinds of expressions

    def _constant(self, node: ast.Constant, place: Place) -> list[Text] | None:
        if isinstance(node.value, str):
            self.seen.add((place.module.name, node.lineno, node.col_offset))
            return [(node.value,) if node.value else ()]
        return None

    def _joinedstr(self, node: ast.JoinedStr, place: Place) -> list[Text]:
        self.seen.add((place.module.name, node.lineno, node.col_offset))
        return self._together([self._part(one, place) for one in node.values])

    def _part(self, node: ast.expr, place: Place) -> list[Text]:
        if isinstance(node, ast.Constant):
            return [(str(node.value),)]
        assert isinstance(node, ast.FormattedValue)
        if node.conversion == ord("r"):
            return [(Blank(f"{ast.unparse(node.value)}!r"),)]
        if node.format_spec is not None:
            return [(Blank(ast.unparse(node.value), "number"),)]
        return self._inner(node.value, place)

    def _inner(self, node: ast.expr, place: Place) -> list[Text]:
        """Return what stands in a gap: written out if it is short and decided here."""
        found = self.texts(node, place)
        source = ast.unparse(node)
        if all(isinstance(part, Blank) for text in found for part in text):
            phrases: frozenset[Text] = frozenset().union(
                *(part.phrases for text in found for part in text if isinstance(part, Blank))
            )
            return [(Blank(source, self._kind(node, found), phrases),)]
        fixed = all(isinstance(part, str) for text in found for part in text)
        here = isinstance(node, ast.IfExp | ast.Name | ast.Constant | ast.JoinedStr | ast.BoolOp)
        if here and (len(found) == 1 or () in found or fixed) and len(found) <= 3:
            return found
        return [(Blank(source, "phrase", frozenset(found)),)]

    def _kind(self, node: ast.expr, found: Sequence[Text]) -> str:
        if _SENTENCE.search(ast.unparse(node)):
            return "phrase"
        kinds = {part.kind for text in found for part in text if isinstance(part, Blank)}
        if isinstance(node, ast.Call) and _called(node) in _NUMBERS:
            return "number"
        return next((kind for kind in ("phrase", "number") if kind in kinds), "value")

    def _together(self, parts: Sequence[list[Text]]) -> list[Text]:
        size = 1
        for part in parts:
            size *= len(part)
        if size > _MOST:
            longest = max(range(len(parts)), key=lambda at: len(parts[at]))
            blank = Blank("…", "phrase", frozenset(parts[longest]))
            parts = [[(blank,)] if at == longest else one for at, one in enumerate(parts)]
            return self._together(parts)
        return [merged(one for text in chosen for one in text) for chosen in product(*parts)]

    def _binop(self, node: ast.BinOp, place: Place) -> list[Text] | None:
        if isinstance(node.op, ast.Add):
            return self._together([self._inner(node.left, place), self._inner(node.right, place)])
        return None

    def _ifexp(self, node: ast.IfExp, place: Place) -> list[Text]:
        return [*self.texts(node.body, place), *self.texts(node.orelse, place)]

    def _boolop(self, node: ast.BoolOp, place: Place) -> list[Text]:
        return [text for value in node.values for text in self.texts(value, place)]

    def _namedexpr(self, node: ast.NamedExpr, place: Place) -> list[Text]:
        return self.texts(node.value, place)

    def _name(self, node: ast.Name, place: Place) -> list[Text] | None:
        values = list(self.package.values_of(node.id, place))
        if not values:
            return None
        found = [text for value, where in values for text in self._value(value, where)]
        if self.package.is_parameter(node.id, place):
            return self._phrase(node.id, found)
        return found

    def _value(self, node: ast.AST, place: Place) -> list[Text]:
        if isinstance(node, ast.Tuple | ast.List | ast.Dict | ast.Set):
            return []
        return self.texts(node, place)

    def _phrase(self, source: str, found: Sequence[Text]) -> list[Text]:
        prose = frozenset(text for text in found if any(isinstance(one, str) for one in text))
        inner = frozenset().union(
            *(one.phrases for text in found for one in text if isinstance(one, Blank))
        )
        kind = "phrase" if prose | inner else "value"
        return [(Blank(source, kind, prose | inner),)]

    def _attribute(self, node: ast.Attribute, place: Place) -> list[Text] | None:
        if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
            return None
        values = list(self.package.values_of_attribute(node.attr, place))
        found = [text for value, where in values for text in self._value(value, where)]
        return self._phrase(ast.unparse(node), found) if found else None

    def _subscript(self, node: ast.Subscript, place: Place) -> list[Text] | None:
        """Read the texts of a table of the module."""
        if not isinstance(node.value, ast.Name):
            return None
        found = []
        for value, where in self.package.values_of(node.value.id, place):
            if isinstance(value, ast.Dict):
                found += [text for one in value.values for text in self.texts(one, where)]
            elif isinstance(value, ast.Tuple | ast.List):
                found += [text for one in value.elts for text in self.texts(one, where)]
        return self._phrase(ast.unparse(node), found) if found else None

    def _tuple(self, node: ast.Tuple, place: Place) -> list[Text]:
        """Read the texts of the entries of a table."""
        return [text for one in node.elts for text in self.texts(one, place)]

    def _call(self, node: ast.Call, place: Place) -> list[Text] | None:
        name = _called(node)
        if isinstance(node.func, ast.Attribute) and name in _OF_TEXTS:
            return self._of_text(node, name, node.func.value, place)
        if name in _SAME and node.args:
            return self.texts(node.args[0], place)
        if name in _NUMBERS:
            return [(Blank(ast.unparse(node), "number"),)]
        returned = list(self.package.returns_of(node, place))
        found = [text for value, where in returned for text in self.texts(value, where)]
        return self._phrase(ast.unparse(node), found) if found else None

    def _of_text(
        self, node: ast.Call, name: str, text: ast.expr, place: Place
    ) -> list[Text] | None:
        """Read a method of a text, or of a table of texts."""
        if name == "format":
            return self._formatted(node, place)
        if name == "join":
            return self._joined(node, place)
        if name == "get":
            return self._subscript(ast.Subscript(text, ast.Constant(0)), place)
        return self.texts(text, place)

    def _formatted(self, node: ast.Call, place: Place) -> list[Text]:
        assert isinstance(node.func, ast.Attribute)
        found = []
        for text in self.texts(node.func.value, place):
            parts: list[str | Blank] = []
            for one in text:
                if isinstance(one, Blank):
                    parts.append(Blank(one.source, one.kind, frozenset(map(opened, one.phrases))))
                else:
                    parts += opened((one,))
            found.append(merged(parts))
        return found

    def _joined(self, node: ast.Call, place: Place) -> list[Text] | None:
        """Read what is joined: each entry is a phrase, and so may be the word between."""
        assert isinstance(node.func, ast.Attribute)
        if not node.args:
            return None
        found = self._entries(node.args[0], place)
        between = node.func.value
        words = isinstance(between, ast.Constant) and str(between.value).strip(" ,;")
        if words:
            self.seen.add((place.module.name, between.lineno, between.col_offset))
        blank = self._phrase(ast.unparse(node), found)[0][0]
        assert isinstance(blank, Blank)
        kind = "phrase" if words or blank.kind == "phrase" else "value"
        return [(Blank(blank.source, kind, blank.phrases),)]

    def _entries(self, what: ast.expr, place: Place) -> list[Text]:
        """Return the texts of the entries of a list."""
        if isinstance(what, ast.GeneratorExp | ast.ListComp):
            return self.texts(what.elt, place)
        if isinstance(what, ast.Tuple | ast.List):
            return [text for one in what.elts for text in self.texts(one, place)]
        found: list[Text] = []
        if isinstance(what, ast.Name):
            for value, where in self.package.values_of(what.id, place):
                if not isinstance(value, ast.Name):
                    found += self._entries(value, where)
            for value, where in self.package.appended_to(what.id, place):
                found += self.texts(value, where)
        return found


def opened(text: Text) -> Text:
    """Return a text whose literals are for `str.format`: its fields are blanks."""
    parts: list[str | Blank] = []
    for one in text:
        if isinstance(one, Blank):
            parts.append(one)
            continue
        for literal, name, form, _ in string.Formatter().parse(one):
            parts.append(literal)
            if name is not None:
                words = "phrase" if name.lower() in _FIELDS else "value"
                parts.append(Blank(name, "number" if form else words))
    return merged(parts)


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
