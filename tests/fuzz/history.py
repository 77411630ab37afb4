"""History: a question has the same answer in a fresh process and after the nearest valid one.

The process that asks has no history: each question is asked in a forked child that has done nothing else, and in
another one that has asked a valid question before. What is asked is drawn: numbers that are equal and not the same,
objects that lie about being equal, layouts, accessors, keys and slices made of them.
"""

import decimal
import fractions
import random
from array import array

import numpy as np
from hostile import Liar, OwnError
from isolation import in_child
from outcomes import Wrong

import mdview as md


class Equal:
    """It equals everything and has the hash of a number, and is no integer."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return True

    def __hash__(self):
        return hash(self.number)

    def __repr__(self):
        return "Equal"


class EqualInt(int):
    """An integer that equals everything."""

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 3

    def __repr__(self):
        return f"EqualInt({int.__repr__(self)})"


class Unequal(int):
    """An integer that equals nothing."""

    def __eq__(self, other):
        return False

    def __hash__(self):
        return int.__hash__(self)

    def __repr__(self):
        return f"Unequal({int.__repr__(self)})"


class Other(int):
    """An integer whose index is another one."""

    def __index__(self):
        return int.__add__(self, 1)

    def __hash__(self):
        return int.__hash__(self)

    def __eq__(self, other):
        return int.__eq__(self, other)

    def __repr__(self):
        return f"Other({int.__repr__(self)})"


TWINS = (
    float,
    lambda n: complex(n, 0),
    fractions.Fraction,
    decimal.Decimal,
    np.float64,
    np.int64,
    np.uint8,
    np.array,
    bool,
    md.dim,
    Equal,
    EqualInt,
    Unequal,
    Other,
    lambda n: Other(n - 1),
    lambda n: EqualInt(n + 1),
    lambda n: Liar(n, n + 1),
    lambda n: Liar(OwnError("mine"), n),
    str,
    lambda n: n,
    lambda n: [n],
)
"""What stands for a number: equal to it, or nearly, or not at all."""


def _some(pick, numbers):
    """A tuple in which one number, or all, have a twin in their place."""
    numbers = list(numbers)
    if not numbers:
        return ()
    twin = pick.choice(TWINS)
    for k in range(len(numbers)) if pick.randrange(4) == 0 else [pick.randrange(len(numbers))]:
        numbers[k] = twin(numbers[k]) if numbers[k] >= 0 or twin is not np.uint8 else numbers[k]
    return tuple(numbers)


# --- questions: each is a function of twins of its numbers ---


def _data():
    return array("q", range(200))


def _tell(view):
    """What can be told of a view, with the kinds of its numbers."""
    if not isinstance(view, md.MDView):
        return repr(view)
    kinds = [type(e).__name__ for e in view.extents]
    return repr((view.extents, kinds, view.layout, view.accessor, view.origin, view.tolist(), view.static_extents))


QUESTIONS = {
    "view": ((3, 4), lambda n: _tell(md.MDView(_data(), n))),
    "view of lists": ((3, 1), lambda n: _tell(md.MDView(list(range(9)), n, md.LayoutLeft()))),
    "mapping": ((3, 4), lambda n: (m := md.Mapping(n), [type(e).__name__ for e in m.extents], m.strides)),
    "stride": ((4, 1), lambda n: _tell(md.MDView(_data(), (3, 4), md.LayoutStride(n)))),
    "relaxed": ((1, 3), lambda n: _tell(md.MDView(_data(), (3, 2), md.LayoutStrideRelaxed(n, 0)))),
    "relaxed origin": ((1,), lambda n: _tell(md.MDView(_data(), (3,), md.LayoutStrideRelaxed((1,), *n)))),
    "tiled": ((2, 1), lambda n: _tell(md.MDView(_data(), (4, 4), md.LayoutTiled(*n)))),
    "padded": ((4,), lambda n: _tell(md.MDView(_data(), (3, 3), md.LayoutRightPadded(*n)))),
    "left padded": ((1,), lambda n: _tell(md.MDView(_data(), (3, 3), md.LayoutLeftPadded(*n)))),
    "swizzled": ((1, 0, 2), lambda n: _tell(md.MDView(_data(), (4, 8), md.LayoutSwizzled(md.LayoutRight(), *n)))),
    "morton": ((1,), lambda n: _tell(md.MDView(_data(), (4, 4), md.LayoutMorton(compact=n[0])))),
    "composed": (
        (4, 4),
        lambda n: _tell(
            md.MDView(_data(), (4, 4), md.LayoutComposed(md.LayoutTiled(2, 2), n, md.IndexTransform.taking((1, 0))))
        ),
    ),
    "transform": (
        (1, 0, 1, 1),
        lambda n: _tell(
            md.MDView(
                _data(),
                (3, 4),
                md.LayoutComposed(md.LayoutTiled(2, 2), (5, 5), md.IndexTransform(tuple(n[:2]), tuple(n[2:]), (0, 1))),
            )
        ),
    ),
    "scaled": ((2,), lambda n: _tell(md.MDView(_data(), (3,), accessor=md.ScaledAccessor(*n)))),
    "filled": ((1,), lambda n: _tell(md.pad(md.MDView(_data(), (3,)), 1, "constant", *n))),
    "aligned": ((8,), lambda n: repr(md.AlignedAccessor(*n))),
    "element": ((2, 1), lambda n: _tell(_matrix()[n])),
    "element of a line": ((2,), lambda n: _tell(md.MDView(_data(), (5,))[n[0]])),
    "at": ((2, 1), lambda n: _tell(_matrix().at(n))),
    "tiled element": ((2, 1), lambda n: _tell(_matrix(md.LayoutTiled(2, 2))[n])),
    "slice": ((1, 3, 2), lambda n: _tell(_matrix()[slice(*n)])),
    "slice and element": ((1, 3, 1), lambda n: _tell(_matrix()[n[0] : n[1], n[2]])),
    "subview": ((1, 3), lambda n: _tell(md.subview(_matrix(), n, 1))),
    "subview by a range": ((0, 2, 2), lambda n: _tell(md.subview(_matrix(), md.ExtentSlice(*n), 1))),
    "strided slice": ((0, 4, 2), lambda n: _tell(md.subview(_matrix(), md.StridedSlice(*n), 1))),
    "called": ((2, 1), lambda n: md.Mapping((3, 4))(*n)),
    "reshape": ((4, 3), lambda n: _tell(md.reshape(_matrix(), n))),
    "broadcast": ((2, 3, 4), lambda n: _tell(md.broadcast_to(_matrix(), n))),
    "permute": ((1, 0), lambda n: _tell(md.permute_dims(_matrix(md.LayoutTiled(2, 2)), n))),
    "flip": ((1,), lambda n: _tell(md.flip(_matrix(), n))),
    "pad": ((1, 0), lambda n: _tell(md.pad(_matrix(), n))),
    "window": ((2, 1), lambda n: _tell(md.sliding_window(_matrix(), n))),
    "diagonal": ((1, 0, 1), lambda n: _tell(md.diagonal(_matrix(), *n))),
    "expand": ((0, 1), lambda n: _tell(md.expand_dims(_matrix(), n))),
    "shrink": ((1, 3), lambda n: _tell(md.shrink(_matrix(), [n, (0, 1)]))),
    "assume": ((3, 4), lambda n: _tell(md.assume(_matrix(), n))),
    "null": ((3, 4), lambda n: repr(md.MDView.null(n).extents)),
    "origin": ((3,), lambda n: _tell(md.MDView.from_mapping(_data(), md.Mapping((2,)), origin=n[0]))),
    "tiles": ((2, 1), lambda n: [_tell(t) for t in md.tiles(_matrix(), n)]),
    "store": ((2, 1), lambda n: repr(_stored(n))),
    "overlap": ((3,), lambda n: md.overlap(md.Mapping((3,)), md.Mapping((3,)), shift=n[0])),
    "extent": ((1,), lambda n: _matrix().extent(*n)),
    "stride of": ((1,), lambda n: _matrix().stride(*n)),
    "is valid": ((1, 2), lambda n: _matrix().is_valid(*n)),
    "bins": ((0, 2), lambda n: _tell(md.Binned(md.MDView(_data(), (6,)), [n]).events)),
    "packed": ((3, 3), lambda n: _tell(md.MDView(_data(), n, md.LayoutBlasPacked("upper", "row")))),
    "user's": ((3, 4), lambda n: _tell(md.MDView(_data(), (2, 2), User(n)))),
    "kinds": ((3, 4), lambda n: repr(md.conversion(md.MDView(_data(), n), md.LayoutStride()))),
    "copy": ((1,), lambda n: md.copy(_matrix(), _matrix(), threads=n[0])),
    "mapping equality": ((3, 4), lambda n: md.Mapping(n) == md.Mapping((3, 4))),
}


class User(md.Layout):
    """A user's layout with parameters that are equal if they say so."""

    def __init__(self, parameters):
        self.parameters = parameters

    def __eq__(self, other):
        return type(other) is User and self.parameters == other.parameters

    def __hash__(self):
        return hash(self.parameters)

    def __repr__(self):
        return f"User({self.parameters!r})"

    def offset(self, extents, index):
        return index[0] * self.parameters[0] + index[1] * self.parameters[1]

    def required_span_size(self, extents):
        return 30


def _matrix(layout=None):
    return md.MDView(_data(), (3, 4), layout)


def _stored(n):
    data = _data()
    view = md.MDView(data, (3, 4))
    view[n] = -1
    return data.tolist()


def _answer(ask, numbers):
    """Answer, or the error, as text; errors of the process itself come through."""
    try:
        return repr(ask(numbers))
    except Exception as error:  # noqa: BLE001 - to be compared
        return f"{type(error).__name__}: {error}"


def _without_addresses(text):
    return text.split(" at 0x")[0]


def history(pick):
    """Ask in two children: at once, and after questions like it."""
    name = pick.choice(list(QUESTIONS))
    numbers, ask = QUESTIONS[name]
    seed = pick.random()
    before = pick.choice(((numbers,), (numbers, numbers), (tuple(map(md.dim, numbers)), numbers)))
    other_seed = pick.random()

    def hostile():
        return _some(random.Random(seed), numbers)  # noqa: S311 - made anew for each child

    def fresh():
        return _answer(ask, hostile())

    def later():
        for valid in before:
            _answer(ask, valid)
        if other_seed < 0.5:
            _answer(ask, _some(random.Random(other_seed), numbers))  # noqa: S311 - another twin before this one
        first = _answer(ask, hostile())
        return first, _answer(ask, hostile())

    first, second = in_child(fresh), in_child(later)
    if {_without_addresses(first)} != {*map(_without_addresses, second)}:
        raise Wrong(f"{name} has another answer later: of of {hostile()!r}, fresh {first[:160]}, later {second}")
