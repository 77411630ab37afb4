"""What of the systems' cases is not asked, where mdview departs from them, and which published answer it takes.

`docs/design.md` says why; each choice names the words there that do.
"""

from dataclasses import dataclass

from rules import Departure, Skip

from mdview import errors

INFORMATIVE = {"facts", "note"}
"""Expected keys that tell about the case and not what a library answers, as the schema has it."""

# --- what is raised --------------------------------------------------------------------------------------------------

REFUSALS = {
    "attribute": (errors.ImmutableError, "cannot be set"),
    "axis_out_of_bounds": (errors.AxisError, "out of range|start at 0"),
    "bin_beyond_buffer": (errors.BinsError, "begin <= end <="),
    "broadcast_mismatch": (errors.BroadcastError, "extents must agree or be 1|only dimensions of extent 1"),
    "buffer_too_small": (errors.BufferSizeError, "elements, the data has"),
    "conflicting_properties": (errors.PropertyError, "has one"),
    "incompatible_strides": (errors.ReshapeError, "no strides read"),
    "index_out_of_bounds": (errors.IndexOutOfRangeError, "out of range"),
    "invalid_bounds": (errors.SliceError, "<="),
    "invalid_extent": (errors.ExtentsError, "at least 0"),
    "masked_view": (errors.ReshapeError, "outside the box"),
    "multiple_infer": (errors.ShapeError, "only one extent"),
    "negative_dimension": (errors.ExtentsError, "at least 0"),
    "negative_padding": (errors.PaddingError, "at least 0"),
    "negative_step": (errors.SliceError, "is negative"),
    "negative_stride": (errors.StrideError, "are positive"),
    "not_contiguous": (errors.NotContiguousError, "run"),
    "not_singleton": (errors.BroadcastError, "extents must agree or be 1|only dimensions of extent 1"),
    "range_beyond_extent": (errors.SliceError, "reaches index"),
    "rank_mismatch": (errors.RankError, "take|rank"),
    "read_only": (errors.ReadOnlyError, "read-only"),
    "shape_mismatch": (errors.ShapeError, "elements"),
    "step_zero": (errors.SliceError, "is 0|other than 0"),
    "symbol_bounds": (errors.SymbolError, "min <= max"),
    "symbolic_shape": (errors.SymbolicExtentError, "bind"),
    "too_many_indices": (errors.TooManyIndicesError, "too many"),
    "unconvertible": (errors.ConversionError, "would become"),
    "value_out_of_bounds": (errors.SymbolError, "outside its bounds"),
    "zero_stride": (errors.StrideError, "empty index space"),
}
"""The one exception of each kind of error, and what its message says; the last words tell kinds of one class apart."""

OF_OPERATION = {
    ("convert_from_stride", "incompatible_strides"): "unconvertible",
    ("symbolic.var", "invalid_bounds"): "symbol_bounds",
    ("slice", "index_out_of_bounds"): "range_beyond_extent",
}
"""Kinds of errors that are two in mdview: the reshape and the conversion, the slice and the symbol, index and range."""


def refusal(case, kind):
    """Return the class that is raised for a kind of error, and what the message says."""
    return REFUSALS[OF_OPERATION.get((case["op"], kind), kind)]


# --- what is not asked -----------------------------------------------------------------------------------------------


def _labels(case):
    return {label for label, _ in case["input"]["dims"]}


SKIPS = (
    Skip(
        "dimensions have no labels, so there is no algebra of labelled dimensions",
        lambda case: case["system"] == "scipp" and case["op"].startswith("dims."),
    ),
    Skip(
        "dimensions have no labels, so none is unknown",
        lambda case: (
            (case["op"] == "strides.transpose" and not set(case["input"]["order"]) <= _labels(case))
            or (
                (case["system"], case["op"]) == ("scipp", "slice")
                and case["input"]["slice"]["dim"] not in _labels(case)
            )
        ),
    ),
)

# --- contested: which published answer mdview takes ------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """Cases whose sources disagree: whose answer is taken (None: the one expected), and the words for it."""

    system: str
    op: str
    by: str | None
    said: str

    def applies(self, case):
        """Tell whether a case is one of these."""
        return "alternatives" in case and (case["system"], case["op"]) == (self.system, self.op)

    def instead(self, case):
        """Return the answer that is taken."""
        (taken,) = [each for each in case["alternatives"] if self.by and self.by in each["by"]]
        return {key: value for key, value in taken.items() if key != "by"}


CHOICES = (
    Choice("nx", "view.default_strides_zero_size", "plain products", "Strides over empty extents are plain products."),
    Choice("nx", "view.reshape", None, "Reshaping is complete; dropping all elements is an error."),
    Choice("nx", "symbolic.view_create", None, "materialisable once every variable is bound"),
    Choice("p0009r00", "construct", None, "More extents than implicit dimensions are refused"),
    Choice("p0009r00", "extent", "no upper bound", "`extent(r)` is 1 at and beyond the rank, without an upper bound."),
    Choice("p0009r00", "property.dimension_zero_ambiguity", "dimension<0,0>", "reads 0 as implicit"),
    Choice("p0009r00", "access", None, "A bool is an index"),
    Choice("p3959", "layout_stride.construct", None, "A zero stride is accepted over any empty index space"),
    Choice("scipp", "index.memory_bounds", None, "The bounds of a mapping are exact"),
    Choice("scipp", "slice", None, "Slices by first and last never step backwards."),
    Choice("scipp", "multi_index.iterate", None, "An empty walk is at its end from the start"),
    Choice("scipp", "multi_index.flatten", None, "A multi-index merges all dimensions that it may."),
)

# --- where mdview departs --------------------------------------------------------------------------------------------


def _selects_one_with_a_step(case):
    key, strides = case["input"].get("key", ()), case["expect"]
    steps = [e["step"] for e in key if isinstance(e, dict)]
    return case["op"] == "normalise" and any(
        step not in {None, 1} and extent == 1 for step, extent in zip(steps, strides["shape"], strict=True)
    )


def _ranges_beyond_buffer(case):
    bins = [operand["bins"] for operand in case["input"]["operands"]] if case["op"] == "multi_index.two_binned" else []
    return any(end > each["buffer_shape"][each["slice_axis"]] for each in bins for _, end in each["indices"])


def _of_choice(choice):
    return Departure(choice.said, choice.applies, choice.instead)


DEPARTURES = (
    *[_of_choice(choice) for choice in CHOICES if choice.by is not None],
    Departure(
        "rank 0 has one element, and that is the first one of it in flat order",
        lambda case: case["op"] == "item_vs_load" and not case["input"]["shape"],
        lambda _: {"item_position": 0},
    ),
    Departure(
        "a slice that selects one index takes no step, so its stride is that of what it is a part of at once",
        _selects_one_with_a_step,
        lambda case: case["expect"] | {"numpy_strides": case["expect"]["normalised_strides"]},
    ),
    Departure(
        "setting a part of a view is no store: an AttributeError says so, as Python has it",
        lambda case: case["op"] == "const_view" and case["input"]["op"] == "reassign_view",
        lambda _: {"error": {"kind": "attribute"}},
    ),
    Departure(
        "ranges of bins are checked against their buffer when bins are made, before sizes are compared",
        _ranges_beyond_buffer,
        lambda _: {"error": {"kind": "bin_beyond_buffer"}},
    ),
)
