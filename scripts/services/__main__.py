"""Start a service until it is interrupted: ``python scripts/services postgresql``."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

# run as a folder, the package has no name until its parent can be imported from
sys.path[0] = str(Path(__file__).resolve().parents[1])

from services import mariadb, postgresql, spark  # noqa: E402
from services.processes import NotInstalled  # noqa: E402


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("service", choices=["postgresql", "mariadb", "spark"])
    words.add_argument("--workers", type=int, default=2, help="of the Spark cluster")
    words.add_argument("--cores", type=int, default=1, help="of each worker")
    words.add_argument("--memory", default="1g", help="of each worker")
    asked = words.parse_args()
    if asked.service == "spark":
        service = spark.running(asked.workers, asked.cores, asked.memory)
    else:
        service = postgresql.running() if asked.service == "postgresql" else mariadb.running()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with service as url:
            print(url, flush=True)
            signal.pause()
    except NotInstalled as reason:
        sys.exit(str(reason))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
