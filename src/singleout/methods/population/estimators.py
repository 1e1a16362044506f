"""The names of the estimators, for plans and options, which load no estimator."""

from __future__ import annotations

__all__ = ["ESTIMATORS"]

ESTIMATORS = ("zayatz", "pitman", "snb", "dankar", "loglinear", "predicted")
