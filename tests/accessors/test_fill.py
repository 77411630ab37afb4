"""Fill: what a halo reads as is what ``numpy.pad`` gives, however the view is sliced and wrapped afterwards."""

from array import array
from itertools import product

import numpy as np
import pytest
from hypothesis import given, note
from hypothesis import strategies as st
from test_numpy_agreement import Choices, some_key

from mdview import (
    AtomicAccessor,
    CheckedAccessor,
    ConjugatedAccessor,
    DefaultAccessor,
    FillAccessor,
    LayoutLeft,
    LayoutRight,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    RestrictAccessor,
    ScaledAccessor,
    UncheckedAccessor,
    diagonal,
    equal,
    flip,
    pad,
    permute_dims,
    ravel,
    reshape,
    shrink,
    sliding_window,
)
from mdview.accessors.base import Accessor
from mdview.accessors.fill import MODES, Constant, fill_of, inside_index, with_fill
from mdview.errors import AccessorError, HaloError, IndexOutOfRangeError, ReadOnlyError

RIGHT = LayoutRight()
DEFAULT = DefaultAccessor()
LAYOUTS = {"right": LayoutRight(), "left": LayoutLeft(), "tiled": LayoutTiled(2, 2)}


def filled(shape, layout=RIGHT, accessor=DEFAULT):
    """A view that holds 0, 1, 2, ... in C order, and that array."""
    numbers = np.arange(np.prod(shape)).reshape(shape)
    mapping = Mapping(shape, layout)
    data = array("q", bytes(8 * mapping.required_span_size))
    for place, number in zip(mapping.offsets(), numbers.ravel().tolist(), strict=True):
        data[place] = number
    return MDView.from_mapping(data, mapping, accessor), numbers


def numpys(numbers, width, mode, constant=0):
    return np.pad(numbers, width, mode, **({"constant_values": constant} if mode == "constant" else {}))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("width", [1, 5, (0, 2), ((3, 0), (1, 9))])
@pytest.mark.parametrize("shape", [(3, 4), (1, 2)])
def test_a_halo_reads_as_numpy_pads(mode, layout, width, shape):
    view, numbers = filled(shape, layout)
    padded, expected = pad(view, width, mode, 7), numpys(numbers, width, mode, 7)
    assert padded.shape == expected.shape
    assert padded.tolist() == expected.tolist()
    assert np.asarray(padded).tolist() == expected.tolist()
    for index in product(*map(range, expected.shape)):
        assert padded[index] == padded.at(index) == expected[index]
    assert [row.tolist() for row in padded] == expected.tolist()
    assert str(expected[0, 0]) in repr(padded)


@given(st.binary(min_size=120, max_size=120))
def test_a_part_of_a_padded_view_reads_as_that_part_of_the_padded_array(drawn):
    pick = Choices(drawn)
    shape = tuple([1 + pick.below(4) for _ in range(1 + pick.below(3))])
    layout = LayoutTiled(*[1 + pick.below(3) for _ in shape]) if pick.below(2) else LayoutRight()
    view, numbers = filled(shape, layout)
    first = tuple(
        [slice(pick.below(e), None, pick.of(1, 2)) if pick.below(2) else slice(None, None, -1) for e in shape]
    )
    mode, widths = pick.of(*MODES), [(pick.below(4), pick.below(4)) for _ in shape]
    note(f"{view.mapping}[{first}] padded by {widths} in mode {mode}")
    view, numbers = pad(view[first], widths, mode), numpys(numbers[first], widths, mode)
    for _ in range(4):
        kind = pick.below(5)
        if kind == 0:
            view, numbers = flip(view), np.flip(numbers)
        elif kind == 1 and view.ndim > 1:
            view, numbers = diagonal(view, 1), np.diagonal(numbers, 1)
        elif kind == 2:
            view, numbers = ravel(view), numbers.ravel()
        elif kind == 3:
            axes = range(view.ndim)[::-1]
            view, numbers = permute_dims(view, axes), np.transpose(numbers, axes)
        else:
            key = some_key(pick, numbers.shape)
            note(f"then [{key}]")
            view, numbers = view[key], numbers[key]
            if not isinstance(numbers, np.ndarray):
                assert view == numbers
                return
        assert view.shape == numbers.shape
        assert view.tolist() == numbers.tolist()


def test_windows_and_reshapes_read_the_halo_too():
    view, numbers = filled((3, 4))
    padded, expected = pad(view, 1, "wrap"), np.pad(numbers, 1, "wrap")
    windows = np.lib.stride_tricks.sliding_window_view(expected, (3, 3))
    assert sliding_window(padded, (3, 3)).tolist() == windows.tolist()
    assert reshape(padded, (6, 5)).tolist() == expected.reshape(6, 5).tolist()


def test_a_halo_follows_the_elements():
    view, _ = filled((2, 2))
    padded = pad(view, 1, "edge")
    view[0, 0] = 50
    assert padded[0, 0] == padded[0, 1] == padded[1, 1] == 50


def test_a_store_inside_reaches_the_element_and_the_halo_that_mirrors_it():
    view, _ = filled((2, 2))
    padded = pad(view, 1, "edge")
    padded[1, 1] = 50
    assert view[0, 0] == 50
    assert padded[0, 0] == 50
    padded[-2, -2] = 60
    assert view[1, 1] == 60


@pytest.mark.parametrize("mode", MODES)
def test_a_store_in_the_halo_is_refused(mode):
    view, numbers = filled((2, 2))
    padded = pad(view, 1, mode)
    for index in ((0, 0), (0, 1), (-1, 2), (3, 3)):
        with pytest.raises(HaloError, match=r"lies in the padding, which is not stored to"):
            padded[index] = 9
    with pytest.raises(HaloError, match="slice the view to its valid_box first"):
        padded[...] = 9
    with pytest.raises(HaloError, match="slice the view to its valid_box first"):
        padded[1] = [0, 9, 9, 0]
    assert view.tolist() == numbers.tolist()
    padded[1:3, 1:3] = 9
    assert view.tolist() == [[9, 9], [9, 9]]


def test_an_index_beyond_the_halo_is_out_of_range():
    padded = pad(filled((2, 2))[0], 1)
    assert padded[-4, -4] == 0
    for index in ((4, 0), (0, -5)):
        with pytest.raises(IndexOutOfRangeError):
            padded[index]


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_cutting_the_halo_off_leaves_the_view_as_it_was(layout):
    view, numbers = filled((3, 4), layout)
    padded = pad(view, ((1, 2), (0, 3)), "reflect")
    for cut in (padded[1:4, 0:4], shrink(padded, padded.valid_box)):
        assert cut.mapping == view.mapping
        assert cut.mapping.layout.is_total()
        assert cut.mapping.is_strided == view.mapping.is_strided
        cut[2, 3] = -1
        assert view[2, 3] == -1
        cut[...] = numbers
        assert cut.tolist() == view.tolist() == numbers.tolist()


def test_a_halo_without_a_fill_is_not_read():
    mapping = pad(Mapping((2,)), 1)
    view = MDView.from_mapping([1, 2], mapping)
    assert view[1] == 1
    with pytest.raises(HaloError, match=r"index \(0,\) .* lies in the padding, which is not read; wrap its accessor"):
        view[0]
    with pytest.raises(HaloError):
        view.tolist()
    assert MDView.from_mapping([1, 2], mapping, FillAccessor(constant=None)).tolist() == [None, 1, 2, None]


def test_a_constant_goes_through_every_accessor_outside_the_fill():
    def read(accessor):
        return MDView.from_mapping([1 + 1j], pad(Mapping((1,)), (0, 1)), accessor).tolist()

    fill = FillAccessor("constant", 2 + 3j)
    assert read(ReadOnlyAccessor(fill)) == [1 + 1j, 2 + 3j]
    assert read(ScaledAccessor(10, fill)) == [10 + 10j, 20 + 30j]
    assert read(ConjugatedAccessor(fill)) == [1 - 1j, 2 - 3j]
    assert read(ScaledAccessor(2, ConjugatedAccessor(ReadOnlyAccessor(fill)))) == [2 - 2j, 4 - 6j]
    assert read(RestrictAccessor(fill)) == [1 + 1j, 2 + 3j]
    assert read(FillAccessor("constant", 5, fill)) == [1 + 1j, 5]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("accessor", "factor"),
    [
        (ReadOnlyAccessor(), 1),
        (ScaledAccessor(3), 3),
        (ConjugatedAccessor(), 1),
        (ScaledAccessor(3, ReadOnlyAccessor(CheckedAccessor())), 3),
    ],
    ids=repr,
)
def test_a_view_that_does_not_store_is_filled_inside_its_accessor(accessor, factor, mode):
    view, numbers = filled((2, 3), accessor=accessor)
    padded = pad(view, 2, mode, 7)
    assert type(padded.accessor) is type(accessor)
    assert fill_of(padded.accessor) is not None
    assert padded.tolist() == (factor * numpys(numbers, 2, mode, 7)).tolist()
    with pytest.raises(ReadOnlyError):
        padded[0, 0] = 1


@pytest.mark.parametrize("accessor", [CheckedAccessor(), UncheckedAccessor(), RestrictAccessor(CheckedAccessor())])
def test_a_fill_keeps_the_index_rule_of_what_it_wraps(accessor):
    padded = pad(filled((2,), accessor=accessor)[0], 1, "edge")
    assert padded.accessor == FillAccessor("edge", 0, accessor)
    assert padded.accessor.index_rule is accessor.index_rule
    assert padded.tolist() == [0, 0, 1, 1]
    if accessor != UncheckedAccessor():
        with pytest.raises(IndexOutOfRangeError):
            padded[-1]


def test_a_view_of_proxies_is_filled_with_values():
    padded = pad(MDView([4, 5], (2,), accessor=AtomicAccessor()), 1, constant=-1)
    assert padded.tolist() == [-1, 4, 5, -1]
    padded[1].fetch_add(1)
    assert padded.tolist() == [-1, 5, 5, -1]


def test_equal_halos_are_equal_values():
    view, _ = filled((2, 2))
    assert equal(pad(view, 1, "edge"), pad(view[:, :], 1, "edge"))
    assert not equal(pad(view, 1, "edge"), pad(view, 1, constant=9))


@pytest.mark.parametrize("mode", ["constant", "edge"])
def test_a_second_halo_reads_as_one_larger_halo(mode):
    view, numbers = filled((2, 3))
    assert pad(pad(view, 1, mode), (0, 2), mode).tolist() == np.pad(np.pad(numbers, 1, mode), (0, 2), mode).tolist()


def test_a_second_halo_that_would_read_differently_is_refused():
    view, _ = filled((2, 3))
    for mode in ("reflect", "wrap"):
        with pytest.raises(AccessorError, match=f"padding in mode '{mode}' around other padding reads differently"):
            pad(pad(view, 1, mode), 1, mode)
    with pytest.raises(AccessorError, match="more of it must be filled alike"):
        pad(pad(view, 1, constant=1), 1, constant=2)
    with pytest.raises(AccessorError, match="more of it must be filled alike"):
        pad(pad(view, 1, "edge"), 1)


def test_after_the_halo_is_cut_off_another_fill_may_follow():
    view, numbers = filled((2, 3))
    again = pad(shrink(pad(view, 1, "wrap"), [(1, 3), (1, 4)]), 1, "edge")
    assert again.tolist() == np.pad(numbers, 1, "edge").tolist()


def test_an_accessor_that_neither_stores_nor_wraps_cannot_be_filled():
    with pytest.raises(AccessorError, match="neither stores nor wraps an accessor that does"):
        with_fill(Accessor(), "edge", 0, again=False)


@pytest.mark.parametrize("mode", ["mirror", "", None, "CONSTANT"])
def test_an_unknown_mode_is_refused(mode):
    with pytest.raises(AccessorError, match="the mode of a fill is one of constant, edge, reflect, wrap"):
        FillAccessor(mode)


def test_a_fill_stores_and_so_wraps_what_stores():
    with pytest.raises(AccessorError, match="wrap the other way round"):
        FillAccessor("edge", 0, ReadOnlyAccessor())


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("extent", [1, 2, 3, 7])
def test_the_index_that_stands_in_is_that_of_numpy(mode, extent):
    expected = np.pad(np.arange(extent), 20, mode).tolist()
    assert [inside_index(mode, (i,), ((0, extent),))[0] for i in range(-20, extent + 20)] == expected
    assert inside_index(mode, (-3,), ((5, 5 + extent),))[0] - 5 == expected[12]


def test_a_constant_is_data_with_one_element_everywhere():
    assert len(Constant(5)) == 1
    assert Constant(5)[123] == 5


def test_fills_are_values():
    assert FillAccessor("edge") == FillAccessor("edge") != FillAccessor("wrap")
    assert repr(FillAccessor("edge")) == "FillAccessor(mode='edge', constant=0, inner=DefaultAccessor())"
    assert fill_of(ReadOnlyAccessor(FillAccessor("edge"))) == FillAccessor("edge")
    assert fill_of(ReadOnlyAccessor()) is None
