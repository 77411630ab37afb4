"""nx: strict boxes, chains and symbolic extents: every case of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import systems_adapter as systems

from mdview import LayoutRight, LayoutStrideRelaxed, MDView, errors
from mdview.index.no_copy_reshape import infer_shape, unravel
from mdview.lazy.box import StridedBox
from mdview.lazy.chain import Chain
from mdview.symbolic import Add, Const, Expr, Mul, Neg, SymbolicExtents, SymbolicMapping, Var, constant, var

KINDS: dict[str, tuple[type[Exception], str]] = {
    "rank_mismatch": (errors.RankError, "rank"),
    "axis_out_of_bounds": (errors.AxisError, "out of range"),
    "invalid_bounds": (ValueError, "<="),
    "negative_padding": (errors.PaddingError, "at least 0"),
    "not_singleton": (errors.BroadcastError, "only extents of 1"),
    "broadcast_mismatch": (errors.BroadcastError, "only extents of 1"),
    "masked_view": (errors.ReshapeError, "outside the box"),
    "incompatible_strides": (errors.ReshapeError, "no strides read"),
    "shape_mismatch": (errors.ShapeError, "elements"),
    "multiple_infer": (errors.ShapeError, "only one extent"),
    "negative_dimension": (errors.ExtentsError, "at least 0"),
    "value_out_of_bounds": (errors.SymbolError, "outside its bounds"),
    "symbolic_shape": (errors.SymbolicExtentError, "bind"),
}
Ops = Sequence[tuple[str, Any]]


def box_of(view: dict[str, Any]) -> StridedBox:
    return StridedBox(view["shape"], view["strides"], view["offset"], view["mask"])


def literal(box: StridedBox) -> dict[str, Any]:
    mask = None if box.box is None else [list(bounds) for bounds in box.box]
    return {"shape": list(box.extents), "strides": list(box.strides), "offset": box.offset, "mask": mask}


def facts(box: StridedBox) -> dict[str, Any]:
    strides = box.strides_or_none()
    return literal(box) | {
        "view": literal(box),
        "elements": list(box.elements()),
        "is_c_contiguous": box.is_c_contiguous,
        "numel": box.size,
        "ndim": box.rank,
        "strides_opt": None if strides is None else list(strides),
        "can_get_strides": box.can_get_strides,
        "is_materializable": box.can_get_strides,
    }


def create(**given: Any) -> dict[str, Any]:
    return facts(StridedBox(given["shape"], given.get("strides"), given.get("offset", 0), given.get("mask")))


def dim(view: dict[str, Any], axis: int) -> dict[str, Any]:
    return {"dim": box_of(view).extent(axis), "stride": box_of(view).stride(axis)}


def linear_index(view: dict[str, Any], indices: list[int]) -> dict[str, Any]:
    return {"linear_index": box_of(view).linear_index(indices)}


def is_valid(view: dict[str, Any], indices: list[int]) -> dict[str, Any]:
    return {"is_valid": box_of(view).is_valid(indices)}


def move(name: str) -> systems.Handler:
    def handler(view: dict[str, Any], arg: Any = None, axes: Any = None) -> dict[str, Any]:
        return facts(getattr(box_of(view), name)(axes if arg is None else arg))

    return handler


def moved(start: StridedBox | Chain, ops: Ops) -> Any:
    for name, arg in ops:
        start = getattr(start, name)(arg)
    return start


def chain(start: dict[str, Any], ops: Ops) -> dict[str, Any]:
    return facts(moved(box_of(start), ops))


def strides_opt(
    view: dict[str, Any] | None = None, start: dict[str, Any] | None = None, ops: Ops = ()
) -> dict[str, Any]:
    return facts(moved(box_of(view or start or {}), ops))


def alias(buffer_size: int, view: dict[str, Any], op: str, arg: Any, **given: Any) -> dict[str, Any]:
    buffer = [0] * buffer_size
    boxes = box_of(view), getattr(box_of(view), op)(arg)
    base, seen = [MDView(buffer, box.extents, LayoutStrideRelaxed(box.strides, box.offset)) for box in boxes]
    base[tuple(given["write_base_at"])] = given["value"]
    return {"read": seen[tuple(given["read_view_at"])]}


def lazy_chain(start: dict[str, Any], ops: Ops) -> dict[str, Any]:
    whole = moved(Chain(box_of(start)), ops)
    simple = whole.simplify()
    assert list(simple.elements()) == list(whole.elements())
    one = simple.single()
    answer = {"shape": list(whole.extents), "elements": list(whole.elements()), "single_view": one is not None}
    if one is not None:
        answer["single_view_strides"] = list(one.strides)
        answer["single_view_valid_box"] = [list(bounds) for bounds in one.valid_box]
    return answer | {"strict_view_fails": strict_failure(box_of(start), ops)}


def strict_failure(box: StridedBox, ops: Ops) -> dict[str, Any] | None:
    for k, (name, arg) in enumerate(ops):
        try:
            box = getattr(box, name)(arg)
        except errors.ReshapeError as error:
            kind = "masked_view" if KINDS["masked_view"][1] in str(error) else "incompatible_strides"
            return {"op_index": k, "kind": kind}
    return None


def symbols(variables: list[dict[str, Any]]) -> list[Var]:
    return [var(v["name"], v["min"], v["max"]) for v in variables]


def expression(tree: Any, variables: list[Var]) -> Expr:
    (kind, parts), *_ = tree.items()
    if kind == "const":
        return Const(parts)
    if kind == "var":
        return variables[parts]
    if kind == "neg":
        return Neg(expression(parts, variables))
    return {"add": Add, "mul": Mul}[kind](*[expression(part, variables) for part in parts])


def tree_of(found: Expr, variables: list[Var]) -> dict[str, Any]:
    return {"var": variables.index(found)} if isinstance(found, Var) else {"const": int(found)}


def symbolic(
    variables: list[Any] = (), shape: Any = None, bind: Ops = (), compare: Any = None, other_shape: Any = None
) -> dict[str, Any]:
    known = symbols(variables)
    if compare is not None:
        left, right = [SymbolicExtents([expression(tree, known) for tree in trees]) for trees in compare]
        return {"equal": left == right}
    extents = SymbolicExtents([expression(tree, known) for tree in shape])
    other = SymbolicExtents([expression(tree, known) for tree in other_shape or []])
    for i, number in bind:
        extents.bind({known[i]: number})
    found = extents.eval()
    return {
        "eval": None if found is None else list(found),
        "other_eval": list(other.eval() or ()),
        "partial_eval": list(extents.partial_eval()),
        "numel": extents.numel,
        "rank": extents.rank,
        "is_static": extents.is_static,
        "is_fully_bound": extents.is_fully_bound,
        "vars": [known.index(v) for v in extents.vars],
    }


def symbolic_var(**given: Any) -> dict[str, Any]:
    made = symbols([given["var"]])[0]
    return {"bounds": [made.min, made.max], "name": made.name, "bound": made.value is not None}


def resolve_reshape(source: list[Any], to: list[int]) -> dict[str, Any]:
    found = SymbolicExtents([expression(tree, []) for tree in source]).resolve_reshape(to)
    return {"resolved": None if found is None else list(found)}


def mapping(
    variables: list[Any], shape: list[Any], strides: list[int] | None, bind: Ops
) -> tuple[SymbolicMapping, list[Var]]:
    known = symbols(variables)
    for i, number in bind:
        known[i].bind(number)
    layout = LayoutRight() if strides is None else LayoutStrideRelaxed(strides)
    return SymbolicMapping([expression(tree, known) for tree in shape], layout), known


def view_create(
    variables: list[Any], shape: list[Any], strides: list[int] | None = None, bind: Ops = ()
) -> dict[str, Any]:
    made, _ = mapping(variables, shape, strides, bind)
    return {
        "strides": [s.eval() for s in made.strides],
        "is_c_contiguous": made.is_c_contiguous,
        "is_materializable": made.is_materializable,
        "numel": made.numel,
    }


def view_op(
    variables: list[Any], shape: list[Any], op: str, arg: list[Any], strides: list[int] | None = None
) -> dict[str, Any]:
    made, known = mapping(variables, shape, strides, ())
    given = [expression(entry, known) if isinstance(entry, dict) else entry for entry in arg]
    return {"shape": [tree_of(dim, known) for dim in getattr(made, op)(given).extents]}


HANDLERS: dict[str, systems.Handler] = {
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
    "view.squeeze": move("squeeze"),
    "view.unsqueeze": move("expand_dims"),
    "view.chain": chain,
    "view.strides_opt": strides_opt,
    "view.alias": alias,
    "lazy.chain": lazy_chain,
    "symbolic.static": lambda value: {"value": int(constant(value))},
    "symbolic.var": symbolic_var,
    "symbolic.identity": symbolic,
    "symbolic.equal": symbolic,
    "symbolic.eval": symbolic,
    "symbolic.bind": symbolic,
    "symbolic.vars": symbolic,
    "symbolic.resolve_reshape": resolve_reshape,
    "symbolic.view_create": view_create,
    "symbolic.view_op": view_op,
    "shape.unravel_index": lambda shape, k: {"indices": unravel(k, shape)},
    "shape.infer": lambda shape, spec: {"resolved": infer_shape(StridedBox(shape).size, spec)},
}

# Where the documents disagree and mdview takes the other published answer: strides of empty extents are plain products.
CHOSEN: dict[str, dict[str, Any]] = {
    "nx.view.default_strides_zero_size.003": {"strides": [1, 1]},
    "nx.view.default_strides_zero_size.004": {"strides": [1]},
    "nx.view.default_strides_zero_size.006": {"strides": [20, 5, 1]},
}


RENAMED = {"from": "source", "vars": "variables"}


def fits(answer: Any, expected: Any) -> bool:
    """Whether an answer is the expected one; null in a list of strides is not observable."""
    if isinstance(expected, dict):
        return all(
            fits(answer[key], value) if key != "strides" else unobservable(answer[key], value)
            for key, value in expected.items()
        )
    if isinstance(expected, list):
        return list(answer) == expected
    return answer == expected and (answer is None) == (expected is None)


def unobservable(answer: Sequence[Any], expected: Sequence[Any]) -> bool:
    return len(answer) == len(expected) and all(e in (None, a) for a, e in zip(answer, expected, strict=True))


def check_error(case: dict[str, Any], given: dict[str, Any]) -> str | None:
    wanted = case["expect"]["error"]
    kind, words = KINDS[wanted["kind"]]
    try:
        answer = HANDLERS[case["op"]](**given)
    except kind as error:
        told = [words, *[str(tuple(wanted[key])) for key in ("actual_strides", "expected_strides") if key in wanted]]
        missing = [word for word in told if word not in str(error)]
        return f"{case['id']}: {error} does not say {missing}" if missing else None
    return f"{case['id']}: {given}: {answer} instead of {wanted['kind']}"


def check(case: dict[str, Any]) -> str | None:
    given = {RENAMED.get(key, key): value for key, value in case["input"].items()}
    if "error" in case["expect"]:
        return check_error(case, given)
    answer = HANDLERS[case["op"]](**given)
    wrong = {
        key: (answer[key], value) for key, value in case["expect"].items() if not fits({key: answer[key]}, {key: value})
    }
    return f"{case['id']}: {given}: (answer, expected) {wrong}" if wrong else None


@pytest.mark.parametrize("op", sorted(HANDLERS))
def test_operation(op):
    asked = [
        case | {"expect": CHOSEN.get(case["id"], case["expect"])} for case in systems.cases("nx") if case["op"] == op
    ]
    assert asked
    assert [wrong for case in asked if (wrong := check(case))] == []


def test_every_operation_of_the_documents_has_a_handler():
    assert {case["op"] for case in systems.cases("nx")} == set(HANDLERS)
