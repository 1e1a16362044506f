"""What this process may still take within the limits set for it: control groups and rlimits.

A container or a job of a cluster may have far less than the machine. Control groups are nested, and
each limits all below it, in both versions that Linux has (``cgroup`` and ``cgroup2``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple

__all__ = ["within_cgroups", "within_rlimits"]

_NO_LIMIT = 1 << 62  # the first version has such a number where the second says max

# Addresses that threads reserve without using them; they count towards a limit on addresses.
_RESERVED = 1 << 30


class _Files(NamedTuple):
    """What the files of a version are called, and which of their statistics can be given back."""

    limits: tuple[str, ...]
    usage: str
    reclaimable: tuple[str, ...]


# The memory of a group includes files in the page cache, which are dropped when memory is short.
_FILES = {
    "cgroup2": _Files(
        ("memory.max", "memory.high"),
        "memory.current",
        ("inactive_file", "active_file", "slab_reclaimable"),
    ),
    "cgroup": _Files(
        ("memory.limit_in_bytes",),
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
}


# ---- control groups


def within_cgroups(root: Path) -> list[int]:
    """Return how many bytes are left in each control group of this process that has a limit.

    Parameters
    ----------
    root
        The root of the file system.
    """
    return [left for folder, files in _groups(root) if (left := _left(folder, files)) is not None]


@cache
def _groups(root: Path) -> list[tuple[Path, _Files]]:
    """Return the folders of the groups that this process is in; it stays in them."""
    return list(_found_groups(root))


def _found_groups(root: Path) -> Iterator[tuple[Path, _Files]]:
    own = dict(_own_groups(root))
    for kind, mounted_at, shown in _mounts(root):
        # a container may see its own group as the root of all
        path = PurePosixPath(own.get(kind, "/"))
        inside = path.relative_to(shown) if path.is_relative_to(shown) else PurePosixPath()
        steps = [part for part in inside.parts if part != ".."]
        top = root.joinpath(*PurePosixPath(mounted_at).parts[1:])
        for depth in range(len(steps), -1, -1):
            yield top.joinpath(*steps[:depth]), _FILES[kind]


def _own_groups(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the version and the path of the groups that this process is in."""
    for line in _lines(root / "proc/self/cgroup"):
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            yield "cgroup2", path
        elif "memory" in controllers.split(","):
            yield "cgroup", path


def _mounts(root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the version of mounted trees of groups, where they are, and what their root shows."""
    for line in _lines(root / "proc/self/mountinfo"):
        mount, _, system = line.partition(" - ")
        place, kinds = mount.split(" "), system.split(" ")
        if len(place) < 5 or len(kinds) < 3:
            continue
        shown, mounted_at = place[3], place[4]
        kind, options = kinds[0], kinds[2].split(",")
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options):
            yield kind, mounted_at, shown


def _left(folder: Path, files: _Files) -> int | None:
    """Return what is left of the limit of a group; None if it has none."""
    given = [_number(folder / name) for name in files.limits]
    limits = [limit for limit in given if limit is not None and limit < _NO_LIMIT]
    used = _number(folder / files.usage) if limits else None
    if used is None:
        return None
    statistics = dict(line.partition(" ")[::2] for line in _lines(folder / "memory.stat"))
    idle = sum(int(statistics.get(name, 0)) for name in files.reclaimable)
    return min(limits) - max(0, used - idle)


def _number(file: Path) -> int | None:
    """Return the number in a file; None if there is none, or the word ``max``."""
    text = "".join(_lines(file)).strip()
    return int(text) if text.isdecimal() else None


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


# ---- rlimits


def within_rlimits(root: Path) -> list[int]:
    """Return how many bytes are left of the limits on addresses and on data (``ulimit -v, -d``)."""
    try:
        import resource
    except ImportError:  # Windows has none
        return []
    sizes = " ".join(_lines(root / "proc/self/statm")).split()
    pages = [int(size) for size in sizes] if len(sizes) > 5 else [0] * 6
    page = resource.getpagesize()
    used = {
        resource.RLIMIT_AS: pages[0] * page + _RESERVED,
        resource.RLIMIT_DATA: pages[5] * page,
    }
    limits = {kind: resource.getrlimit(kind)[0] for kind in used}
    return [limit - used[kind] for kind, limit in limits.items() if limit != resource.RLIM_INFINITY]
