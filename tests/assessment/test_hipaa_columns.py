"""Which identifier of Safe Harbor a column holds, and which columns hold none: a table of both."""

from datetime import date, datetime

import pytest

from singleout.assessment.hipaa.check import check
from singleout.assessment.hipaa.examined import examined
from singleout.assessment.hipaa.lists import LETTERS, RESTRICTED_ZIPS, STATE_CODES
from singleout.report.say import words

FIRST = ["James", "Mary", "Robert", "Linda", "Susan", "David", "Karen", "Peter"]
LAST = ["Smith", "Jones", "Miller", "Davis", "Brown", "Moore", "Clark", "Lewis"]
PEOPLE = [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)]
PHONES = [f"617-555-01{i:02}" for i in range(20)]
BARE_PHONES = [f"6175550{i:03}" for i in range(20)]
SSNS = [f"{123 + i}-45-{6789 + i}" for i in range(12)]
VINS = ["1M8GDM9AXKP042788", "1HGCM82633A004352", "5GZCZ43D13S812715", "JH4KA7561PC008269"]
WRONG_VINS = ["1M8GDM9A1KP042788", "1HGCM82603A004352", "5GZCZ43D03S812715", "JH4KA7560PC008269"]
IBANS = ["NL91ABNA0417164300", "DE89370400440532013000", "GB29NWBK60161331926819"]
WRONG_IBANS = ["NL92ABNA0417164300", "DE88370400440532013000", "GB28NWBK60161331926819"]
CARDS = ["4111111111111111", "5500005555555559", "340000000000009", "30000000000004"]
CARDS += ["6011000000000004"]
IMEIS = [
    "352099001761481",
    "358240051111110",
    "867239045512031",
    "013264008845130",
    "356938035643809",
]
WRONG_IMEIS = [f"{imei[:-1]}{(int(imei[-1]) + 1) % 10}" for imei in IMEIS]
CODES = [f"QX{7919 * i % 100_000:05}" for i in range(1, 60)]
SHARED = ["alpha", "beta", "gamma"] * 40
NOTE = "The patient came in with her sister and felt well on the whole"

# name, values, the identifiers
HELD = [
    ("name", PEOPLE, "A"),
    ("patient_name", ["Xqz Wvut", "Abc Defg", "Klm Nopq"], "A"),
    ("surname", LAST, "A"),
    ("q17", PEOPLE, "A"),
    ("street address", ["12 Main St", "9 Oak Ave"], "B"),
    ("q1", ["12 Main Street", "unknown"], "B"),
    ("q1", ["Boston, MA 02139", "elsewhere"], "B"),
    ("city", ["Smallville", "Springfield", "Gotham"], "B"),
    ("q2", ["Boston", "Chicago", "Dallas", "Houston"], "B"),
    ("county", ["Kings", "Queens", "Bronx"], "B"),
    ("census_tract", [10100, 10200, 10300], "B"),
    ("zip", ["02139", "10001", "60601"], "B"),
    ("zip", [2139, 10001, 60601], "B"),  # a leading zero got lost
    ("ZIP code", ["02139-1234", "10001-0001", "60601-9999"], "B"),
    ("zip3", ["021", "036", "100"], "B"),
    ("zip3", [21, 36, 100], "B"),
    ("zip", ["021**", "893**"], "B"),
    ("latitude", [42.1, 43.2, 44.3], "B"),
    ("birth place", ["Springfield", "Shelbyville", "Ogdenville"], "B"),
    ("date of birth", ["1970-03-04", "1981-11-30"], "C"),
    ("visit", [date(2020, 1, 2), date(2020, 3, 4)], "C"),
    ("seen", [datetime(2020, 1, 2, 3, 4), datetime(2020, 3, 4, 5, 6)], "C"),
    ("admission_date", ["3/4/2021", "11/30/2020"], "C"),
    ("admission_date", [44_201, 44_330, 44_012], "C"),  # days since 1900
    ("period", ["2021-03", "2021-04", "2020-12"], "C"),
    ("birth month", [1, 2, 3, 11, 12], "C"),
    ("m", ["January", "March", "May", "June"], "C"),
    ("age", [34, 89, 93], "C"),
    ("age group", ["80-89", "90-94", "95+"], "C"),
    ("year of birth", [1911, 1960, 1990], "C"),
    ("phone", BARE_PHONES, "D"),
    ("q3", PHONES, "D"),
    ("q3", ["call (617) 555-0123", "nothing", "nobody"], "D"),
    ("contact", ["+31 6 12345678", "+44 20 7946 0958"], "D"),
    ("fax", PHONES, "E"),
    ("fax_number", BARE_PHONES, "E"),
    ("email", ["a@example.org"], "F"),
    ("q4", ["none", "none", "mail jane.doe@example.org please"], "F"),
    ("ssn", ["123456789", "123456780", "223456789"], "G"),
    ("ssn_last4", ["6789", "1234", "5678"], "G"),
    ("q5", SSNS, "G"),
    ("q5", ["123-45-6789", "no", "no"], "G"),
    ("mrn", [100_234, 100_777, 101_888], "H"),
    ("q6", ["MRN: 0012345", "no number"], "H"),
    ("member id", ["W1234", "W2345", "W3456"], "I"),
    ("q7", ["1EG4-TE5-MK73", "2AC4-TE5-MK72", "3DE4-TE5-MK71"], "I"),
    ("account number", [998_877, 998_866, 112_233], "J"),
    ("q8", IBANS, "J"),
    ("q8", CARDS, "J"),
    ("driver_license", ["S1234567", "S2345678"], "K"),
    ("certificate no", ["C-1001", "C-1002"], "K"),
    ("vin", WRONG_VINS, "L"),  # Europe gives numbers without a check digit
    ("q9", VINS, "L"),
    ("license plate", ["ABC 123", "XYZ 987"], "L"),
    ("device serial number", ["SN0001", "SN0002"], "M"),
    ("q10", IMEIS, "M"),
    ("imei", IMEIS[:2], "M"),
    ("q10", ["00:1B:44:11:3A:B7", "00:1B:44:11:3A:B8"], "M"),
    ("q10", ["(01)00844588003288", "(01)00844588003289"], "M"),
    ("website", ["example.org/jane", "example.org/john"], "N"),
    ("q11", ["https://example.org/jane", "none"], "N"),
    ("ip address", ["192.0.2.1", "192.0.2.7"], "O"),
    ("q12", ["2001:db8::1", "192.0.2.7"], "O"),
    ("fingerprint", ["0a9f", "77bc", "19dd"], "P"),
    ("photo", ["p1.jpg", "p2.jpg", "p3.jpg"], "Q"),
    ("q13", ["data:image/png;base64,iVBORw0KGgo", "data:image/png;base64,iVBORw0KGgp"], "Q"),
    ("participant id", [f"P{i}" for i in range(30)], "R"),
    ("q14", [f"{i:08x}-1234-4abc-8def-{i:012x}" for i in range(5)], "R"),
    ("q15", CODES, "R"),
    ("passport", ["X1234567", "X7654321"], "R"),
    ("row", list(range(1, 200)), "R"),
    ("notes", [f"{NOTE} on 2021-03-04, call 617-555-0123", NOTE, f"{NOTE} again"], "CD"),
]
NONE = [
    ("year", [2019, 2020, 2021]),
    ("admission year", [2019, 2020, 2021]),
    ("year of birth", [1960, 1990]),
    ("date of birth", [1960, 1990]),
    ("age", list(range(90))),
    ("age", [34, 999]),  # a code for missing
    ("age group", ["0-17", "18-64", "65-89", "90+"]),
    ("age group", ["under 65", "65 to 89", "90 or older"]),
    ("age in months", [91, 95, 100]),
    ("zip3", ["021", "100", "606", "000"]),
    ("zip", ["021**", "100**"]),
    ("state", ["MA", "NY", "TX", "CA"]),
    ("state", ["Massachusetts", "New York", "Texas"]),
    ("q2", ["Massachusetts", "New York", "Texas", "Washington"]),
    ("region", ["Northeast", "Midwest", "South", "West"]),
    ("birth place", ["Mexico", "Canada", "Texas"]),
    ("country", ["France", "Spain", "Italy"]),
    ("residence_type", ["P", "C"]),
    ("q5", ["000-45-6789", "666-45-6789", "123-00-6789", "123-45-0000"]),  # never given out
    ("q5", ["123-456-789", "1234-56-789"]),
    ("q8", WRONG_IBANS),
    ("q9", WRONG_VINS),
    ("q10", WRONG_IMEIS),
    ("q12", ["192.0.2.300", "1.2.3"]),
    ("software version", ["1.2.3.4", "1.2.3.5"]),
    ("has_phone", [0, 1] * 20),
    ("email consent", ["yes", "no"]),
    ("phone_type", ["home", "mobile"]),
    ("photo", ["yes", "no"]),
    ("sex", ["f", "m"]),
    ("income", [12_345, 23_456, 34_567] * 9),
    ("weight", [71.2, 80.1, 65.5]),
    ("diagnosis", ["E11.9", "I10", "J45", "C50", "F32"] * 9),
    ("file name", SHARED),
    ("q16", SHARED),
    ("month_income", [1200, 2300]),
    ("length of stay days", [1, 5, 91]),
    ("account balance", [1200, 3400, 5600]),
    ("urinary tract infection", ["mild", "severe"]),
    ("visit number", list(range(1, 12)) * 5),
    ("house age", [12, 95, 110]),
    ("EC number", ["1.1.1.1", "2.7.11.1"]),
    ("pc", [-1.25, 0.5, 3.75]),
    ("nothing", [None, None]),
    ("empty", ["", " "]),
    ("bp", ["120/80", "130/85"]),
    ("ratio", ["1/2/3", "4/5/6"]),
    ("drug", ["0002-8215-01", "0003-0293-05"]),
]


def _letters(name: str, values: list[object]) -> str:
    counted = {}
    for value in values:
        counted[value] = counted.get(value, 0) + 1
    signs = check(examined(name, counted.items()), this_year=2025)
    return "".join(sorted({sign.letter for sign in signs}))


@pytest.mark.parametrize(("name", "values", "letters"), HELD)
def test_an_identifier_is_recognised(name: str, values: list[object], letters: str) -> None:
    assert _letters(name, values) == letters


@pytest.mark.parametrize(("name", "values"), NONE)
def test_what_may_stay_is_not_an_identifier(name: str, values: list[object]) -> None:
    assert _letters(name, values) == ""


def test_every_identifier_is_recognised_and_has_a_title() -> None:
    assert {letter for _, _, letters in HELD for letter in letters} == set(LETTERS)
    assert list(words("hipaa.identifiers")) == list(LETTERS)
    assert len(LETTERS) == 18


def test_the_areas_with_few_people_are_the_17_of_the_census_of_2000() -> None:
    listed = "036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893"
    assert sorted(RESTRICTED_ZIPS) == listed.split()
    found = check(examined("zip3", [(f"{prefix:03}", 1) for prefix in range(1, 1000)]))
    assert [sign.records for sign in found] == [17]
    assert len(STATE_CODES) == 50 + 6  # with the district and five territories


def test_ages_over_89_are_counted_by_record() -> None:
    signs = check(examined("age", [(89, 10), (90, 3), (101, 2), (None, 5)]))
    assert {sign.records for sign in signs} == {5}


def test_labels_say_what_a_code_for_an_age_means() -> None:
    counted = [(30, 5), (90, 2)]
    assert check(examined("age", counted))
    assert not check(examined("age", counted, labels={90: "90 or older"}))


def test_a_description_says_what_a_name_does_not() -> None:
    counted = [(value, 1) for value in ("S1234567", "S2345678")]
    signs = check(examined("v12", counted, description="driver license"))
    assert [sign.letter for sign in signs] == ["K"]
