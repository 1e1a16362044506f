"""Count on a Spark cluster, where the data is: frames of any size, classic or over Connect."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from singleout.core.arguments import whole
from singleout.engines.sql.urls import is_database_url
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.where.condition import Condition

__all__ = ["Spark"]

_LARGEST_BROADCAST = 512_000_000


@dataclass(frozen=True)
class Spark:
    """The engine that counts on a Spark cluster, with its options.

    Parameters
    ----------
    session
        The Spark session. If not given, that of the frame, the active one, or one that is started
        on this machine and ends with the process.
    checkpoint
        A folder where finished tasks of long searches are kept: after the program was ended, the
        same question on the same data goes on where it stopped. None for no such folder.
    approximate
        The relative error that distinct counts may have, such as 0.01: then they are counted by
        sketches, many column sets in one pass. None for exact counts.
    largest_broadcast
        How many bytes of encoded columns may be sent to every worker; with more, distinct counts
        are left to Spark SQL.

    Examples
    --------
    >>> import singleout as so
    >>> so.Spark(checkpoint="unfinished", approximate=0.01)
    Spark(checkpoint='unfinished', approximate=0.01, largest_broadcast=512000000)
    """

    name: ClassVar[str] = "spark"
    accepts: ClassVar[str] = "a Spark frame, or the path of files that the cluster can read"

    session: Any = field(default=None, repr=False)
    checkpoint: str | os.PathLike[str] | None = None
    approximate: float | None = None
    largest_broadcast: int = _LARGEST_BROADCAST

    def __post_init__(self) -> None:
        from singleout.engines.spark.session import is_session
        from singleout.engines.spark.sketch import registers

        if self.session is not None and not is_session(self.session):
            raise BadChoice(
                f"session must be a Spark session, not a {type(self.session).__name__}; leave it "
                "out for the one that is active."
            )
        if self.checkpoint is not None and not isinstance(self.checkpoint, str | os.PathLike):
            raise BadChoice(f"checkpoint must be the path of a folder, not {self.checkpoint!r}.")
        if self.approximate is not None:
            if isinstance(self.approximate, bool) or not isinstance(self.approximate, float):
                raise BadChoice(
                    "approximate must be a relative error such as 0.01, or None for exact counts, "
                    f"not {self.approximate!r}."
                )
            registers(self.approximate)
        whole(self.largest_broadcast, "largest_broadcast", at_least=0, of="bytes")

    @staticmethod
    def claims(data: Any) -> bool:
        """Whether data is a Spark frame."""
        return type(data).__module__.partition(".")[0] == "pyspark"

    @staticmethod
    def takes(data: Any) -> bool:
        """Whether the engine can count data if a user selects it: files as well."""
        if Spark.claims(data):
            return True
        return isinstance(data, str | os.PathLike) and not is_database_url(os.fsdecode(data))

    def counter(
        self,
        data: Any,
        where: Condition | None = None,
        columns: Sequence[str] | None = None,  # noqa: ARG002 - columns not asked about cost nothing
    ) -> Counter:
        """Return what counts a table where it is.

        Parameters
        ----------
        data
            A Spark frame, or a path that the cluster can read: Parquet files, or delimited text,
            which stays text.
        where
            The condition that records must meet.
        columns
            The columns that will be asked about.
        """
        from singleout.engines.spark.session import require_pyspark, session_for

        require_pyspark()
        from singleout.engines.checkpoint import Checkpoint
        from singleout.engines.spark.counter import SparkCounter
        from singleout.engines.spark.frame import open_table

        checkpoint = None if self.checkpoint is None else Checkpoint.at(self.checkpoint)
        table = open_table(session_for(data, self.session), data, where)
        return SparkCounter(
            table,
            checkpoint=checkpoint,
            approximate=self.approximate,
            largest_broadcast=self.largest_broadcast,
        )
