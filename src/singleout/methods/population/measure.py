"""Population uniqueness by six estimators, each with an interval, and the one to believe.

The rule for the one to believe was chosen by `scripts/population_estimators.py` on populations
that are known: the log-linear model where its own test accepts it, and where it has not too many
terms for its sample (in samples drawn from it, fitted anew, the estimate is right). Otherwise
Pitman's model where the class sizes fit it, or else the prediction that has no model of class
sizes; but the log-linear model where it is lower, since one that lacks terms is too high. One that
has too many terms by its test is too low, and is not believed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.special import chdtrc, pdtr, pdtrik

from singleout.core.arrays import F64
from singleout.core.counts import SizeProfile
from singleout.core.results import ResultPart
from singleout.methods.population.forest import Cells
from singleout.methods.population.loglinear import LogLinear, loglinear, loglinear_interval
from singleout.methods.population.pitman import expected_uniques, pitman
from singleout.methods.population.predicted import predicted
from singleout.methods.population.replicates import draw, size_law
from singleout.methods.population.sample import Fit, Samples, samples_of
from singleout.methods.population.snb import snb
from singleout.methods.population.zayatz import zayatz
from singleout.report.say import say

__all__ = ["Estimate", "Estimates", "estimate"]

_OF_SIZES: Mapping[str, Callable[[Samples], Fit]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "snb": snb,
    "predicted": predicted,
}
_LEVEL = (0.025, 0.975)
_FITS = 0.01  # a model is given up if class sizes so far from it have a smaller probability
_SIZES_TESTED = 20
_FEW = 20  # population uniques
_TOO_MANY = "loglinear_many"
_SELF_BIAS = 1.25  # how far off an estimator may be in samples drawn from its own model


@dataclass(frozen=True, eq=False)
class Estimate(ResultPart):
    """One estimate of population uniqueness.

    Parameters
    ----------
    name
        The estimator.
    share
        Population uniques / people in the population; None where the estimator does not apply.
    count
        The number of population uniques.
    low, high
        The 95% interval of the share, by the parametric bootstrap: what the chance of the sample
        leaves open if the model holds. None where there is none.
    converged
        Whether the estimator has a solution here.
    parameters
        The parameters of its model, and how well it did.
    reasons
        Keys of sentences: why it does not apply, or what to know.
    """

    name: str
    share: float | None
    count: float | None = None
    low: float | None = None
    high: float | None = None
    converged: bool = False
    parameters: Mapping[str, float] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Why it does not apply, or what to know, one sentence each."""
        return tuple(say(f"population.reasons.{reason}") for reason in self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        return {
            "share": self.share,
            "count": self.count,
            "low": self.low,
            "high": self.high,
            "converged": self.converged,
            "parameters": dict(self.parameters),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, eq=False)
class Estimates:
    """All estimates, the name of the one to believe, and the log-linear model."""

    estimates: Mapping[str, Estimate]
    best: str | None
    model: LogLinear | None = None


def estimate(
    profile: SizeProfile,
    people: float,
    cells: Cells | None,
    names: Sequence[str],
    seed: Any = 0,
) -> Estimates:
    """Estimate the population uniqueness of a sample by some estimators.

    ``cells`` are the value combinations, which the log-linear model needs; without them it is
    left out.
    """
    samples = samples_of(profile, people)
    rng = np.random.default_rng(seed)
    if not samples.records:
        return Estimates({name: _refused(name, "no_records") for name in names}, None)
    if samples.people == samples.records:
        share = float(samples.of_size(1)[0] / samples.records)
        return Estimates({name: _whole(name, share, samples) for name in names}, names[0])
    needed = ("zayatz", "pitman", "snb") if "dankar" in names else ()
    found = {
        name: _of_sizes(name, samples, rng) for name in _OF_SIZES if name in names or name in needed
    }
    model = None
    if "dankar" in names:
        found["dankar"] = _dankar(samples.fraction, found)
    if "loglinear" in names and cells is not None:
        if _repeats_the_sample(cells):
            found["loglinear"] = _refused("loglinear", "loglinear_one_column")
        else:
            model = loglinear(cells, samples.fraction, rng)
            found["loglinear"] = _loglinear(model, samples, rng)
    chosen = {name: found[name] for name in names if name in found}
    if not samples.of_size(1)[0]:
        most = _most_unseen(samples)
        chosen = {name: _open_above(one, most) for name, one in chosen.items()}
    return Estimates(chosen, _best(samples, chosen, model), model)


def _refused(name: str, reason: str, parameters: Mapping[str, float] | None = None) -> Estimate:
    return Estimate(name, None, parameters=parameters or {}, reasons=(reason,))


def _whole(name: str, share: float, samples: Samples) -> Estimate:
    """Return what is known where the sample is the population."""
    count = float(samples.of_size(1)[0])
    return Estimate(name, share, count, share, share, converged=True, reasons=("whole",))


def _most_unseen(samples: Samples) -> float:
    """Return the share of population uniques that a sample without any unique leaves open.

    A population unique that is drawn is unique in the sample, too. S of them are all missed with
    probability (1 - pi)^S, which is below 2.5% for more than this.
    """
    most = np.log(1 - _LEVEL[1]) / np.log1p(-samples.fraction)
    return min(1.0, float(most) / samples.people)


def _open_above(one: Estimate, most: float) -> Estimate:
    return one if one.high is None else replace(one, high=max(one.high, most))


def _of_sizes(name: str, samples: Samples, rng: np.random.Generator) -> Estimate:
    """Return an estimate from the class sizes alone."""
    fit = _OF_SIZES[name](samples)
    finite = {key: value for key, value in fit.first.items() if np.isfinite(value)}
    if not fit.applies:
        return _refused(name, fit.reason, finite)
    count = _some(min(float(fit.uniques[0]), samples.people))
    share = count / samples.people
    if (not count and name == "zayatz") or (name == "snb" and "a" not in finite):
        return Estimate(name, share, count, share, share, converged=True, parameters=finite)
    estimates, truths = draw(name, samples, finite, rng)
    low, high, facts, reasons = _interval(count, estimates, truths, samples.people)
    if name == "pitman":
        finite |= _pitman_facts(samples, finite)
    return Estimate(name, share, count, low, high, True, finite | facts, reasons)


_Interval = tuple[float | None, float | None, dict[str, float], tuple[str, ...]]


def _some(count: float) -> float:
    """Return a number of people, and 0 for one that is only not 0 by its formula."""
    return count if count > 1e-6 else 0.0


def _interval(count: float, estimates: F64, truths: F64, people: float) -> _Interval:
    """Return the interval of a share from replicates, how it was come by, and what to know.

    ``count`` and the replicates are numbers among ``people``.
    """
    solved = np.isfinite(estimates)
    facts = {"replicates": float(len(estimates)), "replicates_solved": float(solved.sum())}
    if solved.sum() < len(solved) / 2:
        return None, None, facts, ("few_replicates",)
    estimates, truths = estimates[solved], truths[solved]
    if np.median(truths) < _FEW:
        # ratios are no help where there may be none: differences, and the chance of few people
        below, above = np.quantile(estimates - truths, _LEVEL)
        low = max(0.0, min(count - float(above), count))
        high = max(count, count - float(below), _poisson_quantile(_LEVEL[1], count))
        bias = float(estimates.mean() / truths.mean()) if truths.mean() >= 1 else 1.0
    else:
        usable = (estimates > 0) & (truths > 0)
        logs = np.log(estimates[usable] / truths[usable])
        bias = float(np.exp(np.median(logs)))
        below, above = _spread(logs)
        low, high = count * float(np.exp(-above)), count * float(np.exp(-below))
    off = not 1 / _SELF_BIAS < bias < _SELF_BIAS
    facts["self_bias"] = bias
    return low / people, min(1.0, high / people), facts, ("self_bias",) if off else ()


def _poisson_quantile(level: float, mean: float) -> float:
    """Return the smallest count that a Poisson variable exceeds with at most ``1 - level``.

    `scipy.stats` has it too, and takes half a second to load.
    """
    count = float(np.ceil(pdtrik(level, mean)))
    before = max(count - 1.0, 0.0)
    return before if pdtr(before, mean) >= level else count


def _spread(logs: F64) -> tuple[float, float]:
    """Return how far logarithms lie below and above their median, at the ends of an interval."""
    if len(logs) < 100:  # too few for quantiles
        above = 1.96 * float(np.std(logs))
        return -above, above
    low, high = np.quantile(logs - np.median(logs), _LEVEL)
    return float(low), float(high)


def _pitman_facts(samples: Samples, found: Mapping[str, float]) -> dict[str, float]:
    """Return how well the class sizes fit, and the expected uniqueness without Hoshino's limit."""
    alpha, theta = (np.array([found[key]]) for key in ("alpha", "theta"))
    exact = float(expected_uniques(alpha, theta, samples.people)[0] / samples.people)
    return {"fit_p_value": _fit_of_sizes(samples, found["alpha"]), "share_without_limit": exact}


def _fit_of_sizes(samples: Samples, alpha: float) -> float:
    """Return the p-value of the class sizes under Pitman's model (likelihood ratio)."""
    classes = float(samples.classes[0])
    _, law = size_law(alpha, samples.records / classes, samples.records)
    single = min(_SIZES_TESTED, len(law))
    expected = np.append(law[:single], law[single:].sum()) * classes
    observed = np.zeros(single + 1)
    at = np.minimum(samples.sizes.astype(np.int64) - 1, single)
    np.add.at(observed, at, samples.sets[0])
    many = expected >= 5
    expected = np.append(expected[many], max(expected[~many].sum(), 1e-9))
    observed = np.append(observed[many], observed[~many].sum())
    some = observed > 0
    ratio = 2 * float((observed[some] * np.log(observed[some] / expected[some])).sum())
    return float(chdtrc(max(1, len(expected) - 3), max(0.0, ratio)))


def _dankar(fraction: float, found: Mapping[str, Estimate]) -> Estimate:
    """Return the choice of Dankar et al. (2012) as ARX makes it."""
    if fraction <= 0.1:
        order = [found["pitman"], found["zayatz"]]
        chosen = next((one for one in order if one.share is not None), order[0])
    else:
        both = [one for one in (found["zayatz"], found["snb"]) if one.share is not None]
        chosen = min(both, key=lambda one: one.share or 0.0) if both else found["zayatz"]
    return Estimate(
        "dankar",
        chosen.share,
        chosen.count,
        chosen.low,
        chosen.high,
        chosen.converged,
        chosen.parameters,
        (f"dankar_{chosen.name}", *chosen.reasons),
    )


def _repeats_the_sample(cells: Cells) -> bool:
    """Return whether a model of main effects fits every count exactly, so that it tells nothing."""
    return sum(len(np.unique(codes)) > 1 for codes in cells.codes) < 2


def _loglinear(model: LogLinear, samples: Samples, rng: np.random.Generator) -> Estimate:
    """Return tau1, the population uniques in the sample, as a share of the sample."""
    tau = _some(model.step.tau1)
    share = tau / samples.records
    facts = {
        "tau1": model.step.tau1,
        "tau2": model.step.tau2,
        "test": model.step.test,
        "pairs": float(len(model.step.pairs)),
    }
    reasons: tuple[str, ...] = ()
    if not model.accepted:
        reasons = ("loglinear_test" if model.step.test > 0 else _TOO_MANY,)
    low: float | None = share
    high: float | None = share
    if share:
        estimates, truths = loglinear_interval(model, samples.fraction, rng)
        low, high, more, known = _interval(tau, estimates, truths, samples.records)
        facts, reasons = facts | more, (*reasons, *known)
    return Estimate("loglinear", share, share * samples.people, low, high, True, facts, reasons)


def _best(samples: Samples, found: Mapping[str, Estimate], model: LogLinear | None) -> str | None:
    """Return the estimate to believe; see the module's first lines."""
    shares = {name: one.share for name, one in found.items() if one.share is not None}
    sound = "loglinear" in shares and not {"self_bias", _TOO_MANY} & {*found["loglinear"].reasons}
    by_cells = "loglinear" if sound and samples.of_size(1)[0] else None
    if by_cells and model is not None and model.accepted:
        return by_cells
    by_sizes = _best_of_sizes(found, shares)
    if by_sizes is None and not samples.of_size(1)[0]:
        # without any sample unique there is nothing to be too high
        return next((name for name in ("zayatz", "snb", "loglinear") if name in shares), None)
    if by_cells and by_sizes:
        # a model that lacks terms is too high: the test says that it does
        return min(by_cells, by_sizes, key=lambda name: shares[name])
    return by_cells or by_sizes


def _best_of_sizes(found: Mapping[str, Estimate], shares: Mapping[str, float]) -> str | None:
    if "pitman" in shares and found["pitman"].parameters.get("fit_p_value", 0.0) >= _FITS:
        return "pitman"
    order = ["predicted", "pitman"]
    if not set(order) & set(found):  # otherwise others are no better where these do not apply
        order = ["dankar", "snb", "zayatz", "loglinear"]
    return next((name for name in order if name in shares), None)
