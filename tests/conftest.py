"""Where the real data is, and how hypothesis runs here."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# the first call of a kernel compiles it, so no deadline
settings.register_profile(
    "singleout",
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("singleout")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure() -> None:
    # several threads even where there is one core: they must not change any answer
    os.environ.setdefault("SINGLEOUT_THREADS", "2")
    # what is expected is in English, whoever runs the tests
    os.environ["SINGLEOUT_LANGUAGE"] = "en"
    # keys and what was seen of repositories are not those of whoever runs the tests
    folder = tempfile.mkdtemp(prefix="singleout-tests-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["SINGLEOUT_STATE"] = folder
    os.environ["SINGLEOUT_KEY"] = f"{folder}/holder.key"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of Spark first, then those of databases, in whatever order they are.

    With ``--dist worksteal`` a process gets a run of neighbours. Together they need few servers,
    and the quick tests at the end are what an idle process can take over. It should not have to
    start Spark once more, which takes twenty seconds of a core.
    """
    items.sort(key=_cost_to_take_over, reverse=True)


def _cost_to_take_over(item: pytest.Item) -> int:
    if item.path.parent.name != "engines":
        return 0
    return 2 if "spark" in item.nodeid else 1


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real data sets beside the project."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("needs the real data sets in ../shared/data")
    return folder


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder of verified values beside the project."""
    folder = SHARED / "spec"
    if not folder.is_dir():
        pytest.skip("needs the verified values in ../shared/spec")
    return folder
