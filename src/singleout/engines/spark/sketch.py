"""Distinct counts by sketches: a pass over the data counts many column sets, nearly exactly.

Spark hashes each value once, its workers add the hashes of each column set to sketches and merge
the sketches of the same set, so that one of each is returned. A sketch of 2^k registers has a
relative standard error of at most 1.04 / 2^(k/2), and of about two thirds of that for sets with
fewer combinations than registers. A missing value is a value like another.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.progress import track
from singleout.engines.spark.session import ends_in_a_sentence, slots, stopped_by_ctrl_c
from singleout.engines.spark.worker import require_version
from singleout.errors import BadChoice
from singleout.kernels.sketches.sketch import (
    FEWEST_REGISTERS,
    MOST_REGISTERS,
    Sketches,
    estimated_counts,
)

__all__ = ["FINEST", "error_of", "registers", "sketched_counts"]


_SPREAD = 1.04  # of one register, Flajolet et al. (2007)
FINEST = _SPREAD / 2 ** (MOST_REGISTERS / 2)
_IN_A_TASK = 1 << 26  # bytes of sketches; more sets take another pass
_IN_A_BLOCK = 1 << 20  # bytes of sketches that are merged at a time, of each task
_TOGETHER = 1 << 26  # and of all tasks
_TASKS = 2  # for each slot: every task sends sketches of all sets

_BLOCKS = "block int, registers binary"


def registers(relative_error: float) -> int:
    """Return the exponent k of the fewest registers, 2^k, that keep the error below a limit.

    >>> registers(0.01), registers(0.05)
    (14, 9)
    """
    if not FINEST <= relative_error < 1:
        raise BadChoice(
            f"approximate must be a relative error from {FINEST:.2g} to below 1, such as 0.01 for "
            f"one per cent, or None for exact counts; not {relative_error!r}."
        )
    return max(FEWEST_REGISTERS, math.ceil(2 * math.log2(_SPREAD / relative_error)))


def error_of(power: int) -> float:
    """Return the relative standard error of a sketch.

    >>> round(error_of(14), 6)
    0.008125
    """
    return _SPREAD / 2 ** (power / 2)


def sketched_counts(frame: Any, column_sets: Sequence[Sequence[str]], power: int) -> I64:
    """Estimate how many distinct combinations each column set of a frame has.

    All sets have the same size; a sketch has 2^power registers.
    """
    at_once = max(1, _IN_A_TASK >> power)
    starts = range(0, len(column_sets), at_once)
    passes = [column_sets[start : start + at_once] for start in starts]
    indexes = {name: index for index, name in enumerate(dict.fromkeys(chain(*column_sets)))}
    with ends_in_a_sentence():
        tasks = _TASKS * slots(frame.sparkSession)
    what = "Counting by sketches"
    return np.concatenate(
        [_one_pass(frame, each, indexes, power, tasks) for each in track(passes, what)]
    )


def _one_pass(
    frame: Any,
    column_sets: Sequence[Sequence[str]],
    indexes: Mapping[str, int],
    power: int,
    tasks: int,
) -> I64:
    from pyspark.sql import functions

    from singleout import __version__

    used = list(dict.fromkeys(chain(*column_sets)))
    numbers = np.array([[used.index(name) for name in names] for names in column_sets])
    # With the index, so that a value has another hash in each column: the errors of similar column
    # sets would be correlated otherwise. A NULL alone does not change a hash.
    hashes = [
        functions.xxhash64(
            functions.lit(indexes[name]), functions.col(name), functions.isnull(name)
        )
        for name in used
    ]
    block = max(1 << 12, min(_IN_A_BLOCK, _TOGETHER // tasks))
    with stopped_by_ctrl_c(frame.sparkSession):
        hashed = frame.select(*hashes).coalesce(tasks)
        blocks = hashed.mapInArrow(_Sketcher(numbers, power, block, __version__), _BLOCKS)
        merged = blocks.groupBy("block").applyInArrow(_merged, _BLOCKS).toArrow()
    if not len(merged):  # no records
        return np.zeros(len(column_sets), dtype=np.int64)
    parts = merged.sort_by("block").column("registers").to_pylist()
    return estimated_counts(np.frombuffer(b"".join(parts), dtype=np.uint8).reshape(-1, 1 << power))


@dataclass(frozen=True)
class _Sketcher:
    """Turn the hashes of the records of a task into blocks of registers of `Sketches`."""

    sets: I64
    power: int
    block: int  # registers in a block
    version: str  # of the package on the driver, which the worker must have as well

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        require_version(self.version)
        kinds = pa.schema([("block", pa.int32()), ("registers", pa.binary())])
        sketches = None
        for batch in batches:
            sketches = sketches or Sketches(self.sets, self.power)
            sketches.add([column.to_numpy().view(np.uint64) for column in batch.columns])
        if sketches is None:
            return
        registers = sketches.registers.reshape(-1)
        for number, begin in enumerate(range(0, len(registers), self.block)):
            content = registers[begin : begin + self.block].tobytes()
            yield pa.RecordBatch.from_pylist([{"block": number, "registers": content}], kinds)


def _merged(blocks: Any) -> Any:
    """Merge the same block of several tasks: the larger of each register."""
    import pyarrow as pa

    first, *others = blocks.column("registers")
    registers = np.frombuffer(first.as_buffer(), dtype=np.uint8).copy()
    for other in others:
        np.maximum(registers, np.frombuffer(other.as_buffer(), dtype=np.uint8), out=registers)
    row = {"block": blocks.column("block")[0].as_py(), "registers": registers.tobytes()}
    return pa.Table.from_pylist([row], blocks.schema)  # Spark requires its own schema
