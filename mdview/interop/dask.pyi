# Signatures of the package for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload
from mdview.views.typing_protocols import AnySource

V = TypeVar("V")

@overload
def map_tiles(f: Callable[..., Any], *views: AnySource, out: None = None, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: bool = True) -> Any: ...
@overload
def map_tiles(f: Callable[..., Any], *views: AnySource, out: V, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: Literal[True] = True) -> V: ...
@overload
def map_tiles(f: Callable[..., Any], *views: AnySource, out: object, halo: int | Sequence[int] = 0, boundary: Any = "none", chunks: Any = None, dtype: Any = None, scheduler: Any = None, compute: bool) -> Any: ...
def to_dask(view: AnySource, chunks: Any = None) -> Any: ...
