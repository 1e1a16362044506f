"""The files that a command writes, checked before any work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from singleout.core.targets import free_target, target_of
from singleout.errors import BadChoice

__all__ = ["check_chart", "check_free"]

_CHART_KINDS = (".html", ".json", ".pdf", ".png", ".svg")


def check_chart(path: Path | None) -> None:
    """Refuse the name of a picture whose format cannot be written."""
    if path is not None and path.suffix.lower() not in _CHART_KINDS:
        raise BadChoice(
            f"A picture cannot be written as {path.name!r}; end the name in one of "
            f"{', '.join(_CHART_KINDS)}."
        )


def check_free(
    paths: Iterable[Path | None],
    *,
    force: bool,
    read: Sequence[str | Path | None] = (),
    engine: str | None = None,
    plot: Path | None = None,
) -> None:
    """Refuse, before any work is done, what could not be written after it, or would lose data.

    Parameters
    ----------
    paths
        The outputs; None is none.
    force
        Whether files that exist may be written over.
    read
        All that is read, data and other files, which not even force writes over.
    engine
        What reads it, if the user chose it.
    plot
        The output that is to be a picture.
    """
    from singleout.engines.inputs import Inputs

    inputs = Inputs(read, spark=engine == "spark")
    taken: list[Path] = []
    for path in filter(None, [*paths, plot]):
        target = target_of(path)
        if inputs.hold(target):
            raise BadChoice(
                f"{str(path)!r} is the data itself, or another file that is read here; choose "
                "another name."
            )
        if inputs.would_hold(target):
            raise BadChoice(
                f"{str(path)!r} would be a part of the data the next time it is read; choose "
                "another name or folder."
            )
        if target.file in taken:
            raise BadChoice(f"{str(path)!r} is asked for twice; choose another name.")
        free_target(path, force=force)
        taken += [] if target.is_stream else [target.file]
    check_chart(plot)
