"""The smallest program that shows a departure: a few lines of C++ that print both answers."""

from __future__ import annotations

from math import prod
from typing import Final

from mdview.conformance import spelling
from mdview.conformance.answers import slice_numbers
from mdview.conformance.compilers import Implementation
from mdview.conformance.corpus import Description, Question
from mdview.conformance.reports import Compared

EXPRESSIONS: Final = {
    **{trait: f"m.is_{trait}()" for trait in ("unique", "exhaustive", "strided")},
    **{f"always_{trait}": f"m.is_always_{trait}()" for trait in ("unique", "exhaustive", "strided")},
    "span": "m.required_span_size()",
    "rank": "m.rank()",
    "rank_dynamic": "m.rank_dynamic()",
    "eq": "[](const auto& a, const auto& b) { return requires { a == b; }; }(A(), B())",
    "conv": "lib::is_convertible_v<A, B> + lib::is_constructible_v<B, const A&>",
    "equal": "a == b",
    "equal_rev": "b == a",
    "size": "v.size()",
    "empty": "v.empty()",
    "offset": "part.data_handle() - data",
    "shift": "part.data_handle() - data",
    "static_extents": "decltype(m)::{type}static_extent({place})",
    "extents": "m.{call}extent({place})",
    "strides": "m.stride({place})",
    "offsets": "m({index})",
    "elements": "v[lib::array<int, {rank}>{{{index}}}]",
}
"""What tells each part of an answer; of a list, the entry at a place."""
HEADERS: Final = {
    "lib::a": "{inner}array",
    "lib::i": "{inner}type_traits",
    "lib::c": "{inner}complex",
    "linalg": "{inner}linalg",
    "cuda::l": "cuda/mdspan",
}
"""What is included where a word is there."""
CONVERSIONS: Final = {"none": 0, "explicit": 1, "implicit": 2}


def program(target: Implementation, compared: Compared) -> str:
    """Return a program that prints the first part that differs, and what the draft has there.

    Where no number says it, as of a program that stops or does not compile, it is a comment.
    """
    asked = compared.question
    question = spelling.constructed(asked.given) if asked.kind == "preconditions" else asked
    keys = sorted(compared.keys, key=lambda key: key not in {"offset", "layout"})
    text, expected = next((found for key in keys if (found := _printed(key, compared))), ("", 0))
    last = f'std::printf("%lld, the draft: {expected}\\n", (long long)({text}));'
    if not text:
        last = "// the draft: " + ", ".join(f"{key} {str(compared.expected.get(key))[:60]}" for key in keys)
    body = [f"  {line}" for line in (*_made(question), last)]
    inner = "cuda/std/" if target.library == "cuda::std" else ""
    extensions = [header for word, header in HEADERS.items() if word in "".join(body)]
    headers = [target.header, *[header.format(inner=inner) for header in extensions], "cstdint", "cstdio"]
    experimental = "::Experimental" if "padded_experimental" in target.offers else ""
    lines = [
        *[f"#include <{header}>" for header in headers],
        f"namespace md = {target.namespace};",
        f"namespace lib = {target.library};",
        *([f"namespace padded = md{experimental};"] if "padded::" in "".join(body) else []),
        "constexpr auto D = md::dynamic_extent;",
        "int main() {",
        *body,
        "}",
    ]
    return "\n".join(lines)


def _printed(key: str, compared: Compared) -> tuple[str, int] | None:
    """Return an expression that differs, and its value as the draft has it; None if there is no short one."""
    kind, expected, its = compared.question.kind, compared.expected.get(key), compared.its.get(key)
    if key in {"layout", "padding"} and compared.its.get("layout", "other") != "other":
        return f"lib::is_same_v<decltype(m)::layout_type, {spelling.layout(compared.its)}>", 0
    if key not in EXPRESSIONS or expected is None or its is None or (key == "offset" and kind != "submdspan"):
        return None
    if not isinstance(its, list):
        return EXPRESSIONS[key], CONVERSIONS[expected] if key == "conv" else int(expected)
    if len(its) != len(expected):
        return None
    place = next(k for k, pair in enumerate(zip(expected, its, strict=True)) if pair[0] != pair[1])
    value, index, rest = expected[place], list[str](), place
    for extent in reversed(compared.expected["extents"]):
        rest, i = divmod(rest, max(extent, 1))
        index.insert(0, str(i))
    of_extents = kind.startswith("extents")
    parts = {"type": "" if of_extents else "extents_type::", "call": "" if of_extents else "extents()."}
    text = EXPRESSIONS[key].format(**parts, place=place, rank=len(index), index=", ".join(index))
    return text, -1 if value is None else value


def _made(question: Question) -> list[str]:
    """Return the lines that make what a question is about."""
    kind, given = question.kind, question.given
    if kind in spelling.RELATED:
        spelt = spelling.RELATED[kind][1]
        return [f"using A = {spelt(given['from'])};", f"using B = {spelt(given['to'])};"]
    if kind == "ctor_default":
        return [f"{spelling.mapping(given)} m;"]
    if kind == "extents_from_values":
        return [f"const auto m = {spelling.extents(given)}({_list(given['values'])});"]
    if kind in {"value_convert", "extents_convert"}:
        return [_declared("source", given["from"]), f"const auto m = {spelling.space(given['to'])}(source);"]
    if kind in {"value_equal", "extents_equal"}:
        return [_declared("a", given["a"]), _declared("b", given["b"])]
    if kind == "mapping_call":
        return [_declared("m", given), f'std::printf("%lld\\n", (long long)(m({_list(given["index"])})));']
    if kind in {"mapping", "linalg_transposed_mapping"}:
        return [_declared("m", question.source)]
    return _viewed(question)


def _viewed(question: Question) -> list[str]:
    """Return the lines that make a view, or a part or a function of one."""
    kind, given, m = question.kind, question.given, question.source
    typed = {"element": "int", **m, **given}
    data = f"static {typed['element']} data[{4 * prod(max(e, 1) for e in m['extents']) + 999}];"
    if kind == "view":
        fill = f"for (auto& each : data) each = (int(&each - data) * {given['factor']} + 7) % 101;"
        return [_declared("m", m), data, fill, f"{spelling.view(typed)} v(data, m);"]
    view, slices = f"{spelling.view(typed)}(data, source)", list(map(_slice, given.get("slices", [])))
    made = [_declared("source", m), data]
    if kind != "submdspan":
        return [*made, f"const auto m = md::linalg::{kind}({', '.join([*map(str, given['more']), view])}).mapping();"]
    part = f"const auto part = md::submdspan({', '.join([view, *slices])});"
    return [*made, part, "[[maybe_unused]] const auto m = part.mapping();"]


def _declared(name: str, m: Description) -> str:
    """Return the declaration of a mapping, or of extents."""
    arguments = [_list(m["extents"])]
    if "layout" in m:
        arguments = [f"{spelling.extents(m)}({arguments[0]})"]
        steps = f"lib::array<{spelling.integer(m)}, {len(m['extents'])}>{{{_list(m.get('strides', []))}}}"
        if m["layout"] == "stride":
            arguments.append(steps)
        elif "strides" in m:
            arguments += [f"{spelling.mapping(m)}::strides_type({steps})", str(m["offset"])]
        elif "in_padding" in m:
            arguments.append(str(m["in_padding"]))
    return f"const auto {name} = {spelling.space(m)}({', '.join(arguments)});"


def _slice(s: Description) -> str:
    if s["k"] == "f":
        return "md::full_extent"
    pairs = [(f"lib::integral_constant<int, {n}>" if is_static else "int", n) for n, is_static in slice_numbers(s)]
    values = [str(n) if kind == "int" else f"{kind}{{}}" for kind, n in pairs]
    name = {"i": "", "r": "lib::pair", "s": "md::strided_slice", "x": "md::extent_slice"}[s["k"]]
    return f"{name}<{', '.join([kind for kind, _ in pairs])}>{{{', '.join(values)}}}" if name else values[0]


def _list(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))
