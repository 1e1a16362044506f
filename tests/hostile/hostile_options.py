"""Hostile options: numbers beyond all bounds, conditions that attack, names that are not there."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import split

from hostile_case import Case, answered, both, counted, files, people, refused

DIGITS = "9" * 400
QUANTITIES = ("--normal", "--exponential", "--width")


def extremes() -> Iterator[Case]:
    """Predictions at the ends of what a float can hold: an answer that is finite, or a refusal."""
    for option, value in (
        ("--cells", "1e308"),
        ("--cells", DIGITS),
        ("--exponential", "1e308"),
        ("--normal", "1e308"),
        ("--exponential", "1e-320"),
        ("--normal", "1e-320"),
    ):
        width = () if option == "--cells" else ("--width", "1")
        words = ("predict", option, value, *width, "--people", "10", "--json")
        yield Case(f"predict{option}-{value[:9]}", words, code=0, may_refuse=True)
    for name, words in (
        ("people-of-digits", ("--cells", "10", "--people", DIGITS)),
        ("people-beyond-64-bits", ("--cells", "10", "--people", str(2**70))),
        ("width-beyond-all", ("--normal", "1", "--width", "1e308", "--people", "5")),
        ("width-below-all", ("--normal", "1", "--width", "1e-308", "--people", "5")),
    ):
        yield Case(f"predict-{name}", ("predict", *words, "--json"), code=0, may_refuse=True)
    endless = ("predict", "--cells", "10", "--people", "5", "--up-to", str(2**70), "--json")
    yield Case("predict-up-to-beyond-64-bits", endless, code=0, may_refuse=True, alone=True)


def _spread(option: str) -> dict[str, str]:
    """Return options that go with one, and that nothing is wrong with."""
    if option not in QUANTITIES:
        return {"--cells": "10", "--people": "5"}
    quantity = {} if option == "--exponential" else {"--normal": "1"}
    return {**quantity, "--width": "1", "--people": "5"}


def predictions() -> Iterator[Case]:
    """Predictions of what cannot be."""
    for option in ("--cells", "--people", *QUANTITIES, "--kl", "--up-to"):
        least = ("-1",) if option in ("--kl", "--people") else ("0", "-1")
        for value in (*least, "nan", "inf", "1e400", "abc", ""):
            words = [word for pair in {**_spread(option), option: value}.items() for word in pair]
            name = f"predict{option}-{value or 'nothing'}"
            yield refused(name, "predict", *words, says=(option.strip("-"),))
    for shares in ("", ",", "0.5,0.6", "0,0", "a,b", "0.5;0.5"):
        words = ("predict", "--shares", shares, "--people", "3")
        yield refused(f"predict-shares-{shares or 'nothing'}", *words, says=("share",))
    for shares in ("1.5,-0.5", "nan,1", "inf", "1e308,1e308"):
        words = ("predict", "--shares", shares, "--people", "3")
        yield refused(f"predict-shares-{shares}", *words, says=())
    for sums in ("", "abc", "2", "-1", "nan", "0.5,0.6,0.7"):
        words = ("predict", "--cells", "10", "--power-sums", sums, "--people", "3")
        yield refused(f"predict-power-sums-{sums or 'nothing'}", *words, says=("power",))
    counted_by = ("--data", "people.csv", "--qi", "a", "--people", "2", "--count")
    for name, words, says in (
        ("without-people", ("--cells", "10"), "people"),
        ("without-a-spread", ("--people", "10"), "--cells"),
        ("two-spreads", ("--cells", "10", "--shares", "0.5,0.5", "--people", "3"), "--shares"),
        ("normal-without-width", ("--normal", "1", "--people", "3"), "width"),
        ("data-without-columns", ("--data", "people.csv", "--people", "3"), "--qi"),
        ("columns-without-data", ("--qi", "a", "--cells", "3", "--people", "3"), "--qi"),
        ("count-of-text", (*counted_by, "b"), "b"),
        ("unknown-count", (*counted_by, "n"), "n"),
    ):
        yield refused(f"predict-{name}", "predict", *words, says=(says,))


OUT_OF_RANGE = {
    "--size": ("0", "-1", "3", "1.5", str(2**70), "abc"),
    "--alpha": ("0", "1", "-1", "nan", "inf"),
    "--tail": ("0", "2", "nan", "-0.1"),
}


def tops() -> Iterator[Case]:
    """How many to show: no number, or more than any machine can count."""
    for command in ("qar", "records", "suda"):
        size = () if command == "suda" else ("--size", "2")
        words = (command, "people.csv", *size, "--top")
        for value in ("-1", "nan", "1.5", "abc", ""):
            yield refused(f"{command}-top-{value or 'nothing'}", *words, value, says=("top",))
        for name, value in (("beyond-64-bits", str(2**70)), ("of-digits", DIGITS)):
            line = (*words, value)
            yield Case(f"{command}-top-{name}", line, people, code=0, says=("a",), may_refuse=True)


def measures() -> Iterator[Case]:
    """Options of the measures out of their range."""
    for command in ("qar", "records", "eliminate"):
        removed = ("--records", "1") if command == "eliminate" else ()
        for option, values in OUT_OF_RANGE.items():
            size = () if option == "--size" else ("--size", "2")
            words = (command, "people.csv", *removed, *size, option)
            for value in values:
                name = f"{command}{option}-{value[:24]}"
                yield refused(name, *words, value, says=(option[2:],))
    for value in ("0", "-1", "abc", "1.5", "nan"):
        yield refused(
            f"suda-max-size-{value}", "suda", "people.csv", "--max-size", value, says=("max",)
        )
    for value in ("0", "-1", "2", "nan", "inf", "abc"):
        words = ("suda", "people.csv", "--sampling-fraction", value)
        yield refused(f"suda-sampling-fraction-{value}", *words, says=("fraction",))
    endless = ("suda", "people.csv", "--max-size", str(2**70))
    yield Case("suda-max-size-beyond", endless, people, code=0, says=("a",), may_refuse=True)
    one = ("--records", "1")
    for name, words, says in (
        ("nothing-said", (), "share"),
        ("records-and-share", (*one, "--share", "0.5"), "share"),
        ("all-records", ("--records", "4"), "4"),
        ("more-than-all", ("--records", str(2**70)), "records"),
        ("below-zero", ("--records", "-1"), "records"),
        ("share-above-one", ("--share", "1.5"), "share"),
        ("share-not-a-number", ("--share", "nan"), "share"),
        ("unknown-criterion", (*one, "--criterion", "nosuch"), "nosuch"),
        ("every-below-zero", (*one, "--every", "-1"), "every"),
        ("unknown-estimator", (*one, "--estimator", "nosuch"), "nosuch"),
        ("unknown-ordinal", (*one, "--ordinal", "nosuch"), "ordinal"),
    ):
        line = ("eliminate", "people.csv", "--size", "2", *words)
        yield refused(f"eliminate-{name}", *line, says=(says,))


def names() -> Iterator[Case]:
    """Columns that are not there, or are given twice."""
    for name, qi, says in (
        ("of-nothing", "", "--qi"),
        ("of-a-plus", "+", "--qi"),
        ("ending-in-a-plus", "a+", "--qi"),
        ("unknown", "nosuch", "nosuch"),
        ("unknown-with-escapes", "\x1b[2J", "not found"),
        ("unknown-with-a-zero", "a\0", "not found"),
        ("unknown-and-long", "x" * 100_000, "not found"),
        ("of-another-case", "A", "'a'"),
    ):
        yield refused(f"columns-{name}", "sets", "people.csv", "--qi", qi, says=(says,))
    for name, words, says in (
        ("of-commas", ("--qi", ",,"), "columns"),
        ("of-nothing-at-all", ("--qi", ""), "columns"),
        ("not-there", ("--qi", "a,nosuch"), "nosuch"),
    ):
        yield refused(
            f"qar-columns-{name}", "qar", "people.csv", "--size", "1", *words, says=(says,)
        )
    yield counted("columns-twice-the-same", people, "people.csv", "a+b+a+b")
    yield answered(
        "qar-columns-repeated",
        *("qar", "people.csv", "--size", "1", "--qi", "a,a"),
        answer={"results.0.columns": ["a"], "results.0.combinations": 1},
    )
    yield refused(
        "group-that-is-not-there",
        *split("sets people.csv --qi a --by nosuch"),
        says=("nosuch",),
    )
    yield refused("no-columns-said", "sets", "people.csv", says=("--qi",))
    yield refused(
        "identifier-that-is-not-there", *split("suda people.csv --id nosuch"), says=("nosuch",)
    )


def conditions() -> Iterator[Case]:
    """Conditions that attack, never end, or mean nothing."""
    for name, condition, says in (
        ("empty", "", "condition is empty"),
        ("of-blanks", "   ", "condition is empty"),
        ("with-an-injection", "a = '1'; drop table people", ";"),
        ("with-a-comment", "a = '1' -- and b = 2", "-"),
        ("with-a-subquery", "a in (select a from people)", "select"),
        ("with-an-unclosed-text", "b = 'x", "'"),
        ("with-an-unclosed-name", 'a = 1 and "b = 2', '"'),
        ("with-an-unclosed-parenthesis", "(a = 1", "closed"),
        ("with-too-many-parentheses", "(" * 100_000 + "a = 1" + ")" * 100_000, "condition"),
        ("with-too-many-nots", "not " * 100_000 + "a = 1", "condition"),
        ("with-an-unknown-column", "nosuch = 1", "nosuch"),
        ("without-a-comparison", "a", "a"),
        ("of-a-number", "1", "1"),
        ("with-a-function", "system('ls') = 1", "condition"),
        ("with-arithmetic", "a / 0 = 1", "/"),
        ("with-a-zero-byte", "a = '\0'", "condition"),
        ("with-escapes", "\x1b[2J = 1", "condition"),
        ("with-unknown-letters", "a ≥ 1", "≥"),
        ("that-nobody-meets", "a = 'nobody'", "no"),
    ):
        for engine in ("local", "database"):
            yield refused(
                f"where-{name}-{engine}",
                "sets",
                "people.csv",
                "--qi",
                "a",
                "--where",
                condition,
                "--engine",
                engine,
                says=(says,),
                may_refuse=False,
            )
    many = " or ".join(f"a = '{n}'" for n in range(3000))
    yield counted(
        "where-with-thousands-of-parts",
        people,
        "people.csv",
        options=("--where", many),
        expected={"records": 4},
        may_refuse=True,
    )
    listed = ", ".join(f"'{n}'" for n in range(50_000))
    yield counted(
        "where-with-a-long-list",
        people,
        "people.csv",
        options=("--where", f"a in ({listed})"),
        expected={"records": 4},
        may_refuse=True,
    )
    quoted = "b = 'x'' or 1 = 1 --'"
    yield refused(
        "where-with-an-escaped-quote",
        "sets",
        "people.csv",
        "--qi",
        "a",
        "--where",
        quoted,
        says=("no",),
    )


def ways_of_reading() -> Iterator[Case]:
    """Options on reading that have no meaning here."""
    for name, words, says in (
        ("sheet-of-a-text-file", ("--sheet", "1"), "sheet"),
        ("name-in-a-text-file", ("--name", "x"), "name"),
        ("unknown-engine", ("--engine", "nosuch"), "nosuch"),
        ("empty-engine", ("--engine", ""), "engine"),
        ("memory-of-words", ("--engine", "database", "--memory", "lots"), "lots"),
        ("memory-below-zero", ("--engine", "database", "--memory=-4GB"), "memory"),
        ("memory-of-digits", ("--engine", "database", "--memory", f"{DIGITS}GB"), "memory"),
        (
            "memory-with-an-injection",
            ("--engine", "database", "--memory", "4GB'; drop table x; --"),
            "memory",
        ),
        ("memory-without-a-database", ("--engine", "local", "--memory", "4GB"), "memory"),
        ("timeout-not-a-number", ("--engine", "database", "--timeout", "nan"), "timeout"),
        ("timeout-below-zero", ("--engine", "database", "--timeout", "-1"), "timeout"),
        ("timeout-of-words", ("--engine", "database", "--timeout", "soon"), "timeout"),
        ("unknown-policy-on-missing", ("--missing", "nosuch"), "nosuch"),
        ("weight-that-is-not-there", ("--weights", "nosuch"), "nosuch"),
    ):
        yield refused(name, "sets", "people.csv", "--qi", "a", *words, says=(says,))
    for name, na in (
        ("an-empty-text", ""),
        ("a-zero-byte", "\0"),
        ("a-long-text", "x" * 100_000),
        ("an-escape", "\x1b"),
        ("a-quote", "'\""),
        ("not-a-number", "nan"),
    ):
        yield counted(f"missing-is-{name}", people, "people.csv", options=("--na", na))
    yield counted(
        "missing-is-every-value",
        people,
        "people.csv",
        options=("--na", "1", "--na", "2", "--na", "3", "--na", "x", "--na", "y"),
        expected={"records": 4, "sets": 1, "unique": 0},
    )


def commands() -> Iterator[Case]:
    """Commands that there are not."""
    for name, words, says in (
        ("unknown", ("nosuch",), "nosuch"),
        ("misspelt", ("set", "people.csv"), "set"),
        ("with-escapes", ("\x1b[2J",), "command"),
        ("empty", ("",), "command"),
        ("unknown-option", ("sets", "people.csv", "--nosuch"), "--nosuch"),
        ("option-with-escapes", ("sets", "people.csv", "--\x1b[2J"), "option"),
        ("option-without-a-value", ("sets", "people.csv", "--qi"), "--qi"),
        ("without-data", ("sets", "--qi", "a"), "DATA"),
        ("too-many-files", ("sets", "people.csv", "more.csv", "--qi", "a"), "more.csv"),
        ("flag-with-a-value", ("sets", "people.csv", "--qi", "a", "--json=yes"), "--json"),
        ("data-called-like-an-option", ("sets", "--qi", "a", "--", "--nosuch"), "--nosuch"),
        ("compare-one", ("compare", "people.csv"), "AFTER"),
    ):
        yield refused(
            f"command-{name}",
            *words,
            make=both(people, files({"more.csv": "a\n1\n"})),
            says=(says,),
        )


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (
        extremes,
        predictions,
        tops,
        measures,
        names,
        conditions,
        ways_of_reading,
        commands,
    ):
        yield from part()
