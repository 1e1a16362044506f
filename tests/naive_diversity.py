"""Diversity written straight from the papers, one class and one value at a time, in fractions.

Machanavajjhala et al. (2007), Wong et al. (2006), Li et al. (2007), Cao and Karras (2012),
Brickell and Shmatikov (2008).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

Row = tuple[Hashable, Any]  # what is known of a record, and its sensitive value


def classes(rows: Sequence[Row]) -> dict[Hashable, list[Any]]:
    """Return the sensitive values of the records of each class."""
    held: dict[Hashable, list[Any]] = defaultdict(list)
    for known, value in rows:
        held[known].append(value)
    return dict(held)


def shares(values: Sequence[Any]) -> dict[Any, Fraction]:
    return {value: Fraction(n, len(values)) for value, n in Counter(values).items()}


def entropy_l(values: Sequence[Any]) -> float:
    return math.exp(-sum(float(q) * math.log(q) for q in shares(values).values()))


def is_recursive(values: Sequence[Any], c: Fraction, l: int) -> bool:  # noqa: E741
    """Whether r1 < c (r_l + r_l+1 + … + r_m), Definition 4.3."""
    r = sorted(Counter(values).values(), reverse=True)
    return r[0] < c * sum(r[l - 1 :])


def recursive_l(values: Sequence[Any], c: Fraction) -> int:
    held = [l for l in range(1, len(values) + 1) if is_recursive(values, c, l)]  # noqa: E741
    return max(held, default=0)


def recursive_c(values: Sequence[Any], l: int) -> Fraction | None:  # noqa: E741
    """Return the bound that c has to exceed; None if no c does."""
    r = sorted(Counter(values).values(), reverse=True)
    rest = sum(r[l - 1 :])
    return Fraction(r[0], rest) if rest else None


def alpha(values: Sequence[Any]) -> Fraction:
    return max(shares(values).values())


def nominal_t(values: Sequence[Any], table: Sequence[Any]) -> Fraction:
    q, p = shares(values), shares(table)
    return sum((abs(q.get(v, Fraction(0)) - p[v]) for v in p), Fraction(0)) / 2


def ordered_t(values: Sequence[Any], table: Sequence[Any]) -> Fraction:
    """Return 1 / (m - 1) of the sum of |r1|, |r1 + r2| and so on, section 5.1 of Li et al."""
    q, p = shares(values), shares(table)
    if len(p) == 1:
        return Fraction(0)
    total, carried = Fraction(0), Fraction(0)
    for value in sorted(p):
        carried += q.get(value, Fraction(0)) - p[value]
        total += abs(carried)
    return total / (len(p) - 1)


def transported(values: Sequence[Any], table: Sequence[Any], *, ordered: bool) -> float:
    """Return the earth mover's distance as what it is defined to be: the cheapest transport."""
    q, p = shares(values), shares(table)
    names = sorted(p)
    m = len(names)
    if m == 1:
        return 0.0
    cost = [abs(i - j) / (m - 1) if ordered else float(i != j) for i in range(m) for j in range(m)]
    leaving = np.kron(np.eye(m), np.ones(m))
    arriving = np.kron(np.ones(m), np.eye(m))
    amounts = [*(float(q.get(v, 0)) for v in names), *(float(p[v]) for v in names)]
    found = linprog(cost, A_eq=np.vstack([leaving, arriving]), b_eq=amounts)
    assert found.success
    return float(found.fun)


def beta(values: Sequence[Any], table: Sequence[Any]) -> Fraction:
    q, p = shares(values), shares(table)
    return max((q[v] - p[v]) / p[v] if q[v] > p[v] else Fraction(0) for v in q)


def is_enhanced(values: Sequence[Any], table: Sequence[Any], bound: float) -> bool:
    """Whether (q - p) / p <= min(beta, -ln p) wherever q > p, Definition 3."""
    q, p = shares(values), shares(table)
    return all((q[v] - p[v]) / p[v] <= min(bound, -math.log(p[v])) for v in q if q[v] > p[v])


def enhanced_beta(values: Sequence[Any], table: Sequence[Any]) -> float:
    """Return the smallest beta for which a class satisfies it; infinite if none does."""
    q, p = shares(values), shares(table)
    candidates = {0.0, *(float((q[v] - p[v]) / p[v]) for v in q if q[v] > p[v])}
    # a hair more than the quotient, which may have been rounded down
    fit = [b for b in sorted(candidates) if is_enhanced(values, table, math.nextafter(b, 9e99))]
    return fit[0] if fit else math.inf


def delta(values: Sequence[Any], table: Sequence[Any]) -> float:
    q, p = shares(values), shares(table)
    return max(abs(math.log(q[v] / p[v])) if v in q else math.inf for v in p)
