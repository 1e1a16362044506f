"""Where names of a package get their values: functions, modules, the arguments of calls."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Module", "Package", "Place"]

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Module:
    """A file of the package."""

    name: str
    tree: ast.Module


@dataclass(frozen=True, eq=False)
class Place:
    """Where an expression stands: its module, and the classes and functions around it."""

    module: Module
    around: tuple[ast.AST, ...] = ()

    def inside(self, node: ast.AST) -> Place:
        """Return the place inside a function or a class."""
        return Place(self.module, (*self.around, node))

    @property
    def functions(self) -> list[_Function]:
        """The functions around it, the innermost first."""
        return [one for one in reversed(self.around) if isinstance(one, _Function)]

    @property
    def cls(self) -> ast.ClassDef | None:
        """The class around it."""
        return next((one for one in reversed(self.around) if isinstance(one, ast.ClassDef)), None)


class Package:
    """All modules of a package, with what is defined and called in them."""

    def __init__(self, root: Path) -> None:
        self.modules = [
            Module(str(file.relative_to(root)), ast.parse(file.read_text("utf-8")))
            for file in sorted(root.rglob("*.py"))
        ]
        self.nodes: list[tuple[ast.AST, Place]] = []
        self._functions: dict[str, list[tuple[_Function, Place]]] = defaultdict(list)
        self._classes: dict[str, list[tuple[ast.ClassDef, Place]]] = defaultdict(list)
        self._calls: dict[str, list[tuple[ast.Call, Place]]] = defaultdict(list)
        self._globals: dict[str, dict[str, list[ast.expr]]] = {}
        self._imports: dict[str, dict[str, str]] = {}
        self._locals: dict[int, dict[str, list[ast.expr]]] = {}
        self._attributes: dict[int, dict[str, list[ast.expr]]] = {}
        self._below: dict[str, list[tuple[ast.ClassDef, Place]]] = defaultdict(list)
        self._by_name = {module.name: module for module in self.modules}
        for module in self.modules:
            self._globals[module.name] = _assigned(module.tree.body)
            self._imports[module.name] = {}
            self._walk(module.tree, Place(module))

    def _walk(self, node: ast.AST, place: Place) -> None:
        for child in ast.iter_child_nodes(node):
            self.nodes.append((child, place))
            if isinstance(child, _Function):
                self._functions[child.name].append((child, place))
            elif isinstance(child, ast.ClassDef):
                self._classes[child.name].append((child, place))
                for base in child.bases:
                    self._below[_name(base)].append((child, place))
            elif isinstance(child, ast.Call):
                self._calls[_name(child.func)].append((child, place))
            elif isinstance(child, ast.ImportFrom) and child.module:
                names = self._imports[place.module.name]
                names.update({one.asname or one.name: child.module for one in child.names})
            inner = isinstance(child, _Function | ast.ClassDef)
            self._walk(child, place.inside(child) if inner else place)

    # ---- names

    def is_parameter(self, name: str, place: Place) -> bool:
        """Whether a name is a parameter of a function around, and nothing assigned there."""
        for function in place.functions:
            if name in self._assigned_in(function):
                return False
            if name in _parameters(function):
                return True
        return False

    def values_of(self, name: str, place: Place) -> Iterator[tuple[ast.expr, Place]]:
        """Yield the expressions that a name may have as its value."""
        for function in place.functions:
            assigned = self._assigned_in(function).get(name, [])
            for value in assigned:
                yield value, place
            parameters = _parameters(function)
            if name in parameters:
                yield from self._arguments(function, name, place)
            if assigned or name in parameters:
                return
        yield from self._of_module(name, place.module)

    def _of_module(self, name: str, module: Module) -> Iterator[tuple[ast.expr, Place]]:
        for value in self._globals[module.name].get(name, []):
            yield value, Place(module)
        source = self._imports[module.name].get(name)
        if source is None:
            return
        path = source.removeprefix("singleout.").replace(".", "/")
        for candidate in (f"{path}.py", f"{path}/__init__.py"):
            other = self._by_name.get(candidate)
            if other is not None and other is not module:
                yield from self._of_module(name, other)

    def _assigned_in(self, function: _Function) -> dict[str, list[ast.expr]]:
        if id(function) not in self._locals:
            self._locals[id(function)] = _assigned(function.body)
        return self._locals[id(function)]

    def appended_to(self, name: str, place: Place) -> Iterator[tuple[ast.expr, Place]]:
        """Yield what a function around appends to a list."""
        for function in place.functions:
            for node in ast.walk(function):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in ("append", "insert")
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id == name
                ):
                    yield node.args[-1], place

    def _arguments(
        self, function: _Function, name: str, place: Place
    ) -> Iterator[tuple[ast.expr, Place]]:
        """Yield what calls give a parameter, and its default."""
        positional = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
        owner = self._owner(function)
        called = owner.name if owner is not None and function.name == "__init__" else function.name
        if positional[:1] in (["self"], ["cls"]):
            positional = positional[1:]
        at = positional.index(name) if name in positional else None
        for call, where in self._calls[called]:
            if called.startswith("_") and where.module is not place.module:
                continue
            yield from ((one.value, where) for one in call.keywords if one.arg == name)
            if at is not None and at < len(call.args):
                yield call.args[at], where
        defaults = dict(zip(positional[::-1], function.args.defaults[::-1], strict=False))
        for one, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
            if default is not None:
                defaults[one.arg] = default
        if name in defaults:
            yield defaults[name], place

    def _owner(self, function: _Function) -> ast.ClassDef | None:
        for one, place in self._functions[function.name]:
            if one is function:
                return place.cls
        return None

    def values_of_attribute(self, name: str, place: Place) -> Iterator[tuple[ast.expr, Place]]:
        """Yield what an attribute of the object itself may be: of its class, or its arguments."""
        cls = place.cls
        if cls is None:
            return
        outer = Place(place.module)
        for value in _assigned(cls.body).get(name, []):
            yield value, outer
        for function in cls.body:
            if isinstance(function, _Function):
                inside = outer.inside(cls).inside(function)
                for value in self._attributes_in(function).get(name, []):
                    yield value, inside
        yield from self._fields(cls, name)
        for other, where in self._below[cls.name]:
            for value in _assigned(other.body).get(name, []):
                yield value, where

    def _attributes_in(self, function: _Function) -> dict[str, list[ast.expr]]:
        """Return the attributes of the object itself that a method assigns."""
        if id(function) not in self._attributes:
            found: dict[str, list[ast.expr]] = defaultdict(list)
            for node in ast.walk(function):
                if isinstance(node, ast.Assign):
                    for one in node.targets:
                        if isinstance(one, ast.Attribute):
                            found[one.attr].append(node.value)
            self._attributes[id(function)] = found
        return self._attributes[id(function)]

    def _fields(self, cls: ast.ClassDef, name: str) -> Iterator[tuple[ast.expr, Place]]:
        """Yield what calls of a data class give a field."""
        fields = [
            one.target.id
            for one in cls.body
            if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        ]
        if name not in fields:
            return
        at = fields.index(name)
        for call, where in self._calls[cls.name]:
            yield from ((one.value, where) for one in call.keywords if one.arg == name)
            if at < len(call.args):
                yield call.args[at], where

    # ---- functions

    def returns_of(self, call: ast.Call, place: Place) -> Iterator[tuple[ast.expr, Place]]:
        """Yield what the function of a call may return, if it returns texts."""
        for function, where in self._called(call, place):
            inside = where.inside(function)
            for node in ast.walk(function):
                if isinstance(node, ast.Return) and node.value is not None:
                    yield node.value, inside

    def _called(self, call: ast.Call, place: Place) -> list[tuple[_Function, Place]]:
        name = _name(call.func)
        known = [pair for pair in self._functions[name] if _returns_text(pair[0])]
        own = [pair for pair in known if pair[1].module is place.module]
        if isinstance(call.func, ast.Name):
            source = self._imports[place.module.name].get(name)
            return own or (known if source is not None and source.startswith("singleout") else [])
        return own or ([] if name.startswith("_") or len(known) > 12 else known)

    def classes(self) -> dict[str, list[str]]:
        """Return the names of all classes with those of their bases."""
        return {
            name: [_name(base) for cls, _ in found for base in cls.bases]
            for name, found in self._classes.items()
        }


def _returns_text(function: _Function) -> bool:
    shown = "" if function.returns is None else ast.unparse(function.returns)
    return "str" in shown.replace("Distribution", "")


def _parameters(function: _Function) -> list[str]:
    arguments = function.args
    return [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _name(node.value)
    return node.id if isinstance(node, ast.Name) else ""


def _assigned(body: list[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Return the names that statements assign, with their values."""
    found: dict[str, list[ast.expr]] = defaultdict(list)
    for node in _statements(body):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _assign(target, node.value, found)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
            _assign(node.target, node.value, found)
        elif isinstance(node, ast.For | ast.comprehension) and isinstance(
            node.iter, ast.Tuple | ast.List
        ):
            for one in node.iter.elts:
                _assign(node.target, one, found)
    return found


def _assign(target: ast.expr, value: ast.expr, found: dict[str, list[ast.expr]]) -> None:
    if isinstance(target, ast.Name):
        found[target.id].append(value)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, inner in zip(target.elts, value.elts, strict=False):
            _assign(one, inner, found)


def _statements(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield all nodes of a body, but not those inside functions and classes in it."""
    stack: list[ast.AST] = [*reversed(body)]
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _Function | ast.ClassDef | ast.Lambda):
            stack.extend(ast.iter_child_nodes(node))
