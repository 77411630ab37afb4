"""C++: views as arguments and results of functions with ``std::mdspan``; C++ types as text.

`cpp_type` returns the C++ type of a view as text; `mapping_from_cpp` and `view_from_cpp` do the reverse. `function`
wraps a function of a library that ctypes has loaded, so that it takes and returns views. A view is passed as a struct
of the header ``mdview.hpp``, which is in `include_folder`, or as the mdspan itself in the ABI of libc++, libstdc++,
CCCL or Kokkos. `representation` returns the fields of such an object in memory, and `assertions` returns C++ code that
checks them at compile time.
"""

from mdview import _on_first_use

_on_first_use(globals())
