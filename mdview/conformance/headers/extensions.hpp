// Subviews, and the views of linear algebra; `answers.hpp` includes this file where there are any.
#pragma once

#if defined(MDVIEW_OFFERS_SUBMDSPAN)
// --- subviews -------------------------------------------------------------------------------------------------------

// A slice of a type: its numbers are read in order, but for constants.
template <class S>
struct SliceReader {
  static S read() { return static_cast<S>(next()); }
};
template <int V>
struct SliceReader<lib::integral_constant<int, V>> {
  static lib::integral_constant<int, V> read() { return {}; }
};
template <>
struct SliceReader<md::full_extent_t> {
  static md::full_extent_t read() { return md::full_extent; }
};
template <class B, class E>
struct SliceReader<lib::pair<B, E>> {
  static lib::pair<B, E> read() {
    const auto begin = SliceReader<B>::read();
    return {begin, SliceReader<E>::read()};
  }
};
template <template <class, class, class> class S, class O, class E, class T>
struct SliceReader<S<O, E, T>> {
  static S<O, E, T> read() {
    const auto offset = SliceReader<O>::read();
    const auto extent = SliceReader<E>::read();
    return S<O, E, T>{offset, extent, SliceReader<T>::read()};
  }
};

template <class M>
struct Submdspan {
  template <class... S>
  Submdspan(const M& source, S... slices) {
    static int data[MOST_ELEMENTS];
    const md::mdspan<int, typename M::extents_type, typename M::layout_type> view(data, source);
    const auto part = md::submdspan(view, slices...);
    const auto shift = static_cast<Number>(part.data_handle() - data);
    Object out;
    out("shift", shift);
    put_mapping(out, part.mapping());
    put_offset(out, source, shift, slices...);
  }

  // The customisation point says the offset, too, where it takes these slices; C++26 takes canonical ones alone.
  template <class... S>
  static void put_offset(Object& out, const M& source, Number shift, S... slices) {
    if constexpr (requires { submdspan_mapping(source, slices...).offset; })
      out("offset", static_cast<Number>(submdspan_mapping(source, slices...).offset));
    else
      out("offset", shift);
  }
};

template <class M, class... S>
void submdspan() {
  Submdspan<M>{read_mapping<M>(), SliceReader<S>::read()...};  // braces: numbers are read in order
}
#endif

#if defined(MDVIEW_OFFERS_LINALG)
// --- linear algebra -------------------------------------------------------------------------------------------------

template <class M>
void linalg_transposed_mapping() {
  const auto nested = read_mapping<M>();
  using E = typename M::extents_type;
  using Transposed = md::extents<typename E::index_type, E::static_extent(1), E::static_extent(0)>;
  using Layout = md::linalg::layout_transpose<typename M::layout_type>;
  Object out;
  put_mapping(out, typename Layout::template mapping<Transposed>(nested));
}

// Imaginary parts of complex numbers are 3, 4, ...
template <class V>
V read_view() {
  const auto mapping = read_mapping<typename V::mapping_type>();
  const auto span = static_cast<Number>(mapping.required_span_size());
  auto* data = fill<typename V::value_type>(span, next());
  if constexpr (lib::is_same_v<typename V::value_type, lib::complex<double>>)
    for (Number k = 0; k < span; ++k) data[k].imag(static_cast<double>(k + 3));
  return V(data, mapping);
}

template <class V>
void put_view(const V& view) {
  Object out;
  put_mapping(out, view.mapping());
  put_elements(out, "values", view);
  out("const_element", lib::is_const_v<typename V::element_type>);
}

template <class V>
void linalg_transposed() {
  put_view(md::linalg::transposed(read_view<V>()));
}

template <class V>
void linalg_scaled() {
  const auto view = read_view<V>();
  put_view(md::linalg::scaled(static_cast<typename V::value_type>(next()), view));
}

template <class V>
void linalg_conjugated() {
  put_view(md::linalg::conjugated(read_view<V>()));
}

template <class V>
void linalg_conjugate_transposed() {
  put_view(md::linalg::conjugate_transposed(read_view<V>()));
}
#endif
