"""The report in a browser: it opens from disk, reaches for nothing, and everybody can read it."""

from __future__ import annotations

import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from browser import DESKTOP, Opener, missing
from report_cases import HOSTILE, PAPER, WHEN, hostile, paper, paper_plan
from singleout.assessment.assess import assess
from singleout.assessment.comparison.compare import compare
from singleout.assessment.plan.demo import demo_plan
from singleout.io.demo import demo

PHONE = 360
LEAST_CONTRAST = 4.5  # WCAG 2.2, level AA, text of normal size

SMALL = {
    "sex": ["f", "m"] * 30,
    "age": [18 + 7 * n % 50 for n in range(60)],
    "diagnosis": ["flu", "asthma", "flu", "HIV", "flu", "diabetes"] * 10,
}


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    policy = {"highest_risk": 2, "k": 3}
    compared = compare(PAPER / "paper_table1.csv", PAPER / "paper_table2.csv", paper_plan())
    return {
        "paper": paper(policy=policy).report(folder / "paper.html", when=WHEN),
        "hostile": hostile().report(folder / "hostile.html", show_records=True, when=WHEN),
        "compared": compared.report(folder / "compared.html"),
        "small": assess(SMALL).report(folder / "small.html", when=WHEN),
    }


KINDS = ["paper", "hostile", "compared", "small"]


@pytest.mark.parametrize("kind", KINDS)
def test_it_opens_from_disk_without_an_error_and_asks_for_nothing(
    opened: Opener, reports: dict[str, Path], kind: str
) -> None:
    found = opened(reports[kind])
    found.page.wait_for_load_state("networkidle")
    assert found.said == []
    assert found.dialogs == []
    assert found.requests == [reports[kind].as_uri()]
    assert found.page.evaluate("performance.getEntriesByType('resource').length") == 0


@pytest.mark.parametrize("kind", KINDS)
def test_every_section_is_seen(opened: Opener, reports: dict[str, Path], kind: str) -> None:
    page = opened(reports[kind]).page
    names = page.eval_on_selector_all("nav a", "links => links.map(a => a.hash.slice(1))")
    assert len(names) == (17 if kind == "compared" else 16)
    for name in ["verdict", *names]:
        section = page.locator(f"section#{name}")
        assert section.is_visible()
        assert section.locator("h2").count() == 1
        assert len(section.inner_text()) > 40


def test_a_browser_that_may_run_scripts_finds_none_to_run(
    opened: Opener, reports: dict[str, Path]
) -> None:
    found = opened(reports["hostile"])
    page = found.page
    assert page.locator("script, img, iframe, object, embed").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('*')].every(e =>"
        " ![...e.attributes].some(a => a.name.startsWith('on')))"
    )
    for element in page.locator("td, th, dd, li").all()[:60]:
        element.hover(timeout=2000, force=True)
    assert found.dialogs == []
    text = page.locator("body").inner_text()
    assert HOSTILE["script"] in text
    assert "49" not in page.locator("h1").inner_text()


def test_the_policy_of_the_page_stops_what_would_slip_through(
    opened: Opener, reports: dict[str, Path], tmp_path: Path
) -> None:
    # as if the escaping had failed: a script and a picture stand in the page
    html = reports["paper"].read_text("utf-8")
    broken = tmp_path / "broken.html"
    hole = "<script>alert(1)</script><img src='https://example.org/x.png' onerror='alert(2)'>"
    broken.write_text(html.replace("<main>", f"<main>{hole}"), "utf-8")
    found = opened(broken)
    assert found.dialogs == []
    assert any("Content Security Policy" in said for said in found.said)


# ---- for everybody


@pytest.mark.parametrize("kind", KINDS)
def test_who_cannot_see_it_can_read_it(opened: Opener, reports: dict[str, Path], kind: str) -> None:
    page = opened(reports[kind]).page
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.title()
    assert page.locator("h1").count() == 1
    levels = page.eval_on_selector_all("h1, h2, h3, h4", "all => all.map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for landmark in ("header", "main", "nav", "footer"):
        assert page.locator(f"body {landmark}").count() == 1
    unnamed = page.evaluate(
        """[...document.querySelectorAll('svg:not([aria-hidden=true])')].filter(svg => {
             const named = document.getElementById(svg.getAttribute('aria-labelledby'));
             return svg.getAttribute('role') !== 'img' || !named || !named.textContent.trim();
           }).length"""
    )
    assert unnamed == 0
    # charts of one bar are left out: of one size of set, and of one score
    assert page.locator("figure svg").count() >= {"compared": 3, "small": 3}.get(kind, 4)
    assert page.locator("table").count() == page.locator("table > caption").count()
    assert page.locator("th:not([scope])").count() == 0
    assert page.evaluate(
        "[...document.querySelectorAll('tbody tr')].every(r => r.querySelector('th[scope=row]'))"
    )
    assert page.evaluate(
        """[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].every(e =>
             ['aria-labelledby', 'aria-describedby'].every(kind =>
               (e.getAttribute(kind) || '').split(' ').filter(Boolean).every(
                 id => document.getElementById(id))))"""
    )


def test_the_first_key_leads_to_the_verdict_and_wide_tables_can_be_reached(
    opened: Opener, reports: dict[str, Path]
) -> None:
    page = opened(reports["paper"], width=PHONE).page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#verdict"
    unreachable = page.evaluate(
        """[...document.querySelectorAll('*')].filter(e =>
             e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX === 'auto'
             && e.tabIndex < 0).length"""
    )
    assert unreachable == 0


def test_on_a_phone_matrices_fit_and_names_of_columns_stay_whole(
    opened: Opener, reports: dict[str, Path]
) -> None:
    page = opened(reports["paper"], width=PHONE).page
    wide = page.evaluate(
        """[...document.querySelectorAll('table.matrix')].filter(e =>
             e.getBoundingClientRect().width > e.parentElement.clientWidth + 1).length"""
    )
    assert wide == 0
    # a word that fits a line does not break: each text node of one word is one box high
    broken = page.evaluate(
        """[...document.querySelectorAll('td.text, th.text, .matrix th, .matrix td .level')]
             .flatMap(cell => {
               const found = [];
               const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
               for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                 for (const word of node.data.matchAll(/(?<![+\\w])[A-Za-z]{2,13}/g)) {
                   const range = document.createRange();
                   range.setStart(node, word.index);
                   range.setEnd(node, word.index + word[0].length);
                   const tops = new Set([...range.getClientRects()].map(r => Math.round(r.top)));
                   if (tops.size > 1) found.push(word[0]);
                 }
               }
               return found;
             })"""
    )
    assert broken == []


CONTRASTS = """
() => {
  const part = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const read = c => (c.match(/[\\d.]+/g) || []).map(Number);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const c = read(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('svg')) continue;
    const own = [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
    if (!own) continue;
    const [one, other] = [light(read(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([ratio, e.tagName + '.' + e.className]);
  }
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_its_ground(
    opened: Opener, reports: dict[str, Path], scheme: str
) -> None:
    page = opened(reports["paper"], scheme=scheme).page
    found = page.evaluate(CONTRASTS)
    assert len(found) > 200
    low = sorted({(round(ratio, 2), what) for ratio, what in found if ratio < LEAST_CONTRAST})
    assert low == []


def test_dark_mode_is_dark_and_so_are_its_drawings(
    opened: Opener, reports: dict[str, Path]
) -> None:
    ground = {
        scheme: opened(reports["paper"], scheme=scheme).page.evaluate(
            "[getComputedStyle(document.documentElement).backgroundColor,"
            " getComputedStyle(document.querySelector('figure svg')).filter]"
        )
        for scheme in ("light", "dark")
    }
    assert ground["light"] == ["rgb(255, 255, 255)", "none"]
    assert max(map(int, ground["dark"][0][4:-1].split(","))) < 60
    assert "invert" in ground["dark"][1]


def test_levels_are_told_by_words_and_shapes_besides_colours(
    opened: Opener, reports: dict[str, Path]
) -> None:
    page = opened(reports["paper"]).page
    texts = page.eval_on_selector_all("span.level", "all => all.map(e => e.textContent.trim())")
    assert len(texts) > 30
    for text in texts:
        squares, number, word = text.split(maxsplit=2)
        assert squares.count("■") == int(number)
        assert len(squares) == 4
        assert word


# ---- on every medium


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_sticks_out_sideways(opened: Opener, reports: dict[str, Path], kind: str) -> None:
    page = opened(reports[kind]).page
    for width in (DESKTOP, 768, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        out = page.evaluate(
            """width => [...document.querySelectorAll('body *')].filter(e =>
                 !e.closest('.scroll') && !e.classList.contains('skip')
                 && e.getBoundingClientRect().right > width + 1).map(e => e.tagName)""",
            width,
        )
        assert out == []


A4_HEIGHT = 1012  # pixels between the margins: 268 mm
A4_WIDTH = 680  # pixels between the margins: 180 mm at 96 to the inch


@pytest.mark.parametrize("kind", KINDS)
def test_no_table_or_drawing_is_cut_on_paper(
    opened: Opener, reports: dict[str, Path], kind: str
) -> None:
    page = opened(reports[kind], width=A4_WIDTH, scheme="dark").page
    page.emulate_media(media="print")
    out = page.evaluate(
        """width => [...document.querySelectorAll('table, svg, pre, .scroll')].filter(e =>
             e.getBoundingClientRect().right > width + 1).map(
               e => e.tagName + ': ' + e.textContent.trim().slice(0, 60))""",
        A4_WIDTH,
    )
    assert out == []
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )


def test_it_prints_on_a4(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["paper"]).page
    printed = page.pdf(prefer_css_page_size=True)
    assert printed.startswith(b"%PDF")
    boxes = {box.split(b"]")[0] for box in printed.split(b"/MediaBox [")[1:]}
    (box,) = boxes
    width, height = [float(number) for number in box.split()[2:]]
    assert (round(width), round(height)) == (595, 842)


LEAST_OF_A_PAGE = 0.6  # of its height that is filled, but for the last
LEAST_OF_THE_LAST = 0.15


def filled(printed: bytes, folder: Path) -> list[float]:
    """How far down each page has ink, as a share of its height between the margins."""
    if shutil.which("pdftoppm") is None:
        missing("needs pdftoppm: run scripts/install_chromium.sh")
    (folder / "printed.pdf").write_bytes(printed)
    command = ["pdftoppm", "-r", "30", "-gray", "printed.pdf", "page"]
    subprocess.run(command, cwd=folder, check=True)
    shares = []
    for file in sorted(folder.glob("page-*.pgm")):
        _, size, _, pixels = file.read_bytes().split(b"\n", 3)
        width, height = map(int, size.split())
        # without the margins, where the numbers of the pages are
        first, last = height * 14 // 297, height * (297 - 16) // 297
        inked = [y for y in range(first, last) if min(pixels[y * width : (y + 1) * width]) < 200]
        shares.append((inked[-1] - first) / (last - first) if inked else 0.0)
    return shares


@pytest.mark.parametrize("kind", ["paper", "small"])
def test_no_page_of_paper_is_nearly_empty(
    opened: Opener, reports: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    *pages, last = filled(opened(reports[kind]).page.pdf(prefer_css_page_size=True), tmp_path)
    assert 5 <= len(pages) <= 15
    assert min(pages) > LEAST_OF_A_PAGE
    assert last > LEAST_OF_THE_LAST


def test_a_report_with_every_section_has_no_page_of_paper_that_is_nearly_empty(
    opened: Opener, tmp_path: Path
) -> None:
    file = assess(demo(), demo_plan()).report(tmp_path / "demo.html", when=WHEN)
    *pages, last = filled(opened(file).page.pdf(prefer_css_page_size=True), tmp_path)
    assert 15 <= len(pages) <= 25
    assert min(pages) > LEAST_OF_A_PAGE
    assert last > LEAST_OF_THE_LAST


@pytest.mark.parametrize("kind", ["paper", "small"])
def test_the_summary_has_one_page_of_paper(
    opened: Opener, reports: dict[str, Path], kind: str
) -> None:
    page = opened(reports[kind], width=A4_WIDTH).page
    page.emulate_media(media="print")
    bottom = page.locator("#verdict").bounding_box()
    assert bottom["y"] + bottom["height"] <= A4_HEIGHT


def test_a_chart_of_one_bar_is_left_out(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["small"]).page
    titles = page.locator("figcaption strong").all_inner_texts()
    assert "What each column contributes" in titles
    assert "How far the records stand out" not in titles
    assert "records that are singled out have the same score" in page.locator("#suda").inner_text()


# ---- drawings


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_of_a_drawing_is_clipped(
    opened: Opener, reports: dict[str, Path], kind: str
) -> None:
    page = opened(reports[kind]).page
    out = page.evaluate(
        """[...document.querySelectorAll('figure svg')].flatMap(svg => {
             const box = svg.getBoundingClientRect();
             return [...svg.querySelectorAll('text')].filter(text => {
               const own = text.getBoundingClientRect();
               return own.left < box.left - 1 || own.right > box.right + 1
                 || own.top < box.top - 1 || own.bottom > box.bottom + 1;
             }).map(text => text.textContent);
           })"""
    )
    assert out == []


@pytest.mark.parametrize("kind", KINDS)
def test_on_a_phone_drawings_scale_and_the_risk_of_attackers_is_seen(
    opened: Opener, reports: dict[str, Path], kind: str
) -> None:
    page = opened(reports[kind], width=390).page
    out = page.evaluate(
        """[...document.querySelectorAll('figure svg, .bars, .verdict .wide-6 .level')].filter(e =>
             e.getBoundingClientRect().right > 390).map(e => e.outerHTML.slice(0, 80))"""
    )
    assert out == []


def test_labels_of_an_axis_keep_apart(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["paper"]).page
    near = page.evaluate(
        """[...document.querySelectorAll('figure svg')].flatMap(svg => {
             const texts = [...svg.querySelectorAll('text')]
               .map(e => [e, e.getBoundingClientRect()])
               .filter(([e, box]) => e.textContent.trim() && box.width);
             return texts.flatMap(([one, a], at) => texts.slice(at + 1).filter(([other, b]) =>
               a.left < b.right - 1 && b.left < a.right - 1
               && a.top < b.bottom - 3 && b.top < a.bottom - 3
             ).map(([other]) => one.textContent + ' / ' + other.textContent));
           })"""
    )
    assert near == []


def test_a_short_plan_has_one_column_of_paper(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["small"], width=A4_WIDTH).page
    page.emulate_media(media="print")
    lefts = page.locator("#plan pre").evaluate(
        """e => [...(() => { const all = document.createRange(); all.selectNodeContents(e);
             return all.getClientRects(); })()].filter(r => r.width).map(r => Math.round(r.left))"""
    )
    assert max(lefts) - min(lefts) < A4_WIDTH / 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_table_that_scrolls_has_a_shadow_at_the_edge_until_its_end(
    opened: Opener, reports: dict[str, Path], scheme: str
) -> None:
    page = opened(reports["paper"], width=390, scheme=scheme).page
    wide = page.locator(".scroll:has(.wide-13)").first
    assert wide.evaluate("e => e.scrollWidth > e.clientWidth")
    wide.scroll_into_view_if_needed()
    wide.evaluate("e => [...e.querySelectorAll('*')].forEach(x => x.style.visibility = 'hidden')")

    def edge() -> bytes:
        box = wide.bounding_box()
        right = box["x"] + box["width"]
        clip = {"x": right - 8, "y": max(box["y"], 0) + 60, "width": 7, "height": 40}
        return bytes(page.screenshot(clip=clip))

    shaded = edge()
    wide.evaluate("e => e.scrollLeft = e.scrollWidth")
    assert edge() != shaded


# ---- terms of the trade


def test_a_term_in_the_head_of_a_table_opens_its_meaning_without_a_script(
    opened: Opener, reports: dict[str, Path]
) -> None:
    page = opened(reports["paper"]).page
    terms = page.locator("thead .term")
    assert terms.count() > 20
    head = page.locator(".wide-13 .term", has_text="Exploitability").first
    meaning = page.locator(f"#{head.get_attribute('popovertarget')}")
    assert not meaning.is_visible()
    head.focus()
    page.keyboard.press("Enter")
    assert meaning.is_visible()
    assert meaning.inner_text() == head.get_attribute("title")
    page.keyboard.press("Escape")
    assert not meaning.is_visible()


def test_every_meaning_is_on_paper_too(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["paper"]).page
    meanings = page.eval_on_selector_all("thead .term", "all => all.map(e => e.title)")
    page.emulate_media(media="print")
    printed = page.locator("#methods").inner_text()
    assert [meaning for meaning in meanings if meaning not in printed] == []


def test_pictures_of_it_are_not_blank(opened: Opener, reports: dict[str, Path]) -> None:
    page = opened(reports["paper"]).page
    for width in (DESKTOP, PHONE):
        page.set_viewport_size({"width": width, "height": 900})
        shots = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            shots.append(page.screenshot())
        assert min(map(len, shots)) > 20_000
        assert shots[0] != shots[1]
