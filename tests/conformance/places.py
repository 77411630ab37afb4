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


def facts(mapping):
    """What cases ask of a mapping, under each of the names that they have for it; strides if there are any."""
    span, offsets = mapping.required_span_size, list(mapping.offsets())
    strides = {"strides": mapping.strides} if mapping.is_strided else {}
    return strides | {
        "accepted": True,
        **dict.fromkeys(("required_span_size", "required_span", "span", "span_min"), span),
        **dict.fromkeys(("is_exhaustive", "is_exhaustive_of_required_span"), mapping.is_exhaustive),
        **dict.fromkeys(("positions", "table"), offsets),
        "is_unique": mapping.is_unique,
        "is_strided": mapping.is_strided,
        "is_regular": mapping.is_always_strided,
        "extents": [int(e) for e in mapping.extents],
        "static_extents": mapping.static_extents,
        "rank": mapping.rank,
        "size": mapping.size,
    }
