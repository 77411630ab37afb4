"""Kinds: descriptions of the C++ types of extents, mappings, accessors and views, to which the conversion rules apply.

Static extents and a static padding are part of a kind; dynamic extents and a dynamic padding are not. mdview computes
with Python ints; the *index type* of a kind is the C++ integer type that stands for them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Final, Generic, Literal, TypeAlias, TypeGuard, final, overload

from typing_extensions import TypeVar

from mdview.accessors.accessor import Accessor, Wrapper, Writable
from mdview.accessors.policies import AlignedAccessor, MemorySpaceAccessor, ReadOnlyAccessor
from mdview.base import answer_calls, as_entries, as_integer, as_text, brief, kind_text, replace, value
from mdview.errors import ConversionError, ExtentsError
from mdview.index.extents import static_extents
from mdview.layouts.explicit_strides import LayoutStride, LayoutStrideRelaxed
from mdview.layouts.layout import Layout, as_layout
from mdview.layouts.strided_layout import LayoutLeft, LayoutLeftPadded, LayoutRight, LayoutRightPadded, static_padding
from mdview.mappings.mapping import L, Mapping
from mdview.views.view import MDView

L_co = TypeVar("L_co", bound=Layout, covariant=True, default=Layout)

Pattern: TypeAlias = tuple[int | None, ...]
"""Extents as a target: ``dim(n)`` is static, None is dynamic; a plain int is dynamic and must equal the extent."""

INDEX_TYPES: Final[dict[str, int]] = {
    **{f"int{bits}": 2 ** (bits - 1) - 1 for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": 2**bits - 1 for bits in (8, 16, 32, 64)},
}
"""The index types and their largest values."""


@final
class Conversion(StrEnum):
    """Whether a conversion from one kind to another is implicit, explicit, or does not exist."""

    IMPLICIT = "implicit"
    """The source guarantees by its type everything that the target requires."""
    EXPLICIT = "explicit"
    """The caller must request the conversion, for example because the value must meet a precondition."""
    NONE = "none"
    """The conversion does not exist."""


@final
@value
class ExtentsKind:
    """The type of extents, C++ ``std::extents<index_type, static...>``.

    Raises
    ------
    ConversionError
        ``index_type`` is not the name of an index type.
    ExtentsError
        A static extent is negative or exceeds the index type.
    """

    static: Pattern
    """The static extent of each dimension; None for a dynamic extent."""
    index_type: str = "int64"

    def __post_init__(self) -> None:
        """Check that the index type exists and holds every static extent."""
        if self.index_type not in tuple(INDEX_TYPES):
            raise ConversionError(f"an index type is one of {', '.join(INDEX_TYPES)}, got {brief(self.index_type)}")
        checked = tuple(
            [
                None if s is None else int(as_integer(s, "a static extent"))
                for s in as_entries(self.static, "static extents")
            ]
        )
        for r, s in enumerate(checked):
            if s is not None and not 0 <= s <= self.largest:
                raise ExtentsError(
                    f"static extent {as_text(s)} of dimension {r} is no {self.index_type} between 0 and {self.largest}"
                )
        object.__setattr__(self, "static", checked)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.static)

    @property
    def largest(self) -> int:
        """The largest value of the index type."""
        return INDEX_TYPES[self.index_type]

    def __str__(self) -> str:
        """Return ``(3, None)``, with the index type unless it is ``int64``."""
        return (
            f"{as_text(self.static)}" if self.index_type == "int64" else f"{as_text(self.static)} of {self.index_type}"
        )


Family: TypeAlias = Literal["dense", "padded", "stride", "relaxed", "other"]
"""A group of layouts with the same rules in the C++26 draft; ``"other"`` contains the layouts outside of the draft."""

FIRST: Final = 0
LAST: Final = -1
_FAMILIES: Final[dict[type[Layout], tuple[Family, int | None]]] = {
    LayoutLeft: ("dense", FIRST),
    LayoutRight: ("dense", LAST),
    LayoutLeftPadded: ("padded", FIRST),
    LayoutRightPadded: ("padded", LAST),
    LayoutStride: ("stride", None),
    LayoutStrideRelaxed: ("relaxed", None),
}
"""The family of each layout and, for dense and padded layouts, the dimension with stride 1."""


@final
@value
class MappingKind(Generic[L_co]):
    """The type of a mapping, C++ ``Layout::mapping<Extents>``.

    ``padding`` is the static padding of a padded layout; None if it is dynamic or absent. The rules use
    ``always_unique`` and ``always_strided`` for layouts outside of the standard only; `kind_of` sets them.

    Raises
    ------
    ConversionError
        ``layout`` is not a class of layouts, or a layout that is not padded has a padding.
    """

    layout: type[L_co]
    extents: ExtentsKind
    padding: int | None = None
    always_unique: bool = False
    always_strided: bool = False

    def __post_init__(self) -> None:
        """Check that the layout is a class of layouts, and that only a padded layout has a padding."""
        layout: object = self.layout
        if not (isinstance(layout, type) and issubclass(layout, Layout)):
            raise ConversionError(f"the layout of a kind is a class of layouts, got {brief(self.layout)}")
        _check_part("extents", self.extents, ExtentsKind)
        if self.padding is not None:
            if self.family != "padded":
                raise ConversionError(f"{self.layout.__name__} has no padding, got {brief(self.padding)}")
            object.__setattr__(self, "padding", int(as_integer(self.padding, "a padding")))

    @property
    def family(self) -> Family:
        """The family of the layout."""
        return _FAMILIES.get(self.layout, ("other", None))[0]

    @property
    def unit(self) -> int | None:
        """The dimension with stride 1 of a dense or padded layout, 0 or -1; None for other layouts."""
        return _FAMILIES.get(self.layout, ("other", None))[1]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return self.extents.rank

    def __str__(self) -> str:
        """Return ``LayoutRight over (3, None)``."""
        padding = "" if self.padding is None else f"(dim({as_text(self.padding)}))"
        return f"{self.layout.__name__}{padding} over {self.extents}"


@final
@value
class AccessorKind:
    """The type of an accessor: the name of its policy, its element type, and the kind of the accessor that it wraps.

    ``element`` names the element type, and ``const`` means that elements cannot be stored. ``alignment``, in bytes,
    belongs to the policy ``"aligned"``, and ``space`` to ``"memory_space"``. A wrapper with ``inner`` None wraps the
    policy ``"default"``.
    """

    policy: str = "default"
    element: str = ""
    const: bool = False
    alignment: int | None = None
    space: str | None = None
    inner: AccessorKind | None = None

    def __str__(self) -> str:
        """Return ``aligned 16 default``, after ``const`` if elements cannot be stored."""
        words = [self.policy, self.alignment, self.space, self.inner and str(replace(self.inner, const=False))]
        return " ".join([*(["const"] if self.const else []), *[as_text(word) for word in words if word is not None]])


@final
@value
class ViewKind:
    """The type of a view, C++ ``std::mdspan``: the kinds of its mapping and its accessor."""

    mapping: MappingKind
    accessor: AccessorKind

    def __post_init__(self) -> None:
        """Check that both parts are kinds."""
        _check_part("mapping", self.mapping, MappingKind)
        _check_part("accessor", self.accessor, AccessorKind)

    def __str__(self) -> str:
        """Return ``LayoutRight over (3, None), default access``."""
        return f"{self.mapping}, {self.accessor} access"


Kind: TypeAlias = ExtentsKind | MappingKind | AccessorKind | ViewKind


def _check_part(name: str, part: object, kind: type) -> None:
    if not isinstance(part, kind):
        raise ConversionError(
            f"the {name} of a kind must be an instance of {kind.__name__}, got {kind_text(part)}; see kind_of"
        )


def extents_kind(extents: Iterable[int | None], index_type: str = "int64") -> ExtentsKind:
    """Return the kind of extents or of a `Pattern`: ``dim(n)`` is static, None and plain ints are dynamic."""
    entries = [0 if e is None else as_integer(e, "an extent") for e in as_entries(extents, "extents")]
    return ExtentsKind(static_extents(entries), index_type)


AnyView: TypeAlias = MDView[Any, Any, Any, Any]
AnyAccessor: TypeAlias = Accessor[Any, Any]  # Any, here and above: a kind has the element type by name


@overload
def kind_of(value: Pattern) -> ExtentsKind: ...
@overload
def kind_of(value: Mapping[tuple[int, ...], L]) -> MappingKind[L]: ...
@overload
def kind_of(value: AnyAccessor) -> AccessorKind: ...
@overload
def kind_of(value: AnyView) -> ViewKind: ...
@overload
def kind_of(value: object) -> Kind: ...
@answer_calls
def kind_of(value: object) -> Kind:
    """Return the kind of extents, a mapping, an accessor or a view: the description of its C++ type.

    Extents may be a `Pattern`, in which None is a dynamic extent without a value.

    Raises
    ------
    ConversionError
        ``value`` is neither extents nor a mapping, an accessor or a view.

    >>> from mdview.index.extents import dim
    >>> kind_of((dim(3), 4))
    ExtentsKind(static=(3, None), index_type='int64')
    """
    if isinstance(value, tuple):
        return extents_kind(value)
    if isinstance(value, Mapping):
        return _mapping_kind(value)
    if isinstance(value, Accessor):
        return accessor_kind(value)
    if isinstance(value, MDView):
        return ViewKind(_mapping_kind(value.mapping), accessor_kind(value.accessor, value.format))
    raise ConversionError(f"only extents, mappings, accessors and views have a kind, got {brief(value)}")


def _mapping_kind(mapping: Mapping[tuple[int, ...], L]) -> MappingKind[L]:
    padding = static_padding(getattr(mapping.layout, "padding", None))
    kind = MappingKind(type(mapping.layout), extents_kind(mapping.extents), padding)
    if kind.family != "other":
        return kind
    return replace(kind, always_unique=mapping.is_always_unique, always_strided=mapping.is_always_strided)


def accessor_kind(accessor: AnyAccessor, element: str = "", *, const: bool = False) -> AccessorKind:
    """Return the kind of an accessor for elements of the type that ``element`` names."""
    const = const or not isinstance(accessor, Writable)
    if isinstance(accessor, ReadOnlyAccessor):
        return accessor_kind(accessor.inner, element, const=True)
    return AccessorKind(
        policy=_policy_name(type(accessor)),
        element=element,
        const=const,
        alignment=accessor.alignment if isinstance(accessor, AlignedAccessor) else None,
        space=accessor.space if isinstance(accessor, MemorySpaceAccessor) else None,
        inner=accessor_kind(accessor.inner, element, const=const) if isinstance(accessor, Wrapper) else None,
    )


def _policy_name(kind: type[AnyAccessor]) -> str:
    """Return the name of a class of accessors: ``"random_access"`` in this package, else its qualified name."""
    if not kind.__module__.startswith("mdview."):
        return f"{kind.__module__}.{kind.__qualname__}"
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__.removesuffix("Accessor")).lower()


def target_kind(source: Kind, target: object, extents: Pattern | None = None) -> Kind:
    """Return the kind that a target denotes; parts that the target does not name are taken from ``source``.

    Raises
    ------
    ConversionError
        ``target`` is neither a kind of the same class as ``source`` nor a part of such a kind.
    """
    mapping = source.mapping if isinstance(source, ViewKind) else source
    part: object = target
    target = as_layout("a layout is", target) if isinstance(target, str) else target
    if isinstance(mapping, MappingKind) and is_layout(target):
        pattern = mapping.extents if extents is None else extents_kind(extents)
        kind = target if isinstance(target, type) else type(target)
        part = MappingKind(kind, pattern, static_padding(getattr(target, "padding", None)))
    elif isinstance(source, ViewKind) and isinstance(target, Accessor):
        part = accessor_kind(target, source.accessor.element)
    elif not isinstance(target, Kind | type):
        part = kind_of(target)
    if (completed := _embedded(source, part)) is not None and (extents is None or is_layout(target)):
        return completed
    what = target if extents is None else (target, extents)
    sort, targets = _SORTS[type(source)]
    raise ConversionError(f"{sort} convert to {targets}, got {brief(what)}")


def is_layout(target: object) -> TypeGuard[Layout | type[Layout]]:
    """Tell whether a target is a layout or a class of layouts."""
    return isinstance(target, Layout) or (isinstance(target, type) and issubclass(target, Layout))


_SORTS: Final[dict[type, tuple[str, str]]] = {
    ExtentsKind: ("extents", "extents such as (dim(3), None) or an ExtentsKind"),
    MappingKind: ("mappings", "a layout, extents, both, a mapping or a MappingKind"),
    AccessorKind: ("accessors", "an accessor or an AccessorKind"),
    ViewKind: ("views", "a layout, extents, both, an accessor, a view or a ViewKind"),
}


def _embedded(whole: Kind, part: object) -> Kind | None:
    """Return ``whole`` with one of its parts replaced by ``part``, or ``part`` itself if it is a kind of the whole.

    The result is None if ``part`` is neither a part nor a kind of the same class as ``whole``.
    """
    if isinstance(whole, ViewKind) and isinstance(part, AccessorKind):
        return replace(whole, accessor=part)
    if isinstance(whole, ViewKind) and isinstance(part, MappingKind | ExtentsKind):
        return replace(whole, mapping=_embedded(whole.mapping, part))
    if isinstance(whole, MappingKind) and isinstance(part, ExtentsKind):
        return replace(whole, extents=part)
    return part if type(part) is type(whole) else None
