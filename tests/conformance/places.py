"""Cases count positions from index (0, ..., 0), which may lie anywhere; a buffer begins with the lowest element."""

from mdview import LayoutStrideRelaxed, Mapping, MDView


def below(shape, strides):
    """How far the lowest element lies below index (0, ..., 0)."""
    return 0 if 0 in shape else -sum((e - 1) * s for e, s in zip(shape, strides, strict=True) if s < 0)


def strided(shape, strides, offset=0):
    """Mapping of strides as they are given: nothing lies below its offset."""
    return Mapping(tuple(shape), LayoutStrideRelaxed(strides, offset))


def lifted(shape, strides, offset=0):
    """Mapping that is moved up until nothing lies below 0, and how far that is."""
    lift = below(shape, strides)
    return strided(shape, strides, offset + lift), lift


def filled(mapping, lift=0):
    """View whose elements are their own positions; what lies below 0 has negative ones."""
    return MDView.from_mapping(list(range(-lift, mapping.required_span_size - lift)), mapping)
