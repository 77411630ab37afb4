// The implementation of mdspan that is asked, numbers read from standard input, and JSON written to standard output.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#if defined(MDVIEW_CCCL)
#  include <cuda/mdspan>
#  include <cuda/std/array>
#  include <cuda/std/complex>
#  include <cuda/std/linalg>
#  include <cuda/std/mdspan>
#  include <cuda/std/type_traits>
#  include <cuda/std/utility>
namespace md = cuda::std;
#else
#  include <array>
#  include <mdspan>
#  include <type_traits>
#  include <utility>
namespace md = std;
#endif

struct Base {
  int a = 0;
};
struct Derived : Base {
  int b = 0;
};

constexpr auto D = md::dynamic_extent;

using Number = long long;

inline Number next() {
  Number number = 0;
  if (std::scanf("%lld", &number) != 1) std::exit(2);
  return number;
}

// --- JSON -----------------------------------------------------------------------------------------------------------

inline void put(bool value) { std::fputs(value ? "true" : "false", stdout); }
inline void put(Number value) { std::printf("%lld", value); }
inline void put(int value) { put(Number{value}); }
inline void put(double value) { put(static_cast<Number>(value)); }
inline void put(const char* text) { std::printf("\"%s\"", text); }
#if defined(MDVIEW_CCCL)
inline void put(const md::complex<double>& value) {
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

template <class T, md::size_t N>
md::array<T, N> read_array() {
  md::array<T, N> values{};
  for (md::size_t r = 0; r < N; ++r) values[r] = static_cast<T>(next());
  return values;
}

template <class E>
E read_extents() {
  return E(read_array<typename E::index_type, E::rank()>());
}

template <class M, class = void>
struct Reader {
  static M read() { return M(read_extents<typename M::extents_type>()); }
};

template <class E>
struct Reader<typename md::layout_stride::template mapping<E>, void> {
  static auto read() {
    const auto extents = read_extents<E>();
    return typename md::layout_stride::template mapping<E>(extents, read_array<typename E::index_type, E::rank()>());
  }
};

#if defined(MDVIEW_CCCL)
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
