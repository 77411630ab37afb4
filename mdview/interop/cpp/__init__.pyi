# The public names, which load on first use.

from mdview.interop.cpp.cpp_marshalling import cpp_type as cpp_type, element_format as element_format, mapping_from_cpp as mapping_from_cpp, view_from_cpp as view_from_cpp
from mdview.interop.cpp.mdspan_abi import Field as Field, Representation as Representation, assertions as assertions, include_folder as include_folder, representation as representation
from mdview.interop.cpp.cpp_functions import Function as Function, function as function
