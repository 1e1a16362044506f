"""The plan: what it accepts, what it refuses and how, and what it says."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import singleout as so
from singleout.assessment.plan.plan import (
    ColumnPlan,
    Matrices,
    Plan,
    Population,
    ReleasePolicy,
    plan_schema_text,
)
from singleout.assessment.rating.scales import EXPLOITABILITY, RISK, Exposure
from singleout.errors import BadChoice
from singleout.methods.qar.pareto import Estimator
from singleout.methods.suda.measure import Scoring
from singleout.methods.suda.missing import MissingCells

PAPER: dict[str, Any] = {
    "columns": {
        "Age": {"role": "quasi-identifier", "exposure": "4-EE", "moral": "1-Negligible"},
        "Gender": {"role": "quasi-identifier", "exposure": "EE"},
        "Country": {"role": "quasi-identifier", "exposure": 4},
        "Admission Date": {"role": "quasi-identifier", "exposure": "2-EI"},
        "Blood Type": {"role": "quasi-identifier", "exposure": "RI"},
        "Disease": {
            "role": "sensitive",
            "bodily": 1,
            "material": "3-Significant",
            "moral": "Maximum",
            "values": {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4},
        },
    },
}


def refused(given: Any) -> str:
    with pytest.raises(BadChoice) as error:
        Plan.of(given)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


def columns(**given: Any) -> dict[str, Any]:
    return {"columns": given}


QI = {"role": "quasi-identifier", "exposure": "EE"}
SENSITIVE = {"role": "sensitive", "moral": 4}


# ---- what it says


def test_tables_4_5_and_7_of_the_paper_can_be_written_as_the_paper_prints_them() -> None:
    plan = Plan.of(PAPER)
    exposures = [plan.columns[name].exposure for name in plan.quasi_identifiers]
    assert exposures == [4, 4, 4, 2, 1]
    disease = plan.columns["Disease"]
    assert disease.severity == 4
    assert plan.columns["Age"].severity == 1
    assert [disease.severity_of(v) for v in ("Colds", "Flu", "Diabetes", "HIV", "Cancer")] == [
        1,
        1,
        3,
        4,
        4,
    ]
    assert plan.sensitive == ("Disease",)
    assert plan.roles["Age"] == "quasi-identifier"


@pytest.mark.parametrize("written", ["IE", "EI", "ie", 2, "2", "2-EI", "2 - IE"])
def test_an_exposure_is_read_in_every_spelling(written: object) -> None:
    plan = Plan.of(columns(a={"role": "quasi-identifier", "exposure": written}))
    assert plan.columns["a"].exposure is Exposure.IE


@pytest.mark.parametrize("written", [3, "3", "Significant", "significant", "3-Significant", 3.0])
def test_a_severity_is_read_in_every_spelling(written: object) -> None:
    assert ColumnPlan(role="sensitive", material=written).severity == 3


def test_a_value_that_is_not_listed_has_the_impact_of_its_column() -> None:
    column = ColumnPlan(role="sensitive", moral=3, values={"HIV": 4, "Colds": 1})
    assert (column.impact, column.severity) == (3, 4)
    assert column.severity_of("Asthma") == 3
    assert column.severity_of("1", "Colds") == 1  # by its label
    only_values = ColumnPlan(role="sensitive", values={"HIV": 4, "Colds": 1})
    assert only_values.severity_of("Asthma") is None  # others being harmless says nothing
    assert ColumnPlan(role="sensitive").severity is None
    assert ColumnPlan(role="sensitive").severity_of("x") is None


def test_what_is_not_given_has_the_defaults_of_the_functions() -> None:
    plan = Plan()
    assert plan.missing == "value"
    assert plan.methods.qar.enabled
    assert plan.methods.qar.model_dump() == {
        "enabled": True,
        "size": 3,
        "alpha": 0.01,
        "tail": 0.05,
        "estimator": "plotting",
        "cost_per_record": None,
        "probability": 1.0,
    }
    assert (plan.methods.suda.max_size, plan.methods.suda.scoring) == ("auto", "lattice")
    assert plan.methods.discrimination.variant == "paper"
    assert (plan.matrices.exploitability, plan.matrices.risk) == (EXPLOITABILITY, RISK)
    assert plan.policy == ReleasePolicy()
    assert plan.columns == {}


def test_the_words_of_a_plan_are_those_of_the_methods() -> None:
    schema = json.loads(plan_schema_text())["$defs"]
    suda = schema["SudaPlan"]["properties"]
    (missing,) = [option for option in suda["missing"]["anyOf"] if "enum" in option]
    assert missing["enum"] == [str(member) for member in MissingCells]
    assert schema["Scoring"]["enum"] == [str(member) for member in Scoring]
    assert schema["Estimator"]["enum"] == [str(member) for member in Estimator]


def test_weights_are_named_by_the_population_or_by_the_role() -> None:
    assert Plan.of(columns(w={"role": "weight"})).weights == "w"
    assert Plan.of({"population": {"weights": "w"}}).weights == "w"
    assert Plan().weights is None


def test_numbers_and_shares_may_be_quoted_or_in_percent() -> None:
    plan = Plan.of(
        {
            "policy": {"k": "3", "unique_share": "2.5 %", "highest_risk": "2-Significant"},
            "population": {"sampling_fraction": "5%"},
            "methods": {"qar": {"alpha": "0.001", "enabled": "no"}, "suda": {"max_size": "all"}},
        }
    )
    assert plan.policy == ReleasePolicy(k=3, unique_share=0.025, highest_risk=2)
    assert plan.population == Population(sampling_fraction=0.05)
    assert plan.methods.qar.alpha == 0.001
    assert not plan.methods.qar.enabled
    assert plan.methods.suda.max_size is None


def test_a_matrix_is_a_list_from_1_to_4_or_rows_by_name() -> None:
    rows = [[1, 1, 1, 1], [1, 1, 1, 2], [1, 1, 2, 3], [1, 2, 3, 4]]
    listed = Matrices(risk=rows)
    named = Matrices(
        risk={
            "Very easy": rows[3],
            "3": ["Minor", "Minor", "Significant", "Severe"],
            "2-Difficult": rows[1],
            "very difficult": rows[0],
        }
    )
    assert listed == named
    assert listed.risk[3][2] == 3
    assert listed.exploitability == EXPLOITABILITY


# ---- what it is


def test_a_plan_cannot_be_changed() -> None:
    plan = Plan.of(PAPER)
    with pytest.raises(ValueError, match="frozen"):
        plan.title = "x"
    with pytest.raises(ValueError, match="frozen"):
        plan.columns["Age"].exposure = Exposure.IR


def test_a_plan_is_taken_as_it_is_and_survives_copying() -> None:
    plan = Plan.of(PAPER)
    assert Plan.of(plan) is plan
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert Plan.of(plan.to_dict()) == plan
    assert json.loads(json.dumps(plan.to_dict())) == plan.to_dict()


def test_parts_can_be_given_as_objects() -> None:
    plan = Plan(columns={"a": ColumnPlan(role="sensitive", moral=2)}, policy=ReleasePolicy(k=2))
    assert plan.columns["a"].severity == 2
    assert Plan.of({"policy": ReleasePolicy(k=2)}).policy.k == 2


# ---- what it refuses


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"kolumns": {}}, "'kolumns' is not known here, but title, language, data,"),
        ({"kolumns": {}}, "did you mean 'columns'?"),
        (columns(a={"rol": "other"}), "columns.a.rol: 'rol' is not known here, but role,"),
        (columns(a={}), "columns.a.role: 'role' is missing."),
        (columns(a={"role": "quasi"}), "'role' must be one of direct-identifier, quasi-ident"),
        (columns(a=None), "'a' must have entries such as 'name: value', not nothing."),
        (columns(a={**QI, "exposure": "XX"}), "'XX' is not an exposure; choose one of IR (1)"),
        (columns(a={**QI, "exposure": True}), "True is not an exposure"),
        (columns(a={**SENSITIVE, "moral": 5}), "5 is not a severity; choose one of 1 (Neglig"),
        (columns(a={**SENSITIVE, "moral": True}), "True is not a severity"),
        (columns(a={**SENSITIVE, "moral": "3-Maximum"}), "'3-Maximum' is not a severity"),
        (columns(a={**SENSITIVE, "moral": [1]}), "[1] is not a severity"),
        (columns(a={**SENSITIVE, "values": {"x": 0}}), "columns.a.values.x: 0 is not a severity"),
        (columns(a={**SENSITIVE, "scale": "ordered"}), "'scale' must be one of nominal, ordinal"),
        ({"missing": "wildcards"}, "did you mean 'wildcard'?"),
        ({"population": {"sampling_fraction": 0}}, "must be more than 0"),
        ({"population": {"sampling_fraction": "120 %"}}, "must be at most 1"),
        ({"population": {"size": 1.5}}, "'size' must be a whole number, not 1.5."),
        ({"population": {"size": True}}, "a whole number is needed, not True."),
        ({"policy": {"k": 0}}, "'k' must be at least 1, not 0."),
        ({"policy": {"unique_share": True}}, "a share is a number such as 0.25 or 25 %, not True"),
        ({"policy": {"unique_share": "nan"}}, "'unique_share' must be a number, not 'nan'."),
        ({"policy": {"highest_risk": 0}}, "0 is not a risk level; choose one of 1 (Minor), 2"),
        ({"methods": {"qar": {"alpha": 0.2}}}, "alpha is 0.2 and tail is 0.05"),
        ({"methods": {"qar": {"enabled": "perhaps"}}}, "'enabled' must be yes or no, not 'perh"),
        ({"methods": {"suda": {"max_size": "most"}}}, "must be a whole number, not 'most'."),
        ({"methods": {"sudas": {}}}, "did you mean 'suda'?"),
        ({"combinations": {"x": []}}, "'x' has too few entries"),
        ({"combinations": {"x": "ab"}}, "'x' must be a list, not 'ab'."),
        ({"columns": [1]}, "'columns' must have entries such as 'name: value', not a list."),
        ({False: 1}, "a key is False, not text; write it in quotes."),
        (3, "A plan cannot be made of a int"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_place(given: Any, sentence: str) -> None:
    assert sentence in refused(given)


def test_the_other_mistakes_are_counted() -> None:
    said = refused(columns(a={"role": "x"}, b={"role": "y"}, c={"role": "z"}))
    assert said.endswith("(and 2 more mistakes follow).")
    assert refused(columns(a={"role": "x"}, b={"role": 1})).endswith(
        "(and 1 more mistake follows)."
    )


@pytest.mark.parametrize("role", ["direct-identifier", "sensitive", "weight", "household", "other"])
def test_only_a_quasi_identifier_has_an_exposure(role: str) -> None:
    said = refused(columns(a={"role": role, "exposure": "EE"}))
    assert said.startswith("In the plan, columns.a.exposure: exposure says how")
    assert f"the role of this column is {role}; write role: quasi-identifier" in said


def test_only_a_sensitive_column_has_severities_of_values() -> None:
    assert "write role: sensitive" in refused(columns(a={**QI, "values": {"x": 2}}))


def test_the_population_is_given_once() -> None:
    said = refused({"population": {"size": 100, "sampling_fraction": 0.1}})
    assert said.startswith("In the plan, population.size: the population is given more than once")


def test_there_is_one_weight() -> None:
    two = columns(a={"role": "weight"}, b={"role": "weight"})
    assert "columns.b.role: 'a' is the weight already" in refused(two)
    other = {**columns(a={"role": "other"}), "population": {"weights": "a"}}
    assert "population.weights: the role of 'a' is other" in refused(other)
    rival = {**columns(a={"role": "weight"}), "population": {"weights": "b"}}
    assert "'b' is to be the weight, but 'a' has that role" in refused(rival)


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        (["ag"], "combinations.x[0]: 'ag' is not among the columns; did you mean 'age'?"),
        (["age", "zzzzz"], "combinations.x[1]: 'zzzzz' is not among the columns; add it"),
        (["age", "age"], "combinations.x[1]: 'age' stands here twice"),
        (["age", "name"], "the role of 'name' is direct-identifier; make it a quasi-identifier"),
        (["age", "disease", "income"], "holds every sensitive column, ['disease', 'income']"),
    ],
)
def test_a_combination_must_leave_something_to_infer(members: list[str], sentence: str) -> None:
    given = columns(age=QI, name={"role": "direct-identifier"}, disease=SENSITIVE, income=SENSITIVE)
    assert sentence in refused({**given, "combinations": {"x": members}})


def test_a_combination_may_hold_one_sensitive_column_where_another_is_left() -> None:
    given = columns(age=QI, disease=SENSITIVE, income=SENSITIVE)
    plan = Plan.of({**given, "combinations": {"employer": ["age", "income"]}})
    assert plan.combinations == {"employer": ["age", "income"]}


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        ([[1, 2, 3, 4]] * 3, "a matrix has four rows of four numbers from 1 to 4"),
        ([[1, 2, 3, 4]] * 3 + [[1, 2, 3]], "matrices.risk[3]: a row of a matrix has four numbers"),
        ([[1, 2, 3, 4]] * 3 + [[1, 2, 3, 9]], "matrices.risk[3][3]: 9 is not a cell of this mat"),
        ([[1, 2, 3, 4]] * 3 + [[1, 2, 3, True]], "True is not a cell"),
        ({"Easy": [1, 2, 3, 4]}, "name the rows Very difficult, Difficult, Easy, Very easy"),
        ({key: [1, 2, 3, 4] for key in "12345"}, "'5' is not a row of this matrix"),
        ({"1": [1] * 4, "very difficult": [1] * 4, "3": [1] * 4, "4": [1] * 4}, "four rows"),
        (7, "a matrix has four rows"),
    ],
)
def test_a_matrix_has_four_rows_of_four_levels(matrix: Any, sentence: str) -> None:
    assert sentence in refused({"matrices": {"risk": matrix}})


def test_building_a_plan_in_python_is_refused_in_the_same_words() -> None:
    with pytest.raises(BadChoice, match=r"'polizy' is not known here.*did you mean 'policy'"):
        Plan(polizy={})
    with pytest.raises(BadChoice, match="9 is not an exposure"):
        ColumnPlan(role="quasi-identifier", exposure=9)


# ---- what it warns of


def test_what_is_left_open_is_rated_on_the_safe_side_and_said() -> None:
    plan = Plan.of(columns(a={"role": "quasi-identifier"}, b={"role": "sensitive"}))
    assert plan.warnings == (
        "'a' has no exposure and counts as EE, found easily.",
        "'b' has no severity and counts as 4, Maximum.",
    )
    assert plan.exposure_of("a") is Exposure.EE


def test_a_value_more_severe_than_the_impacts_is_odd() -> None:
    odd = columns(a={"role": "sensitive", "moral": 2, "values": {"x": 3}})
    assert Plan.of(odd).warnings == ("A value of 'a' is more severe than its impacts say.",)


def test_a_matrix_that_falls_is_odd_but_not_refused() -> None:
    falls = [[2, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]]
    (warning,) = Plan.of({"matrices": {"risk": falls}}).warnings
    assert warning.startswith("The matrix of risk falls somewhere")
    assert Plan().warnings == ()
    across = [list(column) for column in zip(*falls, strict=True)]
    assert Plan.of({"matrices": {"exploitability": across}}).warnings


# ---- whether it fits a table


@pytest.fixture
def table() -> so.Table:
    return so.read({"age": [30, 41], "disease": ["flu", None], "sex": ["f", "m"]})


def test_a_column_that_the_table_lacks_is_refused_with_the_nearest_name(table: so.Table) -> None:
    plan = Plan.of(columns(Age=QI, diseases=SENSITIVE))
    with pytest.raises(BadChoice, match=r"no column 'Age'; did you mean 'age'\?"):
        plan.check(table)
    with pytest.raises(BadChoice, match=r"no column 'qqq'; it has: 'age', 'disease', 'sex'\."):
        Plan.of(columns(qqq=QI)).check(["age", "disease", "sex"])
    with pytest.raises(BadChoice, match=r"population.weights: the table has no column 'w'"):
        Plan.of({"population": {"weights": "w"}}).check(table)


def test_columns_that_the_plan_leaves_out_are_said(table: so.Table) -> None:
    warnings = Plan.of(columns(age=QI)).check(table)
    assert warnings == (
        "The plan says nothing about 'disease', 'sex': what it does not name is not assessed.",
    )
    many = Plan.of(columns(a=QI)).check(["a", *(f"c{i}" for i in range(9))])
    assert "'c4' and 4 more:" in many[0]


def test_a_severity_of_a_value_that_does_not_occur_is_said(table: so.Table) -> None:
    severities = {"flu": 1, "Flu": 2, "(missing)": 1}
    plan = Plan.of(columns(age=QI, sex=QI, disease={"role": "sensitive", "values": severities}))
    assert plan.check(table) == ("The value 'Flu' does not occur in 'disease'.",)
    assert plan.check(table.columns) == ()


def test_values_may_be_written_by_their_labels() -> None:
    demo = so.demo()
    plan = Plan.of(columns(DEYE={"role": "sensitive", "values": {"yes": 4, "2": 1, "x": 1}}))
    said = [warning for warning in plan.check(demo) if "occur" in warning]
    assert said == ["The value 'x' does not occur in 'DEYE'."]


# ---- its schema


def test_the_schema_is_valid_and_a_sample_plan_fits_it() -> None:
    schema = json.loads(plan_schema_text())
    assert schema["additionalProperties"] is False
    assert set(schema["properties"]) == set(Plan.model_fields)
    assert all("description" in part for part in schema["properties"].values())
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator
    validator.check_schema(schema)
    plan = {
        **PAPER,
        "combinations": {"neighbour": ["Age", "Gender"]},
        "population": {"sampling_fraction": "5 %"},
        "methods": {"suda": {"max_size": "all"}},
        "matrices": {"risk": {"Very easy": [1, 2, 3, 4], "3": [1] * 4, "2": [1] * 4, "1": [1] * 4}},
        "policy": {"highest_risk": "Severe", "k": 3},
    }
    written = Plan.of(plan)
    for sample in (plan, written.entries(), written.to_dict()):
        assert list(validator(schema).iter_errors(sample)) == []
    for wrong in ({"kolumns": {}}, columns(a={}), columns(a={**QI, "exposure": 5}), {"policy": 3}):
        assert not validator(schema).is_valid(wrong)
        refused(wrong)


def test_the_data_file_is_found_from_the_folder_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text("data: people.csv\n")
    assert Plan.read(tmp_path / "plan.yaml").data_file == tmp_path / "people.csv"
    absolute = (tmp_path / "x.csv").resolve()
    (tmp_path / "plan.yaml").write_text(f"data: {absolute}\n")
    assert Plan.read(tmp_path / "plan.yaml").data_file == absolute
    assert Plan.of({"data": "people.csv"}).data_file == Path("people.csv")
    assert Plan().data_file is None
