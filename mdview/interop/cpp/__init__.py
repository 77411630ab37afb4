"""C++: views go to functions that take ``std::mdspan``, and come back; types are read and written as text.

`cpp_type` spells the C++ type of a view, `mapping_from_cpp` and `view_from_cpp` read one. `function` makes a function
of a library, loaded with ctypes, one that takes views: through the struct of the header ``mdview.hpp``, whose folder
`include_folder` names, or as the mdspan itself in the ABI of libc++, libstdc++, CCCL or Kokkos. `representation` tells
what such an object looks like in memory, `assertions` make sure of it at compile time.
"""

from mdview import _on_first_use

_on_first_use(
    globals(),
    cpp_marshalling="cpp_type element_format mapping_from_cpp view_from_cpp",
    mdspan_abi="Field Representation assertions include_folder representation",
    cpp_functions="Function function",
)
