"""Expectations: what becomes of a view at each consumer, as rules by what is particular about the view.

The first rule of a consumer that speaks of a kind of the view decides; where none does, the last word is the consumer's
usual outcome.
"""

import sys
from dataclasses import dataclass

from matrix_outcomes import COPIED, OTHER, SHARED, TAKEN

OURS, THEIRS = "mdview", "partner"


@dataclass(frozen=True)
class Rule:
    """What becomes of views of some kinds.

    Attributes
    ----------
    kinds
        A view of any of them is spoken of.
    what, by, word
        The outcome, and a word of what the error says.
    why
        The reason, as the page gives it.
    """

    kinds: frozenset[str]
    what: str
    by: str = ""
    word: str = ""
    why: str = ""

    def speaks_of(self, variant):
        """Tell whether the rule decides for a variant."""
        return not self.kinds.isdisjoint(variant.kinds)

    def holds(self, outcome):
        """Tell whether an outcome is the expected one; without an element, shared and copied look alike."""
        if outcome.what == TAKEN:
            return self.what in {SHARED, COPIED, TAKEN}
        return outcome.what == self.what and outcome.by == self.by and self.word in outcome.said


def rule(kinds, what, by="", word="", why=""):
    """Make a rule; kinds are separated by commas."""
    return Rule(frozenset(kinds.split(", ")), what, by, word, why)


def usually(what, *rules):
    """Return rules with the outcome of all other views."""
    return (*rules, Rule(frozenset(), what))


NO_MEMORY = "no strided memory with this meaning; `np.asarray(v)` copies the values"
NOT_C = "the bytes are not in C order; `v.tobytes()` copies them"
MEMORY = (
    rule("no memory", "ExportError", OURS, "no memoryview shares the memory", NO_MEMORY),
    rule("dates", "ExportError", OURS, "no buffer says items of type datetime64", "buffers have no dates"),
)
DLPACK = (
    rule("no memory", "ExportError", OURS, "no DLPack tensor shares the memory", NO_MEMORY),
    rule(
        "big-endian, dates, records",
        "ExportError",
        OURS,
        "no DLPack tensor of items of type",
        "not an item type of DLPack",
    ),
    rule(
        "negative",
        "ExportError",
        OURS,
        "no negative strides",
        "some consumers end the process on a negative stride; `relayout(v, LayoutRight())` is a copy without",
    ),
)
ARRAY = rule("no memory", COPIED, why="`np.asarray(v)` copies the values")
BYTES = (*MEMORY, rule("spread", "BufferError", THEIRS, "contiguous", NOT_C))
WANTS_ROW = "one dimension is wanted; take a row, or `ravel(v)`"

RULES = {
    "np.asarray(v)": usually(SHARED, ARRAY),
    "np.array(v, copy=False)": usually(
        SHARED, rule("no memory", "ExportError", OURS, "takes a copy, and copy=False forbids it", NO_MEMORY)
    ),
    "np.from_dlpack(v)": usually(SHARED, *DLPACK),
    "np.frombuffer(v.memoryview(), …)": usually(SHARED, *BYTES),
    "torch.from_dlpack(v)": usually(SHARED, *DLPACK),
    "torch.as_tensor(v)": usually(SHARED, *DLPACK),
    "jax.dlpack.from_dlpack(v)": usually(
        SHARED,
        *DLPACK,
        rule("read-only", "ExportError", OURS, "readonly", "JAX reads an older DLPack, which cannot say so"),
        rule("fortran, rank 0", COPIED),
        rule("spread", "JaxRuntimeError", THEIRS, "compact", "JAX has no strides; `jnp.asarray(v)` copies"),
    ),
    "jnp.asarray(v)": usually(
        COPIED, rule("big-endian, dates, records", "TypeError", THEIRS, "Value", "not an item type of JAX")
    ),
    "pa.Tensor.from_numpy(np.asarray(v))": usually(
        SHARED,
        ARRAY,
        rule("negative", "ArrowInvalid", THEIRS, "Negative", "Arrow has no negative strides; `np.array(v)` copies"),
        rule(
            "complex, dates, records", "ArrowNotImplementedError", THEIRS, "Unsupported", "not an item type of tensors"
        ),
        rule("big-endian", OTHER, THEIRS, why="Arrow takes the bytes for native ones; `astype('f8')` first"),
    ),
    "pa.array(np.asarray(v))": usually(
        SHARED,
        rule("complex, records", "ArrowNotImplementedError", THEIRS, "Unsupported", "not an item type of arrays"),
        rule("grid, rank 0", "ArrowInvalid", THEIRS, "dim", WANTS_ROW),
    ),
    "pa.py_buffer(v.memoryview())": usually(
        SHARED, *MEMORY, rule("fortran", SHARED), rule("spread", "BufferError", THEIRS, "contiguous", NOT_C)
    ),
    "pd.DataFrame(np.asarray(v))": usually(
        COPIED,
        rule("rank 0", "ValueError", THEIRS, "2-d", "two dimensions are wanted"),
        rule("records", "ValueError", THEIRS, "1-dimensional", "records are rows: one dimension is wanted"),
    ),
    "pd.Series(v)": usually(
        SHARED,
        rule("rank 0", OTHER, THEIRS, why="pandas keeps the view as one object; `v[()]` is the element"),
        rule("grid", "ValueError", THEIRS, "1-dimensional", WANTS_ROW),
    ),
    "pl.from_numpy(np.asarray(v))": usually(
        COPIED,
        rule("rank 0", "ValueError", THEIRS, "zero-dimensional", "one or two dimensions are wanted"),
        rule("records", OTHER, THEIRS, why="polars makes one column of each field; take a row"),
        rule("row, fortran", SHARED),
    ),
    "pl.Series(np.asarray(v))": usually(
        SHARED,
        rule("rank 0, records", OTHER, THEIRS, why="polars makes a row of one element, and fields of objects"),
        rule("dates", "InvalidOperationError", THEIRS, "cannot cast", "take a row"),
        rule("no memory, spread, bool, complex, big-endian", COPIED),
    ),
    "PIL.Image.fromarray(np.asarray(v))": usually(
        COPIED,
        rule("rank 0", "IndexError", THEIRS, "index out of range", "two dimensions are wanted"),
        rule("row", OTHER, THEIRS, why="Pillow makes a column of pixels; reshape it"),
        rule("float16, complex, dates, records", "TypeError", THEIRS, "data type", "not a type of pixels"),
        rule("bytes", SHARED),
    ),
    "h5py create_dataset(data=v)": usually(
        COPIED, rule("dates", "TypeError", THEIRS, "conversion path", "HDF5 has no dates; `np.asarray(v).view('i8')`")
    ),
    "zarr create_array(data=np.asarray(v))": usually(COPIED),
    "xarray.DataArray(v)": usually(SHARED, ARRAY, rule("dates", COPIED)),
    "ax.imshow(v)": usually(
        COPIED,
        rule("row, rank 0", "TypeError", THEIRS, "Invalid shape", "two dimensions are wanted"),
        rule("complex, dates, records", "TypeError", THEIRS, "cannot be converted to float", "not a type of pixels"),
    ),
    "numba.njit(function)(v)": usually(
        SHARED,
        rule(
            "float16, big-endian", "KernelError", OURS, "no type", "not an item type of kernels; `astype('f8')` first"
        ),
        rule("dates", "KernelError", OURS, "reads numbers", "kernels have no dates; `np.asarray(v).view('i8')`"),
        rule("records", "KernelError", OURS, "reads numbers", "kernels have no records; `np.asarray(v)['x'].copy()`"),
    ),
    "memoryview(v), Python 3.12": usually(SHARED, *MEMORY),
    "v.memoryview()": usually(SHARED, *MEMORY),
    "bytes(v)": usually(COPIED),
    "array.array('B', bytes(v))": usually(COPIED),
    "file.write(v.memoryview())": usually(COPIED, *BYTES),
    "socket.sendall(v.memoryview())": usually(COPIED, *BYTES),
    "zlib.crc32(v.memoryview())": usually(COPIED, *BYTES),
    "hashlib.sha256(v.memoryview())": usually(COPIED, *BYTES),
    "ctypes from_buffer(v.memoryview())": usually(
        SHARED,
        *MEMORY,
        rule("spread", "TypeError", THEIRS, "not C contiguous", NOT_C),
        rule("read-only", "TypeError", THEIRS, "not writable", "`from_buffer_copy` copies"),
    ),
}

NO_BUFFER = rule("", "TypeError", THEIRS, "bytes-like", "below Python 3.12 no class in Python is a buffer")


def expected(consumer, variant):
    """Return the rule that decides for a consumer and a variant, both by name, under this Python."""
    if consumer == "memoryview(v), Python 3.12" and sys.version_info < (3, 12):
        return NO_BUFFER
    return decided(consumer, variant)


def decided(consumer, variant):
    """Return that rule as the page has it."""
    return next(each for each in RULES[consumer] if not each.kinds or each.speaks_of(variant))
