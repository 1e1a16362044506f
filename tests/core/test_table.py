import pickle

import numpy as np
import pytest

import singleout as so
from singleout.core.table import MAX_ROWS, Column, Table, smallest_codes
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable


def column(name: str = "x", codes: tuple[int, ...] = (0, 1, 0)) -> Column:
    return Column(name, np.array(codes, dtype=np.uint8), ["a", "b"])


@pytest.mark.parametrize(
    ("levels", "size"), [(1, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 4), (2**31, 4)]
)
def test_codes_take_the_smallest_width_that_fits(levels: int, size: int) -> None:
    assert smallest_codes(np.zeros(3, dtype=np.int64), levels).itemsize == size


def test_missing_has_the_code_after_the_last_value() -> None:
    x = so.read({"x": ["b", None, "a"]})["x"]
    assert x.codes.tolist() == [1, 2, 0]
    assert x.missing_code == 2
    assert x.is_missing.tolist() == [False, True, False]
    assert [x.value(code) for code in x.codes.tolist()] == ["b", None, "a"]


def test_256_values_and_a_missing_one_need_two_bytes() -> None:
    assert so.read({"x": list(range(256))})["x"].codes.itemsize == 1
    assert so.read({"x": [*range(256), None]})["x"].codes.itemsize == 2


def test_a_table_cannot_be_changed() -> None:
    table = so.read({"x": [1, 2]})
    with pytest.raises(AttributeError, match="cannot be changed"):
        table.rows = 5
    with pytest.raises(ValueError, match="read-only"):
        table["x"].codes[0] = 1


def test_columns_are_the_names_in_order() -> None:
    table = so.read({"b": [1], "a": [2]})
    assert table.columns == ("b", "a")
    assert table.select(["a"]).columns == ("a",)
    assert len(table) == table.rows == 1


def test_roles_are_kept_and_found() -> None:
    table = so.read(
        {"age": [1], "w": [2], "name": ["x"]},
        roles={"age": "quasi-identifier", "w": "weight", "name": "direct-identifier"},
    )
    assert table.quasi_identifiers == ("age",)
    assert table.weight == "w"
    assert table.with_role("direct-identifier") == ("name",)
    assert table.with_roles({"age": "sensitive"}).quasi_identifiers == ()


def test_a_role_that_does_not_exist_gets_a_sentence_with_those_that_do() -> None:
    with pytest.raises(BadChoice, match="'quasi' is not a role; choose one of direct-identifier"):
        so.read({"x": [1]}, roles={"x": "quasi"})


def test_two_weights_get_a_sentence() -> None:
    table = so.read({"a": [1], "b": [1]}, roles={"a": "weight", "b": "weight"})
    with pytest.raises(BadChoice, match="Only one column can be the weight"):
        _ = table.weight


def test_an_unknown_column_gets_the_nearest_name() -> None:
    with pytest.raises(UnknownColumns, match="Did you mean 'Gender' for 'gendr'"):
        so.read({"Gender": [1], "Age": [2]})["gendr"]


def test_a_table_without_columns_or_rows_gets_a_sentence() -> None:
    with pytest.raises(UnusableTable, match="no columns"):
        Table([])
    with pytest.raises(UnusableTable, match="no rows"):
        Table([column(codes=())])


def test_duplicate_names_and_uneven_columns_get_a_sentence() -> None:
    with pytest.raises(UnusableTable, match="more than one column called 'x'"):
        Table([column(), column()])
    with pytest.raises(UnusableTable, match="different lengths"):
        Table([column(), column("y", (0,))])


def test_two_to_the_31_rows_say_the_limit() -> None:
    # one byte in memory that claims to be 2**31 of them
    many = np.broadcast_to(np.zeros(1, dtype=np.uint8), (MAX_ROWS + 1,))
    with pytest.raises(UnusableTable, match=r"2,147,483,648 rows; .* at most 2,147,483,647"):
        Table([Column("x", many.view(), ["a"])])


def test_text_that_reads_as_numbers_can_be_a_weight() -> None:
    numbers = so.read({"w": ["1.5", None, "2"]})["w"].numbers()
    assert numbers[[0, 2]].tolist() == [1.5, 2.0]
    assert np.isnan(numbers[1])
    with pytest.raises(UnusableColumn, match="'w' must hold numbers, but one value is 'many'"):
        so.read({"w": ["1", "many"]})["w"].numbers()


def test_a_table_survives_pickling() -> None:
    table = so.read({"x": ["a", None]}, roles={"x": "sensitive"}, missing="drop")
    copy = pickle.loads(pickle.dumps(table))
    assert copy.columns == table.columns
    assert copy.missing == "drop"
    assert copy["x"].role == "sensitive"
    assert copy["x"].codes.tolist() == [0, 1]


def test_hostile_column_names_are_escaped_in_html() -> None:
    shown = so.read({"<script>alert(1)</script>": [1]})._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_codes_that_a_kernel_could_not_trust_are_refused() -> None:
    with pytest.raises(UnusableColumn, match="has the code 2, but its codebook has 2 entries"):
        Column("x", np.array([0, 2], dtype=np.uint8), ["a", "b"])
    with pytest.raises(UnusableColumn, match="1-dimensional int64"):
        Column("x", np.array([0, 1]), ["a", "b"])


def test_the_callers_array_stays_writeable() -> None:
    codes = np.array([0, 1], dtype=np.uint8)
    Column("x", codes, ["a", "b"])
    codes[0] = 1
    assert codes.tolist() == [1, 1]


def test_a_long_column_of_numbers_gives_the_same_numbers_as_a_short_one() -> None:
    values = [*range(5000), 2**60 + 1, None]
    for data in (values, [None if v is None else v + 0.5 for v in values], list(map(str, values))):
        column = so.read({"x": data}, missing_values=["None"])["x"]
        expected = [float("nan") if v in (None, "None") else float(v) for v in data]
        assert np.array_equal(column.numbers(), expected, equal_nan=True)
