"""C++ functions, compiled here, take views of every strided layout, store to them and return them."""

import ctypes
import gc
import re
from array import array
from itertools import product
from pathlib import Path
from weakref import ref

import libraries
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdview as md
from mdview.errors import (
    AccessorError,
    ConversionError,
    CppTypeError,
    NullViewError,
    OperandError,
    ReadOnlyError,
    StrideError,
)
from mdview.interop import cpp

pytestmark = pytest.mark.deep
NAMES = ["libc++", "CCCL"]
WAYS = {"value": "", "pointer": "*", "portable": ""}


class Library:
    """One compiled library, its types by name, and its functions made ready."""

    def __init__(self, name):
        self.name, self.abi = name, name.lower()
        self.library = libraries.load(name)
        self.write, self.types = libraries.types(name)
        self.functions = {}

    def function(self, key, verb, way="value"):
        if (key, verb, way) not in self.functions:
            suffix = {
                ("read", "value"): "value",
                ("read", "pointer"): "pointer",
                ("read", "portable"): "portable",
                ("store", "value"): "store",
                ("store", "pointer"): "store_pointer",
                ("store", "portable"): "store_portable",
                ("return", "value"): "return",
                ("return", "portable"): "give",
            }[verb, way]
            text, target = self.types[key], getattr(self.library, f"{key}_{suffix}")
            returns = {"read": ctypes.c_double, "store": None, "return": text}[verb]
            more = (ctypes.c_double,) if verb == "store" else ()
            abi = "portable" if way == "portable" else self.abi
            made = cpp.function(target, text + WAYS[way], *more, returns=returns, abi=abi)
            self.functions[key, verb, way] = made
        return self.functions[key, verb, way]


@pytest.fixture(scope="session", params=NAMES)
def library(request):
    return Library(request.param)


@pytest.fixture(scope="session")
def cccl():
    return Library("CCCL")


def numbers(count=400, letter="d"):
    return array(letter, [(7 * k) % 101 for k in range(count)])


def view(extents, layout=None, letter="d"):
    return md.MDView(numbers(400, letter), extents, layout or md.LayoutRight())


def written(text, letter, origin=0):
    """What makes a view by the text of its mapping, from an element on."""
    return lambda: md.MDView.from_mapping(numbers(400, letter), md.parse(text), origin=origin)


WRITTEN = {
    # the letter of the elements, and mappings
    "right2": (
        *("d", "right (3, 4)", "right (dim(3), dim(4))", "right (0, 4)", "right (3, 0)", "right (1, 1)"),
        *("right (5, 4) [2:4]", "right_padded(4) (3, 4)", "stride((1, 1)) (1, 4)", "tiled(4, 4) (4, 4)"),
        "relaxed((4, 1), offset=7) (4, 4)",
    ),
    "right1": ("d", "right (12,)", "right (3, 4) [1]", "right (0,)", "stride((9,)) (1,)"),
    "fixed": ("d", "right (3, 4)", "right (dim(3), dim(4))", "right (9, 4) [5:8]"),
    "fixed_left": ("d", "left (3, 4)", "left (3, 9) [:, 2:6]"),
    "left_mixed": ("f", "left (3, 5)", "left (dim(3), 0)", "left_padded(3) (3, 5)"),
    "stride2": (
        *("d", "right (3, 4)", "left (3, 4)", "right_padded(8) (3, 4)", "left_padded(dim(5)) (3, 4)"),
        *("right (6, 9) [1::2, 2:7:3]", "stride((1, 20)) (3, 4)", "right (0, 4) [:, ::2]", "right (5, 1) [::-1] [4:]"),
        *("right (1, 4) [:1] broadcast_to((1, 4))", "relaxed((9, 4), offset=3) (2, 2)"),
    ),
    "stride_fixed": ("d", "right_padded(7) (3, 4)", "right (7, 4) [::3]"),
    "stride3": ("i", "right (2, 3, 4)", "right (2, 0, 4)", "right (4, 6, 5) [::2, ::3, 1:]"),
    "right0": ("d", "right ()"),
    "stride0": ("d", "right ()", "relaxed((), offset=6) ()"),
    "bytes": ("B", "right (2, 3, 4)"),
    "short_index": ("q", "right (2, 3, 4)", "right (4, 5, 6) [1:3, :3, ::2]"),
    "narrow4": (
        *("d", "right (2, 3, 2, 3)", "left (3, 2, 3, 2)", "right (2, 9, 1, 3) [:, ::4]", "right (2, 3, 0, 3)"),
    ),
    "const_stride": ("d", "right (3, 4) [:, 1::2]", "left (3, 4)"),
    "const_right": ("d", "right (3, 4)"),
    "relaxed_fixed": (
        *("d", "right (3, 4)", "right (3, 4) [::-1]", "right (3, 4) [::-1, ::-1]", "left (3, 4) [:, ::-1]"),
        *("right (4,) broadcast_to((3, 4))", "right_padded(9) (3, 4) [::-1]", "relaxed((2, 3), offset=5) (3, 4)"),
        *("relaxed((1, 1), offset=0) (3, 4)", "right (9, 16) [::-4, ::-5]"),
    ),
}
WRITTEN["relaxed_int"] = (*WRITTEN["relaxed_fixed"], "right (0, 4) [::-1]")
WRITTEN["relaxed2"] = (*WRITTEN["relaxed_int"], "right (3, 0) [:, ::-1]", "right (1, 1) [::-1]")
WRITTEN |= {"relaxed0": WRITTEN["stride0"], "relaxed_const": WRITTEN["relaxed_fixed"]}
VIEWS = {
    key: [written(text, letter, origin) for text in texts for origin in (0, 5)]
    for key, (letter, *texts) in WRITTEN.items()
}
CONST = ("const_stride", "const_right", "relaxed_const")
VIEWS |= {key: [*VIEWS[key], *[lambda make=make: md.readonly(make()) for make in VIEWS[key]]] for key in CONST}


def of(made):
    return [float(x) for x in np.asarray(made).ravel()]


def check_reads(library, key, make):
    made = make()
    expected = sum((k + 1) * x for k, x in enumerate(of(made)))
    for way in WAYS:
        assert library.function(key, "read", way)(made) == expected


def check_stores(library, key, make):
    for way in WAYS:
        made, expected = make(), make()
        library.function(key, "store", way)(made, 3.0)
        for number, index in enumerate(product(*[range(e) for e in expected.extents])):
            expected[index] = 3 + number
        assert list(made.data) == list(expected.data)


def check_returns(library, key, make):
    for way in ("value", "portable"):
        made = make()
        got = library.function(key, "return", way)(made)
        assert got.tolist() == made.tolist()
        assert got.shape == made.shape
        assert cpp.cpp_type(got, namespace="cuda::std" if "cuda" in library.types[key] else None).count("const") == (
            "const" in library.types[key]
        )
        if made.size and key in library.write:
            index = tuple(e - 1 for e in made.extents)
            got[index] = 9
            assert made[index] == 9


@pytest.mark.parametrize("check", [check_reads, check_stores, check_returns])
@pytest.mark.parametrize("key", VIEWS)
def test_a_function_takes_views(library, key, check):
    if key not in library.types:
        pytest.skip("libc++ has no relaxed strides")
    if check is check_stores and key not in library.write:
        pytest.skip("its elements are const")
    for make in VIEWS[key]:
        check(library, key, make)


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_any_slice_of_any_matrix_is_read_by_cccl(cccl, data):
    extents = data.draw(st.tuples(st.integers(0, 5), st.integers(0, 5)))
    layout = data.draw(
        st.sampled_from([md.LayoutRight(), md.LayoutLeft(), md.LayoutRightPadded(7), md.LayoutLeftPadded(6)])
    )
    steps = data.draw(st.tuples(*[st.sampled_from([-3, -2, -1, 1, 2]) for _ in extents]))
    made = view(extents, layout)[:: steps[0], :: steps[1]]
    check_reads(cccl, "relaxed2", lambda: made)
    check_returns(cccl, "relaxed2", lambda: made)


REFUSED = [
    # the type, a view or the text of its mapping, the error and a part of what it says
    ("right2", "left (3, 4)", StrideError, r"strides (1, 3) over extents (3, 4) are not those of"),
    ("right2", "right (3, 4) [:, ::2]", StrideError, "let C++ take layout_stride, or pass a copy: relayout(view, L"),
    ("right2", "right (3, 4) [::-1]", StrideError, "are not those of"),
    ("fixed", "right (4, 3)", ConversionError, "extent 4 of dimension 0 is not the static extent 3 of"),
    ("fixed", "right (12,)", ConversionError, "the view has 1 dimension, "),
    ("stride2", "right (3, 4) [::-1]", StrideError, "are not positive and unique"),
    ("stride2", "right (4,) broadcast_to((3, 4))", StrideError, "let C++ take cuda::layout_stride_relaxed"),
    ("stride2", "relaxed((2, 1), offset=0) (3, 4)", StrideError, "not positive and unique"),
    ("stride2", "tiled(2, 2) (4, 4)", StrideError, "has no strides, as"),
    ("stride2", "morton (4, 4)", StrideError, "has no strides, as"),
    ("stride2", lambda: md.pad(view((2, 2)), 1), StrideError, "has no strides"),
    ("stride2", written("right (3, 4)", "f"), ConversionError, "double; let C++ take float, or pass a"),
    ("stride2", written("right (3, 4)", "q"), ConversionError, "the view has items of format 'q'"),
    ("stride2", lambda: md.asview(np.zeros((3, 4), ">f8")), ConversionError, "double; pass a copy: relayout(view, L"),
    ("stride2", lambda: md.MDView([1.0] * 12, (3, 4)), ConversionError, "the view has items of format 'O'"),
    ("stride2", lambda: md.readonly(view((3, 4))), ReadOnlyError, "the view is read-only, and"),
    ("stride2", lambda: md.MDView(None, (3, 4)), NullViewError, "argument 0 is the null view"),
    ("stride2", lambda: md.atomic(view((3, 4))), AccessorError, "AtomicAccessor"),
    ("const_stride", lambda: md.operations.scaled(2.0, view((3, 4))), AccessorError, "ScaledAcc"),
    ("stride2", lambda: [[1.0]], OperandError, "argument 0 must be a view for"),
    ("stride2", lambda: np.zeros((3, 4)), OperandError, "wrap it: asview(array)"),
]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_a_view_that_does_not_fit_is_refused_before_the_call(library, way, place):
    key, given_, error, message = REFUSED[place]
    make = written(given_, "d") if isinstance(given_, str) else given_
    function = library.function(key, "read", way)
    for _ in range(2):
        with pytest.raises(error, match=re.escape(message)):
            function(make())


def test_a_released_view_is_refused_after_it_was_taken(library):
    made = view((3, 4))
    function = library.function("right2", "read")
    function(made)
    made.release()
    with pytest.raises(NullViewError):
        function(made)


def test_equal_mappings_with_other_elements_or_rights_are_told_apart(library):
    made = view((3, 4))
    function = library.function("right2", "read")
    function(made)
    same = md.MDView.from_mapping(array("q", range(12)), made.mapping)
    with pytest.raises(ConversionError):
        function(same)
    with pytest.raises(ReadOnlyError):
        function(md.readonly(made))


@pytest.mark.parametrize(
    "accessor",
    [
        md.CheckedAccessor(),
        md.accessors.RestrictAccessor(),
        md.accessors.AlignedAccessor(8),
        md.accessors.FillAccessor(),
    ],
)
def test_hints_and_index_rules_do_not_matter(library, accessor):
    made = md.MDView(numbers(), (3, 4), md.LayoutRight(), accessor)
    assert library.function("right2", "read")(made) == library.function("right2", "read")(view((3, 4)))


def test_unaligned_data_is_refused(library):
    made = md.MDView(memoryview(bytearray(104))[4:100].cast("d"), (3, 4))
    with pytest.raises(AccessorError, match="the data of argument 0 begins 4 bytes past a multiple of 8"):
        library.function("right2", "read")(made)


@pytest.mark.parametrize("extents", [(0, 4), (3, 0), (0, 0)])
def test_an_empty_view_may_be_anywhere(library, extents):
    made = md.MDView(memoryview(bytearray(9))[1:1].cast("d"), extents)
    for way in WAYS:
        assert library.function("right2", "read", way)(made) == 0
    for way in ("value", "portable"):
        assert library.function("right2", "return", way)(made).shape == extents


def test_numbers_beyond_the_index_type_are_refused(library):
    made = md.MDView(array("q", bytes(8 * 40000)), (2, 1, 1), md.LayoutStride((39999, 1, 1)))
    for way in WAYS:
        with pytest.raises(ConversionError, match="stride 39999 of dimension 0 is not from -32768 to 32767"):
            library.function("short_index", "read", way)(made)


def test_a_returned_view_shares_the_storage_and_keeps_it_locked(library):
    data = numbers()
    got = library.function("stride2", "return")(md.MDView(data, (3, 4))[1:, ::2])
    with pytest.raises(BufferError):
        data.append(1.0)
    got[0, 0] = -1.0
    assert data[4] == -1.0
    got.release()
    del got
    gc.collect()
    data.append(1.0)


class Keeper:
    """Keeps the memory that a function returns."""


def test_memory_of_nobody_needs_an_owner_that_then_lives_as_long_as_the_view(library):
    function = cpp.function(library.library.own, ctypes.c_int64, returns=library.types["stride2"], abi=library.abi)
    with pytest.raises(ConversionError, match="of memory that is no argument's; name the object that keeps it"):
        function(2)
    owner = Keeper()
    alive = ref(owner)
    got = function(2, owner=owner)
    del owner
    gc.collect()
    assert alive() is not None
    assert got.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.asarray(got).sum() == 15
    got[1, 2] = 50
    assert function(2, owner=library)[1, 2] == 50
    got[1, 2] = 5
    del got
    gc.collect()
    assert alive() is None
    assert function(0).tolist() == []
    with pytest.raises(NullViewError, match="with a null pointer"):
        function(-1, owner=library)


def test_a_struct_of_another_type_is_refused(library):
    target = library.library.stride2_give
    for text, rule in {
        "double": "and const elements of 8 bytes",
        "float": "elements of 8 bytes and kind 'f'",
        "std::int64_t": "elements of 8 bytes and kind 'f'",
    }.items():
        returns = library.types["const_stride"].replace("const double", text)
        key = "const_stride" if text == "double" else "stride2"
        function = cpp.function(getattr(library.library, f"{key}_give"), library.types[key], returns=returns)
        with pytest.raises(ConversionError, match=rule):
            function(view((3, 4)))
    fixed = cpp.function(target, library.types["stride2"], returns=library.types["stride_fixed"])
    assert fixed(view((3, 4))).static_extents == (3, 4)
    with pytest.raises(ConversionError, match="extent 4 of dimension 0 is not the static extent 3"):
        fixed(view((4, 3)))


def test_arguments_are_counted(library):
    with pytest.raises(OperandError, match="the function takes 1 argument, 2 given"):
        library.function("right2", "read")(view((3, 4)), 3)


def test_the_header_checks_for_itself(library):
    """What Python was told wrongly of a function, the header tells: it knows the real type."""
    call = library.library.left_mixed_check
    text = library.types["stride2"]
    check = cpp.function(call, text, returns=ctypes.c_int)
    assert check(view((3, 4))) == 2  # bytes of the elements
    integers = cpp.function(call, text.replace("double", "std::int32_t"), returns=ctypes.c_int)
    assert integers(view((3, 4), letter="i")) == 3  # their kind
    floats = cpp.function(call, text.replace("<double", "<const float"), returns=ctypes.c_int)
    assert floats(md.readonly(view((3, 4), letter="f"))) == 4  # const
    assert floats(view((2, 4), letter="f")) == 5  # a static extent
    assert floats(view((3, 4), letter="f")) == 7  # strides
    assert floats(view((3, 4), md.LayoutLeft(), letter="f")) == 0
    assert floats(view((3, 0), letter="f")) == 0
    text = "std::mdspan<std::int64_t, std::dims<3, std::int64_t>, std::layout_stride>"
    check = cpp.function(library.library.short_index_check, text, returns=ctypes.c_int)
    for rows, expected in ((163, 0), (164, 6)):  # the span, of a type with an index of 16 bits
        assert check(md.MDView(array("q", bytes(8 * 200 * rows)), (rows, 1, 200))) == expected


def test_types_that_are_not_passed(library):
    target = library.library.right2_value
    with pytest.raises(CppTypeError, match="an mdspan is returned by value"):
        cpp.function(target, returns=library.types["right2"] + "*")
    with pytest.raises(
        (TypeError, ValueError), match="a parameter must be the text of an mdspan type or a type of ctypes"
    ):
        cpp.function(target, 3)
    with pytest.raises((TypeError, ValueError), match="returns must be the text"):
        cpp.function(target, returns=float)
    with pytest.raises(OperandError, match="a C\\+\\+ function is one of a library"):
        cpp.function(print)
    for abi in ("portable", library.abi):
        with pytest.raises(
            OperandError, match=r"the type of a parameter must be the type of a view, mdspan<\.\.\.>: a mapping has no"
        ):
            cpp.function(target, "std::layout_left::mapping<std::dims<2>>", abi=abi)
    with pytest.raises((TypeError, ValueError), match="abi must be one of 'portable'"):
        cpp.function(target, abi="itanium")


def test_assertions_compile_for_the_abi_and_for_no_other(library):
    texts = library.types.values()
    right = "".join(cpp.assertions(text, abi=library.abi) for text in texts)
    right += cpp.assertions(view((md.dim(3), 4)), abi=library.abi)
    assert libraries.compile_error(library.name, f'#include "mdview.hpp"\n{right}') == ""
    wrong = cpp.assertions(library.types["right2"], abi=library.abi).replace("== 24", "== 32")
    assert "static assertion" in libraries.compile_error(library.name, f'#include "mdview.hpp"\n{wrong}')
    if library.abi == "libc++":  # that of libstdc++ is of the same size
        other = cpp.assertions(library.types["right2"], abi="libstdc++")
        assert "the C++ library is not libstdc++" in libraries.compile_error(library.name, other)


def test_the_header_refuses_other_types_at_compile_time(library):
    use = '#include "mdview.hpp"\nint f(const mdview::strided<1>* s) {{ return (int)mdview::check<{}>(*s); }}\n'
    assert libraries.compile_error(library.name, use.format(library.types["right1"])) == ""
    assert libraries.compile_error(library.name, use.format(library.types["right2"])) != ""


def test_the_program_of_the_page_runs(library):
    page = (Path(__file__).parents[3] / "docs" / "interop_cpp.md").read_text(encoding="utf-8")
    code, calls = (re.search(f"```{kind}\n(.*?)```", page, re.DOTALL).group(1) for kind in ("cpp", "python"))
    if library.name == "CCCL":
        code = code.replace("std::", "cuda::std::").replace("a[i, j]", "a(i, j)")
    code = code.replace('extern "C" void', 'extern "C" MDVIEW_EXPORT void')
    path = libraries.build(library.name, code)
    names = {}
    exec(calls.replace("./libscale.so", str(path)), names)
    assert names["view"].tolist() == [[0, 2, 4], [3, 8, 10]]
