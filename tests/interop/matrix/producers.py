"""Producers: what has memory that `asview` takes, as its users make it, and what becomes of it."""

import array
import ctypes
import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import Array, Value
from types import SimpleNamespace

import numpy as np
from matrix_outcomes import TAKEN

SHARED, READ_ONLY, REFUSED = "shared", "read-only", "refused"


@dataclass(frozen=True)
class Producer:
    """What `asview` is given.

    Attributes
    ----------
    name, package
        The expression as the page has it, and the package that must be there.
    make
        Makes the object; it is given a namespace to keep others alive in.
    outcome
        Whether the view shares the memory and stores, or only reads, or there is none.
    way
        A part of the error: what to write instead.
    values
        The values of the object, as an array.
    is_alone
        Whether it runs in a process of its own.
    """

    name: str
    package: str
    make: Callable
    outcome: str = SHARED
    way: str = ""
    values: Callable = np.array
    is_alone: bool = False

    def gives(self, outcome):
        """Tell whether an outcome is the expected one; without an element there is nothing to tell by."""
        if outcome.what == TAKEN:
            return self.outcome == SHARED
        return outcome.what == self.outcome and self.way in outcome.said


def here(name, make, outcome=SHARED, way="", values=np.array):
    """Make a producer of the standard library."""
    return Producer(name, "builtins", make, outcome, way, values)


def of_numpy(name, make, outcome=SHARED, way=""):
    """Make a producer of NumPy."""
    return Producer(name, "numpy", make, outcome, way)


def of_torch(name, make, outcome=SHARED, way="", values=lambda t: t.detach().resolve_conj().numpy()):
    """Make a producer of torch."""
    return Producer(name, "torch", lambda k: make(import_module("torch")), outcome, way, values, is_alone=True)


def of_jax(name, make, outcome=READ_ONLY, way=""):
    """Make a producer of JAX."""
    return Producer(name, "jax", lambda k: make(import_module("jax.numpy")), outcome, way, is_alone=True)


def of_arrow(name, make, outcome=READ_ONLY, way="", values=lambda a: np.array(a.to_numpy())):
    """Make a producer of pyarrow."""
    return Producer(name, "pyarrow", lambda k: make(import_module("pyarrow")), outcome, way, values)


def of(package, name, make, outcome=SHARED, way="", values=np.array):
    """Make a producer of a package."""
    return Producer(name, package, lambda k: make(import_module(package)), outcome, way, values)


def grid(dtype="f8"):
    """Return 4 × 6 items."""
    return np.arange(1, 25).astype(dtype).reshape(4, 6)


def dataset(keep):
    """Return a dataset of a file in memory."""
    keep.file = import_module("h5py").File("memory", "w", driver="core", backing_store=False)
    return keep.file.create_dataset("grid", data=grid())


READ_ONLY_ARRAY = grid()
READ_ONLY_ARRAY.flags.writeable = False
RECORDS = np.zeros((2, 3), [("x", "<i4"), ("y", "<f8")])
IMAGE, MODES = "asview(np.asarray(image))", ("L", "RGB", "I;16", "1")

PRODUCERS = {
    each.name: each
    for each in (
        here("array.array('d', …)", lambda k: array.array("d", range(6))),
        here("bytearray(…)", lambda k: bytearray(b"abcdef"), values=lambda b: np.frombuffer(bytes(b), "u1")),
        here("bytes(…)", lambda k: b"abcdef", READ_ONLY, values=lambda b: np.frombuffer(b, "u1")),
        here("memoryview(…)[::-2]", lambda k: memoryview(array.array("d", range(6)))[::-2]),
        here("ctypes array", lambda k: (ctypes.c_double * 3 * 2)((1, 2, 3), (4, 5, 6)), values=np.array),
        here("BytesIO(…)", lambda k: io.BytesIO(b"abc"), REFUSED, "asview(stream.getbuffer())"),
        here("ctypes pointer", lambda k: ctypes.pointer(ctypes.c_int(3)), REFUSED, "asview(pointer.contents)"),
        here("multiprocessing.Array('d', 3)", lambda k: Array("d", 3), REFUSED, "asview(array.get_obj())"),
        here("multiprocessing.Value('d', 3)", lambda k: Value("d", 3), REFUSED, "asview(value.get_obj())"),
        here("[1, 2, 3]", lambda k: [1, 2, 3], REFUSED, "MDView(data, extents)"),
        of_numpy("ndarray", lambda k: grid()),
        of_numpy("ndarray, read-only", lambda k: READ_ONLY_ARRAY, READ_ONLY),
        of_numpy("one field of records", lambda k: RECORDS.copy()["y"]),
        of_numpy("np.ma.array(…)", lambda k: np.ma.array([1.0, 2.0], mask=[0, 1]), REFUSED, "array.filled(value)"),
        of_torch("tensor", lambda torch: torch.arange(6.0).reshape(2, 3)),
        of_torch("tensor.T", lambda torch: torch.arange(6.0).reshape(2, 3).T),
        of_torch("tensor[:, ::2]", lambda torch: torch.arange(6.0).reshape(2, 3)[:, ::2]),
        of_torch("tensor.expand(…)", lambda torch: torch.arange(3.0).expand(4, 3)),
        of_torch("tensor, empty", lambda torch: torch.zeros(0, 3)),
        of_torch("tensor, rank 0", lambda torch: torch.tensor(1.0)),
        of_torch("tensor.half()", lambda torch: torch.arange(6.0).half()),
        of_torch("tensor with gradients", lambda torch: torch.ones(3, requires_grad=True), REFUSED, "detach()"),
        of_torch("tensor.bfloat16()", lambda torch: torch.ones(3).bfloat16(), REFUSED, "tensor.view(torch.int16)"),
        of_torch("tensor.conj()", lambda torch: torch.ones(3, dtype=torch.cfloat).conj(), REFUSED, "resolve_conj()"),
        of_torch("tensor.to_sparse()", lambda torch: torch.ones(3).to_sparse(), REFUSED, "to_dense()"),
        of_jax("jnp array", lambda jnp: jnp.arange(6.0).reshape(2, 3)),
        of_jax("jnp array.T", lambda jnp: jnp.arange(6.0).reshape(2, 3).T),
        of_jax("jnp array, rank 0", lambda jnp: jnp.float32(1)),
        of_jax("jnp array of bool", lambda jnp: jnp.arange(3) > 1),
        of_jax("jnp array of complex", lambda jnp: jnp.arange(3, dtype=jnp.complex64)),
        of_jax("jnp array of bfloat16", lambda jnp: jnp.ones(3, jnp.bfloat16)),
        of_arrow("pa.array(…)", lambda pa: pa.array([1.0, 2.0, 3.0])),
        of_arrow("pa.array(…).slice(1)", lambda pa: pa.array([1.0, 2.0, 3.0]).slice(1)),
        of_arrow("pa.array(…) with nulls", lambda pa: pa.array([1.0, None]), REFUSED, "fill_null(value)"),
        of_arrow(
            "pa.array(…).slice(1) of bool",
            lambda pa: pa.array([True, False, True]).slice(1),
            values=lambda a: np.array(a.to_numpy(zero_copy_only=False)),
        ),
        of_arrow(
            "pa.FixedSizeListArray.slice(1)",
            lambda pa: pa.FixedSizeListArray.from_arrays(pa.array(range(8)), 2).slice(1),
            values=lambda a: np.array(a.to_pylist()),
        ),
        of_arrow("pa.chunked_array(…)", lambda pa: pa.chunked_array([[1], [2]]), REFUSED, "combine_chunks()"),
        of_arrow("pa.array(…) of texts", lambda pa: pa.array(["ab"]), REFUSED, "to_numpy(zero_copy_only=False)"),
        of_arrow("pa.record_batch(…)", lambda pa: pa.record_batch({"name": [1]}), REFUSED, "batch['name']"),
        of_arrow("pa.Tensor", lambda pa: pa.Tensor.from_numpy(grid()), SHARED),
        of_arrow("pa.py_buffer(b'…')", lambda pa: pa.py_buffer(b"abc"), values=lambda b: np.frombuffer(b, "i1")),
        of_arrow("pa.table(…)", lambda pa: pa.table({"name": [1]}), REFUSED, "combine_chunks()"),
        of("pandas", "pd.Series(…)", lambda pd: pd.Series([1.0, 2.0]), READ_ONLY),
        of("pandas", "pd.Series(…)[::2]", lambda pd: pd.Series(np.arange(6.0))[::2], READ_ONLY),
        of("pandas", "pd.Index(…)", lambda pd: pd.Index([1, 2]), READ_ONLY),
        of("pandas", "pd.DataFrame(array)", lambda pd: pd.DataFrame(grid()), READ_ONLY),
        of("pandas", "pd.Series of texts", lambda pd: pd.Series(["a"]), REFUSED, "to_numpy"),
        of("pandas", "pd.Series of categories", lambda pd: pd.Series(["a"], dtype="category"), REFUSED, "cat.codes"),
        of("pandas", "pd.Series with nulls", lambda pd: pd.Series([1, None], dtype="Int64"), REFUSED, "to_numpy"),
        of("pandas", "pd.DataFrame(…)", lambda pd: pd.DataFrame({"name": [1], "b": [2.0]}), REFUSED, "frame['name']"),
        of("polars", "pl.Series(…)", lambda pl: pl.Series([1.0, 2.0]), READ_ONLY),
        of("polars", "pl.DataFrame(array)", lambda pl: pl.DataFrame(np.asfortranarray(grid())), READ_ONLY),
        of("polars", "pl.Series of arrays", lambda pl: pl.Series([[1, 2]], dtype=pl.Array(pl.Int64, 2)), READ_ONLY),
        of("polars", "pl.Series of texts", lambda pl: pl.Series(["a"]), REFUSED, "to_numpy()"),
        of("polars", "pl.Series(…) with nulls", lambda pl: pl.Series([1.0, None]), REFUSED, "fill_null(value)"),
        of("polars", "pl.concat(…)", lambda pl: pl.concat([pl.Series([1])] * 2, rechunk=False), REFUSED, "rechunk()"),
        of("polars", "pl.LazyFrame(…)", lambda pl: pl.LazyFrame({"name": [1]}), REFUSED, "frame.collect()['name']"),
        of("polars", "pl.DataFrame(…)", lambda pl: pl.DataFrame({"name": [1], "b": ["x"]}), REFUSED, "frame['name']"),
        *(of("PIL.Image", f"Image.new('{m}', …)", lambda i, m=m: i.new(m, (3, 2)), REFUSED, IMAGE) for m in MODES),
        Producer("h5py Dataset", "h5py", dataset, REFUSED, "asview(dataset[...])"),
        Producer("dataset[...]", "h5py", lambda k: dataset(k)[...]),
        of("zarr", "zarr Array", lambda zarr: zarr.create_array({}, data=grid()), REFUSED, "from_zarr(array)"),
        of("zarr", "array[...]", lambda zarr: zarr.create_array({}, data=grid(), chunks=(2, 3))[...]),
        of("xarray", "xarray.DataArray(…)", lambda xarray: xarray.DataArray(grid())),
    )
}


def kept():
    """Return a namespace, which keeps alive what an object belongs to."""
    return SimpleNamespace()
