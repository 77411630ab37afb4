"""The block of a view has the numbers that compiled code reads, all of them and no more."""

import struct
from array import array

import pytest
from samples import MAPPINGS

import mdview as md
from mdview.errors import KernelError

numba = pytest.importorskip("numba")
blocks = pytest.importorskip("mdview.numba.blocks")
Doubt = pytest.importorskip("mdview.numba.proofs").Doubt


class Triangle(md.Layout):
    """No bounds are known of it but that it is quadratic."""

    def offset(self, extents, index):
        i, j = index
        return i * (2 * extents[0] - i - 1) // 2 + j if i <= j else j * (2 * extents[0] - j - 1) // 2 + i

    def required_span_size(self, extents):
        return extents[0] * (extents[0] + 1) // 2


VIEWS = {
    **{name: (mapping, md.DefaultAccessor()) for name, mapping in MAPPINGS.items()},
    "in doubt": (md.Mapping((99, 99), Triangle()), md.DefaultAccessor()),
    "in doubt, static": (md.Mapping((md.dim(99), md.dim(99)), Triangle()), md.CheckedAccessor()),
    "in doubt, a part": (md.flip(md.Mapping((99, 99), Triangle())), md.DefaultAccessor()),
}


@pytest.mark.parametrize("name", VIEWS)
def test_the_block_has_as_many_numbers_as_the_type_says(name):
    mapping, accessor = VIEWS[name]
    data = array("d", bytes(8 * (mapping.required_span_size + 3)))
    view = md.MDView.from_mapping(data, mapping, accessor, origin=2)
    kind, (address, _) = numba.typeof(view), data.buffer_info()
    block = view._numba_block
    assert len(block) == 8 * (blocks.HEAD + kind.count)
    fingerprint, start, *values = struct.unpack(f"{len(block) // 8}q", block)
    assert fingerprint == kind.fingerprint
    dynamic = [int(e) for e in mapping.extents if not isinstance(e, md.Dim)]
    assert values[: len(dynamic)] == dynamic
    assert block.storage.source is data
    if mapping.size:
        first = 0 if mapping.found_strides() is None or mapping.layout.tiling() else mapping.origin
        assert start == address + 8 * (2 + first)
    if kind.form.has_room:
        assert values[-1] == len(data) - (2 if mapping.size else 0)
    assert (getattr(kind.form, "doubt", Doubt.NONE) is Doubt.PLACE) == name.startswith("in doubt")


def test_types_have_fingerprints_of_their_own():
    views = [
        md.MDView(array(code, bytes(72)), extents, layout, accessor)
        for code in "qd"
        for extents in ((3, 3), (md.dim(3), 3), (3, md.dim(3)), (3,))
        for layout in (md.LayoutRight(), md.LayoutLeft())
        for accessor in (md.DefaultAccessor(), md.CheckedAccessor(), md.ReadOnlyAccessor())
    ]
    kinds = {numba.typeof(view) for view in views}
    assert len({kind.fingerprint for kind in kinds}) == len(kinds) > 30


def test_a_number_of_more_than_64_bits_is_refused():
    storage = md.MDView(array("q", [1]), (1,))._storage
    assert len(blocks.Block.of(storage, (1, 2, 2**63 - 1, -(2**63)))) == 32
    for number in (2**63, -(2**63) - 1):
        with pytest.raises(KernelError, match=f"takes more: \\({number},\\)"):
            blocks.Block.of(storage, (1, 2, number))
