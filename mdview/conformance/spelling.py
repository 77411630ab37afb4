"""How descriptions of types are spelt in C++, and how a question is asked: a call of a template of `answers.hpp`.

`answers` turns the same descriptions into objects of mdview, so that either side answers the same question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mdview.conformance.answers import slice_numbers
from mdview.conformance.corpus import Description, Question

WRAPPERS: Final = ("restrict", "host", "device", "managed", "shared_memory")
"""Policies of CCCL, each an accessor around another one."""
SLICES: Final = {"i": "%s", "f": "Full%s", "r": "Pair<%s>", "x": "Part<%s>", "s": "Strided<%s>"}
CONSTRUCTED: Final = {
    "layout_stride_ctor": "mapping",
    "convert": "value_convert",
    "submdspan": "submdspan",
    "mapping_call": "mapping_call",
    "extents_from_values": "extents_from_values",
    "extents_convert": "extents_convert",
}
"""The kinds of questions that ask for what a fact about preconditions does."""


def integer(description: Description) -> str:
    """Type of indices: ``std::int32_t``."""
    return f"std::{description.get('index', 'int32')}_t"


def extents(description: Description) -> str:
    """Type of extents."""
    numbers = ["D" if s is None else str(s) for s in description["static"]]
    return f"md::extents<{', '.join([integer(description), *numbers])}>"


def layout(description: Description) -> str:
    """Type of a layout."""
    name: str = description["layout"]
    if name.endswith("padded"):
        return f"padded::layout_{name}<{'D' if description['padding'] is None else description['padding']}>"
    return f"{'cuda' if name == 'stride_relaxed' else 'md'}::layout_{name}"


def mapping(description: Description) -> str:
    """Type of a mapping."""
    arguments = [extents(description)]
    if "static_strides" in description:
        numbers = ["cuda::dynamic_stride" if s is None else str(s) for s in description["static_strides"]]
        arguments.append(f"cuda::strides<{', '.join(['std::int32_t', *numbers])}>")
    return f"{layout(description)}::mapping<{', '.join(arguments)}>"


def space(description: Description) -> str:
    """Type of a mapping, or of extents."""
    return mapping(description) if "layout" in description else extents(description)


def accessor(description: Description) -> str:
    """Type of an accessor."""
    element, policy = description["element"], description.get("accessor", "default")
    if description.get("align"):
        return f"md::aligned_accessor<{element}, {description['align']}>"
    default = f"md::default_accessor<{element}>"
    return f"cuda::{policy}_accessor<{default}>" if policy in WRAPPERS else default


def view(description: Description) -> str:
    """Type of a view."""
    parts = (description["element"], extents(description), layout(description), accessor(description))
    return f"md::mdspan<{', '.join(parts)}>"


RELATED: Final[dict[str, tuple[str, Callable[[Description], str]]]] = {
    "extents": ("relations", extents),
    "mapping_type": ("relations", mapping),
    "mdspan_conv": ("conversions", view),
    "accessor_conv": ("conversions", accessor),
    "accessor_conv_cccl": ("conversions", accessor),
}
"""For each kind of question about pairs of types the template that compares all types of a list, and their spelling."""


def slice_type(s: Description) -> str:
    """Template that makes a slice, and reads its numbers if they are not constants."""
    return SLICES[s["k"]] % ", ".join(f"Fixed<{n}>" if is_static else "Read" for n, is_static in slice_numbers(s))


def mapping_numbers(description: Description) -> list[int]:
    """Numbers that the template of a mapping reads."""
    more = [description[key] for key in ("offset", "in_padding") if key in description]
    return [*description["extents"], *description.get("strides", []), *more]


def call(question: Question) -> tuple[str, list[int]]:
    """Return the call of a template that asks a question, and the numbers that it reads."""
    kind, given = question.kind, question.given
    if kind == "preconditions":
        template, numbers = call(constructed(given))
        return f"stops<&{template}>", [len(numbers), *numbers]
    if kind in {"extents_equal", "value_equal"}:
        sides = given["a"], given["b"]
        return f"{kind}<{', '.join(map(space, sides))}>", [n for each in sides for n in mapping_numbers(each)]
    if kind in {"extents_convert", "value_convert"}:
        return f"{kind}<{space(given['from'])}, {space(given['to'])}>", mapping_numbers(given["from"])
    if kind == "extents_from_values":
        name = "all" if len(given["values"]) == len(given["static"]) else "dynamic"
        return f"extents_from_{name}<{extents(given)}>", given["values"]
    if kind == "submdspan":
        numbers = [n for s in given["slices"] for n, is_static in slice_numbers(s) if n is not None and not is_static]
        template = f"submdspan<{', '.join([mapping(given['src']), *map(slice_type, given['slices'])])}>"
        return template, [*mapping_numbers(given["src"]), *numbers]
    if kind == "ctor_default":
        return f"default_mapping<{mapping(given)}>", []
    if kind in {"mapping", "mapping_call", "linalg_transposed_mapping"}:
        index = given["index"] if kind == "mapping_call" else []
        return f"{kind}<{mapping(question.source)}>", [*mapping_numbers(question.source), *index]
    typed = {**question.source, "element": given["element"]}
    return f"{kind}<{view(typed)}>", [*mapping_numbers(typed), given["factor"], *given.get("more", [])]


def constructed(given: Description) -> Question:
    """Return the question that does what a fact about preconditions says.

    A mapping is right, and its extents dynamic, where nothing says otherwise.
    """
    kind = CONSTRUCTED[given["what"]]
    if kind == "value_convert" and "layout" not in given["from"]:
        kind = "extents_convert"
    if "extents" not in given:
        return Question(kind, given)
    layout_name = "stride" if given["what"] == "layout_stride_ctor" else "right"
    m = {"layout": layout_name, "static": [None] * len(given["extents"]), **given}
    return Question(kind, {"src": m, "slices": given["slices"]} if "slices" in given else m)
