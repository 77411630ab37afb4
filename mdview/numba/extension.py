"""What this package uses of Numba's extension interface, in one place and as Any: Numba and llvmlite have no types."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from llvmlite import binding as _binding
from llvmlite import ir as _ir
from numba import njit as _njit
from numba.core import cgutils as _cgutils
from numba.core import errors as _errors
from numba.core import imputils as _imputils
from numba.core import pythonapi as _pythonapi
from numba.core import types as _types
from numba.core.datamodel import models as _models
from numba.core.datamodel import registry as _registry
from numba.core.registry import cpu_target as _cpu_target
from numba.core.typing import templates as _templates
from numba.core.typing import typeof as _typeof
from numba.cpython import slicing as _slicing
from numba.np import numpy_support as _numpy_support

NumbaType: TypeAlias = Any
"""The type of a value in a kernel."""
Builder: TypeAlias = Any
"""What writes instructions."""
LLVMValue: TypeAlias = Any
"""A value that instructions compute."""

binding: Any = _binding
ir: Any = _ir
njit: Any = _njit
cgutils: Any = _cgutils
errors: Any = _errors
types: Any = _types
models: Any = _models
slicing: Any = _slicing

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

lower_builtin: Any = _imputils.lower_builtin
lower_constant: Any = _imputils.lower_constant
lower_cast: Any = _imputils.lower_cast
lower_getattr: Any = _imputils.lower_getattr
NativeValue: Any = _pythonapi.NativeValue
box: Any = _pythonapi.box
unbox: Any = _pythonapi.unbox
register_default: Any = _registry.register_default
AbstractTemplate: Any = _templates.AbstractTemplate
AttributeTemplate: Any = _templates.AttributeTemplate
bound_function: Any = _templates.bound_function
infer_getattr: Any = _templates.infer_getattr
infer_global: Any = _templates.infer_global
signature: Any = _templates.signature
Purpose: Any = _typeof.Purpose
typeof_impl: Any = _typeof.typeof_impl
INT64: Any = _ir.IntType(64)
as_dtype: Any = _numpy_support.as_dtype


@cache
def typing_context() -> Any:
    """What knows the types of functions, also of those that Numba has not met yet since nothing was compiled."""
    found: Any = _cpu_target.typing_context
    found.refresh()
    return found
