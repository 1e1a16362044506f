"""Codebooks (DDI) and catalogues (DCAT) from elsewhere: what is taken from them, what is not."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from singleout.errors import UnreadableFile
from singleout.repository.inventories.dcat import read_dcat
from singleout.repository.inventories.ddi import read_ddi
from singleout.repository.inventories.description import DescribedColumn

CODEBOOK = """<?xml version="1.0" encoding="UTF-8"?>
<codeBook xmlns="ddi:codebook:2_5" version="2.5">
  <stdyDscr>
    <citation>
      <titlStmt><titl>Visitors of
        concert halls</titl></titlStmt>
      <prodStmt><producer>Institute of Examples</producer></prodStmt>
    </citation>
    <stdyInfo><sumDscr><universe>Adults in Amsterdam</universe></sumDscr></stdyInfo>
  </stdyDscr>
  <dataDscr>
    <var ID="V1" name="pc4"><labl>Postcode, four digits</labl></var>
    <var ID="V2" name="sex"><labl>Sex</labl>
      <catgry><catValu>1</catValu><labl>Male</labl></catgry>
      <catgry><catValu>2</catValu><labl>Female</labl></catgry>
      <catgry missing="Y"><catValu>9</catValu></catgry>
    </var>
    <var ID="V3" name="age"/>
  </dataDscr>
</codeBook>
"""


def written(folder: Path, text: str | bytes, name: str = "codebook.xml") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_a_codebook_gives_its_title_holder_universe_and_variables(tmp_path: Path) -> None:
    found = read_ddi(written(tmp_path, CODEBOOK))
    assert found.title == "Visitors of concert halls"
    assert found.holder == "Institute of Examples"
    assert found.universe == "Adults in Amsterdam"
    assert found.columns == (
        DescribedColumn("pc4", "Postcode, four digits"),
        DescribedColumn("sex", "Sex", 2),
        DescribedColumn("age"),
    )


def test_an_older_codebook_without_a_namespace_is_read_too(tmp_path: Path) -> None:
    text = CODEBOOK.replace(' xmlns="ddi:codebook:2_5"', "")
    assert len(read_ddi(written(tmp_path, text)).columns) == 3


@pytest.mark.parametrize(
    "entity",
    [
        '<!DOCTYPE codeBook [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE codeBook SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ],
)
def test_a_document_type_is_refused_before_any_entity_is_read(tmp_path: Path, entity: str) -> None:
    text = CODEBOOK.replace("<codeBook", f"{entity}\n<codeBook", 1).replace("Sex", "&x;")
    with pytest.raises(UnreadableFile, match="has a document type"):
        read_ddi(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not an XML file"),
        ("name,age\n1,2\n", "is not an XML file"),
        (CODEBOOK[:400], "is not an XML file"),
        ("<html><body/></html>", "is no DDI codebook"),
        (b'<?xml version="1.0" encoding="no-such"?><codeBook/>', "is not an XML file"),
        ("<a>" * 200, "nested too deeply"),
        (b"\x00\xff\xfe", "is not an XML file"),
    ],
)
def test_what_is_no_codebook_is_refused_with_a_sentence(
    tmp_path: Path, text: str | bytes, sentence: str
) -> None:
    with pytest.raises(UnreadableFile, match=sentence):
        read_ddi(written(tmp_path, text))


def test_a_missing_file_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match=r"No such file"):
        read_ddi(tmp_path / "absent.xml")


def test_a_codebook_of_thousands_of_variables_is_read_at_once(tmp_path: Path) -> None:
    variables = "".join(f'<var name="v{i}"><labl>{"x" * 50}</labl></var>' for i in range(5000))
    text = f"<codeBook><dataDscr>{variables}</dataDscr></codeBook>"
    start = time.monotonic()
    assert len(read_ddi(written(tmp_path, text)).columns) == 5000
    assert time.monotonic() - start < 5


# ---- DCAT

CATALOGUE: dict[str, Any] = {
    "@context": "http://example.invalid/context.jsonld",
    "@graph": [
        {
            "@id": "urn:set",
            "@type": "dcat:Dataset",
            "dct:title": [
                {"@value": "Inwoners", "@language": "nl"},
                {"@value": "Residents", "@language": "en"},
            ],
            "dct:publisher": {"@id": "urn:office"},
            "dct:spatial": {"rdfs:label": "Amsterdam"},
            "dcat:distribution": [{"@id": "urn:file"}],
        },
        {"@id": "urn:office", "foaf:name": "Registry office"},
        {
            "@id": "urn:file",
            "@type": "dcat:Distribution",
            "csvw:tableSchema": {
                "csvw:column": {
                    "@list": [{"csvw:name": "PC4"}, {"csvw:name": "sex", "dct:description": "Sex"}]
                }
            },
        },
        {"@type": ["dcat:Dataset"], "dct:title": "Another, without columns"},
    ],
}


def test_a_catalogue_gives_the_data_sets_that_name_their_columns(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(CATALOGUE), "catalogue.jsonld")
    (found,) = read_dcat(path)
    assert (found.title, found.holder, found.universe) == (
        "Residents",
        "Registry office",
        "Amsterdam",
    )
    assert found.columns == (DescribedColumn("PC4"), DescribedColumn("sex", "Sex"))


def test_frictionless_fields_and_full_addresses_are_understood(tmp_path: Path) -> None:
    one = {
        "@type": "http://www.w3.org/ns/dcat#Dataset",
        "http://purl.org/dc/terms/title": "Patients",
        "schema": {"fields": [{"name": "birth_year"}]},
    }
    (found,) = read_dcat(written(tmp_path, json.dumps(one), "x.json"))
    assert found.title == "Patients"
    assert [column.name for column in found.columns] == ["birth_year"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[" * 100 + "]" * 100, "deeper values"),
        ('{"@type": "dcat:Catalog"}', "describes no data set"),
        ('{"@type": "dcat:Dataset", "dct:title": "x"}', "does not say which columns"),
    ],
)
def test_what_is_no_catalogue_is_refused_with_a_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(UnreadableFile, match=sentence):
        read_dcat(written(tmp_path, text, "x.json"))
