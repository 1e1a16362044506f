"""Who is given an answer, an error, a report or a log is not given the password."""

import json
import logging
import pickle
import secrets
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
import tables
from stores import connect_mariadb, put_in_mariadb, put_in_postgresql

import singleout as so
from run_command import singleout
from singleout.errors import SingleoutError

QUESTIONS: dict[str, Callable[[str], Any]] = {
    "sets": lambda url: so.anonymity_sets(url, ["age", "sex"], by="zip", weight="weight"),
    "qar": lambda url: so.qar(url, size=2),
    "contributions": lambda url: so.contributions(url, size=2),
    "suda": lambda url: so.suda(url, ["age", "sex", "zip"]),
    "discrimination": lambda url: so.discrimination_rate(url, ["zip"], "illness"),
    "eliminate": lambda url: so.eliminate(url, records=5, size=2),
    "count": lambda url: so.count(url, ["sex"]),
    "read": so.read,
    "assess": lambda url: so.assess(url, PLAN),
}

PLAN = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "zip": {"role": "quasi-identifier", "exposure": "EE"},
        "illness": {"role": "sensitive", "moral": 4},
    },
}


@dataclass(frozen=True)
class Secret:
    """A table, and the words that nobody may see."""

    url: str
    words: tuple[str, ...]

    def assert_not_in(self, text: str) -> None:
        for word in self.words:
            assert word not in text, "the password is there"

    def elsewhere(self, **parts: Any) -> str:
        """Return the URL with some of its parts changed."""
        given = urlsplit(self.url)
        user = parts.get("user", given.username)
        password = parts.get("password", given.password)
        port = parts.get("port", given.port)
        path = parts.get("path", given.path)
        table = parts.get("table", given.fragment)
        return f"{given.scheme}://{user}:{password}@127.0.0.1:{port}{path}#{table}"


@pytest.fixture(params=["postgresql", "mariadb"])
def secret(request: pytest.FixtureRequest) -> Secret:
    """A user whose password has all characters that URLs and SQL use."""
    url = request.getfixturevalue(request.param)
    first, second = secrets.token_hex(8), secrets.token_hex(8)
    password = f"{first}@:/?#[]%&=+ '\"\\{second}"
    user = f"u{secrets.token_hex(4)}"
    if request.param == "postgresql":
        _user_of_postgresql(url, user, password)
        table = put_in_postgresql(url, tables.people(), "secret_people")
    else:
        _user_of_mariadb(url, user, password)
        table = put_in_mariadb(url, tables.people(), "secret_people")
    given = urlsplit(table)
    own = f"{given.scheme}://{user}:{quote(password, safe='')}@{given.hostname}:{given.port}"
    return Secret(f"{own}{given.path}#{given.fragment}", (first, second))


def _user_of_postgresql(url: str, user: str, password: str) -> None:
    import psycopg
    from psycopg import sql

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD {} IN ROLE pg_read_all_data").format(
                sql.Identifier(user), sql.Literal(password)
            )
        )


def _user_of_mariadb(url: str, user: str, password: str) -> None:
    with connect_mariadb(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE USER %s@'127.0.0.1' IDENTIFIED BY %s", (user, password))
        cursor.execute("GRANT SELECT ON *.* TO %s@'127.0.0.1'", (user,))


@pytest.mark.parametrize("question", QUESTIONS)
def test_results_hold_no_password(
    secret: Secret,
    question: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    found = QUESTIONS[question](secret.url)
    secret.assert_not_in(_everything_of(found))
    secret.assert_not_in(caplog.text)
    secret.assert_not_in("".join(capfd.readouterr()))


def _everything_of(found: Any) -> str:
    texts = [repr(found), str(found), repr(vars(found)) if hasattr(found, "__dict__") else ""]
    ways = [way for way in ("to_dict", "to_frame", "_repr_html_") if hasattr(found, way)]
    texts += [str(getattr(found, way)()) for way in ways]
    if hasattr(found, "notes"):
        texts.append(str(found.notes))
    # what cannot be written cannot be read
    with suppress(TypeError, AttributeError, pickle.PicklingError):
        texts.append(repr(pickle.dumps(found)))
    return "\n".join(texts)


@pytest.mark.parametrize(
    "wrong",
    [
        {"port": 1},
        {"user": "nobody"},
        {"path": "/no_such_database"},
        {"table": "no_such_table"},
        {"table": ""},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
@pytest.mark.parametrize("question", ["sets", "read"])
def test_errors_say_what_is_wrong_without_the_password(
    secret: Secret, question: str, wrong: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(SingleoutError) as refused:
        QUESTIONS[question](secret.elsewhere(**wrong))
    assert "\n" not in str(refused.value)
    secret.assert_not_in("".join(traceback.format_exception(refused.value)))
    secret.assert_not_in(_all_that_led_to(refused.value))
    secret.assert_not_in(caplog.text)


def _all_that_led_to(error: BaseException | None) -> str:
    """Return an error and those before it, even those that a traceback does not show."""
    texts = []
    while error is not None:
        texts += [repr(error), str(vars(error))]
        error = error.__cause__ or error.__context__
    return "\n".join(texts)


def test_a_wrong_password_is_not_repeated(secret: Secret) -> None:
    wrong = secrets.token_hex(8)
    with pytest.raises(SingleoutError) as refused:
        so.anonymity_sets(secret.elsewhere(password=wrong), ["age"])
    assert wrong not in _all_that_led_to(refused.value)


@pytest.mark.parametrize(
    "words",
    [
        ("sets", "--qi", "age+sex"),
        ("sets", "--qi", "age+sex", "--json"),
        ("sets", "--qi", "agee"),
        ("sets", "--qi", "age", "--where", "age >"),
        ("qar", "--size", "2", "--json"),
        ("suda", "--qi", "age,sex,zip", "--json"),
        ("columns",),
    ],
    ids=" ".join,
)
def test_the_command_line_prints_no_password(secret: Secret, words: tuple[str, ...]) -> None:
    command, *options = words
    done = singleout(command, secret.url, *options)
    assert "Traceback" not in done.stderr
    if "agee" not in options and "age >" not in options:
        assert done.returncode == 0, done.stderr
    secret.assert_not_in(done.stdout + done.stderr)


def test_a_report_holds_no_password(secret: Secret, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(PLAN), encoding="utf-8")
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    done = singleout("assess", secret.url, "--plan", plan, "-o", page, "--report-json", data)
    assert done.returncode == 0, done.stderr
    secret.assert_not_in(done.stdout + done.stderr)
    secret.assert_not_in(page.read_text(encoding="utf-8"))
    secret.assert_not_in(data.read_text(encoding="utf-8"))
