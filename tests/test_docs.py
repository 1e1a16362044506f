"""The manual runs: every command, every piece of code and every output in it is tested here.

In README.md, CONTRIBUTING.md and docs/ (decision records aside) a fenced block is

- a file, if it has a title: ``csv title="people.csv"`` is written to the page's working folder;
- ``console``: each ``$ command`` is run in that folder, and what stands below it must be its
  output, stdout and stderr, exactly but for trailing blanks. A line ``...`` stands for anything.
  A command that fails says so: ``$ command  # exit 2``. It is run by bash, except that plain
  calls of ``singleout`` outside the README, perhaps with their output into a file, are made here,
  which saves loading it each time;
- ``python``: a doctest if it has a ``>>>``, otherwise simply run; one namespace for a page;
- ``bash``: only ``make`` and a target, which must exist; it is not run, since it would set up an
  environment or run these very tests;
- ``text``: shown only.

``python tests/test_docs.py`` writes the outputs of the ``console`` blocks anew, with the exit codes
of their commands; ``python tests/test_docs.py README.md docs/tutorial.md`` those of some pages.
Look at the difference before you keep it: it is what users will see.
"""

from __future__ import annotations

import doctest
import importlib
import json
import os
import pkgutil
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from unittest.mock import patch
from xml.etree import ElementTree

import pytest

import singleout
from browser import QUIET, Opened, chromium
from run_command import as_shown
from run_command import singleout as run_here
from singleout.io.read import EXTENSIONS

CHECKOUT = Path(__file__).resolve().parents[1]
DOCS = CHECKOUT / "docs"
PAGES = [
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    *sorted(page for page in DOCS.rglob("*.md") if page.parent.name != "decisions"),
]
GALLERY = DOCS / "gallery.md"  # its commands run when the manual is built
SHOWN_ONLY = {"text"}

_FENCE = re.compile(r"(?P<indent> *)(?P<marks>`{3,}|~{3,})(?P<info>.*)")
_TITLE = re.compile(r'title="([^"]+)"')
_SHELL = re.compile(r"\s#|[^\w\s\"'#%+,./:@=^-]")  # what bash may read as more than words
_INTO = re.compile(r"(.*[^\s>]) > ([\w.-]+)")  # the output goes into a file
_EXIT = re.compile(r"#\s*exit (\d+)\s*$")
_LINK = re.compile(r"\]\(([^)#\s]+)")
_ALT = re.compile(r"!\[([^\]]*)\]\(")
_IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")


# ---- what a page holds


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its title if it is a file, its lines and where they start."""

    language: str
    title: str | None
    lines: list[str]
    start: int  # the index of its first line in the page
    indent: str

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def blocks(page: str) -> Iterator[Block]:
    lines = page.splitlines()
    place = 0
    while place < len(lines):
        fence = _FENCE.fullmatch(lines[place])
        place += 1
        if fence is None:
            continue
        indent, start = fence["indent"], place
        while lines[place].strip() != fence["marks"]:
            place += 1
        body = [line.removeprefix(indent) for line in lines[start:place]]
        title = _TITLE.search(fence["info"])
        # either `console` or, with a class for its looks, `{.console .wrap}`
        language = next(iter(fence["info"].strip("{} ").split()), "").lstrip(".")
        yield Block(language, title and title[1], body, start, indent)
        place += 1


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of a console block with the output shown below it."""
    command, shown = None, []
    for line in block.lines:
        if line.startswith("$ "):
            if command is not None:
                yield command, shown
            command, shown = line[2:], []
        else:
            shown.append(line)
    if command is not None:
        yield command, shown


def run(command: str, folder: Path, *, in_shell: bool = False) -> tuple[int, list[str]]:
    """Run a command as a reader would, and return its exit code and the lines it wrote."""
    plain, into = _EXIT.sub("", command), None
    if redirected := _INTO.fullmatch(plain):
        plain, into = redirected.groups()
    if not in_shell and plain.startswith("singleout ") and not _SHELL.search(plain):
        with patch.dict(os.environ):
            os.environ.pop("FORCE_COLOR", None)
            code, written = called(shlex.split(plain), folder, into)
        return code, tidy(written.splitlines())
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR",)}
    path = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**kept, "PATH": path, "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, tidy(done.stdout.splitlines())


def called(words: list[str], folder: Path, into: str | None) -> tuple[int, str]:
    """Run singleout here, with its output ``into`` a file; return its exit code and the rest."""
    if into is None:
        return as_shown(words, folder)
    done = run_here(*words[1:], cwd=folder)
    (folder / into).write_text(done.stdout, encoding="utf-8")
    return done.returncode, done.stderr


def tidy(lines: list[str]) -> list[str]:
    """Return lines without trailing blanks, and without blank lines at the end."""
    return "\n".join(line.rstrip() for line in lines).rstrip().splitlines()


def agrees(shown: list[str], written: list[str]) -> bool:
    """Whether an output is the one shown, where a line of three dots stands for any lines."""
    parts = [r"(?:.*\n)*?" if line == "..." else re.escape(line) + r"\n" for line in shown]
    return re.fullmatch("".join(parts), "".join(f"{line}\n" for line in written)) is not None


# ---- running a page


@dataclass(frozen=True)
class Reader:
    """Someone who does everything that a page says, from its top to its end."""

    folder: Path
    namespace: dict[str, Any]

    def follows(self, block: Block, where: str) -> None:
        if block.title is not None:
            file = self.folder / block.title
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            self.types(block, where)
        elif block.language == "python":
            self.calls(block, where)
        elif block.language == "bash":
            for line in block.lines:
                assert line.split("#")[0].split() in MAKE, f"{where}: not a target of make: {line}"
        else:
            assert block.language in SHOWN_ONLY, f"{where}: what is {block.language!r}?"

    def types(self, block: Block, where: str) -> None:
        for command, shown in commands(block):
            in_shell = where.startswith("README")
            code, written = run(command, self.folder, in_shell=in_shell)
            expected = _EXIT.search(command)
            output = "\n".join(written)
            assert code == int(expected[1] if expected else 0), f"{where}: {command}\n{output}"
            assert agrees(tidy(shown), written), f"{where}: {command}\ngives\n{output}"

    def calls(self, block: Block, where: str) -> None:
        if ">>>" not in block.text:
            exec(compile(block.text, where, "exec"), self.namespace)
            return
        parsed = doctest.DocTestParser().get_doctest(block.text, self.namespace, where, where, 0)
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        found = runner.run(parsed, out=said.append, clear_globs=False)
        self.namespace.update(parsed.globs)
        assert found.failed == 0, "".join(said)


MAKE = [
    ["make", target]
    for line in (CHECKOUT / "Makefile").read_text(encoding="utf-8").splitlines()
    if line.startswith(".PHONY:")
    for target in line.split()[1:]
]


def named(page: Path) -> str:
    return page.relative_to(CHECKOUT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if page != GALLERY], ids=named)
def test_everything_on_the_page_runs_as_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    reader = Reader(tmp_path, {"__name__": "page"})
    for block in blocks(text):
        reader.follows(block, f"{named(page)}, line {block.start}")
    for picture in _IMAGE.findall(text):
        if Path(picture).parent.name not in ("made", "screens", "web"):
            # fonts differ between machines, and with them the bytes of a picture, but not its words
            assert words(page.parent / picture) == words(tmp_path / Path(picture).name)


def words(picture: Path) -> list[str]:
    """Return the texts in a picture."""
    return [text for text in ElementTree.parse(picture).getroot().itertext() if text.strip()]


def test_every_picture_of_the_manual_is_drawn_by_the_code_and_says_what_is_seen() -> None:
    from gallery import names
    from make_web_screens import NAMES
    from mkdocs_hooks import pictures

    drawn = {"made": {name for name, _ in pictures()}, "screens": set(names()), "web": set(NAMES)}
    shown: dict[str, set[str]] = {folder: set() for folder in drawn}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert [alt for alt in _ALT.findall(text) if len(alt.split()) < 6] == []
        for picture in map(Path, _IMAGE.findall(text)):
            if picture.parent.name in shown:
                shown[picture.parent.name].add(picture.stem)
    assert shown == drawn


@pytest.mark.parametrize("page", sorted((DOCS / "methods").glob("*.md")), ids=named)
def test_every_page_of_a_method_shows_the_picture_of_its_result(page: Path) -> None:
    assert _IMAGE.search(page.read_text(encoding="utf-8"))


def test_every_command_is_on_the_page_that_says_which_one_is_needed() -> None:
    from singleout.cli.main import command

    page = (DOCS / "which-command.md").read_text(encoding="utf-8")
    asked = set(re.findall(r"`singleout ([a-z-]+)", page))
    assert asked == {name for name, one in command().commands.items() if not one.hidden}


@pytest.mark.parametrize("page", PAGES[:2], ids=named)
def test_links_of_the_pages_outside_the_manual_lead_somewhere(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    here = [link for link in links if "://" not in link]
    assert [link for link in here if not (page.parent / link).exists()] == []


# ---- pages made from the code


def test_the_reference_is_up_to_date_with_the_code() -> None:
    from make_reference import pages

    for path, text in pages().items():
        assert path.read_text(encoding="utf-8") == text, "run: python scripts/make_reference.py"


def test_the_reference_has_every_public_name() -> None:
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^## (\w+)$", page, re.MULTILINE))
    assert set(singleout.__all__) - headings == {"__version__", "predict", "repository"}
    assert "`__version__`" in page
    assert "`predict`" in page


def test_the_table_of_formats_has_every_extension() -> None:
    page = (DOCS / "how-to" / "read-any-file.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in page.splitlines() if line.startswith("| "))
    assert [ending for ending in EXTENSIONS if f"`{ending}`" not in rows] == []


def modules() -> list[str]:
    below = pkgutil.walk_packages(singleout.__path__, "singleout.")
    return ["singleout", *(module.name for module in below)]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_are_right(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


# ---- the built manual


class Fetched(HTMLParser):
    """Collects what a browser would fetch by itself to show a page; a link is not among it."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = ("src", "srcset", "data", "href") if tag in ("link", "use") else ("src", "srcset")
        self.addresses += [value for name, value in attrs if value and name in names]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual, built."""
    site = tmp_path_factory.mktemp("manual") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return site


def test_the_manual_builds_and_fetches_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(PAGES) - 2
    parser = Fetched()
    for page in pages:
        parser.feed(page.read_text(encoding="utf-8"))
    assert parser.addresses
    outside = re.compile(r"(?:[a-z]+:)?//", re.IGNORECASE)
    assert [address for address in parser.addresses if outside.match(address)] == []
    for sheet in site.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8")
        assert re.findall(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//[^)]*", text) == [], sheet


def test_the_gallery_has_every_report_and_shows_it_as_it_is_now(site: Path) -> None:
    import gallery
    from make_screens import WORDS, said_at_the_top

    kept = json.loads(WORDS.read_text(encoding="utf-8"))
    assert set(kept) == set(gallery.names())
    for name, said in kept.items():
        now = said_at_the_top(site / "gallery" / f"{name}.html")
        assert now == said, "run: python scripts/make_screens.py"


def test_the_manual_can_be_searched_from_disk(site: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        opened = Opened(browser.new_page())
        opened.page.goto((site / "index.html").as_uri())
        opened.page.click("input[data-md-component=search-query]")
        opened.page.keyboard.type("special uniques")
        first = opened.page.locator(".md-search-result__item a").first
        first.wait_for()
        assert "suda" in str(first.get_attribute("href"))
        assert all(address.startswith("file:") for address in opened.requests)
        browser.close()


# ---- writing the outputs anew


def renewed(page: Path) -> str:
    """Return a page with the outputs that its commands give now; those with dots stay."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    with tempfile.TemporaryDirectory() as name:
        reader = Reader(Path(name), {})
        changes = []
        for block in blocks(text):
            if block.language == "console":
                new = list(_renewed(block, reader.folder))
                changes.append((block.start, block.start + len(block.lines), new))
            elif block.title is not None:
                reader.follows(block, named(page))
    for start, end, new in reversed(changes):
        lines[start:end] = new
    return "\n".join(lines) + "\n"


def _renewed(block: Block, folder: Path) -> Iterator[str]:
    for number, (command, shown) in enumerate(commands(block)):
        code, written = run(command, folder, in_shell=True)
        output = tidy(shown) if "..." in shown else written
        apart = [""] if number else []
        plain = _EXIT.sub("", command).rstrip()
        lines = (*apart, f"$ {plain}  # exit {code}" if code else f"$ {plain}", *output)
        yield from (f"{block.indent}{line}".rstrip() for line in lines)


def main(names: list[str]) -> None:
    pages = [page for page in PAGES if not names or named(page) in names]
    for page in pages:
        text = renewed(page)
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(f"written: {named(page)}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
