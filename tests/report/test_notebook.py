"""Charts without a network: in a real notebook, in what it exports, and in saved pages."""

from __future__ import annotations

import ast
import base64
import inspect
import os
import pickle
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any
from xml.etree import ElementTree

import altair as alt
import nbformat
import polars as pl
import pytest

import singleout as so
from browser import Opener
from run_command import singleout
from singleout.report.offline import offline

NAME = "</script><script>alert(1)</script>"
CELLS = [
    f"""
import polars as pl
import singleout as so
data = pl.DataFrame({{"age": [1, 1, 2, 3], {NAME!r}: [1, 2, 3, 3], "sex": [1, 2, 2, 2]}})
sets = so.anonymity_sets(data, ["age", {NAME!r}])
sets.plot()
""",
    "so.predict.funnel(1000, {'sex': ('f', 0.5), 'town': ('Ely', 0.01)}).plot()",
    "sets.plot() | sets.plot().properties(title='again')",
    "so.anonymity_sets(data, ['sex']).plot().display()",
]
RESULT = "so.anonymity_sets(data, ['age', 'sex'])"
# sockets of files: the kernel needs no network either
EXECUTE = """
import sys
import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbconvert import HTMLExporter

path = sys.argv[1]
notebook = nbformat.read(path, as_version=4)
kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=path + "-ipc")
NotebookClient(notebook, km=kernel, timeout=120).execute()
nbformat.write(notebook, path)
for name, shown in ((path, notebook), (sys.argv[2], nbformat.v4.new_notebook())):
    with open(name + ".html", "w", encoding="utf-8") as page:
        page.write(HTMLExporter().from_notebook_node(shown)[0])
"""


def _without_network() -> list[str]:
    """Return what to run a command under, so that it has no network where that is permitted."""
    for words in (["unshare", "-n"], ["unshare", "-r", "-n"]):
        if shutil.which(words[0]) and subprocess.run([*words, "true"], check=False).returncode == 0:
            return words
    return []


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook that was run without a network, and exported, beside an empty one."""
    folder = tmp_path_factory.mktemp("notebook")
    path = folder / "charts.ipynb"
    cells = [nbformat.v4.new_code_cell(source) for source in (*CELLS, RESULT)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9")
    source = str(Path(so.__file__).parents[1])
    done = subprocess.run(
        [*_without_network(), sys.executable, "-c", EXECUTE, str(path), str(folder / "empty")],
        env={**os.environ, **nowhere, "PYTHONPATH": source, "IPYTHONDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return path


def _outputs(path: Path) -> list[Any]:
    return [output for cell in nbformat.read(path, as_version=4).cells for output in cell.outputs]


def test_a_notebook_without_a_network_holds_every_picture(executed: Path) -> None:
    *outputs, result = _outputs(executed)
    assert result.data["text/plain"].startswith("AnonymitySets(age+sex: 4 records in 4 sets")
    assert "4 records in 4 sets" in result.data["text/html"]
    assert "<table" in result.data["text/html"]
    assert 'src="data:image/svg+xml;base64,' in result.data["text/html"]
    assert [output.output_type for output in outputs] == ["execute_result"] * 3 + ["display_data"]
    for output in outputs:
        assert set(output.data) == {"image/svg+xml", "image/png", "text/plain"}
        drawing = ElementTree.fromstring(output.data["image/svg+xml"])
        assert drawing.tag == "{http://www.w3.org/2000/svg}svg"
        assert sum(1 for part in drawing.iter() if part.tag.endswith(("path", "line"))) > 10
        picture = base64.b64decode(output.data["image/png"])
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 5000
    sizes = outputs[0].metadata["image/png"]
    assert str(sizes["width"]) == ElementTree.fromstring(outputs[0].data["image/svg+xml"]).get(
        "width"
    )
    assert outputs[0].data["text/plain"] == (
        "How many records share a combination\nHow many sets there are of each size"
    )
    assert "again" in outputs[2].data["text/plain"]


def test_two_pictures_on_one_page_share_no_names() -> None:
    names = []
    for width in (100, 200):
        data = alt.InlineData(values=[{"a": 1}, {"a": 2}])
        chart = alt.Chart(data).mark_line(clip=True).encode(x="a:Q", y="a:Q")
        bundle, _ = offline(chart.properties(width=width))._repr_mimebundle_()
        parts = list(ElementTree.fromstring(bundle["image/svg+xml"]).iter())
        names.append({part.get("id") for part in parts} - {None})
        assert {part.get("clip-path") for part in parts} - {None} == {
            f"url(#{name})" for name in names[-1]
        }
    assert len(names[0] | names[1]) == 2


def test_the_exported_notebook_shows_them_and_asks_for_nothing_more(
    opened: Opener, executed: Path
) -> None:
    found = opened(executed.with_suffix(".ipynb.html"))
    pictures = found.page.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg")
    assert pictures.count() == len([*CELLS, RESULT])
    widths = pictures.evaluate_all("all => all.map(e => e.naturalWidth || e.clientWidth)")
    assert min(widths) > 200
    assert found.dialogs == []
    own = opened(executed.with_name("empty.html")).requests  # scripts of the exporter
    asked = [url for url in found.requests if not url.startswith(("file:", "data:"))]
    assert set(asked) <= set(own)


def _people() -> so.AnonymitySets:
    data = pl.DataFrame({"age": [1, 1, 2, 2, 3], NAME: ["a", "a", "b", "b", NAME]})
    return so.anonymity_sets(data, ["age", NAME])


@pytest.mark.parametrize("way", ["api", "text", "composed", "command"])
def test_a_saved_page_draws_itself_without_a_network(
    opened: Opener, tmp_path: Path, way: str
) -> None:
    page = tmp_path / "x.html"
    if way == "api":
        _people().plot().save(page)
    elif way == "text":
        page.write_text(_people().plot().to_html(), "utf-8")
    elif way == "composed":
        (_people().plot() | _people().plot()).save(str(page))
    else:
        data = tmp_path / "people.csv"
        pl.DataFrame({"age": [1, 1, 2], NAME: ["a", "a", "b"]}).write_csv(data)
        assert singleout("sets", data, "--qi", f"age+{NAME}", "--plot", page).returncode == 0
    found = opened(page)
    drawing = found.page.locator("#vis svg.marks").first
    drawing.wait_for(timeout=10_000)
    assert drawing.bounding_box()["width"] > 400
    assert drawing.locator("path, line").count() > 20
    assert any(NAME in text for text in drawing.locator("text").all_text_contents())
    assert found.requests == [page.as_uri()]
    assert found.said == []
    assert found.dialogs == []
    menu = found.page.locator(".vega-actions a").all_text_contents()
    assert menu == ["Save as SVG", "Save as PNG"]  # none that sends the chart to a web page


def test_every_function_that_draws_returns_a_chart_that_needs_no_network() -> None:
    missing = []
    names = [module.name for module in walk_packages(so.__path__, "singleout.")]
    drawing = [name for name in names if name.endswith("chart")]
    assert len(drawing) > 10
    for name in drawing:
        found = import_module(name)
        tree = ast.parse(inspect.getsource(found))
        for function in tree.body:
            if isinstance(function, ast.FunctionDef) and function.name in found.__all__:
                returns = ast.unparse(function.returns or ast.Constant(None))
                marks = [ast.unparse(mark) for mark in function.decorator_list]
                if ("Chart" in returns or returns == "Picture") and "drawn_offline" not in marks:
                    missing.append(f"{name}.{function.name}")
    assert missing == []


def test_they_stay_charts_of_altair_that_can_be_composed_copied_and_kept() -> None:
    chart = _people().plot()
    assert isinstance(chart, alt.VConcatChart)
    assert repr(chart) == "alt.VConcatChart(...)"
    more = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point().encode(x="a:Q")
    own = offline(more)
    composed = [
        *(chart & more, chart | more, own + more, own.facet("a:N"), own.repeat(row=["a"])),
        *(chart.properties(title="x"), chart.copy(), own.interactive(), own.add_params()),
        *(pickle.loads(pickle.dumps(chart)), chart.resolve_scale(x="independent")),
    ]
    for one in composed:
        assert type(one).__module__ == "singleout.report.offline"
    assert "image/svg+xml" in composed[1]._repr_mimebundle_()[0]
    assert own.to_dict() == more.to_dict()
    assert offline(own) is own


def test_charts_of_others_and_a_chosen_renderer_are_left_alone() -> None:
    more = alt.Chart(alt.InlineData(values=[{"a": 1}])).mark_point().encode(x="a:Q")
    chart = offline(more)
    assert alt.renderers.active == "default"
    assert "text/html" in more._repr_mimebundle_()
    assert type(alt.Chart.from_dict(chart.to_dict())) is alt.Chart
    assert type(alt.layer(more, more)) is alt.LayerChart
    with alt.renderers.enable("json"):
        assert "application/json" in chart._repr_mimebundle_()[0]
    assert "https://" in chart.to_html(inline=False)


def test_what_a_column_is_called_stays_as_it_is_in_a_picture() -> None:
    values = [{"a": 'id="x" url(#clip0)'}]
    chart = alt.Chart(alt.InlineData(values=values)).mark_point().encode(y="a:N")
    bundle, _ = offline(chart)._repr_mimebundle_()
    texts = [e.text for e in ElementTree.fromstring(bundle["image/svg+xml"]).iter() if e.text]
    assert values[0]["a"] in texts
