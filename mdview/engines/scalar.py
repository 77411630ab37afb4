"""The scalar engine: element access by a small class compiled for each kind of view.

A *kind* is what the code of an access depends on: rank, static extents, which strides are 0 or 1, or the layout where
it is not strided, the index rule, and whether loads and stores are plain. The offset expression of a kind is traced
once (see `mdview.engines.trace`), written into the methods of a subclass of the view, compiled, and kept in a bounded
cache. Nothing generic runs per access; an index that the compiled code does not take (a slice, a negative index, one
out of range) goes to the view's own ``_get`` and ``_set``.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Final, cast, final

from mdview.accessors.base import Accessor, IndexRule, Writable
from mdview.accessors.checked import CheckedAccessor
from mdview.accessors.default import DefaultAccessor
from mdview.accessors.unchecked import UncheckedAccessor
from mdview.engines.lookups import digits_plan, tables_plan
from mdview.engines.plans import AnyMapping, Plan, calling_plan, concrete_plan, symbolic_plan
from mdview.engines.trace import OffsetSource, trace
from mdview.extents import Dim
from mdview.memo import remember

MOST_COMPILED: Final = 64
"""The highest rank whose element access is compiled."""

CACHE_SIZE: Final = 1024
"""How many kinds are kept compiled; the oldest one goes first (views of that kind keep their class)."""

_kinds: dict[Hashable, type] = {}
_untraceable: dict[Hashable, None] = {}


@final
class Access:
    """What of an accessor the code of an access depends on; there is one object for each combination."""

    __slots__ = ("base", "is_plain", "rule", "stores")

    def __init__(self, base: type, rule: IndexRule, *, is_plain: bool, stores: bool) -> None:
        """Describe access by subclasses of ``base``.

        That class provides ``_items``, ``_accessor``, ``_get(key)`` and ``_set(key, value)``.
        """
        self.base = base
        self.rule = rule
        self.is_plain = is_plain
        self.stores = stores


FIELDLESS: Final = {DefaultAccessor, CheckedAccessor, UncheckedAccessor}
"""Accessors all of whose instances are alike: their class tells the access."""

_accesses: dict[tuple[type, str, bool, bool], Access] = {}
_fieldless: dict[tuple[type, type], Access] = {}


def access_of(base: type, accessor: Accessor[Any, Any]) -> Access:
    """Access of a kind of view; ``base`` is what kinds derive from. Any, here and below: elements of any type."""
    known = _fieldless.get((base, type(accessor)))
    if known is not None:
        return known
    key = (base, accessor.index_rule.value, accessor.is_plain, isinstance(accessor, Writable))
    found = _accesses.get(key)
    if found is None:
        made = Access(base, accessor.index_rule, is_plain=key[2], stores=key[3])
        found = remember(_accesses, key, made)
    if type(accessor) in FIELDLESS:
        remember(_fieldless, (base, type(accessor)), found)
    return found


@final
class Recipe:
    """How to make the view of a mapping: its compiled class and the numbers that it keeps.

    Attributes
    ----------
    mapping
        The mapping, held for as long as its identity is a key.
    kind
        The class.
    values, start, shifted
        Its ``_bind`` takes ``values``, and if ``shifted`` the view's origin plus ``start`` as the last one.
    """

    __slots__ = ("kind", "mapping", "shifted", "start", "values")

    def __init__(self, mapping: AnyMapping, kind: type, values: tuple[Any, ...], start: int, *, shifted: bool) -> None:
        """Keep the parts."""
        self.mapping = mapping
        self.kind = kind
        self.values = values
        self.start = start
        self.shifted = shifted


recipes: dict[tuple[int, Access, bool], Recipe] = {}
"""Recipes by the identity of the mapping, the access, and whether the origin is 0."""


def recipe(access: Access, mapping: AnyMapping, origin: int) -> Recipe:
    """Find or make the recipe for views of ``mapping``; what serves one origin but 0 serves all."""
    key = (id(mapping), access, not origin)
    return recipes.get(key) or remember(recipes, key, _recipe(access, mapping, moved=origin != 0))


PLANS: Final = (tables_plan, digits_plan, symbolic_plan, concrete_plan, calling_plan)
"""How offsets may be computed, the best first; the first two only where access is plain."""


def _recipe(access: Access, mapping: AnyMapping, *, moved: bool) -> Recipe:
    # The general access knows about the halo, and takes any number of dimensions; a compiler has its limits.
    if mapping.rank > MOST_COMPILED or not mapping.layout.is_total():
        return Recipe(mapping, access.base, (), 0, shifted=False)
    for make in PLANS if access.is_plain else PLANS[2:]:  # an accessor may raise an IndexError of its own
        plan = make(mapping, moved=moved)
        if plan is not None and plan.key not in _untraceable:
            key = (plan.key, access)
            kind = _kinds.get(key) or _compile(key, plan, access, mapping)
            if kind is not None:
                return Recipe(mapping, kind, plan.values, plan.start, shifted=plan.shifted)
    return Recipe(mapping, access.base, (), 0, shifted=False)


def _compile(key: Hashable, plan: Plan, access: Access, mapping: AnyMapping) -> type | None:
    """Compile and keep a kind; None where its arithmetic cannot be traced."""
    values = len(plan.values) + plan.shifted
    try:
        source = plan.offset if isinstance(plan.offset, OffsetSource) else trace(plan.offset, values, mapping.rank)
        test, bounds = _bounded_test(access, mapping.rank) if plan.bounded else _test(access, mapping.extents)
        kind = _compile_class(access, source, values, bounds, (mapping.rank, test))
    except Exception:  # noqa: BLE001 - a user's arithmetic may fail on symbols in any way; it then runs on numbers
        remember(_untraceable, plan.key, None, CACHE_SIZE)
        return None
    return remember(_kinds, key, kind, CACHE_SIZE)


def _bounded_test(access: Access, rank: int) -> tuple[str, list[str]]:
    """Test of an index whose bounds are those of tables.

    A list wraps a negative index; unless that is the rule, such an index goes the general way.
    """
    # One chained comparison for two indices: `i0 >= 0 <= i1`.
    signs = [f"i{r} >= 0 <= i{r + 1}" if r + 1 < rank else f"i{r} >= 0" for r in range(0, rank, 2)]
    return "True" if access.rule is IndexRule.WRAP else " and ".join(signs), []


def _test(access: Access, extents: Sequence[int]) -> tuple[str, list[str]]:
    """Test of an index, and the bounds in it.

    Only plain ints are an index here: arithmetic on a NumPy integer overflows.
    """
    bounds = _bounds(extents) if access.rule is not IndexRule.TRUST else []
    tests = [] if extents else ["type(key) is tuple and not key"]
    tests += [f"type(i{r}) is int" for r in range(len(extents))]
    tests += [f"0 <= i{r} < {bound}" for r, bound in enumerate(bounds)]
    return " and ".join(tests), bounds


def _compile_class(
    access: Access, source: OffsetSource, values: int, bounds: Sequence[str], fast: tuple[int, str]
) -> type:
    """Write and compile one kind; ``fast`` is the rank and the test that an index must pass."""
    read = set(source.parameters) | {int(b.removeprefix("self._p")) for b in bounds if b.startswith("self._p")}
    base = access.base
    slots = [f"_p{k}" for k in sorted(read)] + [f"_h{k}" for k in range(len(source.hoisted))]
    text = "\n".join(
        [
            "class Kind(base):",
            f"    __slots__ = ({''.join([repr(s) + ', ' for s in slots])})",
            *_bind_method(sorted(read), source, values, access),
            *_get_method(fast, source, access),
            *_set_method(fast, source, access),
        ]
    )
    namespace: dict[str, Any] = {"base": base}
    exec(compile(text, f"<{base.__name__} of rank {fast[0]}>", "exec"), namespace)
    kind: Any = namespace["Kind"]
    kind.__name__, kind.__qualname__, kind.__module__ = base.__name__, base.__qualname__, base.__module__
    kind.__doc__ = base.__doc__
    kind._compiled_for = access
    return cast("type", kind)


def _bounds(extents: Sequence[int]) -> list[str]:
    """Extent of each dimension as source."""
    names = iter(range(len(extents)))
    return [str(int(e)) if type(e) is Dim else f"self._p{next(names)}" for e in extents]


def _bind_method(read: Sequence[int], source: OffsetSource, values: int, access: Access) -> list[str]:
    names = "".join([f"p{k}, " for k in range(values)])
    own = ["        self._load = self._accessor.load"] if not access.is_plain else []
    own += ["        self._store = self._accessor.store"] if own and access.stores else []
    return [
        "    def _bind(self, values):",
        f"        {names}= values" if values else "        pass",
        *[f"        self._p{k} = p{k}" for k in read],
        *[f"        self._h{k} = {text}" for k, text in enumerate(source.hoisted)],
        *own,
    ]


def _load(access: Access) -> str:
    return "return self._items[{}]" if access.is_plain else "return self._load(self._items, {})"


def _store(access: Access) -> str | None:
    if not access.stores:
        return None
    return "self._items[{}] = value; return" if access.is_plain else "offset = {}"


def _get_method(fast: tuple[int, str], source: OffsetSource, access: Access) -> list[str]:
    return [
        "    def __getitem__(self, key):",
        *_fast_path(fast, source, _load(access)),
        "        return self._get(key)",
    ]


def _set_method(fast: tuple[int, str], source: OffsetSource, access: Access) -> list[str]:
    """Source of ``__setitem__``. A store of the accessor's own stands outside the ``try``: it must not run twice."""
    statement = _store(access)
    own = statement is not None and not access.is_plain
    call = ["        if offset is not None:", "            return self._store(self._items, offset, value)"]
    return [
        "    def __setitem__(self, key, value):",
        *(["        offset = None"] if own else []),
        *(_fast_path(fast, source, statement) if statement else []),
        *(call if own else []),
        "        self._set(key, value)",
    ]


def _fast_path(fast: tuple[int, str], source: OffsetSource, statement: str) -> list[str]:
    """Source that takes an index which passes the test and leaves everything else to the lines after it.

    Of rank 2 and more only a tuple is unpacked, so that a row, ``view[i]``, costs no exception.
    """
    rank, test = fast
    unpack = {0: "pass", 1: "i0 = key"}.get(rank, f"{', '.join([f'i{r}' for r in range(rank)])} = key")
    lines = [
        "        try:",
        f"            {unpack}",
        f"            if {test}:",
        *[f"                {line}" for line in (*source.statements, statement.format(source.result))],
        "        except (TypeError, ValueError, IndexError):",
        "            pass",
    ]
    return lines if rank in {0, 1} else ["        if type(key) is tuple:", *[f"    {line}" for line in lines]]
