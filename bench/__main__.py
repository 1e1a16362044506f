"""The command: ``python -m bench [CASE ...]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.case import AbsentError, Case, all_cases
from bench.report import noise, table, write_json, write_markdown
from bench.run import Outcome, run_case
from bench.threads import run_on_one_thread

REPEATS, QUICK_REPEATS = 7, 3


def main() -> int:
    """Run the cases asked for; the status is 1 if an answer of ours is wrong."""
    asked = _arguments()
    if asked.one_thread:
        run_on_one_thread()
    cases = _chosen(asked.cases)
    if not cases:
        return 2
    if asked.list:
        print(*(f"{case.name}: {case.title}" for case in cases), sep="\n")
        return 0
    repeats = asked.repeats or (QUICK_REPEATS if asked.quick else REPEATS)
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if asked.seed is None else asked.seed
    print(f"Order of contenders drawn anew in each of {repeats} rounds, --seed {seed}")
    outcomes = _outcomes(cases, asked.quick, repeats, np.random.default_rng(seed))
    if not outcomes:
        return 0  # every case was skipped, each with its reason
    print(table(outcomes))
    print(noise(outcomes))
    print(*(f"\n{each.name}\n{each.findings}" for each in outcomes if each.findings), sep="\n")
    if asked.json:
        write_json(asked.json, outcomes, seed=seed, repeats=repeats, quick=asked.quick)
    if asked.markdown:
        words = [
            *asked.cases,
            *(["--quick"] if asked.quick else []),
            *(["--one-thread"] if asked.one_thread else []),
            f"--repeats {repeats} --seed {seed}",
        ]
        write_markdown(asked.markdown, outcomes, " ".join(["python -m bench", *words]))
    ours = [timing for outcome in outcomes for timing in outcome.timings if timing.ours]
    return int(any(timing.wrong for timing in ours))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="cases whose name contains this")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("--repeats", type=int, metavar="N", help="rounds of each case")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, smaller large table")
    parser.add_argument("--one-thread", action="store_true", help="one thread for everybody")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the order of contenders")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write all times to this file")
    parser.add_argument("--markdown", type=Path, metavar="OUT", help="write the table to this page")
    asked = parser.parse_args()
    if asked.repeats is not None and asked.repeats < 1:
        parser.error(f"--repeats is {asked.repeats}; give 1 or more.")
    return asked


def _chosen(words: Sequence[str]) -> list[Case]:
    cases = all_cases()
    for word in words:
        if not any(word in case.name for case in cases):
            names = [case.name for case in cases]
            print(f"No case is called {word!r}. There are: {names}.", file=sys.stderr)
            return []
    return [case for case in cases if not words or any(word in case.name for word in words)]


def _outcomes(
    cases: Sequence[Case], quick: bool, repeats: int, rng: np.random.Generator
) -> list[Outcome]:
    outcomes = []
    for case in cases:
        try:
            outcomes.append(run_case(case, quick=quick, repeats=repeats, rng=rng))
        except AbsentError as absent:
            print(f"\n{case.name} is skipped: {absent}", file=sys.stderr)
    return outcomes


if __name__ == "__main__":
    sys.exit(main())
