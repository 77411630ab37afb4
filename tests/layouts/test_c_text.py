"""The offset of a mapping as C: its value at each index, the text of what is common, and what is refused."""

import re

import pytest
from effort import some
from samples.derived import derivations, derive
from samples.enumerated import Enumerated
from samples.layouts import LAYOUTS, LayoutLooping, bound
from samples.mappings import LayoutOf, part_of

import mdview as md
from mdview import Mapping
from mdview.errors import SourceError

NAMES = "ijklmn"
TYPES = re.compile(r"INT64_C\((\d+)\)|\(int64_t\)|static inline int64_t|int64_t|const")


def value_of(mapping):
    """A function of the text: of an index it computes what C does, whose quotients are of natural numbers here."""
    names = NAMES[: mapping.rank]
    try:
        text = mapping.to_c(tuple(names))
    except SourceError:  # too long for one expression
        text = mapping.to_c(tuple(names), function="place")
        steps = re.findall(r"int64_t (t\d+) = (.*);", text)
        last = re.search(r"return (.*);", text).group(1)
    else:
        steps, last = [], text
    lines = [*[f"{name} = {line}" for name, line in steps], f"place = {last}"]
    code = compile("\n".join([python(line) for line in lines]), "C", "exec")

    def value(index):
        scope = dict(zip(names, index, strict=True))
        exec(code, {}, scope)
        return scope["place"]

    return value


def python(text):
    """The arithmetic of C as Python writes it."""
    return TYPES.sub(r"\1", text).replace("/", "//").replace("&&", " and ").replace("||", " or ").replace("!(", "not (")


@pytest.mark.parametrize("name", [name for name in LAYOUTS if name != "user's, looping"])
def test_the_text_computes_the_offset_of_every_element(name):
    for shape in some([(5, 4), (1, 4), (3, 3), (7,), (2, 3, 2)], 2):
        mapping = bound(name, shape)
        if mapping is None:
            continue
        for each in some(derivations(mapping), 4):
            part = derive(mapping, each)
            if part.rank > len(NAMES) or "?" in part.to_c(tuple(NAMES[: part.rank]), function="f"):
                continue
            value = value_of(part)
            places = Enumerated(part).places
            assert {index: value(index) for index in places} == places, (name, shape, each)


def mixed(i):
    """Mixes the bits of an index again and again: as one expression it is long."""
    for k in range(40):
        i = ((i ^ (i >> 1)) * 5 + k) % 1024
    return i


def by(shape, arithmetic, stated=None):
    return Mapping(shape, LayoutOf(arithmetic, 1024, stated))


TEXTS = {
    "rows": (lambda: Mapping((3, 4)), "(((int64_t)i * INT64_C(4)) + (int64_t)j)"),
    "flipped": (lambda: md.flip(Mapping((3, 4))), "(INT64_C(11) - ((int64_t)i * INT64_C(4)) - (int64_t)j)"),
    "one row": (lambda: Mapping((1, 4)), "((int64_t)j)"),
    "one element of tiles": (lambda: Mapping((1, 1), md.LayoutTiled(2, 2)), "(INT64_C(0))"),
    "rank 0": (lambda: Mapping((), md.LayoutStrideRelaxed((), 7)), "(INT64_C(7))"),
    "empty, of a user": (lambda: Mapping((0, 3), LayoutLooping()), "(INT64_C(0))"),
    "empty, Morton": (lambda: Mapping((3, 0), md.LayoutMorton()), "(INT64_C(0))"),
    "one tile": (
        lambda: part_of(Mapping((8, 8), md.LayoutTiled(4, 4)), (4, 8), (0, 4)),
        "(((int64_t)i * INT64_C(4)) + (int64_t)j)",
    ),
    "padding alone": (lambda: part_of(md.pad(Mapping((4, 4), md.LayoutTiled(2, 2)), 1), 0, (0, 6)), "(INT64_C(0))"),
    "padded rows": (
        lambda: md.pad(Mapping((3, 4)), (1, 0)),
        "((-INT64_C(5)) + ((int64_t)i * INT64_C(4)) + (int64_t)j)",
    ),
    "arithmetic, not the strides stated": (lambda: by((5,), lambda i: i * 3, (2,)), "((int64_t)i * INT64_C(3))"),
    "loop": (
        lambda: by((4,), lambda i: 7 + sum(5 for _ in range(i)), (5,)),
        "(INT64_C(7) + ((int64_t)i * INT64_C(5)))",
    ),
    "large numbers that cancel": (lambda: by((5,), lambda i: i + i * 2**64 - i * 2**64), "((int64_t)i)"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text(name):
    make, text = TEXTS[name]
    mapping = make()
    assert mapping.to_c(tuple(NAMES[: mapping.rank])) == text


def test_a_function_has_the_name_that_it_is_given():
    text = md.flip(Mapping((8, 8), md.LayoutTiled(3, 3))).to_c(("i", "j"), function="place")
    assert text.startswith("static inline int64_t place(int64_t i, int64_t j) {\n    const int64_t t0 = ")
    assert text.endswith("}\n")
    assert len(by((1024,), mixed).to_c(("i",), function="offset").splitlines()) < 200
