"""What stands before every page: who may come in, whose workspace it is, what browsers may do.

This is plain ASGI: every request and every response passes through it, and no page can forget it.
A request needs an expected host name (or a rebound DNS name could reach this machine), the token
where others could connect, and for a change the token of forms.
"""

from __future__ import annotations

import hashlib
import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from singleout.core.language import LANGUAGES, speaking
from singleout.web.csrf import FIELD, HEADER, csrf_token, is_same
from singleout.web.errors import Refused
from singleout.web.server_folder import server_secret
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspaces

__all__ = ["LANGUAGE_COOKIE", "THEME_COOKIE", "Guard", "cookie_header", "cookie_name"]

LANGUAGE_COOKIE = "singleout-language"
THEME_COOKIE = "singleout-theme"
OPEN = ("/static/", "/look/", "/charts/")  # what has nothing of anybody in it
LARGEST_FORM = 4 << 20  # bytes
_ROOM = 1 << 20  # bytes of an upload that are not of its file
_SAFE = ("GET", "HEAD")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), interest-cohort=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


class Guard:
    """An ASGI application before another."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._secret = server_secret(settings.folder)
        self._workspaces = Workspaces(settings)
        self._access = hmac.new(self._secret, b"access", hashlib.sha256).hexdigest()
        self._cookie = cookie_name(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["root_path"] = self._settings.root_path
        headers = _headers(scope)
        cookies = _cookies(headers.get("cookie", ""))
        state = scope.setdefault("state", {})
        state.update(settings=self._settings, workspace=None, csrf="", cookies=cookies)
        with speaking(_language(cookies, headers, self._settings.language)):
            sending = _Sending(send)
            try:
                receive = await self._admitted(scope, headers, cookies, receive, sending)
            except Refused as refused:
                state["refused"] = refused
            if not sending.over:
                await self._app(scope, receive, sending)

    async def _admitted(
        self,
        scope: Scope,
        headers: dict[str, str],
        cookies: dict[str, str],
        receive: Receive,
        sending: _Sending,
    ) -> Receive:
        """Let a request in, or refuse it; return where its body is read from."""
        self._check_host(headers.get("host", ""))
        path = _path(scope)
        if path.startswith(OPEN):
            return receive
        if not await self._has_token(scope, cookies, receive, sending):
            return receive
        given = cookies.get(self._cookie)
        workspace = self._workspaces.find(given)
        had_one = workspace is None and Workspaces.is_cookie(given)
        if scope["method"] not in _SAFE:
            if workspace is None or given is None:
                raise Refused(403, "web.errors.page_too_old")
            receive = await self._with_token_of_forms(scope, headers, given, receive)
        elif workspace is None:
            made = self._workspaces.make()
            if made is None:
                raise Refused(503, "web.errors.too_many_users")
            workspace, given = made
            if had_one:  # the start page says what has become of it
                workspace.remember(lost=True)
            sending.cookies.append(cookie_header(self._cookie, given, self._settings))
        assert given is not None
        scope["state"].update(workspace=workspace, csrf=csrf_token(self._secret, given))
        return receive

    # ---- who may come in

    def _check_host(self, host: str) -> None:
        name = _name_of(host)
        known = ("localhost", "127.0.0.1", "::1", self._settings.host, *self._settings.hosts)
        # a name that is bound to this machine has no cookie of it: the token keeps it out
        anyone = self._settings.token is not None and not self._settings.hosts
        if name is None or not (anyone or name.lower() in map(str.lower, known)):
            raise Refused(421, "web.errors.host")

    async def _has_token(
        self, scope: Scope, cookies: dict[str, str], receive: Receive, sending: _Sending
    ) -> bool:
        """Whether the caller may come in; one with the token in the URL gets a cookie instead."""
        token = self._settings.token
        name = f"{self._cookie}-access"
        if token is None or is_same(cookies.get(name), self._access):
            return True
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [None])[0]
        if not is_same(given, token):
            raise Refused(403, "web.errors.token")
        sending.cookies.append(cookie_header(name, self._access, self._settings))
        rest = urlencode(query, doseq=True)
        where = f"{self._settings.root_path}{_path(scope)}"
        there = RedirectResponse(f"{where}?{rest}" if rest else where, status_code=303)
        await there(scope, receive, sending)
        return False

    async def _with_token_of_forms(
        self, scope: Scope, headers: dict[str, str], cookie: str, receive: Receive
    ) -> Receive:
        """Refuse a change without the token; return where its body is read from again."""
        expected = csrf_token(self._secret, cookie)
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        limit = LARGEST_FORM
        if kind == "multipart/form-data":
            limit = self._settings.max_upload + _ROOM
        if int(headers.get("content-length") or 0) > limit:
            raise Refused(413, "web.errors.too_large", limit=_megabytes(limit))
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = headers.get(HEADER) or query.get(FIELD, [None])[0]
        if given is None and kind == "application/x-www-form-urlencoded":
            body = await _whole(receive)
            given = parse_qs(body.decode("latin-1")).get(FIELD, [None])[0]
            receive = _again(body, receive)
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            raise Refused(403, "web.errors.page_too_old")
        if not is_same(given, expected):
            raise Refused(403, "web.errors.page_too_old")
        return receive


class _Sending:
    """Sends a response with the headers that every response has."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.cookies: list[str] = []
        self.over = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.over = True
            given = list(message.get("headers", ()))
            if not any(name == b"cache-control" for name, _ in given):
                given.append((b"cache-control", b"no-store"))
            given += [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            given += [(b"set-cookie", cookie.encode()) for cookie in self.cookies]
            message = {**message, "headers": given}
        await self._send(message)


def cookie_name(settings: WebSettings) -> str:
    """Return the name of the cookie of users; cookies are the same for all ports."""
    return f"singleout-{settings.port}"


def cookie_header(
    name: str, value: str, settings: WebSettings, *, seconds: int | None = None
) -> str:
    """Return a cookie that no script can read and that no other site can send."""
    parts = [f"{name}={value}", f"Path={settings.root_path or '/'}", "HttpOnly", "SameSite=Strict"]
    parts += ["Secure"] if settings.secure else []
    parts += [f"Max-Age={seconds}"] if seconds is not None else []
    return "; ".join(parts)


# ---- reading a request


def _headers(scope: Scope) -> dict[str, str]:
    pairs = scope["headers"]
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in pairs}


def _cookies(header: str) -> dict[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}


def _name_of(host: str) -> str | None:
    """Return the name in a Host header, without its port; None if there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    root: str = scope["root_path"]
    return path[len(root) :] if root and path.startswith(f"{root}/") else path


def _language(cookies: dict[str, str], headers: dict[str, str], default: str | None) -> str:
    """Return the language of a user: chosen, that of the server, or that of the browser."""
    chosen = cookies.get(LANGUAGE_COOKIE)
    if chosen in LANGUAGES:
        return chosen
    if default is not None:
        return default
    wanted = headers.get("accept-language", "").split(",")
    return next(filter(None, map(_known, wanted)), LANGUAGES[0])


def _known(wanted: str) -> str | None:
    code = wanted.partition(";")[0].strip().lower().partition("-")[0]
    return code if code in LANGUAGES else None


async def _whole(receive: Receive) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LARGEST_FORM:
            raise Refused(413, "web.errors.too_large", limit=_megabytes(LARGEST_FORM))
        if not message.get("more_body", False):
            return b"".join(parts)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a source of messages that gives the body once more, then what follows."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def read() -> Message:
        return messages.pop() if messages else await receive()

    return read


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):,.0f}"
