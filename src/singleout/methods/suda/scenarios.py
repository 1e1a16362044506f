"""Several keys in one run: what different intruders could know, side by side.

A scenario names the columns that one kind of intruder knows: a neighbour, an employer, a register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.wording import count
from singleout.engines.open import open_data
from singleout.errors import BadChoice
from singleout.methods.selection import named_columns
from singleout.methods.suda.question import COPIES
from singleout.methods.suda.weights import weights_asked
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.methods.suda.result import Suda

__all__ = ["SudaScenarios", "search_scenarios"]


@dataclass(frozen=True, eq=False)
class SudaScenarios(Result):
    """The special uniques of a table for each of several sets of columns.

    Parameters
    ----------
    scenarios
        The result of each scenario, by its name.
    """

    scenarios: Mapping[str, Suda]

    def __getitem__(self, name: str) -> Suda:
        """Return the result of one scenario."""
        return self.scenarios[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.scenarios)

    def __len__(self) -> int:
        return len(self.scenarios)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, each sentence with the scenario that it is about."""
        return tuple(
            dict.fromkeys(
                say("suda.scenarios.note", name=name, note=note)
                for name, found in self.scenarios.items()
                for note in found.notes
            )
        )

    @property
    def comparison(self) -> pl.DataFrame:
        """For each scenario how many columns there are, unique and special records, and DIS."""
        from singleout.core.frames import pl

        rows = [
            {
                "scenario": name,
                "columns": len(found.columns),
                "max_size": found.max_size,
                "records": found.records,
                "unique": found.unique,
                "special": len(found.special_uniques),
                "undecided": found.undecided,
                "highest_score": float(found.score.max()),
                "dis": None if found.sampling_fraction is None else found.dis,
                "highest_dis_score": found.highest_dis_score,
            }
            for name, found in self.scenarios.items()
        ]
        kinds = {"dis": pl.Float64, "highest_dis_score": pl.Float64}
        return pl.DataFrame(rows, schema_overrides=kinds)

    def to_frame(self) -> Frame:
        """Return a row for each record: its kind, score and DIS-SUDA in every scenario."""
        frame: pl.DataFrame | None = None
        for name, found in self.scenarios.items():
            wanted = ["record", "kind", "smallest_size", "score"]
            wanted += ["dis_score"] if found.has_dis_score else []
            part = found._measures(slice(None)).select(wanted)
            part = part.rename({each: f"{each} ({name})" for each in wanted[1:]})
            frame = (
                part if frame is None else frame.join(part, on="record", how="full", coalesce=True)
            )
        assert frame is not None  # there is at least one scenario
        return frame.sort("record")

    def to_dict(self, top: int = 10) -> dict[str, Any]:
        """Return plain values that JSON can hold; ``top`` is that of each scenario."""
        return {
            "comparison": self.comparison.to_dicts(),
            "scenarios": {name: found.to_dict(top) for name, found in self.scenarios.items()},
        }

    def plot(self) -> alt.VConcatChart:
        """Return the picture: unique records of each scenario, by kind."""
        from singleout.methods.suda.scenarios_chart import picture

        return picture(self)

    def _shown(self) -> pl.DataFrame:
        return self.comparison

    def __str__(self) -> str:
        worst = max(self.scenarios, key=lambda name: self.scenarios[name].special_share)
        found = self.scenarios[worst]
        return say(
            "suda.scenarios.says",
            n=len(self.scenarios),
            name=worst,
            special=found.special_in_words,
            records=count(found.records),
        )


def search_scenarios(
    suda: Callable[..., Suda],
    data: Any,
    keys: Mapping[str, Sequence[str] | str],
    *,
    engine: Any = None,
    where: Any = None,
    **choices: Any,
) -> SudaScenarios:
    """Search the special uniques of several sets of columns; the data is read once.

    Parameters
    ----------
    suda
        What searches one of them.
    data, engine, where
        As for `suda`.
    keys
        The columns of each scenario, by its name.
    choices
        Other arguments of `suda`, the same for all scenarios.
    """
    if not isinstance(keys, Mapping) or not keys:
        raise BadChoice(
            "Scenarios are columns by name; give them as {'neighbour': ['age', 'sex', 'street']}."
        )
    named = {
        str(name): named_columns(columns, f"scenario {name!r}") or []
        for name, columns in keys.items()
    }
    needed = list(dict.fromkeys(column for columns in named.values() for column in columns))
    groups = choices.get("by") or ()
    needed += [groups] if isinstance(groups, str) else [g for g in groups if g not in needed]
    weight = weights_asked(
        data,
        choices.pop("weights", None),
        choices.get("sampling_fraction"),
        choices.get("population"),
        choices.get("count"),
    )
    if weight is not None:
        choices["weights"] = weight
        needed += [] if weight in needed else [weight]
    with open_data(data, engine, where, needed, count=choices.pop("count", None)) as counter:
        records = counter.repeated(needed, COPIES)
        return SudaScenarios(
            {name: suda(records, columns, **choices) for name, columns in named.items()}
        )
