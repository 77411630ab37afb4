"""The scalar engine: element access by a small class compiled for each kind of view.

A *kind* is what the code of an access depends on: rank, static extents, which strides are 0 or 1, or the layout where
it is not strided, the index rule, and whether loads and stores are plain. The offset expression of a kind is traced
once (see `mdview.engines.trace`), written into the methods of a subclass of the view, compiled, and kept in a bounded
cache. Nothing generic runs per access; an index that the compiled code does not take (a slice, a negative index, one
out of range) goes to the view's own ``_get`` and ``_set``.
"""

from __future__ import annotations

from _thread import allocate_lock
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache
from typing import Any, Final, TypeVar, final

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.engines.trace import OffsetSource, expression, is_separable, trace
from mdview.extents import Dim, static_extents
from mdview.layouts.base import Layout
from mdview.layouts.composed import LayoutComposed
from mdview.mapping import Mapping
from mdview.transform import IndexTransform
from mdview.value import value

CACHE_SIZE: Final = 1024
"""How many kinds are kept compiled; the oldest one goes first (views of that kind keep their class)."""

TABLE_LIMIT: Final = 4096
"""How many entries the offset tables of one view may have in all."""

V = TypeVar("V")
AnyMapping = Mapping[tuple[int, ...], Layout]
OffsetFunction = Callable[[list[Any], list[Any]], Any]
"""Offset from parameters and an index. Any: ints, or the symbols that stand for them while tracing."""


@final
@value
class Plan:
    """How the offsets of one mapping are computed.

    Attributes
    ----------
    key
        Equal keys: equal code.
    values
        Values of the parameters; the dynamic extents come first.
    offset
        Offset from parameters and index, to be traced; or source that needs no tracing.
    """

    key: Hashable
    values: tuple[Any, ...]  # Any: ints, or the bound function that a layout that cannot be traced is called by
    offset: OffsetFunction | OffsetSource


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
    tables = offset_tables(mapping) if accessor.is_plain else None
    if tables is not None:
        shifted = origin != 0
        table_key = (("tables", len(tables), shifted), access)
        kind = _kinds.get(table_key)
        if kind is None:
            kind = _remember(_kinds, table_key, compile_table_kind(base, mapping.rank, shifted, accessor))
        return kind, (*tables, origin)
    for make in (_symbolic_plan, _concrete_plan, _calling_plan):
        plan = make(mapping, origin)
        if plan.key not in _untraceable:
            key = (plan.key, access)
            found = _kinds.get(key) or _compile(key, plan, base, mapping, accessor)
            if found is not None:
                return found, plan.values
    return base, ()


def offset_tables(mapping: AnyMapping) -> tuple[list[int], ...] | None:
    """Per dimension the offsets of its indices, which add up to the offset of any index; None where they do not pay.

    Every strided mapping has them, and so has each layout whose arithmetic is a sum of terms in one index each. List
    indexing then does the bounds check and the negative wrap. Above `TABLE_LIMIT` entries arithmetic is used instead.
    """
    extents = mapping.extents
    if not extents or sum(extents) > TABLE_LIMIT:
        return None
    strides = mapping.found_strides()
    if strides is None:
        return None if isinstance(mapping.layout, LayoutComposed) else _layout_tables(mapping.layout, extents)
    first = mapping.origin
    if first:
        return (_shifted_steps(extents[0], strides[0], first), *map(_steps, extents[1:], strides[1:]))
    return tuple(map(_steps, extents, strides))


@lru_cache(maxsize=256)
def _steps(extent: int, stride: int) -> list[int]:
    """Offsets along one dimension; shared between views and never changed."""
    return [i * stride for i in range(extent)]


@lru_cache(maxsize=256)
def _shifted_steps(extent: int, stride: int, first: int) -> list[int]:
    return [first + i * stride for i in range(extent)]


@lru_cache(maxsize=256)
def _layout_tables(layout: Layout, extents: tuple[int, ...]) -> tuple[list[int], ...] | None:
    """Offset tables of a layout that is not strided, if its arithmetic is separable."""
    rank = len(extents)
    try:
        separable = is_separable(expression(lambda _, index: layout.offset(extents, index), 0, rank))
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        return None
    if not separable or 0 in extents:
        return None
    start = layout.offset(extents, (0,) * rank)
    tables = []
    for r, extent in enumerate(extents):
        before, after = (0,) * r, (0,) * (rank - r - 1)
        known = 0 if r == 0 else start
        tables.append([layout.offset(extents, (*before, i, *after)) - known for i in range(extent)])
    return tuple(tables)


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


def _symbolic_plan(mapping: AnyMapping, origin: int) -> Plan:
    strides = mapping.found_strides()
    if strides is not None:
        return _strided_plan(mapping, strides, origin + mapping.origin)
    if isinstance(mapping.layout, LayoutComposed):
        return _composed_plan(mapping, mapping.layout, origin, concrete=False)
    return _layout_plan(mapping, origin, concrete=False)


def _concrete_plan(mapping: AnyMapping, origin: int) -> Plan:
    """Plan for arithmetic that asks for numbers (how many bits an extent has): every extent is baked in."""
    if isinstance(mapping.layout, LayoutComposed):
        return _composed_plan(mapping, mapping.layout, origin, concrete=True)
    return _layout_plan(mapping, origin, concrete=True)


def _calling_plan(mapping: AnyMapping, origin: int) -> Plan:
    """Plan for arithmetic that asks for the index itself (``if i > j``): the layout is called at each access."""
    extents, offset = mapping.extents, mapping.layout.offset
    index = "".join([f"i{r}, " for r in range(mapping.rank)])

    def call(index: tuple[int, ...]) -> int:
        return origin + offset(extents, index)

    called = len(_dynamic(mapping.extents))
    source = OffsetSource((), frozenset({called}), (), f"self._p{called}(({index}))")
    return Plan(("called", mapping.static_extents), (*_dynamic(mapping.extents), call), source)


def _strided_plan(mapping: AnyMapping, strides: tuple[int, ...], origin: int) -> Plan:
    known = tuple([s if s in {0, 1} else None for s in strides])
    dynamic = _dynamic(mapping.extents)
    values = (*dynamic, *[s for s in strides if s not in {0, 1}], *([origin] if origin else ()))
    skip, shifted = len(dynamic), origin != 0

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        rest = iter(parameters[skip:])
        steps = [next(rest) if s is None else s for s in known]
        total = next(rest) if shifted else 0
        for i, s in zip(index, steps, strict=True):
            total = total + i * s
        return total

    return Plan(("strided", mapping.static_extents, known, shifted), values, offset)


def _layout_plan(mapping: AnyMapping, origin: int, *, concrete: bool) -> Plan:
    layout, extents = mapping.layout, mapping.extents
    dynamic, static = _dynamic(extents), mapping.static_extents
    baked: tuple[int | None, ...] = tuple(map(int, extents)) if concrete else static
    shifted = origin != 0

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        place = layout.offset(_filled(baked, parameters), index)
        return place + parameters[-1] if shifted else place

    values = (*dynamic, *([origin] if shifted else ()))
    return Plan(("layout", layout, static, baked, shifted), values, offset)


def _composed_plan(mapping: AnyMapping, layout: LayoutComposed, origin: int, *, concrete: bool) -> Plan:
    """Plan with the numbers of the transform as parameters, so that all slices of one base share their code."""
    transform, base, base_extents = layout.transform, layout.base, layout.base_extents
    dynamic, base_static = _dynamic(mapping.extents), static_extents(base_extents)
    baked: tuple[int | None, ...] = tuple(map(int, base_extents)) if concrete else base_static
    known = tuple([s if s in {0, 1} else None for s in transform.stride])
    base_dynamic = () if concrete else _dynamic(base_extents)
    steps = [s for s in transform.stride if s not in {0, 1}]
    values = (*dynamic, *base_dynamic, *transform.offset, *steps, origin)
    skip, source, free = len(dynamic), transform.source, len(base_dynamic)

    def offset(parameters: list[Any], index: list[Any]) -> Any:
        rest = parameters[skip + free : -1]
        first, more = rest[: len(known)], iter(rest[len(known) :])
        step = [next(more) if s is None else s for s in known]
        moved = IndexTransform(tuple(first), tuple(step), source).apply(index)
        return base.offset(_filled(baked, parameters[skip:]), moved) + parameters[-1]

    return Plan(("composed", base, mapping.static_extents, baked, source, known), values, offset)


def _dynamic(extents: Sequence[int]) -> tuple[int, ...]:
    return tuple([e for e in extents if type(e) is not Dim])


def _filled(baked: Sequence[int | None], dynamic: Sequence[Any]) -> tuple[Any, ...]:
    """Extents with the next dynamic value wherever ``baked`` has none."""
    rest = iter(dynamic)
    return tuple([next(rest) if e is None else e for e in baked])


def compile_table_kind(base: type, rank: int, shifted: bool, accessor: Accessor[Any, Any]) -> type:  # noqa: FBT001
    """Compile the subclass of ``base`` whose access adds up one table entry per dimension."""
    terms = [f"self._p{r}[i{r}]" for r in range(rank)] + ([f"self._p{rank}"] if shifted else [])
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
