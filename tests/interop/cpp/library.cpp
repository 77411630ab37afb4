// One library for each implementation of mdspan; `test_live.py` calls its functions.
#include "mdview.hpp"

#include <cstdint>
#include <type_traits>

namespace md = mdview::md;
#if defined(MDVIEW_CUDA)
#  include <cuda/mdspan>
#endif

namespace {

constexpr std::size_t D = md::dynamic_extent;

// Calls a function with each index.
template <class M, class F, class... I>
void each(const M& view, F f, I... index) {
  if constexpr (sizeof...(I) == M::rank()) {
    f(view.accessor().access(view.data_handle(), static_cast<std::size_t>(view.mapping()(index...))), index...);
  } else {
    for (typename M::index_type i = 0; i < view.extent(sizeof...(I)); ++i) each(view, f, index..., i);
  }
}

template <class M>
double weighted(const M& view) {  // of each element its place in index order, from 1 on
  double place = 0, sum = 0;
  each(view, [&](auto& element, auto...) { sum += ++place * static_cast<double>(element); });
  return sum;
}

template <class M>
void number(const M& view, double first) {
  each(view, [&](auto& element, auto...) { element = static_cast<typename M::value_type>(first++); });
}

}  // namespace

// For each type: by value, by pointer, by the portable struct; stored to; and returned each way.
#define READ(name, ...)                                                                                             \
  using name##_t = __VA_ARGS__;                                                                                     \
  extern "C" MDVIEW_EXPORT double name##_value(name##_t view) { return weighted(view); }                            \
  extern "C" MDVIEW_EXPORT double name##_pointer(const name##_t* view) { return weighted(*view); }                  \
  extern "C" MDVIEW_EXPORT int name##_check(const mdview::strided<name##_t::rank()>* s) {                           \
    return static_cast<int>(mdview::check<name##_t>(*s));                                                           \
  }                                                                                                                 \
  extern "C" MDVIEW_EXPORT double name##_portable(const mdview::strided<name##_t::rank()>* s) {                     \
    return weighted(mdview::as<name##_t>(*s));                                                                      \
  }                                                                                                                 \
  extern "C" MDVIEW_EXPORT name##_t name##_return(name##_t view) { return view; }                                   \
  extern "C" MDVIEW_EXPORT mdview::strided<name##_t::rank()> name##_give(const mdview::strided<name##_t::rank()>* s) { \
    return mdview::from(mdview::as<name##_t>(*s));                                                                  \
  }

#define WRITE(name, ...)                                                                                            \
  READ(name, __VA_ARGS__)                                                                                           \
  extern "C" MDVIEW_EXPORT void name##_store(name##_t view, double first) { number(view, first); }                  \
  extern "C" MDVIEW_EXPORT void name##_store_pointer(name##_t* view, double first) { number(*view, first); }        \
  extern "C" MDVIEW_EXPORT void name##_store_portable(const mdview::strided<name##_t::rank()>* s, double first) {   \
    number(mdview::as<name##_t>(*s), first);                                                                        \
  }

TYPES

// A view of memory that is no argument's; of no rows it is empty, of less than none it has no data.
extern "C" MDVIEW_EXPORT stride2_t own(std::int64_t rows) {
  static double numbers[6] = {0, 1, 2, 3, 4, 5};
  const stride2_t::index_type n = rows < 0 ? 2 : rows;
  mdview::strided<2> s{rows < 0 ? nullptr : numbers, 0, 2, sizeof(double), 'f', 0, {n, 3}, {3, 1}};
  return mdview::as<stride2_t>(s);
}
