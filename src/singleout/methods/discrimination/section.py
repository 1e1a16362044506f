"""The discrimination rate in a plan: how an assessment, which rates by it, is to read it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from singleout.methods.method import Method
from singleout.methods.options import Part as Options

__all__ = ["METHOD"]


class DiscriminationPlan(Options):
    """How the discrimination rate is taken."""

    variant: Literal["paper", "mutual-information", "worst-value"] = Field(
        default="paper", description="Which discrimination rate decides."
    )


class _Discrimination(Method):
    """The rate that the rows of an assessment are made of, and so no section of its own."""

    name = "discrimination"
    options = DiscriminationPlan
    about = "The discrimination rate."
    example = "{variant: paper}   # or mutual-information, worst-value"
    plan_order = 4


METHOD = _Discrimination()
