"""What this process may still take within the limits set for it: control groups and rlimits.

A container or a job of a cluster may have far less than the machine. Control groups are nested, and
each limits all below it, in both versions that Linux has (``cgroup`` and ``cgroup2``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from time import monotonic
from typing import NamedTuple

__all__ = ["within_cgroups", "within_rlimits"]

_NO_LIMIT = 1 << 62  # the first version has such a number where the second says max
_FRESH = 1.0  # seconds for which limits are taken as read; what is used is read every time

# Addresses that threads reserve without using them; they count towards a limit on addresses.
_RESERVED = 1 << 30


class _Files(NamedTuple):
    """The file names of a version, and the statistics that count memory it can give back."""

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
    """Return how many bytes are left in each control group of this process that has a limit."""
    return [
        limit - used
        for folder, files, limit in _limited_groups(root, int(monotonic() / _FRESH))
        if (used := _used(folder, files)) is not None
    ]


@lru_cache(maxsize=8)
def _limited_groups(root: Path, period: int) -> list[tuple[Path, _Files, int]]:  # noqa: ARG001
    """Return the groups with a limit, and their limits; read anew in each period of time."""
    limited = []
    for folder, files in _groups(root):
        limits = [_number(folder / name) for name in files.limits]
        known = [limit for limit in limits if limit is not None and limit < _NO_LIMIT]
        if known:
            limited.append((folder, files, min(known)))
    return limited


@cache
def _groups(root: Path) -> list[tuple[Path, _Files]]:
    """Return the folders of the groups that this process is in, which it does not leave."""
    return list(_walk_groups(root))


def _walk_groups(root: Path) -> Iterator[tuple[Path, _Files]]:
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
    """Yield the version of each mounted tree of groups, its mount point, and the root it shows."""
    for line in _lines(root / "proc/self/mountinfo"):
        mount, _, system = line.partition(" - ")
        mount_fields, system_fields = mount.split(" "), system.split(" ")
        if len(mount_fields) < 5 or len(system_fields) < 3:
            continue
        shown, mounted_at = mount_fields[3], mount_fields[4]
        kind, options = system_fields[0], system_fields[2].split(",")
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options):
            yield kind, mounted_at, shown


def _used(folder: Path, files: _Files) -> int | None:
    """Return the bytes of a group that cannot be reclaimed; None if the system does not say."""
    used = _number(folder / files.usage)
    if used is None:
        return None
    statistics = dict(line.partition(" ")[::2] for line in _lines(folder / "memory.stat"))
    idle = sum(int(statistics.get(name, 0)) for name in files.reclaimable)
    return max(0, used - idle)


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
    addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
    data = resource.getrlimit(resource.RLIMIT_DATA)[0]
    if addresses == data == resource.RLIM_INFINITY:
        return []
    sizes = " ".join(_lines(root / "proc/self/statm")).split()
    pages = [int(size) for size in sizes] if len(sizes) > 5 else [0] * 6
    page = resource.getpagesize()
    limits = [(addresses, pages[0] * page + _RESERVED), (data, pages[5] * page)]
    return [limit - used for limit, used in limits if limit != resource.RLIM_INFINITY]
