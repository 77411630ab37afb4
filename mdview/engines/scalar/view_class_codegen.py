"""Codegen of view classes: a specialised class is compiled for all views whose element access is the same code.

The code is written from a plan (how the offset is computed, see `mdview.engines.scalar.offset_codegen`) and an access
(what is done there). A key that it does not take (a slice, an index out of range, no integer) goes to the view's own
``_get`` and ``_set``, which know all keys and all errors. A function compiled with the class makes a view of it: the
call of a Python class would cost more than everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, cast, final

from mdview.accessors.accessor import IndexRule, refuse_store
from mdview.accessors.policies import FillAccessor, constant_items, fill_of
from mdview.base.caches import generated
from mdview.engines.bounds_check import natural
from mdview.engines.mapping_plan import Plan
from mdview.engines.scalar.access_signature import AccessSignature
from mdview.expressions.python_codegen import Writer
from mdview.index.extents import Dim
from mdview.memory.item_formats import REFUSALS as STORE_REFUSALS

Make: TypeAlias = Callable[[Any, Any, Any, int, Any], Any]
"""``make(plan, storage, accessor, origin, derived)``. Any: plans, mappings and views are above this module."""
TracedPart: TypeAlias = "Callable[[Plan], OffsetCode | None]"

SourceLines: TypeAlias = list[str]
Finish: TypeAlias = Callable[[str], str]
"""Makes a statement of the source of an offset."""
Lines: TypeAlias = Callable[[Writer, Finish], list[str]]
"""Writes the statements that compute an offset and end with what is done with it."""

OUTSIDE: Final = -(1 << 79)
"""Numbers below it are no offsets: the index lies in the padding."""
REFUSALS: Final = (TypeError, IndexError, ValueError, NotImplementedError)
"""The exceptions of lists and memoryviews for a key that they do not take."""

ITEMS: Final = "self._items"

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
        Values of the parameters, all but the start; the dynamic extents come first. A function gives those that are
        not made before an element is asked for.
    lines
        Writes the statements of a load, and where there is no padding those of a store.
    start
        What the view's origin is added to; the sum is one more parameter, unless the code is bounded.
    bounded
        Whether tables bound the index, so that no extents are among the values.
    natural
        Whether no offset is known to be negative, whatever the layout's text says; else the code tests it.
    stores
        Writes the statements of a store to a padded view, whose numbers may be below `OUTSIDE` as those of its loads.
    traced
        Makes the code of parts by the same arithmetic.
    items
        What holds the items that are looked up by these offsets.
    """

    key: Hashable
    # Any: ints, tables, or the bound function that a layout that cannot be traced is called by
    values: tuple[Any, ...] | Callable[[], tuple[Any, ...]]
    lines: Lines
    start: int = 0
    bounded: bool = False
    natural: bool = True
    stores: Lines | None = None
    traced: TracedPart | None = None
    items: str = ITEMS


def general_make(base: type) -> Make:
    """Make views of ``base`` itself, whose access is the general one."""
    return generated(("general", base), lambda: cast("Make", _run(_make_function([]), {"View": base})["make"]))


def class_for(code: OffsetCode, access: AccessSignature, extents: tuple[int, ...]) -> Make | None:
    """Make views whose access is that of offset code; None where that is too much for the compiler."""
    try:
        return generated((access, code.key), lambda: _compiled(access, *class_source(access, code, extents)))
    except (MemoryError, RecursionError, SyntaxError):
        return None


def class_source(
    access: AccessSignature, code: OffsetCode, extents: tuple[int, ...]
) -> tuple[SourceLines, SourceLines]:
    """Source of that class, and the statements by which a view keeps the numbers that its access reads."""
    rank, writer = len(extents), Writer()
    bounds = [] if code.bounded or access.rule is IndexRule.TRUST else _bounds(extents, writer)
    test = _sign_test(access, rank) if code.bounded else _test(rank, bounds)
    write = _plain_statements if code.stores is None else _padded_statements
    loads, stores = write(access, code, writer)
    numbers = sorted(writer.parameters)
    slots = [f"_p{k}" for k in numbers] + [f"_h{k}" for k in range(len(writer.hoisted))]
    if code.stores is not None:
        slots.append("_fill")
    lines = _class(access, slots, *_bodies(code, rank, test, loads, stores))
    if callable(code.values):
        lines += _laying_out(numbers)
    return lines, _bind(code, numbers, writer.hoisted, access)


def _bodies(
    code: OffsetCode, rank: int, test: str, loads: SourceLines, stores: SourceLines
) -> tuple[SourceLines, SourceLines]:
    """Source of the methods that load and store, but for what is left to the general access."""
    is_grid = code.items != ITEMS
    several = "" if is_grid and not test else f"{_names(rank)} = key"
    get, put = _path(rank, test, several, loads), _path(rank, test, several if is_grid else f"{several} + ()", stores)
    if is_grid or callable(code.values):  # what is read is made at the first access, which then begins again
        get += ["except AttributeError:", "    if self._lay_out(): return self[key]"]
        put += ["except AttributeError:", "    if self._lay_out(): self[key] = value; return"]
    if is_grid:  # which refuses lists; to ask for a sequence costs less
        get = ["match key:", "    case [*_]:", *[f"        {line}" for line in get]]
    elif rank > 1:
        get = ["if isinstance(key, tuple):", *[f"    {line}" for line in get]]
    return get, put


def _plain_statements(access: AccessSignature, code: OffsetCode, writer: Writer) -> tuple[SourceLines, SourceLines]:
    """Statements of a load and of a store where each index stands for an element."""
    # Only a memoryview is known to refuse the list that a slice of a table is; a plus in front refuses it as well.
    place = "+{}" if code.bounded and not (access.is_memory and access.is_plain) else "{}"
    load, store = _verbs(access, place if code.natural else f"natural({place})", code.items)
    return code.lines(writer, load.format), code.lines(writer, store.format)


def _padded_statements(access: AccessSignature, code: OffsetCode, writer: Writer) -> tuple[SourceLines, SourceLines]:
    """Statements of a load and of a store where some indices stand for none.

    What lies outside reads as a constant, if the fill says so; whatever else there is to say the general code says.
    """
    load, store = _verbs(access, "place")
    loads = [*code.lines(writer, "place = {}".format), f"if place >= 0: {load}"]
    if access.mode == "constant":
        fill = "self._fill" if access.is_plain else "self._load(self._fill, 0)"
        loads.append(f"if place < {OUTSIDE} and self._storage is not None: return {fill}")
    stores = [] if code.stores is None else code.stores(writer, "place = {}".format)
    return loads, [*stores, f"if place >= 0: {store}"]


def _verbs(access: AccessSignature, place: str, items: str = ITEMS) -> tuple[str, str]:
    """Statements that load and store an element at a position; an accessor of its own does so after the ``try``."""
    if access.is_plain:
        return f"return {items}[{place}]", f"{items}[{place}] = value; return"
    return f"offset = {place}", f"offset = {place}"


def _compiled(access: AccessSignature, lines: SourceLines, bind: SourceLines) -> Make:
    """Compile a class of views, and return the function that makes them."""
    names = _run([*lines, *_make_function(bind)], {"base": access.base})
    made: Any = names["View"]  # Any: a class that no checker has seen
    base = access.base
    made.__name__, made.__qualname__, made.__module__ = base.__name__, base.__qualname__, base.__module__
    made.__doc__ = base.__doc__
    make: Make = names["make"]
    return make


def _run(lines: SourceLines, names: dict[str, Any]) -> dict[str, Any]:
    """Compile and execute source; Any: whatever it defines."""
    names |= {"new": object.__new__, "REFUSALS": REFUSALS, "natural": natural}
    names |= {"STORE_REFUSALS": STORE_REFUSALS, "refuse_store": refuse_store}
    names |= {"constant_items": constant_items, "FillAccessor": FillAccessor, "fill_of": fill_of}
    exec(compile("\n".join(lines), "<element access>", "exec"), names)
    return names


def _make_function(bind: SourceLines) -> SourceLines:
    """Source of the function that makes a view; ``bind`` keeps the numbers that its access reads."""
    return [
        "def make(plan, storage, accessor, origin, derived):",
        "    self = new(View)",
        "    self._plan = plan",
        "    self._derived = derived",
        "    self._storage = storage",
        "    self._items = storage.items",
        "    self._accessor = accessor",
        "    self._place = origin",
        *[f"    {line}" for line in bind],
        "    return self",
    ]


def _bind(code: OffsetCode, read: Sequence[int], hoisted: Sequence[str], access: AccessSignature) -> SourceLines:
    if callable(code.values):
        kept = ["values = plan.values", "if values:", *[f"    {line}" for line in _keep(read)]]
    else:
        count = len(code.values)
        names = "".join([f"p{k}, " for k in range(count)])
        kept = [
            *([f"{names}= plan.values"] if count else []),
            *([] if code.bounded else [f"p{count} = origin + plan.start"]),
            *[f"self._p{k} = p{k}" for k in read],
            *[f"self._h{k} = {text}" for k, text in enumerate(hoisted)],
        ]
    fill = "accessor.constant if type(accessor) is FillAccessor else fill_of(accessor).constant"
    if code.stores is not None and access.mode == "constant":
        kept.append(f"self._fill = {fill if access.is_plain else f'constant_items({fill})'}")
    return [
        *kept,
        *([] if access.is_plain else ["self._load = accessor.load"]),
        *([] if access.is_plain or not access.stores else ["self._store = accessor.store"]),
    ]


def _keep(read: Sequence[int]) -> SourceLines:
    return [f"self._p{k} = values[{k}]" for k in read]


def _laying_out(read: Sequence[int]) -> SourceLines:
    """Source of the method that makes the numbers that are missing at the first access, and tells whether it has.

    A released view reads none.
    """
    return [
        "    def _lay_out(self):",
        "        plan = self._plan",
        "        values = plan.values or plan.laid_out()",
        f"        if not values or hasattr(self, '_p{read[0]}'): return False",
        *[f"        {line}" for line in _keep(read)],
        "        return True",
    ]


def _class(access: AccessSignature, slots: Sequence[str], get: SourceLines, put: SourceLines) -> SourceLines:
    """Source of a class. What an accessor does by itself stands outside the ``try``: it must not run twice."""
    start = [] if access.is_plain else ["        offset = None"]
    own = access.stores and not access.is_plain
    return [
        "class View(base, compiled=True):",
        f"    __slots__ = ({''.join([repr(s) + ', ' for s in slots])})",
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


def _names(rank: int) -> str:
    return ", ".join([f"i{r}" for r in range(rank)])


def _sign_test(access: AccessSignature, rank: int) -> str:
    """Test of an index that is bounded by what it is looked up in; lists and memoryviews wrap a negative one."""
    return "" if access.rule is IndexRule.WRAP else " and ".join([f"i{r} >= 0" for r in range(rank)])


def _test(rank: int, bounds: Sequence[str]) -> str:
    """Test of an index. Only plain ints pass: arithmetic on a NumPy integer overflows."""
    tests = [] if rank else ["type(key) is tuple and not key"]
    tests += [f"type(i{r}) is int" for r in range(rank)]
    tests += [f"0 <= i{r} < {bound}" for r, bound in enumerate(bounds)]
    return " and ".join(tests)


def _bounds(extents: Sequence[int], writer: Writer) -> list[str]:
    """Source of each extent; a dynamic one is a parameter."""
    names = iter(range(len(extents)))
    found: list[str] = []
    for e in extents:
        if type(e) is Dim:
            found.append(str(int(e)))
        else:
            number = next(names)
            writer.parameters.add(number)
            found.append(f"self._p{number}")
    return found
