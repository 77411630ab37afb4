// The implementation of mdspan that is asked, numbers read from standard input, and JSON written to standard output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include MDVIEW_HEADER

#if defined(MDVIEW_CUDA)
#  include <cuda/std/array>
#  include <cuda/std/complex>
#  include <cuda/std/type_traits>
#  include <cuda/std/utility>
#else
#  include <array>
#  include <complex>
#  include <type_traits>
#  include <utility>
#endif
#if defined(MDVIEW_OFFERS_RELAXED)
#  include <cuda/mdspan>
#endif
#if defined(MDVIEW_OFFERS_LINALG)
#  if defined(MDVIEW_CUDA)
#    include <cuda/std/linalg>
#  else
#    include <linalg>
#  endif
#endif

namespace md = MDVIEW_NAMESPACE;
namespace lib = MDVIEW_LIBRARY;
namespace padded = MDVIEW_PADDED;

struct Base {
  int a = 0;
};
struct Derived : Base {
  int b = 0;
};

constexpr auto D = md::dynamic_extent;

using Number = long long;

// Numbers that are read in the place of the input, if any.
inline const Number*& given_numbers() {
  static const Number* numbers = nullptr;
  return numbers;
}

inline Number next() {
  Number number = 0;
  if (given_numbers()) return *given_numbers()++;
  if (std::scanf("%lld", &number) != 1) std::exit(2);
  return number;
}

// --- JSON -----------------------------------------------------------------------------------------------------------

inline void put(bool value) { std::fputs(value ? "true" : "false", stdout); }
inline void put(Number value) { std::printf("%lld", value); }
inline void put(int value) { put(Number{value}); }
inline void put(double value) { put(static_cast<Number>(value)); }
inline void put(const char* text) { std::printf("\"%s\"", text); }
#if defined(MDVIEW_OFFERS_LINALG)
inline void put(const lib::complex<double>& value) {
  std::printf("[%lld, %lld]", static_cast<Number>(value.real()), static_cast<Number>(value.imag()));
}
#endif

// An object: commas and braces around what is put between.
class Object {
 public:
  Object() { std::putchar('{'); }
  Object(const Object&) = delete;
  ~Object() { std::puts("}"); }

  void key(const char* name) {
    if (!first_) std::putchar(',');
    first_ = false;
    std::printf("\"%s\":", name);
  }

  template <class T>
  void operator()(const char* name, T value) {
    key(name);
    put(value);
  }

 private:
  bool first_ = true;
};

// A list; `each` is called with a function that puts one element.
template <class Each>
void put_list(Each each) {
  bool first = true;
  std::putchar('[');
  each([&first](auto value) {
    if (!first) std::putchar(',');
    first = false;
    put(value);
  });
  std::putchar(']');
}

// --- questions ------------------------------------------------------------------------------------------------------

template <class T, lib::size_t N>
lib::array<T, N> read_array() {
  lib::array<T, N> values{};
  for (lib::size_t r = 0; r < N; ++r) values[r] = static_cast<T>(next());
  return values;
}

template <class E>
E read_extents() {
  return E(read_array<typename E::index_type, E::rank()>());
}

// The padding of a padded layout, a constant.
template <class L>
constexpr lib::size_t padding_of = 0;
template <class L>
constexpr bool is_padded = false;
#if defined(MDVIEW_OFFERS_PADDED)
template <lib::size_t P>
constexpr lib::size_t padding_of<padded::layout_left_padded<P>> = P;
template <lib::size_t P>
constexpr lib::size_t padding_of<padded::layout_right_padded<P>> = P;
template <lib::size_t P>
constexpr bool is_padded<padded::layout_left_padded<P>> = true;
template <lib::size_t P>
constexpr bool is_padded<padded::layout_right_padded<P>> = true;
#endif

template <class M, class = void>
struct Reader {
  static M read() {
    const auto extents = read_extents<typename M::extents_type>();
    using L = typename M::layout_type;
    if constexpr (is_padded<L> && padding_of<L> == static_cast<lib::size_t>(D))
      return M(extents, static_cast<typename M::index_type>(next()));
    else
      return M(extents);
  }
};

template <class E>
struct Reader<typename md::layout_stride::template mapping<E>, void> {
  static auto read() {
    const auto extents = read_extents<E>();
    return typename md::layout_stride::template mapping<E>(extents, read_array<typename E::index_type, E::rank()>());
  }
};

#if defined(MDVIEW_OFFERS_RELAXED)
template <class E, class S, class O>
struct Reader<cuda::layout_stride_relaxed::mapping<E, S, O>, void> {
  static auto read() {
    const auto extents = read_extents<E>();
    const auto strides = S(read_array<typename S::offset_type, E::rank()>());
    return cuda::layout_stride_relaxed::mapping<E, S, O>(extents, strides, static_cast<O>(next()));
  }
};
#endif

template <class M>
M read_mapping() {
  return Reader<M>::read();
}
