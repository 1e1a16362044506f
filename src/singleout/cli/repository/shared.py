"""Options of all commands about repositories, and how a repository is opened."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import options
from singleout.cli.shared.output import number
from singleout.core.wording import figure, percent
from singleout.errors import BadChoice, UnreadableFile
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.client.repository import Repository
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import Record
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = [
    "KeyFile",
    "Population",
    "Purpose",
    "QuasiIdentifiers",
    "RepositoryArgument",
    "RepositoryOption",
    "TokenFile",
    "about",
    "attributes",
    "one_quasi_identifier",
    "opened",
    "people_of",
    "record_rows",
    "share_text",
    "short",
    "vocabulary_of",
]

_COMMA = re.compile(r"(?<!\\),")
_TOKEN = "SINGLEOUT_TOKEN"

RepositoryOption = Annotated[
    str | None,
    typer.Option(
        "--repository",
        metavar="FILE|URL",
        envvar="SINGLEOUT_REPOSITORY",
        help="The repository: a file, or the address of a service.",
    ),
]
RepositoryArgument = Annotated[
    str,
    typer.Argument(metavar="FILE|URL", help="The repository: a file, or the address of a service."),
]
QuasiIdentifiers = Annotated[
    list[str] | None,
    typer.Option(
        "--qi",
        metavar="A,B:width=5",
        help="Attributes that others could know, each with its coding: Age:width=5, "
        "PC4:level=region.",
    ),
]
Population = Annotated[
    list[str] | None,
    typer.Option(
        "--population",
        metavar="KEY=VALUE",
        help="Whom it is about: City=Amsterdam, Age=18..64, Region=N|S. Repeatable; everybody if "
        "not given.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        metavar="FILE",
        help="Your key; if not given that of SINGLEOUT_KEY, or in your configuration folder.",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        "--token",
        metavar="FILE",
        help="A file with your API token, for records that are not public; or set SINGLEOUT_TOKEN.",
    ),
]
Purpose = Annotated[
    str | None,
    typer.Option("--purpose", help="With a token: what the records are read for."),
]


def opened(
    repository: str | None,
    *,
    key: Path | None = None,
    token: Path | None = None,
    purpose: str | None = None,
) -> Repository:
    """Open a repository, or say that one is needed."""
    if repository is None:
        raise BadChoice(
            "Say which repository with --repository FILE|URL; a new one is made by: "
            "singleout repository init FILE"
        )
    from singleout.repository.client.http import is_url
    from singleout.repository.client.repository import Repository

    secret = _token(token) if is_url(repository) or token is not None else None
    return Repository(repository, key=key, token=secret, purpose=purpose)


def _token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get(_TOKEN) or None
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise UnreadableFile(f"The token {str(file)!r} cannot be read.") from None


def attributes(texts: Sequence[str] | None) -> list[tuple[str, ...]]:
    """Return the quasi-identifiers of ``--qi``, each as coded attributes."""
    if not texts:
        raise BadChoice(
            "Say with --qi which attributes others could know, as in --qi PC4,Sex,Age:width=5."
        )
    return [options.quasi_identifier(text) for text in texts]


def one_quasi_identifier(texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the only quasi-identifier of ``--qi``; repetitions are joined."""
    return tuple(dict.fromkeys(name for names in attributes(texts) for name in names))


def people_of(texts: Sequence[str] | None) -> DeclaredPopulation:
    """Return the population of ``--population`` and its repetitions."""
    from singleout.repository.documents.population import DeclaredPopulation

    terms = [
        part.replace("\\,", ",").strip()
        for text in texts or ()
        for part in _COMMA.split(text)
        if part.strip()
    ]
    return DeclaredPopulation.of(terms)


def vocabulary_of(given: str | None, repository: Repository | None) -> Vocabulary | None:
    """Return the vocabulary of a file, or of a name or a hash in the repository."""
    from singleout.repository.documents.vocabulary import Vocabulary

    if given is None:
        return None
    if Path(given).is_file() or repository is None:
        return Vocabulary.read(given)
    known = repository.store.vocabularies()
    for each in reversed(known):
        if given in (each["hash"], each["name"], f"{each['name']} {each['version']}"):
            return repository.store.vocabulary(each["hash"])
    names = sorted({str(each["name"]) for each in known})
    raise BadChoice(
        f"{given!r} is neither a file nor a vocabulary of the repository, which has "
        f"{', '.join(names) if names else 'none'}."
    )


def short(identity: str) -> str:
    """Return an identity as it is shown: the beginning of its hash.

    >>> short("sha256:0123456789abcdef0123")
    'sha256:0123456789ab…'
    """
    kind, _, rest = identity.partition(":")
    return identity if len(rest) <= 12 else f"{kind}:{rest[:12]}…"


def record_rows(records: Sequence[Record]) -> list[list[str]]:
    """Return the rows of a table of records."""
    return [
        [
            "+".join(map(str, each.quasi_identifier)),
            str(each.population),
            number(each.people),
            number(each.cells),
            figure(each.kappa, ".4g"),
            "–" if each.numbers.sd.kappa is None else figure(each.numbers.sd.kappa, ".2g"),
            str(each.reference_date or "–"),
            short(each.id),
        ]
        for each in records
    ]


def share_text(value: float | None) -> str:
    """Return a share in percent, or a dash."""
    return "–" if value is None else percent(value)


def about(record: Record | None) -> str:
    """Return what a record is about, in one line."""
    if record is None:
        return "–"
    names = "+".join(map(str, record.quasi_identifier))
    return say("repository.client.about", names=names, people=str(record.population))
