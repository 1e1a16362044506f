"""From the fields of a form to a step, or to what a search is asked for."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from singleout.report.say import say
from singleout.web.errors import Refused

__all__ = [
    "IN_PLAN",
    "KINDS",
    "METHODS",
    "PERTURBING",
    "asked_of",
    "kinds_for",
    "limits_shown",
    "step_of",
]

# the steps for one column, by what its values are like; those of all follow
_OF_KIND = {
    "number": ("width", "cuts", "ends", "round"),
    "date": ("date",),
    "text": ("prefix",),
}
_OF_ANY = ("groups", "rare", "drop", "blank", "shuffle")
_OF_TABLE = ("generalise", "cells", "records", "remove")
KINDS = (*(kind for some in _OF_KIND.values() for kind in some), *_OF_ANY, *_OF_TABLE, "means")
PERTURBING = ("shuffle", "means")


class _Fields:
    """The fields of a form, each read as what it must be."""

    def __init__(self, form: Any) -> None:
        self._form = form

    def text(self, name: str) -> str:
        """Return a text without the blanks around it."""
        value = self._form.get(name, "")
        return value.strip() if isinstance(value, str) else ""

    def needed(self, name: str) -> str:
        """Return a text that must be there."""
        text = self.text(name)
        if not text:
            raise Refused(422, "web.treat.errors.empty", name=say(f"web.treat.fields.{name}"))
        return text

    def number(self, name: str, text: str | None = None) -> float | None:
        """Return a number as people write it; None if nothing is there."""
        given = self.text(name) if text is None else text
        if not given:
            return None
        plain = re.sub(r"[\s\u00a0\u202f']", "", given)
        if plain.count(",") == 1 and "." not in plain:
            plain = plain.replace(",", ".")
        try:
            value = float(plain.replace(",", ""))
        except ValueError:
            raise self._no_number(name, given) from None
        if not math.isfinite(value):
            raise self._no_number(name, given)
        return int(value) if value.is_integer() else value

    def _no_number(self, name: str, given: str) -> Refused:
        field = say(f"web.treat.fields.{name}")
        return Refused(422, "web.treat.errors.number", name=field, given=given[:40])

    def required(self, name: str) -> float:
        """Return a number that must be there."""
        self.needed(name)
        value = self.number(name)
        assert value is not None
        return value

    def share(self, name: str) -> float | None:
        """Return a share that is written in percent."""
        value = self.number(name, self.text(name).rstrip("% ") or None)
        if value is None:
            return None
        if not 0 <= value <= 100:
            raise Refused(422, "web.treat.errors.percent", name=say(f"web.treat.fields.{name}"))
        return value / 100

    def several(self, name: str) -> list[str]:
        """Return all that was ticked."""
        return [one for one in self._form.getlist(name) if isinstance(one, str)]

    def optional(self, **names: str) -> dict[str, float]:
        """Return the numbers that are there, by the names of a step's options."""
        found = {option: self.number(name) for option, name in names.items()}
        return {option: value for option, value in found.items() if value is not None}


def kinds_for(kind: str | None) -> tuple[str, ...]:
    """Return the steps that a column may take, by what its values are like; of all if None."""
    if kind is None:
        return _OF_TABLE
    more = ("means",) if kind == "number" else ()
    return (*_OF_KIND.get(kind, ()), *_OF_ANY, *more)


def step_of(kind: str, form: Any, known: Sequence[str]) -> dict[str, Any]:
    """Return the entries of a step; ``known`` are the columns that others could know."""
    fields = _Fields(form)
    make = _MAKERS.get(kind)
    if make is None:
        raise Refused(422, "web.treat.errors.no_kind")
    if kind in PERTURBING and fields.text("agreed") != "yes":
        raise Refused(422, "web.treat.errors.agree")
    return make(fields, fields.text("column"), list(known))


def _cuts(fields: _Fields) -> list[float]:
    texts = [part.strip(",") for part in re.split(r"[\s;]+", fields.needed("cuts"))]
    found = [fields.number("cuts", text) for text in texts if text]
    return sorted({value for value in found if value is not None})


def _groups(fields: _Fields, column: str, known: list[str]) -> dict[str, Any]:
    del known
    ticked = list(dict.fromkeys(fields.several("value")))
    if not ticked:
        raise Refused(422, "web.treat.errors.tick")
    other = {"other": fields.text("other")} if fields.text("other") else {}
    return {"recode": column, "groups": {fields.needed("name"): ticked}, **other}


def _ends(fields: _Fields, column: str, known: list[str]) -> dict[str, Any]:
    del known
    ends = fields.optional(top="top", bottom="bottom")
    if not ends:
        raise Refused(422, "web.treat.errors.ends")
    return {"recode": column, **ends}


def _width(fields: _Fields, column: str, known: list[str]) -> dict[str, Any]:
    del known
    more = fields.optional(offset="offset", top="top", bottom="bottom")
    return {"recode": column, "width": fields.required("width"), **more}


def _remove(fields: _Fields, column: str, known: list[str]) -> dict[str, Any]:
    del column, known
    return {"suppress": "records", "where": fields.needed("where"), "rows": "remove"}


def _records(fields: _Fields, column: str, known: list[str]) -> dict[str, Any]:
    del column
    rows = "remove" if fields.text("rows") == "remove" else "blank"
    return {"suppress": "records", "k": fields.required("k"), "columns": known, "rows": rows}


_Maker = Callable[[_Fields, str, list[str]], dict[str, Any]]
_MAKERS: dict[str, _Maker] = {
    "width": _width,
    "cuts": lambda fields, column, _: {"recode": column, "cuts": _cuts(fields)},
    "ends": _ends,
    "round": lambda fields, column, _: {"recode": column, "round": fields.required("round")},
    "date": lambda fields, column, _: {"recode": column, "date": fields.needed("date")},
    "prefix": lambda fields, column, _: {"recode": column, "prefix": fields.required("prefix")},
    "groups": _groups,
    "rare": lambda fields, column, _: {
        "recode": column,
        "rare": fields.required("rare"),
        **({"other": fields.text("other")} if fields.text("other") else {}),
    },
    "drop": lambda _fields, column, _: {"drop": [column]},
    "blank": lambda fields, column, _: {
        "suppress": "cells",
        "columns": [column],
        "where": fields.needed("where"),
    },
    "shuffle": lambda _fields, column, _: {"shuffle": [column]},
    "means": lambda fields, column, _: {"microaggregate": [column], "k": fields.required("k")},
    "generalise": lambda fields, _, known: {
        "generalise": known,
        "k": fields.required("k"),
        "narrow": True,
    },
    "cells": lambda fields, _, known: {
        "suppress": "cells",
        "columns": known,
        "k": fields.required("k"),
    },
    "records": _records,
    "remove": _remove,
}


# ---- what a search is asked for

IN_PLAN = ("k", "highest_risk", "unique_share", "records_at_risk")
_MORE = 3  # how much a column counts that matters more
_NUMBERS = ("k", "highest_risk", "distinct_l", "t", "qar")
_SHARES = ("unique_share", "records_at_risk", "population_uniqueness")
METHODS = ("local", "full-domain", "cells")


def asked_of(
    form: Any, known: Sequence[str], trees: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the limits that a plan has, and what else `singleout.suggest` is asked for by name.

    A limit that is left empty does not matter.
    """
    from singleout.assessment.suggest.goal import goal_of

    fields = _Fields(form)
    given: dict[str, Any] = {name: fields.number(name) for name in _NUMBERS}
    given |= {name: fields.share(name) for name in _SHARES}
    limits = {name: value for name, value in given.items() if value is not None}
    if not limits:
        raise Refused(422, "web.treat.errors.no_limit")
    goal_of(None, limits)  # refuses what is no limit
    in_plan = {name: limits.pop(name) for name in IN_PLAN if name in limits}
    method = fields.text("method") or METHODS[0]
    asked = {**limits, "method": method, **_keeping(fields, known)}
    suppressed = fields.share("max_suppressed")
    if suppressed:
        asked["max_cells" if method == "cells" else "max_suppressed"] = suppressed
    edited = {name: rows for name, rows in trees.items() if name in known}
    if edited and method != "cells":
        asked["hierarchies"] = edited
    return in_plan, asked


def _keeping(fields: _Fields, known: Sequence[str]) -> dict[str, Any]:
    """Return the columns that matter more, and those that are never touched."""
    said = {name: fields.text(f"keep-{index}") for index, name in enumerate(known)}
    more = [name for name, how in said.items() if how == "more"]
    fixed = [name for name, how in said.items() if how == "fixed"]
    return {
        **({"importance": dict.fromkeys(more, _MORE)} if more else {}),
        **({"fixed": fixed} if fixed else {}),
    }


def limits_shown(limits: Mapping[str, float]) -> dict[str, str]:
    """Return limits as the fields of the form show them: shares in percent."""
    return {
        name: f"{value * 100:.6g}" if name in _SHARES else f"{value:.6g}"
        for name, value in limits.items()
    }
