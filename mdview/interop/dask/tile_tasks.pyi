# Signatures of tile_mapping.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, final, overload
from mdview.interop.dask.dask_arrays import Block, Box, Chunks, Get, Halo
from mdview.interop.files.npy_headers import AnyView

V = TypeVar("V")

@overload
def map_tiles(f: Callable[..., Any], *views: AnyView, out: None = None, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: bool = True) -> Any: ...
@overload
def map_tiles(f: Callable[..., Any], *views: AnyView, out: V, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: Literal[True] = True) -> V: ...
@overload
def map_tiles(f: Callable[..., Any], *views: AnyView, out: object, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: bool) -> Any: ...

def scheduler_of(given: object) -> Get: ...

@final
class TileWork:
    __slots__ = ("__name__", "_dtype", "_function")
    __name__: str
    def __init__(self, function: Callable[..., Any], dtype: Any, name: str) -> None: ...
    def __call__(self, box: Box, inner: tuple[slice, ...] | None, target: Block | None, *blocks: Block) -> Any: ...
    def _fitting(self, result: Any, box: Box, shape: Any, inner: Any, grown: Any) -> Any: ...

@final
class Output:
    given: Any
    extents: tuple[int, ...]
    dtype: Any
    tile: Any
    is_view: bool
    whole: Any
    def __init__(self, given: Any) -> None: ...
    def check(self, views: Sequence[AnyView], halo: Halo, chunks: Chunks, get: Get, *, once: bool) -> None: ...

def tile_text(box: Box) -> str: ...
@final
class _Plan(NamedTuple):
    views: Sequence[AnyView]
    extents: tuple[int, ...]
    chunks: Chunks
    halo: Halo
    output: Output | None

