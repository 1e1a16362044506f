"""Hostile plans, policies and questionnaires: YAML that is empty, endless, wrong or armed."""

from __future__ import annotations

from collections.abc import Iterator
from shlex import split

from hostile_case import Case, Make, both, files, people, refused

GOOD = "columns: {a: {role: quasi-identifier, exposure: EE}, b: {role: sensitive, moral: 3}}\n"
LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)

# what is wrong with any file of YAML: content, and a word of the sentence
DAMAGED: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "empty"),
    "of-comments-only": ("# nothing\n\n", "empty"),
    "of-null": ("null\n", "bad.yaml"),
    "of-a-word": ("hello\n", "line 1"),
    "of-a-number": ("7\n", "line 1"),
    "of-a-list": ("[1, 2]\n", "line 1"),
    "with-tabs": ("columns:\n\ta: 1\n", "line 2"),
    "with-zero-bytes": (b"columns:\0 {}\n", "{file}"),
    "with-escape-sequences": ("columns: \x1b[2J\n", "{file}"),
    "of-noise": (bytes(range(256)) * 8, "{file}"),
    "in-latin-1": ("title: é\n".encode("latin-1"), "{file}"),
    "with-a-lone-surrogate": ('title: "\\ud800"\n', ""),
    "with-laughs": (LAUGHS, "{file}"),
    "that-holds-itself": ("columns: &a [*a]\n", "{file}"),
    "with-an-unknown-anchor": ("columns: *gone\n", "line 1"),
    "nested-without-end": ("columns: " + "[" * 100_000 + "]" * 100_000, "{file}"),
    "indented-without-end": ("".join(f"{' ' * n}k:\n" for n in range(3000)), "{file}"),
    "with-an-object": ("columns: !!python/object/apply:os.system ['touch owned']\n", "line 1"),
    "with-an-unknown-tag": ("columns: !owned {}\n", ""),
    "of-two-documents": ("columns: {}\n---\ncolumns: {}\n", "{file}"),
    "cut-off": ("columns: {a: {role: quasi-", "{file}"),
    "with-a-key-of-a-list": ("? [a, b]\n: 1\n", "line 1"),
    "with-an-unknown-key": ("columnz: {}\n", "columnz"),
}


def damaged(what: str, *words: str, after: Make = people) -> Iterator[Case]:
    """Yield a case for each damaged file, called ``bad.yaml``."""
    for name, (content, word) in DAMAGED.items():
        yield refused(
            f"{what}-{name}",
            *words,
            make=both(after, files({"bad.yaml": content})),
            says=(word.format(file="bad.yaml"),),
        )


def plans() -> Iterator[Case]:
    """Plans that no assessment can rest on."""
    words = ("assess", "people.csv", "--plan", "bad.yaml")
    yield from damaged("plan", *words)
    wrong = {
        "empty-policy": (GOOD + "policy: {}\n", "policy"),
        "policy-of-null": (GOOD + "policy:\n", "policy"),
        "key-twice": (GOOD + GOOD, "columns"),
        "column-twice": ("columns:\n  a: {role: other}\n  a: {role: quasi-identifier}\n", "line 3"),
        "columns-a-number": ("columns: 5\n", "columns"),
        "columns-a-list": ("columns: [a, b]\n", "columns"),
        "no-columns": ("columns: {}\n", "column"),
        "unknown-column": ("columns: {nosuch: {role: quasi-identifier}}\n", "nosuch"),
        "role-a-number": ("columns: {a: {role: 7}}\n", "role"),
        "role-unknown": ("columns: {a: {role: quasi_identfier}}\n", "quasi-identifier"),
        "role-a-mapping": ("columns: {a: {role: {x: 1}}}\n", "role"),
        "exposure-unknown": ("columns: {a: {role: quasi-identifier, exposure: XX}}\n", "exposure"),
        "impact-too-high": ("columns: {a: {role: sensitive, moral: 5}}\n", "severity"),
        "impact-not-a-number": ("columns: {a: {role: sensitive, moral: .nan}}\n", "severity"),
        "impact-half": ("columns: {a: {role: sensitive, moral: 2.5}}\n", "severity"),
        "unknown-key-of-a-column": ("columns: {a: {rol: other}}\n", "rol"),
        "k-of-zero": (GOOD + "policy: {k: 0}\n", "k"),
        "k-below-zero": (GOOD + "policy: {k: -3}\n", "k"),
        "k-without-end": (GOOD + "policy: {k: .inf}\n", "k"),
        "k-of-words": (GOOD + "policy: {k: yes}\n", "k"),
        "k-beyond-all-floats": (GOOD + "policy: {k: 1e400}\n", "k"),
        "risk-beyond-the-scale": (GOOD + "policy: {highest_risk: 9}\n", "risk"),
        "share-above-one": (GOOD + "policy: {unique_share: 150 %}\n", "unique_share"),
        "share-not-a-number": (GOOD + "policy: {unique_share: nan}\n", "unique_share"),
        "population-of-zero": (GOOD + "population: {size: 0}\n", "size"),
        "population-of-digits": (GOOD + f"population: {{size: {'9' * 5000}}}\n", "size"),
        "population-twice": (
            GOOD + "population: {size: 9, sampling_fraction: 0.1}\n",
            "population",
        ),
        "fraction-above-one": (GOOD + "population: {sampling_fraction: 2}\n", "sampling_fraction"),
        "method-unknown": (GOOD + "methods: {nosuch: {}}\n", "nosuch"),
        "qar-size-of-zero": (GOOD + "methods: {qar: {size: 0}}\n", "size"),
        "qar-alpha-of-one": (GOOD + "methods: {qar: {alpha: 1}}\n", "alpha"),
        "suda-size-of-digits": (
            GOOD + f"methods: {{suda: {{max_size: {'9' * 400}}}}}\n",
            "max_size",
        ),
        "missing-unknown": (GOOD + "missing: perhaps\n", "missing"),
        "merge-key": ("x: &x {role: other}\ncolumns: {a: {<<: *x}}\n", "line"),
    }
    for name, (content, word) in wrong.items():
        yield refused(
            f"plan-with-{name}",
            *words,
            make=both(people, files({"bad.yaml": content})),
            says=(word,),
        )
    yield refused(
        "plan-that-is-not-there", *split("assess people.csv --plan no.yaml"), says=("no.yaml",)
    )
    yield refused("plan-that-is-a-folder", *split("assess people.csv --plan ."), says=("'.'",))
    yield refused(
        "plan-that-is-the-data",
        *split("assess people.csv --plan people.csv"),
        says=("people.csv",),
    )
    yield refused(
        "plan-for-a-comparison",
        *split("compare people.csv people.csv --plan bad.yaml"),
        make=both(people, files({"bad.yaml": GOOD + "policy: {}\n"})),
        says=("policy",),
    )


def policies() -> Iterator[Case]:
    """Policies that accept nothing or everything."""
    words = ("assess", "people.csv", "--plan", "plan.yaml", "--policy", "bad.yaml")
    made = both(people, files({"plan.yaml": GOOD}))
    for name in (
        "empty",
        "of-a-word",
        "of-a-list",
        "with-laughs",
        "with-an-object",
        "nested-without-end",
        "of-noise",
    ):
        content, word = DAMAGED[name]
        yield refused(
            f"policy-{name}",
            *words,
            make=both(made, files({"bad.yaml": content})),
            says=(word.format(file="bad.yaml"),),
        )
    for name, content, word in (
        ("that-says-nothing", "{}\n", "bad.yaml"),
        ("with-an-unknown-key", "kk: 3\n", "kk"),
        ("with-a-key-twice", "k: 3\nk: 4\n", "k"),
        ("below-zero", "k: -1\n", "k"),
    ):
        yield refused(
            f"policy-{name}", *words, make=both(made, files({"bad.yaml": content})), says=(word,)
        )


def questionnaires() -> Iterator[Case]:
    """Questionnaires whose numbers do not add up."""
    yield from damaged("questionnaire", "funnel", "bad.yaml")
    head = "population: 1000\npeople: 10\n"
    sex = "questions: [{name: sex, shares: {f: 0.5, m: 0.5}}]\n"
    wrong = {
        "no-questions": (head + "questions: []\n", "question"),
        "shares-above-one": (head + sex.replace("m: 0.5", "m: 0.6"), "sex"),
        "shares-below-zero": (
            head + sex.replace("f: 0.5", "f: -0.5").replace("m: 0.5", "m: 1.5"),
            "'f'",
        ),
        "shares-not-numbers": (head + sex.replace("f: 0.5", "f: .nan"), "'f'"),
        "shares-without-end": (head + sex.replace("f: 0.5", "f: .inf"), "'f'"),
        "no-shares": (head + "questions: [{name: sex, shares: {}}]\n", "'shares'"),
        "counts-of-zero": (head + "questions: [{name: sex, counts: {f: 0, m: 0}}]\n", "sex"),
        "counts-of-digits": (
            head + f"questions: [{{name: sex, counts: {{f: {'9' * 400}, m: 1}}}}]\n",
            "'f'",
        ),
        "question-twice": (head + sex.replace("}]", "}, {name: sex, shares: {f: 1}}]"), "sex"),
        "option-twice": (head + sex.replace("m: 0.5", "f: 0.5"), "f"),
        "population-of-zero": (sex + "population: 0\n", "population"),
        "population-below-zero": (sex + "population: -5\n", "population"),
        "population-of-digits": (sex + f"population: {'9' * 5000}\n", "population"),
        "population-beyond-all-floats": (sex + "population: 1e400\n", "population"),
        "population-of-words": (sex + "population: many\n", "population"),
        "more-people-than-there-are": (sex + "population: 5\npeople: 10\n", "people"),
        "unknown-group": (
            head
            + "questions: [{name: q, codings: [{name: x, shares: {a: 1}}, "
            + "{name: y, groups: {g: [zz]}}]}]\n",
            "zz",
        ),
        "joint-of-the-unknown": (
            head + sex + "joint: [{questions: [sex, age], shares: {f: {x: 1}}}]\n",
            "age",
        ),
        "name-of-a-list": (head + "questions: [{name: [1], shares: {f: 1}}]\n", "name"),
    }
    for name, (content, word) in wrong.items():
        yield refused(
            f"questionnaire-with-{name}",
            "funnel",
            "bad.yaml",
            make=files({"bad.yaml": content}),
            says=(word,),
        )
    good = files({"good.yaml": head + sex})
    for name, words, says in (
        ("unknown-answer", ("--answers", "sex=x"), "'x'"),
        ("unknown-question", ("--answers", "age=3"), "age"),
        ("answer-without-a-question", ("--answers", "=f"), "answer"),
        ("answers-of-nothing", ("--answers", ""), "answer"),
        ("question-answered-twice", ("--answers", "sex=f,sex=m"), "sex"),
        ("unknown-coding", ("--coding", "sex=nosuch"), "nosuch"),
        ("population-of-zero-asked", ("--population", "0"), "population"),
        ("people-without-end", ("--people", "inf"), "people"),
        ("unknown-mode", ("--answers", "sex=f", "--mode", "nosuch"), "nosuch"),
    ):
        yield refused(f"funnel-{name}", "funnel", "good.yaml", *words, make=good, says=(says,))
    for name, words, says in (
        ("share-above-one", ("--unique", "1.5"), "unique"),
        ("share-not-a-number", ("--unique", "nan"), "unique"),
        ("no-policy", (), "unique"),
        ("sets-of-zero", ("--in-sets-of", "0"), "sets"),
        ("unknown-weight", ("--unique", "0.1", "--weight", "age=2"), "age"),
        ("weight-without-end", ("--unique", "0.1", "--weight", "sex=inf"), "weight"),
    ):
        yield refused(
            f"questionnaire-plan-{name}",
            "predict",
            "plan",
            "good.yaml",
            *words,
            make=good,
            says=(says,),
        )


def cases() -> Iterator[Case]:
    """Yield all of them."""
    for part in (plans, policies, questionnaires):
        yield from part()
