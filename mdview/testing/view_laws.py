"""Laws of engines: compiled access, whole-view access and NumPy's view all do what the mapping's offsets say."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Final, final

import mdview
from mdview.errors import HaloError, IndexOutOfRangeError, MissingExtraError
from mdview.index.extents import dim
from mdview.index.transforms import Radix
from mdview.mappings.mapping import Mapping
from mdview.operations.algorithms import copy, equal, fill
from mdview.testing.laws import Bound, Findings, Law, Search, Stages, as_text, flattened, found, law
from mdview.views.export import import_numpy
from mdview.views.view import MDView

ORIGIN: Final = 3
"""Elements in front of those of a view, which no access may reach."""

GUARD: Final = 2
"""Elements behind them."""

LARGEST_COPY: Final = 1 << 16
"""Mappings with a larger span are not given data of their own, and so are not looked at under these laws."""

# Any: views of any rank and accessor, made where the rank is known at run time only.
AnyView = Any


def _view(case: Bound, *, static: bool = False) -> tuple[AnyView, array[int]]:
    """View of data in which each element is its position, and the data."""
    extents = tuple([dim(int(e)) if static else int(e) for e in case.extents])
    data = array("q", range(ORIGIN + case.mapping.required_span_size + GUARD))
    return MDView.from_mapping(data, Mapping(extents, case.layout), origin=ORIGIN), data


def view_law(name: str, statement: str) -> Callable[[Search], Law]:
    """Make a law of views, which holds without a look at mappings that are too large for data of their own."""
    made = law(name, statement)
    return lambda search: made(
        lambda case: iter(()) if case.mapping.required_span_size > LARGEST_COPY else search(case)
    )


@view_law("scalar engine", "compiled element access reads the element at the mapping's offset, for static extents, too")
def scalar_reads(case: Bound) -> Findings:
    """Read every element by its index, and counted from the end."""
    for static in (False, True):
        view, _ = _view(case, static=static)
        for index, offset in case.offsets.items():
            from_end = tuple([i - int(e) for i, e in zip(index, case.extents, strict=True)])
            for place in (index, from_end):
                if view[place] != ORIGIN + offset:
                    got = f"the element at offset {view[place] - ORIGIN}"
                    kind = "static" if static else "dynamic"
                    yield found(f"the element at offset {offset}", got, **{"view[...]": place, "extents are": kind})


@view_law("scalar store", "compiled element access writes the element at the mapping's offset and no other")
def scalar_writes(case: Bound) -> Findings:
    """Write every element once and compare all the data each time."""
    view, data = _view(case)
    expected = array("q", data)
    for index, offset in case.offsets.items():
        view[index] = -1
        expected[ORIGIN + offset] = -1
        if data != expected:
            changed = [k - ORIGIN for k, (x, y) in enumerate(zip(data, expected, strict=True)) if x != y]
            yield found(f"offset {offset} changes", f"offsets {changed} differ", **{"view[...] = x": index})
        view[index] = data[ORIGIN + offset] = expected[ORIGIN + offset] = ORIGIN + offset


@view_law("refusal", "an index outside the extents is an IndexError of a view, and nothing is written")
def views_refuse(case: Bound) -> Findings:
    """Read and write just outside each bound, from both ends."""
    view, data = _view(case)
    before = array("q", data)
    for r, extent in enumerate(case.extents):
        for i in (extent, -extent - 1, 2**70):
            index = (*(0,) * r, i, *(0,) * (len(case.extents) - r - 1))
            try:
                view[index] = view[index]
            except (IndexOutOfRangeError, HaloError):
                if data != before:
                    yield found("data as before", "changed data", **{"view[...]": index})
            else:
                yield found("IndexOutOfRangeError", f"element {view[index]}", **{"view[...]": index})


@view_law(
    "bulk engine", "tolist, iteration, copy, equal, fill and stores of slices reach exactly the mapping's offsets"
)
def bulk_agrees(case: Bound) -> Findings:
    """Read and write all elements at once, over data that shows what is reached."""
    if not case.layout.is_total():
        return
    view, data = _view(case)
    got, wanted = _offsets(flattened(view.tolist())), list(case.offsets.values())
    if got != wanted:
        yield found(f"offsets {wanted}", f"offsets {got}", call="view.tolist()")
    dense: AnyView = MDView(array("q", [0] * len(wanted)), tuple(map(int, case.extents)))
    copy(view, dense)
    got = _offsets(dense.data) if wanted else []
    if got != wanted or not equal(view, dense):
        yield found(f"offsets {wanted}", f"offsets {got}", call="copy(view, dense), equal")
    reached = {ORIGIN + offset for offset in wanted}
    data[:] = array("q", [-1] * len(data))
    copy(dense, view)
    if list(data) != [k if k in reached else -1 for k in range(len(data))]:
        yield found("every element back in its place, nothing else", f"{_offsets(data)}", call="copy(dense, view)")
    fill(view, -7)
    if list(data) != [-7 if k in reached else -1 for k in range(len(data))]:
        yield found("every element -7, nothing else", f"{list(data)}", call="fill(view, -7)")


def _offsets(positions: Iterable[int]) -> list[int]:
    return [k - ORIGIN for k in positions]


@view_law("numpy", "an array of a view has the elements at the mapping's offsets, copied or shared")
def numpy_agrees(case: Bound) -> Findings:
    """Compare NumPy's array with the table; nothing where NumPy is not installed."""
    if not case.layout.is_total():
        return
    try:
        np = import_numpy()
    except MissingExtraError:
        return
    made, wanted = np.asarray(_view(case)[0]), list(case.offsets.values())
    got = _offsets(made.ravel().tolist())
    if made.shape != tuple(case.extents) or got != wanted:
        yield found(f"offsets {wanted}", f"offsets {got}", call="np.asarray(view)")


VIEW_LAWS: Final = (scalar_reads, scalar_writes, views_refuse, bulk_agrees, numpy_agrees)
"""Laws of the engines over one mapping."""


@final
class Value:
    """A layout or accessor, others to compare it with, and what it looked like before anything was asked of it."""

    def __init__(self, subject: object, others: tuple[object, ...] = ()) -> None:
        """Note the look of ``subject`` now; ``others`` are further values of its kind."""
        self.subject = subject
        self.others = others
        self.look: str = as_text(subject)
        self.hash: int | None = _hash(subject)


def _hash(subject: object) -> int | None:
    try:
        return hash(subject)
    except Exception:  # noqa: BLE001 - the law on hashes says that there is none
        return None


@law("repr", "repr(x) evaluates to a value equal to x")
def evaluates(case: Value) -> Findings:
    """Evaluate the repr where the class and the public names of mdview are known."""
    cls = type(case.subject)
    text = repr(case.subject).replace(f"{cls.__qualname__}(", f"{cls.__name__}(")
    names = {name: getattr(mdview, name) for name in mdview.__all__}
    names["Radix"] = Radix  # the one part of a repr that is no public name
    names |= vars(sys.modules[cls.__module__]) if cls.__module__ in sys.modules else {}
    try:
        made = eval(text, names | {cls.__name__: cls})  # noqa: S307 - the text is the subject's own
    except Exception as error:  # noqa: BLE001 - any text may come back
        yield found(f"{case.look} evaluates to the value", f"{type(error).__name__}: {error}")
    else:
        if made != case.subject:
            yield found(f"eval({text!r}) == x", f"{as_text(made)} != x")


@law("copies", "a copy of x is equal to x, has its hash, and nothing else is equal to x")
def copies_are_equal(case: Value) -> Findings:
    """Compare with a deep copy, which travels as a pickle does, and with what is of another kind."""
    made = deepcopy(case.subject)
    if made != case.subject or not case.subject == made:  # noqa: SIM201 - both operators are asked
        yield found("copy.deepcopy(x) == x", f"{as_text(made)} != x")
    if hash(made) != hash(case.subject):
        yield found("hash(copy.deepcopy(x)) == hash(x)", f"{hash(made)} and {hash(case.subject)}")
    strange = object()
    if case.subject == strange or not case.subject != strange:  # noqa: SIM202 - both operators are asked
        yield found("x == object() is False", "it is True")


@law("hash", "equal values have equal hashes")
def hash_agrees(case: Value) -> Findings:
    """Compare with each of the others."""
    for other in case.others:
        if other == case.subject and hash(other) != hash(case.subject):
            yield found("equal hashes of equal values", f"{hash(case.subject)} and {hash(other)}", other=other)


@law("immutable", "asking anything of x leaves its repr and its hash as they were")
def unchanged(case: Value) -> Findings:
    """Compare the look of the value after all other laws with what it was before."""
    if as_text(case.subject) != case.look:
        yield found(f"repr {case.look}", as_text(case.subject))
    if hash(case.subject) != case.hash:
        yield found(f"hash {case.hash}", f"hash {hash(case.subject)}")


VALUE_LAWS: Final[Stages] = ((copies_are_equal,), (evaluates, hash_agrees))
"""Laws of a value before anything else is asked of it."""

LAST_LAWS: Final[Stages] = ((unchanged,),)
"""Laws of a value after everything else has been asked."""


def same_function(name: str, tables: Callable[[Any], object]) -> Law:
    """Make the law that equal values do the same, where ``tables`` gives what a value does. Any: a value's kind."""

    @law(name, "equal values do the same")
    def does_the_same(case: Value) -> Findings:
        for other in case.others:
            if other == case.subject and tables(other) != tables(case.subject):
                yield found("what is equal does the same", "it does not", other=other)

    return does_the_same
