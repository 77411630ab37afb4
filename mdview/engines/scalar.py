"""The scalar engine: element access by a small class compiled for each kind of view.

A *kind* is what the code of an access depends on: rank, static extents, which strides are 0 or 1, or the layout where
it is not strided, the index rule, and whether loads and stores are plain. The offset expression of a kind is traced
once (see `mdview.engines.trace`), written into the methods of a subclass of the view, compiled, and kept in a bounded
cache. Nothing generic runs per access; an index that the compiled code does not take (a slice, a negative index, one
out of range) goes to the view's own ``_get`` and ``_set``.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Hashable, Sequence
from typing import Any, Final, TypeVar

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.engines.plans import AnyMapping, Plan, calling_plan, concrete_plan, symbolic_plan
from mdview.engines.tables import offset_tables
from mdview.engines.trace import OffsetSource, trace
from mdview.extents import Dim

CACHE_SIZE: Final = 1024
"""How many kinds are kept compiled; the oldest one goes first (views of that kind keep their class)."""

V = TypeVar("V")
_kinds: dict[Hashable, type] = {}
_untraceable: dict[Hashable, None] = {}
_lock = allocate_lock()


def specialise(
    base: type, mapping: AnyMapping, origin: int, accessor: Accessor[Any, Any]
) -> tuple[type, tuple[Any, ...]]:
    """Subclass of ``base`` for this kind of view, and the values that its ``_bind`` takes.

    ``base`` provides ``_items``, ``_load``, ``_store``, ``_get(key)`` and ``_set(key, value)``. Any: whatever the
    accessor's elements are; the view carries the types.
    """
    access = (base, accessor.index_rule, accessor.is_plain, isinstance(accessor, Writable))
    if not mapping.layout.is_total():
        return base, ()  # the general access knows about the halo
    found = offset_tables(mapping) if accessor.is_plain else None
    if found is not None:
        tables, origin = found[0], found[1] + origin
        shifted = origin != 0
        table_key = (("tables", len(tables), shifted), access)
        kind = _kinds.get(table_key)
        if kind is None:
            kind = _remember(_kinds, table_key, compile_table_kind(base, mapping.rank, shifted, accessor))
        return kind, (*tables, origin)
    for make in (symbolic_plan, concrete_plan, calling_plan):
        plan = make(mapping, origin)
        if plan.key not in _untraceable:
            key = (plan.key, access)
            traced = _kinds.get(key) or _compile(key, plan, base, mapping, accessor)
            if traced is not None:
                return traced, plan.values
    return base, ()


def _compile(key: Hashable, plan: Plan, base: type, mapping: AnyMapping, accessor: Accessor[Any, Any]) -> type | None:
    """Compile and keep a kind; None where its arithmetic cannot be traced."""
    try:
        source = (
            plan.offset if isinstance(plan.offset, OffsetSource) else trace(plan.offset, len(plan.values), mapping.rank)
        )
        kind = compile_kind(base, mapping.extents, source, accessor, len(plan.values))
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        _remember(_untraceable, plan.key, None)
        return None
    return _remember(_kinds, key, kind)


def _remember(cache: dict[Hashable, V], key: Hashable, value: V) -> V:
    with _lock:
        if len(cache) >= CACHE_SIZE:
            del cache[next(iter(cache))]
        return cache.setdefault(key, value)


def compile_table_kind(base: type, rank: int, shifted: bool, accessor: Accessor[Any, Any]) -> type:  # noqa: FBT001
    """Compile the subclass of ``base`` whose access adds up one table entry per dimension."""
    # The first plus is for slices: the part of a table has none, and so does not reach the data as an index.
    terms = [f"{'' if r else '+'}self._p{r}[i{r}]" for r in range(rank)] + ([f"self._p{rank}"] if shifted else [])
    source = OffsetSource((), frozenset(range(rank + shifted)), (), " + ".join(terms))
    # A list wraps a negative index; unless that is the rule, such an index goes the general way.
    checked = accessor.index_rule is not IndexRule.WRAP
    tests = ["type(key) is tuple"] if rank > 1 else []
    # One chained comparison for two indices: `i0 >= 0 <= i1`.
    signs = [f"i{r} >= 0 <= i{r + 1}" if r + 1 < rank else f"i{r} >= 0" for r in range(0, rank, 2)]
    tests += signs if checked else []
    return _compile_class(base, source, rank + 1, (), (rank, " and ".join(tests) or "True"), accessor)


def compile_kind(
    base: type, extents: Sequence[int], source: OffsetSource, accessor: Accessor[Any, Any], values: int
) -> type:
    """Compile the subclass of ``base`` whose ``__getitem__`` and ``__setitem__`` are this offset and access policy.

    Only a tuple of plain ints is an index here: a ``range`` unpacks too, and arithmetic on a NumPy integer overflows.
    """
    rank = len(extents)
    bounds = _bounds(extents) if accessor.index_rule is not IndexRule.TRUST else []
    tests = {0: ["type(key) is tuple and not key"], 1: []}.get(rank, ["type(key) is tuple"])
    tests += [f"type(i{r}) is int" for r in range(rank)]
    tests += [f"0 <= i{r} < {bound}" for r, bound in enumerate(bounds)]
    return _compile_class(base, source, values, bounds, (rank, " and ".join(tests)), accessor)


def _compile_class(
    base: type,
    source: OffsetSource,
    values: int,
    bounds: Sequence[str],
    fast: tuple[int, str],
    accessor: Accessor[Any, Any],
) -> type:
    """Write and compile one kind; ``fast`` is the rank and the test that an index must pass."""
    read = set(source.parameters) | {int(b.removeprefix("self._p")) for b in bounds if b.startswith("self._p")}
    slots = [f"_p{k}" for k in sorted(read)] + [f"_h{k}" for k in range(len(source.hoisted))]
    text = "\n".join(
        [
            "class Kind(base):",
            f"    __slots__ = ({''.join([repr(s) + ', ' for s in slots])})",
            *_bind_method(sorted(read), source, values),
            *_get_method(fast, source, accessor),
            *_set_method(fast, source, accessor),
        ]
    )
    namespace: dict[str, Any] = {"base": base}
    exec(compile(text, f"<{base.__name__} of rank {fast[0]}>", "exec"), namespace)
    kind: type = namespace["Kind"]
    kind.__name__, kind.__qualname__, kind.__module__ = base.__name__, base.__qualname__, base.__module__
    kind.__doc__ = base.__doc__
    return kind


def _bounds(extents: Sequence[int]) -> list[str]:
    """Extent of each dimension as source."""
    names = iter(range(len(extents)))
    return [str(int(e)) if type(e) is Dim else f"self._p{next(names)}" for e in extents]


def _bind_method(read: Sequence[int], source: OffsetSource, values: int) -> list[str]:
    names = "".join([f"p{k}, " for k in range(values)])
    return [
        "    def _bind(self, values):",
        f"        {names}= values" if values else "        pass",
        *[f"        self._p{k} = p{k}" for k in read],
        *[f"        self._h{k} = {text}" for k, text in enumerate(source.hoisted)],
    ]


def _load(accessor: Accessor[Any, Any]) -> str:
    return "return self._items[{}]" if accessor.is_plain else "return self._load(self._items, {})"


def _store(accessor: Accessor[Any, Any]) -> str | None:
    if not isinstance(accessor, Writable):
        return None
    return "self._items[{}] = value; return" if accessor.is_plain else "offset = {}"


def _get_method(fast: tuple[int, str], source: OffsetSource, accessor: Accessor[Any, Any]) -> list[str]:
    return [
        "    def __getitem__(self, key):",
        *_fast_path(fast, source, _load(accessor)),
        "        return self._get(key)",
    ]


def _set_method(fast: tuple[int, str], source: OffsetSource, accessor: Accessor[Any, Any]) -> list[str]:
    """Source of ``__setitem__``. A store of the accessor's own stands outside the ``try``: it must not run twice."""
    statement = _store(accessor)
    own = statement is not None and not accessor.is_plain
    call = ["        if offset is not None:", "            return self._store(self._items, offset, value)"]
    return [
        "    def __setitem__(self, key, value):",
        *(["        offset = None"] if own else []),
        *(_fast_path(fast, source, statement) if statement else []),
        *(call if own else []),
        "        self._set(key, value)",
    ]


def _fast_path(fast: tuple[int, str], source: OffsetSource, statement: str) -> list[str]:
    """Source that takes an index which passes the test and leaves everything else to the lines after it."""
    rank, test = fast
    unpack = {0: "pass", 1: "i0 = key"}.get(rank, f"{', '.join([f'i{r}' for r in range(rank)])} = key")
    return [
        "        try:",
        f"            {unpack}",
        f"            if {test}:",
        *[f"                {line}" for line in (*source.statements, statement.format(source.result))],
        "        except (TypeError, ValueError, IndexError):",
        "            pass",
    ]
