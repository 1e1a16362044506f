"""The Spark session that counts: the frame's own, the active one, or one started here."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from uuid import uuid4

from singleout.core.progress import working_on
from singleout.errors import (
    BadChoice,
    MissingDependency,
    SingleoutError,
    UnreachableData,
    UnusableTable,
)

__all__ = [
    "ends_in_a_sentence",
    "is_connect",
    "is_frame",
    "is_session",
    "require_pyspark",
    "session_for",
    "slots",
    "stopped_by_ctrl_c",
]

_CONDITION = re.compile(r"[A-Z][A-Z0-9_.]{2,80}")
_SPREAD_ROWS = 100_000  # that a session spreads over all its slots


# ---- which session


def require_pyspark() -> None:
    """Raise an error that names what to install if pyspark is missing."""
    try:
        import pyarrow  # noqa: F401
        import pyspark.sql  # noqa: F401
    except ImportError as error:
        raise MissingDependency(
            f"Counting on Spark needs the package {error.name!r}, which is not installed; run: "
            'pip install "singleout[spark]"'
        ) from None
    quietly()


def quietly() -> None:
    """Ignore the warning of pyspark that it was not tested with a newer pandas.

    Nothing here uses pandas. The filter is set with each question, since callers may reset filters.
    """
    warnings.filterwarnings(
        "ignore", message="PySpark does not yet fully support pandas", category=FutureWarning
    )


def is_frame(data: Any) -> bool:
    """Whether this is a Spark frame, classic or over Connect."""
    return _is(data, "DataFrame")


def is_session(data: Any) -> bool:
    """Whether this is a Spark session, classic or over Connect."""
    return _is(data, "SparkSession")


def _is(data: Any, kind: str) -> bool:
    # without importing pyspark, which may be missing
    return any(
        base.__name__ == kind and base.__module__.startswith("pyspark.sql")
        for base in type(data).__mro__
    )


def is_connect(session: Any) -> bool:
    """Whether a session uses Spark Connect: it has no Spark context then."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def session_for(data: Any, session: Any) -> Any:
    """Return the session of the frame, the one of the user, the active one, or a new one."""
    if is_frame(data):
        own = data.sparkSession
        if session is not None and session is not own:
            raise BadChoice(
                "The frame belongs to another Spark session than the one given; leave session out."
            )
        return own
    if session is not None:
        return session
    from pyspark.sql import SparkSession

    with ends_in_a_sentence():
        return SparkSession.getActiveSession() or _started()


def _started() -> Any:
    """Start Spark on this machine; it is used again and ends with the process."""
    from pyspark.sql import SparkSession

    working_on("Starting Spark on this machine")
    # or the workers would run another Python, without this package
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",  # nothing listens to the network
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.log.level": "ERROR",
    }
    for setting, value in settings.items():
        builder = builder.config(setting, value)
    # a URL in the environment is the user's choice of a cluster
    asked = any(name in os.environ for name in ("SPARK_REMOTE", "MASTER", "SPARK_MASTER"))
    return (builder if asked else builder.master("local[*]")).getOrCreate()


def slots(session: Any) -> int:
    """Return how many tasks the cluster runs at a time."""
    if session.conf.get("spark.dynamicAllocation.enabled", "false") == "true":
        return int(session.conf.get("spark.sql.shuffle.partitions", "200"))  # more may be added
    if not is_connect(session):
        return max(1, int(session.sparkContext.defaultParallelism))
    from pyspark.sql import functions

    # over Connect, only the number of partitions of a range is known
    spread = session.range(_SPREAD_ROWS).select(functions.spark_partition_id())
    return max(1, int(spread.distinct().count()))


@contextmanager
def stopped_by_ctrl_c(session: Any) -> Iterator[None]:
    """Stop what runs for this thread when the user interrupts: over Connect it would go on."""
    tag = f"singleout-{uuid4().hex}"
    with ends_in_a_sentence():
        session.addTag(tag)
        try:
            yield
        except KeyboardInterrupt:
            session.interruptTag(tag)
            raise
        finally:
            session.removeTag(tag)


# ---- errors


@contextmanager
def ends_in_a_sentence() -> Iterator[None]:
    """Turn an error of Spark into one sentence, without hosts, paths and values.

    Errors of this program, and of functions of the user's own frame, pass unchanged.
    """
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]
    from pyspark.errors import PySparkException

    quietly()
    try:
        yield
    except SingleoutError:
        raise
    except (PySparkException, Py4JError, ConnectionError, EOFError) as error:
        sentence = _sentence(error)
        if sentence is None:
            raise
        _raise_alone(sentence)
    except Exception as error:
        if type(error).__module__.partition(".")[0] == "grpc":
            _raise_alone(UnreachableData(_GONE))
        raise


def _raise_alone(sentence: SingleoutError) -> NoReturn:
    """Raise an error without that of Spark as its context, whose text has paths and values."""
    try:
        raise sentence
    finally:
        sentence.__context__ = None


def _sentence(error: Exception) -> SingleoutError | None:
    from py4j.protocol import Py4JNetworkError
    from pyspark.errors import AnalysisException, PySparkException, PythonException

    text = str(error)
    other = _OTHER_VERSION.search(text)
    if other or "No module named 'singleout" in text or _OTHER_CODE.search(text):
        return MissingDependency(other[0] if other else _NO_PACKAGE)
    if "MALFORMED_CSV_RECORD" in text or "MALFORMED_RECORD_IN_PARSING" in text:
        return UnusableTable(_RAGGED)
    for mark, sentence in _KNOWN.items():
        if mark in text:
            return UnreachableData(sentence)
    if isinstance(error, PythonException | AnalysisException):
        return None
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    if condition and _CONDITION.fullmatch(condition):
        return UnreachableData(_CONDITION_REPORTED.format(condition=condition))
    gone = isinstance(error, Py4JNetworkError | ConnectionError | EOFError)
    return UnreachableData(_GONE if gone else _FAILED)


_NO_PACKAGE = (
    "The workers of the Spark cluster do not have the package singleout: install the same version "
    "of it on every worker, for the Python that PYSPARK_PYTHON names."
)
# in the error of a worker with another version
_OTHER_CODE = re.compile(r"Can't get attribute '\w+' on <module 'singleout\.")
_OTHER_VERSION = re.compile(r"The workers of the Spark cluster have singleout .* everywhere\.")
_RAGGED = (
    "A line of the text has fewer or more cells than the header, or a cell goes on over several "
    "lines; correct it, save the table as Parquet, or give a Spark frame."
)
_GONE = (
    "Spark does not answer any more: its session has ended or its cluster cannot be reached; start "
    "a session and ask again."
)
_CANCELLED = "The Spark job was cancelled from outside."
_FAILED = "Spark gave up on a job; the reason is in the log of its driver and of its executors."
_CONDITION_REPORTED = "Spark gave up on a job and reports {condition}; its log says more."
# by a text in the error of Spark, the most telling first
_KNOWN = {
    "OutOfMemoryError": "Spark ran out of memory; give its executors and its driver more, or ask "
    "for fewer columns.",
    "MemoryError": "A worker of Spark ran out of memory; give it more, run fewer tasks at a time "
    "on a machine, or ask for fewer columns.",
    "maxResultSize": "The answers of a Spark job are larger than its driver accepts; raise "
    "spark.driver.maxResultSize.",
    "ExecutorLostFailure": "Spark lost its executors again and again and gave up on a job; look at "
    "the log of its workers, which may have run out of memory.",
    "stopped SparkContext": _GONE,
    "SparkContext was shut down": _GONE,
    "SESSION_CLOSED": _GONE,
    "SESSION_NOT_FOUND": _GONE,
    "UNAVAILABLE": _GONE,
    "cancelled": _CANCELLED,
    "OPERATION_CANCELED": _CANCELLED,
}
