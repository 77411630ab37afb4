"""The parts of Numba's and llvmlite's extension interfaces that the package uses, typed as Any."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from traceback import walk_stack
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import llvmlite.binding
import llvmlite.ir
import numba
import numba.cpython.slicing

from mdview.errors import KernelError

NumbaType: TypeAlias = Any
"""The type of a value in a kernel."""
LLVMBuilder: TypeAlias = Any
"""The builder of LLVM instructions."""
LLVMValue: TypeAlias = Any
"""A value that instructions compute."""
Values: TypeAlias = tuple[LLVMValue, ...]

_llvmlite: Any = llvmlite
_numba: Any = numba
_core: Any = _numba.core

binding: Any = _llvmlite.binding
ir: Any = _llvmlite.ir
njit: Any = _numba.njit
cgutils: Any = _core.cgutils
errors: Any = _core.errors
imputils: Any = _core.imputils
models: Any = _core.datamodel.models
pythonapi: Any = _core.pythonapi
slicing: Any = _numba.cpython.slicing
templates: Any = _core.typing.templates
typeof: Any = _core.typing.typeof
types: Any = _core.types
register_default: Any = _core.datamodel.registry.register_default
as_dtype: Any = _numba.np.numpy_support.as_dtype
Conversion: Any = _core.typeconv.castgraph.Conversion
INT64: Any = ir.IntType(64)
BYTE: Any = ir.IntType(8)

if TYPE_CHECKING:

    class Type:
        """The base class of types of values in kernels."""

        name: str
        _code: int

        def __init__(self, name: str) -> None: ...

    class Dummy(Type):
        """The base class of types of values without a representation."""

else:
    Type, Dummy = types.Type, types.Dummy


def typing_template(key: object, result: Callable[..., NumbaType]) -> Any:
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
        if args and args[-1] == types.none:  # the variable of a value may turn out to be optional
            raise
        frames: list[Any] = [frame.f_locals.get("loc") for frame, _ in walk_stack(None)]
        places = [each for each in frames if isinstance(each, _core.ir.Loc)]
        at = f" ({PurePath(places[0].filename).name}, line {places[0].line})" if places else ""
        raise KernelError(f"{error}{at}") from None
