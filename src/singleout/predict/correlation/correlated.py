"""How identifying several attributes are together, where they depend on each other. Koot, 6.4.

The thesis treats two normal attributes. Here also tables: the joint table if it is known, the one
of largest entropy if only margins are, a Gaussian copula for ordered values, and groups with normal
attributes of their own. The more attributes tell about each other, the less they single out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64
from singleout.core.choices import choose
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.correlation.checks import check_question, checked_normals, checked_rng
from singleout.predict.correlation.fitting import Fitted
from singleout.predict.correlation.normal import NormalMethod, answer_normals
from singleout.predict.correlation.tables import (
    TableAnswer,
    from_copula,
    from_joint,
    from_margins,
)
from singleout.predict.distribution.distribution import Distribution, check_people
from singleout.predict.distribution.people import readable

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Correlated", "correlated"]


@dataclass(frozen=True, eq=False)
class Correlated(Result):
    """How many people are alone in a cell of several attributes, and how many if independent.

    Parameters
    ----------
    kind
        What was known: ``normal``, ``groups``, ``joint``, ``margins`` or ``copula``.
    people
        k: how many people there are.
    shares
        Of all people, those in sets of 1, 2 and 3.
    independent_shares
        The same if the attributes did not depend on each other; None where that was not computed.
    method
        How the shares were computed.
    information
        What the attributes tell about each other, in nats: for tables of the cells, for normal
        attributes before rounding; None for groups.
    distribution
        The cells, where there are such.
    joint
        The joint table as shares of all people, where there is one.
    fitted
        How the joint table was fitted to margins, if it was.
    standard_error
        Of the share of unique people, if it was simulated.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the numbers may not be trusted, one sentence each.
    """

    kind: str
    people: int
    shares: F64
    independent_shares: F64 | None
    method: str
    information: float | None = None
    distribution: Distribution | None = None
    joint: F64 | None = field(default=None, repr=False)
    fitted: Fitted | None = field(default=None, repr=False)
    standard_error: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.shares, self.independent_shares, self.joint):
            if array is not None:
                array.flags.writeable = False

    @property
    def share_unique(self) -> float:
        """The share of all people that are alone in their cell."""
        return float(self.shares[0])

    @property
    def singletons(self) -> float:
        """How many people are expected to be alone in their cell."""
        return self.people * self.share_unique

    @property
    def independent_share_unique(self) -> float | None:
        """The share of all people that would be alone if the attributes were independent."""
        return None if self.independent_shares is None else float(self.independent_shares[0])

    @property
    def independent_singletons(self) -> float | None:
        """How many people would be alone if the attributes were independent."""
        share = self.independent_share_unique
        return None if share is None else self.people * share

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        apart = self.independent_shares
        fit = self.fitted
        return {
            "kind": self.kind,
            "people": self.people,
            "method": self.method,
            "singletons": self.singletons,
            "share_unique": self.share_unique,
            "shares_in_sets_of_1_to_3": self.shares.tolist(),
            "independent_singletons": self.independent_singletons,
            "independent_share_unique": self.independent_share_unique,
            "independent_shares_in_sets_of_1_to_3": None if apart is None else apart.tolist(),
            "information_nats": self.information,
            "standard_error": self.standard_error,
            "distribution": None if self.distribution is None else self.distribution.to_dict(),
            "fit": None if fit is None else {"rounds": fit.rounds, "misfit": fit.misfit},
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return a polars frame with one row for each size of a set."""
        from singleout.core.frames import pl

        apart = self.independent_shares
        return pl.DataFrame(
            {
                "set_size": np.arange(1, len(self.shares) + 1),
                "share": self.shares,
                "share_if_independent": [None] * len(self.shares) if apart is None else apart,
            },
            schema_overrides={"share_if_independent": pl.Float64},
        )

    def plot(self) -> alt.Chart | alt.LayerChart:
        """Return the picture: who is in small sets, with dependence and without."""
        from singleout.predict.intervals.chart import small_sets

        apart = self.independent_shares
        return small_sets(
            self.shares.tolist(), None if apart is None else apart.tolist(), people=self.people
        )

    def __str__(self) -> str:
        apart = self.independent_singletons
        compared = (
            "" if apart is None else f"; {readable(apart)} if the attributes were independent"
        )
        return (
            f"Of {self.people:,} people {readable(self.singletons)} ({self.share_unique:.1%}) are "
            f"alone in their cell{compared}"
        )


def correlated(
    people: int,
    *,
    covariance: Any = None,
    widths: Any = None,
    means: Any = None,
    offsets: Any = "average",
    groups: Any = None,
    joint: Any = None,
    margins: Mapping[Any, Any] | None = None,
    correlation: Any = None,
    without_replacement: bool | None = None,
    method: str = "auto",
    rng: np.random.Generator | int | None = None,
) -> Correlated:
    """Predict how many people are alone in a cell of attributes that depend on each other.

    Give one of three: ``covariance`` for numbers that are rounded, ``joint`` for a joint table, or
    ``margins`` for what is known of one.

    Parameters
    ----------
    people
        How many people there will be.
    covariance
        Of attributes with a normal distribution; with ``groups`` one for all or one for each.
    widths
        How wide the intervals of each attribute are.
    means
        Of each attribute; with ``groups`` a row for each. They matter only where offsets are given,
        or for groups.
    offsets
        Where an interval of each attribute begins; ``average`` for the mean over all such places.
    groups
        A category beside the numbers: the share of people in each group.
    joint
        Counts or shares of every combination: an array with an axis for each attribute.
    margins
        Tables by attribute: ``{("age", "sex"): [[…]], ("sex", "town"): [[…]]}``. The joint table is
        the one of largest entropy that has them.
    correlation
        With one table for each attribute as ``margins``, whose values are ordered: the correlation
        of their normal scores, a number for two attributes, else a matrix.
    without_replacement
        Whether nobody is drawn twice from a joint table of counts. If not given, so above 1 %.
    method
        For ``covariance``: ``auto``, ``exact``, ``closed``, ``order1``, ``order2`` or ``simulate``.
    rng
        The source of chance of a simulation, or a seed; if not given, the same for every call.

    Returns
    -------
    Correlated

    Examples
    --------
    >>> from singleout.predict import correlated
    >>> height_and_weight = [[4.83**2, 12.844], [12.844, 5.289**2]]
    >>> print(correlated(40, covariance=height_and_weight, widths=[2, 2]))
    Of 40 people 24.12 (60.3%) are alone in their cell; 25.64 if the attributes were independent
    >>> age_and_sex = correlated(20, joint=[[30, 10], [20, 40]])
    >>> round(age_and_sex.share_unique, 4)
    0.0157
    """
    k = check_people(people, least=1)
    kind = check_question(
        covariance=covariance,
        joint=joint,
        margins=margins,
        widths=widths,
        means=means,
        groups=groups,
        correlation=correlation,
        offsets=None if isinstance(offsets, str) and offsets == "average" else offsets,
        rng=rng,
    )
    if kind in ("normal", "groups"):
        if without_replacement:
            raise BadChoice("without_replacement=True needs a joint table of counts.")
        normals = checked_normals(covariance, widths, means, offsets, groups)
        chosen = choose(NormalMethod, method, "method of correlated")
        found = answer_normals(normals, k, chosen, checked_rng(rng))
        return Correlated(
            kind,
            k,
            found.shares,
            found.independent,
            found.method,
            information=normals.information,
            distribution=_cells(found.cells),
            standard_error=found.standard_error,
            notes=found.notes,
            warnings=found.warnings,
        )
    if method not in ("auto", "exact"):
        raise BadChoice(f"method={method!r} is for covariance=; tables are always exact.")
    return _from_table(
        kind, k, _table_answer(kind, k, joint, margins, correlation, without_replacement)
    )


def _table_answer(
    kind: str,
    people: int,
    joint: Any,
    margins: Any,
    correlation: Any,
    without_replacement: bool | None,
) -> TableAnswer:
    if kind == "joint":
        return from_joint(joint, people, without_replacement)
    if kind == "copula":
        return from_copula(margins, correlation, people, without_replacement)
    return from_margins(margins, people, without_replacement)


def _from_table(kind: str, people: int, found: TableAnswer) -> Correlated:
    return Correlated(
        kind,
        people,
        found.shares,
        found.independent,
        "exact",
        information=found.information,
        distribution=found.distribution,
        joint=found.joint,
        fitted=found.fitted,
        notes=found.notes,
        warnings=found.warnings,
    )


def _cells(masses: F64 | None) -> Distribution | None:
    """Return the cells of normal attributes, of which there are infinitely many."""
    if masses is None:
        return None
    return Distribution.from_probabilities(masses / masses.sum(), cells=np.inf)
