"""The words of a report, all in one place: another language is another set of them.

Words between braces are filled in. What the measures themselves say (the verdict, their notes and
warnings) comes with the results.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["ENGLISH", "Sentences"]

_TERMS = (
    (
        "Who is attacked, and how",
        "Somebody knows a few things about a person, looks for them in the data, and learns what "
        "else the data say about that person. What can be known are the quasi-identifiers; what "
        "must not be learnt are the sensitive attributes. The plan says which is which.",
    ),
    (
        "Exposure",
        "How easily the known attributes are found elsewhere, 1 to 4: inside one operation only "
        "(IR), across an organisation (IE), outside with some search (ER), or widely (EE). "
        "Attributes of one exposure are taken together, because who gets one of them gets them "
        "all; the rows “or easier” add those that are easier still to get.",
    ),
    ("Discrimination rate and inference", "{rate} {levels}"),
    (
        "Exploitability, severity and risk",
        "Inference and exposure give the exploitability: how easy an attack is. Severity is how "
        "hard a disclosure would hit the person: the worst of bodily, material and moral impact. "
        "Exploitability and severity give the risk. Both steps are tables of the plan, shown "
        "above. The level of the whole is that of its worst row, not an average; where a column "
        "identifies people directly, it is that of an attack that is very easy.",
    ),
)

_LAST_TERMS = (
    (
        "What to do first",
        "Each proposal was carried out on a copy of the data, and everything was measured again: "
        "the effects are computed, not estimated. They hold for one change at a time; after a "
        "change, assess again.",
    ),
    (
        "What this report does not say",
        "It measures how far these data tell people apart, by what the plan says others can know. "
        "It cannot know what attackers hold in fact, whether the file is a sample of a larger "
        "population unless the plan says so, nor what other releases add. A low level is not a "
        "promise that nobody can be identified.",
    ),
)

_ANONYMITY = (
    "Anonymity sets",
    "Records that have the same values in all quasi-identifiers form a set: nobody who knows "
    "only these can tell them apart. The smallest set gives the k of k-anonymity; a record in "
    "a set of one is unique.",
)
_SUDA = (
    "SUDA: special uniques",
    "A record is singled out more easily the fewer of its values are needed to do so. A "
    "minimal unique is a set of values that only one record has and of which none can be left "
    "out. Records with many and small ones get a high score.",
)
_QAR = (
    "QaR: the risk of the table",
    "Each combination of a few columns splits the records into groups; θ is the number of "
    "groups divided by that of records, and at 1 everybody is alone. T is the θ that only a "
    "small share of all combinations exceed, estimated from the riskiest of them. It needs no "
    "decision on which columns somebody knows. If the points of the two diagnostic pictures "
    "stray far from their lines, T should not be relied on.",
)

_LEVELS = (
    "Below 0.25 the inference is weak, below 0.5 moderate, below 0.75 severe, from there on "
    "critical. The mutual information is the share of what there is to guess about a sensitive "
    "attribute that is gone on average once the other attributes are known, from 0 (nothing) to 1 "
    "(everything). Where the plan has no sensitive attribute, the rate is how often a match names "
    "the right record."
)
_RATES = {
    "paper": (
        "For each combination of known values: 1, less the share of what there was to guess about "
        "a sensitive attribute that is still left to guess, times the share of the records that "
        "have the combination. The rate is the mean over the combinations. It is 1 where "
        "everything is known, but for c combinations never below 1 − 1/c: where there are many it "
        "is close to 1 even if they tell nothing. Compare the mutual information beside it."
    ),
    "mutual-information": (
        "How much of what there is to guess about a sensitive attribute is gone on average once "
        "the other attributes are known, from 0 (nothing) to 1 (everything). A few people about "
        "whom everything is known hardly raise it: look at the records at risk as well."
    ),
    "worst-value": (
        "How much of what there is to guess about a sensitive attribute is gone for those whose "
        "values in the other attributes give away most, from 0 (nothing) to 1 (everything). One "
        "person alone with their values makes it 1."
    ),
}

_RATING_SOURCE = (
    "Sondeck, L.-P., Laurent, M. Practical and Ready-to-Use Methodology to Assess the "
    "re-identification Risk in Anonymized Datasets."
)
_ANONYMITY_SOURCE = (
    "Koot, M. R. (2012). Measuring and Predicting Anonymity. PhD thesis, University of Amsterdam."
)
_SUDA_SOURCE = (
    "Elliot, M. J., Manning, A., Mayes, K., Gurd, J., Bane, M. (2005). SUDA: A Program for "
    "Detecting Special Uniques."
)
_QAR_SOURCE = (
    "Béra, M., Daskalaki, V., Saporta, G., Spiliopoulos, K., Spinakis, K., Stavropoulos, P. "
    "(2023). Quantifying the contribution of individual records to the reidentification risk of "
    "(pseudo)anonymized datasets. 64th ISI World Statistics Congress, Ottawa."
)


@dataclass(frozen=True)
class Sentences:
    """The words of a report in one language; by default English."""

    language: str = "en"

    # ---- the page
    skip: str = "Skip to the verdict"
    contents: str = "Contents"
    kind_of_document: str = "Re-identification risk assessment"
    untitled: str = "Risk assessment of {source}"
    below_title: str = "{records} records of {source}, assessed on {day}"
    colophon: str = (
        "Made by singleout {version}. This file holds everything it shows; it fetches nothing and "
        "sends nothing."
    )

    # ---- the verdict
    verdict: str = "Verdict"
    policy_met: str = "The policy is met."
    policy_not_met: str = "The policy is not met"
    no_policy: str = "No policy was given, so nothing is accepted or refused here."
    figure_k: str = "Smallest anonymity set (k)"
    figure_unique: str = "Unique records"
    figure_at_risk: str = "Records at severe or critical risk"
    figure_qar: str = "Risk of the table (QaR)"
    figure_first: str = "First thing to do"
    of_records: str = "{part} of {whole} ({share})"
    first_lowers: str = "Risk level {before} → {after}."
    first_stays: str = "The risk level stays {before}."
    nothing_to_do: str = "No single change that was tried lowers the risk."
    warnings: str = "Warning"
    guessed: str = (
        "There was no plan: what the columns are for, how exposed and how severe they are was "
        "guessed. Check the plan at the end before you rely on this report."
    )

    # ---- what was measured
    measured: str = "What was measured, and on what"
    data: str = "Data"
    sha256: str = "SHA-256 of the file"
    no_file: str = "not a file"
    records: str = "Records"
    records_dropped: str = "{rated} rated, {dropped} left out because a value is missing"
    columns: str = "Columns"
    columns_by_role: str = "{columns}: {roles}"
    plan_from: str = "Plan"
    plan_given: str = "given; in full at the end of this report"
    plan_guessed: str = "guessed from names and values; in full at the end of this report"
    plan_hash: str = "SHA-256 of the plan"
    missing: str = "Missing values"
    missing_values: dict[str, str] = field(
        default_factory=lambda: {
            "value": "a missing value counts as a value like another",
            "wildcard": "a missing value matches everything",
            "drop": "records with a missing value in a quasi-identifier are left out",
        }
    )
    variant: str = "Discrimination rate"
    reading: str = "Options of reading"
    plain_reading: str = "none were given"
    software: str = "Software"
    time: str = "Time of the report"
    columns_caption: str = "What the plan says about the columns"
    column: str = "Column"
    role: str = "Role"
    exposure: str = "Exposure"
    severity: str = "Severity"
    not_said: str = "–"
    roles: dict[str, str] = field(
        default_factory=lambda: {
            "direct-identifier": "direct identifier",
            "quasi-identifier": "quasi-identifier",
            "sensitive": "sensitive",
            "weight": "weight",
            "household": "household",
            "other": "other",
            "": "not in the plan",
        }
    )
    more_rows: str = "{more} more are not shown here; the results in JSON have them all."
    notes: str = "Good to know"

    # ---- the matrices
    matrix: str = "Risk matrix"
    matrix_how: str = (
        "Each row of the assessment asks what somebody who knows some attributes can infer. First, "
        "how far the attributes tell it (inference) and how easily they are found (exposure) give "
        "how easy an attack is. Then exploitability and severity give the risk. The marks are the "
        "rows of the tables in “{rows}”; × counts rows that differ in what is learnt."
    )
    exploitability_caption: str = "Step 1: how easy an attack is (exploitability)"
    risk_caption: str = "Step 2: how high the risk is"
    inference: str = "Inference"
    exploitability: str = "Exploitability"
    several_rows: str = "{mark} × {rows}"
    more_marks: str = "+ {more} more"
    filled: str = "filled squares count the level, from 1 (■□□□) to 4 (■■■■)"
    matrix_below: str = "In every cell the {filled}."

    # ---- anonymity sets
    anonymity: str = "Anonymity sets"
    all_columns: str = "Taking all {columns} quasi-identifiers together"
    one_column: str = "Taking the only quasi-identifier"
    anonymity_says: str = (
        "{taken}, {unique} of {records} records ({share}) "
        "are unique, and every record shares its values with at least {others} others."
    )
    anonymity_unique: str = (
        "{taken}, {unique} of {records} records ({share}) "
        "are unique: whoever knows these values finds exactly one record."
    )
    anonymity_caption: str = "Records in small sets"
    set_size: str = "Set of at most"
    record_count: str = "Records"
    share_of_records: str = "Share of the records"
    number_of_sets: str = "Sets (different combinations)"
    quartiles: str = "Size of a set: smallest, quartiles, largest"
    entropy: str = "Entropy"
    bits: str = "{bits} bits of {most} possible for {records} records"
    weighted: str = "People in the population who share the rarest combination, by the weights"
    no_sets: str = (
        "A missing value matches everything here, so that records do not fall into sets: there is "
        "no picture of set sizes."
    )

    # ---- SUDA
    suda: str = "Special uniques (SUDA)"
    suda_says: str = (
        "{with_uniques} of {records} records ({share}) are singled out by sets of up to {size} of "
        "{columns} columns, and {special} are special uniques: unique on fewer columns than all."
    )
    suda_dis: str = (
        "With the sampling fraction of {fraction}, a match with a unique record would be right in "
        "{dis} of the cases (DIS)."
    )
    suda_sizes_caption: str = "Minimal uniques by size"
    suda_size: str = "Values that are needed"
    suda_count: str = "Minimal uniques"
    suda_columns_caption: str = "Columns that single records out"
    suda_share: str = "Share of all scores"
    method_off: str = "{method} was not run: the plan switches it off."
    method_left_out: str = "{method} does not apply to these data."

    # ---- QaR
    qar: str = "Risk of the table (QaR)"
    qar_says: str = (
        "T = {risk}: the riskiest {alpha} of the {combinations} combinations of {size} columns "
        "split the records into {groups} or more groups per 100 records; at 100 everyone is "
        "alone."
    )
    qar_all: str = (
        "T = 1: the riskiest {alpha} of the {combinations} combinations of {size} columns tell "
        "every record apart."
    )
    qar_caption: str = "The fit and its diagnostics"
    quantity: str = "Quantity"
    value: str = "Value"
    qar_interval: str = "Where 95% of such fits lie, by bootstrap (of these columns, not of others)"
    qar_empirical: str = "The same quantile without a fit"
    qar_threshold: str = "Threshold u, above which the distribution is fitted"
    qar_exceedances: str = "Combinations above u"
    qar_shape: str = "Shape of the fitted distribution"
    qar_scale: str = "Scale of the fitted distribution"
    qar_nothing_fitted: str = "nothing was fitted"
    qar_estimator: str = "Estimator"
    qar_worst_caption: str = "Combinations of columns that tell the records apart best"
    combination: str = "Columns together"
    distinct: str = "Different values"
    theta: str = "θ"

    # ---- rows
    rows: str = "Riskiest attributes and combinations"
    rows_say: str = (
        "Each row rates what somebody who knows these columns could learn; the worst row makes the "
        "verdict."
    )
    rows_say_names: str = (
        "Each row rates what somebody who knows these columns could learn, without the columns "
        "that identify people directly."
    )
    together_caption: str = "Columns known together, worst first"
    alone_caption: str = "Columns known alone, worst first"
    all_of: str = "all {name}"
    row: str = "Row"
    known: str = "What is known"
    learnt: str = "What is learnt"
    rate: str = "Rate"
    information: str = "Mutual information"
    risk: str = "Risk"
    identity: str = "who it is"
    kinds: dict[str, str] = field(
        default_factory=lambda: {
            "exposure": "all of {name}: {columns}",
            "attribute": "{columns}",
            "cumulative": "{name}: {columns}",
            "named": "“{name}”: {columns}",
        }
    )
    more_columns: str = "{more} more"

    # ---- records
    distribution: str = "How the risk spreads over the records"
    distribution_says: str = (
        "{at_risk} of {records} records ({share}) are at severe or critical risk."
    )
    by_risk_caption: str = "Records by risk"
    by_severity_caption: str = "Records by the severity of their sensitive values"
    contributions_say: str = (
        "Removing any one of {lowering} of {records} records would lower T; for the others it "
        "would not."
    )
    contributions_none: str = "Removing any one of the {records} records would not lower T."
    every_record: str = "all {records} records"
    most_unique: str = "{records} with the largest U+"
    records_hidden: str = (
        "Single records are not shown in this report. Whoever may see them can ask for them when "
        "the report is made."
    )
    records_shown: str = (
        "This report was asked to show single records: it holds values of people and must be "
        "protected like the data."
    )
    riskiest_caption: str = "Records at the highest risk"
    values_caption: str = "What the records at the highest risk say"
    values_of_record: str = "Values"
    value_of: str = "{column}: {value}"
    record: str = "Record"
    rate_of: str = "Rate, {exposure}"
    same_values: str = "Records with the same values"
    suda_risky_caption: str = "Records with the highest SUDA scores"
    score: str = "Score"
    because: str = "What singles the record out"
    contributions_caption: str = "Records that add most to T"
    contribution: str = "Adds to T"
    unique_for: str = "Unique for"

    # ---- actions
    actions: str = "What to do first"
    actions_say: str = (
        "Each proposal was carried out on a copy of the data and measured; an arrow leads from the "
        "value now to the value after the change. Best first: by the risk level that is left, then "
        "by the sum of four shares (records at risk, rate, mutual information, unique), then by k."
    )
    actions_say_names: str = (
        "The measured effects are those without the columns that identify people directly."
    )
    actions_caption: str = "Proposals and their effects"
    proposal: str = "Proposal"
    level: str = "Risk level"
    at_risk: str = "Records at risk"
    unique: str = "Unique"
    given_up: str = "Given up"
    given_up_below: str = (
        "“Given up” is the share of the information of the column, or of the records, that is lost."
    )
    from_to: str = "{before} → {after}"

    # ---- comparison
    comparison: str = "Before and after"
    comparison_caption: str = "The same measures on both versions"
    measure: str = "Measure"
    before: str = "Before"
    after: str = "After"
    change: str = "Change"
    effect: str = "Effect"
    effects: dict[str, str] = field(
        default_factory=lambda: {"better": "better", "worse": "worse", "same": "same", "": "–"}
    )
    points: str = "{points} points"
    cost_caption: str = "What it cost"
    sha256_before: str = "SHA-256 of the file before"
    columns_lost: str = "Columns that are gone"
    columns_added: str = "Columns that are new"

    # ---- the end
    methods: str = "How it was measured, in plain words"
    terms_explained: tuple[tuple[str, str], ...] = _TERMS
    anonymity_explained: tuple[str, str] = _ANONYMITY
    suda_explained: tuple[str, str] = _SUDA
    qar_explained: tuple[str, str] = _QAR
    last_terms: tuple[tuple[str, str], ...] = _LAST_TERMS
    rates_explained: dict[str, str] = field(default_factory=lambda: dict(_RATES))
    levels_explained: str = _LEVELS
    sources_title: str = "Sources"
    rating_source: str = _RATING_SOURCE
    anonymity_source: str = _ANONYMITY_SOURCE
    suda_source: str = _SUDA_SOURCE
    qar_source: str = _QAR_SOURCE
    plan: str = "The full plan"
    plan_says: str = (
        "This is the plan that the assessment followed. With it and the same file the assessment "
        "can be repeated; what it leaves out has its default."
    )
    plan_title: str = "Plan in YAML"

    @property
    def of_the_page(self) -> dict[str, str]:
        """The words of the page itself."""
        return {"skip": self.skip, "contents": self.contents}

    def terms(self, variant: str) -> tuple[tuple[str, str], ...]:
        """Return the terms with their meaning, the rate as it was read.

        Parameters
        ----------
        variant
            How the discrimination rate was read.
        """
        words = {"rate": self.rates_explained[variant], "levels": self.levels_explained}
        return tuple((term, said.format(**words)) for term, said in self.terms_explained)


ENGLISH = Sentences()
