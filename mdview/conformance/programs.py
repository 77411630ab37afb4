"""The smallest program that shows a departure: a few lines of C++ that print both answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Final

from mdview.conformance import spelling
from mdview.conformance.comparison import Compared
from mdview.conformance.compilers import Implementation

Description = dict[str, Any]

MOST_LINES: Final = 15
TRAITS: Final = {
    "span": "m.required_span_size()",
    "unique": "m.is_unique()",
    "exhaustive": "m.is_exhaustive()",
    "strided": "m.is_strided()",
    "always_unique": "m.is_always_unique()",
    "always_exhaustive": "m.is_always_exhaustive()",
    "always_strided": "m.is_always_strided()",
    "rank": "m.rank()",
    "rank_dynamic": "m.rank_dynamic()",
    "eq": "[](const auto& a, const auto& b) { return requires { a == b; }; }(A(), B())",
    "equal": "a == b",
    "equal_rev": "b == a",
    "size": "v.size()",
    "empty": "v.empty()",
}
CONVERSIONS: Final = {"none": 0, "explicit": 1, "implicit": 2}


def program(target: Implementation, compared: Compared, template: str, numbers: Sequence[int]) -> str:
    """Return a program that prints the first part that differs, and what the draft has there.

    What is said by few questions is asked as the suite does it, with the header `answers.hpp`.
    """
    make = BODIES.get(compared.question.kind)
    printed = make and _printed(compared)
    if make is None or printed is None:
        return as_asked(template, numbers)
    expression, expected = printed
    body = [
        *make(compared.question.given),
        f'std::printf("%lld, the draft: {expected}\\n", (long long)({expression}));',
    ]
    return "\n".join([*_head(target, " ".join(body)), "int main() {", *[f"  {line}" for line in body], "}"])


def _head(target: Implementation, body: str) -> list[str]:
    inner = "cuda/std/" if target.library == "cuda::std" else ""
    wanted = {"array": "lib::array", "utility": "lib::pair", "type_traits": "lib::is_"}
    headers = [target.header, *[inner + header for header, word in wanted.items() if word in body]]
    headers += ["cuda/mdspan"] if "cuda::layout" in body else []
    experimental = "::Experimental" if "padded_experimental" in target.offers else ""
    return [
        *[f"#include <{header}>" for header in (*headers, "cstdint", "cstdio")],
        f"namespace md = {target.namespace};",
        *([f"namespace lib = {target.library};"] if "lib::" in body else []),
        *([f"namespace padded = md{experimental};"] if "padded::" in body else []),
        "constexpr auto D = md::dynamic_extent;",
    ]


def as_asked(template: str, numbers: Sequence[int]) -> str:
    """Return the program that asks as the suite does."""
    if template.startswith("stops<&"):
        template, numbers = template.removeprefix("stops<&").removesuffix(">"), numbers[1:]
    given = ", ".join(map(str, numbers or [0]))
    lines = [
        '#include "answers.hpp"  // of mdview/conformance/headers',
        "int main() {",
        f"  const Number numbers[] = {{{given}}};",
        "  given_numbers() = numbers;",
        f"  {template}();",
        "}",
    ]
    return "\n".join(lines)


# --- what is printed -------------------------------------------------------------------------------------------------


def _printed(compared: Compared) -> tuple[str, int] | None:
    """Return an expression that differs, and its value as the draft has it; None if there is no short one."""
    keys = sorted(compared.keys, key=lambda key: key not in {"offset", "layout"})
    return next((found for key in keys if (found := _part(key, compared))), None)


def _part(key: str, compared: Compared) -> tuple[str, int] | None:
    expected, its = compared.expected.get(key), compared.its.get(key)
    if expected is None or its is None:
        return None
    if key in {"layout", "padding"} and compared.its.get("layout", "other") != "other":
        return f"lib::is_same_v<decltype(m)::layout_type, {spelling.layout(compared.its)}>", 0
    if key == "conv":
        return "lib::is_convertible_v<A, B> + lib::is_constructible_v<B, const A&>", CONVERSIONS[str(expected)]
    if key in {"offset", "shift"} and compared.question.kind == "submdspan":
        return "part.data_handle() - data", expected
    if key in TRAITS:
        return TRAITS[key], int(expected)
    if isinstance(its, list) and len(its) == len(expected):
        place = next(k for k, pair in enumerate(zip(expected, its, strict=True)) if pair[0] != pair[1])
        found = _entry(key, place, compared)
        return (found, -1 if expected[place] is None else expected[place]) if found else None
    return None


def _entry(key: str, place: int, compared: Compared) -> str | None:
    index = _unravelled(place, compared.expected.get("extents", []))
    return {
        "static_extents": f"decltype(m)::{'' if compared.question.kind.startswith('extents') else 'extents_type::'}"
        f"static_extent({place})",
        "extents": f"m.{'' if compared.question.kind.startswith('extents') else 'extents().'}extent({place})",
        "strides": f"m.stride({place})",
        "offsets": f"m({', '.join(map(str, index))})",
        "elements": f"v[lib::array<int, {len(index)}>{{{', '.join(map(str, index))}}}]",
    }.get(key)


def _unravelled(place: int, extents: Sequence[int]) -> list[int]:
    result = []
    for extent in reversed(extents):
        place, rest = divmod(place, max(extent, 1))
        result.append(rest)
    return result[::-1]


# --- what is made ----------------------------------------------------------------------------------------------------


def _extents(m: Description) -> str:
    return f"{spelling.extents(m)}({', '.join(map(str, m['extents']))})"


def _made(name: str, m: Description) -> str:
    """Return the declaration of a mapping."""
    kind, index = spelling.mapping(m), spelling.integer(m.get("index", "int32"))
    arguments = [_extents(m)]
    array = f"lib::array<{index}, {len(m['extents'])}>{{{', '.join(map(str, m.get('strides', [])))}}}"
    if m["layout"] == "stride":
        arguments.append(array)
    elif "strides" in m:
        arguments += [f"{kind}::strides_type({array})", str(m["offset"])]
    elif "in_padding" in m:
        arguments.append(str(m["in_padding"]))
    return f"const auto {name} = {kind}({', '.join(arguments)});"


def _types(spelt: Callable[[Description], str]) -> Callable[[Description], list[str]]:
    return lambda given: [f"using A = {spelt(given['from'])};", f"using B = {spelt(given['to'])};"]


def _slice(s: Description) -> str:
    if s["k"] == "f":
        return "md::full_extent"
    flags = {"v": "s", **{key: f"s{key}" for key in "beotn"}}
    keys = {"i": "v", "r": "be", "s": "oet"}[s["k"]]
    types = [f"lib::integral_constant<int, {s[key]}>" if s.get(flags[key]) else "int" for key in keys]
    values = [f"{kind}{{}}" if kind != "int" else str(s[key]) for kind, key in zip(types, keys, strict=True)]
    if s["k"] == "i":
        return values[0]
    name = "lib::pair" if s["k"] == "r" else "md::strided_slice"
    return f"{name}<{', '.join(types)}>{{{', '.join(values)}}}"


def _sliced(given: Description) -> list[str]:
    m = given["src"]
    view = f"md::mdspan<int, {spelling.extents(m)}, {spelling.layout(m)}>"
    return [
        _made("source", m),
        f"static int data[{2 * prod(m['extents']) + 64}];",
        f"const auto part = md::submdspan({view}(data, source), {', '.join(map(_slice, given['slices']))});",
        "[[maybe_unused]] const auto m = part.mapping();",
    ]


def _viewed(given: Description) -> list[str]:
    return [
        _made("m", given),
        f"static {given['element']} data[4096];",
        f"for (int k = 0; k < 4096; ++k) data[k] = (k * {given['factor']} + 7) % 101;",
        f"{spelling.view(given)} v(data, m);",
    ]


BODIES: Final[dict[str, Callable[[Description], list[str]]]] = {
    "mapping": lambda m: [_made("m", m)],
    "ctor_default": lambda m: [f"{spelling.mapping(m)} m;"],
    "value_convert": lambda given: [
        _made("source", given["from"]),
        f"const {spelling.mapping(given['to'])} m(source);",
    ],
    "value_equal": lambda given: [_made("a", given["a"]), _made("b", given["b"])],
    "extents_convert": lambda given: [f"const auto m = {spelling.extents(given['to'])}({_extents(given['from'])});"],
    "extents_from_values": lambda given: [f"const auto m = {_extents({**given, 'extents': given['values']})};"],
    "extents_equal": lambda given: [f"auto a = {_extents(given['a'])};", f"auto b = {_extents(given['b'])};"],
    "extents": _types(spelling.extents),
    "mapping_type": _types(spelling.mapping),
    "mdspan_conv": _types(spelling.view),
    "accessor_conv": _types(spelling.accessor),
    "accessor_conv_cccl": _types(spelling.accessor),
    "submdspan": _sliced,
    "view": _viewed,
}
"""For each kind of question the lines that make what it is about."""
