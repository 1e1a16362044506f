"""How wrong estimates of population uniqueness are, on populations that are known.

``python scripts/population_estimators.py DATA [SAMPLES] [held-out]`` draws samples from real and
generated populations, estimates, and prints for each estimator the mean ratio of estimate to truth
and how many intervals hold the truth, as the tables of ``docs/methods/population.md``. DATA is the
folder with the real tables. The rule for the estimate to believe was chosen on `populations`;
those of `held_out` had no part in it, and tell how good it is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from singleout.core.arrays import I64
from singleout.core.counts import SizeProfile
from singleout.methods.population.estimators import ESTIMATORS
from singleout.methods.population.forest import Cells
from singleout.methods.population.measure import estimate

FRACTIONS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)
CENSUS = ["AAGE", "ASEX", "ARACE", "AMARITL", "AHGA", "ACLSWKR", "AMJOCC", "PENATVTY", "AREORGN"]
SCOTLAND = [
    "Family_Composition",
    "sex",
    "age",
    "Marital_Status",
    "Country_Of_Birth",
    "health",
    "Ethnic_Group",
    "religion",
    "Economic_Activity",
    "Occupation",
    "industry",
]


def counted(frame: pl.DataFrame, columns: list[str]) -> Cells:
    """Return the value combinations of a population and how many people share each."""
    groups = frame.group_by(columns, maintain_order=True).agg(people=pl.len())
    return encoded(groups, columns)


def encoded(groups: pl.DataFrame, columns: list[str]) -> Cells:
    codes = [
        groups[name].rank("dense").fill_null(0).to_numpy().astype(np.int32) for name in columns
    ]
    codes = [code - code.min() for code in codes]
    levels = tuple(int(code.max()) + 1 for code in codes)
    return Cells(tuple(codes), levels, groups["people"].to_numpy().astype(np.float64))


def spread(people: I64, parts: int, rng: np.random.Generator) -> I64:
    """Return the people of each cell by month of birth and sex, where a table does not tell."""
    return rng.multinomial(people, np.full(parts, 1 / parts)).ravel()


def pitman_classes(people: int, alpha: float, theta: float, rng: np.random.Generator) -> I64:
    """Draw a population of Pitman's model, one person after the other."""
    of_person = np.zeros(people, dtype=np.int64)
    sizes: list[int] = []
    chance = rng.random((people, 2))
    for person in range(people):
        if chance[person, 0] * (theta + person) < theta + alpha * len(sizes):
            of_person[person] = len(sizes)
            sizes.append(1)
            continue
        while True:  # a class by its people, less alpha
            found = of_person[int(rng.random() * person)]
            if rng.random() * sizes[found] < sizes[found] - alpha:
                break
        of_person[person] = found
        sizes[found] += 1
    return np.array(sizes)


def populations(data: Path, rng: np.random.Generator) -> Iterator[tuple[str, Cells]]:
    """Yield the populations by name."""
    census = pl.read_csv(data / "census_income_kdd_299285.csv.gz", infer_schema_length=0)
    yield "US census income, 9 columns", counted(census, CENSUS)
    scotland = pl.read_csv(data / "scotland_census_2011_1pct.csv", infer_schema_length=0)
    yield "Scotland 2011, 11 columns", counted(scotland, SCOTLAND)
    yield (
        "Scotland 2011, 6 columns",
        counted(scotland, SCOTLAND[1:4] + SCOTLAND[5:6] + SCOTLAND[8:10]),
    )
    adult = pl.read_csv(data / "adult.csv", separator=";", infer_schema_length=0)
    yield "Adult, 9 columns", counted(adult, adult.columns)
    silc = pl.read_csv(data / "eusilcS.csv", infer_schema_length=0)
    weights = silc["rb050"].cast(pl.Float64).to_numpy()
    drawn = silc[rng.choice(silc.height, 90_000, p=weights / weights.sum())]
    age = drawn["age"].cast(pl.Int64, strict=False) + rng.integers(-2, 3, drawn.height)
    drawn = drawn.with_columns(age=age)
    yield (
        "EU-SILC, enlarged, 6 columns",
        counted(drawn, ["age", "db040", "hsize", "rb090", "pl030", "pb220a"]),
    )
    dutch = pl.read_csv(data / "nl_pc4_age5_sex_2021.csv.gz").filter(pl.col.provincie == "Utrecht")
    yield (
        "Utrecht: postcode, sex, month of birth",
        by_month(dutch, ["postcode", "leeftijd"], ["inwoners_man", "inwoners_vrouw"], 60, rng),
    )
    belgian = pl.read_csv(data / "be_municipality_age.csv").head(12_000)
    yield (
        "Belgium: municipality, sex, month of birth",
        by_month(belgian, ["NIS", "age"], ["number"], 24, rng),
    )
    for name, sizes in (
        ("Poisson-gamma, shape 0.1", rng.poisson(rng.gamma(0.1, 5.0, 2_000_000))),
        ("Poisson-gamma, shape 0.3", rng.poisson(rng.gamma(0.3, 5 / 0.3, 200_000))),
        ("Pitman, alpha 0.5", pitman_classes(200_000, 0.5, 500.0, rng)),
        ("Pitman, alpha 0.8", pitman_classes(200_000, 0.8, 2000.0, rng)),
    ):
        yield name, Cells((), (), sizes[sizes > 0].astype(np.float64))


def held_out(data: Path, _: np.random.Generator) -> Iterator[tuple[str, Cells]]:
    """Yield populations that the rule was not chosen on."""
    nltcs = pl.read_csv(data / "nltcs.csv", infer_schema_length=0)
    yield "Disability survey (NLTCS), 16 columns", counted(nltcs, nltcs.columns)
    census = pl.read_csv(data / "census_income_kdd_299285.csv.gz", infer_schema_length=0)
    others = ["AAGE", "ASEX", "AHGA", "ADTOCC", "HHDFMX", "PRCITSHP", "GRINST"]
    yield "US census income, 7 other columns", counted(census, others)
    survey = pl.read_csv(data / "sdcmicro_testdata.csv", infer_schema_length=0)
    keys = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age"]
    yield "Household survey of sdcMicro, 8 columns", counted(survey, keys)


def by_month(
    table: pl.DataFrame,
    columns: list[str],
    people: list[str],
    months: int,
    rng: np.random.Generator,
) -> Cells:
    parts = []
    for sex, name in enumerate(people):
        long = table.select(columns).with_columns(sex=pl.lit(sex), at=pl.lit(list(range(months))))
        long = long.explode("at").with_columns(people=spread(table[name].to_numpy(), months, rng))
        parts.append(long)
    return encoded(pl.concat(parts).filter(pl.col.people > 0), [*columns, "sex", "at"])


def measured(people: Cells, fraction: float, samples: int, rng: np.random.Generator) -> str:
    """Return the row of one population and fraction."""
    total, truth = people.records, float((people.sizes == 1).sum())
    names = [*ESTIMATORS, "best"]
    ratios: dict[str, list[float]] = {name: [] for name in names}
    held: dict[str, list[bool]] = {name: [] for name in names}
    for _ in range(samples):
        counts = rng.binomial(people.sizes.astype(np.int64), fraction)
        seen = counts > 0
        cells = Cells(
            tuple(c[seen] for c in people.codes), people.levels, counts[seen].astype(np.float64)
        )
        answer = estimate(
            SizeProfile.of(counts[seen]), total, cells if people.codes else None, ESTIMATORS, rng
        )
        every = dict(answer.estimates)
        if answer.best is not None:
            every["best"] = every[answer.best]
        for name, one in every.items():
            if one.share is not None:
                ratios[name].append(one.share * total / truth)
                low, high = one.low or 0.0, -1.0 if one.high is None else one.high
                held[name].append(low <= truth / total <= high)
    texts = []
    for name in names:
        if len(ratios[name]) < max(1, samples / 2):
            texts.append("–")
        else:
            texts.append(
                f"{np.exp(np.mean(np.log(ratios[name]))):.2f} ({sum(held[name])}/{len(held[name])})"
            )
    return " | ".join([f"{fraction:g}", *texts])


def main(folder: str, samples: str = "4", which: str = "") -> None:
    rng = np.random.default_rng(2008)
    print("| population (unique) | fraction |", " | ".join([*ESTIMATORS, "best"]), "|")
    print("|---" * (len(ESTIMATORS) + 3) + "|")
    chosen = held_out if which else populations
    for name, people in chosen(Path(folder), rng):
        unique = float((people.sizes == 1).sum()) / people.records
        for fraction in FRACTIONS:
            if people.records * fraction < 200 or people.records * fraction > 600_000:
                continue
            start = time.perf_counter()
            row = measured(people, fraction, int(samples), rng)
            print(f"| {name} ({unique:.2%}) | {row} |", flush=True)
            print(f"{time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
