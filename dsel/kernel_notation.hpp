#pragma once

#include <tenfold/dsel/labels.hpp>
#include <tenfold/dsel/literal.hpp>
#include <tenfold/dsel/options.hpp>

/// The statements of a fused kernel as people write them: names of operands, products, sums,
/// assignments. All of it is types without data; `kernel_text.hpp` reads them.
namespace tenfold {

namespace fusing {

/// Factors joined by *, with a sign.
template <int Sign, class... Access>
struct product {};

/// Terms joined by + and -. A product alone is a sum of one term.
template <class... Product>
struct sum {};

/// Target = or += the sum of the products.
template <class Target, bool Adds, class... Product>
struct statement {};

/// A name of a kernel and the tensor that stands for it in one call. It refers to that tensor, also
/// to a temporary one, which is gone when the call is over.
template <class Named, class X>
struct binding {
  X& tensor;
};

/// The unit matrix, instead of a tensor.
struct unit_matrix {};

template <class T>
inline constexpr bool is_sum = false;
template <class... P>
inline constexpr bool is_sum<sum<P...>> = true;
template <class T>
inline constexpr bool is_statement = false;
template <class Target, bool Adds, class... P>
inline constexpr bool is_statement<statement<Target, Adds, P...>> = true;
template <class T>
inline constexpr bool is_binding = false;
template <class Named, class X>
inline constexpr bool is_binding<binding<Named, X>> = true;

template <int Sign, class... A>
constexpr product<-Sign, A...> negative(product<Sign, A...>) {
  return {};
}
template <class... P>
constexpr auto negative(sum<P...>) -> sum<decltype(negative(P{}))...> {
  return {};
}

/// `Tensor` seen through labels: a factor, or the left side of a statement.
template <class Tensor, class... Label>
struct access;

template <class T>
inline constexpr bool is_access = false;
template <class Tensor, class... L>
inline constexpr bool is_access<access<Tensor, L...>> = true;

/// What stands on the right: a product, a sum, or what a mistake is made to.
template <class T>
concept in_kernel = is_sum<std::remove_cvref_t<T>> || is_access<std::remove_cvref_t<T>>;

template <class... P>
constexpr sum<P...> as_sum(sum<P...>) {
  return {};
}
template <class Tensor, class... L>
constexpr sum<product<1, access<Tensor, L...>>> as_sum(access<Tensor, L...>) {
  return {};
}
template <class T>
constexpr sum<> as_sum(const T&) {
  static_assert(sizeof(T) == 0,
                "tenfold: in a fused kernel stand names with labels, u(e, i), and no tensors or "
                "numbers: declare input<\"a\"> a, write a() for a number, and bind it at the call");
  return {};
}

template <int S, class... A, int R, class... B>
constexpr sum<product<S * R, A..., B...>> multiplied(sum<product<S, A...>>, sum<product<R, B...>>) {
  return {};
}
template <class... P, class... Q>
constexpr sum<> multiplied(sum<P...>, sum<Q...>) {
  static_assert((sizeof...(P) == 0 || sizeof...(Q) == 0),
                "tenfold: a factor of a product is a sum: multiply out, or assign the sum to a "
                "local first");
  return {};
}

template <class L, class R>
requires(in_kernel<L> || in_kernel<R>) constexpr auto operator*(const L& l, const R& r) {
  return multiplied(as_sum(l), as_sum(r));
}
template <class... P, class... Q>
constexpr sum<P..., Q...> added(sum<P...>, sum<Q...>) {
  return {};
}
template <class L, class R>
requires(in_kernel<L> || in_kernel<R>) constexpr auto operator+(const L& l, const R& r) {
  return added(as_sum(l), as_sum(r));
}
template <class L, class R>
requires(in_kernel<L> || in_kernel<R>) constexpr auto operator-(const L& l, const R& r) {
  return added(as_sum(l), negative(as_sum(r)));
}
template <in_kernel X>
constexpr auto operator-(const X& x) {
  return negative(as_sum(x));
}
template <in_kernel X>
constexpr auto operator+(const X& x) {
  return as_sum(x);
}

template <class Target, bool Adds, class... P>
constexpr statement<Target, Adds, P...> stated(sum<P...>) {
  return {};
}

template <class Tensor, class... Label>
struct access {
  access() = default;
  access(const access&) = default;

  template <class R>
  constexpr auto operator=(const R& r) const {
    return stated<access, false>(as_sum(r));
  }
  constexpr auto operator=(const access& r) const { return stated<access, false>(as_sum(r)); }
  template <class R>
  constexpr auto operator+=(const R& r) const {
    return stated<access, true>(as_sum(r));
  }
  template <class R>
  constexpr auto operator-=(const R& r) const {
    return stated<access, true>(negative(as_sum(r)));
  }
};

// `instead`: what is left, so that no further error follows.
#define TENFOLD_NO_KERNEL_OPERATOR(op, instead)                                                  \
  template <class L, class R>                                                                    \
  requires(in_kernel<L> || in_kernel<R>) constexpr auto operator op(const L&, const R&) {        \
    static_assert(sizeof(L) == 0, "tenfold: operator " #op                                       \
                                  " is not kernel notation: sums of "                            \
                                  "products are written with + - * and assigned with = += -=; "  \
                                  "for a number write a(), an input that is bound at the call"); \
    return instead;                                                                              \
  }
TENFOLD_NO_KERNEL_OPERATOR(/, (std::conditional_t<in_kernel<L>, L, R>{}))
TENFOLD_NO_KERNEL_OPERATOR(*=, (stated<L, false>(as_sum(R{}))))
TENFOLD_NO_KERNEL_OPERATOR(/=, (stated<L, false>(as_sum(R{}))))
#undef TENFOLD_NO_KERNEL_OPERATOR

/// The sentence where a label is none. Another takes its place, so that no further error follows.
template <class Tensor, class... L>
constexpr auto wrongly_labelled() {
  static_assert(sizeof(Tensor) == 0,
                "tenfold: in a fused kernel a name takes labels, B(q, i), and no numbers: bind a "
                "view of the part that is meant");
  return access<Tensor, std::conditional_t<index_label<L>, L, label<'?'>>...>{};
}

/// A name, which labels follow.
template <class Tensor>
struct takes_labels {
  template <index_label... L>
  constexpr access<Tensor, L...> operator()(L...) const {
    return {};
  }
  template <class... L>
  requires(!(index_label<L> && ...)) constexpr auto operator()(const L&...) const {
    return wrongly_labelled<Tensor, L...>();
  }
};

template <class T>
concept name_of_input = requires {
  requires T::role == 0;
};

/// A stack of known slices: slice `At` along the first label is `On`, all others are `Off`.
template <int At, class On, class Off>
struct stack {
  template <index_label... L>
  constexpr access<stack, L...> operator()(L...) const {
    static_assert(sizeof...(L) > 0, "tenfold: the first label of a stack counts its slices");
    return {};
  }
  template <class... L>
  requires(!(index_label<L> && ...)) constexpr auto operator()(const L&...) const {
    return wrongly_labelled<stack, L...>();
  }
};

/// A matrix at each point, of which an operand holds the diagonal, or the upper triangle, along one
/// axis.
template <class Tensor, int Axis, bool IsDiagonal>
struct compact_matrix {
  template <index_label... L>
  constexpr access<compact_matrix, L...> operator()(L...) const {
    static_assert(
        Axis >= 0 && sizeof...(L) >= Axis + 2,
        "tenfold: a symmetric or diagonal matrix has two labels where it stores one axis");
    return {};
  }
  template <class... L>
  requires(!(index_label<L> && ...)) constexpr auto operator()(const L&...) const {
    return wrongly_labelled<compact_matrix, L...>();
  }
};

}  // namespace fusing

/// Bound to an input, says that it is the unit matrix, B(q, i) = 1 if q = i and else 0, as where
/// nodes are the points of the quadrature: it costs nothing, and its two labels are one.
inline constexpr fusing::unit_matrix identity{};

/// A tensor that a fused kernel reads, by name; bound at the call: u = U. A number, c = 2.0, is an
/// input without labels, c().
template <literal Name>
struct input : fusing::takes_labels<input<Name>> {
  static constexpr std::string_view name = Name.view();
  static constexpr int role = 0;

  template <tensor_like X>
  constexpr fusing::binding<input, const X> operator=(const X& x) const {
    return {x};
  }
  constexpr fusing::binding<input, const fusing::unit_matrix> operator=(
      const fusing::unit_matrix& x) const {
    return {x};
  }
  template <class X>
  requires(!tensor_like<X>) constexpr auto operator=(const X&) const {
    static_assert(sizeof(X) == 0,
                  "tenfold: what is bound to an input is neither an operand, whose entries are "
                  "float, double or complex numbers, nor identity");
  }
};

/// The tensor that a fused kernel writes: v = V or v = into(V) at the call.
template <literal Name>
struct output : fusing::takes_labels<output<Name>> {
  static constexpr std::string_view name = Name.view();
  static constexpr int role = 1;

  template <writable_tensor_like Y>
  constexpr fusing::binding<output, std::remove_reference_t<Y>> operator=(Y&& y) const {
    static_assert(!owns_entries<Y>,
                  "tenfold: the tensor that is bound to an output has no name: the result would be "
                  "lost with it");
    return {y};
  }
  template <class Y>
  constexpr fusing::binding<output, Y> operator=(destination<Y> y) const {
    return {y.tensor};
  }
  template <class Y>
  requires(!writable_tensor_like<const Y>) constexpr auto operator=(const Y&) const {
    constexpr bool is_operand = tensor_like<Y>;
    static_assert(is_operand,
                  "tenfold: what is bound to an output is no operand, whose entries are float, "
                  "double or complex numbers");
    static_assert(!is_operand,
                  "tenfold: the tensor that is bound to an output is const, or can only be read");
  }
};

/// What a fused kernel computes on the way, one tile of the batch at a time; it is never in memory.
template <literal Name>
struct local : fusing::takes_labels<local<Name>> {
  static constexpr std::string_view name = Name.view();
  static constexpr int role = 2;
};

/// along<1>(G, B)(d, q, i): G(q, i) for d = 1 and B(q, i) for every other d. G and B are inputs.
template <int At, fusing::name_of_input On, fusing::name_of_input Off>
constexpr fusing::stack<At, On, Off> along(On, Off) {
  static_assert(At >= 0, "tenfold: slices of a stack count from 0");
  return {};
}

/// symmetric(D)(e, c, d, q): a matrix in c and d that is symmetric, of which D(e, x, q) holds the
/// upper triangle row by row: 6 entries of 9. `Axis` is where x stands, by default behind the
/// batch.
template <int Axis = 1, fusing::name_of_input D>
constexpr fusing::compact_matrix<D, Axis, false> symmetric(D) {
  return {};
}

/// diagonal(D)(e, c, d, q): a matrix in c and d that is diagonal, of which D(e, c, q) holds the
/// entries with c = d; elsewhere it is 0. `Axis` as of symmetric.
template <int Axis = 1, fusing::name_of_input D>
constexpr fusing::compact_matrix<D, Axis, true> diagonal(D) {
  return {};
}

}  // namespace tenfold
