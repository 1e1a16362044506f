"""What an attacker learns about one person from a record of a repository, without and with a gate.

She knows everybody else. An exact record, and one that is only rounded (as first designed: D3), is
a fixed function of the data: she is certain wherever two worlds give different records. Against the
gate she weighs the worlds by the exact probability of what she sees.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl

from bench import data
from bench.case import Contender, Prepared, case
from singleout.core.counts import SizeProfile
from singleout.repository.gate.attacker import success
from singleout.repository.gate.gate import Released, largest_chance, release
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.tiers import TIERS

KEY = bytes(range(32))
CLASSES = {"1-3k": (1_000, 3_000), "10-100k": (10_000, 100_000), "> 100k": (100_000, 10**9)}
SEED = 20_261_118
Cells = list[int]
Worlds = list[Cells]


# ---- the tables: Belgian municipalities by age, Dutch ones by postcode, age and sex


@cache
def tables() -> dict[str, list[tuple[Cells, int]]]:
    """Return the cells of municipalities and how many are possible, by their number of people."""
    belgian = pl.read_csv(data.shared("data/be_municipality_age.csv"))
    ages = belgian["age"].n_unique()
    found = [
        (part["number"].to_list(), ages)
        for part in belgian.filter(pl.col("number") > 0).partition_by("NIS")
    ]
    dutch = pl.read_csv(data.shared("data/nl_pc4_age5_sex_2021.csv.gz"))
    bands = dutch["leeftijd"].n_unique()
    for part in dutch.partition_by("gemeente"):
        cells = [*part["inwoners_man"].to_list(), *part["inwoners_vrouw"].to_list()]
        found.append(
            ([int(c) for c in cells if c and c > 0], part["postcode"].n_unique() * bands * 2)
        )
    by_class: dict[str, list[tuple[Cells, int]]] = {name: [] for name in CLASSES}
    for cells, possible in found:
        people = sum(cells)
        for name, (least, most) in CLASSES.items():
            if least <= people < most and len(cells) + 2 <= possible:
                by_class[name].append((cells, possible))
    return by_class


def chosen(name: str, many: int) -> list[tuple[Cells, int]]:
    every = tables()[name]
    order = np.random.default_rng(SEED).permutation(len(every))[:many]
    return [every[index] for index in order]


# ---- the questions: worlds that differ in one person


def alone_or_typical(cells: Cells) -> Worlds:
    return [[*cells, 1], with_one_more(cells, typical(cells))]


def alone_pair_or_more(cells: Cells) -> Worlds:
    return [
        [*cells, 1],
        with_one_more([*cells, 1], len(cells)),
        with_one_more(cells, typical(cells)),
    ]


def member_or_not(cells: Cells) -> Worlds:
    return [[*cells, 1], list(cells)]


def typical(cells: Cells) -> int:
    """Return the cell of the median person."""
    order = sorted(range(len(cells)), key=cells.__getitem__)
    below = np.cumsum([cells[index] for index in order])
    return order[int(np.searchsorted(below, below[-1] / 2))]


def with_one_more(cells: Cells, index: int) -> Cells:
    return [c + (i == index) for i, c in enumerate(cells)]


# ---- records without a gate


def numbers(cells: Sequence[int]) -> CellNumbers:
    return CellNumbers.of(SizeProfile.of(np.array(cells)))


def exact(found: CellNumbers, possible: int) -> tuple[float, ...]:
    sums = (round(found.power_sum(order), 15) for order in (2, 3))
    return (found.people, found.support, round(found.kappa(possible), 12), *sums)


def rounded(found: CellNumbers, possible: int, *, support: bool) -> tuple[float, ...]:
    """Return the record of D3: fewer digits, and no noise."""
    sums = (_digits(found.power_sum(order), 3) for order in (2, 3, 4, 5))
    largest = _digits(found.largest / found.people, 1)
    several = (found.support,) if support else ()
    people = _digits(found.people, 2)
    return (people, round(found.kappa(possible), 2), largest, *sums, *several)


def _digits(value: float, digits: int) -> float:
    return 0.0 if value == 0 else round(value, digits - 1 - math.floor(math.log10(abs(value))))


# ---- how often she is right


Attack = Callable[[Worlds, int], float]


def by_a_fixed_record(record: Callable[[CellNumbers, int], Any], worlds: Worlds, n: int) -> float:
    different = {record(numbers(world), n) for world in worlds}
    return len(different) / len(worlds)  # each record points to one of the worlds that give it


def by_the_gate(tier: str, draws: int, worlds: Worlds, possible: int) -> float:
    rng = np.random.default_rng(SEED)
    pair = tuple(map(numbers, worlds))
    return success([pair], possible, TIERS[tier], rng, draws=draws).chance


def attacks(draws: int) -> dict[str, Attack]:
    return {
        "exact": partial(by_a_fixed_record, exact),
        "rounded (D3)": partial(by_a_fixed_record, partial(rounded, support=True)),
        "D3 without M": partial(by_a_fixed_record, partial(rounded, support=False)),
        "public": partial(by_the_gate, "public", draws),
        "registered": partial(by_the_gate, "registered", draws),
    }


QUESTIONS: list[tuple[str, Callable[[Cells], Worlds], str]] = [
    ("alone or typical (50)", alone_or_typical, "1-3k"),
    ("alone or typical (50)", alone_or_typical, "10-100k"),
    ("alone or typical (50)", alone_or_typical, "> 100k"),
    ("cell of 1, 2 or more (33)", alone_pair_or_more, "1-3k"),
    ("is the outlier a member (50)", member_or_not, "1-3k"),
]


def learned(quick: bool) -> str:
    """Return the table of what she learns, in Markdown."""
    many, draws = (4, 40) if quick else (25, 150)
    methods = attacks(draws)
    lines = [
        "How often an attacker who knows everybody else is right, in percent (by chance: in "
        f"brackets), over up to {many} municipalities of each size. The gate's bound is "
        f"{100 * largest_chance(0.25):.1f} (public) and {100 * largest_chance(0.5):.1f} "
        "(registered) for questions of two answers.",
        "",
        "| question | people | " + " | ".join(methods) + " |",
        "|---|---|" + "--:|" * len(methods),
    ]
    for name, worlds_of, size in QUESTIONS:
        chances = [
            np.mean([attack(worlds_of(cells), n + 1) for cells, n in chosen(size, many)])
            for attack in methods.values()
        ]
        row = " | ".join(f"{100 * chance:.1f}" for chance in chances)
        lines.append(f"| {name} | {size} | {row} |")
    return "\n".join([*lines, "", *pinned(quick)])


# ---- reconstruction


def partitions(people: int, cells: int, most: int) -> Iterator[tuple[int, ...]]:
    if people == 0:
        yield ()
    elif cells:
        for first in range(min(people, most), 0, -1):
            for rest in partitions(people - first, cells - 1, first):
                yield (first, *rest)


def pinned(quick: bool) -> list[str]:
    """Return how often a record leaves only one table that it can come from."""
    lines = [
        "Small tables whose multiset of cells one record reveals, in percent:",
        "",
        "| people, cells | exact kappa | rounded (D3) | public | registered |",
        "|---|--:|--:|--:|--:|",
    ]
    for people, cells in ((10, 5), (20, 10), *(() if quick else ((40, 12),))):
        every = [numbers(table) for table in partitions(people, cells, people)]
        kappa = _only_ones([round(one.kappa(cells), 12) for one in every])
        digits = _only_ones([rounded(one, cells, support=True) for one in every])
        gated = [_released(one, cells, tier) for tier in TIERS for one in every]
        shares = [
            kappa,
            digits,
            *(_only_ones(part) for part in (gated[: len(every)], gated[len(every) :])),
        ]
        lines.append(
            f"| {people}, {cells} | " + " | ".join(f"{100 * s:.0f}" for s in shares) + " |"
        )
    return lines


def _released(found: CellNumbers, cells: int, tier: str) -> Any:
    sizes, sets = zip(*found.cells_by_size, strict=True)
    profile = SizeProfile(np.array(sizes), np.array(sets))
    record = release(profile, cells, tier=tier, key=KEY)
    return str(record) if isinstance(record, Released) else "refused"


def _only_ones(records: Sequence[Any]) -> float:
    seen: dict[Any, int] = defaultdict(int)
    for record in records:
        seen[record] += 1
    return sum(times for times in seen.values() if times == 1) / len(records)


# ---- the case


@case("repository-gate/attackers", "The gate on municipalities, and what an attacker learns.")
def attackers(quick: bool) -> Prepared:
    some = [
        (SizeProfile.of(np.array(cells)), possible)
        for name in CLASSES
        for cells, possible in chosen(name, 4 if quick else 20)
    ]

    def gate(tier: str) -> list[Any]:
        return [release(profile, n, tier=tier, key=KEY) for profile, n in some]

    def without() -> list[Any]:
        return [exact(CellNumbers.of(profile), n) for profile, n in some]

    contenders = [
        Contender("singleout, public", partial(gate, "public"), True),
        Contender("singleout, registered", partial(gate, "registered"), True),
        Contender("exact numbers without a gate", without, True),
    ]
    people = sum(profile.records for profile, _ in some)
    return Prepared(
        (people, len(some)),
        contenders,
        len,
        lambda _one, _other: "",
        findings=partial(learned, quick),
    )
