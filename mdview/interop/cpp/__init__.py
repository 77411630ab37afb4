"""C++: views go to functions that take ``std::mdspan``, and come back; types are read and written as text.

`cpp_type` spells the C++ type of a view, `mapping_from_cpp` and `view_from_cpp` read one. `function` makes a function
of a library, loaded with ctypes, one that takes views: through the struct of the header ``mdview.hpp``, whose folder
`include_folder` names, or as the mdspan itself in the ABI of libc++, libstdc++, CCCL or Kokkos. `representation` tells
what such an object looks like in memory, `assertions` make sure of it at compile time. Begin with `ctypes_calls`.
"""

from mdview.interop.cpp.cpp_marshalling import cpp_type, element_format, mapping_from_cpp, view_from_cpp
from mdview.interop.cpp.ctypes_calls import Function, function
from mdview.interop.cpp.mdspan_abi import Field, Representation, assertions, include_folder, representation

__all__ = [
    "Field",
    "Function",
    "Representation",
    "assertions",
    "cpp_type",
    "element_format",
    "function",
    "include_folder",
    "mapping_from_cpp",
    "representation",
    "view_from_cpp",
]
