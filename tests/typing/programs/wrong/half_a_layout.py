"""A layout without a span."""

from collections.abc import Sequence
from typing import final

from typing_extensions import override

from mdview import Layout, Mapping


@final
class LayoutReversed(Layout):  # error: required_span_size is not defined
    """The last index is the slowest, and counts backwards."""

    @override
    def offset(self, extents: Sequence[int], index: Sequence[int]) -> int:
        return extents[0] - 1 - index[0]


print(Mapping((3,), LayoutReversed()))  # error: an abstract class has no objects
