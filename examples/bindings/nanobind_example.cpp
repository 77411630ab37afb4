// Functions for views of mdview, bound by nanobind. A view comes through DLPack, without a copy: `nb::ndarray` has the
// pointer of element (0, 0), the shape, and strides that count elements, as mdview and std::mdspan count them. Strides
// may be negative. What is not strided, or of another element type, does not match, and a view that is read-only
// matches only where the element type is const.

#include <cstdint>
#include <stdexcept>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#if __has_include(<mdspan>)
#  include <array>
#  include <mdspan>
#endif

namespace nb = nanobind;

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::device::cpu>;
using ConstMatrix = nb::ndarray<const double, nb::ndim<2>, nb::device::cpu>;

// Multiplies each element in place, whatever the strides are.
static void scale(Matrix matrix, double factor) {
  auto elements = matrix.view();
  for (std::int64_t i = 0; i < elements.shape(0); ++i)
    for (std::int64_t j = 0; j < elements.shape(1); ++j)
      elements(i, j) *= factor;
}

static double total(ConstMatrix matrix) {
  auto elements = matrix.view();
  double sum = 0;
  for (std::int64_t i = 0; i < elements.shape(0); ++i)
    for (std::int64_t j = 0; j < elements.shape(1); ++j)
      sum += elements(i, j);
  return sum;
}

// Shape, strides and the address of element (0, 0), as C++ sees them.
static nb::tuple describe(ConstMatrix matrix) {
  return nb::make_tuple(nb::make_tuple(matrix.shape(0), matrix.shape(1)),
                        nb::make_tuple(matrix.stride(0), matrix.stride(1)),
                        reinterpret_cast<std::uintptr_t>(matrix.data()));
}

#if defined(__cpp_lib_mdspan)
// The same memory as a std::mdspan: each element becomes what the function of its index is.
static void number(Matrix matrix) {
  using Extents = std::dextents<std::int64_t, 2>;
  if (matrix.size() != 0 && (matrix.stride(0) <= 0 || matrix.stride(1) <= 0))
    throw std::invalid_argument("std::layout_stride takes positive strides");
  const Extents extents(matrix.shape(0), matrix.shape(1));
  const std::array<std::int64_t, 2> strides{matrix.stride(0), matrix.stride(1)};
  const std::mdspan view(matrix.data(), std::layout_stride::mapping(extents, strides));
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < view.extent(1); ++j)
      view[i, j] = static_cast<double>(10 * i + j);
}
#endif

NB_MODULE(nanobind_example, module) {
  module.def("scale", &scale);
  module.def("total", &total);
  module.def("describe", &describe);
#if defined(__cpp_lib_mdspan)
  module.def("number", &number);
#endif
}
