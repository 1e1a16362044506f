"""Is there room? Work that cannot fit into memory says so before it starts."""

from __future__ import annotations

import os
from pathlib import Path

from singleout.core.memory_limits import within_cgroups, within_rlimits
from singleout.errors import UnusableTable

__all__ = ["available_memory", "in_words", "require_memory"]

_ROOT = Path("/")


def available_memory(root: Path = _ROOT) -> int | None:
    """Return how many bytes can be allocated without swapping; None if the system does not say.

    What is free on the machine, or what the limits of this process leave if that is less: those of
    its control groups, as in a container, and ``ulimit``.
    """
    free = _free(root)
    amounts = [*([] if free is None else [free]), *within_cgroups(root), *within_rlimits(root)]
    return max(0, min(amounts)) if amounts else None


def _free(root: Path) -> int | None:
    """Return the free memory; all memory of the machine, an upper bound, if it is not known."""
    try:
        for line in (root / "proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def require_memory(
    bytes_needed: int,
    what: str,
    advice: str = "give fewer columns or fewer records",
    allowed: int | None = None,
) -> None:
    """Refuse work whose peak needs more memory than there is.

    ``what`` is the subject of the sentence, as ``Counting 1,140 combinations of 3 columns``, and
    ``advice`` says what needs less. ``allowed`` is how many bytes a user lets it have.
    """
    if allowed is not None and bytes_needed > allowed:
        raise UnusableTable(
            f"{what} needs about {in_words(bytes_needed)} of memory, and {in_words(allowed)} may "
            f"be used; allow more memory, or {advice}."
        )
    available = available_memory()
    if available is not None and bytes_needed > available:
        raise UnusableTable(
            f"{what} needs about {in_words(bytes_needed)} of memory, and {in_words(available)} "
            f"are available; {advice}."
        )


def in_words(size: int) -> str:
    """Return a number of bytes as people read it.

    >>> in_words(3_400_000_000)
    '3.4 GB'
    """
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:,.1f} TB"
