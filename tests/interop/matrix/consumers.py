"""Consumers: what takes a view, each as its users call it, and how what it has made is read back."""

import array
import ctypes
import hashlib
import io
import socket
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np


def nothing(taken):
    """Store nowhere."""
    return


def itself(taken):
    """Return what is an array."""
    return taken


@dataclass(frozen=True)
class Consumer:
    """What takes a view.

    Attributes
    ----------
    name, package
        The call as the page has it, and the package that must be there.
    take
        Calls it with a view.
    values
        The values that the result has now.
    storing
        An array of the result's memory through which one stores; None if there is none.
    expected
        What `values` is to give for a view.
    is_alone
        Whether it runs in a process of its own, which it may end, or start threads in.
    """

    name: str
    package: str
    take: Callable
    values: Callable = np.array
    storing: Callable = nothing
    expected: Callable = np.array
    is_alone: bool = False


def of(package, path):
    """Return a function of a package, which is loaded when it is called."""

    def call(view):
        return _find(package, path)(view)

    return call


def _find(package, path):
    found = import_module(package)
    for name in path.split("."):
        found = getattr(found, name)
    return found


def as_bytes(view):
    """Return the bytes that a buffer in C order has."""
    return np.array(view).tobytes()


def in_memory_order(view):
    """Return the bytes that a buffer in C or Fortran order has, as they lie."""
    return np.array(view, order="K").tobytes("A")


def as_column(view):
    """Return the values of a view; those of a row as a column."""
    array = np.array(view)
    return array.reshape(-1, 1) if array.ndim == 1 else array


def raw(name, take, *, values=bytes, storing=nothing, expected=as_bytes):
    """Make a consumer of bytes, of the standard library."""
    return Consumer(name, "builtins", take, values, storing, expected)


def sent(view):
    """Send a view through a pair of sockets."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(view.memoryview())
        ours.shutdown(socket.SHUT_WR)
        return theirs.makefile("rb").read()


def written(view):
    """Write a view into a file."""
    file = io.BytesIO()
    file.write(view.memoryview())
    return file.getvalue()


def ctypes_array(view):
    """Return an array of ctypes over the memory of a view."""
    memory = view.memoryview()
    return (ctypes.c_ubyte * memory.nbytes).from_buffer(memory)


def in_hdf5(view):
    """Write a view into a dataset of a file in memory, and read it."""
    h5py = import_module("h5py")
    with h5py.File("memory", "w", driver="core", backing_store=False) as file:
        return file.create_dataset("view", data=view)[()]


def in_zarr(view):
    """Write a view into an array of a store in memory, and read it."""
    zarr = import_module("zarr")
    return zarr.create_array({}, data=np.asarray(view))[...]


def shown(view):
    """Show a view as an image of Matplotlib."""
    figures = import_module("matplotlib.figure")
    return figures.Figure().subplots().imshow(view)


def arrow(view):
    """Make a tensor of a view."""
    return import_module("pyarrow").Tensor.from_numpy(np.asarray(view))


def of_rank_0(view, out):
    """Copy an element."""
    out[()] = view[()]


def of_rank_1(view, out):
    """Copy a row."""
    for i in range(view.shape[0]):
        out[i] = view[i]


def of_rank_2(view, out):
    """Copy a grid."""
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            out[i, j] = view[i, j]


def in_kernel(view):
    """Return a function that reads the view in a kernel."""
    import_module("mdview.numba")
    out = np.zeros_like(np.array(view))
    kernel = import_module("numba").njit((of_rank_0, of_rank_1, of_rank_2)[view.ndim])

    def read():
        kernel(view, out)
        return out.copy()

    read()
    return read


CONSUMERS = {
    each.name: each
    for each in (
        Consumer("np.asarray(v)", "numpy", np.asarray, storing=itself),
        Consumer("np.array(v, copy=False)", "numpy", lambda v: np.array(v, copy=False), storing=itself),
        Consumer("np.from_dlpack(v)", "numpy", np.from_dlpack, storing=itself),
        Consumer(
            "np.frombuffer(v.memoryview(), …)",
            "numpy",
            lambda v: np.frombuffer(v.memoryview(), v.dtype),
            storing=itself,
            expected=lambda v: np.array(v).reshape(-1),
        ),
        Consumer(
            "torch.from_dlpack(v)", "torch", of("torch", "from_dlpack"), storing=lambda t: t.numpy(), is_alone=True
        ),
        Consumer("torch.as_tensor(v)", "torch", of("torch", "as_tensor"), storing=lambda t: t.numpy(), is_alone=True),
        Consumer("jax.dlpack.from_dlpack(v)", "jax", of("jax.dlpack", "from_dlpack"), is_alone=True),
        Consumer("jnp.asarray(v)", "jax", of("jax.numpy", "asarray"), is_alone=True),
        Consumer("pa.Tensor.from_numpy(np.asarray(v))", "pyarrow", arrow, lambda t: np.array(t.to_numpy())),
        Consumer(
            "pa.array(np.asarray(v))",
            "pyarrow",
            lambda v: import_module("pyarrow").array(np.asarray(v)),
            lambda a: np.array(a.to_numpy(zero_copy_only=False)),
        ),
        Consumer(
            "pa.py_buffer(v.memoryview())",
            "pyarrow",
            lambda v: import_module("pyarrow").py_buffer(v.memoryview()),
            lambda b: b.to_pybytes(),
            expected=in_memory_order,
        ),
        Consumer(
            "pd.DataFrame(np.asarray(v))",
            "pandas",
            lambda v: import_module("pandas").DataFrame(np.asarray(v)),
            expected=as_column,
        ),
        Consumer("pd.Series(v)", "pandas", of("pandas", "Series")),
        Consumer(
            "pl.from_numpy(np.asarray(v))",
            "polars",
            lambda v: import_module("polars").from_numpy(np.asarray(v)),
            lambda f: f.to_numpy(),
            expected=as_column,
        ),
        Consumer(
            "pl.Series(np.asarray(v))",
            "polars",
            lambda v: import_module("polars").Series(np.asarray(v)),
            lambda s: s.to_numpy(),
        ),
        Consumer(
            "PIL.Image.fromarray(np.asarray(v))", "PIL", lambda v: import_module("PIL.Image").fromarray(np.asarray(v))
        ),
        Consumer("h5py create_dataset(data=v)", "h5py", in_hdf5),
        Consumer("zarr create_array(data=np.asarray(v))", "zarr", in_zarr),
        Consumer("xarray.DataArray(v)", "xarray", of("xarray", "DataArray"), storing=lambda a: a.to_numpy()),
        Consumer("ax.imshow(v)", "matplotlib", shown, lambda i: np.array(i.get_array())),
        Consumer("numba.njit(function)(v)", "numba", in_kernel, lambda read: read()),
        raw("memoryview(v), Python 3.12", memoryview, values=lambda m: m.tobytes(), storing=np.asarray),
        raw("v.memoryview()", lambda v: v.memoryview(), values=lambda m: m.tobytes(), storing=np.asarray),
        raw("bytes(v)", bytes),
        raw("array.array('B', bytes(v))", lambda v: array.array("B", bytes(v))),
        raw("file.write(v.memoryview())", written),
        raw("socket.sendall(v.memoryview())", sent),
        raw(
            "zlib.crc32(v.memoryview())",
            lambda v: zlib.crc32(v.memoryview()),
            values=itself,
            expected=lambda v: zlib.crc32(as_bytes(v)),
        ),
        raw(
            "hashlib.sha256(v.memoryview())",
            lambda v: hashlib.sha256(v.memoryview()).digest(),
            expected=lambda v: hashlib.sha256(as_bytes(v)).digest(),
        ),
        raw("ctypes from_buffer(v.memoryview())", ctypes_array, storing=np.frombuffer),
    )
}
