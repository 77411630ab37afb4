# Signatures of reading.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeVar, final, overload
from mdview.accessors.accessor import Accessor
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.base.frozen_values import value
from mdview.views.derived_views import AnyView
from mdview.layouts.layout import Layout
from mdview.layouts.strided_layout import StridedLayout
from mdview.memory.data_types import DType
from mdview.views.typing_protocols import AnyRank
from mdview.views.view import MDView

MISSING: Final[int]
ENTRY: Final[int]
NUMBERS: Final[set[str]]
METADATA: Final[tuple[str, ...]]
MOST_METADATA: Final[int]
NAMED: Final[int]
ENDIANS: Final[dict[str, str]]
MOST_BYTES: Final[int]
V = TypeVar("V")

@overload
def from_zarr(source: Any, *, copy: Literal[False] | None = None, mode: Literal['r'] = 'r', out: None = None) -> MDView[Any, AnyRank, Any, ReadOnlyAccessor[Any]]: ...
@overload
def from_zarr(source: Any, *, copy: Literal[False] | None = None, mode: Literal['r+'], out: None = None) -> MDView[Any, AnyRank, Any, DefaultAccessor[Any]]: ...
@overload
def from_zarr(source: Any, *, copy: Literal[True], mode: Literal['r'] = 'r', out: None = None) -> MDView[Any, AnyRank, Any, DefaultAccessor[Any]]: ...
@overload
def from_zarr(source: Any, *, copy: bool | None, mode: Literal['r'] = 'r', out: None = None) -> MDView[Any, AnyRank, Any, Accessor[Any, Any]]: ...
@overload
def from_zarr(source: Any, *, copy: Literal[True] | None = None, mode: Literal['r'] = 'r', out: V) -> V: ...

@final
@value
class ChunkStorage:
    extents: tuple[int, ...]
    chunk: tuple[int, ...]
    shard: tuple[int, ...]
    items: DType
    inner: StridedLayout
    sharding: Any
    key: Callable[[tuple[int, ...]], str]
    @property
    def nbytes(self) -> int: ...
    @property
    def counts(self) -> tuple[int, ...]: ...
    @property
    def index_is_first(self) -> bool: ...

def opened_array(source: Any) -> Any: ...
def opened_node(source: Any) -> Any: ...
def arrays_in(path: Path) -> Iterator[tuple[str, Any]]: ...
def chunk_sizes(array: Any) -> tuple[Sequence[int], Sequence[int] | None]: ...
def chunk_storage_of(array: Any) -> ChunkStorage: ...
def strides_along(counts: Sequence[int], axes: Sequence[int]) -> tuple[int, ...]: ...
def index_size(form: ChunkStorage) -> int: ...
def index_array(form: ChunkStorage) -> tuple[dict[str, Any], str, Any]: ...
def places_in(data: memoryview, form: ChunkStorage) -> list[int]: ...
def layout_of_chunks(form: ChunkStorage, places: Sequence[int]) -> tuple[Layout, int]: ...
def new_view(extents: tuple[int, ...], layout: Layout, items: DType) -> AnyView: ...
