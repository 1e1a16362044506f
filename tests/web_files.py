"""Files that the tests of pages give to the application."""

from __future__ import annotations

import csv
import random
from pathlib import Path


def people(n: int = 240, seed: int = 7) -> list[dict[str, object]]:
    """Made-up people; ``trk`` is a number that nobody can explain by its name."""
    chosen = random.Random(seed)
    return [
        {
            "age": chosen.randint(18, 90),
            "sex": chosen.choice("fm"),
            "zip": chosen.choice(["1011", "1012", "1013", "1014"]),
            "trk": chosen.randint(1, 60),
            "diagnosis": chosen.choice(["flu", "colds", "HIV", "asthma"]),
        }
        for _ in range(n)
    ]


def csv_file(folder: Path, n: int = 240, columns: tuple[str, ...] = ()) -> Path:
    """A plain file, perhaps of some of the columns."""
    file = folder / "people.csv"
    rows = [{name: one[name] for name in columns or one} for one in people(n)]
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return file


def messy_workbook(folder: Path) -> Path:
    """A title above the names, a remark below the table, and a sheet of notes beside it."""
    from openpyxl import Workbook

    book = Workbook()
    notes = book.active
    assert notes is not None
    notes.title = "Read me"
    notes.append(["Export of the ward"])
    sheet = book.create_sheet("Data 2026")
    sheet.append(["Patients of the ward"])
    sheet.append([])
    rows = people()
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    sheet.append([])
    sheet.append(["Source: the ward's own register"])
    file = folder / "messy.xlsx"
    book.save(file)
    return file


SCRIPT = "<script>document.title='owned'</script>"


def hostile_file(folder: Path) -> Path:
    """Script in names and in values, formulas, and control characters."""
    file = folder / "<img src=x onerror=alert(1)>.csv"
    rows = people(90)
    names = [SCRIPT, "=cmd|' /C calc'!A0", '"><svg onload=alert(2)>', "trk", "dia\u202egnosis"]
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(names)
        for row in rows:
            values = list(row.values())
            values[1] = SCRIPT if values[1] == "f" else "=1+1"
            writer.writerow(values)
    return file
