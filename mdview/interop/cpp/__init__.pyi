# Public names for type checkers: those of `_on_first_use` in __init__.py.

from mdview.interop.cpp.cpp_marshalling import cpp_type, element_format, mapping_from_cpp, view_from_cpp
from mdview.interop.cpp.mdspan_abi import Field, Representation, assertions, include_folder, representation
from mdview.interop.cpp.cpp_functions import Function, function

__all__ = ["Field", "Function", "Representation", "assertions", "cpp_type", "element_format", "function", "include_folder", "mapping_from_cpp", "representation", "view_from_cpp"]
