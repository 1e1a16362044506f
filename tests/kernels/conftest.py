from collections.abc import Iterator

import pytest

from singleout.kernels import compiling


@pytest.fixture(autouse=True, scope="session")
def compiled_loops_from_the_first_call_on() -> Iterator[None]:
    """Test the loops, also where none was compiled before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "SMALL_WORK", 0)
        yield
