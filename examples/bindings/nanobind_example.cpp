// Functions for views of mdview, bound by nanobind. A view comes through DLPack, without a copy: `nb::ndarray` has the
// pointer of element (0, 0), the shape, and strides that count elements, as mdview and std::mdspan count them. Strides
// may be negative.
//
// A function that writes says so: `noconvert`, or nanobind would convert other element types and write into the result of
// that. What is not strided, of another element type, or read-only where the element type is not const, is refused.

#include <cstdint>
#include <stdexcept>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#if __has_include(<mdspan>)
#  include <array>
#  include <mdspan>
namespace md = std;
#  define HAS_MDSPAN
#elif __has_include(<cuda/std/mdspan>)  // CCCL's, for libraries that have none yet
#  include <cuda/std/array>
#  include <cuda/std/mdspan>
namespace md = cuda::std;
#  define HAS_MDSPAN
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

#if defined(HAS_MDSPAN)
// The same memory as an mdspan: each element becomes ten times its row plus its column.
static void number(Matrix matrix) {
  using Index = md::array<std::int64_t, 2>;
  using Extents = md::dextents<std::int64_t, 2>;
  if (matrix.size() != 0 && (matrix.stride(0) <= 0 || matrix.stride(1) <= 0))
    throw std::invalid_argument("std::layout_stride takes positive strides");
  const md::layout_stride::mapping<Extents> mapping(Extents(matrix.shape(0), matrix.shape(1)),
                                                    Index{matrix.stride(0), matrix.stride(1)});
  const md::mdspan<double, Extents, md::layout_stride> view(matrix.data(), mapping);
  for (std::int64_t i = 0; i < view.extent(0); ++i)
    for (std::int64_t j = 0; j < view.extent(1); ++j)
      view[Index{i, j}] = static_cast<double>(10 * i + j);
}
#endif

NB_MODULE(nanobind_example, module) {
  module.def("scale", &scale, nb::arg("matrix").noconvert(), nb::arg("factor"));
  module.def("total", &total, nb::arg("matrix"));
  module.def("describe", &describe, nb::arg("matrix").noconvert());
#if defined(HAS_MDSPAN)
  module.def("number", &number, nb::arg("matrix").noconvert());
#endif
}
