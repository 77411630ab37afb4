"""Writing: the canonical text of a mapping, which `mdview.mappings.language.reading.parse` reads back.

Where slices and operations on the layout inside reproduce a composed mapping exactly they are its text; any other
one is written as its layout is made. Texts of a composed mapping are candidates, of which the first one is taken that
makes the mapping again: an affine transform is brackets, a diagonal, a permutation, new axes; a mixed-radix step is a
reshape, and perhaps windows, behind that.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as Table
from inspect import Parameter, signature
from math import prod
from typing import Any, Final, Protocol, TypeAlias, cast

from mdview.base.integers import Dim
from mdview.base.texts import told
from mdview.errors import NotationError, OperandError
from mdview.index.orders import right_strides
from mdview.index.transforms import IndexMap, Radix
from mdview.layouts.base import Composition, Layout
from mdview.mappings.language.reading import Made, after, choices, parse
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.rearranging import MATRIX, transposed


class HasMapping(Protocol):
    """A view, which has a mapping."""

    @property
    def mapping(self) -> AnyMapping: ...  # noqa: D102


def format(x: AnyMapping | HasMapping) -> str:  # noqa: A001 - the opposite of `parse`, as the builtin formats values
    """Return the expression of a mapping, or of the mapping of a view: ``parse(format(m)) == m``.

    Raises
    ------
    NotationError
        The mapping cannot be written: its layout is of a class that no import finds, or has a parameter that is no
        literal.

    >>> from mdview.layouts.tiled import LayoutTiled
    >>> format(Mapping((10, 12), LayoutTiled(4, 4)))
    'tiled(4, 4) (10, 12)'
    """
    mapping = x if isinstance(x, Mapping) else getattr(x, "mapping", None)
    if not isinstance(mapping, Mapping):
        raise OperandError(f"format takes a view or a mapping, got {told(x)}")
    try:
        return _text(mapping)
    except RecursionError as error:
        raise NotationError("the layouts lie too deep within each other to be written") from error


def _text(mapping: AnyMapping) -> str:
    for base, steps in _by_steps(mapping):
        if _makes(mapping, after, base, steps):
            return f"{_text(base)}{steps}"
    text = plain(mapping)
    if not _makes(mapping, parse, text):
        parse(text)  # where it breaks a rule, it says which one
        raise NotationError(
            f"{told(mapping.layout)} is not made again by {text!r}; its class needs a constructor whose parameters are "
            "attributes, or `constructor_arguments`"
        )
    return text


def _by_steps(mapping: AnyMapping) -> Iterator[tuple[AnyMapping, str]]:
    """Candidates: what a composed mapping is made from, and steps; a transpose of such a one, and the step back."""
    part = mapping.layout.composition(mapping.extents)
    if part.base is not mapping.layout:
        base: AnyMapping = Mapping(part.extents, part.base)
        yield from ((base, steps) for steps in rewritten(part, mapping.extents))
    if mapping.rank == MATRIX and mapping.layout.stride_rule() is None:
        inner = transposed(mapping)
        is_composed = inner.layout.composition(inner.extents).base is not inner.layout
        if is_composed and len(layout_text(inner.layout)) < len(layout_text(mapping.layout)):
            yield inner, " transposed()"


def plain(mapping: AnyMapping) -> str:
    """Return layout and extents as they are made."""
    return f"{layout_text(mapping.layout)} {value_text(mapping.extents, 'extents')}"


def _makes(mapping: AnyMapping, read: Callable[..., AnyMapping], *args: object) -> bool:
    """Tell whether a text is read as this mapping: of the same layout, and static where it is."""
    try:
        found = read(*args)
    except NotationError:
        return False
    return found == mapping and plain(found) == plain(mapping)


Moving: TypeAlias = tuple[int, int, int]
"""A dimension of the base, its first index, and the step."""


def rewritten(part: Composition, extents: tuple[int, ...]) -> Iterator[str]:
    """Steps that may make a composition over ``extents`` from its base, the simplest first."""
    radix = part.transform.radix
    if radix is None:
        yield from _affine(part, extents)
    elif part.box is None:
        first = _sliced(part.transform.of_number(None), part.extents, _whole(radix.shape))
        if first is not None:
            yield from (first + rest for rest in _numbered(radix, _ints(extents)))


def _affine(part: Composition, extents: tuple[int, ...]) -> Iterator[str]:
    """Brackets and what follows them, with padding behind or before."""
    ranges = _whole(extents) if part.box is None else list(part.box)
    if len(ranges) != len(extents):
        return
    widths = tuple([(low, int(e) - high) for (low, high), e in zip(ranges, extents, strict=True)])
    found = _sliced(part.transform, part.extents, ranges)
    if found is not None:
        yield found if part.box is None else f"{found} pad({_widths(widths)})"
    if part.box is not None:
        yield from _padded_first(part.transform, _ints(part.extents), extents)


def _padded_first(transform: IndexMap, base_extents: Sequence[int], extents: Sequence[int]) -> Iterator[str]:
    """Padding as wide as the indices reach, then a slice of that."""
    reach = transform.ranges(extents)
    widths = tuple([(max(0, -low), max(0, high + 1 - e)) for (low, high), e in zip(reach, base_extents, strict=True)])
    wider = [e + before + after for e, (before, after) in zip(base_extents, widths, strict=True)]
    offset = tuple([first + before for first, (before, _) in zip(transform.offset, widths, strict=True)])
    found = _sliced(IndexMap(offset, transform.stride, transform.source), wider, _whole(extents))
    if found is not None:
        yield f" pad({_widths(widths)}){found}"


def _numbered(radix: Radix, extents: Sequence[int]) -> Iterator[str]:
    """Steps from the shape of a mixed-radix step to ``extents``: a reshape and a slice of it, or windows."""
    weights = radix.all_weights(len(extents))
    windows = _windows(radix, weights, extents)
    if windows is not None:
        yield windows
    if radix.first == 0 and prod(radix.shape) == prod(extents) and weights == right_strides(extents):
        yield _reshape(extents)
    moving = sorted([r for r, e in enumerate(extents) if e != 1 and weights[r]], key=lambda r: -abs(weights[r]))
    middle = _middle(prod(radix.shape), [abs(weights[r]) for r in moving])
    if middle is not None:
        steps = [weights[r] // abs(weights[r]) for r in moving[:-1]] + [weights[r] for r in moving[-1:]]
        digits = Radix(0, (1,), middle).digits_of(radix.first)
        found = _sliced(IndexMap(digits, tuple(steps), tuple(moving)), middle, _whole(extents))
        if found is not None:
            yield _reshape(middle) + found


def _middle(size: int, weights: Sequence[int]) -> tuple[int, ...] | None:
    """Return a shape whose strides are these weights, falling, but 1 for the last; None where there is none."""
    strides = [*weights[:-1], 1] if weights else []
    shape: list[int] = []
    for larger, stride in zip([size, *strides], strides, strict=False):
        if larger % stride or larger // stride < 1:
            return None
        shape.append(larger // stride)
    return tuple(shape) if shape else None


def _windows(radix: Radix, weights: Sequence[int], extents: Sequence[int]) -> str | None:
    """One step that makes windows along dimensions of the whole shape, each of which has a weight of its own."""
    rank = len(radix.shape)
    own, lengths = list(weights[:rank]), extents[rank:]
    if radix.first or tuple(own) != right_strides(radix.shape) or len(set(own)) < rank or not lengths:
        return None
    if not {*weights[rank:]} <= {*own}:
        return None
    axes = [own.index(weight) for weight in weights[rank:]]
    if axes == [*range(rank)]:
        return f" sliding_window({_one_or_more(lengths)})"
    return f" sliding_window({_one_or_more(lengths)}, axis={_one_or_more(axes)})"


def _sliced(transform: IndexMap, base_extents: Sequence[int], ranges: Sequence[tuple[int, int]]) -> str | None:
    """Brackets, diagonals, a permutation and new axes; None where three dimensions move together."""
    entries: list[str] = []
    places: dict[int, list[Moving]] = {}
    rows = zip(transform.offset, transform.stride, transform.source, base_extents, strict=True)
    for first, step, source, extent in rows:
        if source is None or step == 0:
            entries.append(str(first))
            continue
        low, high = ranges[source]
        places.setdefault(source, []).append((len(entries), first + step * low, step))
        entries.append(_slice(first + step * low, step, high - low, int(extent)))
    sources = sorted(places, key=lambda source: places[source][0])
    kept = [k for k, entry in enumerate(entries) if ":" in entry]
    text = ""
    for source in [s for s in sources if len(places[s]) > 1]:
        low, high = ranges[source]
        joined = _diagonal(places[source], base_extents, high - low, entries, kept)
        if joined is None:
            return None
        text += joined
        sources = [*[s for s in sources if s != source], source]
    brackets = f" [{', '.join(_without_full_tail(entries))}]" if any(entry != ":" for entry in entries) else ""
    return brackets + text + _placed(sources, [high - low for low, high in ranges])


def _diagonal(
    pair: Sequence[Moving], base_extents: Sequence[int], count: int, entries: list[str], kept: list[int]
) -> str | None:
    """The diagonal of two dimensions, whose entries become whole where it begins at an edge, as whole ones do.

    ``kept`` are the dimensions that there are before it, and become those behind it.
    """
    if len(pair) != 2:  # noqa: PLR2004 - what a diagonal joins
        return None
    (r, first, step), (s, other, other_step) = pair
    offset = 0
    length = min(int(base_extents[r]) - first, int(base_extents[s]) - other)
    if step == other_step == 1 and 0 in {first, other} and length == count:
        entries[r] = entries[s] = ":"
        offset = other - first
    axes = (kept.index(r), kept.index(s))
    kept[:] = [*[k for k in kept if k not in {r, s}], r]
    given = [f"offset={offset}"] if offset else []
    given += [] if axes == (0, 1) else [f"axis1={axes[0]}, axis2={axes[1]}"]
    return f" diagonal({', '.join(given)})"


def _placed(sources: Sequence[int], extents: Sequence[int]) -> str:
    """Bring dimensions to their places, with new ones in between, which are perhaps repeated."""
    order = sorted(sources)
    text = ""
    if [*sources] != order:
        place = {source: k for k, source in enumerate(sources)}
        text = f" permute_dims({value_text(tuple([place[s] for s in order]), 'axes')})"
    new = sorted({*range(len(extents))}.difference(order))
    repeated = any(extents[r] != 1 for r in new)
    if new and not (repeated and new == [*range(len(new))]):
        text += f" expand_dims({_one_or_more(new)})"
    return f"{text} broadcast_to({value_text(tuple(extents), 'extents')})" if repeated else text


def _slice(first: int, step: int, count: int, extent: int) -> str:
    """Return the slice of ``count`` indices from ``first`` on; ``:`` for all of them."""
    if (first, step, count) == (0, 1, extent):
        return ":"
    stop = first + step * (count - 1) + (1 if step > 0 else -1)
    start = "" if first == (0 if step > 0 else extent - 1) else str(first)
    end = str(stop) if 0 <= first + step * count < extent else ""
    return f"{start}:{end}" if step == 1 else f"{start}:{end}:{step}"


def _without_full_tail(entries: Sequence[str]) -> Sequence[str]:
    """Leave out what brackets take for granted, the dimensions at the end that are kept whole."""
    last = max([k for k, entry in enumerate(entries) if entry != ":"], default=-1)
    return entries[: last + 1]


def _one_or_more(numbers: Sequence[int]) -> str:
    """Return one number as itself, several as a tuple."""
    return value_text(numbers[0] if len(numbers) == 1 else tuple(numbers), "numbers")


def _reshape(shape: Sequence[int]) -> str:
    return " ravel()" if len(shape) == 1 else f" reshape({value_text(tuple(shape), 'shape')})"


def _widths(widths: tuple[tuple[int, int], ...]) -> str:
    """Return the shortest text of widths: one number where all are equal."""
    known = {width for pair in widths for width in pair}
    return str(known.pop()) if len(known) == 1 else value_text(widths, "widths")


def _whole(extents: Sequence[int]) -> list[tuple[int, int]]:
    return [(0, int(e)) for e in extents]


def _ints(extents: Sequence[int]) -> list[int]:
    return [int(e) for e in extents]


# Layouts and other values as the texts that make them again.

_NOTHING: Final = Parameter.empty
_BY_POSITION: Final = frozenset({Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD})
_NAMES: Final[Table[object, str]] = {maker: name for name, maker in Made.items()}
_LONG: Final = 2**1024
"""Numbers above are written in hexadecimal, since Python bounds the digits that it converts."""


def layout_text(layout: Layout) -> str:
    """Return the text that makes a layout; `NotationError` where there is none."""
    return _call(layout)


def value_text(given: object, where: str, words: tuple[str, ...] = ()) -> str:
    """Return the text of a value; ``where`` says in an error whose it is, ``words`` stand without quotes."""
    kind = type(given)
    if isinstance(given, Layout) or kind in {IndexMap, Radix}:
        return _call(given)
    if isinstance(given, tuple) and kind is tuple:
        entries = [value_text(entry, where) for entry in given]
        return f"({', '.join(entries)}{',' * (len(entries) == 1)})"
    if kind.__module__ == "numpy" and getattr(given, "shape", None) == ():  # a number that NumPy has computed
        return value_text(cast("Any", given).item(), where, words)
    text = given if isinstance(given, str) and given in words else _constant(given)
    if text is None:
        raise NotationError(
            f"{where} cannot be written: {told(given)} is no number, text, tuple, layout, True, False or None; let the "
            "layout take one of these, a name for example, and look up what it stands for"
        )
    return text


def _constant(given: object) -> str | None:
    """Return the text of a number, a text, bytes, True, False or None; None of anything else, a subclass included."""
    kind = type(given)
    if given is None or kind in {bool, str, bytes}:
        return repr(given)
    if isinstance(given, int) and kind in {int, Dim}:
        text = str(int(given)) if abs(given) < _LONG else hex(given)
        return f"dim({text})" if kind is Dim else text
    if isinstance(given, float) and kind is float and not math.isnan(given):
        return repr(given).replace("inf", "1e999")
    if isinstance(given, complex) and kind is complex:
        real, imaginary = _constant(given.real), _constant(given.imag)
        return None if real is None or imaginary is None else f"complex({real}, {imaginary})"
    return None


def _call(made: object) -> str:
    """Return the name of what made an object, with the arguments that it needs."""
    maker = type(made)
    name = _NAMES.get(maker) or _path(maker)
    arguments = _arguments(made, maker)
    return f"{name}({', '.join(arguments)})" if arguments else name


def _path(kind: type) -> str:
    """Return ``module:Name`` of a class."""
    module, name = kind.__module__, kind.__qualname__
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if module == "__main__" or found is not kind:
        raise NotationError(
            f"{name} of {module} cannot be imported elsewhere by its name; define the class at the top of a module"
        )
    return f"{module}:{name}"


def _arguments(made: object, maker: type) -> list[str]:
    """Return the arguments: required ones and a first optional one by position, others by name, defaults left out."""
    own = made.constructor_arguments() if isinstance(made, Layout) else None
    found: list[str] = []
    by_position = True
    for name, parameter in signature(maker).parameters.items():
        if parameter.kind is Parameter.VAR_KEYWORD:
            continue
        default, where = parameter.default, f"the parameter {name} of {maker.__name__}"
        given = getattr(made, name, _NOTHING) if own is None else own.get(name, default)
        if given is _NOTHING:
            raise NotationError(
                f"{where} is no attribute of {told(made)}; let constructor_arguments() return what an equal layout is "
                "made from"
            )
        if parameter.kind is Parameter.VAR_POSITIONAL:
            found += [value_text(entry, where) for entry in given] if isinstance(given, tuple) else []
        elif given is default or (type(given) is type(default) and repr(given) == repr(default)):  # 1 is True
            by_position = False
        else:
            by_position = by_position and parameter.kind in _BY_POSITION and (default is _NOTHING or not found)
            text = value_text(given, where, choices(maker, name) if isinstance(given, str) else ())
            found.append(text if by_position else f"{name}={text}")
    return found
