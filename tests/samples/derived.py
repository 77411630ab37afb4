"""Mappings derived from another one, by name: parts, turns, reshapes, halos and chains of these."""

from hypothesis import strategies as st

import mdview as md


def _halved(m):
    """Twice as many rows, half as long; or else rows for columns."""
    rows, *rest = m.extents
    return (2 * rows, *rest[:-1], rest[-1] // 2) if rest and rest[-1] % 2 == 0 else m.extents[::-1]


DERIVED = {
    "whole": lambda m: m,
    "flipped": lambda m: md.flip(m, 0),
    "turned": lambda m: md.permute_dims(md.flip(m), range(m.rank)[::-1]),
    "part": lambda m: md.mappings.submapping(m, *[slice(r % 2, None, 2 - r % 2) for r in range(m.rank)])[0],
    "row": lambda m: md.mappings.submapping(m, m.extents[0] - 1, *[slice(None)] * (m.rank - 1))[0],
    "raveled": lambda m: md.reshape(m, (m.size,)),
    "part of raveled": lambda m: md.mappings.submapping(md.reshape(m, (m.size,)), slice(1, max(1, m.size - 1)))[0],
    "flipped reshaped": lambda m: md.flip(md.reshape(m, _halved(m)), m.rank - 1),
    "padded": lambda m: md.pad(m, [(1 + r, r) for r in range(m.rank)]),
    "part of padded": lambda m: md.mappings.submapping(md.pad(m, 1), *[slice(r % 3, 3) for r in range(m.rank)])[0],
    "raveled padded": lambda m: md.reshape(md.pad(m, 1), (-1,)),
    "part of raveled padded": lambda m: md.mappings.submapping(md.reshape(md.pad(m, 1), (-1,)), slice(3, None, 3))[0],
    "broadcast": lambda m: md.broadcast_to(m, (2, *m.extents)),
    "expanded": lambda m: md.expand_dims(m, (0, -1)),
    "windows": lambda m: md.sliding_window(m, [min(2, e) for e in m.extents]),
    "windows of raveled": lambda m: md.sliding_window(md.reshape(m, (m.size,)), min(2, m.size)),
}
"""What derives a mapping from one with dimensions and elements."""

OF_MATRICES = {
    "diagonal": md.diagonal,
    "transposed padded": lambda m: md.Mapping(
        md.pad(m, 1).extents[::-1], md.layouts.LayoutTranspose(md.pad(m, 1).layout)
    ),
}


def derivations(mapping):
    """Names of what derives another mapping from this one."""
    if not mapping.rank or not mapping.size:
        return ["whole"]
    return [*DERIVED, *(OF_MATRICES if mapping.rank == 2 else ())]


def derive(mapping, name):
    """Derive a mapping."""
    return (DERIVED | OF_MATRICES)[name](mapping)


@st.composite
def chains(draw, mappings, length=4, most=60):
    """A mapping after some derivations, which stays small."""
    mapping = draw(mappings)
    for _ in range(draw(st.integers(1, length))):
        if mapping.size < most and mapping.rank < 6:
            mapping = derive(mapping, draw(st.sampled_from(derivations(mapping))))
    return mapping
