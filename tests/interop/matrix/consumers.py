"""Consumers: what takes a view, each as its users call it, how what it has made is read back, and what to expect."""

import ctypes
import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import expectations as expect
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
    rules
        What becomes of a view: the first rule that speaks of it decides.
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
    rules: tuple[expect.Rule, ...]
    values: Callable = np.array
    storing: Callable = nothing
    expected: Callable = np.array
    is_alone: bool = False

    def decided(self, variant):
        """Return the rule that decides for a variant."""
        return next(each for each in self.rules if not each.kinds or each.speaks_of(variant))


def of(package, name):
    """Return a function of a package, which is loaded when it is called."""
    return lambda view: getattr(import_module(package), name)(view)  # noqa: PLW0108 - not before


def as_bytes(view):
    """Return the bytes that a buffer in C order has."""
    return np.array(view).tobytes()


def in_memory_order(view):
    """Return the bytes that a buffer in C or Fortran order has, as they lie."""
    return np.array(view, order="K").tobytes("A")


def shares(name, take, rules=expect.TENSORS, storing=itself, **more):
    """Make a consumer that stores into the memory of a view; the package is where its name begins."""
    package = {"np": "numpy", "torch": "torch", "xarray": "xarray"}[name.partition(".")[0]]
    return Consumer(name, package, take, rules, storing=storing, **more)


def of_jax(name, module, rules):
    """Make a consumer of JAX, whose arrays keep the values that NumPy has once read of them."""
    take = of(module, name.partition("(")[0].rpartition(".")[2])
    return Consumer(name, "jax", take, rules, lambda a: np.array(of("jax.numpy", "copy")(a)), is_alone=True)


def raw(name, take, rules, *, values=bytes, storing=nothing):
    """Make a consumer of bytes, of the standard library."""
    return Consumer(name, "builtins", take, rules, values, storing, as_bytes)


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


def shown(view):
    """Show a view as an image of Matplotlib."""
    figures = import_module("matplotlib.figure")
    return figures.Figure().subplots().imshow(view)


def elements(view, out):
    """Copy all elements."""
    for i in np.ndindex(view.shape):
        out[i] = view[i]


def in_kernel(view):
    """Return a function that reads the view in a kernel."""
    import_module("mdview.numba")
    out = np.zeros_like(np.array(view))
    kernel = import_module("numba").njit(elements)

    def read():
        kernel(view, out)
        return out.copy()

    read()
    return read


CONSUMERS = {
    each.name: each
    for each in (
        shares("np.asarray(v)", np.asarray, expect.ARRAY),
        shares("np.array(v, copy=False)", lambda v: np.array(v, copy=False), expect.NO_COPY),
        shares("np.from_dlpack(v)", np.from_dlpack),
        shares(
            "np.frombuffer(v.memoryview(), …)",
            lambda v: np.frombuffer(v.memoryview(), v.dtype),
            expect.STRETCH,
            expected=lambda v: np.array(v).reshape(-1),
        ),
        shares("torch.from_dlpack(v)", of("torch", "from_dlpack"), storing=lambda t: t.numpy(), is_alone=True),
        shares("torch.as_tensor(v)", of("torch", "as_tensor"), storing=lambda t: t.numpy(), is_alone=True),
        of_jax("jax.dlpack.from_dlpack(v), JAX 0.12", "jax.dlpack", expect.JAX_TENSOR),
        of_jax("jnp.asarray(v)", "jax.numpy", expect.JAX_ARRAY),
        Consumer(
            "pa.py_buffer(v.memoryview())",
            "pyarrow",
            lambda v: import_module("pyarrow").py_buffer(v.memoryview()),
            expect.ARROW,
            lambda b: b.to_pybytes(),
            expected=in_memory_order,
        ),
        Consumer("pd.Series(v)", "pandas", of("pandas", "Series"), expect.SERIES),
        Consumer("h5py create_dataset(data=v)", "h5py", in_hdf5, expect.HDF5),
        shares("xarray.DataArray(v)", of("xarray", "DataArray"), expect.XARRAY, lambda a: a.to_numpy()),
        Consumer("ax.imshow(v)", "matplotlib", shown, expect.IMAGE, lambda i: np.array(i.get_array())),
        Consumer("numba.njit(function)(v)", "numba", in_kernel, expect.KERNEL, lambda read: read()),
        raw("memoryview(v), Python 3.12", memoryview, expect.BUFFER, values=memoryview.tobytes, storing=np.asarray),
        raw("v.memoryview()", lambda v: v.memoryview(), expect.BUFFER, values=memoryview.tobytes, storing=np.asarray),
        raw("bytes(v)", bytes, expect.BYTES),
        raw("file.write(v.memoryview())", written, expect.WRITTEN),
        raw("ctypes from_buffer(v.memoryview())", ctypes_array, expect.CTYPES, storing=np.frombuffer),
    )
}
