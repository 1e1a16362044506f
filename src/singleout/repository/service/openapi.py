"""The OpenAPI 3.1 document: routes as FastAPI knows them, and the bodies that are parsed here."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from singleout.repository.documents.submission import Submission
from singleout.repository.service.answered import ProblemDocument
from singleout.repository.service.asked import (
    ChargeQuestion,
    ComposeQuestion,
    PredictQuestion,
    QueryQuestion,
    SearchQuestion,
)
from singleout.repository.service.problems import PROBLEM

__all__ = ["DESCRIPTION", "full_document"]

DESCRIPTION = (
    "Data holders publish how heterogeneous a quasi-identifier is in a population; others ask "
    "how many people would be alone, before anything is collected."
)
_BODIES = (
    ChargeQuestion,
    ComposeQuestion,
    PredictQuestion,
    ProblemDocument,
    QueryQuestion,
    SearchQuestion,
    Submission,
)
_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "An API token, for records that are not public.",
}
_PURPOSE = {
    "name": "Purpose",
    "in": "header",
    "required": False,
    "description": "What records that are not public are read for.",
    "schema": {"type": "string", "minLength": 5, "maxLength": 200, "pattern": "^[ -~]*$"},
}


_REF = "#/components/{}"


def full_document(app: FastAPI) -> dict[str, Any]:
    """Return the document of all routes."""
    document = get_openapi(
        title=app.title,
        version=app.version,
        openapi_version="3.1.0",
        description=app.description,
        routes=app.routes,
    )
    _, found = models_json_schema(
        [(model, "validation") for model in _BODIES],
        ref_template=_REF.format("schemas/{model}"),
    )
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for name, schema in found["$defs"].items():
        schemas.setdefault(name, schema)
    components["schemas"] = dict(sorted(schemas.items()))
    components["securitySchemes"] = {"token": _TOKEN}
    document["security"] = [{}, {"token": []}]
    components["parameters"] = {"Purpose": _PURPOSE}
    shared: dict[str, Any] = {}
    components["responses"] = shared
    for path in document["paths"].values():
        for operation in path.values():
            operation.setdefault("parameters", []).append(
                {"$ref": _REF.format("parameters/Purpose")}
            )
            _share_refusals(operation["responses"], shared)
    return document


def _share_refusals(responses: dict[str, Any], shared: dict[str, Any]) -> None:
    """Write each refusal once, since most routes have the same."""
    for status, response in responses.items():
        if PROBLEM in response.get("content", ()):
            shared.setdefault(f"Refused{status}", response)
            responses[status] = {"$ref": _REF.format(f"responses/Refused{status}")}
