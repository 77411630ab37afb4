"""nx: strict boxes, chains and symbolic extents: every case of the documents."""

import systems_rules

from mdview import LayoutRight, LayoutStrideRelaxed, Mapping, MDView
from mdview.errors import ReshapeError
from mdview.iteration import ViewIndex
from mdview.lazy import Chain, StridedBox
from mdview.symbolic import Add, Const, Mul, Neg, SymbolicExtents, SymbolicMapping, Var, constant, var


def box_of(view):
    return StridedBox(view["shape"], view["strides"], view["offset"], view["mask"])


def literal(box):
    mask = None if box.box is None else [list(bounds) for bounds in box.box]
    return {"shape": list(box.extents), "strides": list(box.strides), "offset": box.offset, "mask": mask}


def facts(box):
    strides = box.strides_or_none()
    return literal(box) | {
        "view": literal(box),
        "elements": list(box.elements()),
        "is_c_contiguous": box.is_c_contiguous,
        "numel": box.size,
        "ndim": box.rank,
        "strides_opt": None if strides is None else list(strides),
        "can_get_strides": box.can_get_strides,
        "is_materializable": box.is_materializable,
    }


def create(shape, mask=None, **given):
    return facts(StridedBox(shape, box=mask, **given))


def dim(view, axis):
    return {"dim": box_of(view).extent(axis), "stride": box_of(view).stride(axis)}


def linear_index(view, indices):
    return {"linear_index": box_of(view).linear_index(indices)}


def is_valid(view, indices):
    return {"is_valid": box_of(view).is_valid(indices)}


def move(name):
    return lambda view, arg: facts(getattr(box_of(view), name)(arg))


def move_axes(name):
    return lambda view, axes: facts(getattr(box_of(view), name)(axes))


def moved(start, ops):
    for name, arg in ops:
        start = getattr(start, name)(arg)
    return start


def chain(start, ops):
    return facts(moved(box_of(start), ops))


def alias(buffer_size, view, op, arg, **given):
    buffer = [0] * buffer_size
    boxes = box_of(view), getattr(box_of(view), op)(arg)
    base, seen = [MDView(buffer, box.extents, LayoutStrideRelaxed(box.strides, box.offset)) for box in boxes]
    base[tuple(given["write_base_at"])] = given["value"]
    return {"read": seen[tuple(given["read_view_at"])]}


def lazy_chain(start, ops):
    whole = moved(Chain(box_of(start)), ops)
    simple = whole.simplify()
    assert list(simple.elements()) == list(whole.elements())
    one = simple.single()
    answer = {"shape": whole.extents, "elements": list(whole.elements()), "single_view": one is not None}
    if one is not None:
        answer["single_view_strides"] = list(one.strides)
        answer["single_view_valid_box"] = one.valid_box
    return answer | {"strict_view_fails": strict_failure(box_of(start), ops)}


def strict_failure(box, ops):
    """Where a reshape refuses, and for which of the reasons there are."""
    for k, (name, arg) in enumerate(ops):
        try:
            box = getattr(box, name)(arg)
        except ReshapeError as error:
            said = [kind for kind, words in RESHAPE_REFUSALS.items() if words in str(error)]
            return {"op_index": k, "kind": "/".join(said)}
    return None


RESHAPE_REFUSALS = {kind: words for kind, (_, words) in systems_rules.REFUSALS.items() if _ is ReshapeError}


def symbols(variables):
    return [var(v["name"], v["min"], v["max"]) for v in variables]


def expression(tree, variables):
    (kind, parts), *_ = tree.items()
    if kind == "const":
        return Const(parts)
    if kind == "var":
        return variables[parts]
    if kind == "neg":
        return Neg(expression(parts, variables))
    return {"add": Add, "mul": Mul}[kind](*[expression(part, variables) for part in parts])


def tree_of(found, variables):
    return {"var": variables.index(found)} if isinstance(found, Var) else {"const": int(found)}


def compared(variables, compare):
    known = symbols(variables)
    left, right = [SymbolicExtents([expression(tree, known) for tree in trees]) for trees in compare]
    return {"equal": left == right}


def symbolic(variables, shape, bind=(), other_shape=None):
    known = symbols(variables)
    extents = SymbolicExtents([expression(tree, known) for tree in shape])
    for i, number in bind:
        extents.bind({known[i]: number})
    answer = {
        "eval": extents.eval(),
        "partial_eval": extents.partial_eval(),
        "numel": extents.numel,
        "rank": extents.rank,
        "is_static": extents.is_static,
        "is_fully_bound": extents.is_fully_bound,
        "vars": [known.index(v) for v in extents.vars],
    }
    if other_shape is not None:
        answer["other_eval"] = SymbolicExtents([expression(tree, known) for tree in other_shape]).eval()
    return answer


def symbolic_var(**given):
    (made,) = symbols([given["var"]])
    return {"bounds": [made.min, made.max], "name": made.name, "bound": made.value is not None}


def resolve_reshape(source, to):
    return {"resolved": SymbolicExtents([expression(tree, []) for tree in source]).resolve_reshape(to)}


def unravelled(shape, k):
    place = ViewIndex(Mapping(tuple(shape)))
    place.set_index(k)
    return {"indices": place.index}


def mapping(variables, shape, strides, bind):
    known = symbols(variables)
    for i, number in bind:
        known[i].bind(number)
    layout = LayoutRight() if strides is None else LayoutStrideRelaxed(strides)
    return SymbolicMapping([expression(tree, known) for tree in shape], layout), known


def view_create(variables, shape, strides=None, bind=()):
    made, _ = mapping(variables, shape, strides, bind)
    return {
        "strides": [s.eval() for s in made.strides],
        "is_c_contiguous": made.is_c_contiguous,
        "is_materializable": made.is_materializable,
        "numel": made.numel,
    }


def view_op(variables, shape, op, arg, strides=None):
    made, known = mapping(variables, shape, strides, ())
    given = [expression(entry, known) if isinstance(entry, dict) else entry for entry in arg]
    return {"shape": [tree_of(dim, known) for dim in getattr(made, op)(given).extents]}


HANDLERS = {
    "view.create": create,
    "view.default_strides": create,
    "view.default_strides_zero_size": create,
    "view.dim": dim,
    "view.linear_index": linear_index,
    "view.is_valid": is_valid,
    "view.permute": move("permute"),
    "view.flip": move("flip"),
    "view.shrink": move("shrink"),
    "view.pad": move("pad"),
    "view.expand": move("expand"),
    "view.reshape": move("reshape"),
    "view.broadcast_to": move("broadcast_to"),
    "view.squeeze": move_axes("squeeze"),
    "view.unsqueeze": move_axes("expand_dims"),
    "view.chain": chain,
    "view.strides_opt": lambda view: facts(box_of(view)),
    "view.alias": alias,
    "lazy.chain": lazy_chain,
    "symbolic.static": lambda value: {"value": int(constant(value))},
    "symbolic.var": symbolic_var,
    "symbolic.identity": compared,
    "symbolic.equal": compared,
    "symbolic.eval": symbolic,
    "symbolic.bind": symbolic,
    "symbolic.vars": symbolic,
    "symbolic.resolve_reshape": resolve_reshape,
    "symbolic.view_create": view_create,
    "symbolic.view_op": view_op,
    "shape.unravel_index": unravelled,
    "shape.infer": lambda shape, spec: {"resolved": StridedBox(shape).reshape(spec).extents},
}
