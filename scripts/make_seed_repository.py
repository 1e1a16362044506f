"""Write the records that come with the package: src/singleout/repository/client/seed.json.

They are made from public tables in a folder beside the checkout (../shared/data):

- inhabitants of the Netherlands by PC4, age in bands of five years, and sex, 2021 (CC BY 4.0);
- inhabitants of Belgian municipalities by year of age (open data);
- the Dutch population by year of age and sex, 2010 and 2024 (CC BY 4.0);

and from distances that Koot (2012) prints, which become legacy records. The same tables give the
same file. The key whose noise the records have is in the package: the tables are public, so there
is nothing to hide.

``--all FILE`` writes one with the records of every municipality.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl

from singleout.errors import NotPublishable
from singleout.repository.client.seed import SEED_KEY, seed_file
from singleout.repository.documents.canonical import plain_document
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.publishing.publishable import publishable

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
OLDEST = 99  # stands for all who are older

CBS = "Statistics Netherlands, by postcode, 2021; CC BY 4.0"
CBS_AGES = "Statistics Netherlands, population by age; CC BY 4.0"
STATBEL = "Statbel, population by municipality and age; open data"
KOOT = "Koot, Measuring and Predicting Anonymity (2012)"

# the municipalities of the thesis, and some of each size
DUTCH = [
    *("Amsterdam", "Overbetuwe", "Laren", "Urk", "Rotterdam", "'s-Gravenhage", "Utrecht"),
    *("Eindhoven", "Groningen", "Tilburg", "Almere", "Breda", "Nijmegen", "Enschede", "Arnhem"),
    *("Diemen", "Enkhuizen", "Reimerswaal", "Simpelveld", "Terschelling"),
    *("Ameland", "Vlieland", "Alphen aan den Rijn", "Leiden", "Delft", "Maastricht", "Zwolle"),
]
BELGIAN = [21004, 11002, 44021, 52011, 62063, 31005, 92094, 24062, 25093, 38016, 63012, 83034]


# ---- tables


def dutch_postcodes() -> pl.DataFrame:
    """Return a row for each PC4, age band and sex, with its inhabitants."""
    table = pl.read_csv(DATA / "nl_pc4_age5_sex_2021.csv.gz", infer_schema_length=None)
    table = table.filter(pl.col("gemeente").is_not_null())
    long = table.unpivot(
        ["inwoners_vrouw", "inwoners_man"],
        index=["postcode", "leeftijd", "gemeente", "provincie"],
        variable_name="Sex",
        value_name="people",
    )
    return long.select(
        PC4=pl.col("postcode").cast(pl.String),
        Age=pl.col("leeftijd").str.extract(r"^(\d+)").cast(pl.Int64),
        Sex=pl.col("Sex").replace_strict({"inwoners_vrouw": "F", "inwoners_man": "M"}),
        Municipality="gemeente",
        Province="provincie",
        people="people",
    ).filter(pl.col("people") > 0)


def dutch_ages() -> pl.DataFrame:
    """Return the Dutch by age and sex, for each year."""
    table = pl.read_csv(DATA / "bevolking_leeftijd_NL.csv", separator=";", infer_schema_length=None)
    return (
        table.filter(pl.col("geslacht") != "T")
        .select(
            year="jaar",
            Age=pl.col("leeftijd").cast(pl.Int64).clip(0, OLDEST),
            Sex="geslacht",
            people="aantal",
        )
        .filter(pl.col("people") > 0)
    )


def belgian_ages() -> pl.DataFrame:
    """Return the inhabitants of Belgian municipalities by age."""
    table = pl.read_csv(DATA / "be_municipality_age.csv", infer_schema_length=None)
    return table.select(
        NIS=pl.col("NIS").cast(pl.String),
        Age=pl.col("age").clip(0, OLDEST),
        people="number",
    )


# ---- words

AGE: dict[str, Any] = {
    "kind": "integer",
    "description": f"In completed years; {OLDEST} stands for all who are older.",
    "values": {"from": 0, "to": OLDEST},
    "codings": {f"width={width}": {} for width in (2, 5, 10, 20)},
    "ages": True,
}


def dutch_words(postcodes: pl.DataFrame) -> Vocabulary:
    """Return the attributes of the Dutch records: a postcode determines its municipality."""
    towns = postcodes.group_by("Municipality").agg(pl.col("Province").mode().sort().first())
    of_town = dict(sorted(towns.iter_rows()))
    towns_of = postcodes.group_by("PC4").agg(pl.col("Municipality").mode().sort().first())
    of_postcode = dict(sorted(towns_of.iter_rows()))
    provinces = sorted(set(of_town.values()))
    return Vocabulary.of(
        {
            "name": "netherlands",
            "version": "2021",
            "description": "Where people live in the Netherlands, how old they are, their sex.",
            "attributes": {
                "Country": {"values": {"in": ["Netherlands"]}},
                "Province": {
                    "values": {"in": provinces},
                    "determines": {"Country": dict.fromkeys(provinces, "Netherlands")},
                },
                "Municipality": {
                    "description": "As of 2021.",
                    "values": {"in": sorted(of_town)},
                    "determines": {"Province": of_town},
                },
                "PC4": {
                    "description": "The four digits of a postcode, with the municipality that "
                    "most of it is in.",
                    "values": {"in": sorted(of_postcode)},
                    "determines": {"Municipality": of_postcode},
                },
                "Sex": {"values": {"in": ["F", "M"]}},
                "Age": AGE,
            },
        }
    )


def belgian_words(belgian: pl.DataFrame) -> Vocabulary:
    """Return the attributes of the Belgian records."""
    codes = sorted(belgian["NIS"].unique())
    return Vocabulary.of(
        {
            "name": "belgium",
            "version": "2020",
            "attributes": {
                "Country": {"values": {"in": ["Belgium"]}},
                "NIS": {
                    "description": "A municipality, by its NIS code.",
                    "values": {"in": codes},
                    "determines": {"Country": dict.fromkeys(codes, "Belgium")},
                },
                "Age": AGE,
            },
        }
    )


# ---- records


def records(dutch: Vocabulary, belgian: Vocabulary, everywhere: bool) -> Iterator[Record]:
    """Yield all records."""
    yield from of_postcodes(dutch_postcodes(), dutch, None if everywhere else DUTCH)
    yield from of_ages(dutch_ages(), dutch)
    chosen = None if everywhere else [str(code) for code in BELGIAN]
    yield from of_belgians(belgian_ages(), belgian, chosen)
    yield from printed(dutch)


def of_postcodes(
    table: pl.DataFrame, words: Vocabulary, towns: list[str] | None
) -> Iterator[Record]:
    how: dict[str, Any] = {"reference_date": "2021-01-01", "licence": CBS, "counts": "people"}
    country = {"Country": "Netherlands"}
    bands = "Age:width=5"
    for names in (
        ["PC4", "Sex", bands],
        ["PC4", "Sex", "Age:width=10"],
        ["PC4", "Sex", "Age:width=20"],
        ["PC4", bands],
        ["PC4", "Sex"],
        ["PC4"],
        ["Municipality", "Sex", bands],
        ["Municipality", "Sex"],
        ["Province", "Sex", bands],
    ):
        yield from made(table, names, country, words, **how)
    for province, part in table.group_by("Province", maintain_order=True):
        yield from made(part, ["PC4", "Sex", bands], {"Province": province[0]}, words, **how)
    for town, part in table.sort("Municipality").group_by("Municipality", maintain_order=True):
        if towns is None or town[0] in towns:
            yield from made(part, ["PC4", "Sex", bands], {"Municipality": town[0]}, words, **how)


def of_ages(table: pl.DataFrame, words: Vocabulary) -> Iterator[Record]:
    for year in (2010, 2024):
        part = table.filter(pl.col("year") == year)
        how: dict[str, Any] = {
            "reference_date": f"{year}-01-01",
            "licence": CBS_AGES,
            "counts": "people",
        }
        for names in (
            ["Age"],
            ["Age:width=2"],
            ["Age:width=5"],
            ["Age:width=10"],
            ["Age", "Sex"],
            ["Age:width=5", "Sex"],
            ["Sex"],
        ):
            yield from made(part, names, {"Country": "Netherlands"}, words, **how)


def of_belgians(
    table: pl.DataFrame, words: Vocabulary, codes: list[str] | None
) -> Iterator[Record]:
    how: dict[str, Any] = {"reference_date": "2020-01-01", "licence": STATBEL, "counts": "people"}
    country = {"Country": "Belgium"}
    for names in (["NIS", "Age"], ["NIS", "Age:width=5"], ["Age"], ["NIS"]):
        yield from made(table, names, country, words, **how)
    for code, part in table.sort("NIS").group_by("NIS", maintain_order=True):
        if codes is None or code[0] in codes:
            yield from made(part, ["Age"], {"NIS": code[0]}, words, **how)


def printed(words: Vocabulary) -> Iterator[Record]:
    """Yield the distances that the thesis prints: sections 4.4.2 and 6.2.3, ages to 94 and 79."""
    for town, distance, oldest, people in (
        ("Laren", 0.0914, 94, None),
        ("Urk", 0.4011, 94, None),
        ("Amsterdam", 0.086, 79, 766_000),
        ("Overbetuwe", 0.055, 79, 46_000),
    ):
        found = Record.legacy_tuple(
            ["Age"],
            {"Municipality": town, "Age": {"from": 0, "to": oldest}},
            distance,
            cells=oldest + 1,
            people=people,
        )
        yield found.model_copy(
            update={
                "vocabulary": words.hash,
                "holder": SEED_KEY.id,
                "licence": KOOT,
                "reference_date": date(2010, 1, 1),
            }
        )


def made(
    table: pl.DataFrame, names: list[str], population: dict[str, Any], words: Vocabulary, **how: Any
) -> Iterator[Record]:
    """Yield a record, if the gate lets it pass."""
    columns = {name.partition(":")[0] for name in names} | {"people"}
    kept = {name for name in population if name in table.columns}
    part = table.select(sorted(columns | kept))
    try:
        record = publishable(part, names, population, words, tier="public", key=SEED_KEY, **how)
    except NotPublishable as refusal:
        print(f"not published: {names} in {population}: {refusal}", file=sys.stderr)
        return
    assert isinstance(record, Record)
    yield record


# ---- the inventory of the thesis

INVENTORY: list[dict[str, Any]] = [
    {
        "what": "dataset",
        "name": "Municipal population register",
        "description": "Who lives where: the register that Dutch municipalities keep.",
        "attributes": ["PC6", "PC4", "Municipality", "Sex", "BirthDate", "Age", "Name"],
        "population": {"Country": "Netherlands"},
        "identified": True,
        "source": "Koot (2012), section 3.2.1",
    },
    {
        "what": "release",
        "name": "National Medical Registration",
        "description": "Hospital intakes, as released for research.",
        "attributes": ["PC4", "Sex", "BirthMonth"],
        "population": {"Country": "Netherlands"},
        "source": "Koot (2012), section 3.3.2",
    },
    {
        "what": "release",
        "name": "Welfare Fraud Statistics",
        "attributes": ["Municipality", "Sex", "BirthMonth"],
        "population": {"Country": "Netherlands"},
        "source": "Koot (2012), section 3.3.3",
    },
    {
        "what": "questionnaire",
        "name": "Visitors of a concert hall",
        "attributes": ["PC6", "Sex", "BirthYear", "Education", "Background", "Household", "Work"],
        "combinations": [["PC6", "Sex", "BirthYear"]],
        "population": {"Country": "Netherlands"},
        "source": "Koot (2012), appendix B",
    },
]


def seed(everywhere: bool) -> dict[str, list[Any]]:
    """Return all that a seed repository begins with."""
    dutch, belgian = dutch_words(dutch_postcodes()), belgian_words(belgian_ages())
    return {
        "vocabularies": [plain_document(dutch), plain_document(belgian)],
        "records": [record.to_dict() for record in records(dutch, belgian, everywhere)],
        "inventory": INVENTORY,
    }


def _lines(content: dict[str, list[Any]]) -> str:
    """Return JSON with a line for each document, so that differences can be read."""
    parts = []
    for name, documents in content.items():
        lines = [
            json.dumps(each, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            for each in documents
        ]
        parts.append(f'"{name}":[\n' + ",\n".join(lines) + "\n]")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", metavar="FILE", help="write every municipality to this file")
    chosen = parser.parse_args()
    content = seed(everywhere=chosen.all is not None)
    path = Path(chosen.all) if chosen.all else seed_file()
    path.write_text(_lines(content), encoding="utf-8")
    print(f"written: {path.name}, {len(content['records'])} records", file=sys.stderr)


if __name__ == "__main__":
    main()
