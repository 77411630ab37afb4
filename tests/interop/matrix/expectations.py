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
COPIES = rule("no memory", COPIED, why="`np.asarray(v)` copies the values")
MEMORY = (
    rule("no memory", "ExportError", OURS, "no memoryview shares the memory", NO_MEMORY),
    rule("dates", "ExportError", OURS, "no buffer says items of type datetime64", "buffers have no dates"),
)
NEGATIVE = "some consumers end the process on a negative stride; `relayout(v, LayoutRight())` is a copy without"
NO_TYPE = "no DLPack tensor of items of type"
DLPACK = (
    rule("no memory", "ExportError", OURS, "no DLPack tensor shares the memory", NO_MEMORY),
    rule("big-endian, dates, records", "ExportError", OURS, NO_TYPE, "not an item type of DLPack"),
    rule("negative", "ExportError", OURS, "no negative strides", NEGATIVE),
)
SPREAD = rule("spread", "BufferError", THEIRS, "contiguous", NOT_C)
NO_FLOAT = "not an item type of kernels; `astype('f8')` first"
NO_DATES = "kernels have no dates; `np.asarray(v).view('i8')`"
NO_RECORDS = "kernels have no records; `np.asarray(v)['x'].copy()`"

ARRAY = usually(SHARED, COPIES)
BUFFER = usually(SHARED, *MEMORY)
STRETCH = usually(SHARED, *MEMORY, SPREAD)
ARROW = usually(SHARED, *MEMORY, rule("fortran", SHARED), SPREAD)
BYTES = usually(COPIED)
WRITTEN = usually(COPIED, *MEMORY, SPREAD)
TENSORS = usually(SHARED, *DLPACK)
NO_COPY = usually(SHARED, rule("no memory", "ExportError", OURS, "takes a copy, and copy=False forbids it", NO_MEMORY))
JAX_TENSOR = usually(
    SHARED,
    *DLPACK,
    rule("fortran", SHARED),
    rule("rank 0", COPIED, why="JAX copies what begins at no multiple of 64 bytes"),
    rule("spread", "JaxRuntimeError", THEIRS, "compact", "JAX has no strides; `jnp.asarray(v)` copies"),
)
JAX_ARRAY = usually(COPIED, rule("big-endian, dates, records", "TypeError", THEIRS, "Value", "not an item type of JAX"))
SERIES = usually(
    SHARED,
    rule("rank 0", OTHER, THEIRS, why="pandas keeps the view as one object; `v[()]` is the element"),
    rule("grid", "ValueError", THEIRS, "1-dimensional", "one dimension is wanted; take a row, or `ravel(v)`"),
)
HDF5 = usually(
    COPIED, rule("dates", "TypeError", THEIRS, "conversion path", "HDF5 has no dates; `np.asarray(v).view('i8')`")
)
XARRAY = usually(SHARED, COPIES, rule("dates", COPIED))
IMAGE = usually(
    COPIED,
    rule("row, rank 0", "TypeError", THEIRS, "Invalid shape", "two dimensions are wanted"),
    rule("complex, dates, records", "TypeError", THEIRS, "cannot be converted to float", "not a type of pixels"),
)
KERNEL = usually(
    SHARED,
    rule("float16", "NotImplementedError", THEIRS, "float16", "Numba has no arrays of float16; store to a view"),
    rule("big-endian", "KernelError", OURS, "no type", NO_FLOAT),
    rule("dates", "KernelError", OURS, "reads numbers", NO_DATES),
    rule("records", "KernelError", OURS, "reads numbers", NO_RECORDS),
)
CTYPES = usually(
    SHARED,
    *MEMORY,
    rule("spread", "TypeError", THEIRS, "not C contiguous", NOT_C),
    rule("read-only", "TypeError", THEIRS, "not writable", "`from_buffer_copy` copies"),
)

NO_BUFFER = rule("", "TypeError", THEIRS, "bytes-like", "below Python 3.12 no class in Python is a buffer")


def expected(consumer, variant):
    """Return the rule that decides for a consumer and a variant under this Python."""
    if consumer.name == "memoryview(v), Python 3.12" and sys.version_info < (3, 12):
        return NO_BUFFER
    return consumer.decided(variant)
