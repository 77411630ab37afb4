"""Codegen of view classes: a specialised class is compiled for all views whose element access is the same code.

The code is written from an offset code (see `mdview.engines.scalar.offset_codegen`) and an access (what is done there).
A key that it does not take (a slice, an index out of range, no integer) goes to the view's own ``_get`` and ``_set``,
which know all keys and all errors. Functions compiled with the class make a view of it, which the call of a Python
class would do in twice the time, and make one of it of a view that has the general class until its first access.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, final

from mdview.accessors.accessor import IndexRule, refuse_store
from mdview.accessors.policies import FillAccessor, constant_items, fill_of
from mdview.base.caches import generated
from mdview.engines.bounds_check import natural
from mdview.engines.scalar.access_signature import AccessSignature, grid_of
from mdview.engines.scalar.slice_key_codegen import making
from mdview.expressions.python_codegen import Writer
from mdview.index.extents import Dim
from mdview.memory.item_formats import REFUSALS as STORE_REFUSALS

Make: TypeAlias = Callable[[Any, Any, Any, int, Any], Any]
"""``make(plan, storage, accessor, origin, derived)``. Any: plans, mappings and views are above this module."""
Become: TypeAlias = Callable[[Any, Any, Any, Any, int], None]
"""``become(view, plan, storage, accessor, origin)`` gives a view the compiled class, and what its access reads."""

SourceLines: TypeAlias = list[str]
Finish: TypeAlias = Callable[[str], str]
"""Makes a statement of the source of an offset."""
Lines: TypeAlias = Callable[[Writer, Finish], list[str]]
"""Writes the statements that compute an offset and end with what is done with it."""

OUTSIDE: Final = -(1 << 79)
"""Numbers below it are no offsets: the index lies in the padding."""
REFUSALS: Final = (TypeError, IndexError, ValueError, NotImplementedError)
"""The exceptions of lists and memoryviews for a key that they do not take."""

SLOTS: Final = tuple([f"_p{k}" for k in range(6)])
"""The slots of a view for what its access reads; a tuple in the slot ``_more`` has the rest."""

_OWN_STORE: Final = [
    "if offset is not None:",
    "    try: return self._store(self._items, offset, value)",
    "    except STORE_REFUSALS as error: refuse_store(self._accessor, self._items, value, error)",
]
"""Statements of the store of an accessor that is not plain."""


@final
class OffsetCode(NamedTuple):
    """The code that computes the offsets of a mapping.

    Attributes
    ----------
    key
        Equal keys: equal code.
    values
        Values of the parameters; the dynamic extents come first, unless the code is bounded.
    lines
        Writes the statements of a load, and where there is no padding those of a store.
    bounded
        Whether tables bound the index. If not, the extents do, and the view's origin is one more parameter.
    natural
        Whether no offset is known to be negative, whatever the layout's text says; else the code tests it.
    stores
        Writes the statements of a store to a padded view, whose numbers may be below `OUTSIDE` as those of its loads.
    is_grid
        Whether the key is looked up in a grid, which each view has for itself.
    """

    key: Hashable
    values: tuple[Any, ...]  # Any: ints, tables, or the function of a layout that cannot be traced
    lines: Lines
    bounded: bool = False
    natural: bool = True
    stores: Lines | None = None
    is_grid: bool = False


def class_for(code: OffsetCode, access: AccessSignature, extents: tuple[int, ...]) -> tuple[Make, Become] | None:
    """Make views whose access is that of offset code; None where that is too much for the compiler."""
    try:
        return generated((access, code.key), lambda: _compiled(access, *class_source(access, code, extents)))
    except (MemoryError, RecursionError, SyntaxError):
        return None


def class_source(
    access: AccessSignature, code: OffsetCode, extents: tuple[int, ...]
) -> tuple[SourceLines, SourceLines]:
    """Source of that class, and the statements by which a view keeps what its access reads."""
    places = _Places()
    writer = Writer(places)
    test = _test(access, code, extents, writer)
    loads, stores = _statements(access, code, writer)
    lines = _class(access, *_bodies(code, len(extents), test, loads, stores))
    return lines, _bind(code, access, writer.hoisted, places)


class _Places(dict[str, str]):
    """Where a view has what its access reads, by the names that this has while it is kept."""

    def __call__(self, name: str) -> str:
        """Return the source that reads it: a slot, or an entry of the tuple with what there is no slot for."""
        k = len(self)
        return self.setdefault(name, f"self.{SLOTS[k]}" if k < len(SLOTS) else f"self._more[{k - len(SLOTS)}]")


def _bodies(
    code: OffsetCode, rank: int, test: str, loads: SourceLines, stores: SourceLines
) -> tuple[SourceLines, SourceLines]:
    """Source of the methods that load and store, but for what is left to the general access."""
    several = "" if code.is_grid and not test else ", ".join([f"i{r}" for r in range(rank)]) + " = key"
    get = _path(rank, test, several, loads)
    put = _path(rank, test, several if code.is_grid else f"{several} + ()", stores)
    if code.is_grid:  # which refuses lists; to ask for a sequence costs less
        get = ["match key:", "    case [*_]:", *[f"        {line}" for line in get]]
    elif rank > 1:
        get = ["if isinstance(key, tuple):", *[f"    {line}" for line in get]]
    return get, put


def _statements(access: AccessSignature, code: OffsetCode, writer: Writer) -> tuple[SourceLines, SourceLines]:
    """Statements of a load and of a store; those of an accessor of its own are after the ``try``.

    What lies in the padding reads as a constant, if the fill says so; whatever else there is to say the general code
    says.
    """
    items = writer.attribute("grid") if code.is_grid else "self._items"
    load = store = "offset = {}"
    if access.is_plain:
        load, store = f"return {items}[{{}}]", f"{items}[{{}}] = value; return"
    if code.stores is None:
        # Only a memoryview is known to refuse the list that a slice of a table is; a plus in front refuses it as well.
        place = "+{}" if code.bounded and not (access.is_memory and access.is_plain) else "{}"
        place = place if code.natural else f"natural({place})"
        return code.lines(writer, load.format(place).format), code.lines(writer, store.format(place).format)
    loads = [*code.lines(writer, "place = {}".format), f"if place >= 0: {load.format('place')}"]
    if access.mode == "constant":
        fill = writer.attribute("fill")
        found = fill if access.is_plain else f"self._load({fill}, 0)"
        loads.append(f"if place < {OUTSIDE} and self._storage is not None: return {found}")
    return loads, [*code.stores(writer, "place = {}".format), f"if place >= 0: {store.format('place')}"]


def _compiled(access: AccessSignature, lines: SourceLines, bind: SourceLines) -> tuple[Make, Become]:
    """Compile a class of views, and return the functions that make views of it."""
    base = access.base
    names: dict[str, Any] = {"base": base, "new": object.__new__, "REFUSALS": REFUSALS, "natural": natural}
    names |= {"STORE_REFUSALS": STORE_REFUSALS, "refuse_store": refuse_store, "grid_of": grid_of}
    names |= {"constant_items": constant_items, "FillAccessor": FillAccessor, "fill_of": fill_of}
    exec(compile("\n".join([*lines, *_functions(bind)]), "<element access>", "exec"), names)
    made = names["View"]
    made.__name__, made.__qualname__, made.__module__ = base.__name__, base.__qualname__, base.__module__
    made.__doc__ = base.__doc__
    return names["make"], names["become"]


def _functions(bind: SourceLines) -> SourceLines:
    """Source of the functions that make a view of the class; ``bind`` keeps what its access reads."""
    return [
        "def make(plan, storage, accessor, origin, derived):",
        *[f"    {line}" for line in (*making("View", "plan", "accessor"), *bind)],
        "    return self",
        "def become(self, plan, storage, accessor, origin):",
        *[f"    {line}" for line in bind],
        "    self.__class__ = View",
    ]


def _bind(code: OffsetCode, access: AccessSignature, hoisted: Sequence[str], places: _Places) -> SourceLines:
    """Source of what a view keeps: the parameters that are read, what is hoisted, a grid, or the constant of a fill."""
    count = len(code.values)
    kept = [f"{''.join([f'p{k}, ' for k in range(count)])}= plan.values"] if count else []
    kept += [] if code.bounded else [f"p{count} = origin"]
    kept += [f"h{k} = {text}" for k, text in enumerate(hoisted)]
    if code.is_grid:
        kept.append("grid = grid_of(storage.items, plan.mapping, origin)")
    if "fill" in places:
        fill = "(accessor if type(accessor) is FillAccessor else fill_of(accessor)).constant"
        kept.append(f"fill = {fill if access.is_plain else f'constant_items({fill})'}")
    names = list(places)
    kept += [f"{places[name]} = {name}" for name in names[: len(SLOTS)]]
    if len(names) > len(SLOTS):
        kept.append(f"self._more = ({''.join([f'{name}, ' for name in names[len(SLOTS) :]])})")
    kept += [] if access.is_plain else ["self._load = accessor.load"]
    return kept + (["self._store = accessor.store"] if access.stores and not access.is_plain else [])


def _class(access: AccessSignature, get: SourceLines, put: SourceLines) -> SourceLines:
    """Source of a class. What an accessor does by itself stands outside the ``try``: it must not run twice."""
    start = [] if access.is_plain else ["        offset = None"]
    own = access.stores and not access.is_plain
    return [
        "class View(base, compiled=True):",
        "    __slots__ = ()",
        "    _is_compiled = True",
        "    def __getitem__(self, key):",
        *start,
        *[f"        {line}" for line in get],
        *(["        if offset is not None: return self._load(self._items, offset)"] if start else []),
        "        return self._get(key)",
        "    def __setitem__(self, key, value):",
        *(start if own else []),
        *([f"        {line}" for line in put] if access.stores else []),
        *([f"        {line}" for line in _OWN_STORE] if own else []),
        "        self._set(key, value)",
    ]


def _path(rank: int, test: str, several: str, statements: SourceLines) -> SourceLines:
    """Source that takes an index which passes the test and leaves everything else to the lines after it.

    A key of several indices is a tuple. A load asks for that first, which also keeps a row, ``view[i]``, and a slice
    from being found out by an exception. Rows are rarely stored, and there the question would cost more than an
    addition: nothing but a tuple adds to one, and a tuple plus nothing is itself, not a copy.
    """
    unpack = {0: "pass", 1: "i0 = key"}.get(rank, several)
    inner = [f"if {test}:", *[f"    {line}" for line in statements]] if test else statements
    return ["try:", *[f"    {line}" for line in (unpack, *inner) if line], "except REFUSALS: pass"]


def _test(access: AccessSignature, code: OffsetCode, extents: Sequence[int], writer: Writer) -> str:
    """Test of an index; a dynamic extent is a parameter.

    Lists and memoryviews, which bound an index by themselves, wrap a negative one. Elsewhere only plain ints pass:
    arithmetic on a NumPy integer overflows.
    """
    indices = [f"i{r}" for r in range(len(extents))]
    if code.bounded:
        return "" if access.rule is IndexRule.WRAP else " and ".join([f"{i} >= 0" for i in indices])
    tests = [f"type({i}) is int" for i in indices] or ["type(key) is tuple and not key"]
    if access.rule is not IndexRule.TRUST:
        numbers = iter(range(len(extents)))
        bounds = [str(int(e)) if type(e) is Dim else writer.parameter(next(numbers)) for e in extents]
        tests += [f"0 <= {i} < {bound}" for i, bound in zip(indices, bounds, strict=True)]
    return " and ".join(tests)
