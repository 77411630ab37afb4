"""A sample view: a layout over extents, items of a format, an accessor, and a variant of all that."""

from dataclasses import dataclass
from typing import Any, final

from mdview import MDView, asview, relayout
from mdview.conversions import convert
from mdview.errors import AccessorError, MDViewError, ReadOnlyError

from .accessors import ACCESSORS
from .data import FORMATS, Data
from .layouts import AnyMapping, bound
from .variants import VARIANTS, AnyView, indices_of

ORIGIN = 3
"""Items in front of those of a view, which nothing may reach."""

GUARD = 2
"""Items behind them."""


@final
@dataclass(frozen=True)
class Kind:
    """What a sample is made of, by the names in the tables of this folder."""

    layout: str = "right"
    accessor: str = "default"
    format: str = "d"
    variant: str = "whole"


@final
@dataclass(frozen=True)
class Sample:
    """A view, and what it was made of.

    Attributes
    ----------
    kind
        Its names.
    view
        The view.
    base
        The mapping of what the variant was made of.
    data
        Its data.
    origin
        Where in the data it begins.
    constant
        What its padding is filled with, where the variant has such. Any: an element.
    """

    kind: Kind
    view: AnyView
    base: AnyMapping
    data: Data
    origin: int
    constant: Any

    def places(self, *, inside=False):
        """Return the position in the data that each index reads, the last one fastest; None where that is a constant.

        It is what the variant says in plain arithmetic, and the offset of the mapping at one index. With ``inside`` it
        is None in all padding.
        """
        variant, extents = VARIANTS[self.kind.variant], tuple(map(int, self.base.extents))
        place = (variant.inside if inside else None) or variant.place
        found = [place(index, extents) for index in indices_of(variant.extents(extents))]
        return [None if index is None else self.origin + self.base(*index) for index in found]


def sample(kind, shape, *, any_bits=False):
    """Make a sample over extents; None where these do not go together: a tuple is not stored to, say.

    ``any_bits`` asks for data of any bits, NaNs and several types of objects among them.
    """
    mapping, variant, item_format = bound(kind.layout, shape), VARIANTS[kind.variant], FORMATS[kind.format]
    if mapping is None or not variant.takes(shape):
        return None
    accessor = ACCESSORS[kind.accessor]()
    try:
        if item_format.needs_numpy:
            view = _of_numpy(item_format.make(mapping.size, any_bits=any_bits), mapping, accessor)
        else:
            data = item_format.make(ORIGIN + mapping.required_span_size + GUARD, any_bits=any_bits)
            view = MDView.from_mapping(data, mapping, accessor, origin=ORIGIN)
        made = variant.make(view, item_format.constant)
    except (AccessorError, ReadOnlyError):
        return None
    except MDViewError:
        if item_format.needs_numpy:  # a layout that puts two elements in one place, or an accessor that computes
            return None
        raise
    return Sample(kind, made, mapping, view.data, view.origin, item_format.constant)


def _of_numpy(values, mapping, accessor):
    """Lay items that NumPy alone reads out anew, and see them through an accessor."""
    view = relayout(asview(values.reshape(tuple(map(int, mapping.extents)))), mapping.layout)
    return convert(view, accessor)
