"""Distinct counts by sketches: a pass over the data counts many column sets, nearly exactly.

Spark hashes each value once, its workers put the hashes of each column set into sketches, and
those of the same set are put together on the workers too, so that one of each comes back. A sketch
of 2^k registers has a relative standard error of at most 1.04 / 2^(k/2), and of about two thirds of
that for sets with fewer combinations than registers. A missing value is a value like another.
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
_IN_A_TASK = 1 << 26  # bytes of sketches: what does not fit takes another pass
_IN_A_BLOCK = 1 << 20  # bytes of sketches that are put together at a time, of each task
_TOGETHER = 1 << 26  # and of all tasks
_TASKS = 2  # for each slot: every task sends sketches of all sets

_BLOCKS = "block int, registers binary"


def registers(relative_error: float) -> int:
    """Return how many registers, as a power of two, keep the error below what is asked for.

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
    """Return about how many distinct combinations each column set has.

    Parameters
    ----------
    frame
        The Spark frame.
    column_sets
        The columns of each set, by their names in the frame; all sets of the same size.
    power
        How many registers a sketch has, as a power of two.
    """
    at_once = max(1, _IN_A_TASK >> power)
    passes = [column_sets[at : at + at_once] for at in range(0, len(column_sets), at_once)]
    places = {name: place for place, name in enumerate(dict.fromkeys(chain(*column_sets)))}
    with ends_in_a_sentence():
        tasks = _TASKS * slots(frame.sparkSession)
    what = "Counting by sketches"
    return np.concatenate(
        [_one_pass(frame, each, places, power, tasks) for each in track(passes, what)]
    )


def _one_pass(
    frame: Any,
    column_sets: Sequence[Sequence[str]],
    places: Mapping[str, int],
    power: int,
    tasks: int,
) -> I64:
    from pyspark.sql import functions

    from singleout import __version__

    used = list(dict.fromkeys(chain(*column_sets)))
    numbers = np.array([[used.index(name) for name in names] for names in column_sets])
    # With the place, so that the same value has another hash in each column: sets of columns that
    # look alike would all be wrong together. The hash of a NULL would be that of nothing at all.
    hashes = [
        functions.xxhash64(functions.lit(places[name]), functions.col(name), functions.isnull(name))
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
    """Sketch the records of a task: their hashes come in, blocks of registers go out.

    Parameters
    ----------
    sets, power
        As `Sketches` takes them.
    block
        How many registers a block has.
    version
        The version of this package that asks; the worker's must be the same.
    """

    sets: I64
    power: int
    block: int
    version: str

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
    """Put the same block of several tasks together: the larger of each register."""
    import pyarrow as pa

    found = blocks.column("registers")
    registers = np.frombuffer(found[0].as_buffer(), dtype=np.uint8).copy()
    for other in found[1:]:
        np.maximum(registers, np.frombuffer(other.as_buffer(), dtype=np.uint8), out=registers)
    row = {"block": blocks.column("block")[0].as_py(), "registers": registers.tobytes()}
    return pa.Table.from_pylist([row], blocks.schema)  # Spark insists on its kind of bytes
