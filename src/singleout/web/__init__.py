"""The web application: pages over the public functions, for people who do not program.

It runs on one machine, for one user or a few, and sends nothing anywhere.
"""

from importlib.util import find_spec

from singleout.errors import MissingDependency

for _package in ("fastapi", "uvicorn", "python_multipart"):
    if find_spec(_package) is None:
        raise MissingDependency(
            f"The web application needs the package {_package!r}, which is not installed; run: "
            'pip install "singleout[web]"'
        )
