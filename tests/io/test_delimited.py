from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.errors import BadChoice, UnknownColumns, UnreadableFile, UnusableTable
from singleout.io.text.delimited import read_delimited

TABLE = {"id": ["01", "1", "é"], "town": ["Zoë, Ghent", None, "NA"], "n": ["1,5", " 2", "03"]}


def cells(path, *args, **options):
    return read_delimited(path, *args, **options).frame.to_dict(as_series=False)


def as_csv(table=TABLE, delimiter=",", quote='"', end="\r\n"):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quotechar=quote, lineterminator=end)
    writer.writerow(table)
    writer.writerows(zip(*table.values(), strict=True))
    return out.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("quote", ['"', "'"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiter_quote_and_line_end_are_detected(write, delimiter, quote, end):
    table = {**TABLE, "town": [f"Zoë{delimiter} Ghent", None, "NA"]}
    assert cells(write(as_csv(table, delimiter, quote, end).encode())) == table


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_encoding_and_gzip_are_detected_whatever_the_name(write, encoding, zipped):
    content = as_csv().encode(encoding)
    assert cells(write(gzip.compress(content) if zipped else content)) == TABLE


def test_a_byte_that_windows_does_not_know_makes_it_latin_1(write):
    source = read_delimited(write(b"a;b\n1;\x81\xe9\n"))
    assert source.frame["b"].to_list() == ["\x81é"]
    assert "Latin-1" in source.notes[0]


def test_a_guessed_encoding_is_noted(write):
    assert read_delimited(write("a,b\n1,é\n".encode())).notes == ()
    assert "Windows-1252" in read_delimited(write("a,b\n1,é\n".encode("cp1252"))).notes[0]
    assert read_delimited(write(b"a,b\n1,\xe9\n"), encoding="cp1252").notes == ()


@pytest.mark.parametrize("columns", [None, ["b"]])
def test_a_byte_that_is_not_utf8_far_into_the_file_changes_the_encoding(write, columns):
    source = read_delimited(write(b"a,b\n" + b"x,y\n" * 200_000 + b"x,\xe9\n"), columns)
    assert source.frame.height == 200_001
    assert source.frame["b"][-1] == "é"
    assert "Windows-1252" in source.notes[0]


def test_every_cell_stays_the_text_it_is(write):
    texts = cells(write(b"a,b,c\n01,NA,true\n1,null, x \n1.0,2020-01-01,1e3\n"))
    assert texts == {
        "a": ["01", "1", "1.0"],
        "b": ["NA", "null", "2020-01-01"],
        "c": ["true", " x ", "1e3"],
    }


def test_an_empty_cell_is_missing_quoted_or_not(write):
    assert cells(write(b'a,b,c\n"",,x\n1,"",\n')) == {
        "a": [None, "1"],
        "b": [None, None],
        "c": ["x", None],
    }


def test_a_record_without_any_value_is_a_record(write):
    assert cells(write(b"a,b\n1,2\n,\n")) == {"a": ["1", None], "b": ["2", None]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_are_not_records(write, end):
    text = end.join(["", "a,b", "1,2", "", "3,", "", "", ""])
    assert cells(write(text.encode())) == {"a": ["1", "3"], "b": ["2", None]}


def test_in_a_file_of_one_column_a_blank_line_is_an_empty_cell(write):
    assert cells(write(b"a\nx\n\ny\n")) == {"a": ["x", None, "y"]}


def test_blank_lines_far_apart_are_left_out_exactly(write, monkeypatch):
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", 64)
    lines = [f"{i},'x\ny {i}',{'' if i % 5 else i}" for i in range(500)]
    blanks = [line + ("\n" if i % 7 == 0 else "") for i, line in enumerate(lines)]
    texts = cells(write(("a,b,c\n" + "\n".join(blanks)).encode()), quote="'")
    assert texts["a"] == [str(i) for i in range(500)]
    assert texts["b"] == [f"x\ny {i}" for i in range(500)]


@pytest.mark.parametrize("columns", [None, ["a"], ["c", "a"]])
@pytest.mark.parametrize(
    ("row", "count"),
    [("1,2", "2 values"), ("1", "1 value"), ("1,2,3,4", "4 values"), ("1,,,", "4")],
)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_record_that_is_too_short_or_too_long_is_named(write, columns, row, count, end):
    text = end.join(["a,b,c", "1,2,3", '4,"x', 'y",6', "", "7,8,", row, "9,9,9"])
    path = write(text.encode())
    with pytest.raises(UnusableTable, match=rf"people\.csv, line 7 has {count}.* header has 3"):
        read_delimited(path, columns)


def test_a_short_record_among_empty_last_cells_is_texts_beyond_the_first_piece(write, monkeypatch):
    monkeypatch.setattr("singleout.io.text.encoding._PIECE", 64)
    with pytest.raises(UnusableTable, match="line 302 has 1 value but the header has 2"):
        read_delimited(write(b"a,b\n" + b"1,\n" * 300 + b"2\n" + b"1,\n" * 300))


def test_quote_marks_inside_cells_are_ordinary_characters(write):
    assert cells(write(b'a,b\n1,5" pipe\n2,it\'s\n3,6" pipe\n4,\n')) == {
        "a": ["1", "2", "3", "4"],
        "b": ['5" pipe', "it's", '6" pipe', None],
    }


@pytest.mark.parametrize("content", [b'a,b\n1,2\n3,"x\n4,y\n', b'a,b\n1,2\n3,"x"y\n4,z\n'])
def test_a_quote_that_is_not_closed_is_named(write, content):
    with pytest.raises(UnreadableFile, match="line 3 has a quote mark"):
        read_delimited(write(content))


def test_single_quotes_are_detected_in_a_file_larger_than_the_sample(write):
    lines = b"".join(b"'%d','x, \ny'\n" % number for number in range(50_000))
    frame = read_delimited(write(b"'a','b'\n" + lines)).frame
    assert frame.shape == (50_000, 2)
    assert frame.row(-1) == ("49999", "x, \ny")


def test_without_quote_every_quote_mark_is_an_ordinary_character(write):
    assert cells(write(b'a,b\n"x,y"\n'), quote="") == {"a": ['"x'], "b": ['y"']}


def test_names_that_begin_with_an_apostrophe_are_not_quotes(write):
    assert cells(write(b"a,b\n't Hooft,1\nd',2\nx,3\n't,4\n")) == {
        "a": ["'t Hooft", "d'", "x", "'t"],
        "b": ["1", "2", "3", "4"],
    }


def test_a_header_cell_without_text_is_called_by_its_place(write):
    assert list(cells(write(b"a,, \n1,2,3\n"))) == ["a", "column_2", "column_3"]


def test_a_header_with_a_name_twice_is_refused(write):
    with pytest.raises(UnusableTable, match="more than one column called 'a'"):
        read_delimited(write(b"a,b,a\n1,2,3\n"))


def test_a_header_may_hold_line_ends_and_delimiters(write):
    assert cells(write(b'"a\nx","b,y"\n1,2\n')) == {"a\nx": ["1"], "b,y": ["2"]}


def test_a_header_may_be_longer_than_the_sample(write):
    names = [f"column number {i}" for i in range(20_000)]
    path = write((",".join(names) + "\n" + ",".join(["1"] * 20_000) + "\n").encode())
    assert cells(path, ["column number 19999"]) == {"column number 19999": ["1"]}


def test_a_line_that_is_neither_title_nor_record_is_given_to_look_at(write):
    with pytest.raises(UnusableTable, match="line 2 has 3 values but the header has 1"):
        read_delimited(write(b"Survey of 2020\n1;2;3\n4;5;6\n7;8;9\n"))


def test_a_file_of_one_column_needs_no_delimiter(write):
    assert cells(write(b"age\n30\n41\n")) == {"age": ["30", "41"]}


def test_only_the_asked_columns_come_in_the_asked_order(write):
    path = write(b"a,b,c\n1,2,3\n4,5,\n")
    assert cells(path, ["c", "a"]) == {"c": ["3", None], "a": ["1", "4"]}
    assert cells(path, ["b", "b"]) == {"b": ["2", "5"]}


def test_unknown_columns_are_named_before_the_records_are_read(write):
    with pytest.raises(UnknownColumns, match=r"'aeg'.*Did you mean 'age'"):
        read_delimited(write(b"age,sex\n1,2,3,4,5\n"), ["aeg"])


def test_no_columns_at_all_is_a_bad_choice(write):
    with pytest.raises(BadChoice, match="No columns"):
        read_delimited(write(b"a\n1\n"), [])


def test_a_column_called_like_a_file_signature_is_text(write):
    assert cells(write(b"PAR1,PAR2\n1,2\n")) == {"PAR1": ["1"], "PAR2": ["2"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG image"),
        (b"PK\x03\x04\x14\0\0\0\x08\0", "an Excel workbook or a ZIP archive"),
        (b"PAR1\x15\x04\x15\0PAR1", "a Parquet file"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        (b"%PDF-1.7\n1 0 obj\n", "a PDF document"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG image"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an Excel workbook"),
        (b" <!DOCTYPE html>\n<html><body>a,b</body></html>", "a web page"),
        (b"BZh91AY&SY\0\0", "a bzip2 archive"),
        (gzip.compress(b"\x89PNG\r\n\x1a\n\0\0", mtime=0), "a PNG image"),
        (b"a,b\n1,\0\n", "binary data"),
    ],
)
def test_what_is_not_text_is_said_to_be_what_it_looks_like(write, content, words):
    with pytest.raises(UnreadableFile, match=rf"people\.csv is not a table in text form.*{words}"):
        read_delimited(write(content))


def test_a_zero_byte_far_into_the_file_is_texts(write):
    with pytest.raises(UnreadableFile, match="not text: it has a zero byte at position 800,004"):
        read_delimited(write(b"a,b\n" + b"1,2\n" * 200_000 + b"\0\0\0"))


@pytest.mark.parametrize("content", [b"\n", b" \n \r\n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_a_file_of_blanks_is_empty(write, content):
    with pytest.raises(UnreadableFile, match=r"people\.csv is empty"):
        read_delimited(write(content))


def test_a_header_alone_gives_no_rows(write):
    frame = read_delimited(write(b"a,b\r\n")).frame
    assert frame.shape == (0, 2)


def test_a_gzip_file_that_is_cut_off_is_said_to_be(write):
    content = gzip.compress(as_csv().encode())
    with pytest.raises(UnreadableFile, match="cut off or damaged"):
        read_delimited(write(content[:-9], "people.csv.gz"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"encoding": "utf9"}, "'utf9' is not a known encoding"),
        ({"encoding": "hex"}, "'hex' is not a known encoding"),
        ({"delimiter": ";;"}, "delimiter must be one ASCII character"),
        ({"delimiter": ""}, "delimiter must be one ASCII character"),
        ({"quote": "§"}, "quote must be one ASCII character"),
        ({"quote": ",", "delimiter": ","}, "cannot both be ','"),
    ],
)
def test_impossible_options_are_explained(write, options, message):
    with pytest.raises(BadChoice, match=message):
        read_delimited(write(b"a,b\n1,2\n"), **options)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "utf-16"])
@pytest.mark.parametrize("far", [0, 200_000])
def test_a_wrong_encoding_is_said_to_be_wrong(write, encoding, far):
    with pytest.raises(UnreadableFile, match=f"not {encoding} text"):
        read_delimited(write(b"a,b\n" + b"1,2\n" * far + b"1,\xe9\n"), encoding=encoding)


def test_a_given_delimiter_wins_over_detection(write):
    path = write(b"x,y\n1;2,3;4\n")
    assert cells(path, delimiter="\\t") == {"x,y": ["1;2,3;4"]}


def test_a_file_name_with_brackets_is_a_name_not_a_pattern(write):
    assert cells(write(b"a\n1\n", "people[1]*.csv")) == {"a": ["1"]}


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("adult.csv", (30_162, 9)),
        ("bevolking_leeftijd_NL.csv", (19_710, 4)),
        ("socr_height_weight.csv", (25_000, 3)),
        ("nl_pc4_age5_sex_2021.csv.gz", (81_480, 8)),
        ("ma2019.csv", (7_634, 24)),
    ],
)
def test_real_files_have_the_published_size(real_data, name, shape):
    frame = read_delimited(real_data / name).frame
    assert frame.shape == shape
    assert set(frame.dtypes) == {pl.String}


TEXT = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\x1a\x1b\ufeff"), max_size=8
)


@settings(max_examples=300, deadline=None)
@given(
    rows=st.integers(2, 5).flatmap(
        lambda width: st.lists(
            st.lists(TEXT, min_size=width, max_size=width), min_size=1, max_size=8
        )
    ),
    delimiter=st.sampled_from(",;\t|"),
    quote=st.sampled_from("\"'"),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    zipped=st.booleans(),
)
def test_what_the_csv_module_writes_is_read_back(
    rows, delimiter, quote, quoting, end, encoding, zipped
):
    # csv quotes a lone carriage return only if it is part of its line end
    rows = [[cell.replace("\r", "") for cell in row] for row in rows] if end == "\n" else rows
    names = [f"column {number}" for number in range(len(rows[0]))]
    out = io.StringIO(newline="")
    writer = csv.writer(
        out, delimiter=delimiter, quotechar=quote, quoting=quoting, lineterminator=end
    )
    writer.writerow(names)
    writer.writerows(rows)
    content = out.getvalue().encode(encoding)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        path.write_bytes(gzip.compress(content) if zipped else content)
        frame = read_delimited(path, delimiter=delimiter, quote=quote).frame
    assert frame.columns == names
    assert frame.rows() == [tuple(cell or None for cell in row) for row in rows]


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.lists(st.text("abé'\" x1,;", max_size=6), min_size=3, max_size=3), min_size=2, max_size=6
    ),
    delimiter=st.sampled_from(",;\t|"),
)
def test_detection_finds_the_delimiter_of_a_fully_quoted_file(rows, delimiter):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["x", "y", "z"])
    writer.writerows(rows)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "people.csv"
        path.write_bytes(out.getvalue().encode())
        frame = read_delimited(path).frame
    assert frame.rows() == [tuple(cell or None for cell in row) for row in rows]


def test_quotes_that_do_not_enclose_a_cell_swallow_no_record(write):
    broken = b'name,note\n"Ann","tall\n"Bob","small"\n"Cid",5"\n'
    with pytest.raises(UnreadableFile, match="quote mark"):
        read_delimited(write(broken))
    stray = b'name,size\nAnn,5"\nBob,6"\n'
    frame = read_delimited(write(stray)).frame
    assert frame["size"].to_list() == ['5"', '6"']


def test_a_semicolon_goes_before_a_comma_that_fits_as_well(write):
    frame = read_delimited(write(b"id;amount, EUR\n1;2,5\n2;3,5\n")).frame
    assert frame.columns == ["id", "amount, EUR"]
    assert list(frame.row(0)) == ["1", "2,5"]


def test_a_very_long_cell_is_read_on_the_exact_path(write):
    frame = read_delimited(write(b"a,b\r" + b"x" * 200_000 + b",1\r")).frame
    assert len(frame["a"][0]) == 200_000
