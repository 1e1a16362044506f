"""The pictures of the pages on repositories: noise, what it hides, what is left, and the log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt
import numpy as np
from scipy import stats

import singleout as so
from singleout import repository
from singleout.report.charts import FILL, LINE, WIDTH, data, title
from singleout.report.offline import drawn_offline
from singleout.repository.log.merkle import inclusion_proof, leaf_hash, node_hash

_AGES = [120 - abs(45 - age) for age in range(100)]
_KEYS = 400
_ENTRIES = 7
_SHOWN = 2  # the entry whose proof is drawn


@drawn_offline
def repository_gate() -> alt.LayerChart | alt.FacetChart:
    """Return what 400 holders with the same people, but other keys, would publish."""
    town = so.SizeProfile.of(_town())
    kinds = (town, ["age", "sex"], {"City": "T"})
    exact = so.publishable(*kinds, cells=120, tier="none").kappa
    keys = [number.to_bytes(32, "big") for number in range(_KEYS)]
    published = [so.publishable(*kinds, cells=120, key=key).kappa for key in keys]
    values, numbers = np.unique(published, return_counts=True)
    rows = [{"kappa": value, "keys": count} for value, count in zip(values, numbers, strict=True)]
    bars = (
        alt.Chart(data({name: float(value) for name, value in row.items()} for row in rows))
        .mark_bar(color=FILL, stroke=LINE, size=22)
        .encode(
            alt.X("kappa:Q", title="published distance from uniform, in nats").scale(zero=False),
            alt.Y("keys:Q", title="holders' keys"),
        )
    )
    rule = alt.Chart(data([{"kappa": exact}])).mark_rule(strokeDash=[6, 4]).encode(x="kappa:Q")
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(bars, rule).properties(
        width=WIDTH,
        height=200,
        title=title(
            "What is published lies around the exact number",
            "1,200 people under 400 keys; dashed: the exact distance, which is never published",
        ),
    )
    return drawn


def _town() -> np.ndarray[Any, Any]:
    cells = np.array([1 + 7 * index % 23 for index in range(100)])
    cells[0] += 7
    return cells


@drawn_offline
def repository_answers() -> alt.LayerChart | alt.FacetChart:
    """Return how many of a group would have an age of their own, with the limits of the record."""
    census = {"age": list(range(100)), "people": _AGES}
    record = so.publishable(census, ["age"], {"City": "Delft"}, counts="people", key=bytes(32))
    answer = repository.find(repository.RecordList([record]), ["age"], {"City": "Delft"})
    rows = [_predicted(answer, people) for people in range(10, 301, 10)]
    across = alt.X("people:Q", title="people asked")
    base = alt.Chart(data(rows))
    band = base.mark_area(color=FILL).encode(
        across, alt.Y("low:Q", title="unique people"), alt.Y2("high:Q")
    )
    line = base.mark_line(color="black").encode(across, alt.Y("mean:Q"))
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(band, line).properties(
        width=WIDTH,
        height=220,
        title=title(
            "How many would be alone with their age, before anybody is asked",
            "line: expected; band: where the number lies in 95 of 100 groups",
        ),
    )
    return drawn


def _predicted(answer: Any, people: int) -> dict[str, float]:
    found = answer.predict(people=people)
    low, high = found.interval()
    return {"people": people, "mean": found.mean, "low": low, "high": high}


@drawn_offline
def repository_threats() -> alt.LayerChart | alt.FacetChart:
    """Return how often somebody who knows everybody else is right about one person, at most."""
    curve = [{"cost": cost, "right": _right(cost)} for cost in np.linspace(0, 2.4, 49)]
    marked = [
        {"cost": cost, "right": _right(cost), "what": what}
        for cost, what in (
            (0.25, "one public record"),
            (0.5, "one for registered readers"),
            (1.0, "all public records"),
            (2.0, "everything"),
        )
    ]
    across = alt.X("cost:Q", title="what records have cost each person")
    up = alt.Y("right:Q", title="right answers, at most", axis=alt.Axis(format="%"))
    up = up.scale(domain=[0.5, 0.8])
    points = alt.Chart(data(marked)).encode(across, up)
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(
        alt.Chart(data(curve)).mark_line(color=LINE).encode(across, up),
        points.mark_point(color="black", filled=True, size=60, opacity=1),
        points.mark_text(align="left", dx=8, dy=10).encode(text="what:N"),
    ).properties(
        width=WIDTH,
        height=220,
        title=title(
            "What an attacker who knows everybody else can learn of one person",
            "a question that is as likely yes as no: 50% is guessing",
        ),
    )
    return drawn


def _right(cost: float) -> float:
    return float(stats.norm.cdf(np.sqrt(cost) / 2))


# ---- the log


@drawn_offline
def repository_log() -> alt.LayerChart | alt.FacetChart:
    """Return the tree of a log of seven entries, with the proof that one of them is in it."""
    leaves = [leaf_hash(f"entry {index}".encode()) for index in range(_ENTRIES)]
    nodes = list(_nodes(leaves, 0))
    proof = inclusion_proof(lambda level, index: _complete(leaves, level, index), _SHOWN, _ENTRIES)
    for node in nodes:
        node["kind"] = _kind(node, proof)
        node["name"] = node["hash"].hex()[:6]
    rows = [{key: value for key, value in node.items() if key != "hash"} for node in nodes]
    across = alt.X("x:Q", axis=None).scale(domain=[-0.6, _ENTRIES - 0.4], nice=False)
    up = alt.Y("y:Q", axis=None).scale(domain=[-0.5, 3.4], nice=False)
    kinds = ["entry and head", "proof", "other nodes"]
    shade = alt.Color(
        "kind:N",
        scale=alt.Scale(domain=kinds, range=["#57606f", "#c8d6e5", "white"]),
        legend=alt.Legend(title=None, orient="bottom", labelLimit=300, symbolStrokeColor="black"),
    )
    base = alt.Chart(data(rows))
    boxes = base.mark_point(
        shape="square", size=2200, stroke="black", strokeWidth=1, filled=True, opacity=1
    )
    drawn: alt.LayerChart | alt.FacetChart = alt.layer(
        base.mark_rule(color="black").encode(across, up, x2="px:Q", y2="py:Q"),
        boxes.encode(across, up, fill=shade),
        base.mark_text(font="monospace").encode(
            across,
            up,
            text="name:N",
            color=alt.condition(alt.datum.kind == kinds[0], alt.value("white"), alt.value("black")),
        ),
    ).properties(
        width=WIDTH,
        height=260,
        title=title(
            "Three hashes prove that entry 2 is among seven",
            "the first digits of each hash; a node is the hash of the two below it",
        ),
    )
    return drawn


def _kind(node: dict[str, Any], proof: Sequence[bytes]) -> str:
    if node["hash"] in proof:
        return "proof"
    if (node["y"] == 0 and node["x"] == _SHOWN) or node["px"] == node["x"]:
        return "entry and head"
    return "other nodes"


def _nodes(leaves: Sequence[bytes], start: int) -> Iterator[dict[str, Any]]:
    """Yield the nodes over leaves, the root of them first, each with the place of its parent."""
    if len(leaves) == 1:
        yield {"x": start, "y": 0, "hash": leaves[0], "px": start, "py": 0}
        return
    middle = 1 << ((len(leaves) - 1).bit_length() - 1)
    left = list(_nodes(leaves[:middle], start))
    right = list(_nodes(leaves[middle:], start + middle))
    across, up = (left[0]["x"] + right[0]["x"]) / 2, max(left[0]["y"], right[0]["y"]) + 1
    for child in (left[0], right[0]):
        child.update(px=across, py=up)
    both = node_hash(left[0]["hash"], right[0]["hash"])
    yield {"x": across, "y": up, "hash": both, "px": across, "py": up}
    yield from left
    yield from right


def _complete(leaves: Sequence[bytes], level: int, index: int) -> bytes:
    found: bytes = next(_nodes(leaves[index << level : (index + 1) << level], 0))["hash"]
    return found
