# Signatures of creation.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from typing import Any, Literal, TypeAlias, TypeVar, overload
from mdview.accessors.policies import DefaultAccessor
from mdview.engines.bulk.progress import Progress
from mdview.layouts.layout import Layout
from mdview.memory.data_types import DTypeLike
from mdview.operations.copy_fill_reduce import AnyView
from mdview.mappings.mapping import E, K, L
from mdview.views.typing_protocols import ExtentsLayoutAndDType, ExtentsValueLayoutAndDType, Source, T, UnfitFormat, Wanted
from mdview.views.view import MDView

AnyNew: TypeAlias = MDView[Any, Any, Any, DefaultAccessor[Any]]
Real: TypeAlias = Literal["d", "f", "e", "<d", ">d", "<f", ">f", "<e", ">e", "float64", "float32", "float16"] | type[float]
Letter: TypeAlias = Literal["b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", "n", "N"]
Whole: TypeAlias = Letter | Literal["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"] | type[int]
Numeric = TypeVar("Numeric", bound=complex)

class _Allocating:
    @overload
    def __call__(self, extents: E, *, dtype: Real = ...) -> MDView[float, E]: ...
    @overload
    def __call__(self, extents: E, layout: L, dtype: Real = ...) -> MDView[float, E, L]: ...
    @overload
    def __call__(self, extents: E, layout: K = ..., *, dtype: Whole) -> MDView[int, E, K]: ...
    @overload
    def __call__(self, extents: E, layout: Layout | str = ..., dtype: DTypeLike = ...) -> MDView[Any, E, Any]: ...
    @overload
    def __call__(self, extents: Wanted[ExtentsLayoutAndDType], *rest: object, **named: object) -> Any: ...

empty: _Allocating

zeros: _Allocating

ones: _Allocating

@overload
def full(extents: E, value: T, *, dtype: Literal['O'] | None = None) -> MDView[T, E]: ...
@overload
def full(extents: E, value: T, layout: L, dtype: Literal['O'] | None = None) -> MDView[T, E, L]: ...
@overload
def full(extents: E, value: float, layout: K = ..., *, dtype: Real) -> MDView[float, E, K]: ...
@overload
def full(extents: E, value: int, layout: K = ..., *, dtype: Whole) -> MDView[int, E, K]: ...
@overload
def full(extents: object, value: str | bytes | complex, layout: object = ..., *, dtype: Real | Whole) -> UnfitFormat: ...
@overload
def full(extents: E, value: T, layout: str, dtype: Literal['O'] | None = None) -> MDView[T, E, Layout]: ...
@overload
def full(extents: E, value: Any, *, dtype: DTypeLike) -> MDView[Any, E]: ...
@overload
def full(extents: E, value: Any, layout: Layout | str, dtype: DTypeLike) -> MDView[Any, E, Any]: ...
@overload
def full(extents: Wanted[ExtentsValueLayoutAndDType], *rest: object, **named: object) -> Any: ...

@overload
def empty_like(view: Source[Any, E], layout: L, dtype: DTypeLike | None = None) -> MDView[Any, E, L]: ...
@overload
def empty_like(view: Source[Any, E], layout: str | None = None, dtype: DTypeLike | None = None) -> MDView[Any, E, Layout]: ...

@overload
def zeros_like(view: Source[Numeric, E], layout: None = None) -> MDView[Numeric, E, Layout]: ...
@overload
def zeros_like(view: Source[Numeric, E], layout: L) -> MDView[Numeric, E, L]: ...
@overload
def zeros_like(view: Source[Any, E], layout: Layout | str | None = None, dtype: DTypeLike | None = None) -> MDView[Any, E, Layout]: ...

@overload
def full_like(view: Source[T, E], value: T, layout: None = None) -> MDView[T, E, Layout]: ...
@overload
def full_like(view: Source[T, E], value: T, layout: L) -> MDView[T, E, L]: ...
@overload
def full_like(view: Source[Any, E], value: Any, layout: Layout | str | None = None, dtype: DTypeLike | None = None) -> MDView[Any, E, Layout]: ...

@overload
def relayout(view: Source[T, E], layout: L, dtype: DTypeLike | None = None, *, progress: Progress = False) -> MDView[T, E, L]: ...
@overload
def relayout(view: Source[T, E], layout: str, dtype: DTypeLike | None = None, *, progress: Progress = False) -> MDView[T, E, Layout]: ...

def format_of(value: object) -> str: ...

def check_elements(view: AnyView, made: AnyNew) -> None: ...

