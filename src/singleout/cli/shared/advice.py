"""What a message says on the command line: options as typed, no passwords, the right help."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from singleout.core.text import ended

__all__ = ["about_the_command", "as_options", "without_passwords"]

# what a mistyped command may hold, and a message about it repeat
_WORD = re.compile(r"[^\s'\"]+")
_SCHEME_END = re.compile(r":/*|//")
_SECRET = re.compile(r"((?:password|passwd|pwd|token|secret)=)[^&\s'\"]+", re.IGNORECASE)
_EXAMPLE = re.compile(r"([a-z]+:)?//user(:password)?@")  # in advice of our own
_KEYWORD = re.compile(
    r"\b((?:use|give|with|say|and|or|in|utilisez|donnez|augmentez|avec|par exemple|et|ou) )"
    r"([a-z_]+)=(?:'([\w-]+)'|([\w.-]*\w))?"
)


def without_passwords(sentence: str) -> str:
    """Return a sentence whose URLs have no user name and no password, whoever wrote it.

    >>> without_passwords("No 'postgresql://zoe:hush@db/x'; write postgresql://user:password@host/x.")
    "No 'postgresql://db/x'; write postgresql://user:password@host/x."
    """
    return _SECRET.sub(r"\1…", _WORD.sub(_without_login, sentence))


def _without_login(word: re.Match[str]) -> str:
    """Return a word without credentials: what is between the scheme of a URL and its last @."""
    text = word[0]
    host = text.rfind("@")
    scheme = _SCHEME_END.search(text, 0, max(host, 0))
    if scheme is None or _EXAMPLE.fullmatch(text[: host + 1]):
        return text
    return text[: scheme.end()] + text[host + 1 :]


def as_options(sentence: str, command: Any, words: Sequence[str]) -> str:
    """Return advice on arguments of a Python function as advice on the options of a command.

    ``words`` is what was typed after the name of the command.
    """
    known = set(_options(command, words))

    def option(found: re.Match[str]) -> str:
        name = f"--{found[2].replace('_', '-')}"
        value = found[3] or found[4]
        return f"{found[1]}{name}{f' {value}' if value else ''}" if name in known else found[0]

    return _KEYWORD.sub(option, sentence)


def _options(command: Any, words: Iterable[str]) -> Iterable[str]:
    for word in words:
        command = getattr(command, "commands", {}).get(word, command)
    # an older spelling still works, but is not advised
    shown = (one for one in command.params if not getattr(one, "hidden", False))
    return (name for parameter in shown for name in parameter.opts)


def about_the_command(error: Any) -> str:
    """Return what is wrong with a command, as typer reports it, and where its help is."""
    message = " ".join(str(error.format_message()).split()).replace("Value error, ", "")
    names: list[str] = []
    context = getattr(error, "ctx", None)
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return f"{ended(message)} Try {' '.join(['singleout', *names, '--help'])}."
