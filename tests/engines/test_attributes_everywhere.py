"""`so.attribute_risk` gives the same numbers wherever the data is."""

import tables
from stores import Put

import singleout as so

COLUMNS = ["age", "zip", "sex", "children"]


def test_numbers_are_the_same(there: Put) -> None:
    frame = tables.people()
    data = there(frame, "people")
    for question in ({"max_size": 3}, {"max_size": 2, "by": "region", "missing": "drop"}):
        found = so.attribute_risk(data, COLUMNS, **question)
        expected = so.attribute_risk(frame, COLUMNS, **question)
        assert found.combinations == expected.combinations
        assert found.keys == expected.keys
        assert list(found.groups) == list(expected.groups)
        for group, part in found.groups.items():
            assert part.combinations == expected.groups[group].combinations
