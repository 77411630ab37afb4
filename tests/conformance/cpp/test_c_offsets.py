"""The offset as C gives what the mapping gives: every layout, its variants, chains of operations, any arithmetic.

All expressions stand in one program, which reads indices and writes offsets. It is compiled as C and as C++, with every
warning an error and with a trap wherever behaviour is undefined.
"""

import doctest
import random
import subprocess
import sys
from array import array
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import compiled
import expression_trees
import implementations
import pytest
from effort import share
from samples.layouts import LAYOUTS, bound
from samples.variants import VARIANTS
from samples.views import Kind, sample

import mdview as md
from mdview.errors import LayoutError, MDViewError, SourceError
from mdview.expressions import c_codegen
from mdview.expressions.c_codegen import for_c
from mdview.expressions.expression_tree import Const, Index, Op, Select
from mdview.expressions.operators import COMPARISONS, INFIX, NEGATIVE
from mdview.expressions.range_analysis import RangeError, within

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[3]
MANY, FEW = share(10_000, 1_000), 200
NAMES = ("i", "j", "k", "l", "m", "n", "o", "p")
LARGE = ((1_000_003,), (1000, 777), (256, 256), (61, 50, 77))
SMALL = ((), (1,), (7,), (1, 9), (5, 1), (6, 5), (5, 6, 7), (1, 1, 1), (3, 4, 5, 2))
HUGE = (
    (1 << 30, 1 << 30),
    (1 << 31, 1 << 31),
    (3, (1 << 60) + 5),
    (1 << 20, 1 << 20, 1 << 20),
    (1 << 62,),
    ((1 << 31) - 1, 1 << 31),
)
TYPES = ((31, "int"), (32, "unsigned"), (63, "int64_t"))
SQUARING = ("packed", "user's, comparing", "user's, symmetric")
"""Layouts that square an index, which takes more than 64 bits sooner than the offset does."""

UNTRACEABLE = "user's, looping"
STRICT = (
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-tautological-compare",
)  # arithmetic at random compares a number to itself
FLAGS = ("-O0", *STRICT, "-fsanitize=undefined", "-fsanitize-trap=undefined", "-c")
LANGUAGES = {
    "C": ("cc", "-std=c99", "-pedantic", "-x", "c"),
    "C++": ("c++", "-std=c++17", "-x", "c++", "-fno-exceptions", "-fno-rtti"),
}

PROGRAM = """\
#include <stdint.h>
#include <stdio.h>

%s
static int64_t (*const offsets[])(const int64_t *) = {%s};

int main(void) {
  int64_t head[3], index[16], found;
  while (fread(head, sizeof(int64_t), 3, stdin) == 3) {
    for (int64_t k = 0; k < head[2]; ++k) {
      if (fread(index, sizeof(int64_t), (size_t)head[1], stdin) != (size_t)head[1]) return 1;
      found = offsets[head[0]](index);
      if (fwrite(&found, sizeof(int64_t), 1, stdout) != 1) return 1;
    }
  }
  return 0;
}
"""


class Case:
    """Source, the extents of its indices, indices and what is expected there."""

    def __init__(self, what, source, extents, indices, expected):
        self.what, self.source, self.rank = what, source, len(extents)
        self.indices, self.expected = indices, expected
        self.types = [next(name for bits, name in TYPES if e <= 1 << bits) for e in extents]

    def text(self, number, language):
        if "static inline" in self.source:
            call = f"f{number}({', '.join(f'x[{r}]' for r in range(self.rank))})"
            return f"{self.source}static int64_t g{number}(const int64_t *x) {{ (void)x; return {call}; }}"
        variables = [
            f"const {kind} {name} = ({kind})x[{r}]; (void){name};"
            for r, (kind, name) in enumerate(zip(self.types, NAMES, strict=False))
        ]
        checked = (
            f"static_assert(sizeof{self.source} == 8, {language!r});".replace("'", '"') if language == "C++" else ""
        )
        body = f"(void)x; {' '.join(variables)} {checked} return -3 * {self.source} / -3;"
        return f"static int64_t g{number}(const int64_t *x) {{ {body} }}"


def draws(rng, extents, count):
    if prod(extents) <= count:
        return list(product(*map(range, extents)))
    ends = [[0, e - 1] for e in extents]
    return [*product(*ends), *[tuple([rng.randrange(e) for e in extents]) for _ in range(count)]]


def case_of(rng, what, mapping, count, function=False):
    """A case of a mapping; its offsets are far below a third of what 64 bits hold, or are asked for as a function."""
    names = NAMES[: mapping.rank]
    function = function or mapping.required_span_size > 1 << 60
    source = mapping.to_c(names, function="FFF" if function else None)
    indices = [index for index in draws(rng, mapping.extents, count) if mapping.is_valid(*index)]
    return Case(what, source, mapping.extents, indices, [mapping(*index) for index in indices])


def in_64_bits(name, shape):
    """Return the mapping of a layout; None where it does not take the extents, or its span exceeds 64 bits."""
    try:
        return bound(name, shape)
    except LayoutError:
        return None


def layouts_as_they_are(rng):
    for name, (shapes, count) in product(LAYOUTS, ((LARGE, MANY), (SMALL, FEW), (HUGE, FEW))):
        for shape in shapes:
            mapping = in_64_bits(name, shape)
            if mapping is None and len(shape) == 2:
                mapping = in_64_bits(name, shape[:1] * 2)
            if mapping is None or (name == UNTRACEABLE and mapping.found_strides() is None):
                continue
            try:
                yield case_of(rng, (name, shape), mapping, count)
            except SourceError:
                beyond = mapping.required_span_size >= 1 << 63
                assert beyond or (name.startswith(SQUARING) and prod(shape) > 1 << 60)
            if shapes is SMALL:
                yield case_of(rng, (name, shape, "function"), mapping, count, function=True)


def layouts_of_the_examples(rng):
    sys.path.insert(0, str(ROOT))
    from examples import layouts as examples  # noqa: PLC0415

    for layout in (examples.LayoutBanded(1, 2), examples.LayoutBanded(0, 5), examples.LayoutSymmetric()):
        yield case_of(rng, layout, md.Mapping((300, 300), layout), MANY)
    names = {}
    page = (ROOT / "docs" / "writing_layouts.md").read_text(encoding="utf-8")
    for example in doctest.DocTestParser().get_examples(page):
        exec(compile(example.source, "writing_layouts.md", "exec"), names)
    mappings = [each.mapping if isinstance(each, md.MDView) else each for each in names.values()]
    own = [each for each in mappings if isinstance(each, md.Mapping) and type(each.layout).__module__ == "builtins"]
    assert {"LayoutSnake", "LayoutBackwards"} <= {type(each.layout).__name__ for each in own}
    for mapping in own:
        yield case_of(rng, mapping, md.Mapping((120, 130), mapping.layout), MANY)


def variants_of_the_layouts(rng):
    for layout, variant, shape in product(LAYOUTS, VARIANTS, ((4, 6), (5, 5))):
        made = sample(Kind(layout, variant=variant), shape)
        if made is None or made.view.mapping.rank > len(NAMES):
            continue
        mapping = made.view.mapping
        if layout != UNTRACEABLE or mapping.found_strides() is not None:
            yield case_of(rng, (layout, variant, shape), mapping, FEW)


def moved(rng, mapping):
    """A mapping after one operation on it."""
    extents, rank = tuple(map(int, mapping.extents)), mapping.rank
    kind = rng.choice(("flip", "permute", "slice", "reshape", "pad", "windows"))
    if kind == "flip":
        return md.flip(mapping, [r for r in range(rank) if rng.random() < 0.6])
    if kind == "permute":
        return md.permute_dims(mapping, rng.sample(range(rank), rank))
    if kind == "pad":
        return md.pad(mapping, [(rng.randrange(3), rng.randrange(3)) for _ in range(rank)])
    if kind == "reshape":
        shape = (prod(extents),) if rng.random() < 0.5 else extents[::-1]
        return md.reshape(mapping, shape)
    if kind == "windows" and rank < 4:
        return md.sliding_window(mapping, [min(2, e) for e in extents])
    slices = []
    for e in extents:
        first, count, step = expression_trees.random_progression(rng, e)
        slices.append(first if count == 1 and rng.random() < 0.3 else slice(first, first + step * count, step))
        if step < 0 or step * count == 0:
            slices[-1] = (0, e)
    return md.mappings.submapping(mapping, *slices)[0]


def chains_of_operations(rng):
    names = [name for name in LAYOUTS if name != UNTRACEABLE]
    for _ in range(share(400, 200)):
        shape = tuple([rng.choice((2, 3, 4, 7, 8, 16, 33)) for _ in range(rng.randrange(1, 4))])
        mapping = bound(name := rng.choice(names), shape) or bound(name, (shape[0],) * 2)
        if mapping is None:  # powers of two alone
            continue
        steps = []
        for _ in range(rng.randrange(1, 5)):
            try:
                mapping = moved(rng, mapping)
            except MDViewError:  # no such operation on this
                continue
            steps.append(mapping.extents)
        if mapping.rank <= len(NAMES):
            yield case_of(rng, (name, shape, steps), mapping, FEW)


def tree(rng, depth):
    """Arithmetic of any form; where it is no number, or takes more than 64 bits, C refuses it."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice((Index(0), Index(1), Const(rng.randrange(-20, 20)), Const(rng.choice((8, 63, -16, 1 << 40)))))
    kind = rng.random()
    if kind < 0.35:
        by = rng.choice((1, 2, 3, 4, 7, 8, -3, -8, 33))
        return Op(rng.choice(("floordiv", "mod", "mul", "and", "rshift", "lshift")), tree(rng, depth - 1), by)
    if kind < 0.42:
        return Op(NEGATIVE, tree(rng, depth - 1))
    left, right = tree(rng, depth - 1), tree(rng, depth - 1)
    if kind < 0.5:
        return Select(Op(rng.choice(sorted(COMPARISONS)), left, right), tree(rng, depth - 1), tree(rng, depth - 1))
    return Op(rng.choice(sorted(COMPARISONS) if kind < 0.55 else sorted(INFIX)), left, right)


def any_arithmetic(rng):
    extents = (23, 40)
    ranges = within([(0, e - 1) for e in extents])
    made = 0
    while made < share(600, 300):
        root = tree(rng, rng.randrange(1, 6))
        try:
            written = for_c(root, ranges)
        except RangeError:
            continue
        text = c_codegen.expression(written, lambda node: f"(int64_t){NAMES[node.dimension]}")
        if made % 2:
            text = c_codegen.c_function(written, lambda node: NAMES[node.dimension], "FFF", NAMES[:2])
        indices = draws(rng, extents, FEW)
        try:
            expected = [expression_trees.number_of(root, index) for index in indices]
        except ValueError:  # a shift that nothing here carries out
            continue
        if made % 2 or max(map(abs, expected)) < 1 << 60:
            yield Case(root, text, extents, indices, expected)
            made += 1


PARTS = (layouts_as_they_are, layouts_of_the_examples, variants_of_the_layouts, chains_of_operations, any_arithmetic)


@cache
def cases():
    """All cases, the same each time."""
    return [case for k, part in enumerate(PARTS) for case in part(random.Random(k))]  # noqa: S311 - inputs of a test


def program_of(language):
    texts = [case.text(k, language).replace("FFF", f"f{k}") for k, case in enumerate(cases())]
    return PROGRAM % ("\n".join(texts), ", ".join([f"g{k}" for k in range(len(texts))]))


def test_the_offset_in_c_is_that_of_the_mapping():
    given = array("q")
    for k, case in enumerate(cases()):
        given.extend((k, case.rank, len(case.indices)))
        for index in case.indices:
            given.extend(index)
    for language, (kind, *flags) in LANGUAGES.items():
        zig = implementations.zig()
        command = (sys.executable, "-m", "ziglang", kind, *flags, *FLAGS)
        program = compiled.program(program_of(language), command, zig.link)
        done = subprocess.run([program], input=given.tobytes(), capture_output=True, check=True, timeout=60)
        found, begin = array("q", done.stdout), 0
        for case in cases():
            end = begin + len(case.indices)
            assert found[begin:end].tolist() == case.expected, (language, case.what, case.source)
            begin = end
        assert begin == len(found) > 100 * MANY


def test_enough_is_compared():
    asked = {case.what[0] for case in cases() if isinstance(case.what, tuple) and len(case.indices) >= MANY}
    assert asked == set(LAYOUTS) - {UNTRACEABLE}
    with pytest.raises(SourceError, match="its comparisons have more than 64 outcomes"):
        bound(UNTRACEABLE, (64, 64)).to_c(("i", "j"))
