"""Code generation for slice keys: functions that look up the part of a view that ints and slices select.

Loops ask for rows, tiles and neighbourhoods over and over. Where the offset of a view is a sum of terms in one index
each, where a part begins makes little difference: to a strided one none but to its first offset, and an int on a table
adds its entry. So a part is remembered by what is left: how many indices each slice spans, its step, and where it
begins if that matters. What is not usual (an index that is no int, a slice of nothing, a broken rule) gets None and is
left to the functions that know all slices and all errors.

The code that reads a key is written out for each number of dimensions: a loop over two takes twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal, TypeAlias, cast

from mdview.base.caches import generated
from mdview.engines.mapping_plan import Row
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection
from mdview.mappings.bracket_keys import WHOLE, written_out

FindPart: TypeAlias = Callable[..., Any]
"""``find(view, plan, key, added=None)`` is a view or None. Any: views and plans are above this module.

Who tells which dimensions are new axes, if any, finds a view even where all entries are ints.
"""

_BRACKETS: Final = """\
        if type(k{r}) is slice:
            if k{r}.start is k{r}.stop is k{r}.step is None: a{r}, n{r}, s{r} = 0, e{r}, 0
            else:
                a{r}, z{r}, s{r} = k{r}.indices(e{r})
                n{r} = z{r} - a{r}
        elif type(k{r}) is int:
            a{r} = k{r} + e{r} if {wraps} and k{r} < 0 else k{r}
            if not 0 <= a{r} < e{r}: return None
            n{r} = s{r} = None
        else: return written(view, plan, key)"""

_SLICES: Final = """\
        if k{r} is ALL: a{r}, n{r}, s{r} = 0, e{r}, 0
        elif type(k{r}) is tuple:
            a{r}, z{r} = k{r}
            if not (type(a{r}) is type(z{r}) is int and 0 <= a{r} < z{r} <= e{r}): return None
            n{r}, s{r} = z{r} - a{r}, 1
        elif type(k{r}) is int and 0 <= k{r} < e{r}: a{r}, n{r}, s{r} = k{r}, None, None
        else: return None"""
"""How one slice of a key is read, by the rules of brackets and of `subview`: where it begins, its span and its step.

The step 0 stands for a dimension kept whole, which has its own layouts; None for an index, which drops it.
"""


ReadKey: TypeAlias = tuple[Any, ...]
"""Where each slice of a key begins, its span and its step, and last the new axes, if any; all but those may be ints.

Dimensions that are left out are kept whole.
"""

PartKind: TypeAlias = Literal["strides", "tables", "numbers"]
"""What parts differ in by where they begin: the offset; that and slices of tables; all numbers."""

Finders: TypeAlias = tuple[FindPart, FindPart]


def making(base: str, plan: str, accessor: str) -> list[str]:
    """Return the statements that make a view of a class, at ``origin`` in a ``storage``."""
    slots = {"plan": plan, "derived": "derived", "storage": "storage", "items": "storage.items", "accessor": accessor}
    return [f"self = new({base})", "self._place = origin", *[f"self._{slot} = {text}" for slot, text in slots.items()]]


def part_finders(rank: int, kind: PartKind, *, wraps: bool) -> Finders:
    """Return the functions that find what a tuple in brackets and the slices of `subview` select.

    In brackets dimensions without a slice are kept whole; `subview` takes ints, pairs of them and `ALL`.
    """

    def make() -> Finders:
        entries = f"key if len(key) == {rank} else key + (WHOLE,) * ({rank} - len(key))"
        brackets = [_BRACKETS.format(r=r, wraps=wraps) for r in range(rank)]
        slices = [_SLICES.format(r=r) for r in range(rank)]
        return _finder(entries, brackets, kind, "written(view, plan, key)"), _finder("key", slices, kind, "None")

    return generated(("finders", rank, kind, wraps), make)


def _finder(entries: str, reads: Sequence[str], kind: PartKind, other: str) -> FindPart:
    """Write and compile the function that reads the slices of each dimension and looks for the part of that shape.

    Of a key that is no such slices it returns ``other``.
    """
    dimensions = range(len(reads))

    def each(*letters: str) -> str:
        return "".join([f"{letter}{r}, " for r in dimensions for letter in letters])

    read, axes = f"({each('a', 'n', 's')}added,)", f"{each('t') or '()'} = plan.axes"
    placed = [f"    shape = read = {read}", "    shift = 0"]
    if kind == "strides":  # what is read is needed for a new part alone
        shift = " + ".join(["0", *[f"a{r} * t{r}" for r in dimensions]])
        placed = [f"    {axes}", f"    shape, shift = ({each('n', 's')}added,), {shift}"]
    elif kind == "tables" and dimensions:
        placed += [f"    if {' or '.join([f'n{r} is None' for r in dimensions])}:", f"        {axes}"]
        placed += [f"        if n{r} is None: a{r}, shift = None, shift + t{r}(a{r})" for r in dimensions]
        placed += [f"        shape = {read}"]
    read = read if kind == "strides" else "read"
    lines = [
        "def find(view, plan, key, added=None):",
        "    try:",
        f"        {each('k') or '()'} = {entries}",
        f"        {each('e') or '()'} = plan.extents",
        *reads,
        f"    except (TypeError, ValueError): return {other}",
        f"    if {' is '.join([f'n{r}' for r in dimensions] + ['added', 'None'])}: return None",  # an element
        *placed,
        f"    found = plan.parts.get(shape) or plan.new_part(shape, {read}, shift)",
        "    if found is None: return None",
        "    part, first = found",
        "    shift += first",
        # The storage comes last: another thread may release the view, and drops that first.
        f"    derived = part.derived or (plan.derived and plan, view._derived, shift, {read})",
        "    origin, storage = view._place, view._storage",
        "    if storage is None: return None",
        "    make, origin = part.make, origin + shift",  # not part.make(...): a slot's value is slow to call
        "    if part.become is not None: return make(part, storage, view._accessor, origin, derived)",
        # As general code makes a view, which spares a call.
        *[f"    {line}" for line in making("part.access.base", "part", "view._accessor")],
        "    return self",
    ]
    names: dict[str, Any] = {"ALL": ALL, "WHOLE": WHOLE, "new": object.__new__, "written": _written}
    exec(compile("\n".join(lines), "<slice cache>", "exec"), names)
    return cast("FindPart", names["find"])


def _written(view: Any, plan: Any, key: tuple[Any, ...]) -> Any:  # Any: see `FindPart`
    """Find what a key with ``...`` or None selects; None for other keys, and for what is no usual part."""
    found = written_out(key, len(plan.extents))
    if found is None:
        return None
    entries, added = found
    find = plan.find_by_key
    part = None if added else find(view, plan, entries)
    return find(view, plan, entries, added) if part is None else part


def no_part(*_: object) -> None:
    """Find nothing: for views whose parts are derived one by one."""


def first_by_key(view: Any, plan: Any, key: tuple[object, ...], added: object = None) -> Any:  # Any: see `FindPart`
    """Find what a tuple in brackets selects of a view whose plan has not been asked for parts.

    An element is none, and not worth the tables that parts may be made of.
    """
    if added is None and len(key) == len(plan.extents) and {*map(type, key)} <= {int}:
        return None
    return plan.finders()[0](view, plan, key, added)


def first_by_slices(view: Any, plan: Any, key: object) -> Any:
    """Find what slices of `subview` select of such a view."""
    return plan.finders()[1](view, plan, key)


def selections(read: ReadKey, extents: Sequence[int]) -> list[Selection] | None:
    """Canonical slices of begins, spans and steps as they were read; None where one selects nothing.

    A key is not asked a second time: what it holds may answer differently.
    """
    chosen: list[Selection] = []
    for begin, span, step in zip(read[:-1:3], read[1::3], read[2::3], strict=True):
        if span is None:
            chosen.append(begin)
        elif step == 0:
            chosen.append(ALL)
        else:
            count = len(range(0, span, step))
            if not count:
                return None
            chosen.append(ExtentSlice(begin, count, UNIT if step == 1 else step))
    return [*chosen, *[ALL] * (len(extents) - len(chosen))]


def rows_of(read: ReadKey, whole: tuple[int, ...]) -> tuple[list[Row], tuple[int, ...]]:
    """Return how a part reaches its whole, a row for each dimension of that, and the extents of the part."""
    rows: list[Row] = []
    counts: list[int] = []
    for r, extent in enumerate(whole):
        first, span, step = read[3 * r : 3 * r + 3] if 3 * r < len(read) - 1 else (0, extent, 0)
        if span is None:
            rows.append((first, 0, None))
        else:
            rows.append((first, step or 1, len(counts)))
            counts.append(span if step == 1 else len(range(0, span, step)) if step else int(extent))
    for axis in read[-1] or ():
        counts.insert(axis, 1)
        rows = [(first, step, d if d is None or d < axis else d + 1) for first, step, d in rows]
    return rows, tuple(counts)
