"""`singleout serve`: the web application, for people who do not program."""

from __future__ import annotations

from typing import Annotated

import typer

from singleout.cli.shared.output import tell
from singleout.core.paths import expanded
from singleout.errors import BadChoice
from singleout.report.say import say

__all__ = ["serve"]

_MEGABYTE = 1 << 20


def serve(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...",
            help="Files, or tables in databases, that its users may choose from.",
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="Where to listen; this machine only if not given. Others need the address with "
            "the token that is printed.",
        ),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="The port; 0 for any that is free.")] = 8719,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Do not open a browser; only print the address.")
    ] = False,
    max_upload: Annotated[
        int,
        typer.Option("--max-upload", min=1, metavar="MB", help="The largest file that is taken."),
    ] = 2048,
    read_only: Annotated[
        bool,
        typer.Option(
            "--read-only",
            help="Only what it was started with, and the demo: no uploads, no other addresses, and "
            "no downloads of data.",
        ),
    ] = False,
    record_view: Annotated[
        bool,
        typer.Option("--record-view", help="Allow to look at single records, with their values."),
    ] = False,
    repository: Annotated[
        str | None,
        typer.Option(
            "--repository",
            metavar="FILE|URL",
            help="The repository that its users may look at: a file, or the address of a service.",
        ),
    ] = None,
    publish: Annotated[
        bool,
        typer.Option(
            "--publish",
            help="With --repository, where others can connect: let them publish, dispute and "
            "moderate there with your key. On this machine only, you may in any case.",
        ),
    ] = False,
    workers: Annotated[
        int, typer.Option("--workers", min=1, help="How many processes answer.")
    ] = 1,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            metavar="URL",
            help="The URL under which a reverse proxy offers it, with its path.",
        ),
    ] = None,
) -> None:
    """Open the web application in a browser: look at the risk, change the file, get the report.

    It listens on this machine only, sends nothing anywhere, and deletes the data of its users when
    it ends (Ctrl-C) or after two hours without use.
    """
    from singleout.web.serve import serve as run

    def ready(url: str, left: int) -> None:
        said = [say("web.serving.left", n=left)] if left else []
        tell(*said, say("web.serving.ready", url=url), say("web.serving.stop"))
        if not no_open:
            _open_soon(url)

    run(
        host=host,
        port=port,
        workers=workers,
        public_url=public_url,
        ready=ready,
        files=tuple(_checked(file) for file in files or ()),
        repository=None if repository is None else _checked(repository),
        publish=publish,
        max_upload=max_upload * _MEGABYTE,
        read_only=read_only,
        record_view=record_view,
        language=_asked_language(),
    )


def _checked(file: str) -> str:
    """Return a file as an absolute path, or an address; refuse what is not there."""
    if "://" in file:
        return file
    path = expanded(file)
    if not path.exists():
        raise BadChoice(f"There is no file {file!r}; check the name.")
    return str(path.absolute())


def _asked_language() -> str | None:
    """Return the language that the command asks for; otherwise browsers decide."""
    from singleout.core.language import chosen_language

    return chosen_language()


def _open_soon(url: str) -> None:
    """Open a browser once the server answers."""
    import threading
    import webbrowser

    timer = threading.Timer(0.8, webbrowser.open, [url])
    timer.daemon = True
    timer.start()
