"""Write the OpenAPI document of the service: docs/reference/repository-openapi.json."""

from __future__ import annotations

import json
from pathlib import Path

from singleout.repository.service.app import create_app

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "repository-openapi.json"


def main() -> None:
    document = create_app("unused.sqlite").openapi()
    PAGE.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
