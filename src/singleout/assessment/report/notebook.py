"""An assessment in a notebook: a line, or verdict, summary and picture as HTML that runs nothing.

Names and values come from the data, so every text is escaped.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from singleout.assessment.gate import gate_line
from singleout.assessment.report.levels import LOW_RISK, risk_in_words
from singleout.core.results import picture_view
from singleout.core.text import printable
from singleout.core.wording import count, percent
from singleout.methods.levels import level_name
from singleout.report.say import say
from singleout.report.words import shortened

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["one_line", "summary_html"]

# notebooks align tables to the right, as suits numbers and not sentences
_LEFT = " style='text-align: left; vertical-align: top'"


def one_line(assessment: Assessment) -> str:
    """Return what an assessment found, in a line."""
    low, high = assessment.range
    of = "" if assessment.unit is None else "_people"
    summary = say(
        f"assessment.repr.{'level' if low == high else 'range'}{of}",
        source=printable(assessment.facts.source),
        low=low,
        low_name=level_name("risk", low),
        high=high,
        high_name=level_name("risk", high),
        share=percent(assessment.findings.at_risk_share),
        records=count(assessment.findings.rated),
    )
    policy = {None: "no_policy", True: "met", False: "not_met"}[assessment.met]
    return f"Assessment({say(f'assessment.repr.{policy}', summary=summary)})"


def summary_html(assessment: Assessment) -> str:
    """Return the verdict and the summary of an assessment."""
    rows = "".join(
        f"<tr><th scope='row'{_LEFT}>{_safe(name)}</th><td{_LEFT}>{cell}</td></tr>"
        for name, cell in _rows(assessment)
    )
    return (
        f"<div><p><strong>{_safe(_title(assessment))}</strong></p>"
        f"<p>{_safe(assessment.verdict)}</p><table><tbody>{rows}</tbody></table>"
        f"{picture_view(assessment)}</div>"
    )


def _title(assessment: Assessment) -> str:
    facts = assessment.facts
    source = say("notebook.title", source=shortened(facts.source), n=facts.rows)
    title = assessment.plan.title
    return f"{shortened(title)} ({source})" if title else source


# ---- the rows: a name, and a cell that is HTML already


def _rows(assessment: Assessment) -> Iterator[tuple[str, str]]:
    yield from _levels(assessment)
    policy = gate_line(assessment)
    if policy is not None:
        yield say("notebook.policy"), _safe(policy)
    yield from _to_do(assessment)
    warnings = [say("notebook.guessed")] if assessment.guessed else []
    warnings += assessment.warnings
    if warnings:
        yield say("notebook.warnings"), _listed("ul", warnings)


def _levels(assessment: Assessment) -> Iterator[tuple[str, str]]:
    yield say("notebook.level"), _safe(_range(*assessment.range))
    yield say("notebook.if_member"), _safe(_range(*assessment.range_if_member))
    yield say("notebook.highest"), _safe(_level(assessment.highest))
    shares = [
        say("notebook.share", level=level, risk=level_name("risk", level), share=percent(share))
        for level, share in assessment.shares.items()
    ]
    yield say("notebook.shares"), "<br>".join(_safe(share) for share in shares)


def _range(low: int, high: int) -> str:
    if low == high:
        return _level(low)
    return say("notebook.range", low=_level(low), high=_level(high))


def _level(level: int) -> str:
    return say("notebook.of_four", level=level, risk=level_name("risk", level))


def _to_do(assessment: Assessment) -> Iterator[tuple[str, str]]:
    if assessment.actions:
        first = assessment.actions[0]
        yield say("notebook.first"), f"{_safe(first.what)}<br>{_safe(first.effect)}"
    remedy = assessment.remedy
    if remedy is not None:
        # without a policy, changes are looked for that lead to a low level
        key = "notebook.to_low_risk" if assessment.met is None else "notebook.to_policy"
        yield (
            say(key, level=risk_in_words(LOW_RISK)),
            f"{_safe(remedy)}{_listed('ol', remedy.sentences)}",
        )


def _listed(kind: str, sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{_safe(sentence)}</li>" for sentence in sentences)
    return f"<{kind}>{items}</{kind}>"


def _safe(text: object) -> str:
    """Return text that is nothing but text, in HTML."""
    return html.escape(printable(text))
