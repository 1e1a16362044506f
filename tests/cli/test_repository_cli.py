"""The commands of repositories, as somebody new meets them: what works, and what is refused."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from run_command import in_a_process, refused, singleout
from singleout.io.demo import demo_files

REPOSITORY = "r.db"
QI = ["--qi", "SEX,AGEP:width=10"]
STATE = ["--population", "State=MA"]
IN = ["--repository", REPOSITORY]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with data, a key and an empty repository."""
    (people,) = [file for file in demo_files() if file.suffix == ".csv"]
    shutil.copyfile(people, tmp_path / "people.csv")
    assert singleout("repository", "keys", "mine.key", "--new", cwd=tmp_path).returncode == 0
    done = singleout("repository", "init", REPOSITORY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Made r.db, a repository for yourself")
    return tmp_path


def ask(folder: Path, *words: object) -> dict[str, Any]:
    done = singleout(*words, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# ---- the four tasks


def test_data_are_published_queried_and_verified(folder: Path) -> None:
    published = ask(folder, "publish", "people.csv", *QI, *STATE, *IN, "--key", "mine.key")
    (made,) = published["records"]
    assert made["receipt"]["state"] == "valid"
    found = ask(folder, "query", *QI, *STATE, *IN, "--people", "500")
    assert found["exact"]
    assert found["record"] == made["record"]
    assert found["id"] == made["id"]
    assert [step["kind"] for step in found["path"]] == ["exact"]
    (predicted,) = found["predictions"]
    assert predicted["people"] == 500
    assert predicted["bounds"][0] <= predicted["mean"] <= predicted["bounds"][1]
    done = singleout("repository", "verify", REPOSITORY, cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("Nothing was changed: 3 entries")


def test_a_holder_gets_a_statement_for_an_impact_assessment(folder: Path) -> None:
    for state in ("MA", "NY"):
        population = ["--population", f"State={state}"]
        done = ask(folder, "publish", "people.csv", *QI, *population, *IN, "--statement")
    guarantee, siblings = done["records"][0]["statement"]
    assert "differentially private (cost 0.25)" in guarantee
    assert siblings.startswith("One other population of this kind has a record")
    shown = singleout("publish", "people.csv", *QI, "--dry-run", "--statement", cwd=folder)
    assert "differentially private (cost 0.25)" in " ".join(shown.stdout.split())


def test_the_same_words_on_the_screen(folder: Path) -> None:
    done = singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Published in" in done.stdout
    shown = singleout("query", *QI, *STATE, *IN, "-k", "100", cwd=folder).stdout
    assert "The record is of the quasi-identifier and the population asked for." in shown
    assert "Predicted" in shown
    listed = singleout("repository", "list", REPOSITORY, cwd=folder).stdout
    assert "AGEP:width=10+SEX" in listed
    table = singleout("repository", "table", *QI, *STATE, *IN, "-k", "10", cwd=folder).stdout
    assert "AGEP:width=10+SEX in State=MA" in table


def test_a_dry_run_shows_what_would_become_public_and_writes_nothing(folder: Path) -> None:
    done = singleout("publish", "people.csv", *QI, *STATE, *IN, "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "What becomes public about AGEP:width=10, SEX; State=MA:" in done.stdout
    assert "Nothing was written or sent" in done.stdout
    without = singleout("publish", "people.csv", *QI, "--dry-run", cwd=folder)
    assert without.returncode == 0, without.stderr
    assert singleout("query", *QI, *STATE, *IN, cwd=folder).returncode == 1


def test_what_may_not_be_published_exits_with_1_and_the_reasons(folder: Path) -> None:
    asked = ["publish", "people.csv", "--qi", "SEX", "--population", "AGEP=30", *IN]
    done = singleout(*asked, cwd=folder)
    assert done.returncode == 1
    assert "public records need 1,000" in done.stderr
    as_json = singleout(*asked, "--json", cwd=folder)
    assert as_json.returncode == 1
    answer = json.loads(as_json.stdout)
    assert answer["published"] is False
    assert any("publish a larger area" in reason for reason in answer["reasons"])


def test_a_batch_shares_the_price_and_tells_what_was_refused(folder: Path) -> None:
    found = ask(folder, "publish", "people.csv", "--qi", "SEX", "--qi", "EDU", *STATE, *IN)
    assert [each["record"]["gate"]["price"] for each in found["records"]] == [0.125, 0.125]


def test_terms_on_columns_select_records_and_others_declare(folder: Path) -> None:
    words = ["--population", "SEX=1, Country=US", "--qi", "EDU"]
    found = ask(folder, "publish", "people.csv", *words, *IN)
    record = found["records"][0]["record"]
    assert record["population"] == {"Country": "US", "SEX": 1}
    assert record["numbers"]["people"] < 4500


def test_counts_columns_and_a_vocabulary_are_taken_as_they_are_called(folder: Path) -> None:
    (folder / "counts.csv").write_text(
        "leeftijd,sexe,n\n" + "".join(f"{a},{s},{300 + a}\n" for a in range(20) for s in "FM")
    )
    (folder / "words.yaml").write_text(
        "name: ages\nversion: '1'\nattributes:\n"
        "  Age: {kind: integer, values: {from: 0, to: 19}}\n  Sex: {values: {in: [F, M]}}\n"
    )
    names = ["--column", "Age=leeftijd,Sex=sexe", "--count", "n", "--vocabulary"]
    asked = ["publish", "counts.csv", "--qi", "Age:width=5,Sex", *names]
    found = ask(folder, *asked, "words.yaml", *IN)
    numbers = found["records"][0]["record"]["numbers"]
    assert (numbers["cells"], numbers["cells_from"]) == (8, "vocabulary")
    again = ask(folder, *asked, "ages", *IN, "--date", "2025-01-01")  # it is there now
    assert again["records"][0]["record"]["vocabulary"].startswith("sha256:")
    sentence = refused(singleout(*asked, "no-such", *IN, cwd=folder))
    assert "which has ages" in sentence


def test_statements_are_printed_and_their_answer_is_taken(folder: Path) -> None:
    printed = singleout(
        "publish", "people", "--qi", "sex,age:width=5", "--print-sql", "mysql", cwd=folder
    )
    assert printed.returncode == 0, printed.stderr
    assert "SELECT size, COUNT(*) AS cells" in printed.stdout
    (folder / "profile.csv").write_text(
        "size,cells\n" + "".join(f"{n},1\n" for n in range(60, 120))
    )
    asked = ["publish", "--from-profile", "profile.csv", "--qi", "sex,age:width=5", *IN]
    found = ask(folder, *asked, "--cells", "60")
    assert found["records"][0]["record"]["numbers"]["cells"] == 60
    assert "give one of the two" in refused(singleout(*asked, "people.csv", cwd=folder))
    sentence = refused(singleout("publish", "t", "--qi", "a", "--print-sql", "oracle", cwd=folder))
    assert "choose one of" in sentence


def test_a_decision_says_what_may_be_asked_and_is_kept(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    mild = ["decide", *QI, *STATE, *IN, "--people", "1000", "--unique", "0.2"]
    accepted = ask(folder, *mild, "--keep", "--subject", "a poll", "--key", "mine.key")
    assert accepted["action"] == "accept"
    assert accepted["receipt"]["state"] == "accepted"
    strict = ["decide", *QI, *STATE, *IN, "--people", "30", "--unique", "0.01"]
    done = singleout(*strict, cwd=folder)
    assert done.returncode == 1
    assert "may be asked" in done.stdout or "Refuse" in done.stdout
    assert "--unique 0.05" in refused(singleout(*strict[:-2], cwd=folder))


def test_a_decision_is_written_as_a_page_with_its_reasons_and_its_hash(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    asked = ["decide", *QI, *STATE, *IN, "--people", "30", "--unique", "0.01"]
    done = singleout(*asked, "--output", "decision.html", cwd=folder)
    assert done.returncode == 1
    assert "Written: decision.html" in done.stdout
    decided = json.loads(singleout(*asked, "--json", cwd=folder).stdout)
    page = unescape((folder / "decision.html").read_text(encoding="utf-8"))
    assert decided["reasons"]
    for said in (decided["says"], decided["hash"], *decided["reasons"], *decided["records"]):
        assert said in page
    french = ["--language", "fr", *asked, "--output", "fr.html"]
    singleout(*french, cwd=folder)
    assert "Sur quoi elle repose" in (folder / "fr.html").read_text(encoding="utf-8")
    assert ".html" in refused(singleout(*asked, "--output", "decision.pdf", cwd=folder))


# ---- keeping it


def test_a_changed_store_exits_with_1_and_names_the_entry(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    with sqlite3.connect(folder / REPOSITORY) as connection:
        (leaf,) = connection.execute('SELECT leaf FROM entries WHERE "index" = 2').fetchone()
        connection.execute('UPDATE entries SET leaf = ? WHERE "index" = 2', (leaf[:-1] + b" ",))
    connection.close()
    done = in_a_process("repository", "verify", REPOSITORY, cwd=folder)
    assert done.returncode == 1
    assert "ntry 2" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("place", [0, 101])  # what SQLite itself needs to read the file
def test_a_damaged_file_exits_with_1(folder: Path, place: int) -> None:
    changed = bytearray((folder / REPOSITORY).read_bytes())
    changed[place] ^= 0x55
    (folder / "changed.db").write_bytes(bytes(changed))
    done = singleout("repository", "verify", "changed.db", cwd=folder)
    assert done.returncode == 1, done.stderr
    assert done.stderr.count("\n") == 1


def test_an_older_copy_exits_with_1_until_it_is_trusted(folder: Path) -> None:
    with sqlite3.connect(folder / REPOSITORY) as now, sqlite3.connect(folder / "older") as older:
        now.backup(older)
    now.close()
    older.close()
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    assert singleout("repository", "verify", REPOSITORY, cwd=folder).returncode == 0
    for beside in folder.glob(f"{REPOSITORY}-*"):
        beside.unlink()
    (folder / REPOSITORY).write_bytes((folder / "older").read_bytes())
    done = singleout("repository", "verify", REPOSITORY, cwd=folder)
    assert done.returncode == 1
    assert "older copy" in done.stderr
    published = singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    assert published.returncode == 1
    assert "older copy" in published.stderr
    trusted = singleout("repository", "verify", REPOSITORY, "--trust", cwd=folder)
    assert trusted.returncode == 0, trusted.stderr


def test_copies_are_made_and_brought_up_to_date(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    assert ask(folder, "repository", "mirror", REPOSITORY, "copy.db")["head"]["size"] == 3
    assert ask(folder, "query", *QI, *STATE, "--repository", "copy.db")["exact"]
    assert ask(folder, "repository", "export", REPOSITORY, "all.jsonl")["head"]["size"] == 3
    assert ask(folder, "repository", "import", "restored.db", "all.jsonl")["size"] == 3
    assert ask(folder, "repository", "verify", "restored.db")["verified"]
    assert "exists" in refused(
        singleout("repository", "export", REPOSITORY, "all.jsonl", cwd=folder)
    )


def test_holders_tokens_and_rulings_of_a_repository_for_others(folder: Path) -> None:
    def run(*words: object) -> dict[str, Any]:
        return ask(folder, *words)

    mine = run("repository", "keys", "mine.key")
    run("repository", "keys", "theirs.key", "--new")
    theirs = run("repository", "keys", "theirs.key")
    run("repository", "init", "all.db", "--public", "--key", "mine.key", "--name", "Everybody's")
    admin = ["--key", "mine.key"]
    stranger = singleout(
        "publish",
        "people.csv",
        *QI,
        *STATE,
        "--repository",
        "all.db",
        "--key",
        "theirs.key",
        cwd=folder,
    )
    assert "not registered here" in refused(stranger)
    added = run(
        "repository",
        "holders",
        "all.db",
        "--add",
        "A town",
        "--public-key",
        theirs["public_key"],
        *admin,
    )
    assert {mine["id"], theirs["id"]} <= {each["id"] for each in added["holders"]}
    with_token = run("repository", "holders", "all.db", "--token", "A reader", *admin)
    assert with_token["token"].startswith("so_")
    published = run(
        "publish", "people.csv", *QI, *STATE, "--repository", "all.db", "--key", "theirs.key"
    )
    wanted = published["records"][0]["id"]
    run("repository", "dispute", "all.db", wanted, "--reason", "wrong year", *admin)
    waiting = run("repository", "moderate", "all.db")["records"]
    assert [(each["id"], each["state"]) for each in waiting] == [(wanted, "disputed")]
    run("repository", "moderate", "all.db", wanted, "--choose", "--reason", "checked", *admin)
    assert run("repository", "moderate", "all.db")["records"] == []
    run("repository", "withdraw", "all.db", wanted, "--reason", "old", "--key", "theirs.key")
    removed = run(
        "repository", "holders", "all.db", "--remove", theirs["id"], "--reason", "merged", *admin
    )
    assert [each["active"] for each in removed["holders"] if each["id"] == theirs["id"]] == [False]
    assert "--reason" in refused(
        singleout("repository", "withdraw", "all.db", wanted, *admin, cwd=folder)
    )


def test_a_key_is_never_overwritten(folder: Path) -> None:
    before = (folder / "mine.key").read_bytes()
    done = singleout("repository", "keys", "mine.key", "--new", cwd=folder)
    assert done.returncode == 74
    assert "never overwritten" in done.stderr
    assert (folder / "mine.key").read_bytes() == before


# ---- inventories


def test_a_questionnaire_is_registered_matched_and_listed(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    (folder / "poll.yaml").write_text(
        "what: questionnaire\nname: A poll\nattributes: [SEX, AGEP, PUMA]\npopulation: State=MA\n"
    )
    (folder / "survey.xml").write_text(
        "<codeBook><stdyDscr><citation><titlStmt><titl>Register</titl></titlStmt></citation>"
        "</stdyDscr><dataDscr><var name='sexe'/><var name='AGEP'/><var name='name'/></dataDscr>"
        "</codeBook>"
    )
    ask(folder, "repository", "inventory", "add", REPOSITORY, "poll.yaml")
    imported = ["repository", "inventory", "import", REPOSITORY, "survey.xml", "--identified"]
    dry = ask(folder, *imported, "--attribute", "sexe=SEX", "--dry-run")
    assert dry["receipts"] == []
    ask(folder, *imported, "--attribute", "sexe=SEX", *STATE)
    names = [
        each["name"]
        for each in ask(folder, "repository", "inventory", "list", REPOSITORY)["inventory"]
    ]
    assert names == ["A poll", "Register"]
    found = ask(folder, "repository", "inventory", "match", REPOSITORY, "A poll")
    assert [each["quasi_identifier"] for each in found["touched"]] == [["AGEP:width=10", "SEX"]]
    assert [each["shared"] for each in found["links"]] == [["AGEP", "SEX"]]
    shown = singleout("repository", "inventory", "match", REPOSITORY, "poll.yaml", cwd=folder)
    assert "Identified data that it can be linked to" in shown.stdout
    (wanted,) = ask(folder, "repository", "demand", REPOSITORY)["demand"]
    assert wanted["asked_by"] == ["A poll"]


# ---- oneself


def test_a_person_looks_at_her_own_answers_in_a_file_only(folder: Path) -> None:
    singleout("publish", "people.csv", *QI, *STATE, *IN, cwd=folder)
    (folder / "margins.csv").write_text(
        "attribute,value,people\nSEX,1,480\nSEX,2,520\nAGEP,30,140\nAGEP,40,860\n"
    )
    asked = ["repository", "person", REPOSITORY, "--mine", "SEX=2,AGEP:width=10=34", *STATE]
    found = ask(folder, *asked, "--people", "100", "--margins", "margins.csv")
    assert found["probability"] == pytest.approx(0.52 * 0.14)
    ledger = ["--ledger", "mine.json", "--remember", "a poll", "--margins", "margins.csv"]
    ask(folder, *asked, "--people", "100", *ledger)
    kept = (folder / "mine.json").read_text()
    assert "a poll" in kept
    assert "34" not in kept  # how common an answer is, not the answer
    url = singleout("repository", "person", "http://127.0.0.1:1", *asked[3:], "-k", "9", cwd=folder)
    assert "looked at on a copy here" in refused(url)


# ---- what somebody new does wrong


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["query", *QI], "Say which repository with --repository"),
        (["query", *QI, "--repository", "absent.db"], "singleout repository init"),
        (["query", *QI, "--repository", "people.csv"], "people.csv"),
        (["query", *IN], "Say with --qi which attributes"),
        (["query", *QI, "--population", "State", *IN], "attribute=value"),
        (["query", "--qi", "AGEP:width=0", *IN], "is no coding"),
        (["query", *QI, *IN, "--date", "last year"], "is no day"),
        (["query", *QI, "--repository", "http://127.0.0.1:1"], "cannot be reached"),
        (["query", *QI, "--repository", "http://example.invalid", "--token", "mine.key"], "https"),
        (["publish", "people.csv", "--qi", "SEXE", *IN], "Did you mean 'SEX'"),
        (["publish", "peple.csv", "--qi", "SEX", *IN], "Did you mean 'people.csv'"),
        (["publish", "people.csv", "--qi", "SEX"], "--repository"),
        (["publish", "people.csv", "--qi", "SEX", *IN, "--tier", "secret"], "is no tier"),
        (["publish", "people.csv", "--qi", "SEX", *IN, "--key", "no.key"], "cannot be read"),
        (["publish", "people.csv", "--qi", "SEX", *IN, "--key", "people.csv"], "people.csv"),
        (["publish", "--qi", "SEX", *IN], "Give the data"),
        (["repository", "init", REPOSITORY], "already"),
        (["repository", "verify", "absent.db"], "There is no repository at"),
        (["repository", "mirror", REPOSITORY, REPOSITORY], "is the repository itself"),
        (["repository", "person", REPOSITORY, "--mine", "SEX"], "is no answer"),
        (["repository", "holders", REPOSITORY, "--add", "x"], "--public-key"),
        (["repository", "serve", "absent.db"], "There is no repository at"),
    ],
)
def test_mistakes_are_one_sentence(folder: Path, words: list[str], sentence: str) -> None:
    assert sentence in refused(singleout(*words, cwd=folder))


def test_help_waits_for_no_database_and_no_web_server() -> None:
    heavy = "{'sqlalchemy', 'fastapi', 'httpx', 'cryptography', 'numpy'}"
    code = (
        "import sys; sys.argv = ['singleout', 'repository', '--help']\n"
        "from singleout.cli.main import app\n"
        "try: app()\nexcept SystemExit: pass\n"
        f"print('heavy:', sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "mirror" in done.stdout
    assert done.stdout.endswith("heavy: []\n")


def test_the_key_of_a_repository_is_rotated(tmp_path: Path) -> None:
    assert singleout("repository", "init", "r.sqlite", cwd=tmp_path).returncode == 0
    done = singleout("repository", "keys", "--rotate", "r.sqlite", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    rotated = json.loads(done.stdout)
    assert rotated["head"]["key"] == rotated["new"]
    assert (tmp_path / "r.sqlite.key").exists()
    assert Path(rotated["old_file"]).parent == tmp_path
    again = singleout("repository", "keys", "--rotate", "r.sqlite", cwd=tmp_path)
    assert f"announced by {rotated['new']}" in " ".join(again.stdout.split())
    assert singleout("repository", "verify", "r.sqlite", cwd=tmp_path).returncode == 0
