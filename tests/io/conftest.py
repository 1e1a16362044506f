from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(content: bytes, name: str = "people.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return written
