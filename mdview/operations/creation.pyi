# Signatures of creation.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from typing import Any, Final, Literal, TypeAlias, TypeVar, TypeVarTuple, overload
from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor
from mdview.layouts.layout import Layout
from mdview.layouts.strided_layout import LayoutRight
from mdview.mappings.mapping import Mapping
from mdview.memory.item_formats import DTypeLike
from mdview.operations.copy_fill_reduce import AnyView
from mdview.views.typing_protocols import ExtentsAndThenValue, ExtentsInOneTuple, DTypeOfElements, LayoutObject, Rank, UnfitFormat, Wanted
from mdview.views.view import MDView

T = TypeVar("T")
E = TypeVar("E", bound="tuple[int, ...]")
S = TypeVar("S", bound="tuple[Any, ...]")
Sizes: TypeAlias = tuple[int, ...]
L = TypeVar("L", bound=Layout)
New: TypeAlias = MDView[T, S, L, DefaultAccessor[T]]
AnyNew: TypeAlias = MDView[Any, Any, Any, DefaultAccessor[Any]]
Source: TypeAlias = MDView[T, S, Layout, Accessor[Any, Any]]
Real: TypeAlias = Literal["d", "f", "e", "<d", ">d", "<f", ">f", "<e", ">e", "float64", "float32", "float16"] | type[float]
Complex: TypeAlias = Literal["Zd", "Zf", "<Zd", ">Zd", "<Zf", ">Zf", "complex128", "complex64"] | type[complex]
Number: TypeAlias = Real | Complex | Literal["?", "bool"]
Letter: TypeAlias = Literal["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N"]
Whole: TypeAlias = Letter | Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] | type[int]
OBJECTS: Final[str]
ARRAYS: Final[frozenset[str]]
B = TypeVar("B")
N0 = TypeVar("N0", bound=int)
N1 = TypeVar("N1", bound=int)
N2 = TypeVar("N2", bound=int)
Ns = TypeVarTuple("Ns")
class _Allocating:
    @overload
    def __call__(self, extents: E, *, dtype: Real = ...) -> New[float, E, LayoutRight]: ...
    @overload
    def __call__(self, extents: E, layout: L, dtype: Real = ...) -> New[float, E, L]: ...
    @overload
    def __call__(self, extents: E, *, dtype: Whole) -> New[int, E, LayoutRight]: ...
    @overload
    def __call__(self, extents: E, layout: L, dtype: Whole) -> New[int, E, L]: ...
    @overload
    def __call__(self, extents: Rank, *, dtype: DTypeLike) -> New[Any, Rank, LayoutRight]: ...
    @overload
    def __call__(self, extents: Rank, layout: L, dtype: DTypeLike) -> New[Any, Rank, L]: ...
    @overload
    def __call__(self, extents: Rank, layout: str, dtype: DTypeLike = ...) -> New[Any, Rank, Layout]: ...
    @overload
    def __call__(self, extents: Sizes, layout: Layout = ..., *, dtype: Wanted[DTypeOfElements]) -> Any: ...
    @overload
    def __call__(self, extents: Sizes, layout: Layout, dtype: Wanted[DTypeOfElements]) -> Any: ...
    @overload
    def __call__(self, extents: Sizes, layout: Wanted[LayoutObject], *rest: object, **named: object) -> Any: ...
    @overload
    def __call__(self, extents: Wanted[ExtentsInOneTuple], *rest: object, **named: object) -> Any: ...

empty: _Allocating

zeros: _Allocating

ones: _Allocating

@overload
def full(extents: E, value: T, *, dtype: Literal['O'] | None = None) -> New[T, E, LayoutRight]: ...
@overload
def full(extents: E, value: T, layout: L, dtype: Literal['O'] | None = None) -> New[T, E, L]: ...
@overload
def full(extents: E, value: float, *, dtype: Real) -> New[float, E, LayoutRight]: ...
@overload
def full(extents: E, value: float, layout: L, dtype: Real) -> New[float, E, L]: ...
@overload
def full(extents: E, value: int, *, dtype: Whole) -> New[int, E, LayoutRight]: ...
@overload
def full(extents: E, value: int, layout: L, dtype: Whole) -> New[int, E, L]: ...
@overload
def full(extents: object, value: str | bytes | complex, layout: object = ..., *, dtype: Whole) -> UnfitFormat: ...
@overload
def full(extents: object, value: str | bytes, layout: object = ..., *, dtype: Number) -> UnfitFormat: ...
@overload
def full(extents: Rank, value: Any, *, dtype: DTypeLike) -> New[Any, Rank, LayoutRight]: ...
@overload
def full(extents: Rank, value: Any, layout: L, dtype: DTypeLike) -> New[Any, Rank, L]: ...
@overload
def full(extents: Rank, value: T, layout: str, dtype: None = None) -> New[T, Rank, Layout]: ...
@overload
def full(extents: Rank, value: Any, layout: str, dtype: DTypeLike) -> New[Any, Rank, Layout]: ...
@overload
def full(extents: Sizes, value: object, layout: Layout = ..., *, dtype: Wanted[DTypeOfElements]) -> Any: ...
@overload
def full(extents: Sizes, value: object, layout: Wanted[LayoutObject], *rest: object, **named: object) -> Any: ...
@overload
def full(extents: Wanted[ExtentsAndThenValue], *rest: object, **named: object) -> Any: ...

class _AllocatingLike:
    @overload
    def __call__(self, view: Source[T, E], layout: None = None) -> New[T, E, Layout]: ...
    @overload
    def __call__(self, view: Source[T, E], layout: L) -> New[T, E, L]: ...
    @overload
    def __call__(self, view: Source[Any, E], layout: Layout | str | None = None, dtype: DTypeLike | None = None) -> New[Any, E, Layout]: ...

empty_like: _AllocatingLike

zeros_like: _AllocatingLike

@overload
def full_like(view: Source[T, E], value: T, layout: None = None) -> New[T, E, Layout]: ...
@overload
def full_like(view: Source[T, E], value: T, layout: L) -> New[T, E, L]: ...
@overload
def full_like(view: Source[Any, E], value: Any, layout: Layout | str | None = None, dtype: DTypeLike | None = None) -> New[Any, E, Layout]: ...

@overload
def relayout(view: Source[T, E], layout: L, dtype: DTypeLike | None = None) -> New[T, E, L]: ...
@overload
def relayout(view: Source[T, E], layout: str, dtype: DTypeLike | None = None) -> New[T, E, Layout]: ...

def copied(view: AnyView) -> AnyNew: ...

def format_of(value: object) -> str: ...

def copy_elements(view: AnyView, made: AnyNew) -> None: ...

def check_elements(view: AnyView, made: AnyNew) -> None: ...

