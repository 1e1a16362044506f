"""How far the values of a class differ from those of the table: t, beta and delta of each class.

q is the share of a value in a class and p its share in the table. t-closeness: Li, Li,
Venkatasubramanian (2007). beta-likeness: Cao and Karras (2012). delta-disclosure: Brickell and
Shmatikov (2008).
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.methods.diversity.pairs import Pairs
from singleout.methods.diversity.scales import Scale

__all__ = ["betas", "closeness", "deltas", "enhanced_betas", "occurring_deltas"]


def closeness(pairs: Pairs, scale: Scale) -> F64:
    """Return the earth mover's distance of each class from the table: the t of t-closeness."""
    return _ordered(pairs) if scale == Scale.ORDINAL else _nominal(pairs)


def _nominal(pairs: Pairs) -> F64:
    """Return the total variation, which is the distance where any two values differ by 1.

    Half of sum |q - p| is the sum of q - p over the values that are more frequent in the class, so
    values that do not occur in it need no look. The sums are of whole numbers, n N (q - p) for n
    records of the class and N of the table, so that a class on a bound is on it exactly.
    """
    sizes, records = _numbers(pairs, 1)
    expected = sizes[pairs.classes] * pairs.of_value[pairs.values]
    above = np.maximum(pairs.sizes * records - expected, 0)
    return np.asarray(np.add.reduceat(above, pairs.starts) / (sizes * records), dtype=np.float64)


def _ordered(pairs: Pairs) -> F64:
    """Return the distance where values differ by their ranks: sum |Q - P| / (m - 1).

    Q and P are the cumulative shares in the class and in the table. Q is constant from a value of
    the class to its next one, and P only grows, so that |Q - P| over such a run is two differences
    of sums of P: before and after P passes Q. These sums, too, are of whole numbers: n N |Q - P|.
    """
    steps = len(pairs.of_value) - 1
    if steps < 1:
        return np.zeros(len(pairs.starts))
    sizes, records = _numbers(pairs, steps)
    held = np.cumsum(pairs.of_value)[:-1]  # after the last value both shares are 1
    sums = np.append(0, np.cumsum(held))
    counts = np.cumsum(pairs.sizes)
    before = counts - pairs.sizes
    within = (counts - before[pairs.starts][pairs.classes]) * records  # n N Q
    of_class = sizes[pairs.classes]
    begin = np.minimum(pairs.values, steps)
    end = np.append(begin[1:], steps)
    end[pairs.starts[1:] - 1] = steps  # the last run of a class ends with the values
    passed = np.clip(np.searchsorted(held, within / of_class), begin, end)
    runs = within * (2 * passed - begin - end)
    runs -= of_class * (2 * sums[passed] - sums[begin] - sums[end])
    # before its first value Q is 0
    moved = np.add.reduceat(runs, pairs.starts) + sizes * sums[begin[pairs.starts]]
    return np.asarray(moved / (sizes * records * steps), dtype=np.float64)


def _numbers(pairs: Pairs, steps: int) -> tuple[I64 | F64, int | float]:
    """Return the sizes of the classes and of the table, as floats if their products overflow."""
    records = int(pairs.of_value.sum())
    if records * records * steps < 1 << 62:
        return pairs.class_sizes, records
    return pairs.class_sizes.astype(np.float64), float(records)


def betas(pairs: Pairs) -> F64:
    """Return the largest (q - p) / p of each class: the smallest beta of basic beta-likeness."""
    return np.maximum.reduceat(_gains(pairs), pairs.starts)


def enhanced_betas(pairs: Pairs) -> F64:
    """Return the smallest beta for which each class satisfies enhanced beta-likeness.

    It asks for (q - p) / p <= min(beta, -ln p) of every value that is more frequent in the class
    than in the table. The second bound does not depend on beta: where it is broken no beta will
    do, and the answer is infinite; otherwise it is that of basic beta-likeness.
    """
    gains = _gains(pairs)
    # p = 1 leaves nothing to gain
    broken = (gains > 0) & (gains > -np.log(pairs.priors[pairs.values]))
    return np.maximum.reduceat(np.where(broken, np.inf, gains), pairs.starts)


def _gains(pairs: Pairs) -> F64:
    """Return (q - p) / p of each pair, 0 where q is not above p."""
    # q / p is a quotient of whole numbers, and exactly 1 where the shares are the same
    sizes = pairs.class_sizes[pairs.classes].astype(np.float64) * pairs.of_value[pairs.values]
    ratios = pairs.sizes * float(pairs.of_value.sum()) / sizes
    return np.maximum(ratios - 1.0, 0.0)


def deltas(pairs: Pairs) -> F64:
    """Return the largest |ln(q / p)| of each class, over all values of the table.

    Infinite where a class lacks a value: then q is 0, and it is certain that nobody in it has it.
    """
    found = occurring_deltas(pairs)
    return np.where(pairs.distinct < len(pairs.of_value), np.inf, found)


def occurring_deltas(pairs: Pairs) -> F64:
    """Return the same over the values that occur in the class."""
    apart = np.abs(np.log(pairs.shares / pairs.priors[pairs.values]))
    return np.maximum.reduceat(apart, pairs.starts)
