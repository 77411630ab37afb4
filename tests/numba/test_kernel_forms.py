"""Types of views in kernels: what shares compiled code, what does not, and what has no type at all."""

import pickle
from array import array

import pytest
from samples import MAPPINGS, LayoutSymmetric

import mdview as md
from mdview.errors import KernelError

numba = pytest.importorskip("numba")
pytest.importorskip("mdview.numba")
forms = pytest.importorskip("mdview.numba.forms")


def numbered(layout, *extents):
    mapping = md.Mapping(extents, layout)
    return md.MDView.from_mapping(array("d", range(mapping.required_span_size)), mapping)


class Layout40(md.Layout):
    def required_span_size(self, extents):
        return 40


def layout(arithmetic):
    """A layout of a class of its own."""

    class Mine(Layout40):
        def offset(self, extents, index):
            return arithmetic(extents, index)

    return Mine()


def total_of():
    """A new kernel that adds up a view of rank 2."""

    @numba.njit
    def total(v):
        found = 0.0
        for i in range(v.extent(0)):
            for j in range(v.extent(1)):
                found += v[i, j]
        return found

    return total


def total_in_python(view):
    return float(sum(map(sum, view.tolist())))


def check_shared(views, count=1):
    """All these views have the elements that Python finds, by as many compiled functions as that."""
    total = total_of()
    for view in views:
        assert total(view) == total_in_python(view)
    assert len(total.signatures) == count


def test_equal_arithmetic_of_two_layouts_is_compiled_once():
    one = layout(lambda extents, index: (index[0] ^ index[1]) * extents[0] + 3)
    other = layout(lambda extents, index: 3 + (index[0] ^ index[1]) * extents[0])
    same = layout(lambda e, i: sum([(i[0] ^ i[1]) * e[0], 1 + 2]))
    check_shared([numbered(each, n, 4) for each in (one, same) for n in (3, 4, 5)])
    check_shared([numbered(each, 3, 4) for each in (one, other)], 2)


def test_an_edited_layout_is_compiled_anew():
    for_step = [layout(lambda _, index, step=step: (index[0] ^ step) + index[1]) for step in (1, 2, 3)]
    check_shared([numbered(each, 3, 4) for each in for_step], 3)
    types = [numba.typeof(numbered(each, 3, 4)) for each in for_step]
    assert len({str(each) for each in types}) == 3


@pytest.mark.parametrize("extents", [(6, 8), (md.dim(6), 8)])
@pytest.mark.parametrize("base", [md.LayoutTiled(2, 3), LayoutSymmetric(), md.LayoutMorton(), Layout40])
def test_slices_in_whatever_steps_are_compiled_once(base, extents):
    base = layout(lambda extents, i: (i[0] * 5 + i[1]) % 7) if base is Layout40 else base
    view = numbered(base, *extents)
    check_shared([view[first::step, first:] for first in (0, 1, 3) for step in (-1, 2, 3)])


def test_a_slice_of_python_and_one_of_a_kernel_share_their_code():
    total = total_of()

    @numba.njit
    def total_of_part(v, first, step):
        return total(v[first:, ::step])

    view = numbered(md.LayoutTiled(2, 3), 6, 8)
    for first, step in ((1, 2), (2, -3)):
        part = view[first:, ::step]
        assert total_of_part(view, first, step) == total(part) == total_in_python(part)
        assert total_of_part(part, first, step) == total_in_python(part[first:, ::step])
    assert len(total.signatures) == 1


@numba.njit
def part_of(v, first, step):
    return v[first:, ::step]


@numba.njit
def row_of(v, i):
    return v[i]


@numba.njit
def whole(v):
    return v


RESHAPED = {
    "tiled": numbered(md.LayoutTiled(2, 3), 6, 4),
    "tiled, static": numbered(md.LayoutTiled(2, 3), md.dim(6), 4),
    "morton": numbered(md.LayoutMorton(), 6, 4),
    "symmetric": numbered(LayoutSymmetric(), 6, 4),
    "strided": numbered(md.LayoutStride((9, 2)), 6, 4),
}


@pytest.mark.parametrize("name", RESHAPED)
def test_a_reshape_and_what_is_sliced_from_it(name):
    view = RESHAPED[name]
    wide, narrow = md.reshape(view, (3, 8)), md.reshape(view, (8, 3))
    for given in (wide, wide[::-1, 1:], narrow[1:, ::-2], md.permute_dims(wide, (1, 0)), md.flip(narrow)):
        assert total_of()(given) == total_in_python(given)
        assert whole(given).mapping == given.mapping
        for first, step in ((0, 1), (1, -2), (9, 1)):
            part, expected = part_of(given, first, step), given[first:, ::step]
            assert (part.tolist(), part.shape) == (expected.tolist(), expected.shape)
            assert part_of(part, 0, -1).tolist() == expected[:, ::-1].tolist()
        assert row_of(given, -1).tolist() == given[-1].tolist()


def test_windows_of_a_reshape():
    windows = md.sliding_window(md.reshape(RESHAPED["tiled"], (-1,)), (3,))
    assert total_of()(windows) == total_in_python(windows)
    assert part_of(windows, 2, -1).tolist() == windows[2:, ::-1].tolist()


def test_a_slice_in_far_steps_may_have_one_element():
    view = numbered(md.LayoutTiled(2, 3), 6, 4)
    far = 2**62
    part = part_of(part_of(view, 1, far), 0, far)
    assert part.tolist() == view[1:, :1].tolist()


@pytest.mark.parametrize("name", ["tiled", "symmetric", "morton, plain", "composed, tiled", "right", "swizzled"])
def test_a_type_is_the_same_object_after_pickling(name):
    view = md.MDView.from_mapping(array("d", range(99)), MAPPINGS[name])
    for given in (view, view[1:]):
        found = numba.typeof(given)
        assert pickle.loads(pickle.dumps(found)) is found  # noqa: S301 - own data


def test_the_name_of_a_type_lists_shared_parts_once():
    def turned(_, index):
        place = index[0] ^ index[1]  # so that no table of one index replaces it
        for _ in range(500):
            place = (place ^ (place >> 1)) * 3 & 31
        return place

    found = numba.typeof(numbered(layout(turned), 5, 4))
    assert len(repr(found.form)) < 50_000
    assert len(str(found)) < 100
    assert repr(found.form).count("rshift") == 500


def test_a_loop_over_an_index_is_refused_with_the_reason():
    looping = layout(lambda _, index: sum(range(index[0])))
    reason = "cannot be traced for a kernel: it asks for the number i0, which is a symbol and has no number"
    with pytest.raises(KernelError, match=reason):
        whole(numbered(looping, 8))
    with pytest.raises(KernelError, match=reason):
        whole(numbered(looping, 8)[1::2])


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64 - 1])
def test_numbers_of_more_than_64_bits_are_refused(number):
    large = layout(lambda _, index: (index[0] * number) % 7)
    with pytest.raises(KernelError, match=f"a kernel computes in 64 bits, and .* has the number {number}"):
        whole(numbered(large, 9))


@pytest.mark.parametrize(
    ("mapping", "known"),
    [
        (md.Mapping((3, 4)), (None, 1)),
        (md.Mapping((3, md.dim(4))), (4, 1)),
        (md.Mapping((1, 1), md.LayoutLeft()), (1, None)),
        (md.Mapping((2, 3, 5), md.LayoutRightPadded(4)), (None, None, 1)),
        (md.Mapping((2, 3, md.dim(5)), md.LayoutRightPadded(md.dim(4))), (None, 8, 1)),
        (md.Mapping((2, 3, md.dim(5)), md.LayoutRightPadded(4)), (None, None, 1)),
        (md.Mapping((md.dim(5), 3), md.LayoutLeftPadded()), (1, 5)),
        (md.Mapping((2, 3), md.LayoutStride((7, 1))), (None, 1)),
        (md.Mapping((2, 3), md.LayoutStrideRelaxed((0, -2), 4)), (0, None)),
        (md.Mapping((4, 6), md.LayoutTiled(2, 3)), None),
    ],
)
def test_strides_that_a_type_tells_are_constants(mapping, known):
    assert forms.known_strides(mapping) == known
