"""The parser of the notation, which looks up names, imports classes of layouts by ``module:Name``, and makes mappings.

It calls only classes of layouts and transforms, operations, formats and constructors of numbers; it evaluates no code.
An error for an unknown name has a suggestion.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Sequence
from collections.abc import Mapping as Table
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, Final, Literal, TypeVar, final, get_args, get_origin, get_type_hints

from mdview import layouts as layout_classes
from mdview.base import Dim, answer_calls, brief, dim
from mdview.errors import NotationError, OperandError
from mdview.index.extents import as_extents
from mdview.index.index_map import IndexMap, Radix
from mdview.index.slices import ALL, Selection, canonical_slice
from mdview.layouts.layout import Layout
from mdview.mappings.bracket_keys import new_axes, places_of, selection_of
from mdview.mappings.mapping import AnyMapping, Mapping
from mdview.mappings.mapping_manipulation import VERBS, expand_dims, part
from mdview.mappings.notation.tokenizer import DEEPEST, Piece, arguments_of, error_at, expected, name_of, pieces, quoted
from mdview.mappings.slicing import offset_by

T = TypeVar("T")

_PUBLIC: Final[list[Any]] = [getattr(layout_classes, name) for name in dir(layout_classes)]  # Any: all kinds
LAYOUTS: Final[dict[str, type[Layout]]] = {
    kind.short_name: kind for kind in _PUBLIC if isinstance(kind, type) and issubclass(kind, Layout) and kind.short_name
}
"""The classes of layouts by their short names."""

Made: Final[Table[str, Callable[..., Any]]] = {  # Any: objects of different types
    **LAYOUTS,
    "transform": IndexMap,
    "radix": Radix,
    "dim": dim,
    "complex": complex,
}
"""The functions and classes that have a short name in the notation."""


@final
class Builder:
    """The maker of values from the syntax tree of a piece; its errors show the position in the text.

    ``layouts`` are the classes that the text may name by ``module:Name``; None allows the import of any module.
    """

    def __init__(self, piece: Piece, layouts: Collection[type[Layout]] | None = None) -> None:
        self.piece = piece
        self.layouts = layouts

    def layout(self) -> Layout:
        """Return the layout that the piece denotes."""
        node = self.piece.parsed()
        layout = self.value(node)
        if not isinstance(layout, Layout):
            raise self.piece.refused(
                f"{name_of(node) or brief(layout)} makes no layout; expected one of {', '.join(LAYOUTS)}", node
            )
        return layout

    def entries(self) -> tuple[object, ...]:
        """Return the values in the parentheses of the piece."""
        node = self.piece.parsed()
        return tuple([self.value(part) for part in arguments_of(node)])

    def value(self, node: ast.expr | ast.keyword, words: Sequence[str] = ()) -> object:
        """Return the value of a node; the strings in ``words`` need no quotes."""
        match node:
            case ast.Constant(value=given):
                return given
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case ast.Tuple(elts=entries):
                return tuple([self.value(part) for part in entries])
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*[None if bound is None else self.value(bound) for bound in (lower, upper, step)])
            case ast.Name(id=word) if word in words:
                return word
            case ast.Name() | ast.Call(func=ast.Name()):
                return self.made(self.maker(node, words), node)
        raise self.piece.refused("expected a number, a text, a tuple, a layout, True, False or None", node)

    def maker(self, node: ast.expr, words: Sequence[str]) -> Callable[..., object]:
        """Return the function or class that a name, or the name in a call, refers to."""
        name = name_of(node)
        if ":" in name:
            return self.imported(name, node) if self.layouts is None else self.given(name, node)
        found = Made.get(name)
        if found is None:
            if self.family(name) is not None:
                rule = f"{name} is a format, which has a layout for extents: parse('{name} (4, 6)').layout"
                raise self.piece.refused_name(rule, node)
            from mdview import format_names  # noqa: PLC0415 - formats import this module

            way = "; a text stands in quotes" if words else "; one of your own is module:Name"
            what = f"{'value' if words else 'layout'} {brief(name)}"
            others = () if words else format_names()
            raise self.piece.refused_name(unknown(what, name, words or [*LAYOUTS], way, others), node)
        return found

    def family(self, name: str) -> Callable[..., AnyMapping] | None:
        """Return the function of the format with this name; None if there is none, or if ``layouts`` is not None."""
        if self.layouts is not None or name in Made or ":" in name:
            return None
        from mdview import find_format  # noqa: PLC0415 - formats import this module

        return find_format(name)

    def made(self, maker: Callable[..., T], node: ast.expr, *subject: object) -> T:
        """Return the result of ``maker`` for ``subject``, if given, and the arguments of a node."""
        arguments = arguments_of(node)
        by_name = {each.arg or "": each.value for each in arguments if isinstance(each, ast.keyword)}
        by_place = [each for each in arguments if isinstance(each, ast.expr)]
        if len(by_place) + len(by_name) < len(arguments):
            raise self.piece.refused(f"{name_of(node)} got two values for one parameter", node)
        try:
            bound = signature(maker).bind(*subject, *by_place, **by_name)
        except TypeError as error:
            takes = ", ".join(list(signature(maker).parameters)[len(subject) :])
            raise self.piece.refused(f"{quoted(error)}; {name_of(node)} takes ({takes})", node) from error
        for name, entry in bound.arguments.items():
            if isinstance(entry, tuple):
                bound.arguments[name] = tuple([self.value(part) for part in entry])
            elif isinstance(entry, dict):
                bound.arguments[name] = {key: self.value(each) for key, each in entry.items()}
            elif isinstance(entry, ast.expr):
                words = choices(maker, name) if isinstance(entry, ast.Name) else ()
                bound.arguments[name] = self.value(entry, words)
        return self.guarded(maker, bound.args, bound.kwargs, node)

    def imported(self, path: str, node: ast.expr) -> Callable[..., object]:
        """Import the class of layouts that ``module:Name`` names."""
        module, _, name = path.partition(":")
        try:
            member: Any = import_module(module)  # Any: a module
            for part in name.split("."):
                member = getattr(member, part)
        except (Exception, SystemExit) as error:  # a user's module may raise any error
            raise self.piece.refused(f"{path} cannot be imported: {quoted(error)}", node) from error
        if not isinstance(member, type) or not issubclass(member, Layout):
            raise self.piece.refused(f"{path} is no class of layouts: {brief(member)}", node)
        return member

    def given(self, path: str, node: ast.expr) -> type[Layout]:
        """Return the class that ``module:Name`` names among ``layouts``, without an import."""
        for kind in self.layouts or ():
            if f"{kind.__module__}:{kind.__qualname__}" == path:
                return kind
        module, _, name = path.partition(":")
        reason = (
            f"{path} is not among the layouts that may be named here, and nothing is imported for it; if it is to be "
            f"trusted, pass layouts=[{name.rpartition('.')[2]}], or --import {module} on the command line"
        )
        raise self.piece.refused_name(reason, node)

    def guarded(
        self,
        function: Callable[..., T],
        args: Sequence[object],
        kwargs: Table[str, object] | None = None,
        node: ast.expr | ast.keyword | None = None,
    ) -> T:
        """Call a function; convert its errors to errors that show ``node``, or the whole piece if that is None."""
        try:
            return function(*args, **(kwargs or {}))
        except Exception as error:
            raise self.piece.refused(quoted(error), node) from error


def unknown(what: str, name: str, known: Sequence[str], way: str = "", others: Sequence[str] = ()) -> str:
    """Return the message that a name is unknown, with the closest of the names ``known`` and ``others``.

    Without a close name, it lists ``known`` and ends with ``way``.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for an error only

    spelt = name[:40].lower().removeprefix("layout").strip("_")
    close = get_close_matches(spelt, [*known, *others], 1, 0.6)
    rest = f"did you mean {close[0]}?" if close else f"there is {', '.join(known) or 'none'}{way}"
    return f"there is no {what}; {rest}"


def choices(maker: Callable[..., object], name: str) -> tuple[str, ...]:
    """Return the strings that the annotation of a parameter allows, as a `Literal`; they need no quotes."""
    try:
        hints = get_type_hints(getattr(maker, "__init__", None) if isinstance(maker, type) else maker)
    except Exception:  # noqa: BLE001 - a user's annotation may raise any error
        return ()
    return tuple([c for c in _literals(hints.get(name)) if isinstance(c, str) and c.isidentifier()])


def _literals(hint: object) -> list[object]:
    """Return all choices of the literal types in an annotation."""
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    return [choice for part in get_args(hint) for choice in _literals(part)]


MOST_TAKEN: Final = 30_000
"""The largest number of steps in a text plus the ranks of the mappings to which they apply."""


@answer_calls
def parse(text: str) -> Mapping[tuple[int, ...], Layout]:
    """Return the mapping of a text in the notation: a layout, extents, and steps; ``docs/language.md`` has the grammar.

    A step is a slice in brackets or an operation. Steps keep the offsets, so these refer to the memory of the layout
    over its extents. A layout of a user is written ``module:Name(arguments)``; only its module is imported, and no code
    is evaluated.

    Raises
    ------
    NotationError
        The text breaks the grammar, or a layout, an extent or a step is invalid; the message shows the position.

    >>> parse("tiled(4, 4) (10, 12)")
    Mapping((10, 12), LayoutTiled(4, 4, outer=LayoutRight(), inner=LayoutRight()))
    >>> parse("right (4, 6) [1:3, ::-1]")
    Mapping((2, 6), LayoutStrideRelaxed((6, -1), offset=11))
    """
    return read_mapping(text)


def read_mapping(text: str, layouts: Collection[type[Layout]] | None = None) -> AnyMapping:
    """Return the mapping of a text, as `parse` does; unless ``layouts`` is None, no class is imported."""
    return _read(_expression, text, layouts)


def parse_layout(text: str) -> Layout:
    """Return the layout of a text, which has no extents; errors are those of `parse`.

    >>> parse_layout("tiled(2, 3, outer=left)")
    LayoutTiled(2, 3, outer=LayoutLeft(), inner=LayoutRight())
    """
    return _read(_layout, text)


def _read(reader: Callable[..., T], text: str, *given: object) -> T:
    """Return the result of ``reader`` for a text; raise `NotationError` if the text is nested too deeply."""
    if not isinstance(text, str):
        raise OperandError(f"an expression is a text, got {brief(text)}")
    try:
        return reader(str(text), *given)
    except RecursionError as error:
        raise NotationError("the layout or the steps lie too deep within each other") from error


def _layout(text: str) -> Layout:
    parts = pieces(text)
    if not parts or parts[0].kind not in {"name", "call"}:
        raise expected(text, parts, "a layout")
    if parts[1:]:
        raise expected(text, parts[1:], "nothing behind the layout")
    return Builder(parts[0]).layout()


def _expression(text: str, layouts: Collection[type[Layout]] | None) -> AnyMapping:
    parts = pieces(text, spaced=True)
    if not parts or parts[0].kind not in {"name", "call"}:
        raise expected(text, parts, "a layout")
    if not parts[1:] or parts[1].kind != "(":
        raise expected(text, parts[1:], "the extents in parentheses, as in right (4, 6)")
    steps = _steps(parts[2:])
    head, extents = Builder(parts[0], layouts), Builder(parts[1], layouts)
    node = parts[0].parsed()
    family = head.family(name_of(node))
    layout = None if family else head.layout()
    bound = extents.guarded(as_extents, [extents.entries()])
    whole = Piece(text, "", parts[0].begin, parts[1].end)
    mapping: AnyMapping = (
        head.made(partial(family, bound), node) if family else Builder(whole).guarded(Mapping, [bound, layout])
    )
    taken = 0
    for step in steps:
        taken += 1 + mapping.rank
        if taken > MOST_TAKEN:
            raise step.refused(f"more than {MOST_TAKEN} steps and dimensions that they take, {taken} up to here")
        mapping = _stepped(Builder(step, layouts), mapping)
        if _depth(mapping) > DEEPEST:
            raise step.refused(f"more than {DEEPEST} layouts within each other")
    return mapping


def _steps(found: list[Piece]) -> list[Piece]:
    """Check that all pieces of an expression are steps (operations and brackets), and return them."""
    for piece in found:
        if piece.kind == "name":
            raise error_at(piece.text, (piece.end, piece.end), "expected the operation's arguments in parentheses")
        if piece.kind not in {"[", "call"}:
            hint = "; arguments of a layout follow its name without a space" if piece.kind == "(" else ""
            raise expected(piece.text, [piece], "a slice in brackets, an operation, or the end", hint)
    return found


def _stepped(builder: Builder, mapping: AnyMapping) -> AnyMapping:
    step = builder.piece
    if step.kind == "[":
        return _sliced(builder, mapping)
    node = step.parsed()
    name = name_of(node)
    verb = VERBS.get(name)
    if verb is None:
        raise step.refused_name(unknown(f"operation {brief(name)}", name, [*VERBS]), node)
    return offset_by(*builder.made(verb, node, mapping))


def _depth(mapping: AnyMapping) -> int:
    """Return the number of nested compositions of a parsed mapping; counting stops one beyond `DEEPEST`."""
    depth, part = 0, mapping.layout.composition(mapping.extents)
    layout = mapping.layout
    while part.base is not layout and depth <= DEEPEST:
        layout = part.base
        depth, part = depth + 1, layout.composition(part.extents)
    return depth


def _sliced(builder: Builder, mapping: AnyMapping) -> AnyMapping:
    """Return the part of a parsed mapping that slices in brackets select, with new axes."""
    piece = builder.piece
    node = piece.parsed() if str(piece)[1:-1].strip() else None
    key = node.slice if isinstance(node, ast.Subscript) else ast.Tuple(elts=[])
    nodes = key.elts if isinstance(key, ast.Tuple) else [key]
    entries = [builder.value(each) for each in nodes]
    named, blanks = [
        [n for n, e in enumerate(entries) if (e is ...) == is_blank and e is not None] for is_blank in (0, 1)
    ]
    wrong = [*blanks[1:2], *named[mapping.rank :], 0][0]  # the entry that an error about too many entries shows
    places = builder.guarded(places_of, [entries, mapping.extents], {}, nodes[wrong] if nodes else None)
    slices: list[Selection] = []
    for r, (extent, n) in enumerate(zip(mapping.extents, places, strict=True)):
        given = ALL if n is None else entries[n]
        is_static = isinstance(given, slice) and type(given.start) is type(given.stop) is Dim  # as in `subview`
        select = canonical_slice if is_static else selection_of
        slices.append(builder.guarded(select, [extent, given, r], {}, None if n is None else nodes[n]))
    found = builder.guarded(part, [mapping, slices])
    added = new_axes([type(entry) for entry in entries], [not isinstance(s, int) for s in slices])
    return offset_by(*expand_dims(found, added)) if added else found
