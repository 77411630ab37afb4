"""Layouts and accessors that are each wrong in one way, for the kit to find."""

import copy
from dataclasses import dataclass
from itertools import product
from typing import final

import mdview as md
from mdview.errors import LayoutError


class OneOfAKind:
    """What holds nothing equals every other of its class."""

    def __eq__(self, other):
        return type(other) is type(self)

    def __hash__(self):
        return hash(type(self))

    def __repr__(self):
        return f"{type(self).__name__}()"


class Dense(OneOfAKind, md.Layout):
    """C order by hand: the right layout that most planted ones derive from."""

    def offset(self, extents, index):
        place = 0
        for i, e in zip(index, extents, strict=True):
            place = place * e + i
        return place

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])


class SpanTooSmall(Dense):
    def required_span_size(self, extents):
        return max(0, Dense.required_span_size(self, extents) - 1)


class SpanTooLarge(Dense):
    def required_span_size(self, extents):
        return 1 + Dense.required_span_size(self, extents)


class SpanOfEmpty(Dense):
    def required_span_size(self, extents):
        return 1 + self.offset(extents, [max(e - 1, 0) for e in extents])


@dataclass(frozen=True)
class Tiles(md.Layout):
    """Tiles of rank 2, row by row; `columns` is where the planted ones go wrong."""

    tile: int = 2

    def columns(self, extents):
        return (extents[1] + self.tile - 1) // self.tile

    def allocation(self):
        return self.tile * self.tile

    def offset(self, extents, index):
        i, j = index
        t = self.tile
        number = (i // t) * self.columns(extents) + j // t
        return number * self.allocation() + (i % t) * t + j % t

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def is_unique(self, extents):
        return True


@dataclass(frozen=True)
class RaggedTile(Tiles):
    """The grid is rounded down, so a ragged edge has no tiles of its own."""

    def columns(self, extents):
        return extents[1] // self.tile

    def required_span_size(self, extents):
        return 1 + max([self.offset(extents, (i, j)) for i in range(extents[0]) for j in range(extents[1])], default=-1)


@dataclass(frozen=True)
class OverlappingTiles(Tiles):
    """Each tile begins before the one before it ends."""

    def allocation(self):
        return self.tile * self.tile - 1


@dataclass(frozen=True)
class AliasDeclaredUnique(md.Layout):
    """The lower triangle of a symmetric matrix, said to be unique."""

    def offset(self, extents, index):
        i, j = index
        low, high = min(i, j), max(i, j)
        return high * (high + 1) // 2 + low

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [e - 1 for e in extents])

    def is_unique(self, extents):
        return True


class AlwaysUnique(AliasDeclaredUnique):
    def is_unique(self, extents):
        return min(extents) <= 1

    def is_always_unique(self, static):
        return True


class UniqueDenied(Dense):
    def is_unique(self, extents):
        return False


class ExhaustiveClaimed(Dense):
    """Every second offset, said to be all of them."""

    def offset(self, extents, index):
        return 2 * Dense.offset(self, extents, index)

    def is_exhaustive(self, extents):
        return True


class WrongStrides(Dense):
    def strides(self, extents):
        return tuple(1 if r == len(extents) - 1 else extents[r] for r in range(len(extents)))


class StridesKeptBack(Dense):
    def strides(self, extents):
        return None

    def knows_strides(self):
        return True


class WrongOrigin(Dense):
    def origin(self, extents):
        return 1


class NotMonotone(Dense):
    def offset(self, extents, index):
        return Dense.offset(self, extents, [e - 1 - i for i, e in zip(index, extents, strict=True)])

    def required_span_size(self, extents):
        return 0 if 0 in extents else 1 + self.offset(extents, [0] * len(extents))

    def is_monotone(self):
        return True


class WrongComposition(Dense):
    """Said to be C order with the dimensions in reverse."""

    def composition(self, extents):
        return md.layouts.Composition(Dense(), tuple(extents[::-1]), md.index.IndexMap.taking(range(len(extents))))


class WrongRule(Dense):
    """C order, said to be Fortran order."""

    def stride_rule(self):
        return md.layouts.StrideRule("left")


class WrongTiling(Tiles):
    """Tiles by rows, said to be by columns."""

    def tiling(self):
        return md.layouts.Tiling((self.tile, self.tile), (1, self.tile), first_is_fastest=False)


class InterleavedTiles(Dense):
    """C order, said to consist of tiles of one index after the other."""

    def tiling(self):
        return md.layouts.Tiling((2, 2), None, first_is_fastest=False)

    def check(self, extents):
        if len(extents) != 2:
            message = "only a matrix has these tiles"
            raise LayoutError(message)


class SamePermuted(Dense):
    def permuted(self, extents, axes):
        return self


class SameTransposed(Dense):
    """Its transpose is wrong, and other permutations are not derived from it."""

    def permuted(self, extents, axes):
        return None

    def transposed(self, extents):
        return self


class LostOffset(Dense):
    """Ranges keep their layout, and where they begin is forgotten."""

    def sub(self, extents, slices):
        rows = [s for s in slices if getattr(s, "stride", 1) == 1 and not isinstance(s, int)]
        whole = all(getattr(s, "offset", 0) == 0 or r == 0 for r, s in enumerate(slices))
        full = all(getattr(s, "extent", e) == e for s, e in list(zip(slices, extents, strict=True))[1:])
        return (self, 0) if len(rows) == len(slices) and whole and full else None


class NegativeOffset(Dense):
    def offset(self, extents, index):
        return Dense.offset(self, extents, index) - (1 if len(index) == 1 and index[0] == 0 else 0)


class RaisesOverEmpty(Dense):
    def required_span_size(self, extents):
        return 1 + Dense.offset(self, extents, [e - 1 for e in extents]) * (1 // min([1, *extents]))


class Halves(Dense):
    """A true division: the offset is no int."""

    def offset(self, extents, index):
        return 2 * Dense.offset(self, extents, index) / 2


class HashOfIdentity(Dense):
    def __hash__(self):
        return id(self) >> 4


class Unequal(Dense):
    __hash__ = Dense.__hash__

    def __eq__(self, other):
        return self is other


class EqualToAnything(Dense):
    __hash__ = Dense.__hash__

    def __eq__(self, other):
        return True


class ReprForPeople(Dense):
    def __repr__(self):
        return "<a layout in C order>"


class Stateful(Dense):
    """Remembers the widest extents it has seen, and uses them for all others."""

    def __init__(self):
        self.widest = 0

    def offset(self, extents, index):
        if len(extents) == 2 and 0 not in extents:
            self.widest = max(self.widest, extents[1])
            return index[0] * self.widest + index[1]
        return Dense.offset(self, extents, index)


class CountsCalls(Dense):
    def __init__(self):
        self.calls = 0

    def offset(self, extents, index):
        self.calls += 1
        return Dense.offset(self, extents, index)

    def __repr__(self):
        return f"CountsCalls(){'' if not self.calls else '  # used'}"

    def __hash__(self):
        return self.calls


class RefusesByAssertion(Dense):
    def check(self, extents):
        assert len(extents) < 3


class RefusesEverything(Dense):
    def check(self, extents):
        raise LayoutError("no")


SMALL = [(), *[(e,) for e in range(6)], *sorted(product(range(4), repeat=2), key=lambda e: (e[0] * e[1], e)), (4, 5)]
"""Enough extents for each of these bugs, smallest first."""

# Each with the law that it breaks and what the counterexample says.
LAYOUTS = {
    "span, off by one below": (SpanTooSmall(), "bounds", ["extents   ()", "0 <= offset < 0", "offset 0"]),
    "span, off by one above": (SpanTooLarge(), "numbers", ["()", "required_span_size 1", "required_span_size 2"]),
    "span of no index": (SpanOfEmpty(), "numbers", ["(0,)", "required_span_size 0", "required_span_size 1"]),
    "ragged tile": (RaggedTile(), "unique", ["is_unique False: (0, 0) and (2, 0) both lie at offset 0", "True"]),
    "overlapping tiles": (OverlappingTiles(), "unique", ["(2, 3)", "(0, 2) and (1, 1)", "both lie at offset 3"]),
    "aliasing declared unique": (AliasDeclaredUnique(), "unique", ["(2, 2)", "(0, 1) and (1, 0)"]),
    "always unique": (AlwaysUnique(), "always", ["(2, 2)", "is_always_unique False", "(None, None)"]),
    "unique denied": (UniqueDenied(), "unique", ["is_unique True: no two indices share"]),
    "exhaustive claimed": (ExhaustiveClaimed(), "exhaustive", ["(2,)", "no index has offset 1"]),
    "wrong strides": (WrongStrides(), "strides", ["stride"]),
    "strides kept back": (StridesKeptBack(), "strides", ["knows_strides is True"]),
    "wrong origin": (WrongOrigin(), "numbers", ["origin 0", "origin 1"]),
    "not monotone": (NotMonotone(), "monotone", ["(2,)", "(0,), (1,)", "(1, 0)"]),
    "wrong composition": (WrongComposition(), "composition", ["index", "offset"]),
    "wrong rule for strides": (WrongRule(), "stride rule", ["StrideRule(order='left'"]),
    "tiles by rows said to be by columns": (WrongTiling(), "tiling", ["offset 1", "offset 2", "strides=(1, 2)"]),
    "interleaved tiles": (InterleavedTiles(), "tiling", ["tiles that do not interleave", "(0, 0) and (0, 1)"]),
    "permuted unchanged": (SamePermuted(), "permuted", ["axes", "(1, 0)", "SamePermuted()"]),
    "transposed unchanged": (SameTransposed(), "operations", ["transposed(v)", "SameTransposed()"]),
    "lost offset": (LostOffset(), "subview", ["(2,)", "ExtentSlice(", "offset 1", "offset 0"]),
    "negative offset": (NegativeOffset(), "bounds", ["(1,)", "offset -1"]),
    "raises over empty extents": (RaisesOverEmpty(), "bounds", ["(0,)", "ZeroDivisionError"]),
    "result is no int": (Halves(), "offset", ["()", "an int", "0.0 of type float"]),
    "hash by identity": (HashOfIdentity(), "copies", ["hash(copy.deepcopy(x)) == hash(x)"]),
    "equal to nothing": (Unequal(), "copies", ["copy.deepcopy(x) == x"]),
    "equal to anything": (EqualToAnything(), "copies", ["x == object() is False"]),
    "repr for people": (ReprForPeople(), "repr", ["SyntaxError"]),
    "remembers extents": (Stateful(), "deterministic", ["as before"]),
    "counts its calls": (CountsCalls(), "immutable", ["# used"]),
}


# --- accessors ---


class Negating(OneOfAKind, md.Writable):
    """Elements are kept negated: a right accessor that is not plain."""

    def load(self, data, offset):
        return -data[offset]

    def store(self, data, offset, value):
        data[offset] = -value


class LoadIgnoresOffset(Negating):
    def load(self, data, offset):
        return -data[0]


class LoadChangesData(Negating):
    def load(self, data, offset):
        data[offset] = abs(data[offset]) + 1
        return -data[offset]


class StoreForgets(Negating):
    def store(self, data, offset, value):
        data[offset] = value


class StoresTwice(Negating):
    def store(self, data, offset, value):
        data[offset] = data[(offset + 1) % len(data)] = -value


class PlainClaimed(Negating):
    @property
    def is_plain(self):
        return True


class PolicyReadsOtherwise(Negating):
    def offset_policy(self):
        return Negated()


class Negated(Negating):
    def load(self, data, offset):
        return data[offset]

    def store(self, data, offset, value):
        data[offset] = value


class PolicyStoresNot(Negating):
    def offset_policy(self):
        return md.ReadOnlyAccessor()


class PolicyIsNone(Negating):
    def offset_policy(self):
        return None


class ReadsOtherwise(Negating):
    def read(self, data, offset):
        return data[offset]


class RuleIsText(Negating):
    @property
    def index_rule(self):
        return "wrap"


class PolicyChecks(Negating):
    """Derived views have another index rule."""

    def offset_policy(self):
        return Checking()


class Checking(Negating):
    @property
    def index_rule(self):
        return md.accessors.IndexRule.CHECK


class CheckRaisesAnything(Negating):
    def check(self, data, origin):
        raise RuntimeError("no")


@final
class CountingLoads(md.Accessor):
    """Its repr changes with each load."""

    def __init__(self):
        self.loads = 0

    def load(self, data, offset):
        self.loads += 1
        return data[offset]

    def __eq__(self, other):
        return type(other) is type(self)

    def __hash__(self):
        return 1

    def __repr__(self):
        return f"CountingLoads(){'' if not self.loads else '  # used'}"


ACCESSORS = {
    "load ignores the offset": (LoadIgnoresOffset(), "load", ["read(data, 1)"]),
    "load changes data": (LoadChangesData(), "load", ["load(data, 0)"]),
    "store forgets to negate": (StoreForgets(), "store", ["then read"]),
    "store of two elements": (StoresTwice(), "store", ["a change at offset 0 alone"]),
    "plain claimed": (PlainClaimed(), "views read", ["view[index]", "1.5", "-1.5"]),
    "offset policy reads otherwise": (PolicyReadsOtherwise(), "views read", ["view[::-1, ...]"]),
    "offset policy stores not": (PolicyStoresNot(), "offset policy", ["ReadOnlyAccessor"]),
    "offset policy is none": (PolicyIsNone(), "offset policy", ["an Accessor", "None"]),
    "offset policy checks": (PolicyChecks(), "offset policy", ["IndexRule.WRAP", "IndexRule.CHECK"]),
    "read is not load": (ReadsOtherwise(), "store", ["then read"]),
    "index rule is a text": (RuleIsText(), "index rule", ["an IndexRule", "wrap"]),
    "check raises anything": (CheckRaisesAnything(), "check", ["RuntimeError: no"]),
    "counts its loads": (CountingLoads(), "immutable", ["# used"]),
}


def fresh(table, name):
    """A planted bug that nobody has asked yet, since some of them remember it; the law, and the words."""
    planted, law, words = table[name]
    return copy.deepcopy(planted), law, words
