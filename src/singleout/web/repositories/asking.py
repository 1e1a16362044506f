"""Ask the chosen repository, and show a page of the area, also where it does not answer."""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import Response

from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.rendering import page, settings_of, workspace_of
from singleout.web.repositories.where import Where, shown_target, where_of

__all__ = ["NoRepository", "area_page", "asked", "chosen", "ways"]

_REMOTE_PATIENCE = 100.0  # seconds: a service may ask to wait, and be asked several things


class NoRepository(Refused):
    """No repository is chosen yet: the first page of the area has the ways to one."""

    def __init__(self) -> None:
        super().__init__(409, "web.repository.errors.none")


def chosen(request: Request) -> Where:
    """Return the repository of whoever asks."""
    where = where_of(workspace_of(request), settings_of(request))
    if where is None:
        raise NoRepository
    return where


def asked(request: Request, where: Where, function: str, **arguments: Any) -> Any:
    """Return what a function of this package answers about a repository."""
    try:
        return ask(
            workspace_of(request),
            f"singleout.web.repositories.{function}",
            patience=_REMOTE_PATIENCE,
            where=where.to_dict(),
            **arguments,
        )
    except Unanswered as problem:
        # users know the repository by a name; where the file lies is not said
        raise Unanswered(problem.sentence.replace(where.target, where.shown)) from None


def ways(request: Request) -> dict[str, Any]:
    """Return the repositories that can be chosen."""
    settings = settings_of(request)
    offered = "" if settings.repository is None else shown_target(settings.repository)
    return {"offered": offered, "addresses": not settings.read_only}


def area_page(
    request: Request, template: str, part: str, *, where: Where, status: int = 200, **context: Any
) -> Response:
    """Return a page of the area."""
    return page(
        request,
        template,
        status=status,
        part=part,
        where=where,
        parts=PARTS,
        **ways(request),
        **context,
    )


# the pages of the area, in the order of their tabs
PARTS = (
    ("browse", "/repository"),
    ("search", "/repository/search"),
    ("publish", "/repository/publish"),
    ("moderate", "/repository/disputes"),
    ("proof", "/repository/proof"),
)
