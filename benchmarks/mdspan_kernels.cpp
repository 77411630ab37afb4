// The loops of `benchmarks.kernels`, written over std::mdspan: what `benchmarks.mdspan` compiles as a peer.
//
// Each kernel is one template; the list at the end makes a C function of it for each layout and kind of extents.
// Extents are arguments throughout; a static one ignores its argument.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mdspan>
#include <type_traits>

using std::size_t;
constexpr size_t dyn = std::dynamic_extent;
template <size_t... N> using ext = std::extents<std::int64_t, N...>;
using index = std::int64_t;

// What the mappings of the layouts below have in common; none of them is strided.
template <class L, class E, bool Unique, bool Exhaustive> struct bound {
  using extents_type = E;
  using index_type = typename E::index_type;
  using size_type = typename E::size_type;
  using rank_type = typename E::rank_type;
  using layout_type = L;
  E ext_;
  constexpr bound() = default;
  constexpr bound(const E& e) : ext_(e) {}
  constexpr const E& extents() const { return ext_; }
  static constexpr bool is_always_unique() { return Unique; }
  static constexpr bool is_always_exhaustive() { return Exhaustive; }
  static constexpr bool is_always_strided() { return false; }
  static constexpr bool is_unique() { return Unique; }
  static constexpr bool is_exhaustive() { return Exhaustive; }
  static constexpr bool is_strided() { return false; }
};

// Tiles of T x T elements, tiles and elements in row order.
template <index T> struct layout_tiled {
  template <class E> struct mapping : bound<layout_tiled, E, true, false> {
    using mapping::bound::bound;
    constexpr index across() const { return (this->ext_.extent(1) + T - 1) / T; }
    constexpr index required_span_size() const { return ((this->ext_.extent(0) + T - 1) / T) * across() * T * T; }
    template <class I, class J> constexpr index operator()(I i, J j) const {
      std::uint64_t a = i, b = j, t = T;
      return ((a / t) * std::uint64_t(across()) + b / t) * (t * t) + (a % t) * t + b % t;
    }
  };
};

// Bits of two indices interleaved, `Bits` of each, the last index lowest.
template <int Bits> struct layout_morton {
  template <class E> struct mapping : bound<layout_morton, E, true, false> {
    using mapping::bound::bound;
    constexpr index required_span_size() const { return index(1) << (2 * Bits); }
    template <class I, class J> constexpr index operator()(I i, J j) const {
      std::uint64_t a = i, b = j, place = 0;
      for (int bit = 0; bit < Bits; ++bit)
        place |= ((b >> bit & 1) << (2 * bit)) | ((a >> bit & 1) << (2 * bit + 1));
      return place;
    }
  };
};

// Lower triangle of a symmetric matrix, row by row.
struct layout_symmetric {
  template <class E> struct mapping : bound<layout_symmetric, E, false, true> {
    using mapping::bound::bound;
    constexpr index required_span_size() const { return this->ext_.extent(0) * (this->ext_.extent(0) + 1) / 2; }
    template <class I, class J> constexpr index operator()(I i, J j) const {
      index low = i < j ? i : j, high = i < j ? j : i;
      return low + high * (high + 1) / 2;
    }
  };
};

template <class V> double sum3d(V v) {
  double total = 0;
  for (index i = 0; i < v.extent(0); ++i)
    for (index j = 0; j < v.extent(1); ++j)
      for (index k = 0; k < v.extent(2); ++k) total += v[i, j, k];
  return total;
}

template <class V> double sum2d(V v) {
  double total = 0;
  for (index i = 0; i < v.extent(0); ++i)
    for (index j = 0; j < v.extent(1); ++j) total += v[i, j];
  return total;
}

// One slice after the other, as submdspan(v, i, full_extent, full_extent) makes them.
template <class V> double subview_sum(V v) {
  double total = 0;
  using E = typename V::extents_type;
  using Slice = std::mdspan<double, ext<E::static_extent(1), E::static_extent(2)>, typename V::layout_type>;
  for (index i = 0; i < v.extent(0); ++i) {
    Slice slice(v.data_handle() + v.mapping()(i, 0, 0),
                typename Slice::extents_type(std::array<index, 2>{v.extent(1), v.extent(2)}));
    for (index j = 0; j < slice.extent(0); ++j)
      for (index k = 0; k < slice.extent(1); ++k) total += slice[j, k];
  }
  return total;
}

template <class V> void stencil3d(V v, V out) {
  for (index i = 1; i < v.extent(0) - 1; ++i)
    for (index j = 1; j < v.extent(1) - 1; ++j)
      for (index k = 1; k < v.extent(2) - 1; ++k)
        out[i, j, k] = v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] +
                       v[i, j, k + 1];
}

template <class V> void stencil3d_within(V v, V out, index first, index last) {
  for (index i = first; i < last; ++i)
    for (index j = first; j < last; ++j)
      for (index k = first; k < last; ++k)
        out[i, j, k] = v[i - 1, j, k] + v[i + 1, j, k] + v[i, j - 1, k] + v[i, j + 1, k] + v[i, j, k - 1] +
                       v[i, j, k + 1];
}

template <class V> void tiny_add(V a, V b, V out) {
  for (index n = 0; n < a.extent(0); ++n)
    for (index i = 0; i < a.extent(1); ++i)
      for (index j = 0; j < a.extent(2); ++j) out[n, i, j] = a[n, i, j] + b[n, i, j];
}

template <class V, class X> void matvec(V a, X x, X y) {
  for (index i = 0; i < a.extent(0); ++i) {
    double total = 0;
    for (index j = 0; j < a.extent(1); ++j) total += a[i, j] * x[j];
    y[i] = total;
  }
}

template <class V, class X> void matvec_columns(V a, X x, X y) {
  for (index i = 0; i < a.extent(0); ++i) y[i] = 0;
  for (index j = 0; j < a.extent(1); ++j)
    for (index i = 0; i < a.extent(0); ++i) y[i] += a[i, j] * x[j];
}

template <index T, class V, class X> void matvec_tiles(V a, X x, X y) {
  for (index i = 0; i < a.extent(0); ++i) y[i] = 0;
  for (index p = 0; p < a.extent(0); p += T)
    for (index q = 0; q < a.extent(1); q += T)
      for (index i = p; i < p + T; ++i) {
        double total = 0;
        for (index j = q; j < q + T; ++j) total += a[i, j] * x[j];
        y[i] += total;
      }
}

template <class V> void matmul_ikj(V a, V b, V c) {
  for (index i = 0; i < a.extent(0); ++i) {
    for (index j = 0; j < b.extent(1); ++j) c[i, j] = 0;
    for (index k = 0; k < a.extent(1); ++k)
      for (index j = 0; j < b.extent(1); ++j) c[i, j] += a[i, k] * b[k, j];
  }
}

template <class V> void matmul_ijk(V a, V b, V c) {
  for (index i = 0; i < a.extent(0); ++i)
    for (index j = 0; j < b.extent(1); ++j) {
      double total = 0;
      for (index k = 0; k < a.extent(1); ++k) total += a[i, k] * b[k, j];
      c[i, j] = total;
    }
}

template <class E, class L> auto view(double* data, const index* n) {
  std::array<index, E::rank()> extents{};
  for (size_t r = 0; r < E::rank(); ++r) extents[r] = n[r];
  if constexpr (std::is_same_v<L, std::layout_stride>) {
    std::array<index, E::rank()> strides{};
    for (size_t r = 0; r < E::rank(); ++r) strides[r] = n[E::rank() + r];
    return std::mdspan<double, E, L>(data, typename L::template mapping<E>(E(extents), strides));
  } else {
    return std::mdspan<double, E, L>(data, typename L::template mapping<E>(E(extents)));
  }
}

template <class> auto line(double* data, index n) { return std::mdspan<double, ext<dyn>>(data, n); }

#define SUM(name, kernel, E, L) \
  extern "C" double name(double* v, const index* n) { return kernel(view<E, L>(v, n)); }
#define TWO(name, kernel, E, L) \
  extern "C" void name(double* v, double* w, const index* n) { kernel(view<E, L>(v, n), view<E, L>(w, n)); }
#define THREE(name, kernel, E, L) \
  extern "C" void name(double* a, double* b, double* c, const index* n) { \
    kernel(view<E, L>(a, n), view<E, L>(b, n), view<E, L>(c, n)); \
  }
#define VECTOR(name, kernel, E, L) \
  extern "C" void name(double* a, double* x, double* y, const index* n) { \
    kernel(view<E, L>(a, n), line<E>(x, n[1]), line<E>(y, n[0])); \
  }
#define WITHIN(name, kernel, E, L, bounds) \
  extern "C" void name(double* v, double* w, const index* n) { \
    kernel(view<E, L>(v, n), view<E, L>(w, n), n[bounds], n[bounds + 1]); \
  }
#define COMMA ,
#define E2 ext<dyn COMMA dyn>
#define E3 ext<dyn COMMA dyn COMMA dyn>
#define F2(n) ext<n COMMA n>
#define F3(n) ext<n COMMA n COMMA n>
using right = std::layout_right;
using left = std::layout_left;
using stride = std::layout_stride;

#define CUBE(n) \
  SUM(sum3d_right_fix_##n, sum3d, F3(n), right) \
  SUM(sum3d_left_fix_##n, sum3d, F3(n), left) \
  SUM(subview_sum_right_fix_##n, subview_sum, F3(n), right) \
  TWO(stencil3d_right_fix_##n, stencil3d, F3(n), right) \
  TWO(stencil3d_left_fix_##n, stencil3d, F3(n), left)
CUBE(20) CUBE(80) CUBE(200)
SUM(sum3d_right_dyn, sum3d, E3, right)
SUM(sum3d_left_dyn, sum3d, E3, left)
SUM(sum3d_stride_dyn, sum3d, E3, stride)
SUM(subview_sum_right_dyn, subview_sum, E3, right)
TWO(stencil3d_right_dyn, stencil3d, E3, right)
TWO(stencil3d_left_dyn, stencil3d, E3, left)
TWO(stencil3d_stride_dyn, stencil3d, E3, stride)
WITHIN(stencil3d_within_right_dyn, stencil3d_within, E3, right, 3)
WITHIN(stencil3d_within_left_dyn, stencil3d_within, E3, left, 3)
WITHIN(stencil3d_within_stride_dyn, stencil3d_within, E3, stride, 6)
THREE(tiny_add_right_dyn, tiny_add, E3, right)
THREE(tiny_add_right_mix, tiny_add, ext<dyn COMMA 3 COMMA 3>, right)
THREE(tiny_add_right_fix, tiny_add, ext<1000000 COMMA 3 COMMA 3>, right)
VECTOR(matvec_right_dyn, matvec, E2, right)
VECTOR(matvec_right_fix_500, matvec, F2(500), right)
VECTOR(matvec_right_fix_4000, matvec, F2(4000), right)
VECTOR(matvec_stride_dyn, matvec, E2, stride)
VECTOR(matvec_left_dyn, matvec_columns, E2, left)
VECTOR(matvec_left_fix_500, matvec_columns, F2(500), left)
VECTOR(matvec_left_fix_4000, matvec_columns, F2(4000), left)
VECTOR(matvec_tiled_dyn, matvec_tiles<8>, E2, layout_tiled<8>)
VECTOR(matvec_tiled_fix_4000, matvec_tiles<8>, F2(4000), layout_tiled<8>)
THREE(matmul_ikj_right_dyn, matmul_ikj, E2, right)
THREE(matmul_ikj_right_fix, matmul_ikj, F2(512), right)
THREE(matmul_ikj_stride_dyn, matmul_ikj, E2, stride)
THREE(matmul_ijk_right_dyn, matmul_ijk, E2, right)
THREE(matmul_ijk_right_fix, matmul_ijk, F2(512), right)
THREE(matmul_ijk_left_dyn, matmul_ijk, E2, left)
THREE(matmul_ikj_tiled_dyn, matmul_ikj, E2, layout_tiled<8>)
THREE(matmul_ikj_tiled_fix, matmul_ikj, F2(512), layout_tiled<8>)
SUM(user_morton_dyn, sum2d, E2, layout_morton<10>)
SUM(user_morton_fix, sum2d, F2(1024), layout_morton<10>)
SUM(user_symmetric_dyn, sum2d, E2, layout_symmetric)
SUM(user_symmetric_fix, sum2d, F2(1024), layout_symmetric)
SUM(user_tiled_dyn, sum2d, E2, layout_tiled<8>)
SUM(user_tiled_fix, sum2d, F2(1024), layout_tiled<8>)
