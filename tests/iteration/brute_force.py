"""Random operands of walks, and what a walk over them is: every index of `itertools.product`, one after the other."""

from effort import share
from hypothesis import strategies as st
from samples.variants import indices_of

import mdview as md

SHARE = share(4000, 100)
"""How many random walks one property sees; five of this size and their kin are 20 000 in CI."""

EXTENTS = (2, 1, 3, 0, 2, 1, 3, 2, 4)
FREE, CONTIGUOUS = 7, 12
"""Codes of strides: up to `FREE` a stride less 7; above, as much as the faster dimension takes."""
CODES = CONTIGUOUS + FREE + 1


def dimensions(operands, max_rank=6):
    """Extent and one stride code for each operand, a dimension, slowest first; drawn as bytes, which is fast."""
    return st.binary(max_size=max_rank * (1 + operands)).map(lambda drawn: decoded(drawn, 1 + operands))


def decoded(drawn, width):
    """Cut bytes into dimensions of ``width`` numbers; extents get shorter where the index space gets large."""
    dims, size = [], 1
    for start in range(0, len(drawn) - width + 1, width):
        extent = min(EXTENTS[drawn[start] % len(EXTENTS)], max(1, 96 // max(size, 1)))
        dims.append((extent, *[code % CODES - FREE for code in drawn[start + 1 : start + width]]))
        size *= extent
    return dims


def mapping_of(dims, k=0):
    """Mapping of operand ``k``; its offsets are made to start at or above 0."""
    extents, strides = [dim[0] for dim in dims], []
    for r in range(len(dims) - 1, -1, -1):
        code = dims[r][1 + k]
        strides.insert(0, extents[r + 1] * strides[0] if code > FREE and strides else min(code, FREE))
    origin = sum((e - 1) * -s for e, s in zip(extents, strides, strict=True) if s < 0 < e)
    return md.Mapping(tuple(extents), md.LayoutStrideRelaxed(strides, origin))


def offsets(mapping):
    """Offsets of all indices by the definition of a strided mapping."""
    strides, origin = mapping.strides, mapping.origin
    return [origin + sum(i * s for i, s in zip(index, strides, strict=True)) for index in indices_of(mapping.extents)]


def binned(max_cells=3):
    """Bins over a buffer of rank 1 to 3, with cells of rank 0 to 3.

    Cells are strided in any way: sliced, transposed, repeated; ranges have gaps, repeats and nothing in them.
    """
    shape = st.tuples(st.binary(min_size=5, max_size=5), st.binary(max_size=2 * max_cells), st.binary(max_size=16))
    return shape.map(lambda drawn: bins_of(*drawn))


def bins_of(buffer, cells, table):
    """Decode bins: lengths of the buffer with its axis and directions, dimensions of the cells, ranges."""
    rank, axis, flips = 1 + buffer[0] % 3, buffer[0] // 3, buffer[1]
    extents = [1 + n % 3 if n % 16 else 0 for n in buffer[2 : 2 + rank]]
    axis %= rank
    extents[axis] = buffer[2 + axis] // 16 % 7
    dims = [(e, -1 if flips >> r & 1 else CONTIGUOUS) for r, e in enumerate(extents)]
    mapping = mapping_of([(min(e, 3), code) for e, code in decoded(cells, 2)])
    bounds = [n % (extents[axis] + 1) for n in table] or [0]
    pairs = [(bounds[k % len(bounds)], bounds[(k + 1) % len(bounds)]) for k in range(mapping.required_span_size)]
    return md.iteration.Bins(mapping_of(dims), [sorted(pair) for pair in pairs], axis=axis, cells=mapping)


def events(bins):
    """For each cell the offsets of what it holds."""
    found = []
    for cell in indices_of(bins.extents):
        begin, end = bins.ranges[bins.cells(*cell)]
        held = [i for i in indices_of(bins.buffer.extents) if begin <= i[bins.axis] < end]
        found.append([bins.buffer(*i) for i in held])
    return found
