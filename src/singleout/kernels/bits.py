"""Words of bits: popcount, lowest bit, and bitwise operations on several words at once.

Numba has none of them; each is an instruction of the processor. Indices are not checked, and never
count from the end.
"""

# ruff: noqa: ARG001 - numba calls these functions by position
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import config, types
from numba.extending import intrinsic

__all__ = [
    "add_apart_bytes",
    "add_apart_four",
    "copy_two",
    "load",
    "lowest",
    "meet_four",
    "merge_four",
    "note_four",
    "or_four",
    "or_two",
    "popcount",
]

Generator = Callable[[Any, Any, Any, Any], Any]
Words = Callable[[int], Any]


def _plain_popcount(word: Any) -> Any:
    return np.uint64(int(word).bit_count())


def _plain_lowest(word: Any) -> Any:
    return (int(word) & -int(word)).bit_length() - 1


def _plain_note_four(into: Any, index: Any, words: Any, begin: Any) -> None:
    for w in range(4):
        word = words[begin + w]
        into[index + 4 + w] |= into[index + w] & word
        into[index + w] |= word


def _plain_merge_four(into: Any, index: Any, words: Any, begin: Any) -> None:
    for w in range(4):
        word = words[begin + w]
        into[index + 4 + w] |= words[begin + 4 + w] | (into[index + w] & word)
        into[index + w] |= word


def _plain_add_apart_bytes(sums: Any, index: Any, word: Any, weight: Any) -> None:
    for byte in range(8):
        if int(word) >> 8 * byte & 0xFF == 0:
            sums[index + byte] += weight


def _plain_add_apart_four(
    sums: Any, index: Any, masks: Any, one: Any, other: Any, weight: Any
) -> None:
    for w in range(4):
        if masks[one + w] & masks[other + w] == 0:
            sums[index + w] += weight


def _plain_meet_four(one: Any, index: Any, other: Any, begin: Any) -> bool:
    return any(one[index + w] & other[begin + w] for w in range(4))


def _plain_load(array: Any, index: Any) -> Any:
    return array[index]


def _plain_words(width: int, *, over: bool) -> Callable[[Any, Any, Any, Any], None]:
    def put_words(into: Any, index: Any, words: Any, begin: Any) -> None:
        for w in range(width):
            word = words[begin + w]
            into[index + w] = word if over else into[index + w] | word

    return put_words


def _popcount(typing_context: Any, word: Any) -> tuple[Any, Generator]:
    """Return how many bits of a word are set."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), generate


def _lowest(typing_context: Any, word: Any) -> tuple[Any, Generator]:
    """Return the index of the lowest bit that is set, in a word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.uint64), generate


def _load(typing_context: Any, array: Any, index: Any) -> tuple[Any, Generator]:
    """Return one element of a flat array."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]]))

    return array.dtype(array, types.int64), generate


def _meet_four(
    typing_context: Any, one: Any, index: Any, other: Any, begin: Any
) -> tuple[Any, Generator]:
    """Return whether four words of a flat array have a bit in common with four of another."""
    vector = ir.VectorType(ir.IntType(64), 4)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def words(which: int) -> Any:
            data = context.make_array(signature.args[which])(context, builder, args[which]).data
            at = builder.gep(data, [args[which + 1]])
            return builder.load(builder.bitcast(at, vector.as_pointer()), align=8)

        common = builder.and_(words(0), words(2))
        some = builder.icmp_unsigned("!=", common, ir.Constant(vector, [0] * 4))
        flags = builder.bitcast(some, ir.IntType(4))
        return builder.icmp_unsigned("!=", flags, ir.Constant(ir.IntType(4), 0))

    return types.boolean(one, types.int64, other, types.int64), generate


def _add_where(builder: Any, at: Any, where: Any, lanes: int, weight: Any) -> None:
    """Add a weight to some of the words from an address on: where a vector of flags is set."""
    vector = ir.VectorType(ir.IntType(64), lanes)
    at = builder.bitcast(at, vector.as_pointer())
    spread = ir.Constant(vector, ir.Undefined)
    for lane in range(lanes):
        spread = builder.insert_element(spread, weight, ir.Constant(ir.IntType(32), lane))
    added = builder.and_(builder.sext(where, vector), spread)
    builder.store(builder.add(builder.load(at, align=8), added), at, align=8)


def _add_apart_bytes(
    typing_context: Any, sums: Any, index: Any, word: Any, weight: Any
) -> tuple[Any, Generator]:
    """Add a weight to each of eight sums whose byte of a word is zero."""
    vector = ir.VectorType(ir.IntType(8), 8)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        bytes_ = builder.bitcast(args[2], vector)
        where = builder.icmp_unsigned("==", bytes_, ir.Constant(vector, [0] * 8))
        _add_where(builder, builder.gep(data, [args[1]]), where, 8, args[3])
        return context.get_dummy_value()

    return types.void(sums, types.int64, types.uint64, types.int64), generate


def _add_apart_four(
    typing_context: Any, sums: Any, index: Any, masks: Any, one: Any, other: Any, weight: Any
) -> tuple[Any, Generator]:
    """Add a weight to each of four sums whose two words of a flat array have no bit in common."""
    vector = ir.VectorType(ir.IntType(64), 4)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        masked = context.make_array(signature.args[2])(context, builder, args[2]).data

        def words(begin: Any) -> Any:
            at = builder.bitcast(builder.gep(masked, [begin]), vector.as_pointer())
            return builder.load(at, align=8)

        common = builder.and_(words(args[3]), words(args[4]))
        where = builder.icmp_unsigned("==", common, ir.Constant(vector, [0] * 4))
        _add_where(builder, builder.gep(data, [args[1]]), where, 4, args[5])
        return context.get_dummy_value()

    place = types.int64
    return types.void(sums, place, masks, place, place, types.int64), generate


def _words(width: int, put: Callable[[Any, Words, Words], None]) -> Any:
    """Return a function that writes ``width`` words of a flat array to an index of another.

    ``put`` gets the builder, and what gives the address of the target and the words, from some
    words on.
    """
    vector = ir.VectorType(ir.IntType(64), width).as_pointer()

    def put_words(
        typing_context: Any, into: Any, index: Any, words: Any, begin: Any
    ) -> tuple[Any, Generator]:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            def address(which: int, further: int) -> Any:
                kind = signature.args[which]
                data = context.make_array(kind)(context, builder, args[which]).data
                at = builder.gep(data, [args[which + 1]])
                at = builder.gep(at, [ir.Constant(ir.IntType(64), further)])
                return builder.bitcast(at, vector)

            def loaded(further: int) -> Any:
                return builder.load(address(2, further), align=8)

            put(builder, lambda further: address(0, further), loaded)
            return context.get_dummy_value()

        return types.void(into, types.int64, words, types.int64), generate

    return put_words


def _copy(builder: Any, target: Words, words: Words) -> None:
    builder.store(words(0), target(0), align=8)


def _or(builder: Any, target: Words, words: Words) -> None:
    builder.store(builder.or_(words(0), builder.load(target(0), align=8)), target(0), align=8)


def _note(builder: Any, target: Words, words: Words) -> None:
    """Add the words to those seen, and bits seen before to the four words that follow."""
    seen, further = builder.load(target(0), align=8), words(0)
    again = builder.or_(builder.load(target(4), align=8), builder.and_(seen, further))
    builder.store(again, target(4), align=8)
    builder.store(builder.or_(seen, further), target(0), align=8)


def _merge(builder: Any, target: Words, words: Words) -> None:
    """Add words seen, and those seen again after them, to words of the same kind."""
    seen, further = builder.load(target(0), align=8), words(0)
    again = builder.or_(builder.load(target(4), align=8), builder.and_(seen, further))
    builder.store(builder.or_(again, words(4)), target(4), align=8)
    builder.store(builder.or_(seen, further), target(0), align=8)


if config.DISABLE_JIT:
    popcount: Any = _plain_popcount
    lowest: Any = _plain_lowest
    load: Any = _plain_load
    meet_four: Any = _plain_meet_four
    copy_two: Any = _plain_words(2, over=True)
    or_two: Any = _plain_words(2, over=False)
    or_four: Any = _plain_words(4, over=False)
    note_four: Any = _plain_note_four
    merge_four: Any = _plain_merge_four
    add_apart_bytes: Any = _plain_add_apart_bytes
    add_apart_four: Any = _plain_add_apart_four
else:
    popcount = intrinsic(_popcount)
    lowest = intrinsic(_lowest)
    load = intrinsic(_load)
    meet_four = intrinsic(_meet_four)
    copy_two = intrinsic(_words(2, _copy))
    or_two = intrinsic(_words(2, _or))
    or_four = intrinsic(_words(4, _or))
    note_four = intrinsic(_words(4, _note))
    merge_four = intrinsic(_words(4, _merge))
    add_apart_bytes = intrinsic(_add_apart_bytes)
    add_apart_four = intrinsic(_add_apart_four)
