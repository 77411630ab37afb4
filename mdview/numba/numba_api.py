"""The parts of Numba's and llvmlite's extension interfaces that the package uses; short error messages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from traceback import walk_stack
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import llvmlite
import llvmlite.binding
import llvmlite.ir
import numba
import numba.core.typing.mathdecl
import numba.core.typing.npydecl
import numba.cpython.builtins
import numba.cpython.slicing
import numba.np.arraymath
import numba.np.arrayobj

from mdview.accessors.compiled_accessors import reason
from mdview.base.wrong_calls import refuse_call
from mdview.errors import KernelError, LayoutError, OperandError

NumbaType: TypeAlias = Any
"""A Numba type: the type of a value in a kernel."""
LLVMBuilder: TypeAlias = Any
"""The builder of LLVM instructions."""
LLVMValue: TypeAlias = Any
"""The result of an instruction."""
Typed: TypeAlias = tuple[NumbaType, Callable[..., LLVMValue]]
"""The Numba type of a result, and the function that writes its instructions and returns it."""

_llvmlite: Any = llvmlite
_numba: Any = numba
_core: Any = _numba.core

binding: Any = _llvmlite.binding
ir: Any = _llvmlite.ir
njit: Any = _numba.njit
cgutils: Any = _core.cgutils
errors: Any = _core.errors
OmittedArg: Any = _core.dispatcher.OmittedArg
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

        _code: int

        def __init__(self, name: str) -> None: ...

    class Dummy(Type):
        """The base class of types of values without a representation."""

else:
    Type, Dummy = types.Type, types.Dummy


def typing_template(
    key: object, typed: Callable[..., Typed | None], like: Callable[..., object] | None = None, target: str = "cpu"
) -> Any:
    """Return the template by which Numba determines the type of an operation.

    ``typed`` takes the typing context and the types of the arguments; for a method, the type of the object precedes the
    types of the arguments. It returns None for types that belong to another operation. A `TypingError` that it raises
    becomes a `KernelError`, since Numba would add to the message. ``like`` is the same operation in Python; a call is
    checked against its parameters. Numba tries the templates of ``target`` before the templates of the target
    ``"generic"``.
    """

    class Template(templates.AbstractTemplate):
        def generic(self, args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> NumbaType:
            """Return the signature for arguments of these types."""
            owner = getattr(self, "this", None)
            kinds = args if owner is None else (owner, *args)
            with kernel_errors():
                kinds = _bound(like, kinds, named) if like else kinds
                operation = typed(self.context, *kinds)
            # Numba orders the arguments by these names.
            names = inspect.signature(like) if like and (owner or named) else None
            signature = operation and templates.Signature(operation[0], kinds, None, names)
            return signature.as_method() if signature and owner else signature

    Template.key, Template.metadata = key, {"target": target}
    return Template


def operation_template(
    key: object,
    kind: type,
    unpacked: Callable[..., Any],
    typed: Callable[..., Typed | None],
    like: Callable[..., object] | None = None,
) -> Any:
    """Register the lowering of an operation with a first argument of type ``kind``; return its `typing_template`.

    The function that writes the instructions is called with the result of ``unpacked(context, builder, type, value)``
    for the first argument, and the LLVM values of the other arguments.
    """

    @imputils.lower_builtin(key, kind, types.VarArg(types.Any))
    def _(context: Any, builder: LLVMBuilder, sig: Any, args: tuple[LLVMValue, ...]) -> LLVMValue:
        _, lowered = cast("Typed", typed(context.typing_context, *sig.args))
        return lowered(unpacked(context, builder, sig.args[0], args[0]), *args[1:])

    return typing_template(key, typed, like)


def _bound(like: Callable[..., object], args: tuple[NumbaType, ...], named: dict[str, NumbaType]) -> Any:
    """Return the types of arguments, a tuple, in the order of the parameters of a function."""
    try:
        return inspect.signature(like).bind(*args, **named).args
    except TypeError:
        refuse_call(like, args, named)


def attributes(kind: type, what: str, names: Iterable[str], resolve: Callable[[NumbaType, str], NumbaType]) -> None:
    """Register the attributes and methods ``names`` of a Numba type; ``resolve`` returns the type of each."""

    class Attributes(templates.AttributeTemplate):
        def generic_resolve(self, owner: NumbaType, name: str) -> NumbaType:
            """Return the type of an attribute; refuse an unknown attribute, except within `hasattr` or `getattr`.

            Within these two functions, the result for an unknown attribute is None.
            """
            with kernel_errors():
                if name in names:
                    return resolve(owner, name)
                if any(frame.f_globals.get("__name__") == "numba.cpython.builtins" for frame, _ in walk_stack(None)):
                    return None
                raise errors.TypingError(f"a kernel has no attribute {name} of {what}, but {', '.join(sorted(names))}")

    Attributes.key = kind
    templates.infer_getattr(Attributes)


def public_functions() -> dict[Any, NumbaType]:
    """Return the Numba types of Python's and NumPy's functions for kernels, by function."""
    typing = _core.typing
    registries = [templates.builtin_registry, *[module.registry for module in (typing.npydecl, typing.mathdecl)]]
    pairs = [pair for registry in registries for pair in registry.globals]
    return {key: kind for key, kind in pairs if isinstance(kind, types.Function) and _is_public(key)}


def _is_public(function: Any) -> bool:
    home = (getattr(function, "__module__", None) or "numpy").partition(".")[0]  # ufuncs have no module
    return home in {"builtins", "_operator", "math", "numpy"} or function is _numba.prange


def shorten(error: Any) -> None:
    """Shorten the message of a Numba error to the reason and the lines of code. Any: Numba has no static types."""
    code = [line for line in str(error).partition('\nFile "')[2].splitlines() if line.strip()]
    error.patch_message("\n".join([reason(error), *([f'File "{code[0]}', *code[1:4]] if code else [])]))


@contextmanager
def kernel_errors() -> Iterator[None]:
    """Convert a `TypingError` of Numba, and errors of mdview, to a `KernelError` with a message of one line.

    Numba would add twenty lines to the message of a `TypingError`. The new message names the line of the kernel, which
    is found in the frames of Numba's compiler.
    """
    try:
        yield
    except (errors.TypingError, LayoutError, OperandError) as error:
        locations: list[Any] = [getattr(frame.f_locals.get("self"), "loc", None) for frame, _ in walk_stack(None)]
        lines = [(PurePath(at.filename), at.line) for at in locations if isinstance(at, _core.ir.Loc)]
        users = [line for line in lines if PurePath(_numba.__file__).parent not in line[0].parents]
        at = f" ({users[0][0].name}, line {users[0][1]})" if users else ""
        raise KernelError(f"{error}{at}") from None
