"""Partners: whose memory is viewed, and whose is not there, with a way that works."""

import pytest

from mdview import LayoutLeft, LayoutRight, LayoutStride, ReadOnlyAccessor, asview
from mdview.errors import BufferFormatError

np = pytest.importorskip("numpy")
pytestmark = pytest.mark.deep


def refused(given, message):
    with pytest.raises(BufferFormatError, match=message):
        asview(given)


def shares(given, expected, layout=LayoutRight(), *, readonly=True):  # noqa: B008 - a frozen value
    """Assert that a view of something is this, twice from the same memory."""
    view = asview(given)
    assert (view.tolist(), view.layout, view.data is given) == (expected, layout, True)
    assert isinstance(view.accessor, ReadOnlyAccessor) is readonly
    assert np.shares_memory(np.asarray(view), np.asarray(asview(given)))


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas", minversion="3")
    shares(pd.Series([1.0, 2.0]), [1.0, 2.0])
    shares(pd.Series(np.arange(6.0))[::2], [0.0, 2.0, 4.0], LayoutStride((2,)))
    shares(pd.Series([1, 2], dtype="Int64"), [1, 2])
    shares(pd.Series([True]), [True])
    shares(pd.Index([1, 2]), [1, 2])
    shares(pd.DataFrame(np.array([[1.0, 2.0], [3.0, 4.0]])), [[1.0, 2.0], [3.0, 4.0]], LayoutLeft())
    assert asview(pd.Series(pd.date_range("2020", periods=2))).extents == (2,)
    for given in (
        pd.Series([1, None], dtype="Int64"),
        pd.Series(["a"]),
        pd.Series(["a"], dtype="category"),
        pd.Series(pd.date_range("2020", periods=2, tz="UTC")),
        pd.Series(pd.arrays.SparseArray([0, 1])),
    ):
        refused(given, r"Series gives none: Unable to avoid copy .*asview\(series.to_numpy\(na_value=value\)\)")
    assert asview(pd.Series([1, None], dtype="Int64").to_numpy("d", na_value=0)).tolist() == [1.0, 0.0]
    assert asview(pd.Series(["a"], dtype="category").cat.codes).tolist() == [0]
    mixed = pd.DataFrame({"a": [1], "b": [2.0]})
    refused(mixed, r"DataFrame gives none: .*take one of its columns, asview\(frame\['name'\]\)")
    assert asview(mixed["b"]).tolist() == [2.0]
    refused(pd.MultiIndex.from_tuples([(1, 2)]), "if a copy will do, write asview")


def test_columns_of_polars():
    pl = pytest.importorskip("polars")
    shares(pl.Series([1.0, 2.0]), [1.0, 2.0])
    shares(pl.Series([[1, 2], [3, 4]], dtype=pl.Array(pl.Int64, 2)), [[1, 2], [3, 4]])
    frame = pl.DataFrame(np.asfortranarray(np.array([[1.0, 2.0], [3.0, 4.0]])))
    shares(frame, [[1.0, 2.0], [3.0, 4.0]], LayoutLeft())
    for given in (pl.Series([1, None]), pl.Series(["a"]), pl.Series([True])):
        refused(given, r"Series gives none: copy not allowed.*asview\(series.fill_null\(value\)\)")
    assert asview(pl.Series([1, None]).fill_null(0)).tolist() == [1, 0]
    parts = pl.concat([pl.Series([1]), pl.Series([2])], rechunk=False)
    refused(parts, r"asview\(series.rechunk\(\)\)")
    assert asview(parts.rechunk()).tolist() == [1, 2]
    mixed = pl.DataFrame({"a": [1], "b": [2.0]})
    refused(mixed, r"take one of its columns, asview\(frame\['name'\]\)")
    assert asview(mixed["b"]).tolist() == [2.0]
    refused(mixed.lazy(), r"asview\(frame.collect\(\)\['name'\]\)")


def test_arrays_of_arrow():
    pa = pytest.importorskip("pyarrow", minversion="20")
    shares(pa.array([1, 2, 3]), [1, 2, 3])
    shares(pa.array([1, 2, 3])[1:], [2, 3])
    shares(pa.array(np.arange(3).astype("f2")), [0.0, 1.0, 2.0])
    shares(pa.py_buffer(b"ab"), [97, 98])
    shares(pa.Tensor.from_numpy(np.arange(4.0).reshape(2, 2).T), [[0.0, 2.0], [1.0, 3.0]], LayoutLeft(), readonly=False)
    strided = pa.Tensor.from_numpy(np.arange(6.0).reshape(2, 3)[:, ::2])
    shares(strided, [[0.0, 2.0], [3.0, 5.0]], LayoutStride((3, 2)), readonly=False)
    assert asview(pa.array(np.arange(3).astype("M8[s]"))).extents == (3,)
    refused(pa.array([1, None]), r"on arrays with no nulls; .*asview\(array.fill_null\(value\)\)")
    assert asview(pa.array([1, None]).fill_null(0)).tolist() == [1, 0]
    refused(pa.array([True]), r"cast it, which is a copy: asview\(array.cast\('uint8'\)\)")
    assert asview(pa.array([True]).cast("uint8")).tolist() == [1]
    refused(pa.array(["ab"]), r"lie in its buffers: asview\(array.buffers\(\)\[-1\]\)")
    assert asview(pa.array(["ab"]).buffers()[-1]).tolist()[:2] == [97, 98]
    chunked = pa.chunked_array([[1, 2], [3]])
    refused(chunked, r"asview\(array.chunk\(0\)\), or join them: asview\(array.combine_chunks\(\)\)")
    assert asview(chunked.combine_chunks()).tolist() == [1, 2, 3]
    refused(pa.table({"a": [1]}), r"asview\(table\['name'\].combine_chunks\(\)\)")
    refused(pa.record_batch({"a": [1]}), r"asview\(batch\['name'\]\)")
