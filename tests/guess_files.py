"""Small files with the headers and values of real ones, in five languages, to guess plans from.

Each column says what it is to be taken for: its role, and the key of what it is about. An empty key
stands for a column that the values explain, None for one that nothing explains.
"""

from __future__ import annotations

import csv
import random
import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

__all__ = ["FILES", "Expected", "write"]

RECORDS = 300
Draw = Callable[[random.Random, int], Any]


class Expected(NamedTuple):
    """A column: its header, how its values are drawn, and what is to be guessed."""

    header: str
    draw: Draw
    role: str
    meaning: str | None = ""


def one_of(*values: Any) -> Draw:
    """Draw one of some values."""
    return lambda chance, _: chance.choice(values)


def whole(low: int, high: int) -> Draw:
    """Draw a whole number, both ends included."""
    return lambda chance, _: chance.randint(low, high)


def amount(mean: float) -> Draw:
    """Draw a skewed amount with two decimals."""
    return lambda chance, _: f"{chance.lognormvariate(0, 0.6) * mean:.2f}"


def weight(mean: float) -> Draw:
    """Draw a weight with five decimals."""
    return lambda chance, _: f"{chance.gauss(1, 0.2) * mean:.5f}"


def date(first: int, last: int, form: str = "{y}-{m:02}-{d:02}") -> Draw:
    """Draw a date of some years."""
    return lambda chance, _: form.format(
        y=chance.randint(first, last), m=chance.randint(1, 12), d=chance.randint(1, 28)
    )


def uuid(chance: random.Random, _: int) -> str:
    """Draw an identifier as databases make them."""
    return str(UUID(int=chance.getrandbits(128)))


def code(prefix: str) -> Draw:
    """Draw a code of its own for each record."""
    return lambda chance, row: f"{prefix}{row:04}{chance.choice(string.ascii_uppercase)}"


def running(start: int) -> Draw:
    """Number the records."""
    return lambda _, row: start + row


def with_gaps(chance: random.Random, row: int) -> int:
    """Number the records in order, with gaps."""
    return 40_000 + 37 * row + chance.randrange(37)


def cents(chance: random.Random, _: int) -> int:
    """Draw an amount in cents, hardly ever the same twice."""
    return int(chance.lognormvariate(0, 0.6) * 3_000_000)


def measured(chance: random.Random, _: int) -> str:
    """Draw a measurement with many decimals."""
    return f"{chance.gauss(5, 1):.6f}"


def told(*words: str) -> Draw:
    """Draw sentences."""
    return lambda chance, row: (
        f"{chance.choice(words)} {row} {chance.choice(words)} {chance.choice(words)} "
        f"{chance.choice(words)} {chance.choice(words)}"
    )


DIRECT, KNOWN, SENSITIVE = "direct-identifier", "quasi-identifier", "sensitive"
BOTH = "quasi-identifier, sensitive"  # others see it, and its disclosure hits
WEIGHT, HOUSEHOLD, OTHER = "weight", "household", "other"
YES_NO = one_of("yes", "no", "no")
TOLD = told("came", "late", "asked", "again", "went", "home")

ENGLISH_SURVEY = [
    Expected("record", running(1), DIRECT),
    Expected("hhid", whole(1000, 1120), HOUSEHOLD, "household"),
    Expected("State", one_of("Ohio", "Texas", "Iowa", "Maine"), KNOWN, "region"),
    Expected("county_fips", whole(1001, 1090), KNOWN, "region"),
    Expected("Age (years)", whole(18, 94), KNOWN, "age"),
    Expected("Gender", one_of("Male", "Female", "Other"), KNOWN, "sex"),
    Expected("race_ethnicity", one_of("White", "Black", "Asian"), BOTH, "ethnicity"),
    Expected("marital", whole(1, 5), KNOWN, "marital status"),
    Expected("highest_degree", whole(1, 7), KNOWN, "education"),
    Expected("household_income_group", whole(1, 9), SENSITIVE, "income"),
    Expected("religious_affiliation", one_of("Catholic", "None"), BOTH, "religion"),
    Expected("difficulty_walking", YES_NO, BOTH, "disability"),
    Expected("hearing_impairment", YES_NO, BOTH, "disability"),
    Expected("health_insurance", one_of("private", "Medicaid"), SENSITIVE, "insurance"),
    Expected("hospital_stays", whole(0, 4), SENSITIVE, "hospital"),
    Expected("self_rated_health", whole(1, 5), SENSITIVE, "health"),
    Expected("food_stamps", YES_NO, SENSITIVE, "benefits"),
    Expected("household_composition", whole(1, 6), KNOWN, "family"),
    Expected("number of people in household", whole(1, 7), KNOWN, "household size"),
    Expected("rent_or_own", one_of("rent", "own"), KNOWN, "home"),
    Expected("wave", whole(1, 3), OTHER, "survey"),
    Expected("psu", whole(1, 40), KNOWN, "design"),
    Expected("final_wt", weight(1500), WEIGHT, "weight"),
    Expected("remarks", TOLD, DIRECT),
    Expected("q17b", whole(1, 5), OTHER, None),
    Expected("idx_a", measured, OTHER, None),
]

AMERICAN_CODES = [
    Expected("SERIALNO", whole(1, 150), HOUSEHOLD, "household"),
    Expected("STATEFIP", whole(1, 50), KNOWN, "region"),
    Expected("PERWT", weight(90), WEIGHT, "weight"),
    Expected("NCHILD", whole(0, 5), KNOWN, "children"),
    Expected("RELATE", whole(1, 12), KNOWN, "family"),
    Expected("MARST", whole(1, 6), KNOWN, "marital status"),
    Expected("HISPAN", whole(0, 4), BOTH, "ethnicity"),
    Expected("BPL", whole(1, 120), KNOWN, "country"),
    Expected("HCOVANY", whole(1, 2), SENSITIVE, "insurance"),
    Expected("EDUCD", whole(1, 116), KNOWN, "education"),
    Expected("EMPSTAT", whole(1, 3), KNOWN, "work"),
    Expected("INCTOT", whole(0, 200_000), SENSITIVE, "income"),
    Expected("FOODSTMP", whole(1, 2), SENSITIVE, "benefits"),
    Expected("DIFFEYE", whole(1, 2), BOTH, "disability"),
    Expected("REPWTP1", weight(90), OTHER, "survey"),
]

ENGLISH_HOSPITAL = [
    Expected("encounter", uuid, DIRECT),
    Expected("MRN", whole(10**6, 10**7 - 1), DIRECT, "person number"),
    Expected("dob", date(1930, 2020, "{d:02}/{m:02}/{y}"), KNOWN, "birth date"),
    Expected("sex", one_of("M", "F"), KNOWN, "sex"),
    Expected("zip_code", whole(10_001, 10_090), KNOWN, "postcode"),
    Expected("admission_date", date(2021, 2022), KNOWN, "event date"),
    Expected("length_of_stay", whole(1, 30), KNOWN, "stay"),
    Expected("discharge_disposition", one_of("home", "died", "transfer"), KNOWN, "stay"),
    Expected("payer", one_of("Medicare", "Aetna", "self pay"), SENSITIVE, "insurance"),
    Expected("primary_diagnosis", one_of("I10", "E11.9", "J45.0", "F32.1"), SENSITIVE, "health"),
    Expected("hiv_status", one_of("negative", "positive", "unknown"), SENSITIVE, "health"),
    Expected("weight", lambda chance, _: f"{chance.gauss(78, 14):.1f}", KNOWN, "body"),
    Expected("total_charges", cents, OTHER, None),
    Expected("clinical_notes", TOLD, DIRECT),
]

ENGLISH_STAFF = [
    Expected("Emp_ID", running(10_001), DIRECT),
    Expected("Department", one_of("IT", "HR", "Sales"), KNOWN, "organisation"),
    Expected("Manager", one_of("A B", "C D", "E F"), KNOWN, "organisation"),
    Expected("Gender", one_of("F", "M"), KNOWN, "sex"),
    Expected("HireDate", date(2005, 2020), KNOWN, "event date"),
    Expected("CitizenDesc", one_of("US Citizen", "Non-Citizen"), KNOWN, "nationality"),
    Expected("RaceDesc", one_of("White", "Black"), BOTH, "ethnicity"),
    Expected("Salary", whole(40_000, 99_999), SENSITIVE, "income"),
    Expected("PerformanceScore", whole(1, 5), SENSITIVE, "performance"),
    Expected("sick_leave_days", whole(0, 20), SENSITIVE, "health"),
    Expected("union member", YES_NO, SENSITIVE, "union"),
]

# The headers of the marketing survey that textbooks use for incomes.
MARKETING_SURVEY = [
    Expected("income", whole(1, 9), SENSITIVE, "income"),
    Expected("sex", whole(1, 2), KNOWN, "sex"),
    Expected("marital status", whole(1, 5), KNOWN, "marital status"),
    Expected("age", whole(1, 7), KNOWN, "age"),
    Expected("education", whole(1, 6), KNOWN, "education"),
    Expected("occupation", whole(1, 9), KNOWN, "occupation"),
    Expected("years in area", whole(1, 5), KNOWN, "migration"),
    Expected("dual incomes", whole(1, 3), SENSITIVE, "income"),
    Expected("number in household", whole(1, 9), KNOWN, "household size"),
    Expected("number of children", whole(0, 9), KNOWN, "children"),
    Expected("householder status", whole(1, 3), KNOWN, "home"),
    Expected("type of home", whole(1, 5), KNOWN, "home"),
    Expected("ethnic classification", whole(1, 8), BOTH, "ethnicity"),
    Expected("language in home", whole(1, 3), KNOWN, "language"),
]

FRENCH = [
    Expected("identifiant", running(70_001), DIRECT),
    Expected("sexe", one_of("H", "F"), KNOWN, "sex"),
    Expected("date_de_naissance", date(1940, 2005, "{d:02}/{m:02}/{y}"), KNOWN, "birth date"),
    Expected("code_commune", one_of("75056", "13055", "69123"), KNOWN, "municipality"),
    Expected("département de résidence", whole(1, 95), KNOWN, "region"),
    Expected("situation familiale", one_of("marié", "célibataire"), KNOWN, "marital status"),
    Expected("composition du ménage", whole(1, 5), KNOWN, "family"),
    Expected("nombre de personnes du ménage", whole(1, 7), KNOWN, "household size"),
    Expected("nb_enfants", whole(0, 4), KNOWN, "children"),
    Expected("PCS", whole(1, 8), KNOWN, "occupation"),
    Expected("niveau_de_diplôme", whole(1, 7), KNOWN, "education"),
    Expected("tranche de revenu", whole(1, 10), SENSITIVE, "income"),
    Expected("salaire_net", amount(2000), SENSITIVE, "income"),
    Expected("confession religieuse", one_of("catholique", "sans"), BOTH, "religion"),
    Expected("situation de handicap", one_of("oui", "non"), BOTH, "disability"),
    Expected("mutuelle", one_of("oui", "non"), SENSITIVE, "insurance"),
    Expected("durée_de_séjour", whole(1, 20), KNOWN, "stay"),
    Expected("nb_hospitalisations", whole(0, 3), SENSITIVE, "hospital"),
    Expected("maladie chronique", one_of("aucune", "diabète"), SENSITIVE, "health"),
    Expected("allocation_chômage", amount(900), SENSITIVE, "benefits"),
    Expected("statut d'occupation du logement", whole(1, 4), KNOWN, "home"),
    Expected("pond", weight(2500), WEIGHT, "weight"),
    Expected("commentaires", TOLD, DIRECT),
    Expected("v12", one_of("a", "b", "c"), OTHER, None),
]

GERMAN = [
    Expected("lfd_nr", running(1), DIRECT),
    Expected("Haushaltsnummer", whole(1, 140), HOUSEHOLD, "household"),
    Expected("Geschlecht", one_of("männlich", "weiblich", "divers"), KNOWN, "sex"),
    Expected("Geburtsjahr", whole(1930, 2004), KNOWN, "birth year"),
    Expected("Bundesland", one_of("Bayern", "Hessen", "Sachsen", "Berlin"), KNOWN, "region"),
    Expected("Gemeindegrößenklasse", whole(1, 7), KNOWN, "urban"),
    Expected("Staatsangehörigkeit", one_of("deutsch", "andere"), KNOWN, "nationality"),
    Expected("Familienstand", one_of("ledig", "verheiratet"), KNOWN, "marital status"),
    Expected("Personen im Haushalt", whole(1, 6), KNOWN, "household size"),
    Expected("Haushaltstyp", whole(1, 5), KNOWN, "family"),
    Expected("Bildungsabschluss", whole(1, 6), KNOWN, "education"),
    Expected("Stellung im Beruf", whole(1, 5), KNOWN, "work"),
    Expected("Haushaltsnettoeinkommen", amount(3000), SENSITIVE, "income"),
    Expected("Einkommensgruppe", whole(1, 20), SENSITIVE, "income"),
    Expected("Konfession", one_of("evangelisch", "katholisch", "keine"), BOTH, "religion"),
    Expected("Schwerbehinderung", one_of("ja", "nein"), BOTH, "disability"),
    Expected("Grad der Behinderung", one_of(0, 30, 50, 80), BOTH, "disability"),
    Expected("Pflegegrad", whole(0, 5), BOTH, "disability"),
    Expected("Krankenversicherung", one_of("GKV", "PKV"), SENSITIVE, "insurance"),
    Expected("Krankenhausaufenthalte", whole(0, 3), SENSITIVE, "hospital"),
    Expected("Verweildauer", whole(1, 25), KNOWN, "stay"),
    Expected("Migrationshintergrund", one_of("ja", "nein"), BOTH, "ethnicity"),
    Expected("Gewerkschaftsmitglied", one_of("ja", "nein"), SENSITIVE, "union"),
    Expected("Hochrechnungsfaktor", weight(1000), WEIGHT, "weight"),
    Expected("Haushaltsgewicht", weight(1000), OTHER, "household weight"),
    Expected("Bemerkungen", TOLD, DIRECT),
    Expected("Erhebungsjahr", one_of(2018, 2019), OTHER, "year"),
    Expected("F23_2", whole(1, 4), OTHER, None),
]

DUTCH = [
    Expected("sleutel", code("NL"), DIRECT),
    Expected("geslacht", one_of("man", "vrouw"), KNOWN, "sex"),
    Expected("leeftijdscategorie", one_of("18-24", "25-44", "45-64", "65+"), KNOWN, "age"),
    Expected("gemeentenaam", one_of("Utrecht", "Zeist", "Breda", "Urk"), KNOWN, "municipality"),
    Expected("provincie", one_of("Utrecht", "Zeeland", "Drenthe"), KNOWN, "region"),
    Expected("stedelijkheidsgraad", whole(1, 5), KNOWN, "urban"),
    Expected("burgerlijke staat", one_of("gehuwd", "ongehuwd"), KNOWN, "marital status"),
    Expected("samenstelling huishouden", whole(1, 6), KNOWN, "family"),
    Expected("aantal personen in huishouden", whole(1, 6), KNOWN, "household size"),
    Expected("thuiswonende kinderen", whole(0, 4), KNOWN, "children"),
    Expected("hoogste opleiding", whole(1, 7), KNOWN, "education"),
    Expected("arbeidspositie", whole(1, 5), KNOWN, "work"),
    Expected("besteedbaar inkomen", amount(30_000), SENSITIVE, "income"),
    Expected("inkomensklasse", whole(1, 10), SENSITIVE, "income"),
    Expected("migratieachtergrond", one_of("Nederland", "anders"), BOTH, "ethnicity"),
    Expected("kerkelijke gezindte", one_of("geen", "protestant"), BOTH, "religion"),
    Expected("moeite met lopen", one_of("ja", "nee"), BOTH, "disability"),
    Expected("arbeidsongeschiktheid", one_of("ja", "nee"), BOTH, "disability"),
    Expected("zorgverzekeraar", one_of("A", "B", "C"), SENSITIVE, "insurance"),
    Expected("ziekenhuisopname", one_of("ja", "nee"), SENSITIVE, "hospital"),
    Expected("ligduur", whole(1, 18), KNOWN, "stay"),
    Expected("ervaren gezondheid", one_of("goed", "slecht"), SENSITIVE, "health"),
    Expected("bijstandsuitkering", one_of("ja", "nee"), SENSITIVE, "benefits"),
    Expected("woonsituatie", one_of("koop", "huur"), KNOWN, "home"),
    Expected("wegingsfactor", weight(1), WEIGHT, "weight"),
    Expected("toelichting", TOLD, DIRECT),
    Expected("vraag_9", whole(1, 5), OTHER, None),
]

SPANISH = [
    Expected("folio", with_gaps, DIRECT, "person number"),
    Expected("sexo", one_of("Hombre", "Mujer"), KNOWN, "sex"),
    Expected("edad", whole(0, 95), KNOWN, "age"),
    Expected("entidad federativa", whole(1, 32), KNOWN, "region"),
    Expected("municipio de residencia", whole(1, 90), KNOWN, "municipality"),
    Expected("comunidad autónoma", whole(1, 17), KNOWN, "region"),
    Expected("estado civil", whole(1, 5), KNOWN, "marital status"),
    Expected("parentesco", whole(1, 6), KNOWN, "family"),
    Expected("tamaño del hogar", whole(1, 7), KNOWN, "household size"),
    Expected("número de hijos", whole(0, 5), KNOWN, "children"),
    Expected("nivel de estudios", whole(1, 6), KNOWN, "education"),
    Expected("condición de actividad", whole(1, 3), KNOWN, "work"),
    Expected("ingreso mensual", amount(900), SENSITIVE, "income"),
    Expected("tramo de ingresos", whole(1, 8), SENSITIVE, "income"),
    Expected("creencias", one_of("católica", "ninguna"), BOTH, "religion"),
    Expected("grupo étnico", whole(1, 4), BOTH, "ethnicity"),
    Expected("discapacidad", one_of("sí", "no"), BOTH, "disability"),
    Expected("dificultad para caminar", one_of("sí", "no"), BOTH, "disability"),
    Expected("seguro médico", one_of("IMSS", "privado", "ninguno"), SENSITIVE, "insurance"),
    Expected("días de estancia", whole(1, 20), KNOWN, "stay"),
    Expected("hospitalización", one_of("sí", "no"), SENSITIVE, "hospital"),
    Expected("enfermedad crónica", one_of("no", "diabetes"), SENSITIVE, "health"),
    Expected("tenencia de la vivienda", whole(1, 4), KNOWN, "home"),
    Expected("factor de expansión", whole(100, 4000), WEIGHT, "weight"),
    Expected("observaciones", TOLD, DIRECT),
    Expected("p14_3", whole(1, 5), OTHER, None),
]

# Identifiers under names that say nothing, beside numbers that only differ.
IDENTIFIERS = [
    Expected("sex", one_of("f", "m"), KNOWN, "sex"),
    Expected("a1", uuid, DIRECT),
    Expected("a2", running(1), DIRECT),
    Expected("a3", code("K-"), DIRECT),
    Expected("a4", with_gaps, DIRECT),
    Expected("a5", lambda chance, _: chance.randrange(10**8, 10**9), DIRECT),
    Expected("a6", lambda chance, _: f"{chance.getrandbits(64):016x}", DIRECT),
    Expected("region", running(1), DIRECT),
    Expected("b1", cents, OTHER, None),
    Expected("b2", measured, OTHER, None),
    Expected("b3", amount(40_000), OTHER, None),
    Expected(
        "b4", lambda chance, row: 1_600_000_000 + 7_000 * row + chance.randrange(7_000), OTHER, None
    ),
    Expected("salary", cents, SENSITIVE, "income"),
    Expected("height", lambda chance, _: f"{chance.gauss(170, 9):.4f}", KNOWN, "body"),
]

FILES: dict[str, Sequence[Expected]] = {
    "english_survey": ENGLISH_SURVEY,
    "american_codes": AMERICAN_CODES,
    "english_hospital": ENGLISH_HOSPITAL,
    "english_staff": ENGLISH_STAFF,
    "marketing_survey": MARKETING_SURVEY,
    "french": FRENCH,
    "german": GERMAN,
    "dutch": DUTCH,
    "spanish": SPANISH,
    "identifiers": IDENTIFIERS,
}


def write(columns: Sequence[Expected], path: Path) -> None:
    """Write a file of some columns, the same each time."""
    chance = random.Random(11)
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([column.header for column in columns])
        out.writerows([c.draw(chance, row) for c in columns] for row in range(RECORDS))
