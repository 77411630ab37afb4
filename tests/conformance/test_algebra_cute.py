"""Facts of nested layouts: what pycute answered, by tables and sizes, and which mappings are linear over bits."""

from dataclasses import dataclass
from itertools import product
from typing import final

import pytest
import rules
from recorded import cases
from rules import Departure

from mdview import Layout, LayoutNested, Mapping, algebra
from mdview.algebra import f2
from mdview.errors import Collision, LayoutError, NotLinear, NotNested
from mdview.mappings import submapping

CASES = cases("algebra/cute")
COORDINATES, BITS = "cute.idx2crd", "f2.linear"


@final
@dataclass(frozen=True)
class Table(Layout):
    """Offsets as they are told."""

    told: tuple

    def offset(self, extents, index):
        return self.told[index[0]]

    def required_span_size(self, extents):
        return 1 + max(self.told)


def of(*kinds):
    cases = [case for case in CASES if case["kind"] in kinds or (not kinds and case["kind"] not in {COORDINATES, BITS})]
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


def tree(given):
    return tuple(map(tree, given)) if isinstance(given, list) else given


def leaves(given):
    return [leaf for part in given for leaf in leaves(part)] if isinstance(given, tuple) else [given]


def layout(told):
    """The mapping of a shape and a stride, read from CuTe's notation and the same when it is written there."""
    shape, stride = tree(told["shape"]), tree(told["stride"])
    text = f"{shape}:{stride}".replace(" ", "").replace(",)", ")")
    found = algebra.from_cute(text)
    assert (found.layout, algebra.to_cute(found)) == (LayoutNested(shape, stride), text)
    return found


def table(mapping):
    """Offsets in order of the 1-D index, the first dimension fastest."""
    return [mapping(*index[::-1]) for index in product(*map(range, mapping.extents[::-1]))]


def rows(mapping, prefix=()):
    if len(prefix) == mapping.rank:
        return mapping(*prefix)
    return [rows(mapping, (*prefix, i)) for i in range(mapping.extents[len(prefix)])]


def shown(mapping, told):
    """What is asked of a result: its table, which must be that of the shape and stride that are told."""
    wanted = layout(told)
    assert table(mapping) == table(wanted)
    return mapping.extents == wanted.extents


def refused(operation, *given, errors=(Collision, NotNested)):
    try:
        return operation(*given)
    except errors:
        return None


def evaluated(given, out):
    mapping = layout(given)
    lowest, highest = mapping.layout.offset_bounds(mapping.extents)
    assert mapping.is_unique is out["injective"]
    assert mapping.layout.lowest_offset(mapping.extents) == lowest
    coordinates = out.get("coords") or []
    assert [algebra.at_coordinate(mapping, tree(c)) for c in coordinates] == table(mapping)[: len(coordinates)]
    return {"size": mapping.size, "rank": mapping.rank, "table": table(mapping), "min": lowest, "max": highest}


def dense(shape):
    return algebra.from_cute(str(tree(shape)).replace(",)", ")"))


def placed(given, _):
    coordinate = tree(given["coord"])
    found = algebra.at_coordinate(layout(given), coordinate)
    return {"offset": found, "linear": algebra.at_coordinate(dense(given["shape"]), coordinate)}


def sliced(given, _):
    mapping, coordinate = layout(given), given["coord"]
    if any(isinstance(c, list) for c in coordinate):  # one slice for each leaf
        mapping = algebra.refine(mapping, tuple(leaves(mapping.layout.modes)))
        coordinate = leaves(tree(coordinate))
    slices = [(0, e) if c is None else c for c, e in zip(coordinate, mapping.extents, strict=True)]
    return dict(zip(("part", "offset"), submapping(mapping, *slices), strict=True))


def divided(given, _):
    names = "logical_divide", "zipped_divide", "tiled_divide"
    return {name: getattr(algebra, name)(layout(given["A"]), [*map(layout, given["tiler"])]) for name in names}


SPECIAL = {
    "cute.eval": evaluated,
    "cute.crd2idx": placed,
    "cute.slice": sliced,
    "cute.divide_by_mode": divided,
    "cute.coalesce": lambda given, _: {
        "found": algebra.coalesce(layout(given), tuple(given["profile"]) if "profile" in given else None)
    },
    "cute.complement": lambda given, _: {"found": refused(algebra.complement, layout(given), given["cotarget"])},
    "cute.composition": lambda given, _: {
        "found": refused(algebra.compose, layout(given["A"]), layout(given["B"]), errors=IndexError)
    },
    "cute.composition_by_mode": lambda given, _: {
        "found": algebra.compose(layout(given["A"]), [*map(layout, given["tiler"])])
    },
}


def answer(kind, given, out):
    if kind in SPECIAL:
        return SPECIAL[kind](given, out)
    operands = [given["A"], given["B"]] if "A" in given else [given]
    return {"found": refused(getattr(algebra, kind.removeprefix("cute.")), *map(layout, operands))}


DEPARTURES = (
    Departure(
        "pycute's right inverse stops at a stride of 0; it is skipped, as in C++, and the inverse is longer",
        lambda case: case["kind"] == "cute.right_inverse" and case["in"] == {"shape": [4, 6, 1], "stride": [1, 0, 4]},
        lambda case: case["out"] | {"shape": 4, "stride": 1, "size": 4, "table": [0, 1, 2, 3]},
    ),
)


def check(kind, given, out):
    found = answer(kind, given, out)
    if kind in {"cute.eval", "cute.crd2idx"}:
        assert {key: out[key] for key in found} == found
    elif kind == "cute.divide_by_mode":
        assert all(shown(mapping, out[name]) for name, mapping in found.items())
        if "tiles" in out:
            assert rows(found["zipped_divide"]) == [list(row) for row in zip(*out["tiles"], strict=True)]
    elif kind == "cute.slice":
        start = out["offset"] - found["offset"]
        assert [offset - start for offset in table(found["part"])] == table(layout(out))
    elif kind in {"cute.blocked_product", "cute.raked_product"}:
        assert shown(found["found"], out["zipped"])
        assert rows(found["found"]) == out["table_nd"]
    elif out.get("status") == "reject":
        mapping = found["found"]
        composed = kind == "cute.composition" and mapping is not None and not isinstance(mapping.layout, LayoutNested)
        assert mapping is None or composed
    else:
        shown(found["found"], out)
        assert isinstance(found["found"].layout, LayoutNested)
        assert table(found["found"]) == out.get("table", table(found["found"]))
        assert "table2d" not in out or rows(found["found"]) == out["table2d"]


@of()
def test_the_answer_is_that_of_the_facts(case):
    departure = rules.departure_of(case, DEPARTURES)
    check(case["kind"], case["in"], case["out"] if departure is None else departure.instead(case))


@of(COORDINATES)
def test_the_coordinate_of_an_index_has_its_number(case):
    assert algebra.at_coordinate(dense(case["in"]["shape"]), tree(case["out"]["coord"])) == case["in"]["index"]


@of(BITS)
def test_a_table_is_linear_over_bits_as_the_facts_say(case):
    told, out = case["in"]["table_c_order"], case["out"]
    mapping = Mapping((len(told),), Table(tuple(told)))
    found = refused(f2.linear, mapping, errors=(NotLinear, LayoutError))
    assert (found is not None and found.layout.is_linear) is out["linear"]
    if out["linear"]:
        assert list(found.layout.bases[0]) == out["bases_of_flat_index_bits"]
        assert (f2.rank(found), found.is_unique) == (out["rank"], out["injective"])


def test_every_kind_has_its_cases():
    assert len(CASES) == 687
    assert rules.idle(DEPARTURES, CASES) == []
