"""What of the facts of layouts is not asked, and where mdview departs from them on purpose."""

from rules import Departure

NOT_ASKED = {
    "cute": "the same map as a nested layout of CuTe: ``formats/test_formats_documents.py`` asks for it",
    "divides": "whether the allocation is as large as the index space: the allocation is compared",
    "unused": "what the table leaves of the allocation: both are compared, and the first hole is asked for",
}


def is_single_padded_row(case):
    """Tell whether a padded layout has one row, and that is shorter than its stride."""
    if case["kind"] != "padded.strides":
        return False
    shape, pad, side = case["in"]["shape"], case["in"]["pad"], case["in"]["side"]
    rows, row = (shape[:-1], shape[-1:]) if side == "right" else (shape[1:], shape[:1])
    return bool(set(rows) == {1} and row[0] % pad)


DEPARTURES = (
    Departure(
        "the draft compares extent and padded stride: a padded row is a hole even if it is the only row",
        is_single_padded_row,
        lambda case: case["out"] | {"is_exhaustive": False},
    ),
)
