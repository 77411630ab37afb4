"""The Numba type of a view: all that code depends on. What it does not hold are the values (see `mdview.numba.forms`).

The first time that a view goes into a kernel it is described: its type, and the block that a kernel reads (see
`mdview.numba.blocks`), are kept with the view.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha1
from typing import Any, Final, NoReturn, TypeAlias, final

from mdview.accessors.base import Accessor
from mdview.errors import KernelError
from mdview.index.extents import static_extents
from mdview.layouts.base import Layout
from mdview.numba import access, forms
from mdview.numba.access import Access
from mdview.numba.blocks import Block
from mdview.numba.dtypes import element_type
from mdview.numba.extension import Purpose, models, register_default, typeof_impl, types
from mdview.numba.forms import Form
from mdview.numba.transforms import Known
from mdview.views.base import ViewBase, describe_to_numba, parts_of
from mdview.views.view import MDView

# Any: elements and layouts of any kind, known at run time only.
AnyView: TypeAlias = MDView[Any, Any, Layout, Accessor[Any, Any]]

NO_DATA: Final = "a kernel needs data, this is the null view: it never had any, or was moved from or released"


@final
class ViewType(types.Type):
    """Element type, extents (None where dynamic), form and access."""

    def __init__(self, dtype: Any, extents: Known, form: Form, access: Access) -> None:
        """Make the type; equal parts give the same object."""
        self.dtype = dtype
        self.extents = extents
        self.form = form
        self.access = access
        shape = ", ".join(["?" if e is None else str(e) for e in extents])
        digest = _digest(extents, form, access)
        super().__init__(f"MDView({dtype}, ({shape}), {type(form).__name__}, {access.rule.value}, {digest})")

    @property
    def key(self) -> object:
        """What decides equality."""
        return self.dtype, self.extents, self.form, self.access

    @property
    def ndim(self) -> int:
        """Count the dimensions."""
        return len(self.extents)

    @property
    def count(self) -> int:
        """Count the values."""
        return self.extents.count(None) + self.form.count

    @property
    def fingerprint(self) -> int:
        """Number by which compiled code tells the blocks of this type from others, the same in every process."""
        return int(sha1(self.name.encode(), usedforsecurity=False).hexdigest()[:15], 16)

    @property
    def mangling_args(self) -> tuple[str, tuple[str, ...]]:
        """Name in compiled code."""
        return self.name, ()


@lru_cache(maxsize=1024)
def _digest(extents: Known, form: Form, access: Access) -> str:
    """Tell types apart by a few digits, which are the same in every process."""
    return sha1(repr((extents, form, access)).encode(), usedforsecurity=False).hexdigest()[:12]


@register_default(ViewType)
@final
class ViewModel(models.StructModel):
    """In a kernel: address of offset 0, the Python view that parts come back from (borrowed), and the values."""

    def __init__(self, manager: Any, view: ViewType) -> None:
        """Lay out the struct."""
        members = [
            ("data", types.CPointer(view.dtype)),
            ("parent", types.voidptr),
            ("values", types.UniTuple(types.int64, view.count)),
        ]
        super().__init__(manager, view, members)

    def as_data(self, builder: Any, value: Any) -> NoReturn:
        """Refuse: in a container, a view could outlive the argument that keeps its memory alive."""
        message = (
            "a view cannot be kept in a list, a set, a dictionary, an object or a generator of a kernel: it would "
            "outlive the argument that keeps its memory alive; keep indices, and make the subview where it is used"
        )
        raise KernelError(message)


@typeof_impl.register(ViewBase)
def typeof_view(view: ViewBase, context: Any) -> ViewType:
    """Type of a view that is an argument and has data; describes it once and keeps that with the view."""
    if context.purpose is Purpose.constant:
        message = "a view is no constant of a kernel: a compiled kernel would outlive it; pass the view as an argument"
        raise KernelError(message)
    storage, origin, mapping, accessor = parts_of(view)
    if storage is None:
        raise KernelError(NO_DATA)
    dtype = element_type(storage)
    if not mapping.size:
        origin = 0  # where there is no element, it does not matter where they would begin
    if not 0 <= origin <= storage.length:
        message = f"{mapping!r} begins at element {origin} of {storage.length}: the layout contradicts itself"
        raise KernelError(message)
    try:
        form, values, first = forms.describe(mapping, storage.length - origin)
    except ValueError as error:  # of a user's layout; Numba would take it for an argument without a type
        message = f"{mapping!r} cannot be described to a kernel: {error}"
        raise KernelError(message) from error
    address = storage.address() + (origin + first) * storage.itemsize
    found = ViewType(dtype, static_extents(mapping.extents), form, access.describe(accessor))
    describe_to_numba(view, Block.of(storage, (found.fingerprint, address, *values)), found._code, found)
    return found
