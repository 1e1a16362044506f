"""Charts in the browser: the same as everywhere, drawn by the scripts that vl-convert carries.

Vega turns expressions into functions, which the content security policy forbids; its interpreter,
which is in the same bundle, does without. Making the bundle takes seconds, so it is kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from singleout.web.locks import held

__all__ = ["chart_text", "vega_file"]


def chart_text(chart: Any) -> str:
    """Return a chart as the text of a JSON document, to be put into a page by the macro `chart`."""
    # the charts are checked by their tests; here it would take longer than everything else
    spec = chart.to_dict(validate=False)
    spec.pop("$schema", None)
    return json.dumps(spec)


def vega_file(folder: Path) -> Path:
    """Return the file of the script that draws charts; it is made if need be."""
    path = _kept_in(folder)
    if path.exists():
        return path
    with held(folder / "vega.lock"):
        if not path.exists():
            _make(path)
    return path


def _kept_in(folder: Path) -> Path:
    """Return where the script is kept: for all servers of this user, or for this one only."""
    from importlib.metadata import version

    name = f"vega-{version('vl-convert-python')}.js"
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA") or "~/.cache"
    own = Path(base).expanduser() / "singleout"
    try:
        own.mkdir(parents=True, exist_ok=True)
    except OSError:
        return folder / name
    return own / name if os.access(own, os.W_OK) else folder / name


def _make(path: Path) -> None:
    import vl_convert

    from singleout.web.workspaces import replace_text

    bundle: Any = vl_convert.javascript_bundle  # its stub asks for what it does without
    replace_text(path, str(bundle()))
