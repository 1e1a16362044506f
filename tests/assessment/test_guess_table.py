"""The table of guesses: (file, column, expected), from published files and from written ones."""

from __future__ import annotations

from pathlib import Path

import pytest

import singleout as so
from guess_files import FILES, write
from singleout.assessment.guess.guess import GuessedPlan, guessed_plan
from singleout.assessment.plan.plan import Plan

# ---- published files: every column of each, by what it is to be taken for

COMMUNITY_SURVEY = {
    "quasi-identifier": "PUMA AGEP SEX MSP NOC NPF HOUSING_TYPE OWN_RENT DENSITY INDP INDP_CAT EDU",
    "quasi-identifier, sensitive": "HISP RAC1P DVET DREM DPHY DEYE DEAR",
    "sensitive": "PINCP PINCP_DECILE POVPIP",
    "weight": "PWGTP",
    "other": "WGTP",
}
PUBLISHED = {
    "adult.csv": {
        "quasi-identifier": "sex age marital-status education native-country workclass occupation",
        "quasi-identifier, sensitive": "race",
        "sensitive": "salary-class",
    },
    "be_municipality_age.csv": {"quasi-identifier": "NIS age", "count": "number"},
    "bevolking_leeftijd_NL.csv": {
        "quasi-identifier": "leeftijd geslacht",
        "other": "jaar",
        "count": "aantal",
    },
    "nl_pc4_age5_sex_2021.csv.gz": {
        "quasi-identifier": "postcode leeftijd plaats gemeente provincie",
        "other": "inwoners_man inwoners_vrouw",
        "count": "inwoners",
    },
    "eusilcS.csv": {
        "household": "db030",
        "quasi-identifier": "hsize db040 age rb090 pl030 pb220a",
        "sensitive": ("netIncome py010n py050n py090n py100n py110n py120n py130n py140n"),
        "weight": "rb050",
        "other": "db090",
    },
    "nltcs.csv": {
        "quasi-identifier, sensitive": (
            "eating,getting in/out of bed,getting around inside,dressing,bathing,using toilet,"
            "heavy house work,light house work,laundry,cooking,grocery shopping,"
            "getting about outside,traveling,managing money,taking medicine,telephoning"
        ),
    },
    "scotland_census_2011_1pct.csv": {
        "direct-identifier": "Record_Number",
        "quasi-identifier": (
            "RESIDENCE_TYPE Family_Composition sex age Marital_Status student Country_Of_Birth "
            "Economic_Activity Occupation industry Hours_Worked_Per_Week Approximate_Social_Grade"
        ),
        "quasi-identifier, sensitive": "Ethnic_Group religion",
        "sensitive": "health",
        "other": "Region",
    },
    "sdcmicro_francdat.csv": {
        "quasi-identifier": "Key1 Key2 Key3 Key4 Num3",
        "weight": "w",
        "other": "Num1 Num2",
    },
    "sdcmicro_testdata.csv": {
        "quasi-identifier": "urbrur roof walls water electcon relat sex age hhcivil",
        "sensitive": "expend income savings",
        "household": "ori_hid",
        "weight": "sampling_weight",
        "other": "household_weights",
    },
    "socr_height_weight.csv": {
        "direct-identifier": "Index",
        "quasi-identifier": "Height(Inches) Weight",
    },
    "census_income_kdd_299285.csv.gz": {
        "quasi-identifier": (
            "AAGE ACLSWKR ADTIND ADTOCC AHGA AHSCOL AMARITL AMJIND AMJOCC ASEX AUNTYPE AWKSTAT "
            "FILESTAT GRINREG GRINST HHDFMX HHDREL MIGMTR1 MIGMTR3 MIGMTR4 MIGSAME MIGSUN NOEMP "
            "PARENT PEFNTVTY PEMNTVTY PENATVTY PRCITSHP SEOTR VETQVA VETYN WKSWORK"
        ),
        "quasi-identifier, sensitive": "ARACE AREORGN",
        "sensitive": "AHRSPAY AUNMEM CAPGAIN CAPLOSS DIVVAL INCOME",
        "weight": "MARSUPWT",
        "other": "YEAR SPLIT",
    },
    "ma2019.csv": COMMUNITY_SURVEY,
    "tx2019.csv": COMMUNITY_SURVEY,
}
# Where nothing looks known to others, what is taken for that is open all the same.
UNEXPLAINED = {
    "sdcmicro_francdat.csv": ("Num1", "Key1", "Num2", "Key2", "Key3", "Key4", "Num3"),
}
COUNTED = {
    "be_municipality_age.csv": ("number",),
    "bevolking_leeftijd_NL.csv": ("aantal",),
    "nl_pc4_age5_sex_2021.csv.gz": ("inwoners", "inwoners_man", "inwoners_vrouw"),
}
# Values that say none or not known, which get severity 1.
HARMLESS = {
    ("adult.csv", "race"): (),
    ("eusilcS.csv", "netIncome"): (),
    ("eusilcS.csv", "py090n"): ("0.0",),
    ("ma2019.csv", "PINCP"): ("N",),
    ("ma2019.csv", "DVET"): ("6", "N"),
    ("ma2019.csv", "DREM"): ("2", "N"),
    ("ma2019.csv", "DEYE"): ("2",),
    ("nltcs.csv", "taking medicine"): ("0",),
    ("scotland_census_2011_1pct.csv", "religion"): (),
    ("census_income_kdd_299285.csv.gz", "AUNMEM"): ("No", "Not in universe"),
    ("census_income_kdd_299285.csv.gz", "CAPGAIN"): ("0",),
    ("census_income_kdd_299285.csv.gz", "AREORGN"): ("Do not know", "NA"),
}


def names(text: str) -> list[str]:
    return [name for name in text.split("," if "," in text else None) if name]


def plan_of(path: Path) -> GuessedPlan:
    guessed = guessed_plan(so.read(path))
    assert Plan.parse(guessed.to_yaml()) == guessed.plan
    return guessed


@pytest.mark.parametrize("file", PUBLISHED)
def test_every_column_of_a_published_file_is_guessed_as_expected(
    file: str, real_data: Path
) -> None:
    guessed = plan_of(real_data / file)
    expected = {name: role for role, text in PUBLISHED[file].items() for name in names(text)}
    assert {guess.column: ", ".join(guess.roles) for guess in guessed.guesses} == expected
    assert {
        name: ", ".join(said.all_roles) for name, said in guessed.plan.columns.items()
    }.items() <= expected.items()
    assert guessed.unexplained == UNEXPLAINED.get(file, ())
    assert guessed.counts == COUNTED.get(file, ())
    for (of, column), values in HARMLESS.items():
        if of == file:
            assert guessed.plan.columns[column].values == dict.fromkeys(values, 1), column


# ---- written files


@pytest.mark.parametrize("name", FILES)
def test_every_column_of_a_file_in_five_languages_is_guessed_as_expected(
    name: str, tmp_path: Path
) -> None:
    columns = FILES[name]
    write(columns, tmp_path / "file.csv")
    guessed = plan_of(tmp_path / "file.csv")
    found = {guess.column: guess for guess in guessed.guesses}
    for column in columns:
        guess = found[column.header]
        said = (", ".join(guess.roles), guess.understood)
        assert said == (column.role, column.meaning is not None), guess
        assert guess.meaning == column.meaning or not column.meaning, guess
    assert guessed.unexplained == tuple(c.header for c in columns if c.meaning is None)
    assert guessed.counts == ()
    assert guessed.warnings == ()


WEIGHTS = """
weight, wgt, wt, PWGTP, perwt, fnlwgt, sampling_weight, final_weight, person_wt, ASECWT, WTFINL,
pspwght, anweight, dweight, WTMEC2YR, v005, grossing factor, expansion weight, calibrated_weight,
pond, poids, pondération, poids_individuel, coefficient de pondération, IPONDI, EXTRI, gewicht,
Gewichtungsfaktor, Hochrechnungsfaktor, Personengewicht, Designgewicht, hrf, phrf, weegfactor,
ophoogfactor, steekproefgewicht, peso, factor de expansión, factor_expansion, FACTOREL, FAC,
ponderador, factor de elevación, peso muestral, coeficiente de elevación
"""


@pytest.mark.parametrize("name", " ".join(WEIGHTS.split()).split(", "))
def test_sampling_weights_are_known_under_all_their_names(name: str) -> None:
    numbers = [100 + (place * 37) % 211 + 0.5 for place in range(60)]
    guessed = guessed_plan(so.read({name: numbers, "sex": ["f", "m"] * 30}))
    assert guessed.plan.weights == name
    assert guessed.plan.population.weights == name


@pytest.mark.parametrize("name", ["wgt", "pond", "Hochrechnungsfaktor", "weegfactor", "peso"])
def test_what_is_negative_or_no_number_is_no_weight(name: str) -> None:
    for values in (["low", "high"], [-1.5, 2.5]):
        guessed = guessed_plan(so.read({name: values * 15, "sex": ["f", "m"] * 15}))
        assert guessed.plan.weights is None
        assert guessed.unexplained == (name,)
