"""Questions in C++: the call of a template of `answers.hpp` that asks one.

`data/questions.json` says for each kind of question how it is asked; here are the types and numbers that it names.
`answers` turns the same descriptions into objects of mdview, so that either side answers the same question.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mdview.conformance.answers import slice_numbers
from mdview.conformance.corpus import FORMS, Description, Question

PRECONDITIONS: Final[dict[str, str]] = FORMS["preconditions"]
"""The kinds of questions that do what a fact about preconditions says."""
WRAPPERS: Final = ("restrict", "host", "device", "managed", "shared_memory")
"""Policies of CCCL, each an accessor around another one."""


def spelt(d: Description) -> dict[str, str]:
    """Return the C++ type of what is described, of its accessor and its view, and the numbers that make a value."""
    index, numbers = f"std::{d.get('index', 'int32')}_t", ["D" if s is None else s for s in d.get("static", ())]
    found = {"type": f"md::extents<{series([index, *numbers])}>"}
    more = [d[key] for key in ("offset", "in_padding") if key in d]
    found["numbers"] = series([*d.get("extents", ()), *d.get("strides", ()), *more], " ")
    found["accessor"] = accessor(d)
    if "layout" in d:
        steps = ["cuda::dynamic_stride" if s is None else s for s in d.get("static_strides", ())]
        strides = f", cuda::strides<{series(['std::int32_t', *steps])}>" if steps else ""
        found["view"] = f"md::mdspan<{d.get('element')}, {found['type']}, {layout(d)}, {accessor(d)}>"
        found["type"] = f"{layout(d)}::mapping<{found['type']}{strides}>"
    return found


def layout(d: Description) -> str:
    """Return the C++ type of a layout."""
    name, padding = d["layout"], d.get("padding")
    if name in {"left_padded", "right_padded"}:
        return f"padded::layout_{name}<{'D' if padding is None else padding}>"
    return f"{'cuda' if name == 'stride_relaxed' else 'md'}::layout_{name}"


def accessor(d: Description) -> str:
    """Return the C++ type of an accessor."""
    element, policy = d.get("element"), d.get("accessor")
    if d.get("align"):
        return f"md::aligned_accessor<{element}, {d['align']}>"
    default = f"md::default_accessor<{element}>"
    return f"cuda::{policy}_accessor<{default}>" if policy in WRAPPERS else default


def spelt_slices(given: Sequence[Description]) -> dict[str, str]:
    """Return the C++ types of slices, and the numbers of them that are no constants."""
    numbers = list(map(slice_numbers, given))
    types = [[f"lib::integral_constant<int, {n}>" if fixed else "int" for n, fixed in each] for each in numbers]
    texts = [FORMS["slices"][s["k"]].format(series(each)) for s, each in zip(given, types, strict=True)]
    return {"type": series(texts), "numbers": series([n for each in numbers for n, fixed in each if not fixed], " ")}


def series(entries: Sequence[object], between: str = ", ") -> str:
    """Join the texts of entries."""
    return between.join(map(str, entries))


def call(question: Question) -> tuple[str, str]:
    """Return the call of a template that asks a question, and the numbers that it reads."""
    if question.kind == "preconditions":
        template, numbers = call(constructed(question.given))
        return f"stops<&{template}>", f"{len(numbers.split())} {numbers}"
    form, given = FORMS["kinds"][question.kind], question.given
    if "pairs" in form:
        return call_pairs(question.kind, [given["from"], given["to"]], form["pairs"]), ""
    names = {key: spelt(part) if isinstance(part, dict) else part for key, part in given.items()}
    names |= {key: series(given[key], " ") for key in ("values", "index") if isinstance(given.get(key), list)}
    names |= {
        "n": len(given.get("values", ())),
        "m": spelt({**given, **question.source}),
        "slices": spelt_slices(given.get("slices", ())),
    }
    return form["call"].format(**names), form["reads"].format(**names)


def call_pairs(kind: str, types: Sequence[Description], template: str = "") -> str:
    """Return the call of a template that asks about every pair of types."""
    form = FORMS["kinds"][kind]
    return f"{template or 'each_' + form['pairs']}<{series([spelt(each)[form['of']] for each in types])}>"


def constructed(given: Description) -> Question:
    """Return the question that does what a fact about preconditions says.

    A mapping is right, and its extents dynamic, where nothing says otherwise.
    """
    kind = PRECONDITIONS[given["what"]]
    if kind == "value_convert" and "layout" not in given["from"]:
        kind = "extents_convert"
    if "extents" in given:
        layout = "stride" if given["what"] == "layout_stride_ctor" else "right"
        given = {"layout": layout, "static": [None] * len(given["extents"]), **given}
    return Question(kind, given)
