// mdview.hpp: an mdspan of what mdview.interop.cpp hands over, and back. Header only, C++17.
//
// By default std::mdspan (C++23) is used; define MDVIEW_CUDA for cuda::std::mdspan of CCCL, or MDVIEW_KOKKOS for
// Kokkos::mdspan, before this file is included. Both are for C++17, too.
//
// The portable way is the plain C struct `mdview::strided<Rank>`, the same on every compiler and library:
//
//   extern "C" double sum(const mdview::strided<2>* given) {
//     auto view = mdview::as<std::mdspan<const double, std::dextents<int, 2>, std::layout_stride>>(*given);
//
// `as` throws std::invalid_argument where the struct does not fit the type (without exceptions: aborts); `check` tells
// why as a number instead. No exception may leave a function that Python calls: catch it, or ask `check` first. `from`
// makes the struct that a function returns.
#ifndef MDVIEW_HPP
#define MDVIEW_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(MDVIEW_CUDA)
#  include <cuda/mdspan>
#  include <cuda/std/array>
#  include <cuda/std/mdspan>
namespace mdview::md {
using namespace ::cuda::std;
}
#elif defined(MDVIEW_KOKKOS)
#  include <array>
#  include <mdspan/mdspan.hpp>
namespace mdview::md {
using namespace ::Kokkos;
using std::array;
}
#else
#  if defined(__has_include)
#    if __has_include(<mdspan>)
#      include <mdspan>
#    endif
#  endif
#  if !defined(__cpp_lib_mdspan)
#    error "mdview.hpp needs std::mdspan: compile as C++23 with a library that has <mdspan>, or define MDVIEW_CUDA for that of CCCL, or MDVIEW_KOKKOS for that of Kokkos, before it is included"
#  endif
#  include <array>
namespace mdview::md {
using namespace ::std;
}
#endif

#if defined(__cpp_exceptions)
#  include <stdexcept>
#endif

#if defined(_WIN32)
#  define MDVIEW_EXPORT __declspec(dllexport)
#else
#  define MDVIEW_EXPORT __attribute__((visibility("default")))
#endif

namespace mdview {

// The element at index i... is data[offset + i0 * strides[0] + ...]; numbers count elements.
template <std::size_t Rank>
struct strided {
  void* data;
  std::int64_t offset;
  std::int32_t rank;
  std::int32_t itemsize;
  std::int32_t kind;      // 'b' bool, 'i' signed, 'u' unsigned, 'f' floating point, 'c' complex, 'S' char, 0 any other
  std::int32_t readonly;  // 1: nothing may be stored
  std::int64_t extents[Rank == 0 ? 1 : Rank];
  std::int64_t strides[Rank == 0 ? 1 : Rank];
};
static_assert(sizeof(strided<0>) == 48 && sizeof(strided<2>) == 64, "mdview::strided has no padding");
static_assert(std::is_trivially_copyable_v<strided<3>> && std::is_standard_layout_v<strided<3>>);

enum class error : int {
  none,
  rank,           // another number of dimensions
  itemsize,       // elements of another size
  kind,           // elements of another kind
  readonly,       // const elements for a type that stores
  static_extent,  // another extent than the type says
  index_range,    // an extent, a stride or a span that the index type cannot hold
  strides,        // not the strides of the layout
  offset,         // an offset for a layout that has none
  alignment,      // data at an address that the element type does not allow
};

namespace detail {

template <class T, class = void>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<T, std::void_t<decltype(std::declval<T>().real()), decltype(std::declval<T>().imag())>> = true;

template <class T>
constexpr std::int32_t kind_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return 'b';
  else if constexpr (std::is_same_v<U, char> || std::is_same_v<U, std::byte>) return 'S';
  else if constexpr (std::is_integral_v<U>) return std::is_signed_v<U> ? 'i' : 'u';
  else if constexpr (std::is_floating_point_v<U>) return 'f';
  else if constexpr (is_complex<U>) return 'c';
  else return 0;
}

template <class L>
constexpr bool is_relaxed = false;
#if defined(MDVIEW_CUDA)
template <>
constexpr bool is_relaxed<::cuda::layout_stride_relaxed> = true;
#endif

// What tells the strides: the extents alone, the extents and a padded stride, or the strides themselves.
template <class M>
constexpr bool is_from_extents = std::is_constructible_v<typename M::mapping_type, typename M::extents_type>;
template <class M>
constexpr bool is_stride =
    !is_relaxed<typename M::layout_type> &&
    std::is_constructible_v<typename M::mapping_type, typename M::extents_type,
                            md::array<typename M::index_type, M::rank()>>;

template <class I>
constexpr bool holds(std::int64_t value) {
  if constexpr (std::is_signed_v<I>) return static_cast<std::int64_t>(static_cast<I>(value)) == value;
  else return value >= 0 && static_cast<std::uint64_t>(static_cast<I>(value)) == static_cast<std::uint64_t>(value);
}

// Whether the index type holds one more than the greatest offset; the struct is not empty, its numbers are held.
template <class M>
bool spans(const strided<M::rank()>& s) {
  std::int64_t last = s.offset;
  if constexpr (M::rank() > 0)
    for (std::size_t r = 0; r < M::rank(); ++r) {
      if (s.extents[r] <= 1 || s.strides[r] <= 0) continue;
      if (s.extents[r] - 1 > (INT64_MAX - last) / s.strides[r]) return false;
      last += (s.extents[r] - 1) * s.strides[r];
    }
  return last < INT64_MAX && holds<typename M::index_type>(last + 1);
}

template <class M>
typename M::extents_type extents(const strided<M::rank()>& s) {
  md::array<typename M::index_type, M::rank()> values{};
  if constexpr (M::rank() > 0)
    for (std::size_t r = 0; r < M::rank(); ++r) values[r] = static_cast<typename M::index_type>(s.extents[r]);
  return typename M::extents_type(values);
}

template <class M>
typename M::mapping_type mapping(const strided<M::rank()>& s) {
  using index = typename M::index_type;
  using result = typename M::mapping_type;
  constexpr std::size_t rank = M::rank();
  if constexpr (is_relaxed<typename M::layout_type>) {
    md::array<typename result::offset_type, rank> values{};
    if constexpr (rank > 0)
      for (std::size_t r = 0; r < rank; ++r) values[r] = static_cast<typename result::offset_type>(s.strides[r]);
    return result(extents<M>(s), typename result::strides_type(values),
                  static_cast<typename result::offset_type>(s.offset));
  } else if constexpr (is_stride<M> && !is_from_extents<M>) {
    md::array<index, rank> values{};
    if constexpr (rank > 0)
      for (std::size_t r = 0; r < rank; ++r) values[r] = static_cast<index>(s.strides[r]);
    return result(extents<M>(s), values);
  } else if constexpr (is_from_extents<M> && !std::is_constructible_v<result, typename M::extents_type, index>) {
    return result(extents<M>(s));  // layout_right, layout_left, and whatever follows from extents
  } else {                         // padded: the padding is the padded stride itself, or static
    static_assert(is_from_extents<M>, "mdview::as knows no way to make this mapping");
    const result plain(extents<M>(s));
    if constexpr (rank > 1)
      for (std::size_t r : {std::size_t{1}, rank - 2})
        if (plain.stride(r) != static_cast<index>(s.strides[r]) && s.extents[r] > 1 && s.strides[r] > 0)
          if constexpr (result::padding_value == md::dynamic_extent)
            return result(extents<M>(s), static_cast<index>(s.strides[r]));
    return plain;
  }
}

}  // namespace detail

// Why an mdspan of this type cannot be made of the struct: error::none if it can.
template <class M>
error check(const strided<M::rank()>& s) {
  using index = typename M::index_type;
  using element = typename M::element_type;
  static_assert(M::is_always_strided() || detail::is_relaxed<typename M::layout_type>,
                "mdview hands over views with strides");
  static_assert(std::is_trivially_copyable_v<M>, "the accessor of this mdspan has state of its own");
  static_assert(std::is_pointer_v<typename M::data_handle_type>, "mdview hands over pointers");
  if (s.rank != static_cast<std::int32_t>(M::rank())) return error::rank;
  if (s.itemsize != static_cast<std::int32_t>(sizeof(element))) return error::itemsize;
  constexpr std::int32_t kind = detail::kind_of<element>();
  if (kind != 0 && s.kind != 0 && s.kind != kind && !(sizeof(element) == 1 && (kind == 'S' || s.kind == 'S')))
    return error::kind;
  if (s.readonly != 0 && !std::is_const_v<element>) return error::readonly;
  if (reinterpret_cast<std::uintptr_t>(s.data) % alignof(element) != 0) return error::alignment;
  bool is_empty = false;
  if constexpr (M::rank() > 0) {
    for (std::size_t r = 0; r < M::rank(); ++r) {
      if (!detail::holds<index>(s.extents[r]) || s.extents[r] < 0) return error::index_range;
      if (M::static_extent(r) != md::dynamic_extent &&
          static_cast<std::uint64_t>(M::static_extent(r)) != static_cast<std::uint64_t>(s.extents[r]))
        return error::static_extent;
      is_empty = is_empty || s.extents[r] == 0;
    }
    for (std::size_t r = 0; r < M::rank(); ++r) {
      using signed_index = std::conditional_t<detail::is_relaxed<typename M::layout_type>,
                                              std::make_signed_t<index>, index>;
      if (!detail::holds<signed_index>(s.strides[r])) return error::index_range;
      if (detail::is_stride<M> && s.strides[r] <= 0 && s.extents[r] > 1 && !is_empty) return error::strides;
    }
  }
  if (!detail::is_relaxed<typename M::layout_type> && s.offset != 0) return error::offset;
  if (s.offset < 0) return error::offset;
  if (!is_empty && !detail::spans<M>(s)) return error::index_range;
  if constexpr (M::rank() > 0) {
    if (!is_empty) {
      const typename M::mapping_type made = detail::mapping<M>(s);
      for (std::size_t r = 0; r < M::rank(); ++r)
        if (s.extents[r] > 1 && static_cast<std::int64_t>(made.stride(r)) != s.strides[r]) return error::strides;
    }
  }
  return error::none;
}

// The mdspan of this type that the struct describes.
template <class M>
M as(const strided<M::rank()>& s) {
  if (check<M>(s) != error::none) {
#if defined(__cpp_exceptions)
    throw std::invalid_argument("mdview::as: the view does not fit the mdspan type; mdview::check tells why");
#else
    std::abort();
#endif
  }
  return M(static_cast<typename M::data_handle_type>(s.data), detail::mapping<M>(s));
}

// The struct that describes an mdspan.
template <class M>
strided<M::rank()> from(const M& view) {
  using element = typename M::element_type;
  static_assert(std::is_pointer_v<typename M::data_handle_type>, "mdview takes over pointers");
  strided<M::rank()> s{};
  s.data = const_cast<void*>(static_cast<const void*>(view.data_handle()));
  s.rank = static_cast<std::int32_t>(M::rank());
  s.itemsize = static_cast<std::int32_t>(sizeof(element));
  s.kind = detail::kind_of<element>();
  s.readonly = std::is_const_v<element>;
  if constexpr (detail::is_relaxed<typename M::layout_type>) s.offset = static_cast<std::int64_t>(view.mapping().offset());
  if constexpr (M::rank() > 0) {
    for (std::size_t r = 0; r < M::rank(); ++r) {
      s.extents[r] = static_cast<std::int64_t>(view.extent(r));
      s.strides[r] = static_cast<std::int64_t>(view.mapping().stride(r));
    }
  }
  return s;
}

}  // namespace mdview

#endif
