"""How a description of a type, in the encoding of `data/cpp/SCHEMA.md`, is spelt in C++ and asked on standard input.

`objects` turns the same descriptions into objects of mdview, so that either side answers the same question.
"""

from typing import Any, Final

Description = dict[str, Any]

LAYOUTS: Final = {
    "left": "md::layout_left",
    "right": "md::layout_right",
    "stride": "md::layout_stride",
    "stride_relaxed": "cuda::layout_stride_relaxed",
}
WRAPPERS: Final = {
    "restrict": "cuda::restrict_accessor",
    "host": "cuda::host_accessor",
    "device": "cuda::device_accessor",
    "managed": "cuda::managed_accessor",
    "shared_memory": "cuda::shared_memory_accessor",
}


def integer(index: str) -> str:
    """Type of integers: ``std::int32_t``."""
    return f"std::{index}_t"


def extents(description: Description) -> str:
    """Type of extents."""
    numbers = ["D" if s is None else str(s) for s in description["static"]]
    return f"md::extents<{', '.join([integer(description.get('index', 'int32')), *numbers])}>"


def layout(description: Description) -> str:
    """Type of a layout."""
    name: str = description["layout"]
    if name not in LAYOUTS:
        return f"padded::layout_{name}<{'D' if description['padding'] is None else description['padding']}>"
    return LAYOUTS[name]


def mapping(description: Description) -> str:
    """Type of a mapping."""
    arguments = [extents(description)]
    if "static_strides" in description:
        numbers = ["cuda::dynamic_stride" if s is None else str(s) for s in description["static_strides"]]
        arguments.append(f"cuda::strides<{', '.join(['std::int32_t', *numbers])}>")
    return f"{layout(description)}::mapping<{', '.join(arguments)}>"


def accessor(description: Description) -> str:
    """Type of an accessor."""
    element, policy = description["element"], description.get("accessor", "default")
    if description.get("align"):
        return f"md::aligned_accessor<{element}, {description['align']}>"
    default = f"md::default_accessor<{element}>"
    return default if policy == "default" else f"{WRAPPERS[policy]}<{default}>"


def view(description: Description) -> str:
    """Type of a view."""
    parts = (description["element"], extents(description), layout(description), accessor(description))
    return f"md::mdspan<{', '.join(parts)}>"


def slice_type(s: Description) -> str:
    """Template that makes a slice, and reads its numbers if they are not constants."""
    if s["k"] == "f":
        return "Full"
    if s["k"] == "i":
        return _number(s, "v", "s")
    if s["k"] == "r":
        return f"Pair<{_number(s, 'b', 'sb')}, {_number(s, 'e', 'se')}>"
    if s["k"] == "x":
        return f"Part<{_number(s, 'o', 'so')}, {_number(s, 'n', 'sn')}, {_number(s, 't', 'st')}>"
    return f"Strided<{_number(s, 'o', 'so')}, {_number(s, 'e', 'se')}, {_number(s, 't', 'st')}>"


def _number(s: Description, key: str, flag: str) -> str:
    return f"Fixed<{s[key]}>" if s.get(flag) else "Read"


def slice_numbers(s: Description) -> list[int]:
    """Numbers that the template of a slice reads."""
    parts = {"i": [("v", "s")], "r": [("b", "sb"), ("e", "se")], "s": [("o", "so"), ("e", "se"), ("t", "st")]}
    parts["x"] = [("o", "so"), ("n", "sn"), ("t", "st")]
    return [s[key] for key, flag in parts.get(s["k"], []) if not s.get(flag)]


def mapping_numbers(description: Description) -> list[int]:
    """Numbers that the template of a mapping reads."""
    more = [description[key] for key in ("offset", "in_padding") if key in description]
    return [*description["extents"], *description.get("strides", []), *more]
