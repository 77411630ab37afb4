"""The Numba type of a view: all that code depends on; what it does not hold are values (see `mdview.numba.forms`)."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha1
from typing import Any, Final, NoReturn, TypeAlias, final

from mdview.accessors.base import Accessor
from mdview.errors import KernelError
from mdview.layouts.base import Layout
from mdview.numba.access import Access
from mdview.numba.extension import Type, models, register_default, types
from mdview.numba.forms import Form
from mdview.numba.transforms import Known
from mdview.views.view import MDView

# Any: elements and layouts of any kind, known at run time only.
AnyView: TypeAlias = MDView[Any, Any, Layout, Accessor[Any, Any]]

NO_DATA: Final = "a kernel needs data, this is the null view: it never had any, or was moved from or released"


@final
class ViewType(Type):
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
        return self.extents.count(None) + self.form.count + self.access.count

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
        raise KernelError(
            "a view cannot be kept in a list, a set, a dictionary, an object or a generator of a kernel: it would "
            "outlive the argument that keeps its memory alive; keep indices, and make the subview where it is used"
        )
