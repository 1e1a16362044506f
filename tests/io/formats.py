"""One small table, and how to write it in every format that can be read."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import polars as pl
import pyreadstat
import rdata
from rdata.conversion.to_r import DEFAULT_CLASS_MAP, build_r_object

PEOPLE: dict[str, list[Any]] = {
    "id": ["01", "1", "2"],
    "name": ["Zoë", None, "NA"],
    "age": [30.0, 41.5, None],
    "born": [dt.date(1990, 1, 2), None, dt.date(2001, 12, 31)],
    "member": [True, False, None],
}


def people() -> pl.DataFrame:
    return pl.DataFrame(PEOPLE)


def write_xlsx(path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "People"
    sheet.append(list(PEOPLE))
    for row in people().rows():
        sheet.append(row)
    book.save(path)


def write_ods(path: Path) -> None:
    def cell(value: Any) -> str:
        if value is None:
            return "<table:table-cell/>"
        if isinstance(value, bool):
            kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
        elif isinstance(value, float):
            kind = f'office:value-type="float" office:value="{value}"'
        elif isinstance(value, dt.date):
            kind = f'office:value-type="date" office:date-value="{value}"'
        else:
            kind = 'office:value-type="string"'
        return f"<table:table-cell {kind}><text:p>{value}</text:p></table:table-cell>"

    rows = "".join(
        f"<table:table-row>{''.join(map(cell, row))}</table:table-row>"
        for row in [tuple(PEOPLE), *people().rows()]
    )
    spaces = " ".join(
        f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{short}:1.0"'
        for short in ("office", "table", "text", "manifest")
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f"<manifest:manifest {spaces}/>")
        archive.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet>"
            f'<table:table table:name="People">{rows}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )


def write_statistical(path: Path) -> None:
    writers = {
        ".sav": pyreadstat.write_sav,
        ".zsav": lambda frame, to: pyreadstat.write_sav(frame, to, compress=True),
        ".dta": pyreadstat.write_dta,
        ".xpt": pyreadstat.write_xport,
    }
    writers[path.suffix](people(), path)


class RVector:
    """Values of R with attributes, such as a class."""

    def __init__(self, values: Any, **attributes: Any) -> None:
        self.values, self.attributes = values, attributes


def _r_vector(vector: RVector, converter: Any) -> Any:
    converted = converter.convert_to_r_object(vector.values)
    attributes = {key.replace("_", "."): value for key, value in vector.attributes.items()}
    return build_r_object(
        converted.info.type,
        value=converted.value,
        is_object="class" in attributes,
        attributes=converter.convert_to_r_attributes(attributes),
    )


def r_frame(columns: list[tuple[str, Any]], classes: tuple[str, ...] = ("data.frame",)) -> RVector:
    return RVector(
        [values for _, values in columns],
        **{
            "names": np.array([name for name, _ in columns]),
            "class": np.array(classes),
            "row_names": np.array([1, 2, 3], dtype=np.int32),
        },
    )


def r_people() -> RVector:
    days = [np.nan if day is None else (day - dt.date(1970, 1, 1)).days for day in PEOPLE["born"]]
    return r_frame(
        [
            ("id", np.array(PEOPLE["id"])),
            (
                "name",
                RVector(
                    np.ma.array([2, 1, 1], mask=[False, True, False], dtype=np.int32),
                    **{"levels": np.array(["NA", "Zoë"]), "class": "factor"},
                ),
            ),
            ("age", np.array([30.0, 41.5, np.nan])),
            ("born", RVector(np.array(days), **{"class": "Date"})),
            ("member", np.ma.array([True, False, False], mask=[False, False, True])),
        ],
        ("tbl_df", "tbl", "data.frame"),
    )


def write_r(path: Path, content: Any = None) -> None:
    content = r_people() if content is None else content
    classes = {**DEFAULT_CLASS_MAP, RVector: _r_vector}
    if path.suffix == ".rds":
        rdata.write_rds(path, content, constructor_dict=classes)
    else:
        objects = content if isinstance(content, dict) else {"people": content}
        rdata.write_rda(path, objects, constructor_dict=classes)


WRITERS = {
    ".csv": people().write_csv,
    ".parquet": people().write_parquet,
    ".arrow": people().write_ipc,
    ".feather": people().write_ipc,
    ".arrows": people().write_ipc_stream,
    ".jsonl": people().write_ndjson,
    ".ndjson": people().write_ndjson,
    ".json": people().write_json,
    ".xlsx": write_xlsx,
    ".ods": write_ods,
    ".sav": write_statistical,
    ".zsav": write_statistical,
    ".dta": write_statistical,
    ".xpt": write_statistical,
    ".rds": write_r,
    ".rda": write_r,
    ".RData": write_r,
}
