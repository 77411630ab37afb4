"""What this package uses of Numba's extension interface, in one place and as Any: Numba and llvmlite have no types."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from traceback import walk_stack
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from llvmlite import binding as _binding
from llvmlite import ir as _ir
from numba import njit as _njit
from numba.core import cgutils as _cgutils
from numba.core import errors as _errors
from numba.core import imputils as _imputils
from numba.core import ir as _numba_ir
from numba.core import pythonapi as _pythonapi
from numba.core import types as _types
from numba.core.datamodel import models as _models
from numba.core.datamodel import registry as _registry
from numba.core.typeconv.castgraph import Conversion as _Conversion
from numba.core.typing import templates as _templates
from numba.core.typing import typeof as _typeof
from numba.cpython import slicing as _slicing
from numba.np import numpy_support as _numpy_support

from mdview.errors import KernelError

NumbaType: TypeAlias = Any
"""The type of a value in a kernel."""
Builder: TypeAlias = Any
"""What writes instructions."""
LLVMValue: TypeAlias = Any
"""A value that instructions compute."""
Values: TypeAlias = tuple[LLVMValue, ...]

binding: Any = _binding
ir: Any = _ir
njit: Any = _njit
cgutils: Any = _cgutils
errors: Any = _errors
imputils: Any = _imputils
models: Any = _models
pythonapi: Any = _pythonapi
slicing: Any = _slicing
templates: Any = _templates
typeof: Any = _typeof
types: Any = _types
register_default: Any = _registry.register_default
as_dtype: Any = _numpy_support.as_dtype
Conversion: Any = _Conversion
INT64: Any = _ir.IntType(64)

if TYPE_CHECKING:

    class Type:
        """What the types of values in kernels derive from."""

        name: str
        _code: int

        def __init__(self, name: str) -> None: ...

    class Dummy(Type):
        """What the types of values without a representation derive from."""

else:
    Type, Dummy = _types.Type, _types.Dummy


def template(key: object, result: Callable[..., NumbaType]) -> Any:
    """Return what tells Numba the type of an operation.

    ``result`` gives it by the typing context and the types of the arguments, that of a method's object first; None
    where they are none of its own. A TypingError of it becomes a KernelError, to which Numba adds nothing.
    """

    class Template(templates.AbstractTemplate):
        # Numba asks templates of a target before generic ones: its own would load a reference, and add without a step.
        metadata: ClassVar[dict[str, str]] = {"target": "cpu"}

        def generic(self, args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> NumbaType:
            """Signature for arguments of these types."""
            own = getattr(self, "this", None)
            with _located(args):
                found = result(self.context, *([] if own is None else [own]), *args, **named)
            return found and templates.signature(found, *args, recvr=own)

    Template.key = key
    return Template


def attributes(kind: type, what: str, names: Iterable[str], resolve: Callable[[NumbaType, str], NumbaType]) -> None:
    """Tell Numba the types of attributes and methods of values of some type: those that ``resolve`` gives by name."""

    class Attributes(templates.AttributeTemplate):
        def generic_resolve(self, given: NumbaType, name: str) -> NumbaType:
            """Type of the attribute of that name."""
            with _located():
                if name in names:
                    return resolve(given, name)
                raise errors.TypingError(f"a kernel has no attribute {name} of {what}, but {', '.join(sorted(names))}")

    Attributes.key = kind
    templates.infer_getattr(Attributes)


@contextmanager
def _located(args: tuple[NumbaType, ...] = ()) -> Iterator[None]:
    """Raise a KernelError of one line for a TypingError, to which Numba would add twenty.

    It names the place that the frames of Numba's type inference know.
    """
    try:
        yield
    except errors.TypingError as error:
        if types.none in args:  # a variable may turn out to be optional
            raise
        frames = [frame.f_locals.get("loc") for frame, _ in walk_stack(None)]
        places = [each for each in frames if isinstance(each, _numba_ir.Loc)]
        at = f" ({PurePath(places[0].filename).name}, line {places[0].line})" if places else ""
        raise KernelError(f"{error}{at}") from None
