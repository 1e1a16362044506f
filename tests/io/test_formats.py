from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
from formats import PEOPLE, WRITERS, RVector, people, r_frame, r_people, write_r, write_xlsx
from msoffcrypto.format.ooxml import OOXMLFile

from singleout.errors import (
    BadChoice,
    UnknownColumns,
    UnreadableFile,
    UnusableColumn,
    UnusableTable,
)
from singleout.io.formats.excel import read_excel
from singleout.io.formats.r import read_r
from singleout.io.formats.statistical import read_statistical
from singleout.io.formats.typed import read_arrow, read_json, read_parquet
from singleout.io.read import read

SAVED_XLS = Path(__file__).parent / "data" / "people.xls"


def plain(value):
    """Bring a value to what every format can hold: text, or a number."""
    if isinstance(value, dt.datetime):
        value = value.date()
    if isinstance(value, dt.date):
        return value.isoformat()
    if value in ("true", "false"):
        return float(value == "true")
    return float(value) if isinstance(value, bool | int) else value


def decoded(table, name):
    column = table[name]
    return [plain(column.value(int(code))) for code in column.codes]


def save(extension, folder):
    if extension == ".xls":
        return SAVED_XLS
    path = folder / f"people{extension}"
    WRITERS[extension](path)
    return path


@pytest.fixture(params=[*WRITERS, ".xls"])
def saved(request, tmp_path):
    return save(request.param, tmp_path)


@pytest.fixture(params=[kind for kind in (*WRITERS, ".xls") if kind != ".csv"])
def typed(request, tmp_path):
    return save(request.param, tmp_path)


# text can end anywhere
@pytest.fixture(params=[k for k in (*WRITERS, ".xls") if k not in (".csv", ".jsonl", ".ndjson")])
def binary(request, tmp_path):
    return save(request.param, tmp_path)


def test_every_format_gives_the_same_table(saved):
    table = read(saved)
    assert table.columns == tuple(PEOPLE)
    for name, values in PEOPLE.items():
        expected = [plain(value) for value in values]
        if saved.suffix == ".csv" and name == "age":
            expected = ["30.0", "41.5", None]
        assert decoded(table, name) == expected, name


def test_every_format_gives_the_asked_columns_in_the_asked_order(saved):
    table = read(saved, ["born", "id", "born"])
    assert table.columns == ("born", "id")
    assert decoded(table, "id") == ["01", "1", "2"]


def test_every_format_names_the_columns_it_does_not_have(saved):
    with pytest.raises(UnknownColumns, match=r"'naame'.*Did you mean 'name' for 'naame'"):
        read(saved, ["id", "naame"])


@pytest.mark.parametrize("cut", [0.02, 0.3, 0.6, 0.9])
def test_every_binary_format_says_when_it_is_cut_off(binary, tmp_path, cut):
    content = binary.read_bytes()
    damaged = tmp_path / f"cut{binary.suffix}"
    damaged.write_bytes(content[: max(1, int(cut * len(content)))])
    with pytest.raises((UnreadableFile, UnusableTable), match=r"cut\.\w+ "):
        read(damaged)


@pytest.mark.parametrize("content", [b"name,age\nZoe,30\n" * 50, b"\0\xff\x07" * 400, b"<html>\n"])
def test_every_format_says_when_the_content_is_of_another_kind(typed, tmp_path, content):
    wrong = tmp_path / f"wrong{typed.suffix}"
    wrong.write_bytes(content)
    with pytest.raises((UnreadableFile, UnusableTable), match=r"wrong\.\w+"):
        read(wrong)


def test_a_file_name_with_brackets_is_a_name_not_a_pattern(saved):
    copy = saved.parent / f"people[1]*{saved.suffix}" if saved != SAVED_XLS else saved
    if copy != saved:
        saved.rename(copy)
    assert len(read(copy)) == 3


def test_dictionary_columns_stay_categories(tmp_path):
    path = tmp_path / "people.parquet"
    pl.DataFrame({"town": pl.Series(["b", "a", None], dtype=pl.Categorical)}).write_parquet(path)
    assert read_parquet(path).frame.dtypes == [pl.Categorical]


def test_a_column_of_lists_can_be_left_out(tmp_path):
    path = tmp_path / "people.parquet"
    pl.DataFrame({"age": [30, 41], "visits": [[1], [2, 3]]}).write_parquet(path)
    assert read(path, ["age"]).columns == ("age",)
    with pytest.raises(UnusableColumn, match="'visits' holds lists"):
        read(path)


def test_an_arrow_file_with_a_name_twice_is_refused(tmp_path):
    path = tmp_path / "people.arrow"
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(UnreadableFile, match="two columns of the same name"):
        read_arrow(path)


def test_feather_of_version_1_is_refused_with_advice(write):
    with pytest.raises(UnreadableFile, match=r"version 1.*Parquet"):
        read_arrow(write(b"FEA1\0\0\0\0", "people.feather"))


def test_json_values_of_several_kinds_are_kept_as_themselves(write):
    source = read_json(write(b'{"a": 1}\n\n{"a": true, "b": "x"}\n{"b": null}\n', "people.jsonl"))
    assert source.frame.rows() == [(1, None), (True, "x"), (None, None)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1}\n{"a":\n', "line 2 is not a JSON object"),
        (b'{"a": 1}\n[2]\n', "line 2 is not a JSON object"),
        (b'{\n"a": 1\n}\n', "line 1 is not a JSON object"),
        (b'[{"a": 1}', "not valid JSON"),
        (b'[{"a": 1}, 2]', "item 2 of the list is not an object"),
        (b"[]", "no columns"),
        (b"{}", "no columns"),
    ],
)
def test_json_that_is_no_table_is_explained(write, content, message):
    with pytest.raises((UnreadableFile, UnusableTable), match=message):
        read_json(write(content, "people.json"))


def test_json_with_a_mark_or_in_utf_16_is_read(write):
    for encoding in ("utf-8-sig", "utf-16"):
        path = write('{"a": "é"}\n'.encode(encoding), "people.jsonl")
        assert read_json(path).frame.rows() == [("é",)]


@pytest.fixture
def book(tmp_path):
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "People"
    sheet.append(["id", None, "when"])
    sheet.append(["01", 1, dt.time(3, 4)])
    sheet.append([])
    sheet.append(["1", 2, dt.timedelta(hours=30)])
    sheet["E1"].font = openpyxl.styles.Font(bold=True)
    late = workbook.create_sheet("Late")
    late.append(["value"])
    for number in range(3000):
        late.append([number])
    late.append(["text"])
    workbook.create_sheet("Empty")
    twice = workbook.create_sheet("Twice")
    twice.append(["a", "b", "a"])
    twice.append([1, 2, 3])
    low = workbook.create_sheet("Low")
    low["C4"], low["D4"], low["C5"], low["D5"] = "x", "x_1", 1, 2
    path = tmp_path / "book.xlsx"
    workbook.save(path)
    return path


def test_two_sheets_that_look_like_tables_are_listed(book):
    with pytest.raises(UnusableTable, match=r"2 sheets .*: 'People' \(4 rows\), 'Low' \(5 rows\)"):
        read_excel(book)


def test_the_names_of_a_sheet_are_in_its_first_row(book):
    source = read_excel(book, sheet=1)
    assert source.frame.columns == ["id", "column_2", "when"]
    assert source.frame["column_2"].to_list() == [1.0, 2.0]
    assert source.notes == ()


def test_a_sheet_is_chosen_by_name_or_number(book):
    for sheet in ("Low", 5, "5"):
        source = read_excel(book, sheet=sheet)
        assert source.frame.to_dict(as_series=False) == {"x": [1.0], "x_1": [2.0]}
        assert source.notes == ()


@pytest.mark.parametrize("sheet", ["Lat", 0, 6, -1])
def test_an_unknown_sheet_is_answered_with_the_list_of_sheets(book, sheet):
    with pytest.raises(BadChoice, match=r"no sheet .*'People', 'Late', 'Empty', 'Twice', 'Low'"):
        read_excel(book, sheet=sheet)


def test_a_text_after_thousands_of_numbers_is_not_lost(book):
    values = read_excel(book, sheet="Late").frame["value"]
    assert values.null_count() == 0
    assert values[-1] == "text"


def test_an_empty_sheet_is_said_to_be_empty(book):
    with pytest.raises(UnusableTable, match="nothing in sheet 'Empty'"):
        read_excel(book, sheet="Empty")


def test_a_sheet_with_a_name_twice_is_refused(book):
    with pytest.raises(UnusableTable, match="more than one column called 'a'"):
        read_excel(book, sheet="Twice")


def test_a_workbook_with_a_password_is_said_to_have_one(tmp_path):
    clear, locked = tmp_path / "clear.xlsx", tmp_path / "locked.xlsx"
    write_xlsx(clear)
    with clear.open("rb") as source, locked.open("wb") as target:
        OOXMLFile(source).encrypt("secret", target)
    with pytest.raises(UnreadableFile, match=r"locked\.xlsx is protected by a password"):
        read(locked)


def test_a_web_page_saved_as_excel_is_recognised(write):
    with pytest.raises(UnreadableFile, match="looks like a web page"):
        read(write(b"<html><table><tr><td>1</td></tr></table></html>", "people.xls"))


def test_excel_and_statistical_files_need_neither_pandas_nor_pyarrow(tmp_path):
    names = []
    for extension in (".xlsx", ".sav", ".parquet", ".csv"):
        path = tmp_path / f"people{extension}"
        WRITERS[extension](path)
        names.append(str(path))
    code = (
        "import sys; sys.modules.update(pandas=None, pyarrow=None)\n"
        "from singleout.io.read import read\n"
        f"print([len(read(name)) for name in {names!r}])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.stdout.strip() == "[3, 3, 3, 3]", done.stderr


def test_labels_and_descriptions_come_along(tmp_path):
    for extension, write_file in ((".sav", pyreadstat.write_sav), (".dta", pyreadstat.write_dta)):
        path = tmp_path / f"survey{extension}"
        write_file(
            pl.DataFrame({"sex": [1.0, 2.0, None], "age": [30.0, 41.0, 52.0]}),
            path,
            column_labels={"sex": "Sex of the person"},
            variable_value_labels={"sex": {1: "male", 2: "female"}},
        )
        column = read(path, ["sex"])["sex"]
        assert column.description == "Sex of the person"
        assert [column.label(value) for value in column.values] == ["male", "female"]


def test_values_that_spss_declares_missing_are_missing(tmp_path):
    path = tmp_path / "survey.sav"
    frame = pl.DataFrame({"age": [30.0, 99.0]})
    pyreadstat.write_sav(frame, path, missing_ranges={"age": [99]})
    assert read_statistical(path, extension=".sav").frame["age"].to_list() == [30.0, None]


def test_spss_portable_files_are_read(tmp_path):
    path = tmp_path / "survey.por"
    pyreadstat.write_por(pl.DataFrame({"AGE": [30.0, None], "TOWN": ["a", ""]}), path)
    assert read(path).columns == ("AGE", "TOWN")
    assert decoded(read(path), "TOWN") == ["a", None]


def test_an_encoding_that_does_not_exist_is_a_bad_choice(tmp_path):
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(people(), path)
    with pytest.raises(BadChoice, match="'utf9' is not an encoding"):
        read(path, encoding="utf9")


def test_of_several_r_frames_one_must_be_named(tmp_path):
    path = tmp_path / "people.rda"
    write_r(path, {"people": r_people(), "others": r_frame([("a", np.array([1.0, 2.0, 3.0]))])})
    with pytest.raises(BadChoice, match=r"several data frames.*'people', 'others'"):
        read(path)
    with pytest.raises(BadChoice, match=r"no data frame 'other'.*Did you mean 'others'"):
        read(path, name="other")
    assert read(path, name="others").columns == ("a",)


def test_a_name_for_an_r_file_with_one_nameless_frame_is_refused(tmp_path):
    path = tmp_path / "people.rds"
    write_r(path)
    with pytest.raises(BadChoice, match="without a name"):
        read(path, name="people")


@pytest.mark.parametrize("name", ["model.rds", "model.rda"])
def test_an_r_file_without_a_data_frame_says_so(tmp_path, name):
    path = tmp_path / name
    write_r(path, RVector(np.array([1.0, 2.0]), names=np.array(["a", "b"])))
    with pytest.raises(UnusableTable, match="holds no data frame"):
        read(path)


def test_r_frames_with_a_name_twice_are_refused(tmp_path):
    path = tmp_path / "people.rds"
    write_r(path, r_frame([("a", np.array([1.0, 2, 3])), ("a", np.array([1.0, 2, 3]))]))
    with pytest.raises(UnusableTable, match="more than one column called 'a'"):
        read(path)


def test_r_classes_keep_their_meaning(tmp_path):
    path = tmp_path / "people.rds"
    whole = np.array([2**60, -1, np.iinfo(np.int64).min])
    labelled = RVector(
        np.array([1.0, 2.0, np.nan]),
        **{
            "labels": RVector(np.array([1.0, 2.0]), names=np.array(["male", "female"])),
            "class": np.array(["haven_labelled", "vctrs_vctr", "double"]),
        },
    )
    columns = [
        ("seen", RVector(np.array([0.0, 86400.5, np.nan]), **{"class": np.array(["POSIXct"])})),
        ("whole", RVector(whole.view(np.float64), **{"class": "integer64"})),
        ("sex", labelled),
        ("text", np.array(["a", None, "c"], dtype=object)),
        ("count", np.ma.array([1, 2, 3], mask=[False, True, False], dtype=np.int32)),
    ]
    write_r(path, r_frame(columns))
    source = read_r(path)
    assert source.frame["seen"].dt.replace_time_zone(None).to_list() == [
        dt.datetime(1970, 1, 1),
        dt.datetime(1970, 1, 2, 0, 0, 0, 500_000),
        None,
    ]
    assert source.frame["whole"].to_list() == [2**60, -1, None]
    assert source.frame["text"].to_list() == ["a", None, "c"]
    assert source.frame["count"].to_list() == [1, None, 3]
    assert source.labels == {"sex": {1.0: "male", 2.0: "female"}}


def test_an_r_column_of_lists_is_refused_by_name(tmp_path):
    path = tmp_path / "people.rds"
    lists = [np.array([1.0]), np.array([2.0]), np.array([3.0])]
    write_r(path, r_frame([("a", np.array([1.0, 2, 3])), ("visits", lists)]))
    with pytest.raises(UnusableColumn, match=r"'visits'.*lists"):
        read(path)
    assert read(path, ["a"]).columns == ("a",)


@pytest.mark.parametrize("listed", [False, True])
def test_a_number_and_the_same_text_in_json_stay_different(tmp_path, listed):
    records = [{"a": 1}, {"a": "1"}, {"a": True}, {"a": "true"}, {"a": "1"}]
    path = tmp_path / ("x.json" if listed else "x.jsonl")
    path.write_text(json.dumps(records) if listed else "\n".join(map(json.dumps, records)))
    codes = read(path)["a"].codes.tolist()
    assert len(set(codes)) == 4
    assert codes[1] == codes[4]
