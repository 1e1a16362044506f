"""Rules: what must hold for a sensitive column in every class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field, model_validator

from singleout.core.text import names_in_text, printable
from singleout.core.wording import stated_percent
from singleout.io.yaml.errors import Mistake
from singleout.methods.options import Part, Share
from singleout.report.say import say
from singleout.treatment.steps.kinds import Amount, Weight
from singleout.treatment.steps.step import AtLeastTwo, check_ascending

__all__ = ["SensitiveRule", "rules_in_words"]


class SensitiveRule(Part):
    """What must hold for a sensitive column in every class."""

    what: ClassVar[str] = "step"

    caps: dict[str, Annotated[Share, Field(gt=0, le=1)]] = Field(
        default_factory=dict,
        description="The largest share that a value may have in a class, by the value.",
    )
    gain: Annotated[Share, Field(gt=0, lt=1)] | None = Field(
        default=None,
        description="The share of each value in a class stays below its share in the table plus "
        "this: by so much at most an attacker gains certainty.",
    )
    harmless: list[str] = Field(
        default_factory=list, description="With gain: the values that everybody may learn."
    )
    cuts: Annotated[list[Amount], Field(min_length=1)] | None = Field(
        default=None, description="Where bands of a number start, ascending."
    )
    caps_of_bands: list[Annotated[Share, Field(gt=0, le=1)]] | None = Field(
        default=None,
        description="With cuts: the largest share that each band may have in a class, from the "
        "numbers below the first cut on; 1 is no cap.",
    )
    l: AtLeastTwo | None = Field(  # noqa: E741 - its name in the literature
        default=None, description="How many different values each class must have."
    )
    entropy_l: Annotated[Amount, Field(gt=1)] | None = Field(
        default=None,
        description="Each class is at least as diverse as so many equally frequent values.",
    )
    recursive: tuple[Weight, AtLeastTwo] | None = Field(
        default=None,
        description="[c, l]: the most frequent value stays below c times those from the l-th on.",
    )
    t: Annotated[Share, Field(gt=0, lt=1)] | None = Field(
        default=None, description="The largest distance between a class and the table."
    )
    ordered: bool = Field(
        default=False,
        description="Whether the values have an order, so that t counts how far they are apart.",
    )

    @model_validator(mode="after")
    def _says_something(self) -> SensitiveRule:
        if not self.model_fields_set - {"ordered"}:
            raise Mistake(
                (), "the rule says nothing; give gain, caps, l, entropy_l, recursive or t."
            )
        if (self.cuts is None) != (self.caps_of_bands is None):
            raise Mistake((), "cuts and caps_of_bands go together; give both.")
        if sum(map(bool, (self.caps, self.cuts, self.gain))) > 1:
            raise Mistake((), "caps, cuts and gain are three ways to say the same; give one.")
        if self.harmless and self.gain is None:
            raise Mistake(("harmless",), "harmless goes with gain; give caps to the other values.")
        if self.cuts is not None and self.caps_of_bands is not None:
            check_ascending(self.cuts)
            if len(self.caps_of_bands) != len(self.cuts) + 1:
                raise Mistake(
                    ("caps_of_bands",),
                    f"{len(self.cuts)} cuts make {len(self.cuts) + 1} bands; give a share for "
                    f"each, not {len(self.caps_of_bands)}.",
                )
        return self

    @property
    def words(self) -> str:
        """The rule in words."""
        parts = [
            say("steps.sensitive.cap", value=printable(value), share=stated_percent(share))
            for value, share in self.caps.items()
        ]
        if self.gain is not None:
            key = "steps.sensitive.gain_but" if self.harmless else "steps.sensitive.gain"
            parts.append(say(key, points=100 * self.gain))
        if self.caps_of_bands is not None:
            highest = stated_percent(min(self.caps_of_bands))
            parts.append(say("steps.sensitive.bands", n=len(self.caps_of_bands), share=highest))
        parts += [] if self.l is None else [say("steps.sensitive.l", n=self.l)]
        parts += (
            [] if self.entropy_l is None else [say("steps.sensitive.entropy", l=self.entropy_l)]
        )
        if self.recursive is not None:
            parts.append(say("steps.sensitive.recursive", c=self.recursive[0], l=self.recursive[1]))
        parts += [] if self.t is None else [say("steps.sensitive.t", share=stated_percent(self.t))]
        return say("steps.and").join(parts)


def rules_in_words(key: str, rules: Mapping[str, SensitiveRule]) -> str:
    """Return the rules in words, columns with the same rule together."""
    columns: dict[str, list[str]] = {}
    for name, rule in rules.items():
        columns.setdefault(rule.words, []).append(name)
    return "".join(
        say(key, column=names_in_text(names), rule=rule) for rule, names in columns.items()
    )
