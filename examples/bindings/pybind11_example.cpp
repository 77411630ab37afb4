// Functions for views of mdview, bound by pybind11. It takes arrays of NumPy and buffers:
//
//   numpy.asarray(view, copy=False)   is an array over the memory of the view, on any Python
//   py::buffer                        takes the view itself, from Python 3.12 on, where classes export buffers
//
// `py::array_t<double>` as a parameter takes a view as well, but of one that is not strided it gets a copy. That is
// right for reading and loses what is written; `copy=False` refuses there.

#include <cstdint>
#include <stdexcept>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;

// What a kernel needs: the address of element (0, 0), extents, and strides in elements, which may be negative.
struct Matrix {
  double* data;
  std::int64_t extents[2];
  std::int64_t strides[2];

  double& operator()(std::int64_t i, std::int64_t j) const { return data[i * strides[0] + j * strides[1]]; }
};

static void scale_elements(const Matrix& matrix, double factor) {
  for (std::int64_t i = 0; i < matrix.extents[0]; ++i)
    for (std::int64_t j = 0; j < matrix.extents[1]; ++j)
      matrix(i, j) *= factor;
}

// Both count strides in bytes.
static Matrix matrix_of(const py::buffer_info& info) {
  if (info.ndim != 2 || info.format != py::format_descriptor<double>::format())
    throw py::type_error("a matrix of doubles is needed");
  constexpr std::int64_t size = sizeof(double);
  return {static_cast<double*>(info.ptr),
          {info.shape[0], info.shape[1]},
          {info.strides[0] / size, info.strides[1] / size}};
}

// Multiplies each element in place; `request(true)` refuses what is read-only.
static void scale(const py::object& view, double factor) {
  const py::object asarray = py::module_::import("numpy").attr("asarray");
  const py::array array = asarray(view, py::arg("copy") = false);
  scale_elements(matrix_of(array.request(true)), factor);
}

static void scale_buffer(const py::buffer& view, double factor) {
  scale_elements(matrix_of(view.request(true)), factor);
}

// For reading a copy will do, so any layout is welcome.
static double total(const py::array_t<double>& array) {
  const auto elements = array.unchecked<2>();
  double sum = 0;
  for (py::ssize_t i = 0; i < elements.shape(0); ++i)
    for (py::ssize_t j = 0; j < elements.shape(1); ++j)
      sum += elements(i, j);
  return sum;
}

static py::tuple describe(const py::array_t<double>& array) {
  const Matrix matrix = matrix_of(array.request());
  return py::make_tuple(py::make_tuple(matrix.extents[0], matrix.extents[1]),
                        py::make_tuple(matrix.strides[0], matrix.strides[1]),
                        reinterpret_cast<std::uintptr_t>(matrix.data));
}

PYBIND11_MODULE(pybind11_example, module) {
  module.def("scale", &scale);
  module.def("scale_buffer", &scale_buffer);
  module.def("total", &total);
  module.def("describe", &describe);
}
