"""Code generation for slice keys: functions that look up the part of a view that ints and slices select.

Loops ask for rows, tiles and neighbourhoods over and over. Where a part of a strided mapping begins makes no difference
to its layout, so a part is remembered by how many indices each slice spans and its step, and not by where it begins;
parts of other mappings by that as well. What is not usual (an index that is no int, a slice of nothing, a broken rule)
gets None and is left to the functions that know all slices and all errors.

The code that reads a key is written out for each number of dimensions: a loop over two takes twice as long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, cast

from mdview.base.caches import generated
from mdview.engines.mapping_plan import Row
from mdview.index.slices import ALL, UNIT, ExtentSlice, Selection, is_whole

FindPart: TypeAlias = Callable[..., Any]
"""``find(view, plan, key, added=None)`` is a view or None. Any: views and plans are above this module.

Who tells which dimensions are new axes, if any, finds a view even where all entries are ints.
"""

_BRACKETS: Final = """\
        if type(k{r}) is slice:
            a{r}, z{r}, s{r} = k{r}.indices(e{r})
            n{r} = z{r} - a{r}
            if n{r} == e{r} and s{r} == 1 and is_whole(k{r}): s{r} = 0
        elif type(k{r}) is int:
            a{r} = k{r} + e{r} if {wraps} and k{r} < 0 else k{r}
            if not 0 <= a{r} < e{r}: return None
            n{r} = s{r} = None
        else: return None"""

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


SliceNumbers: TypeAlias = tuple[tuple[int, int | None, int | None], ...]
"""Where each slice of a key begins, its span and its step."""

Finders: TypeAlias = tuple[FindPart, FindPart]


def part_finders(rank: int, *, is_strided: bool, wraps: bool) -> Finders:
    """Return the functions that find what a tuple in brackets and the slices of `subview` select.

    In brackets dimensions without a slice are kept whole; `subview` takes ints, pairs of them and `ALL`.
    """
    return generated(("finders", rank, is_strided, wraps), lambda: _finders(rank, is_strided=is_strided, wraps=wraps))


def _finders(rank: int, *, is_strided: bool, wraps: bool) -> Finders:
    missing = [f"    if len(key) < {rank}: key += (WHOLE,) * ({rank} - len(key))"]
    brackets = [_BRACKETS.format(r=r, wraps=wraps) for r in range(rank)]
    slices = [_SLICES.format(r=r) for r in range(rank)]
    return _finder(missing, brackets, is_strided=is_strided), _finder([], slices, is_strided=is_strided)


def _finder(start: Sequence[str], reads: Sequence[str], *, is_strided: bool) -> FindPart:
    """Write and compile the function that reads the slices of each dimension and looks for the part of that shape."""

    def each(*letters: str) -> str:
        return "".join([f"{letter}{r}, " for r in range(len(reads)) for letter in letters])

    shift = "".join([f" + a{r} * t{r}" for r in range(len(reads))]) if is_strided else ""
    read = "".join([f"(a{r}, n{r}, s{r}), " for r in range(len(reads))])
    lines = [
        "def find(view, plan, key, added=None):",
        *start,
        "    try:",
        f"        {each('k') or '()'} = key",
        f"        {each('e') or '()'} = plan.extents",
        *reads,
        "    except (TypeError, ValueError): return None",
        f"    shape = ({each('n', 's')}{'' if is_strided else each('a')}added)",
        *([f"    {each('t') or '()'} = plan.strides"] if is_strided else []),
        f"    found = plan.parts.get(shape) or plan.new_part(shape, ({read}), 0{shift}, added)",
        "    if found is None: return None",
        "    part, first = found",
        # The storage comes last: another thread may release the view, and drops that first.
        "    origin, storage = view._place, view._storage",
        "    if storage is None: return None",
        "    make = part.make",  # not part.make(...): Python is slow to call what a slot holds
        f"    return make(part, storage, view._accessor, origin + first{shift})",
    ]
    names: dict[str, Any] = {"ALL": ALL, "WHOLE": slice(None), "is_whole": is_whole}
    exec(compile("\n".join(lines), "<slice cache>", "exec"), names)
    return cast("FindPart", names["find"])


def no_part(*_: object) -> None:
    """Find nothing: for views whose parts are derived one by one."""


def selections(read: SliceNumbers) -> list[Selection] | None:
    """Canonical slices of begins, spans and steps as they were read; None where one selects nothing.

    A key is not asked a second time: what it holds may answer differently.
    """
    chosen: list[Selection] = []
    for begin, span, step in read:
        if span is None or step is None:
            chosen.append(begin)
        elif step == 0:
            chosen.append(ALL)
        else:
            count = len(range(0, span, step))
            if not count:
                return None
            chosen.append(ExtentSlice(begin, count, UNIT if step == 1 else step))
    return chosen


def rows_of(read: SliceNumbers, whole: tuple[int, ...], added: tuple[int, ...]) -> tuple[list[Row], tuple[int, ...]]:
    """Return how a part reaches its whole, a row for each dimension of that, and the extents of the part."""
    rows: list[Row] = []
    counts: list[int] = []
    for (first, span, step), extent in zip(read, whole, strict=True):
        if span is None:
            rows.append((first, 0, None))
            continue
        rows.append((first, step or 1, len(counts)))
        counts.append(int(extent) if not step else span if step == 1 else len(range(0, span, step)))
    for axis in added:
        counts.insert(axis, 1)
        rows = [(first, step, d if d is None or d < axis else d + 1) for first, step, d in rows]
    return rows, tuple(counts)
