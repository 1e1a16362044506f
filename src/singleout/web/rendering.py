"""Pages and fragments of templates, in the language of the request.

Every text is escaped, control characters are made visible, and a name that a template lacks is a
mistake: the environment is that of reports.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from jinja2 import Environment, PackageLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from singleout import __version__
from singleout.core.language import LANGUAGES, spoken
from singleout.core.wording import count, figure, percent
from singleout.report.page import page_environment
from singleout.report.say import meaning, say, words
from singleout.web.errors import Refused
from singleout.web.guard import THEME_COOKIE
from singleout.web.jobs import Jobs
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspace

__all__ = [
    "data_first",
    "jobs_of",
    "page",
    "redirect",
    "settings_of",
    "wants_fragment",
    "workspace_of",
]

THEMES = ("system", "light", "dark")
_GLOBALS: dict[str, Callable[..., Any]] = {
    "say": say,
    "words": words,
    "meaning": meaning,
}


@cache
def _environment() -> Environment:
    environment = page_environment(PackageLoader("singleout.web", "templates"))
    environment.globals.update(_GLOBALS)
    environment.filters["number"] = lambda value, form=",": figure(value, form)
    environment.filters.setdefault("count", count)
    environment.filters.setdefault("percent", percent)
    return environment


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page, or a fragment of one, made of a template.

    Besides ``context`` a template has ``url`` (a path of this application, wherever a proxy offers
    it), ``csrf``, ``settings``, ``source`` (the data that is chosen), ``here`` (the path), and what
    the base layout needs.
    """
    settings = settings_of(request)
    workspace: Workspace | None = request.scope["state"]["workspace"]
    text = (
        _environment()
        .get_template(template)
        .render(
            url=partial(_url, settings.root_path),
            csrf=request.scope["state"]["csrf"],
            settings=settings,
            source=None if workspace is None else workspace.source,
            here=_here(request),
            language=spoken(),
            languages=LANGUAGES,
            theme=_theme(request),
            themes=THEMES,
            areas=AREAS,
            version=__version__,
            **context,
        )
    )
    return HTMLResponse(text, status_code=status)


# the areas of the application, in the order of the navigation: name and path
AREAS = (
    ("start", "/"),
    ("assess", "/assess"),
    ("explore", "/explore"),
    ("treat", "/treat"),
    ("predict", "/predict"),
    ("person", "/person"),
    ("repository", "/repository"),
)


def redirect(request: Request, path: str) -> Response:
    """Send the browser to another page of this application, after a form."""
    where = _url(settings_of(request).root_path, path)
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": where})
    return RedirectResponse(where, status_code=303)


def data_first(request: Request) -> Response:
    """Send the browser to the start page, which says that data is needed first."""
    return redirect(request, "/?first=data")


def wants_fragment(request: Request) -> bool:
    """Whether a script asks for a part of the page, not the browser for a whole one."""
    return request.headers.get("hx-request") == "true"


def settings_of(request: Request) -> WebSettings:
    """Return the settings of the server."""
    settings: WebSettings = request.scope["state"]["settings"]
    return settings


def workspace_of(request: Request) -> Workspace:
    """Return the workspace of whoever asks."""
    workspace: Workspace | None = request.scope["state"]["workspace"]
    if workspace is None:
        raise Refused(403, "web.errors.page_too_old")
    return workspace


def jobs_of(request: Request) -> Jobs:
    """Return the jobs of whoever asks."""
    return Jobs(workspace_of(request), settings_of(request))


def _url(root: str, path: str) -> str:
    """Return a path of this application as a browser asks for it."""
    return f"{root}{path}"


def _here(request: Request) -> str:
    root = settings_of(request).root_path
    path = request.url.path
    return path[len(root) :] if root and path.startswith(root) else path


def _theme(request: Request) -> str:
    chosen: str = request.scope["state"]["cookies"].get(THEME_COOKIE, THEMES[0])
    return chosen if chosen in THEMES else THEMES[0]
