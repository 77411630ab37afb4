"""What the signatures of the manipulations promise holds at run time: the layout, the rank and the static extents.

Each call is matched with the first overload of the stub that admits it, as a type checker does.
"""

from __future__ import annotations

import ast
from itertools import combinations, permutations, product

import pytest
from effort import some
from public import PUBLIC
from stubs import ROOT, changes_of_layouts, tree_of

import mdview as md
from mdview.errors import MDViewError

TREE = tree_of(ROOT / "mdview" / "operations" / "manipulation.pyi")
OVERLOADS = [node for node in TREE.body if isinstance(node, ast.FunctionDef) and node.decorator_list]
LAYOUTS = changes_of_layouts()
NAMES = sorted({node.name for node in OVERLOADS} - {"pad", "bitcast"})
ALIASES = {
    "First": lambda given: given in {0, -2},
    "Second": lambda given: given in {1, -1},
    "Int": lambda given: isinstance(given, int),
    "Int1": lambda given: isinstance(given, int) or (isinstance(given, tuple) and len(given) == 1),
    "Axis1": lambda given: given is None or ALIASES["Int1"](given),
    "Shape": lambda given: given is not None,
    "Axes": lambda given: True,
    "Sequence": lambda given: isinstance(given, tuple | list),
}


def admits(annotation, given, bound):  # noqa: PLR0912 - one case for each form of type
    """Tell whether a value is of an annotated type; ``bound`` gets the values of type variables."""
    match annotation:
        case ast.Constant(value=None):
            return given is None
        case ast.Name(id=name) if name in ALIASES:
            return ALIASES[name](given)
        case ast.Name(id="E" | "Rank"):
            bound["extents"] = given
            return isinstance(given, tuple)
        case ast.Name(id=name):
            bound[name] = given
            return isinstance(given, int)
        case ast.Subscript(value=ast.Name(id="Literal"), slice=literals):
            values = ast.literal_eval(literals)
            return given in (values if isinstance(values, tuple) else (values,)) and given is not None
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[_, ast.Constant(value=value)])) if (
            value is ...
        ):
            return isinstance(given, tuple)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=[*first, ast.Starred()])):
            bound["extents"] = given
            return isinstance(given, tuple) and len(given) >= len(first)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=items):
            wanted = items.elts if isinstance(items, ast.Tuple) else [items]
            same = isinstance(given, tuple) and len(wanted) == len(given)
            return same and all(admits(part, value, bound) for part, value in zip(wanted, given, strict=True))
        case ast.Subscript(value=ast.Name(id="Sequence")):
            return isinstance(given, tuple | list)
    raise AssertionError(ast.unparse(annotation))


def kept(annotation, found, bound):
    """Tell whether extents are of an annotated type."""
    match annotation:
        case ast.Name(id="E") | ast.Subscript(slice=ast.Tuple(elts=[*_, ast.Starred()])):
            return found == bound["extents"] and list(map(type, found)) == list(map(type, bound["extents"]))
        case ast.Name(id="Rank"):
            return len(found) == len(bound["extents"])
        case ast.Subscript(slice=ast.Tuple(elts=[_, ast.Constant(value=value)])) if value is ...:
            return True
        case ast.Subscript(slice=items):
            wanted = items.elts if isinstance(items, ast.Tuple) else [items]
            if len(wanted) != len(found):
                return False
            names = [part.id for part in wanted]
            static = [(bound[n], e) for n, e in zip(names, found, strict=True) if n != "int"]
            return all(n == e and (type(n) is not md.Dim or type(e) is md.Dim) for n, e in static)
    raise AssertionError(ast.unparse(annotation))


def parts(annotation):
    """The extents and the layout of an annotated view or mapping."""
    items = annotation.slice.elts
    return tuple(items[1:3] if annotation.value.id in {"MDView", "ViewIn"} else items[:2])


def told(layout, change):
    """The name of the layout that one tells a checker under a change of the index space, or its base does."""
    return next(
        LAYOUTS[base.__name__][change] for base in type(layout).__mro__ if change in LAYOUTS.get(base.__name__, ())
    )


def followed(annotation, layout):
    """The name of the layout `L` of a source whose annotated layout fits, None where it does not."""
    if isinstance(annotation, ast.Subscript):
        return told(layout, annotation.value.id.removesuffix("Of").lower())
    return annotation.id if isinstance(layout, PUBLIC[annotation.id]) else None


def promised(name, x, args, kwargs):
    """The extents and layout that the first overload for a call promises, and what its type variables are."""
    kinds = {"Mapping", "MappingIn"} if isinstance(x, md.Mapping) else {"MDView", "ViewIn"}
    for node in OVERLOADS:
        if node.name != name or node.args.args[0].annotation.value.id not in kinds:
            continue
        extents, layout = parts(node.args.args[0].annotation)
        bound = {}
        given = dict(zip([arg.arg for arg in node.args.args[1:]], args, strict=False)) | kwargs
        parameters = [*node.args.args[1:], *node.args.kwonlyargs]
        required = node.args.args[1 : len(node.args.args) - len(node.args.defaults)]
        if (
            len(args) < len(node.args.args)
            and set(given) <= {arg.arg for arg in parameters}
            and {arg.arg for arg in required} <= set(given)
            and followed(layout, x.layout)
            and admits(extents, x.extents, bound)
            and all(admits(arg.annotation, given[arg.arg], bound) for arg in parameters if arg.arg in given)
        ):
            after, result = parts(node.returns)
            return after, followed(layout, x.layout) if result.id == "L" else result.id, bound
    raise AssertionError((name, x, args, kwargs))


def mappings():
    shapes = [(), *product((0, 1, 3), repeat=1), *product((0, 1, 2, 3), repeat=2), *product((1, 2, 3), repeat=3)]
    for shape in [*shapes, (0, 2, 1), (1, 1, 0), (2, 1, 3, 2), (1, 2, 1, 1), (2, 1, 1, 2, 1)]:
        extents = tuple([md.dim(e) if r % 2 == 0 else e for r, e in enumerate(shape)])
        steps, step = [], 2
        for e in shape:
            steps.append(step)
            step *= max(e, 1) + 1
        layouts = [
            md.LayoutRight(),
            md.LayoutLeft(),
            md.LayoutStride(steps),
            md.LayoutStride(steps[::-1]),
            md.LayoutMorton(),
        ]
        layouts += [md.LayoutRightPadded(4), md.LayoutLeftPadded(4), md.LayoutTiled(*(2,) * len(shape))]
        layouts += [md.LayoutStrideRelaxed((0,) * len(shape)), md.LayoutStrideRelaxed([-s for s in steps], 999)]
        for layout in layouts:
            try:
                mapping = md.Mapping(extents, layout)
            except (MDViewError, TypeError):
                continue
            yield mapping
    yield md.pad(md.Mapping((md.dim(2), 3)), 1)


def pairs_of_axes(mapping):
    return [(pair, {}) for pair in product(range(-mapping.rank, mapping.rank), repeat=2)]


def shapes_of(mapping):
    size = mapping.size
    shapes = [(size,), size, (-1,), (1, -1), (-1, 1, 1), [size], (1, 1, 1, size)]
    return [((shape,), order) for shape in shapes for order in ({}, {"order": "C"}, {"order": "F"})]


def broadcasts(mapping):
    yield from [((form((*front, *mapping.extents)),), {}) for front in ((), (2,)) for form in (tuple, list)]
    yield from [(([md.dim(3), 2][: mapping.rank],), {}), ((tuple([md.dim(3), 2, 3][: mapping.rank]),), {}), ((3,), {})]


def some_axes(_):
    yield from [((), {}), ((0,), {}), ((-1,), {}), ((1,), {}), ((-2,), {}), (((0, 1),), {}), (((0, -1),), {})]
    yield from [(((0,),), {}), ((), {"axis": (1,)}), (([0, 1],), {})]


def windows(mapping):
    yield from [((1,), {}), (((1,) * mapping.rank,), {}), (((2,) * mapping.rank,), {}), ((1, 0), {})]
    yield from [((1,), {"axis": -1}), (((1, 1), (0, 1)), {}), ((2, 1), {})]


def subsets_of_axes(mapping):
    axes = range(mapping.rank)
    return [((), {}), *[((some,), {}) for k in range(mapping.rank + 1) for some in combinations(axes, k)]]


CALLS = {
    "permute_dims": lambda m: [((form(a),), {}) for a in permutations(range(m.rank)) for form in (tuple, list)],
    "swapaxes": pairs_of_axes,
    "moveaxis": pairs_of_axes,
    "flip": subsets_of_axes,
    "expand_dims": some_axes,
    "squeeze": some_axes,
    "reshape": shapes_of,
    "ravel": lambda _: [((), {}), ((), {"order": "C"}), ((), {"order": "F"})],
    "broadcast_to": broadcasts,
    "diagonal": lambda _: [((), {}), ((1,), {}), ((0, 1, 0), {}), ((-1, 0, -1), {}), ((9,), {})],
    "sliding_window": windows,
    "shrink": lambda m: [((some,), {}) for some in product([(0, 1), (0, 2), (1, 2)], repeat=m.rank)],
}
"""Arguments for a manipulation of a mapping, positional and named; some may not fit it."""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["mapping", "view"])
def test_results_are_as_promised(name, kind):
    function, tried = PUBLIC[name], 0
    for mapping in some(mappings(), 60):
        x = mapping if kind == "mapping" else md.MDView.from_mapping([0] * 2000, mapping, md.ReadOnlyAccessor())
        for args, kwargs in CALLS[name](mapping):
            try:
                found = function(x, *args, **kwargs)
            except MDViewError:
                continue
            extents, layout, bound = promised(name, x, args, kwargs)
            said = f"{name}({mapping!r}, {args}, {kwargs}) is {found!r}"
            assert isinstance(found, md.MDView if kind == "view" else md.Mapping)
            assert isinstance(found.layout, PUBLIC[layout]), f"{said}, not {layout}"
            assert kept(extents, found.extents, bound), f"{said}, not {ast.unparse(extents)}"
            if kind == "view":
                assert type(found.accessor) is type(x.accessor)
            tried += 1
    assert tried > 100


@pytest.mark.parametrize("extents", [(1, 5), (5, 1), (0, 3), (3, 0), (1, 1), (2, 3)])
def test_the_reverse_of_right_is_left_over_any_extents(extents):
    reverse = md.permute_dims(md.Mapping(extents), (1, 0))
    assert reverse == md.Mapping(extents[::-1], md.LayoutLeft())
    assert md.permute_dims(reverse, (1, 0)) == md.Mapping(extents)


@pytest.mark.parametrize(
    ("accessor", "promise"),
    [
        (md.DefaultAccessor(), md.accessors.FillAccessor),
        (md.CheckedAccessor(), md.accessors.FillAccessor),
        (md.accessors.FillAccessor(), md.accessors.FillAccessor),
        (md.accessors.RestrictAccessor(), md.Writable),
        (md.accessors.RestrictAccessor(md.accessors.FillAccessor()), md.Writable),
        (md.AtomicAccessor(process_local=True), md.Writable),
        (md.ReadOnlyAccessor(), md.ReadOnlyAccessor),
        (md.ReadOnlyAccessor(md.accessors.FillAccessor()), md.ReadOnlyAccessor),
        (md.accessors.ScaledAccessor(2), md.accessors.ScaledAccessor),
    ],
)
def test_the_accessor_of_padding_is_as_promised(accessor, promise):
    view = md.MDView(list(range(6)), (md.dim(2), 3), accessor=accessor)
    for width in (0, 1, (0, 1)):
        assert isinstance(md.pad(view, width).accessor, promise)
        assert md.pad(view, width).rank == 2


def test_a_bitcast_keeps_rank_strides_and_accessor():
    view = md.MDView(bytearray(24), (2, 3, 4))
    for source in (view, md.readonly(view)):
        recast = md.operations.bitcast(source, "i")
        assert recast.rank == 3
        assert isinstance(recast.layout, md.layouts.StridedLayout)
        assert type(recast.accessor) is type(source.accessor)


def test_tiles_of_a_strided_view_are_strided():
    for mapping in mappings():
        if mapping.rank and isinstance(mapping.layout, md.layouts.StridedLayout):
            view = md.MDView.from_mapping([0] * 2000, mapping)
            assert all(
                isinstance(tile.layout, md.layouts.StridedLayout) for tile in md.tiles(view, (2,) * mapping.rank)
            )
            assert all(tile.rank == mapping.rank for tile in md.tiles(view, (2,) * mapping.rank))
