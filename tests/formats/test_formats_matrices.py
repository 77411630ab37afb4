"""Matrices of numerical libraries, compared with what SciPy's LAPACK and SciPy itself store."""

from itertools import product

import numpy as np
import pytest
from owners import RANDOM, agrees, formats, noise, numbers, read, shapes


def symmetric(n):
    """Return a matrix each element of whose triangle is another number."""
    full = np.arange(1.0, n * n + 1).reshape(n, n)
    return full + full.T


@pytest.mark.parametrize("uplo", ["U", "L"])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_packed_is_what_lapack_packs(uplo, n):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    packed, status = lapack.dtrttp(np.asfortranarray(symmetric(n)), uplo=uplo)
    assert (status, formats.lapack_packed((n, n), uplo).required_span_size) == (0, len(packed))
    agrees(formats.lapack_packed((n, n), uplo), packed, "d", symmetric(n))


@pytest.mark.parametrize("transr", ["N", "T"])
@pytest.mark.parametrize("uplo", ["U", "L"])
@pytest.mark.parametrize("n", range(1, 10))
def test_the_parts_of_rfp_are_what_lapack_packs(n, uplo, transr):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    full = symmetric(n)
    packed, status = lapack.dtrttf(np.asfortranarray(full), transr=transr, uplo=uplo)
    half = n // 2
    wide = read(formats.lapack_rfp((n, n), transr, uplo), packed, "d")
    rest = read(formats.lapack_rfp((n, n), transr, uplo, "rest"), packed, "d")
    upper, before = uplo == "U", half if uplo == "U" else 0
    triangle = [(i, j) for i, j in product(range(n), repeat=2) if (i <= j if upper else i >= j)]
    seen = set()
    for i, j in triangle:
        in_wide = j >= half if upper else j < n - half
        corner = 0 if upper else n - half
        assert (wide[i, j - before] if in_wide else rest[i - corner, j - corner]) == full[i, j]
        seen.add(full[i, j])
    assert status == 0
    assert seen <= set(packed.tolist())


def banded(shape, lower, upper):
    return np.triu(np.tril(numbers(shape).astype(float), upper), -lower)


def test_a_band_is_that_of_blas():
    blas = pytest.importorskip("scipy.linalg.blas", reason="SciPy is not installed")
    for shape in shapes((2,), 12, shortest=7, longest=12):
        lower, upper = RANDOM.randint(0, 3), RANDOM.randint(0, 3)
        full, x = banded(shape, lower, upper), np.arange(2.0, shape[1] + 2)
        stored = stored_band(full, lower, upper, formats.lapack_band(shape, lower, upper))
        assert blas.dgbmv(*shape, lower, upper, 1.0, stored, x).tolist() == (full @ x).tolist()


def test_a_band_is_that_of_lapack_with_room_for_factors():
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    full, solution = banded((6, 6), 2, 1) + 50.0 * np.eye(6), np.arange(1.0, 7)
    stored = stored_band(full, 2, 1, formats.lapack_band((6, 6), 2, 1, 6), 6, rows_kept=0.0)
    *_, found, status = lapack.dgbsv(2, 1, stored, full @ solution)
    assert status == 0
    np.testing.assert_allclose(found, solution)


def stored_band(full, lower, upper, mapping, height=0, rows_kept=np.nan):
    """Return LAPACK's array AB of a matrix, written element by element; other places are never looked at."""
    memory = np.full(((height or lower + upper + 1), full.shape[1]), rows_kept, order="F")
    flat = memory.ravel("K")
    for i, j in product(*map(range, full.shape)):
        if -lower <= j - i <= upper:
            flat[mapping.layout.offset(full.shape, (i, j))] = full[i, j]
    return flat.reshape(memory.shape, order="F")


def test_lapack_puts_a_band_as_in_its_example():
    """*LAPACK Users' Guide*, "Band Storage": m = n = 5, kl = 2, ku = 1; rows of AB, None where it has an asterisk."""
    rows = ((None, 12, 23, 34, 45), (11, 22, 33, 44, 55), (21, 32, 43, 54, None), (31, 42, 53, None, None))
    band = formats.lapack_band((5, 5), 2, 1)
    for row, line in enumerate(rows):
        for column, element in enumerate(line):
            if element is not None:
                assert band(element // 10 - 1, element % 10 - 1) == row + 4 * column, element


def test_diagonals_of_solve_banded_are_rows():
    linalg = pytest.importorskip("scipy.linalg", reason="SciPy is not installed")
    for n in (4, 6, 9):
        full, solution = banded((n, n), 2, 1) + 200.0 * np.eye(n), np.arange(1.0, n + 1)
        ab = np.zeros((4, n))
        view = formats.view_bytes(ab, formats.scipy_banded((4, n)), "d")
        for k, j in product(range(4), range(n)):
            if 0 <= j + k - 1 < n:
                view[k, j] = full[j + k - 1, j]
        np.testing.assert_allclose(linalg.solve_banded((2, 1), ab, full @ solution), solution)


@pytest.mark.parametrize("n", range(2, 10))
def test_three_diagonals_are_those_of_lapack(n):
    lapack = pytest.importorskip("scipy.linalg.lapack", reason="SciPy is not installed")
    full, solution = banded((n, n), 1, 1) + 200.0 * np.eye(n), np.arange(1.0, n + 1)
    memory = np.zeros(3 * n - 2)
    view = formats.view_bytes(memory, formats.lapack_tridiagonal((3, n)), "d")
    for k, j in product(range(3), range(n)):
        if 0 <= j + 1 - k < n:
            view[k, j] = full[j + 1 - k, j]
    lower, main, upper = memory[: n - 1], memory[n - 1 : 2 * n - 1], memory[2 * n - 1 :]
    *_, found, status = lapack.dgtsv(lower, main, upper, full @ solution)
    assert status == 0
    np.testing.assert_allclose(found, solution)


@pytest.mark.parametrize("n", range(2, 13))
def test_distances_of_pairs_are_those_of_scipy(n):
    distance = pytest.importorskip("scipy.spatial.distance", reason="SciPy is not installed")
    condensed = np.arange(1.0, n * (n - 1) // 2 + 1)
    got, full = read(formats.squareform((n - 1, n - 1)), condensed, "d"), distance.squareform(condensed)
    for i in range(n):
        for j in range(i + 1, n):
            assert got[i, j - 1] == full[i, j]


def test_diagonals_of_scipy_hold_elements_by_column():
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed")
    for rows, columns in shapes((2,), 8):
        offsets = sorted({RANDOM.randint(1 - rows, columns - 1) for _ in range(3)})
        stored = sparse.dia_array((noise((len(offsets), columns), "f8"), offsets), shape=(rows, columns))
        data, full = read(formats.scipy_dia(stored.data.shape), stored.data, "d"), stored.toarray()
        for k, diagonal in enumerate(offsets):
            for j in range(columns):
                if 0 <= j - diagonal < rows:
                    assert data[k, j] == full[j - diagonal, j]


def test_ellpack_is_the_example_of_its_article():
    """Bell and Garland, 2008, figure 6: rows (1 7), (2 8), (5 3 9), (6 4), stored entry after entry."""
    memory = np.array([1, 2, 5, 6, 7, 8, 3, 4, 0, 0, 9, 0], "<i4")
    rows = read(formats.ellpack((4, 3)), memory, "<i4")
    assert rows.tolist() == [[1, 7, 0], [2, 8, 0], [5, 3, 9], [6, 4, 0]]
    assert read(formats.ellpack((3, 3), 4), memory, "<i4").tolist() == rows[:3].tolist()


@pytest.mark.parametrize("shape", [(5, 3), (8, 2), (1, 4)], ids=str)
def test_a_leading_dimension_is_that_of_the_upper_rows_of_a_fortran_array(shape):
    whole = np.asfortranarray(numbers((8, shape[1])))
    agrees(formats.lapack(shape, 8), whole.ravel("K"), "<i4", whole[: shape[0]])
