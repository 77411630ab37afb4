"""Kernels: copies of strided blocks compiled by Numba, which this module imports.

They work on addresses, in items or runs of bytes, so that one compiled form serves every format of a size, whatever the
strides, and any bits arrive as they are. Python's lock is released meanwhile.

A transposition takes squares of 16 bytes by 16 through registers into a small buffer, whose pitch is no power of two,
and writes whole rows of it. What is read next lies a row away, where no processor looks by itself, so it is asked for.
Rows of large targets *stream* past the caches: an ordinary store first reads the line that it is about to overwrite,
which is a third of the traffic.
"""

from __future__ import annotations

from typing import Any, ClassVar, Final, final

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from mdview.base.frozen_values import value

Array = NDArray[Any]  # Any: of whatever format the items are
Places = NDArray[np.int64]
Forms = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Shape of the planes, and their steps in source and target, in bytes."""
# Numba and llvmlite have no types: what they give and take is Any below.

REGISTER: Final = 16
"""Bytes of a vector register that every processor of today has."""
LINE: Final = 64
"""Bytes of a cache line."""
BUFFER_WIDTH: Final = 1024
"""Bytes of a row of the buffer of a transposition."""
SHORTEST_STREAMED: Final = 256
"""Bytes of a row from which it may be streamed, whatever lies before and after it."""
SHORTEST_READ_ON: Final = 128
"""Bytes of a run from which streamed runs are copied in the order of the source: its lines are fetched ahead only where
it is read on, and where the next run goes matters little."""
NARROW: Final = 2
"""Items of so many bytes at most take more rows, so that enough of each line of the source is used at once."""


@final
@value
class Kernels:
    """The kernels for one copy.

    Attributes
    ----------
    streams
        Whether the target is stored past the caches.
    WORDS
        Sizes of the items that are transposed, and a type that stands for each.
    """

    WORDS: ClassVar[dict[int, str]] = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}

    streams: bool

    def copy_runs(self, source: Array, target: Array) -> None:
        """Copy runs of bytes: in both arrays the items of the last dimension follow each other."""
        length = target.shape[-1] * target.itemsize
        streams = self.streams and _fills_lines(target, length)
        first, second = target[..., 0], source[..., 0]
        if streams and length >= SHORTEST_READ_ON:
            order = sorted(range(first.ndim), key=lambda r: -abs(second.strides[r]))
            first, second = first.transpose(order), second.transpose(order)
        first, second = _planes(first), _planes(second)
        _runs(_places(second), _places(first), _forms(second, first), length, streams)

    def transpose(self, source: Array, target: Array) -> None:
        """Copy planes, the last two dimensions; the last but one is the one of the source's smallest step."""
        size = target.itemsize
        rows = 256 if size <= NARROW else 128
        buffer = np.empty(rows * (BUFFER_WIDTH + LINE) // size + LINE, self.WORDS[size])
        streams = self.streams and target.strides[-1] == size and _fills_lines(target, target.shape[-1] * size)
        _transpose(_places(source), _places(target), _forms(source, target), buffer, rows, streams)


def _fills_lines(target: Array, length: int) -> bool:
    """Tell whether runs of so many bytes fill most cache lines that they touch; half a line is costly to stream."""
    return length >= SHORTEST_STREAMED or (target.ndim > 1 and target.strides[-2] == length)


def _address(array: Array) -> int:
    """Address of the first item."""
    place: int = array.__array_interface__["data"][0]
    return place


def _planes(array: Array) -> Array:
    """Return the same array with two dimensions at least."""
    missing = max(0, 2 - array.ndim)
    return array[(None,) * missing]


def _places(array: Array) -> Places:
    """Addresses of the first items of all planes."""
    places = np.array([_address(array)], np.int64)
    for count, step in zip(array.shape[:-2], array.strides[:-2], strict=True):
        places = (places[:, None] + np.arange(count) * step).ravel()
    return places


def _forms(source: Array, target: Array) -> Forms:
    """Shape of the planes, and their steps in both arrays."""
    return target.shape[-2:], source.strides[-2:], target.strides[-2:]


def _lanes(buffer: Any) -> int:
    """Count the items of a register."""
    return max(1, REGISTER * 8 // int(buffer.dtype.bitwidth))


def _copier(*, squares: bool) -> Any:
    """Return what copies a square of items and transposes it, as wide as a register; or what copies a single item.

    It takes the address and the pitch of source and target, and an array of the item's size.
    """

    def copied(_context: Any, source: Any, its_pitch: Any, target: Any, pitch: Any, buffer: Any) -> Any:
        n = _lanes(buffer) if squares else 1
        item = ir.IntType(buffer.dtype.bitwidth)
        row_type = (ir.VectorType(item, n) if n > 1 else item).as_pointer()

        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            base, base_pitch, to, to_pitch, _ = arguments
            rows = [builder.load(_at(builder, base, base_pitch, k, row_type), align=1) for k in range(n)]
            for _ in range(n.bit_length() - 1):
                rows = [_interleaved(builder, rows[k // 2], rows[(k + n) // 2], k % 2) for k in range(n)]
            for k, row in enumerate(rows):
                builder.store(row, _at(builder, to, to_pitch, k, row_type), align=1)
            return context.get_dummy_value()

        return types.void(source, its_pitch, target, pitch, buffer), generate

    return intrinsic(copied)


def _at(builder: Any, base: Any, pitch: Any, k: int, pointer: Any) -> Any:
    """Pointer to row ``k``."""
    return builder.inttoptr(builder.add(base, builder.mul(pitch, ir.Constant(pitch.type, k))), pointer)


def _interleaved(builder: Any, first: Any, second: Any, half: int) -> Any:
    """Items of the first or the second halves of two registers, one from each in turn."""
    n = first.type.count
    order = [half * (n // 2) + k // 2 + n * (k % 2) for k in range(n)]
    return builder.shuffle_vector(first, second, ir.Constant(ir.VectorType(ir.IntType(32), n), order))


_copy_square: Any = _copier(squares=True)
_copy_item: Any = _copier(squares=False)


def _side(_context: Any, buffer: Any) -> Any:
    return types.int64(buffer), lambda *_: ir.Constant(ir.IntType(64), _lanes(buffer))


_side_of_square: Any = intrinsic(_side)
"""Counts the items along the side of a square."""


def _word_copier(bits: int, *, streams: bool) -> Any:
    """Return what copies one word from an address to another, perhaps past the caches."""

    def copied(_context: Any, source: Any, target: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            base, to = [builder.inttoptr(place, ir.IntType(bits).as_pointer()) for place in arguments]
            stored = builder.store(builder.load(base, align=1), to, align=1)
            if streams:
                mark = builder.module.add_metadata([ir.Constant(ir.IntType(32), 1)])
                stored.set_metadata("nontemporal", mark)
            return context.get_dummy_value()

        return types.void(source, target), generate

    return intrinsic(copied)


_stream_word: Any = _word_copier(64, streams=True)
_copy_word: Any = _word_copier(64, streams=False)
_copy_byte: Any = _word_copier(8, streams=False)


def _prefetch(_context: Any, place: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer, flag, name = ir.IntType(8).as_pointer(), ir.IntType(32), "llvm.prefetch.p0"
        signature = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        function = builder.module.globals.get(name) or ir.Function(builder.module, signature, name)
        to_read, to_all_caches, of_data = flag(0), flag(3), flag(1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer), to_read, to_all_caches, of_data])
        return context.get_dummy_value()

    return types.void(place), generate


_fetch: Any = intrinsic(_prefetch)
"""Has the cache line of an address brought near; the address need not be valid."""


def _fence(_context: Any) -> Any:
    def generate(context: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


_finish: Any = intrinsic(_fence)
"""Lets streamed stores be seen before those that follow."""


def _compiled(function: Any) -> Any:
    """Compile on first use, and keep the result on disk: in this folder or the user's cache, if one can be written."""
    try:
        return njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no place for a cache
        return njit(nogil=True)(function)


@_compiled
def _copy_row(source: int, target: int, length: int, streams: bool) -> None:  # noqa: FBT001 - a kernel has no keywords
    """Copy bytes that follow each other."""
    words = length // 8 * 8
    if streams:
        for k in range(0, words, 8):
            _stream_word(source + k, target + k)
    else:
        for k in range(0, words, 8):
            _copy_word(source + k, target + k)
    for k in range(words, length):
        _copy_byte(source + k, target + k)


@_compiled
def _runs(sources: Places, targets: Places, forms: Forms, length: int, streams: bool) -> None:  # noqa: FBT001
    """Copy planes of runs of bytes."""
    shape, its_steps, steps = forms
    for k in range(len(targets)):
        for i in range(shape[0]):
            for j in range(shape[1]):
                place = sources[k] + i * its_steps[0] + j * its_steps[1]
                _copy_row(place, targets[k] + i * steps[0] + j * steps[1], length, streams)
    _finish()


@_compiled
def _fill_buffer(
    source: int, its_steps: tuple[int, int], base: int, pitch: int, shape: tuple[int, int], buffer: Array
) -> None:
    """Transpose a part of a plane into the buffer."""
    rows, columns = shape
    size, side = buffer.itemsize, _side_of_square(buffer)
    by_squares = rows // side * side if its_steps[0] == size else 0
    whole = columns // side * side
    for j in range(0, whole, side):
        for following in range(j + side, j + 2 * side):
            for near in range(0, by_squares * size, LINE):
                _fetch(source + following * its_steps[1] + near)
        for i in range(0, by_squares, side):
            _copy_square(source + i * size + j * its_steps[1], its_steps[1], base + i * pitch + j * size, pitch, buffer)
    for j in range(columns):
        for i in range(by_squares if j < whole else 0, rows):
            place = source + i * its_steps[0] + j * its_steps[1]
            _copy_item(place, pitch, base + i * pitch + j * size, pitch, buffer)


@_compiled
def _transpose(
    sources: Places,
    targets: Places,
    forms: Forms,
    buffer: Array,
    most_rows: int,
    streams: bool,  # noqa: FBT001
) -> None:
    """Transpose planes, a part as large as the buffer at a time."""
    shape, its_steps, steps = forms
    size, pitch, width = buffer.itemsize, BUFFER_WIDTH + LINE, BUFFER_WIDTH // buffer.itemsize
    base = buffer.ctypes.data
    base += -base % LINE
    for k in range(len(targets)):
        # The first part ends where a line of the target does, and so do all.
        early = targets[k] % LINE // size if streams else 0
        for row in range(0, shape[0], most_rows):
            rows = min(most_rows, shape[0] - row)
            for start in range(-early, shape[1], width):
                column = max(start, 0)
                columns = min(start + width, shape[1]) - column
                place = sources[k] + row * its_steps[0] + column * its_steps[1]
                _fill_buffer(place, its_steps, base, pitch, (rows, columns), buffer)
                for i in range(rows):
                    to = targets[k] + (row + i) * steps[0] + column * steps[1]
                    if steps[1] == size:
                        _copy_row(base + i * pitch, to, columns * size, streams)
                    else:
                        for j in range(columns):
                            _copy_item(base + i * pitch + j * size, pitch, to + j * steps[1], pitch, buffer)
    _finish()
