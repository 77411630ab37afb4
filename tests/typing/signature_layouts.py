"""What becomes of each layout under a change of the index space: methods that layouts have for a type checker only.

The protocols of `mdview.views.protocols` ask for them, and say which change each is about.
"""

from __future__ import annotations

CHANGES = ("row", "column", "middle", "span", "front", "back", "part", "turned", "reversed", "dense", "reshaped")
LAYOUTS = {
    "base": {"Layout": {"Layout": CHANGES}},
    "stride": {"LayoutStride": {"LayoutStride": ("row", "column", "middle", "span", "front", "back", "turned")}},
    "strided": {
        "StridedLayout": {"StridedLayout": CHANGES[:-1]},
        "LayoutRight": {
            "LayoutRight": ("row", "span", "front", "dense", "reshaped"),
            "LayoutStride": ("column",),
            "LayoutRightPadded": ("middle",),
            "LayoutLeft": ("turned", "reversed"),
        },
        "LayoutLeft": {
            "LayoutLeft": ("column", "span", "back"),
            "LayoutStride": ("row",),
            "LayoutLeftPadded": ("middle",),
            "LayoutRight": ("turned", "reversed"),
        },
        "LayoutRightPadded": {"LayoutLeftPadded": ("turned",)},
        "LayoutLeftPadded": {"LayoutRightPadded": ("turned",)},
    },
}
"""By module and layout: the changes by what they make of it. All others are those of its base."""


def members(module: str) -> dict[str, str]:
    """The methods for the classes of a module."""
    return {
        layout: "".join(
            [f"def _as_{change}(self) -> {result}: ...\n" for result, changes in results.items() for change in changes]
        )
        for layout, results in LAYOUTS[module].items()
    }
