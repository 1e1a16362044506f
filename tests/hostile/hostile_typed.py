"""Hostile files with typed columns: Parquet, Arrow, statistical packages, R and JSON."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hostile_case import NOISE, PEOPLE, Case, Make, counted, cut, files, refused, sets, written


def _frame() -> Any:
    import polars as pl

    return pl.DataFrame({"a": [1, 1, 2, 3], "b": ["x", "x", "y", None]})


def _nested(path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame({"a": [1, 2], "b": [[1], [2, 3]], "c": [{"x": 1}, {"x": 2}]})
    frame.write_parquet(path) if path.suffix == ".parquet" else frame.write_ipc(path)


def _twice(path: Path) -> None:
    import pyarrow as pa

    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def typed() -> Iterator[Case]:
    """Parquet, Arrow and the files of statistical packages, damaged in every way."""
    import pyreadstat

    parquet = written("x.parquet", lambda path: _frame().write_parquet(path))
    arrow = written("x.arrow", lambda path: _frame().write_ipc(path))
    sav = written("x.sav", lambda path: pyreadstat.write_sav(_frame(), str(path)))
    dta = written("x.dta", lambda path: pyreadstat.write_dta(_frame(), str(path)))
    xpt = written("x.xpt", lambda path: pyreadstat.write_xport(_frame(), str(path)))
    made = {"x.parquet": parquet, "x.arrow": arrow, "x.sav": sav, "x.dta": dta, "x.xpt": xpt}
    for name, make in made.items():
        kind = name[2:]
        for share in (0.1, 0.5, 0.9):
            yield refused(
                f"{kind}-cut-at-{share}",
                *sets(name),
                make=cut(make, name, share),
                says=(name,),
                may_refuse=False,
            )
        yield refused(f"{kind}-of-noise", *sets(name), make=files({name: NOISE}), says=(name,))
        yield refused(f"{kind}-of-nothing", *sets(name), make=files({name: b""}), says=("empty",))
        yield refused(f"csv-called-{kind}", *sets(name), make=files({name: PEOPLE}), says=(name,))
    for name in ("x.sas7bdat", "x.por", "x.rds", "x.rda", "x.feather"):
        yield refused(f"{name[2:]}-of-noise", *sets(name), make=files({name: NOISE}), says=(name,))
    for name, file, column in (
        ("parquet-of-lists", "x.parquet", "b"),
        ("arrow-of-structures", "x.arrow", "c"),
    ):
        words = ("sets", file, "--qi", f"a+{column}")
        yield refused(name, *words, make=written(file, _nested), says=(f"'{column}'",))
    yield counted(
        "nested-columns-left-out",
        written("x.parquet", _nested),
        "x.parquet",
        "a",
        expected={"records": 2, "unique": 2},
    )
    yield refused(
        "arrow-with-a-name-twice", *sets("x.arrow"), make=written("x.arrow", _twice), says=("'a'",)
    )
    # the head of an R file, and a vector that says that it has two thousand million entries
    huge = b"X\n" + struct.pack(">iiiii", 2, 0x40000, 0x20300, 0x0000000E, 0x7FFFFFFF)
    endless = files({"x.rds": gzip.compress(huge, mtime=0)})
    yield refused("r-vector-without-end", *sets("x.rds"), make=endless, says=("x.rds",), alone=True)


def _folder_of(parts: Mapping[str, Make]) -> Make:
    def make(folder: Path) -> None:
        (folder / "parts").mkdir()
        for name, one in parts.items():
            one(folder / "parts")
            (folder / "parts" / "x.parquet").rename(folder / "parts" / name)

    return make


def parts() -> Iterator[Case]:
    """Parquet in one file or in a folder, with a part that is damaged, different or absent."""
    parquet = written("x.parquet", lambda path: _frame().write_parquet(path))
    other = written("x.parquet", lambda path: _frame().rename({"b": "z"}).write_parquet(path))
    empty = written("x.parquet", lambda path: _frame().head(0).write_parquet(path))
    damaged = cut(parquet, "x.parquet", 0.5)
    foot = files({"x.parquet": b"PAR1" + bytes(100) + struct.pack("<I", 0xFFFFFFF0) + b"PAR1"})
    words = sets("x.parquet")
    yield refused("parquet-with-an-endless-footer", *words, make=foot, says=("x.parquet",))
    yield refused("parquet-without-rows", *words, make=empty, says=("no rows",))
    words = sets("x.parquet", "--engine", "database")
    yield refused("parquet-for-a-database-cut-off", *words, make=damaged, says=("x.parquet",))
    for name, second in (
        ("folder-with-a-damaged-part", damaged),
        ("folder-whose-parts-differ", other),
    ):
        make = _folder_of({"1.parquet": parquet, "2.parquet": second})
        yield refused(name, *sets("parts"), make=make, says=("2.parquet",))
    yield refused("folder-without-parts", *sets("parts"), make=_folder_of({}), says=("parts",))


# ---- JSON


def _json(content: str | bytes, name: str = "x.json") -> Make:
    return files({name: content})


def json_files() -> Iterator[Case]:
    """JSON that is no table, or not even JSON."""
    rows = [{"a": 1, "b": "x"}, {"a": 1, "b": "x"}, {"a": 2, "b": None}]
    three = {"records": 3, "sets": 2, "unique": 1}
    marked = _json("\ufeff" + json.dumps(rows))
    yield counted("json-with-a-byte-order-mark", marked, "x.json", expected=three)
    yield counted(
        "json-of-mixed-kinds",
        _json('[{"a":1,"b":"1"},{"a":"1","b":true},{"a":1.5,"b":null}]'),
        "x.json",
        expected={"records": 3, "sets": 3, "unique": 3},
    )
    two = {"records": 2, "sets": 2}
    digits = "9" * 10_000
    other_names = '[{"a":1,"b":2},{"b":2},{"a":null,"b":2}]'
    for name, content, expected in (
        ("with-a-lone-surrogate", '[{"a":1,"b":"\\ud800"},{"a":1,"b":"x"}]', two),
        ("with-nan", '[{"a":NaN,"b":1},{"a":Infinity,"b":1}]', two),
        ("with-records-of-other-names", other_names, {"records": 3, "sets": 2}),
        ("number-of-ten-thousand-digits", f'[{{"a":{digits},"b":1}},{{"a":1,"b":1}}]', two),
        ("number-beyond-all-floats", '[{"a":1e999,"b":1},{"a":-1e999,"b":1}]', two),
        ("with-a-key-twice", '[{"a":1,"a":2,"b":3}]', {"records": 1}),
    ):
        make = _json(content)
        yield counted(f"json-{name}", make, "x.json", expected=expected, may_refuse=True)
    yield refused(
        "json-with-lists", *sets("x.json"), make=_json('[{"a":[1],"b":2}]'), says=("'a'",)
    )
    for name, content in (
        ("nested-without-end", "[" * 100_000 + "]" * 100_000),
        ("objects-nested-without-end", '{"a":' * 100_000 + "1" + "}" * 100_000),
        ("name-with-a-lone-surrogate", '[{"a":1,"\\udc80":2}]'),
        ("of-a-number", "7"),
        ("of-a-word", '"x"'),
        ("of-null", "null"),
        ("of-numbers", "[1,2]"),
        ("of-no-rows", "[]"),
        ("of-cut-off", '[{"a":1,'),
        ("of-noise", NOISE),
        ("of-nothing", b""),
        ("of-zero-bytes", bytes(4)),
    ):
        yield refused(f"json-{name}", *sets("x.json"), make=_json(content), says=("x.json",))
    for name, content in (
        ("nested-without-end", '{"a":' + "[" * 100_000 + "]" * 100_000 + "}\n"),
        ("with-a-broken-line", '{"a":1,"b":2}\n{"a":\n'),
    ):
        make = _json(content, "x.jsonl")
        yield refused(f"jsonl-{name}", *sets("x.jsonl"), make=make, says=("x.jsonl",))


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (typed, parts, json_files):
        yield from part()
