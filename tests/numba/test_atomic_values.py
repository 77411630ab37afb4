"""References in arithmetic: whatever a kernel computes of elements, it computes of references to them."""

import math

import pytest

import mdview as md

numba = pytest.importorskip("numba")
np = pytest.importorskip("numpy")
pytest.importorskip("mdview.numba")
TypingError = pytest.importorskip("numba.core.errors").TypingError

OF_NUMBERS = """x + r; r + x; r - s; x * r; r / s; x // r; r % s; r ** 2; x ** r; 2 + r; r + 1.5; r + True
-r; +r; abs(r); not r; 1 if r else 2; float(r); int(r); complex(r); bool(r); round(r); r < s; x <= r; r > 2; r >= s
r == x; 2 != r; s < r < x; divmod(r, s); pow(r, s); math.sqrt(r); math.sin(x * r); math.atan2(r, s); math.floor(r)
math.isnan(r); math.pow(x, r)"""
OF_INTEGERS = """
r & s; x | r; r ^ 3; r << 1; 9 >> r; ~r; places[r]"""
TOGETHER = 16
"""Expressions in one compiled function: compiling each alone takes much longer, and long tuples are not compiled."""


def compiled(head, body, texts):
    names = {"math": math}
    exec(f"def f({head}):\n    {body}places = [7, 8, 9, 10]\n    return {', '.join(texts)},\n", names)
    return numba.njit(names["f"])


@pytest.mark.parametrize("code", ["d", "f", "q", "B"])
def test_a_reference_is_its_number(code):
    data = np.array([3, 2], dtype=code)
    x, view = data.dtype.type(5), md.atomic(md.asview(data))
    texts = (OF_NUMBERS + OF_INTEGERS * (code in "qB")).replace("\n", "; ").split("; ")
    for first in range(0, len(texts), TOGETHER):
        some = texts[first : first + TOGETHER]
        found = compiled("v, x", "r, s = v[0], v[1]; ", some)(view, x)
        expected = compiled("r, s, x", "", some)(*data, x)
        for text, of_references, of_numbers in zip(some, found, expected, strict=True):
            assert (text, repr(of_references), type(of_references)) == (text, repr(of_numbers), type(of_numbers))
    assert data.tolist() == [3, 2]


@numba.njit
def total(v):
    found = 0.0
    for i in range(v.extent(0)):
        for j in range(v.extent(1)):
            found += v[i, j]
    return found


@pytest.mark.parametrize("layout", [md.LayoutRight(), md.LayoutTiled(2, 2), md.LayoutMorton()])
def test_elements_of_an_atomic_view_are_summed(layout):
    mapping = md.Mapping((3, 5), layout)
    view = md.MDView.from_mapping(np.arange(mapping.required_span_size) / 3, mapping)
    assert total(md.atomic(view)) == total(view)
    assert total(md.atomic(view)[::-1, 1:]) == total(view[::-1, 1:])


@numba.njit
def count(keys, out):
    for i in range(len(keys)):
        out[keys[i], 0] += 1


def test_a_reference_is_an_index():
    keys, out = md.atomic(md.asview(np.array([0, 2, 2, -1]))), np.zeros((3, 1))
    count(keys, md.atomic(md.asview(out)))
    assert out.tolist() == [[1], [0], [3]]


@numba.njit
def copy(v, out):
    for i in range(len(out)):
        out[i] = v[i]


def test_a_reference_is_stored_as_its_number():
    given = md.atomic(md.asview(np.array([4, 5])))
    plain, other, array = np.zeros(2), np.zeros(2, "i"), np.zeros(2)
    copy(given, md.asview(plain))
    copy(given, md.atomic(md.asview(other)))
    copy(given, array)
    assert plain.tolist() == other.tolist() == array.tolist() == [4, 5]


def test_a_variable_is_a_reference_or_a_number():
    @numba.njit
    def either(v, chosen):
        found = v[0]
        if chosen:
            found = 0
        return found + 1

    with pytest.raises(TypingError, match=r"Cannot unify AtomicRef\(int64\)"):
        either(md.atomic(md.asview(np.zeros(1, "q"))), True)
