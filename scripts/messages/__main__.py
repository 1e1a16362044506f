"""List the messages of errors that lack a translation, and translations that nothing needs.

python scripts/messages          what is lacking, as entries to fill in
python scripts/messages --all    every template with the place that has it
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from messages.compare import lacking, package_messages, unused


def main() -> None:
    found = package_messages()
    if "--all" in sys.argv:
        for key, entry in {**found.whole, **found.phrases}.items():
            print(f"{entry.where}\t{key}")
        return
    for key, entry in lacking(found, "fr").items():
        print(f"# {entry.where}, {' '.join(entry.kinds)}\n{key!r} = ''")
    for key in unused(found, "fr"):
        print(f"# nothing says this any more: {key}")


main()
