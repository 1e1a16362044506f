"""Groups of anonymity sets in an order, and distances over stated cells: Koot's Tables 3.4, 3.5."""

import json
from pathlib import Path

import numpy as np
import pytest

import singleout as so
from run_command import refused, singleout
from singleout.errors import BadChoice

PEOPLE = {
    "town": ["A"] * 3 + ["B"] * 6 + ["C"] * 4,
    "age": [1, 2, 3, 1, 1, 1, 2, 2, 2, 1, 1, 2, 3],
}


def test_groups_are_ordered_by_their_median_the_largest_first() -> None:
    found = so.anonymity_sets(PEOPLE, ["age"], by="town", sort="median")
    assert [(town, part.median) for town, part in found.groups.items()] == [
        ("B", 3),
        ("A", 1),
        ("C", 1),
    ]
    by_unique = found.sorted_by("unique")
    assert list(by_unique.groups) == ["A", "C", "B"]
    assert [row["group"] for row in by_unique.to_frame().to_dicts()] == [None, "A", "C", "B"]
    for order in ("records", "sets", "minimum", "mean", "maximum", "unique-share", "distance"):
        assert set(found.sorted_by(order).groups) == {"A", "B", "C"}
    with pytest.raises(BadChoice, match="'size' is not a"):
        found.sorted_by("size")


def test_the_distance_is_over_the_cells_that_were_stated() -> None:
    found = so.anonymity_sets(PEOPLE, ["age"], by="town", cells=10)
    assert found.groups["A"].kl_distance() == pytest.approx(np.log(10 / 3))
    assert found.groups["A"].kl_distance(cells=3) == pytest.approx(0, abs=1e-12)
    assert found.to_dict()["cells"] == 10
    with pytest.raises(BadChoice, match="cells is 2, but 3 different combinations were observed"):
        so.anonymity_sets(PEOPLE, ["age"], cells=2)


def test_the_command_orders_groups_and_states_cells(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    rows = zip(*PEOPLE.values(), strict=True)
    path.write_text("town,age\n" + "\n".join(f"{town},{age}" for town, age in rows))
    words = ["sets", path, "--qi", "age", "--by", "town"]
    done = singleout(*words, "--sort", "median", "--cells", 10)
    assert done.returncode == 0
    assert done.stdout.index("  B") < done.stdout.index("  A")
    assert "Distance from 10 equally likely combinations" in done.stdout
    assert "1.2040" in done.stdout
    found = json.loads(singleout(*words, "--sort", "unique", "--json").stdout)["results"][0]
    assert [group["group"] for group in found["groups"]] == ["A", "C", "B"]
    assert "--sort goes with --by" in refused(
        singleout("sets", path, "--qi", "age", "--sort", "mean")
    )
    assert "choose one of records" in refused(singleout(*words, "--sort", "size"))
    assert "give at least that many" in refused(singleout(*words, "--cells", 2))
