"""What is fuzzed: each function takes one input from a `random.Random` and raises `Wrong` at an outcome not allowed.

Allowed is a right answer, an error of `mdview.errors` with the data as it was, or what a hostile object raised itself.
Elements outside a view are `GUARD`: a read that gives one has left the view.
"""

import io
import warnings
from array import array

import numpy as np
from hostile import anything, entry, interface, key, layout, sequence
from outcomes import Wrong

from mdview import (
    AtomicAccessor,
    CheckedAccessor,
    DefaultAccessor,
    LayoutBlasPacked,
    LayoutLeft,
    LayoutMorton,
    LayoutRightPadded,
    LayoutStrideRelaxed,
    LayoutTiled,
    Mapping,
    MDView,
    ReadOnlyAccessor,
    UncheckedAccessor,
    asview,
    bitcast,
    broadcast_to,
    diagonal,
    expand_dims,
    flip,
    pad,
    permute_dims,
    reshape,
    shrink,
    sliding_window,
    squeeze,
    subview,
)
from mdview.cli.files import _npy_facts, _npz_facts
from mdview.errors import BufferFormatError, BufferSizeError, MDViewError, StrideError

GUARD = -1
ORIGIN = 3
SMALL = 400
"""Mappings of at most so many elements have all of them looked at."""


# --- keys and stores ---

SHAPES = (
    Mapping((3, 4)),
    Mapping((2, 3, 2), LayoutLeft()),
    Mapping((4,), LayoutStrideRelaxed((-2,), 6)),
    Mapping((3, 3), LayoutStrideRelaxed((1, 0))),
    Mapping((3, 5), LayoutTiled(2, 2)),
    Mapping((3, 3), LayoutMorton()),
    Mapping((3, 3), LayoutBlasPacked("upper", "row")),
    Mapping((2, 3), LayoutRightPadded(4)),
    Mapping(()),
    Mapping((0, 3)),
)
ACCESSORS = (DefaultAccessor(), CheckedAccessor(), ReadOnlyAccessor(), AtomicAccessor(), UncheckedAccessor())


def _case(mapping, accessor):
    data = array("q", [GUARD] * (ORIGIN + mapping.required_span_size + 3))
    for offset in mapping.offsets():
        data[ORIGIN + offset] = ORIGIN + offset
    return MDView.from_mapping(data, mapping, accessor, origin=ORIGIN), data, array("q", data)


CASES = [_case(mapping, accessor) for mapping in SHAPES for accessor in ACCESSORS]


def _elements(result):
    """All elements of what brackets gave, in a list; NumPy would not take more than 64 dimensions."""
    if not isinstance(result, MDView):
        return [int(result)]
    rows = [result.tolist()]
    for _ in range(result.rank):
        rows = [element for row in rows for element in row]
    return rows


def _in_view(view, result, what):
    trusting = isinstance(view.accessor, UncheckedAccessor)
    if not trusting and GUARD in _elements(result):
        raise Wrong(f"{what} of {view.mapping!r} read outside the view")


def keys(pick):
    """Read by a hostile key."""
    view, data, before = CASES[pick.randrange(len(CASES))]
    wanted = key(pick, view.extents)
    kind = pick.randrange(8)
    try:
        if kind == 0:
            result = view.at(wanted if isinstance(wanted, tuple) else (wanted,))
        elif kind == 1:
            result = subview(view, *[entry(pick, e) for e in view.extents])
        elif kind == 2:
            offset = view.mapping(*(wanted if isinstance(wanted, tuple) else (wanted,)))
            result = data[ORIGIN + offset]
        else:
            result = view[wanted]
        _in_view(view, result, wanted)
    finally:
        if data != before:
            raise Wrong(f"reading {wanted!r} changed the data")
    if kind > 2:
        _compare_with_numpy(view, wanted, result)


def _compare_with_numpy(view, wanted, result):
    entries = wanted if isinstance(wanted, tuple) else (wanted,)
    parts = [part for e in entries for part in ((e.start, e.stop, e.step) if isinstance(e, slice) else (e,))]
    if isinstance(view.accessor, UncheckedAccessor) or any(type(part) not in {int, type(None)} for part in parts):
        return
    plain = np.array([ORIGIN + o for o in view.mapping.offsets()]).reshape(view.shape)
    if np.ravel(plain[wanted]).tolist() != _elements(result):
        raise Wrong(f"{wanted!r} of {view.mapping!r} gave other elements than NumPy")


VALUES = (7, "x", None, 2**70, 1.5, [1, 2], [[1], [2, 3]], [], b"12", np.zeros((3, 4), "q"), np.zeros(2), object())


def stores(pick):
    """Store by a hostile key, or a hostile value: only elements of the view may change, and none on an error."""
    mapping = SHAPES[pick.randrange(len(SHAPES))]
    view, data, before = _case(mapping, ACCESSORS[pick.randrange(4)])
    wanted = key(pick, view.extents)
    value = VALUES[pick.randrange(len(VALUES))] if pick.randrange(3) else 7
    if pick.randrange(100) == 0:
        value = []
        value.append(value)
    try:
        view[wanted] = value
    except Exception:
        if data != before:
            raise Wrong(f"{wanted!r} = {value!r} changed the data of {view!r} and raised") from None
        raise
    outside = [k for k, x in enumerate(before) if x == GUARD and data[k] != GUARD]
    if outside or isinstance(view.accessor, ReadOnlyAccessor):
        raise Wrong(f"{wanted!r} = {value!r} changed {outside} of {view!r}")


# --- extents and layouts ---


def mappings(pick):
    """Bind a hostile layout to hostile extents, and look at data that fits or is too short by one."""
    rank = pick.randrange(4)
    mapping = Mapping(sequence(pick, rank), layout(pick, rank))
    span = mapping.required_span_size
    if mapping.size > SMALL:
        mapping(*[e - 1 for e in mapping.extents])
        return
    offsets = list(mapping.offsets())
    if span != 1 + max(offsets, default=-1) or min(offsets, default=0) < 0:
        raise Wrong(f"{mapping!r}: span {span}, offsets {offsets}")
    if mapping.is_unique is not (len(set(offsets)) == len(offsets)):
        raise Wrong(f"{mapping!r}: is_unique {mapping.is_unique}")
    view = MDView.from_mapping(range(span), mapping, ReadOnlyAccessor())
    if _elements(view) != offsets:
        raise Wrong(f"{mapping!r}: another order of elements")
    if span:
        try:
            MDView.from_mapping(range(span - 1), mapping, ReadOnlyAccessor())
        except BufferSizeError:
            return
        raise Wrong(f"{mapping!r} accepts {span - 1} elements")


# --- data ---

FORMATS = "bBhHiIlLqQnNfd?c"
DTYPES = ("f8", ">i4", "f2", "c16", "?", "S0", "S3", "U2", "V3", "M8[s]", "O", "i1, f8", "f8", "u2", "g", ">c8")


def _memory(pick):
    """Cast memory to any format, perhaps sliced, read-only or released."""
    size = pick.choice((0, 1, 7, 8, 16, 48))
    memory = memoryview(pick.choice((bytes, bytearray))(size))
    if size % 16 == 0 and size:
        memory = memory.cast(pick.choice(FORMATS))
    if pick.randrange(3) == 0:
        memory = memory[:: pick.choice((1, 2, -1, -2))]
    if pick.randrange(8) == 0:
        memory.release()
    return memory


class Length:
    """A sequence that is not as long as it says."""

    def __init__(self, length):
        self.length = length

    def __len__(self):
        return self.length

    def __getitem__(self, k):
        return [10, 11, 12][k]


def _array(pick):
    """Make a NumPy array of any type and strides that stay within its memory."""
    dtype = np.dtype(DTYPES[pick.randrange(len(DTYPES))])
    base = np.zeros(48, "u1") if dtype.hasobject or not dtype.itemsize else np.arange(48, dtype="u1")
    if dtype.hasobject or not dtype.itemsize:
        return np.zeros((2, 2), dtype)
    kind = pick.randrange(4)
    if kind == 0:
        flat = base[: 48 // dtype.itemsize * dtype.itemsize].view(dtype)
        return flat[:: pick.choice((1, -1, 2))]
    shape = (pick.randrange(3), 2)
    steps = (pick.randint(0, 8), pick.randint(0, 8))
    if dtype.itemsize + steps[0] * 2 + steps[1] > base.size:
        return base
    array_ = np.lib.stride_tricks.as_strided(base[: dtype.itemsize].view(dtype), shape, steps)
    if pick.randrange(2):
        array_.flags.writeable = False
    return array_ if kind == 1 else array_[::-1] if kind == 2 else array_.T


def buffers(pick):
    """Look at hostile data: buffers of any format and strides, lying sequences, objects that claim to be arrays."""
    kind = pick.randrange(8)
    if kind == 0:
        _expect_refused(lambda: MDView(interface(pick), (2,)))
        _expect_refused_or_as_told(interface(pick))
        return
    if kind <= 3:
        whole = _array(pick)
        view = asview(whole)
        if not whole.dtype.hasobject and np.asarray(view).tobytes() != whole.tobytes():
            raise Wrong(f"asview of {whole.dtype} {whole.shape} {whole.strides} has other elements")
        if not whole.flags.writeable and hasattr(view.accessor, "store"):
            raise Wrong("a read-only array gave a view that stores")
        return
    data = pick.choice((None, 3, {}, {1}, "abcd", [1, 2, 3], (4, 5), object())) if kind == 4 else _memory(pick)
    if kind == 5:
        data = Length(pick.choice((-1, 0, 2, 3, 9, 2**62, 2**70)))
    shape = sequence(pick, pick.randrange(3), 3)
    view = MDView(data, shape, accessor=ReadOnlyAccessor())
    if kind > 5 and view.tolist() != memoryview(data).tolist() and view.rank == 1 and view.size == len(data):
        raise Wrong(f"{data!r} and its view differ")
    if kind < 5 and view.size <= SMALL:
        view.tolist()


def _expect_refused(make):
    try:
        make()
    except BufferFormatError:
        return
    raise Wrong("what only claims to be an array was accepted")


def _expect_refused_or_as_told(claim):
    """Take a claim as it is where nothing contradicts it; whether memory lies at its address nobody can tell."""
    try:
        view = asview(claim)
    except (BufferFormatError, StrideError):
        return
    told = getattr(claim, "__array_interface__", None) or claim.__cuda_array_interface__
    if view.extents != told["shape"]:
        raise Wrong(f"{told} became a view of extents {view.extents}")


def vanishing(pick):
    """Data that shrinks, or is released, while a view lives: buffers are locked, lists are noticed."""
    size = pick.randint(1, 6)
    if pick.randrange(2):
        memory = bytearray(size)
        view = MDView(memory, (size,))
        for change in (lambda: memory.append(1), memory.clear, lambda: memory.__delitem__(0)):
            try:
                change()
            except BufferError:
                continue
            raise Wrong("a buffer was resized under a view")
        view.release()
        memory.append(1)
        view[0]
        return
    rows = list(range(size))
    view = MDView(rows, (size,))
    del rows[pick.randrange(size) :]
    before = list(rows)
    try:
        pick.choice((view.tolist, lambda: view[-1], lambda: view.__setitem__(slice(None), 7), lambda: list(view[:])))()
    except MDViewError:
        if rows != before:
            raise Wrong("a store into a shorter list changed it and raised") from None
        raise
    raise Wrong("a list that became shorter went unnoticed")


# --- operations ---

OPERATIONS = (
    lambda v, pick: flip(v, pick.choice((None, anything(pick), sequence(pick)))),
    lambda v, pick: permute_dims(v, sequence(pick, v.rank, v.rank)),
    lambda v, pick: expand_dims(v, pick.choice((anything(pick), sequence(pick)))),
    lambda v, pick: squeeze(v, pick.choice((None, anything(pick), sequence(pick)))),
    lambda v, pick: broadcast_to(v, sequence(pick)),
    lambda v, pick: reshape(v, sequence(pick, None, 12)),
    lambda v, pick: pad(v, pick.choice((anything(pick, 2), sequence(pick, None, 2)))),
    lambda v, pick: diagonal(v, anything(pick), anything(pick, 1), anything(pick, 1)),
    lambda v, pick: sliding_window(v, sequence(pick, v.rank, 3)),
    lambda v, pick: shrink(v, [(anything(pick), anything(pick)) for _ in range(v.rank)]),
    lambda v, pick: bitcast(v, pick.choice(("B", "i", "d", "zz", "", "Zd", None, "4s", ">q", 3))),
)


def operations(pick):
    """Operations with hostile arguments: the result has elements of the view alone, and nothing changes."""
    view, data, before = CASES[pick.randrange(len(CASES))]
    place = pick.randrange(len(OPERATIONS))
    try:
        result = OPERATIONS[place](view, pick)
        if result.size <= SMALL and place != len(OPERATIONS) - 1:
            allowed = {ORIGIN + o for o in view.mapping.offsets()} | {0}  # 0 fills a halo
            if not set(_elements(result)) <= allowed:
                raise Wrong(f"operation {place} of {view.mapping!r} left the view: {result.mapping!r}")
    finally:
        if data != before:
            raise Wrong(f"operation {place} changed the data")


# --- files ---


def _valid_files():
    made = []
    for whole in (np.zeros((2, 3)), np.zeros((3, 2), order="F"), np.zeros((), "c16"), np.zeros(4, "i2, f4")):
        for version in ((1, 0), (2, 0), (3, 0)):
            file = io.BytesIO()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.lib.format.write_array(file, whole, version)
            made.append(file.getvalue())
    return made


def _valid_archives():
    file = io.BytesIO()
    np.savez(file, a=np.zeros((2, 2)), b=np.zeros(3, order="F"))
    packed = io.BytesIO()
    np.savez_compressed(packed, a=np.zeros((20, 20)))
    return [file.getvalue(), packed.getvalue()]


NPY, NPZ = _valid_files(), _valid_archives()
PARTS = (
    b"(",
    b")",
    b"'",
    b"{",
    b"-",
    b"9" * 30,
    b"None",
    b"True",
    b"<f8",
    b"|O",
    b"V0",
    b"\x00",
    b"\xff",
    b",",
    b"1e9",
)


def _mutated(pick, valid):
    content = bytearray(valid)
    for _ in range(pick.randint(0, 2)):
        place = pick.randrange(min(len(content), 140)) if content else 0
        kind = pick.randrange(5)
        if kind == 0 and content:
            content[place] = pick.randrange(256)
        elif kind == 1:
            content[place:place] = pick.choice(PARTS)
        elif kind == 2:
            del content[place : place + pick.randint(1, 9)]
        elif kind == 3:
            part = pick.choice(PARTS)
            content[place : place + len(part)] = part
        else:
            del content[len(content) - pick.randrange(1 + len(content) // 2) :]
    return bytes(content)


def files(pick):
    """Files with mutated headers, read as ``mdview info`` does: a description, or an error, never elements beyond."""
    if pick.randrange(8) == 0:
        content = _mutated(pick, NPZ[pick.randrange(len(NPZ))])
        if not _npz_facts(io.BytesIO(content), "x.npz"):
            raise Wrong("an archive of nothing was described")
        return
    content = _mutated(pick, NPY[pick.randrange(len(NPY))]) if pick.randrange(20) else pick.randbytes(60)
    facts = _npy_facts(io.BytesIO(content), len(content), "yes")
    size = "".join([c for c in facts["size"].rsplit("element", 1)[1] if c.isdigit()])
    if int(size) > len(content):
        raise Wrong(f"more is described than there is: {facts}")


PYTHONS_OWN = (TypeError, ValueError, OverflowError)
"""What memoryview and array raise for a value that is no item of theirs; stores let it through."""
