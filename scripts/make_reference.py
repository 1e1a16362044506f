"""Write the reference pages from the code: docs/reference/.

The pages depend on the code only: not on the terminal, the machine or the version, so that a test
can compare them with what is committed.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import singleout
from figures import papers_page
from singleout import errors
from singleout.assessment.plan.plan import plan_schema_text
from singleout.assessment.report.json import report_schema_text
from singleout.assessment.treated.treatment import Treatment
from singleout.cli.main import EXIT_CODES, command
from singleout.io.yaml.document import Document
from singleout.methods.groups import Grouped
from singleout.repository.client.asking import Asking

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
MADE_BY = "<!-- Made by scripts/make_reference.py from the code: change it there. -->"
WIDTH = 88
BASES = (Grouped, Document, Treatment, Asking)  # whose members readers of a class need to know

_WRITTEN = """\
A file is written whole or not at all: it gets its name when it is complete. One that exists is
replaced only with `--force`, and keeps who may read it. What is read is never written over, under
whatever name: data, files of a folder or a pattern, databases, plans, policies and questionnaires;
only `singleout eliminate FILE --out FILE --force` replaces the file by what is left of it. New
files that hold records are for their owner only: those of `sets --records`, `assess --csv`,
`records`, `suda --output`, `eliminate --out`, `covered --csv`, `treat --out` and `suggest --apply`
with their logs, `hierarchies --output`, and reports with `--show-records`. What is written through
a symbolic link changes its target. Outputs may be streams: `/dev/stdout`, `/dev/fd/3`, a named
pipe."""

# typer adds these itself, and differently from one system to the next
_NOT_OURS = ("install_completion", "show_completion", "help")
_UNDERLINE = re.compile(r"-{3,}")
_CELL_OF_CODE = re.compile(r"``(.+?)``")


def pages() -> dict[Path, str]:
    """Return the text of every page that is made from the code."""
    return {
        FOLDER.parent / "papers.md": papers_page(),
        FOLDER / "commands.md": commands_page(),
        FOLDER / "python.md": python_page(),
        FOLDER / "predict.md": predict_page(),
        FOLDER / "repository.md": repository_page(),
        FOLDER / "plan.schema.json": plan_schema_text(),
        FOLDER / "report.schema.json": report_schema_text(),
    }


# ---- the command line


def commands_page() -> str:
    main = command()
    parts = [
        f"{MADE_BY}\n\n# Commands",
        "Everything here can also be read in the terminal: `singleout --help`, "
        "`singleout sets --help`. A wider introduction is the [tutorial](../tutorial.md).",
        *_command(main, ["singleout"]),
        "## What the commands return",
        _table(
            ["exit code", "meaning"],
            [[str(code), meaning] for code, meaning in EXIT_CODES.items()],
        ),
        "## The files that are written",
        _WRITTEN,
        "## Settings",
        _table(
            ["environment variable", "meaning"],
            [
                [
                    "`SINGLEOUT_THREADS`",
                    "how many threads to use; all cores if not set. The answer "
                    "is the same for any number.",
                ],
                [
                    "`SINGLEOUT_LANGUAGE`",
                    "the language, `en` or `fr`, where neither `--language` nor the plan says; "
                    "that of `LC_ALL`, `LC_MESSAGES` or `LANG` if not set",
                ],
                ["`SINGLEOUT_REPOSITORY`", "the repository, where `--repository` is not given"],
                [
                    "`SINGLEOUT_KEY`",
                    "the file of your key; in your configuration folder if not set",
                ],
                ["`SINGLEOUT_TOKEN`", "your API token of a service"],
                [
                    "`SINGLEOUT_STATE`",
                    "the folder of what was seen of repositories: signed heads and receipts",
                ],
                ["`SINGLEOUT_DEBUG`", "set it to `1` to see where an unexpected error comes from"],
            ],
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _command(command: Any, path: list[str]) -> Iterator[str]:
    """Yield the parts of the page about a command, and about those below it."""
    inner: dict[str, Any] = getattr(command, "commands", {})
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [
        p
        for p in command.params
        if p.param_type_name == "option" and p.name not in _NOT_OURS and not p.hidden
    ]
    usage = [*path, "[OPTIONS]", *map(_placeholder, arguments), *(["COMMAND"] if inner else [])]
    yield f"## {' '.join(path)}"
    yield f"```text\n{' '.join(usage)}\n```"
    yield _paragraphs(command.help or "")
    if inner:
        rows = [
            [f"[`{name}`](#{'-'.join([*path, name])})", _first_line(c.help)]
            for name, c in inner.items()
        ]
        yield _table(["command", "what it does"], rows)
    if arguments:
        rows = [[f"`{_placeholder(p)}`", p.help or ""] for p in arguments]
        yield _table(["argument", "meaning"], rows)
    yield _options_table(options)
    for name, one in inner.items():
        yield from _command(one, [*path, name])


def _options_table(options: list[Any]) -> str:
    heads = ["option", "meaning", "if not given"]
    rows = [[_option(p), _meaning(p), _default(p)] for p in options]
    rows.append(["`-h`, `--help`", "Show the help and exit.", ""])
    if not any(default for _, _, default in rows):
        heads, rows = heads[:2], [row[:2] for row in rows]
    return _table(heads, rows)


def _placeholder(parameter: Any) -> str:
    word: str = parameter.metavar or parameter.name.upper()
    return word if parameter.required or parameter.param_type_name == "option" else f"[{word}]"


def _option(parameter: Any) -> str:
    value = ""
    if not parameter.is_flag:
        value = " " + (parameter.metavar or ("CHOICE" if _choices(parameter) else "TEXT"))
    return ", ".join(f"`{name}{value}`" for name in (*parameter.opts, *parameter.secondary_opts))


def _meaning(parameter: Any) -> str:
    choices = ", ".join(f"`{choice.value}`" for choice in _choices(parameter))
    return f"{parameter.help or ''}{f' One of {choices}.' if choices else ''}"


def _choices(parameter: Any) -> list[enum.Enum]:
    """Return the values there are to choose from, for an option that has a default among them."""
    default = parameter.default
    return list(type(default)) if isinstance(default, enum.Enum) else []


def _default(parameter: Any) -> str:
    default = parameter.default
    if default is None or parameter.is_flag:
        return ""
    return f"`{default.value if isinstance(default, enum.Enum) else default}`"


# ---- Python


def python_page() -> str:
    parts = [
        f"{MADE_BY}\n\n# Python",
        "Everything below is in the package itself: `import singleout as so`, then `so.read`, "
        "`so.anonymity_sets` and so on.",
        *_names(singleout, "so"),
    ]
    return "\n\n".join(parts) + "\n"


def predict_page() -> str:
    parts = [
        f"{MADE_BY}\n\n# Python: predict",
        "Everything below is in `singleout.predict`: `import singleout as so`, then "
        "`so.predict.singletons` and so on.",
        *_names(singleout.predict, "so.predict"),
    ]
    return "\n\n".join(parts) + "\n"


def repository_page() -> str:
    parts = [
        f"{MADE_BY}\n\n# Python: repository",
        "Everything below is in `singleout.repository`: `import singleout as so`, then "
        "`so.repository.Record` and so on. It needs `pip install 'singleout[repository]'`. The "
        "examples start with:",
        "```python\n>>> import singleout as so\n>>> from singleout.repository import *\n\n```",
        *_names(singleout.repository, "so.repository"),
    ]
    return "\n\n".join(parts) + "\n"


def _names(module: Any, prefix: str) -> Iterator[str]:
    """Yield the parts of the page about the public names of a module."""
    public = {name: getattr(module, name) for name in module.__all__}
    functions = {n: m for n, m in public.items() if inspect.isfunction(m)}
    classes = {n: m for n, m in public.items() if inspect.isclass(m)}
    for name, function in functions.items():
        yield f"## {name}"
        yield _signature(f"{prefix}.{name}", function)
        yield _docstring(function)
    for name, kind in classes.items():
        yield f"## {name}"
        yield from _class(f"{prefix}.{name}", kind)
    others = [name for name in public if name not in functions and name not in classes]
    if others:
        yield "## Also"
        yield from (f"`{name}`: {_OTHERS[name]}" for name in others)


_OTHERS = {
    "__version__": "the version of the package, as text.",
    "predict": "what data not yet collected would reveal; see [its own page](predict.md).",
    "repository": "records of how heterogeneous populations are, published and queried; see "
    "[its own page](repository.md).",
}


def _class(name: str, kind: type) -> Iterator[str]:
    if issubclass(kind, BaseException):
        yield _docstring(kind)
        yield (
            "Each kind of error is in `singleout.errors`. Its text is one sentence that says what "
            "was given and what would work. The command line prints it and exits with 2, or "
            "with 74 for an output that cannot be written."
        )
        yield f"```text\n{_tree(inspect.getdoc(errors) or '')}\n```"
        return
    if issubclass(kind, enum.Enum):
        yield _docstring(kind)
        rows = [[f"`{member.name}`", f"`{str(member.value)!r}`"] for member in kind]
        yield _table(["name", "as text"], rows)
        yield "Wherever one of these is asked for, the text will do."
        return
    yield _signature(name, kind)
    yield _docstring(kind)
    rows = list(_members(kind))
    if rows:
        yield _table(["attribute or method", "what it is"], rows)


def _members(kind: type) -> Iterator[list[str]]:
    """Yield the public attributes and methods that the signature does not show."""
    shown = set(inspect.signature(kind).parameters)
    for name, hint in inspect.get_annotations(kind).items():
        if not name.startswith("_") and name not in shown and "ClassVar" not in hint:
            yield [f"`{name}`", f"`{hint}`"]
    for name, member in _own_and_shared(kind).items():
        if isinstance(member, property | cached_property):
            yield [f"`{name}`", _first_line(member.__doc__)]
        elif isinstance(member, classmethod | staticmethod) or inspect.isfunction(member):
            method: Any = getattr(kind, name)
            yield [f"`{name}({_short_arguments(method)})`", _first_line(method.__doc__)]


def _own_and_shared(kind: type) -> dict[str, Any]:
    """Return the public members of a class, then those of the bases that readers see through it."""
    # a large result is written in several files of its room, each a class on top of the last
    room = kind.__module__.rpartition(".")[0]
    parts = [base for base in reversed(kind.__mro__) if base.__module__.rpartition(".")[0] == room]
    members = {name: member for part in parts for name, member in vars(part).items()}
    for base in BASES:
        if issubclass(kind, base):
            members = {**members, **vars(base), **members}
    hidden = "model_post_init"  # of pydantic
    return {name: member for name, member in members.items() if name[0] != "_" and name != hidden}


def _short_arguments(method: Callable[..., Any]) -> str:
    def in_short(parameter: inspect.Parameter) -> str:
        if parameter.default is parameter.empty:
            return parameter.name
        return f"{parameter.name}={_as_code(parameter.default)}"

    return ", ".join(_arguments(inspect.signature(method), in_short))


def _arguments(
    signature: inspect.Signature, word: Callable[[inspect.Parameter], str]
) -> Iterator[str]:
    """Yield the arguments as they are written, with a star before those by keyword only."""
    keywords_only = False
    for parameter in signature.parameters.values():
        if parameter.name.startswith("_") or parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keywords_only:
            keywords_only = True
            yield "*"
        yield word(parameter)


def _signature(name: str, callable_: Callable[..., Any]) -> str:
    """Return how to call something, on one line or with a line for each argument."""
    signature = inspect.signature(callable_)
    words = list(_arguments(signature, _argument))
    returned = signature.return_annotation
    end = "" if inspect.isclass(callable_) or returned in (None, "None") else f" -> {returned}"
    line = f"{name}({', '.join(words)}){end}"
    if len(line) > WIDTH:
        line = "\n".join([f"{name}(", *(f"    {word}," for word in words), f"){end}"])
    return f"```text\n{line}\n```"


def _argument(parameter: inspect.Parameter) -> str:
    word = f"{parameter.name}: {_type_in_words(parameter.annotation)}"
    if parameter.default is parameter.empty:
        return word
    return f"{word} = {_as_code(parameter.default)}"


def _type_in_words(hint: Any) -> str:
    """Return a type as code has it, without what checks the values: that shows addresses."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _type_in_words(parts[0])
    if origin in (Union, UnionType):
        return " | ".join(map(_type_in_words, parts))
    if hint is NoneType:
        return "None"
    if isinstance(hint, type) and not parts:
        return hint.__name__
    if parts and isinstance(origin, type):
        return f"{origin.__name__}[{', '.join(map(_type_in_words, parts))}]"
    return str(hint)


def _as_code(value: object) -> str:
    if isinstance(value, enum.Enum):
        return repr(str(value.value))
    # a dataclass shows a marker for a default that is made anew each time
    return "..." if value is getattr(dataclasses, "_HAS_DEFAULT_FACTORY", None) else repr(value)


def _docstring(thing: Any) -> str:
    """Return a docstring in the numpy manner as Markdown."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    places = [i for i, line in enumerate(lines) if i and _UNDERLINE.fullmatch(line.strip())]
    starts = [place - 1 for place in places]
    summary = "\n".join(lines[: starts[0]] if starts else lines)
    parts = [_paragraphs(summary)]
    for start, end in pairwise([*starts, len(lines)]):
        parts += _section(lines[start].strip(), lines[start + 2 : end])
    return "\n\n".join(parts)


def _section(title: str, lines: list[str]) -> list[str]:
    if title == "Examples":
        body = "\n".join(lines).strip()
        return [f"**{title}**", f"```python\n{body}\n```"]
    if title in ("Parameters", "Returns", "Raises", "Attributes"):
        rows = [[f"`{name}`", meaning] for name, meaning in _entries(lines)]
        return [f"**{title}**", _table(["name" if title != "Returns" else "type", "meaning"], rows)]
    return [f"**{title}**", _paragraphs("\n".join(lines))]


def _entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the names of a section with what is said about each, in one line."""
    name = ""
    words: list[str] = []
    for line in lines:
        if line and not line.startswith(" "):
            if name:
                yield name, " ".join(words)
            name, words = line.strip(), []
        elif line.strip():
            words.append(line.strip())
    if name:
        yield name, " ".join(words)


def _tree(text: str) -> str:
    """Return the part of a docstring that is indented: the tree of errors."""
    return inspect.cleandoc("\n" + "\n".join(x for x in text.splitlines() if x.startswith("    ")))


# ---- Markdown


def _first_line(text: str | None) -> str:
    return inspect.cleandoc(text or "").split("\n\n")[0].replace("\n", " ")


def _paragraphs(text: str) -> str:
    whole = inspect.cleandoc(text).split("\n\n")
    return "\n\n".join(_CELL_OF_CODE.sub(r"`\1`", part.replace("\n", " ")) for part in whole)


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def _cell(text: str) -> str:
    return _CELL_OF_CODE.sub(r"`\1`", text).replace("|", "\\|")


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(FOLDER.parents[1])}", file=sys.stderr)


if __name__ == "__main__":
    main()
