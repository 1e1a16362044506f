"""Mdav from its description: Domingo-Ferrer and Torra (2005), algorithm 5.1."""

from collections.abc import Sequence

Point = Sequence[float]


def mdav(points: Sequence[Point], k: int) -> list[int]:
    """Return the group of each record; of records at the same distance the first counts."""
    left = list(range(len(points)))
    found: list[list[int]] = []
    while len(left) >= 3 * k:
        r = farthest(points, left, centroid(points, left))
        s = farthest(points, left, points[r])
        found.append(taken(points, left, r, k))
        found.append(taken(points, left, s, k))
    if len(left) >= 2 * k:
        found.append(taken(points, left, farthest(points, left, centroid(points, left)), k))
    found.append(left)
    group_of = {r: number for number, members in enumerate(found) for r in members}
    return [group_of[r] for r in range(len(points))]


def distance(one: Point, other: Point) -> float:
    total = 0.0
    for a, b in zip(one, other, strict=True):
        total += (a - b) * (a - b)
    return total


def centroid(points: Sequence[Point], left: list[int]) -> list[float]:
    sums = [0.0] * len(points[0])
    for r in left:
        sums = [total + x for total, x in zip(sums, points[r], strict=True)]
    return [total / len(left) for total in sums]


def farthest(points: Sequence[Point], left: list[int], point: Point) -> int:
    return max(left, key=lambda r: (distance(points[r], point), -r))


def taken(points: Sequence[Point], left: list[int], around: int, k: int) -> list[int]:
    """Take the k records nearest to one out of those that are left."""
    nearest = sorted(left, key=lambda r: (distance(points[r], points[around]), r))[:k]
    for r in nearest:
        left.remove(r)
    return nearest
