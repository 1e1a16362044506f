"""Guessing a plan: what is recognised, what is left alone, and that no value slips out."""

import random
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.assessment.guess import check_digits as guess_checks
from singleout.assessment.guess.check_digits import recognised
from singleout.assessment.guess.column import Guess
from singleout.assessment.guess.guess import GuessedPlan, guessed_plan
from singleout.assessment.guess.names import match_name, tokens
from singleout.assessment.guess.words import MEANINGS
from singleout.assessment.plan.plan import Plan
from singleout.core.choices import Role
from singleout.report.say import say

DIRECT, KNOWN, SENSITIVE = Role.DIRECT_IDENTIFIER, Role.QUASI_IDENTIFIER, Role.SENSITIVE
RECORDS = 200


def guess(name: str, values: list[Any]) -> Guess:
    """Return the guess for one column beside one that is known to others."""
    beside = ["f", "m"] * (len(values) // 2) + ["m"] * (len(values) % 2)
    (found, _) = guessed_plan(so.read({name: values, "sex_": beside})).guesses
    return found


def values_of(draw: Callable[[random.Random], Any], records: int = RECORDS) -> list[Any]:
    chance = random.Random(7)
    return [draw(chance) for _ in range(records)]


# ---- check digits

DIGITS = string.digits


def digits(number: int) -> st.SearchStrategy[str]:
    return st.text(DIGITS, min_size=number, max_size=number)


def completions(start: str, endings: list[str], passes: Callable[[str], bool]) -> list[str]:
    return [start + ending for ending in endings if passes(start + ending)]


@given(digits(15), st.integers(0, 14), st.integers(1, 9))
def test_exactly_one_last_digit_makes_a_card_number_and_no_slip_of_one_digit_passes(
    tail: str, place: int, slip: int
) -> None:
    start = "4" + tail[:14]
    (number,) = completions(start, list(DIGITS), guess_checks.is_card)
    other = str((int(number[place + 1]) + slip) % 10)
    assert not guess_checks.is_card(number[: place + 1] + other + number[place + 2 :])


@given(digits(8), st.integers(0, 8), st.integers(1, 9))
def test_a_slip_of_one_digit_never_passes_the_eleven_test(
    start: str, place: int, slip: int
) -> None:
    found = completions(start, list(DIGITS), guess_checks.is_bsn)
    assert len(found) <= 1  # none where the remainder would be ten
    for number in found:
        other = str((int(number[place]) + slip) % 10)
        assert not guess_checks.is_bsn(number[:place] + other + number[place + 1 :])


@given(digits(10))
def test_exactly_one_check_number_makes_an_iban(account: str) -> None:
    two = [f"{number:02}" for number in range(2, 99)]
    found = [f"NL{check}ABNA{account}" for check in two]
    assert sum(map(guess_checks.is_iban, found)) == 1


@given(digits(8))
def test_exactly_one_letter_makes_a_spanish_identity_number(number: str) -> None:
    assert len(completions(number, list(string.ascii_uppercase), guess_checks.is_dni)) == 1


@given(st.sampled_from("12"), digits(2), st.integers(1, 12), digits(6))
def test_exactly_one_key_makes_a_french_number_also_in_corsica(
    sex: str, year: str, month: int, rest: str
) -> None:
    keys = [f"{key:02}" for key in range(1, 98)]
    for department in ("75", "2A", "2B"):
        start = f"{sex}{year}{month:02}{department}{rest}"
        assert len(completions(start, keys, guess_checks.is_nir)) == 1


def test_the_numbers_that_the_registers_print_as_examples_pass() -> None:
    for rule, number in (
        (guess_checks.is_iban, "DE89 3704 0044 0532 0130 00"),
        (guess_checks.is_iban, "FR14 2004 1010 0505 0001 3M02 606"),
        (guess_checks.is_iban, "ES91 2100 0418 4502 0005 1332"),
        (guess_checks.is_card, "5500 0000 0000 0004"),
        (guess_checks.is_card, "340000000000009"),
        (guess_checks.is_german_tax_id, "47036892816"),
        (guess_checks.is_german_tax_id, "65929970489"),
        (guess_checks.is_bsn, "123456782"),
        (guess_checks.is_ip, "2001:db8::8a2e:370:7334"),
    ):
        assert rule(number), number


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["QQ 12 34 56 C", "AB123456D", "CE 123456 A"], None),  # QQ is never given out
        (["AB123456D", "CE 12 34 56 A", "JK234567B"], "UK national insurance numbers"),
        (["123-45-6789", "078-05-1120", "219-09-9999"], "US social security numbers"),
        (["000-12-3456", "666-12-3456", "900-12-3456"], None),
        (["a@b.org", "c.d@e.co.uk", "x+y@z.nl"], "e-mail addresses"),
        (["a@b", "@home", "me@work"], None),
        (["10.0.0.1", "192.168.1.77", "8.8.8.8"], "IP addresses"),
        (["1.2.3", "2.0.1", "3.1.4"], None),
        (["00:1B:44:11:3A:B7", "00-1B-44-11-3A-B8"], "addresses of devices"),
        (["+31 6 12345678", "06-12345678", "+33 1 23 45 67 89", "(020) 123 4567"], "telephone"),
        (["2019-09-21", "2020-01-02", "2021-03-04", "2022-05-06"], None),
        (["01/02/1990", "11/12/1991", "03/04/1992", "05/06/1993"], None),
        (["39", "50", "38", "53"], None),
        (["1.5", "2.25", "3.125", "4"], None),
    ],
)
def test_numbers_of_registers_are_told_from_other_numbers(
    texts: list[str], words: str | None
) -> None:
    found = recognised(texts)
    assert (found is None) if words is None else (found is not None and words in found.words)


def test_luck_is_not_taken_for_a_register() -> None:
    passing = [n for n in map(str, range(100_000_000, 100_000_200)) if guess_checks.is_bsn(n)]
    assert recognised(passing[:2]) is None
    assert recognised(passing[:6]) is not None
    assert recognised(passing[:2], named=True) is not None
    assert recognised(values_of(lambda chance: str(chance.randrange(10**8, 10**9)))) is None
    assert recognised(values_of(lambda chance: str(chance.randrange(10**15, 10**16)))) is None


def test_some_odd_cells_do_not_hide_e_mail_addresses() -> None:
    assert recognised(["unknown", "a@b.org", "c@d.org", "e@f.org", "g@h.org", "none"]) is not None
    assert recognised(["unknown", "-", "a@b.org", "none"]) is None


# ---- names


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("dateDeNaissance", ("date", "de", "naissance")),
        ("DATE_NAISSANCE", ("date", "naissance")),
        ("Prénom(s)", ("prenom", "s")),
        ("HTTPServer", ("http", "server")),
        ("PC4", ("pc", "4")),
        ("Körpergröße", ("korpergrosse",)),
        ("año", ("ano",)),
        ("年齢", ()),
    ],
)
def test_names_become_words(name: str, words: tuple[str, ...]) -> None:
    assert tokens(name) == words


@pytest.mark.parametrize(
    ("meaning", "names"),
    [
        (
            "birth date",
            "dob, Date of Birth, dateOfBirth, DATEOFBIRTH, geb_dat, Geburtsdatum, "
            "geboortedatum, fecha_nacimiento, date naissance, birthdate_patient",
        ),
        ("birth year", "YoB, birth_year, Geburtsjahr, geboortejaar, année de naissance"),
        ("age", "age, AGE, Alter, leeftijd, edad, âge, AGEP, age_at_diagnosis, ageGroup"),
        ("sex", "sex, gender, sexe, Geschlecht, geslacht, sexo, género, ASEX, rb090"),
        ("postcode", "zip, ZIP Code, cp, code_postal, PLZ, Postleitzahl, pc4, pc6, codigoPostal"),
        ("municipality", "city, commune, Gemeinde, woonplaats, municipio, Wohnort, NomCommune"),
        ("region", "PUMA, province, Bundesland, provincie, provincia, département, db040"),
        ("country", "country, pays, land, país, Geburtsland, native-country, country_of_birth"),
        ("name", "name, Last Name, lastname, prénom, Vorname, achternaam, apellidos, nom"),
        ("email", "e-mail, email, courriel, correo electrónico, E-Mail-Adresse"),
        ("phone", "phone, Telefonnummer, telefoon, téléphone, móvil, tel_nr"),
        ("national id", "ssn, NIR, BSN, DNI, Steuer-ID, nino, numéro de sécurité sociale"),
        ("account", "IBAN, credit_card_no, Kontonummer, rekeningnummer"),
        ("address", "address, rue, Straße, huisnummer, dirección"),
        ("marital status", "marital-status, état civil, Familienstand, burgerlijke staat, MSP"),
        ("occupation", "occupation, métier, Beruf, beroep, profesión"),
        ("education", "education, EDU, diplôme, Schulabschluss, opleidingsniveau, estudios"),
        ("health", "diagnosis, maladie, Krankheit, ziekte, enfermedad, icd10, hiv"),
        ("income", "income, salary-class, revenu, Einkommen, inkomen, ingresos, netIncome, PINCP"),
        ("religion", "religion, Konfession, godsdienst, religion_code"),
        ("ethnicity", "race, ethnic_group, origine ethnique, etniciteit, raza, RAC1P, HISP"),
        ("sexual life", "sexual_orientation, orientation sexuelle, seksuele geaardheid"),
        (
            "crime",
            "criminal record, casier judiciaire, Vorstrafen, strafblad, antecedentes penales",
        ),
        ("politics", "political_party, opinion politique, politieke voorkeur, voting"),
        ("union", "trade union, syndicat, Gewerkschaft, vakbond, sindicato, AUNMEM"),
        ("weight", "sampling_weight, wgt, PWGTP, Gewichtungsfaktor, pondération, w"),
        ("household weight", "household_weights, WGTP, db090"),
        ("household", "household_id, hhid, ori_hid, Haushaltsnummer, id_hogar, db030"),
        ("children", "children, nombre_enfants, Anzahl Kinder, aantal_kinderen, hijos"),
    ],
)
def test_names_are_understood_in_five_languages(meaning: str, names: str) -> None:
    found = {name: match_name(name) for name in names.split(", ")}
    assert {name: match and match.meaning for name, match in found.items()} == dict.fromkeys(
        found, meaning
    )


@pytest.mark.parametrize(
    "name",
    [
        "statement",
        "agency",
        "average",
        "message",
        "landuse",
        "uniform",
        "price",
        "racetrack",
        "file_name",
        "telephoning",
        "mailing list",
        "stage",
        "automobile",
        "x1",
        "",
        "年齢",
        "SPLIT",
    ],
)
def test_names_that_only_look_alike_say_nothing(name: str) -> None:
    assert match_name(name) is None


def test_no_term_has_two_meanings() -> None:
    seen: dict[tuple[str, ...], str] = {}
    for key, meaning in MEANINGS.items():
        for term in meaning.terms:
            words = tokens(term)
            assert words, term
            assert seen.setdefault(words, key) == key, term


# ---- values


FIRST = ["Maria", "Jan", "Anna", "Pierre", "Hans", "Ngozi", "Wei", "Luis"]
LAST = ["de Vries", "Müller", "Dubois", "García", "O'Neil", "van den Berg"]


@pytest.mark.parametrize(
    ("name", "draw", "role"),
    [
        ("col1", lambda c: f"{c.choice(FIRST)} {c.choice(LAST)}", DIRECT),
        ("x", lambda c: f"p{c.randrange(10**6)}@example.org", DIRECT),
        ("contact", lambda c: f"+31 6 {c.randrange(10**7, 10**8)}", DIRECT),
        ("id", lambda c: str(c.randrange(10**9)), DIRECT),
        ("token", lambda c: f"AX-{c.randrange(10**7, 10**8)}", DIRECT),
        ("v", lambda c: f"{c.randrange(1990, 2022)}-{c.randrange(1, 13):02}-11", KNOWN),
        ("v", lambda c: f"{c.randrange(1, 29):02}.{c.randrange(1, 13):02}.2021", KNOWN),
        ("v", lambda c: c.choice("mv"), KNOWN),
        ("v", lambda c: c.choice(["homme", "femme"]), KNOWN),
        ("v", lambda c: f"{c.randrange(1000, 9999)} {c.choice('AB')}X", KNOWN),
        ("v", lambda c: c.choice(["SW1A 1AA", "M1 1AE", "EH1 2NG", "B33 8TH"]), KNOWN),
        ("v", lambda c: f"{c.randrange(1000, 1060):05}", KNOWN),
        ("v", lambda c: c.choice(["France", "Spain", "Chad", "Italy"]), KNOWN),
        ("v", lambda c: c.choice(["NL", "BE", "DE", "FR"]), KNOWN),
        ("v", lambda c: c.choice(["Utrecht", "Breda", "Leiden", "Urk"]), KNOWN),
        ("q7", lambda c: c.randrange(0, 96), KNOWN),
        ("admission", lambda c: f"2021-{c.randrange(1, 13):02}-{c.randrange(1, 29):02}", KNOWN),
        ("diagnosis_date", lambda c: f"2021-{c.randrange(1, 13):02}-11", KNOWN),
        ("hospital_id", lambda c: c.randrange(1, 9), KNOWN),
        ("diagnose", lambda c: c.choice(["flu", "HIV"]), SENSITIVE),
        ("has_phone", lambda c: c.choice("01"), Role.OTHER),
        ("email", lambda c: c.choice(["yes", "no"]), Role.OTHER),
        ("amount", lambda c: c.randrange(100, 99_999), Role.OTHER),
        ("ratio", lambda c: c.random(), Role.OTHER),
        ("score", lambda c: c.randrange(1, 6), Role.OTHER),
        ("duration_days", lambda c: c.randrange(0, 90), Role.OTHER),
        ("main", lambda c: f"{c.choice('EIJK')}{c.randrange(10, 40)}.{c.randrange(9)}", SENSITIVE),
    ],
)
def test_what_a_column_is_for_is_guessed_from_its_values(
    name: str, draw: Callable[[random.Random], Any], role: Role
) -> None:
    found = guess(name, values_of(draw))
    assert found.role == role, found


def test_ages_are_not_codes_and_running_numbers_are() -> None:
    ages = guess("age", list(range(20, 70)))
    assert (ages.role, ages.scale) == (KNOWN, "ordinal")
    assert guess("q7", [number % 101 for number in range(300)]).role == Role.OTHER  # percents
    assert guess("nr", list(range(1, 51))).sure == "sure"
    assert guess("v", list(range(1001, 1051))).role == DIRECT
    assert guess("v", [*range(1, 50), 99]).role != DIRECT


def test_names_that_many_people_share_are_direct_identifiers_all_the_same() -> None:
    names = [f"{first}{end}" for first in FIRST for end in ("", "a", "e")]
    assert guess("voornaam", names * 200).role == DIRECT
    assert guess("col", [f"p{i % 90}@example.org" for i in range(9000)]).role == DIRECT
    assert guess("patient_id", [i % 300 for i in range(9000)]).role == DIRECT


def test_free_text_is_flagged() -> None:
    said = [f"patient {i} came in time and was quite content with it" for i in range(60)]
    plain = guess("remarks", said)
    assert (plain.role, plain.sure) == (DIRECT, "unsure")
    assert "free text, which can name people" in plain.reason
    narrative = guess("diagnosis", said)
    assert narrative.role == SENSITIVE
    assert "free text" in narrative.reason
    assert narrative.offered == ()


def test_a_column_without_difference_says_nothing() -> None:
    assert guess("country", ["NL"] * 30).reason == "every record has the same value"
    assert guess("country", [None] * 30).reason == "no record has a value"
    assert guess("sampling_weight", [100] * 30).role == Role.WEIGHT


def test_weight_beside_height_is_of_the_body() -> None:
    survey = guessed_plan(so.read({"weight": [70.5, 80.5], "sex": ["f", "m"]}))
    assert survey.plan.weights == "weight"
    body = guessed_plan(so.read({"weight": [70.5, 80.5], "height": [1.7, 1.8]}))
    assert body.plan.quasi_identifiers == ("weight", "height")
    assert body.plan.weights is None


def test_of_two_weights_the_one_of_persons_is_kept() -> None:
    data = {"hh_weight": [2.5, 3.5], "person_weight": [1.5, 2.5], "sex": ["f", "m"]}
    guessed = guessed_plan(so.read(data))
    assert guessed.plan.weights == "person_weight"
    assert guessed.guesses[0].role == Role.OTHER
    assert guessed.guesses[0].reason.endswith("'person_weight' serves as weight")


def test_what_the_source_says_is_not_guessed() -> None:
    table = so.read({"a": [1, 2], "b": [3, 4]}, roles={"a": "sensitive", "b": "quasi-identifier"})
    guessed = guessed_plan(table)
    assert [found.sure for found in guessed.guesses] == ["sure", "sure"]
    assert guessed.plan.columns["a"].severity == 3
    assert guessed.plan.columns["b"].exposure == 3


def test_a_description_is_read_where_the_name_says_nothing() -> None:
    table = so.read({"v1": ["x", "y"] * 9}).with_descriptions({"v1": "Religion of respondent"}, {})
    assert guessed_plan(table).plan.sensitive == ("v1",)


def test_different_values_are_counted_on_the_records_that_are_left() -> None:
    table = so.read({"v": [*range(1, 101)]})
    (some,) = guessed_plan(table.take([0, 0, 0])).guesses
    assert some.reason == "every record has the same value"


# ---- the plan


@pytest.fixture(scope="module")
def people() -> so.Table:
    chance = random.Random(3)
    rows = range(120)
    return so.read(
        {
            "name": [f"{chance.choice(FIRST)} {chance.choice(LAST)}{i}" for i in rows],
            "mail": [f"secret{i}@example.org" for i in rows],
            "age": [chance.randrange(90) for _ in rows],
            "diagnose": [chance.choice(["flu", "HIV", "no", "a: b\n#"]) for _ in rows],
            "<script>\n=cmd()\x1b": [chance.randrange(4) for _ in rows],
        }
    )


def test_the_commented_plan_reads_as_the_plan(people: so.Table) -> None:
    guessed = guessed_plan(people).for_file("people.csv")
    text = guessed.to_yaml()
    assert Plan.parse(text) == guessed.plan
    assert guessed.plan.data == "people.csv"
    assert all(char == "\n" or char.isprintable() for char in text)
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("# guess, ") == len(people.columns)


def test_values_of_direct_identifiers_are_nowhere(people: so.Table) -> None:
    guessed = guessed_plan(people)
    assert set(guessed.plan.with_role(DIRECT)) == {"name", "mail"}
    for text in (guessed.to_yaml(), str(guessed.to_dict()), str(guessed)):
        assert "secret" not in text
        assert "example.org" not in text
        assert not any(last in text for last in LAST)


def test_the_values_of_a_sensitive_column_are_offered_to_be_rated(people: so.Table) -> None:
    lines = guessed_plan(people).to_yaml().splitlines()
    start = next(place for place, line in enumerate(lines) if "    values:" in line)
    offered = [line.replace("      #", "      ", 1) for line in lines[start : start + 5]]
    plan = Plan.parse("\n".join(["columns:", "  diagnose:", "    role: sensitive", *offered]))
    assert plan.columns["diagnose"].values == {"HIV": 4, "a: b\n#": 4, "flu": 4, "no": 1}


def test_values_that_only_one_or_two_records_have_are_not_offered() -> None:
    ill = ["flu", "colds"] * 50 + ["scarce three"] * 3 + ["scarce two"] * 2 + ["scarce one"]
    guessed = guessed_plan(so.read({"diagnosis": ill, "sex": ["f", "m"] * 53}))
    assert guessed.guesses[0].offered == ("colds", "flu", "scarce three")
    text = guessed.to_yaml()
    assert "scarce three" in text
    assert "scarce two" not in text
    assert "scarce one" not in text


def test_codes_of_a_known_meaning_are_nominal_and_text_has_no_scale() -> None:
    assert guess("region", list(range(1, 9)) * 10).scale == "nominal"
    assert guess("region", ["a", "b", "c", "d"] * 20).scale is None
    assert guess("geb_dat", ["01.02.1980", "13.02.1981"] * 20).scale == "ordinal"
    assert guess("v7", [1, 2, 3, 1] * 20).scale is None


def test_the_examples_at_the_end_are_valid_once_uncommented(people: so.Table) -> None:
    lines = guessed_plan(people).to_yaml().splitlines()
    sections = [line[1:] for line in lines if line.startswith("#") and line[1:2] not in ("", " ")]
    start = lines.index(say("guess.file.examples").splitlines()[0])
    nested = [line[1:] for line in lines[start:] if line.startswith("#")]
    plan = Plan.parse("\n".join(nested))
    assert plan.policy.k == 3
    assert plan.methods == Plan().methods
    assert sections[0].startswith("population:")


def test_the_guesses_are_a_frame(people: so.Table) -> None:
    frame = guessed_plan(people).to_frame()
    assert frame.columns == ["column", "role", "exposure", "severity", "scale", "sure", "reason"]
    assert frame["column"].to_list() == list(people.columns)
    assert set(frame["sure"]) <= {"sure", "likely", "unsure"}
    assert all(frame["reason"])


def test_the_guesses_are_harmless_in_a_notebook(people: so.Table) -> None:
    page = guessed_plan(people)._repr_html_()
    assert "&lt;script&gt;" in page
    assert "<script>" not in page


def test_what_is_missing_for_an_assessment_is_said() -> None:
    guessed = guessed_plan(so.read({"sex": ["f", "m"]}))
    assert guessed.notes == ("No column looks sensitive; say whose disclosure would hit people.",)
    assert "# To do: No column looks sensitive" in guessed.to_yaml()


@given(st.lists(st.text(max_size=8) | st.integers() | st.none(), min_size=1, max_size=30))
def test_any_column_gets_a_guess_and_a_plan_that_reads(values: list[Any]) -> None:
    guessed = guessed_plan(so.read({"v": values}))
    assert Plan.parse(guessed.to_yaml()) == guessed.plan


# ---- real tables


def plan_of(path: Path) -> GuessedPlan:
    guessed = guessed_plan(so.read(path))
    assert Plan.parse(guessed.to_yaml()) == guessed.plan
    return guessed


def test_the_demo_is_understood_with_and_without_its_dictionary(tmp_path: Path) -> None:
    from singleout.io.demo import copy_demo

    demo = so.demo()
    kept = guessed_plan(demo).plan
    for role in (KNOWN, SENSITIVE):
        assert set(kept.with_role(role)) >= set(demo.with_role(role))
    assert kept.weights == "PWGTP"
    copy_demo(tmp_path / "demo.csv")
    plan = plan_of(tmp_path / "demo.csv").plan
    assert {"PUMA", "AGEP", "SEX", "MSP", "EDU", "INDP_CAT"} <= set(plan.quasi_identifiers)
    assert {"PINCP", "POVPIP", "DVET", "DREM", "DPHY", "DEYE", "DEAR"} <= set(plan.sensitive)
    assert plan.columns["PUMA"].exposure == 4
    assert plan.weights == "PWGTP"
    assert plan.with_role(DIRECT) == ()


def test_adult(real_data: Path) -> None:
    plan = plan_of(real_data / "adult.csv").plan
    assert plan.sensitive == ("race", "salary-class")
    assert len(plan.quasi_identifiers) == 8
    assert plan.ordinal == ("age",)


def test_eusilc(real_data: Path) -> None:
    plan = plan_of(real_data / "eusilcS.csv").plan
    assert plan.with_role("household") == ("db030",)
    assert plan.weights == "rb050"
    assert plan.quasi_identifiers == ("hsize", "db040", "age", "rb090", "pl030", "pb220a")
    assert "netIncome" in plan.sensitive


def test_census_income(real_data: Path) -> None:
    guessed = plan_of(real_data / "census_income_kdd_299285.csv.gz")
    plan = guessed.plan
    assert {"AAGE", "ASEX", "AMARITL", "PENATVTY", "GRINST"} <= set(plan.quasi_identifiers)
    assert {"INCOME", "ARACE", "CAPGAIN", "AUNMEM"} <= set(plan.sensitive)
    assert plan.weights == "MARSUPWT"
    assert plan.with_role(DIRECT) == ()


def test_items_of_a_disability_survey_are_all_alike(real_data: Path) -> None:
    plan = plan_of(real_data / "nltcs.csv").plan
    assert len(plan.quasi_identifiers) == 16  # also to take one's medicine, which is no diagnosis
    assert plan.sensitive == plan.quasi_identifiers
    assert {plan.columns[name].exposure for name in plan.quasi_identifiers} == {2}
    assert {plan.columns[name].severity for name in plan.sensitive} == {3}


def test_sdcmicro_tables(real_data: Path) -> None:
    survey = plan_of(real_data / "sdcmicro_testdata.csv").plan
    assert survey.with_role("household") == ("ori_hid",)
    assert survey.weights == "sampling_weight"
    assert survey.sensitive == ("expend", "income", "savings")
    keys = {"urbrur", "roof", "walls", "water", "electcon", "relat", "sex", "age", "hhcivil"}
    assert set(survey.quasi_identifiers) == keys
    toy = plan_of(real_data / "sdcmicro_francdat.csv").plan
    assert set(toy.quasi_identifiers) >= {"Key1", "Key2", "Key3", "Key4"}
    assert toy.weights == "w"


def test_scotland_and_heights(real_data: Path) -> None:
    scotland = plan_of(real_data / "scotland_census_2011_1pct.csv").plan
    assert scotland.with_role(DIRECT) == ("Record_Number",)
    assert scotland.sensitive == ("health", "Ethnic_Group", "religion")
    heights = plan_of(real_data / "socr_height_weight.csv").plan
    assert heights.quasi_identifiers == ("Height(Inches)", "Weight")
    assert heights.with_role(DIRECT) == ("Index",)


def test_the_catalogue_says_what_each_meaning_and_each_register_is() -> None:
    for known in (*MEANINGS.values(), *guess_checks.NUMBERS):
        assert known.words
