# Signatures of reading.py for type checkers: a table of overloads, one a line.
#
# Overloads go from the narrow source to the wide one, so they overlap by design.
# mypy: disable-error-code="overload-overlap"
# pyright: reportOverlappingOverload=false

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeVar, overload
from mdview.accessors.base import Accessor
from mdview.accessors.policies import DefaultAccessor, ReadOnlyAccessor
from mdview.interop.files.headers import AnyView
from mdview.layouts.base import Layout
from mdview.views.protocols import AnyRank
from mdview.views.view import MDView

WAY: Final[str]
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

