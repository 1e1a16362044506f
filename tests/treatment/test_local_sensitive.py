from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_peel
from local_cases import Case, cases, hierarchy_over
from singleout.errors import BadChoice
from singleout.treatment.local import sensitive
from singleout.treatment.local.recode import LocalRecoding, local_recode
from singleout.treatment.local.sensitive import Blocked, Sensitive, below


def values_of_classes(case: Case, recoding: LocalRecoding, codes: np.ndarray) -> list[Counter]:
    classes = recoding.of_group[case.lattice.of_record]
    return [Counter(codes[classes == c].tolist()) for c in range(len(recoding))]


@st.composite
def with_values(draw: st.DrawFn, values: int = 3) -> tuple[Case, np.ndarray]:
    case = draw(cases())
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # every value occurs, more or less often in some places than in others
    codes = (rng.random(len(case.records)) ** 1.5 * values).astype(np.int64)
    codes[:values] = np.arange(values)
    return case, codes


@given(with_values(), st.floats(0.02, 0.5), st.integers(1, 4))
def test_no_value_exceeds_its_cap_and_no_class_can_be_generalised_less(
    table: tuple[Case, np.ndarray], slack: float, k: int
) -> None:
    case, codes = table
    caps = np.bincount(codes) / len(codes) + slack
    recoding = local_recode(case.lattice, k, Sensitive(codes, caps))
    assert recoding.blocked == ()
    assert recoding.suppressed == 0
    assert recoding.sizes.min() >= k
    for counts in values_of_classes(case, recoding, codes):
        assert naive_peel.holds_caps(counts, caps)
    of_row: dict[tuple[int, ...], Counter] = {}
    for record, code in zip(case.records, codes.tolist(), strict=True):
        of_row.setdefault(record, Counter())[code] += 1

    def holds(part: list[tuple[int, ...]]) -> bool:
        counts = sum((of_row[row] for row in part), Counter())
        return counts.total() >= k and naive_peel.holds_caps(counts, caps)

    rows = case.combinations
    for c in range(len(recoding)):
        members = [rows[g] for g in recoding.groups_of_class(c).tolist()]
        assert not naive_peel.can_be_less_general(case.rows, members, holds)


@given(with_values(), st.integers(2, 3))
def test_each_class_has_as_many_different_values_as_asked_for(
    table: tuple[Case, np.ndarray], wanted: int
) -> None:
    case, codes = table
    recoding = local_recode(case.lattice, 2, Sensitive(codes, distinct_l=wanted))
    assert all(len(counts) >= wanted for counts in values_of_classes(case, recoding, codes))


@given(with_values(), st.floats(0.3, 0.95))
def test_each_class_is_as_diverse_as_asked_for(
    table: tuple[Case, np.ndarray], share: float
) -> None:
    case, codes = table
    shares = np.bincount(codes) / len(codes)
    wanted = max(1.0, share * float(np.exp(-(shares * np.log(shares)).sum())))
    recoding = local_recode(case.lattice, 2, Sensitive(codes, entropy_l=wanted))
    assert recoding.blocked == ()
    for counts in values_of_classes(case, recoding, codes):
        assert naive_peel.holds_entropy(counts, wanted)


@given(with_values(), st.sampled_from([1.0, 2.0, 4.0]), st.integers(1, 3))
def test_each_class_is_recursively_diverse_or_the_table_is_not(
    table: tuple[Case, np.ndarray],
    c: float,
    l: int,  # noqa: E741
) -> None:
    case, codes = table
    recoding = local_recode(case.lattice, 2, Sensitive(codes, recursive=(c, l)))
    whole = naive_peel.holds_recursive(Counter(codes.tolist()), c, l)
    assert [block.criterion for block in recoding.blocked] == ([] if whole else ["recursive"])
    if whole:
        for counts in values_of_classes(case, recoding, codes):
            assert naive_peel.holds_recursive(counts, c, l)


@given(with_values(), st.floats(0, 0.5), st.booleans())
def test_each_class_is_as_close_to_the_table_as_asked_for(
    table: tuple[Case, np.ndarray], t: float, ordered: bool
) -> None:
    case, codes = table
    recoding = local_recode(case.lattice, 2, Sensitive(codes, t=t, ordered=ordered))
    assert recoding.blocked == ()
    whole = Counter(codes.tolist())
    for counts in values_of_classes(case, recoding, codes):
        assert naive_peel.distance(counts, whole, ordered=ordered) <= t + 1e-8


@given(with_values(), with_values(2))
def test_several_sensitive_columns_hold_at_once(
    table: tuple[Case, np.ndarray], other: tuple[Case, np.ndarray]
) -> None:
    case, codes = table
    second = np.resize(other[1], len(codes))
    caps = np.bincount(codes) / len(codes) + 0.1
    both = [Sensitive(codes, caps, "illness"), Sensitive(second, distinct_l=2, column="income")]
    recoding = local_recode(case.lattice, 2, both)
    for counts in values_of_classes(case, recoding, codes):
        assert naive_peel.holds_caps(counts, caps)
    for counts in values_of_classes(case, recoding, second):
        assert len(counts) == 2


@given(with_values(), st.integers(1, 20))
def test_suppressing_stays_within_what_is_allowed(
    table: tuple[Case, np.ndarray], most: int
) -> None:
    case, codes = table
    caps = np.bincount(codes) / len(codes) + 0.1
    recoding = local_recode(case.lattice, 2, Sensitive(codes, caps), max_suppressed=most)
    assert recoding.suppressed <= most
    for counts in values_of_classes(case, recoding, codes):
        assert naive_peel.holds_caps(counts, caps)


def four() -> Case:
    return Case([hierarchy_over(2, [])], [(0,), (0,), (1,), (1,)])


def test_a_cap_that_the_table_breaks_is_named_and_left_out() -> None:
    codes = np.array([0, 0, 0, 1])
    illness = Sensitive(codes, np.array([0.5, 1.0]), "illness", ["flu", "gout"])
    recoding = local_recode(four().lattice, 2, illness)
    assert recoding.blocked == (Blocked("illness", "caps", "flu", 0.75, 0.5),)
    assert recoding.sizes.tolist() == [2, 2]


def test_more_different_values_than_the_table_has_are_named_and_left_out() -> None:
    illness = Sensitive(np.array([0, 1, 0, 1]), column="illness", distinct_l=3)
    recoding = local_recode(four().lattice, 2, illness)
    assert recoding.blocked == (Blocked("illness", "distinct_l", None, 2, 3),)


def test_a_share_below_a_cap_is_not_at_it() -> None:
    codes = np.array([0, 1, 0, 1])
    at = local_recode(four().lattice, 2, Sensitive(codes, np.array([0.5, 0.5])))
    assert (len(at), at.blocked) == (2, ())
    short = local_recode(four().lattice, 2, Sensitive(codes, np.array([below(0.5), 1.0])))
    assert [block.value for block in short.blocked] == [0]


def test_a_sensitive_column_has_a_value_for_each_record() -> None:
    with pytest.raises(BadChoice, match="'illness' has 3 values for 4 records; give one for each"):
        local_recode(four().lattice, 2, Sensitive(np.zeros(3, dtype=np.int64), column="illness"))


def test_more_pairs_of_classes_and_values_than_fit_are_refused() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sensitive, "_MOST_CELLS", 3)
        with pytest.raises(BadChoice, match="2 classes and 2 sensitive values are too many"):
            local_recode(four().lattice, 2, Sensitive(np.array([0, 1, 0, 1]), distinct_l=2))
