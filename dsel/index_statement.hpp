#pragma once

#include <boost/hana/concat.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/unpack.hpp>
#include <memory>
#include <tenfold/dsel/einsum.hpp>
#include <tenfold/dsel/index_expression.hpp>

/// y(e, i) = A(e, i, j) * u(e, j) becomes einsum<"eij,ej->ei">(into(y), A, u): the very same call.
namespace tenfold::indexing {

namespace hana = boost::hana;

// --- A statement as data ---

/// One operand of a product.
template <class X, class Labels, bool IsConjugated>
struct indexed_factor {
  using labels = Labels;
  X tensor;

  /// What einsum is given.
  constexpr decltype(auto) operand() {
    if constexpr (IsConjugated) {
      return tenfold::conj(tensor);
    } else {
      return static_cast<std::remove_reference_t<X>&>(tensor);
    }
  }
};

/// The number before a product that has none.
struct no_number {};

/// Numbers are double as long as none is complex.
constexpr alpha_factor complex_factor(double a) { return {a}; }
constexpr alpha_factor complex_factor(alpha_factor a) { return a; }
template <class A, class B>
constexpr auto times(const A& a, const B& b) {
  if constexpr (std::is_same_v<A, no_number>) {
    return b;
  } else if constexpr (std::is_same_v<B, no_number>) {
    return a;
  } else if constexpr (std::is_same_v<A, double> && std::is_same_v<B, double>) {
    return a * b;
  } else {
    const alpha_factor x = complex_factor(a), y = complex_factor(b);
    return alpha_factor{x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  }
}
constexpr no_number conjugate(no_number) { return {}; }
constexpr double conjugate(double a) { return a; }
constexpr alpha_factor conjugate(alpha_factor a) { return {a.re, -a.im}; }
constexpr double reciprocal(double a) { return 1 / a; }
/// 1 / a after Smith: divided by the larger part first, which neither overflows nor vanishes.
constexpr alpha_factor reciprocal(alpha_factor a) {
  const auto size = [](double x) { return x < 0 ? -x : x; };
  if (size(a.re) >= size(a.im)) {
    const double ratio = a.im / a.re, divisor = a.re + a.im * ratio;
    return {1 / divisor, -ratio / divisor};
  }
  const double ratio = a.re / a.im, divisor = a.im + a.re * ratio;
  return {ratio / divisor, -1 / divisor};
}

/// A term: sign, number, and the operands as a hana::tuple of indexed_factor.
template <bool IsNegative, class Number, class Factors>
struct product_term {
  static constexpr bool is_negative = IsNegative;
  Number number;
  Factors factors;
};
template <bool IsNegative, class Number, class Factors>
constexpr auto make_term(const Number& number, const Factors& factors) {
  return product_term<IsNegative, Number, Factors>{number, factors};
}

template <bool N, class A, class F>
constexpr auto negative(const product_term<N, A, F>& t) {
  return make_term<!N>(t.number, t.factors);
}
template <bool N, class A, class F, bool M, class B, class G>
constexpr auto multiplied(const product_term<N, A, F>& l, const product_term<M, B, G>& r) {
  return make_term<N != M>(times(l.number, r.number), hana::concat(l.factors, r.factors));
}
/// f of each term.
template <class Terms, class F>
constexpr auto each(const Terms& terms, F f) {
  return hana::unpack(terms, [&](const auto&... t) { return hana::make_tuple(f(t)...); });
}
template <class X, class Labels, bool C>
constexpr auto conjugate(const indexed_factor<X, Labels, C>& f) {
  return indexed_factor<X, Labels, !C>{f.tensor};
}
template <bool N, class A, class F>
constexpr auto conjugate(const product_term<N, A, F>& t) {
  return make_term<N>(conjugate(t.number),
                      each(t.factors, [](const auto& f) { return conjugate(f); }));
}

template <class Tensor, class Labels>
constexpr auto factor_of(const tensor_access<Tensor, Labels>& a) {
  return indexed_factor<decltype(a.operand.tensor), Labels, false>{a.operand.tensor};
}

/// The terms of an expression, a hana::tuple of product_term; numbers before a sum go into each.
template <class E>
constexpr auto terms_of(const E& node) {
  using tag = typename E::proto_tag;
  if constexpr (proto::matches<E, number_leaf>::value) {
    return hana::make_tuple(make_term<false>(node.child0.value, hana::tuple<>{}));
  } else if constexpr (std::is_same_v<tag, proto::tag::terminal>) {
    return hana::make_tuple(
        make_term<false>(no_number{}, hana::make_tuple(factor_of(node.child0))));
  } else if constexpr (std::is_same_v<tag, proto::tag::negate>) {
    return each(terms_of(node.child0), [](const auto& t) { return negative(t); });
  } else if constexpr (std::is_same_v<tag, conjugation>) {
    return each(terms_of(node.child0), [](const auto& t) { return conjugate(t); });
  } else if constexpr (std::is_same_v<tag, proto::tag::plus>) {
    return hana::concat(terms_of(node.child0), terms_of(node.child1));
  } else if constexpr (std::is_same_v<tag, proto::tag::minus>) {
    return hana::concat(terms_of(node.child0),
                        each(terms_of(node.child1), [](const auto& t) { return negative(t); }));
  } else if constexpr (std::is_same_v<tag, proto::tag::divides>) {
    const auto factor = make_term<false>(reciprocal(node.child1.child0.value), hana::tuple<>{});
    return each(terms_of(node.child0), [&](const auto& t) { return multiplied(t, factor); });
  } else {
    const auto left = terms_of(node.child0);
    const auto right = terms_of(node.child1);
    return hana::unpack(left, [&](const auto&... l) {
      return hana::unpack(right, [&](const auto&... r) {
        // The grammar: one of them is a single term.
        if constexpr (sizeof...(l) == 1) {
          return hana::make_tuple(multiplied(l..., r)...);
        } else {
          return hana::make_tuple(multiplied(l, r...)...);
        }
      });
    });
  }
}

// --- Its subscripts ---

/// Every name but a letter stands in brackets.
template <char... Name>
inline constexpr bool is_bracketed = sizeof...(Name) > 1 || !(parsing::is_letter(Name) && ...);

template <char... Name>
constexpr int length(label<Name...>) {
  return static_cast<int>(sizeof...(Name)) + (is_bracketed<Name...> ? 2 : 0);
}
template <class... L>
constexpr int length(label_sequence<L...>) {
  return (0 + ... + length(L{}));
}
template <char... Name>
constexpr char* write(char* to, label<Name...>) {
  if (is_bracketed<Name...>) *to++ = '[';
  ((*to++ = Name), ...);
  if (is_bracketed<Name...>) *to++ = ']';
  return to;
}
template <class... L>
constexpr char* write(char* to, label_sequence<L...>) {
  ((to = write(to, L{})), ...);
  return to;
}

/// The operands of a product, each behind `separator`, which is a comma after the first.
template <class... F>
constexpr char* write(char* to, char separator, hana::tuple<F...>*) {
  ((*to++ = separator, to = write(to, typename F::labels{}), separator = ','), ...);
  return to;
}
template <class... F>
constexpr int length(hana::tuple<F...>*) {
  return (0 + ... + (1 + length(typename F::labels{})));
}

template <class Term>
using factors_of = decltype(Term::factors);

/// The number of tensors in a term.
template <class... F>
constexpr int count_factors(hana::tuple<F...>*) {
  return static_cast<int>(sizeof...(F));
}
template <class Term>
inline constexpr int factor_count = count_factors(static_cast<factors_of<Term>*>(nullptr));

template <class Term>
inline constexpr bool has_no_number = std::is_same_v<decltype(Term::number), no_number>;

/// The subscripts of y = terms as one would write them: "eij,ej-ei->ei". The sign of a single term
/// is no part of them.
template <class Result, class First, class... Rest>
constexpr auto subscripts_of() {
  constexpr int terms = length(static_cast<factors_of<First>*>(nullptr)) +
                        (0 + ... + length(static_cast<factors_of<Rest>*>(nullptr)));
  constexpr int size = terms + 2 + length(Result{}) + 1;
  char text[size] = {};
  constexpr bool begins_with_minus = sizeof...(Rest) > 0 && First::is_negative;
  char* end = write(text, begins_with_minus ? '-' : ' ', static_cast<factors_of<First>*>(nullptr));
  ((end = write(end, Rest::is_negative ? '-' : '+', static_cast<factors_of<Rest>*>(nullptr))), ...);
  *end++ = '-';
  *end++ = '>';
  write(end, Result{});
  constexpr int skipped = begins_with_minus ? 0 : 1;
  char subscripts[size - skipped] = {};
  for (int c = skipped; c < size; ++c) subscripts[c - skipped] = text[c];
  return literal(subscripts);
}

// --- Its evaluation ---

/// einsum<S>(into(y), args...); where y lies in the memory of a device, there, on y's stream.
template <literal S, class Y, class... A>
[[gnu::always_inline]] inline void run(Y& y, const A&... args) {
  if constexpr (operand_traits_of<Y>::space == device::cpu) {
    einsum<S>(into(y), args...);
  } else {
    constexpr bool has_stream = requires { y.queue(); };
    static_assert(
        has_stream,
        "tenfold: on a device the tensor on the left must be a device_tensor, which knows "
        "its stream; for a view, einsum<...>(where, into(y), ...)");
    if constexpr (has_stream) einsum<S>(y.queue(), into(y), args...);
  }
}

/// y := +-number S(factors) + Beta y, the call that one would write.
template <literal S, int Beta, bool IsNegative, class Y, class Number, class Factors>
[[gnu::always_inline]] inline void call(Y& y, const Number& number, Factors& factors) {
  hana::unpack(factors, [&](auto&... f) {
    if constexpr (!std::is_same_v<Number, no_number>) {
      const alpha_factor a = complex_factor(number);
      run<S>(y, f.operand()..., IsNegative ? alpha_factor{-a.re, -a.im} : a, beta(Beta));
    } else if constexpr (IsNegative || Beta != 0) {
      run<S>(y, f.operand()..., alpha(IsNegative ? -1 : 1), beta(Beta));
    } else {
      run<S>(y, f.operand()...);
    }
  });
}

template <class F>
constexpr F joined(const F& f) {
  return f;
}
template <class F, class G, class... Rest>
constexpr auto joined(const F& f, const G& g, const Rest&... rest) {
  return joined(hana::concat(f, g), rest...);
}

/// What the types tell to be wrong with S over operands of types X, into a Y: read and bound, not
/// planned.
template <literal S, class Y, class... X>
constexpr diagnostic error_in() {
  using text = subscripts_over<S, X...>;
  if constexpr (text::error.code != diagnosis::none) {
    return text::error;
  } else if constexpr (operand_traits_of<Y>::space != device::cpu) {
    return {};  // the calls will tell
  } else {
    return expression<S, scaled_call, Y, const X...>::bound.error;
  }
}

/// A factor whose entries have been copied to where they have strides.
template <class X, class Labels>
struct copied_factor {
  using labels = Labels;
  std::shared_ptr<const X> tensor;

  const X& operand() const { return *tensor; }
};
template <class F>
auto with_strides(F& factor) {
  using X = std::remove_cvref_t<decltype(factor.operand())>;
  if constexpr (evaluating::lacks_strides<X>) {
    using copy = std::remove_cvref_t<decltype(evaluating::with_strides(factor.operand()))>;
    return copied_factor<copy, typename F::labels>{
        std::make_shared<const copy>(evaluating::with_strides(factor.operand()))};
  } else {
    return factor;
  }
}
template <bool N, class A, class F>
auto with_strides(product_term<N, A, F>& term) {
  return hana::unpack(term.factors, [&](auto&... f) {
    return make_term<N>(term.number, hana::make_tuple(with_strides(f)...));
  });
}
template <class... F>
constexpr bool some_lack_strides(hana::tuple<F...>*) {
  return (evaluating::lacks_strides<std::remove_cvref_t<decltype(std::declval<F&>().operand())>> ||
          ...);
}
template <class Term>
inline constexpr bool lacks_strides = some_lack_strides(static_cast<factors_of<Term>*>(nullptr));

/// y := Sign number (terms) + Beta y. Where the terms have numbers of their own, which no single
/// alpha can say, they are evaluated one after another; before that all are checked, so that an
/// error leaves y as it was. What has no strides is copied once.
template <class Result, int Beta, int Sign, class Y, class Number, class First, class... Rest>
[[gnu::always_inline]] inline void evaluate_terms(Y& y, const Number& number, First& first,
                                                  Rest&... rest) {
  static constexpr auto subscripts = subscripts_of<Result, First, Rest...>();
  if constexpr (sizeof...(Rest) == 0) {
    call<subscripts, Beta, First::is_negative != (Sign < 0)>(y, times(number, first.number),
                                                             first.factors);
  } else {
    auto factors = joined(first.factors, rest.factors...);
    if constexpr (has_no_number<First> && (has_no_number<Rest> && ...)) {
      call<subscripts, Beta, (Sign < 0)>(y, number, factors);
    } else if constexpr (evaluating::lacks_strides<Y>) {
      constexpr bool adds = operand_traits_of<Y>::layout == batch_layout::gathered;
      evaluating::by_way_of_strides(y, beta_factor{Beta}, [&](auto& z, beta_factor) {
        evaluate_terms<Result, adds ? 0 : Beta, Sign>(z, number, first, rest...);
      });
    } else if constexpr ((lacks_strides<First> || ... || lacks_strides<Rest>)) {
      auto terms = hana::make_tuple(with_strides(first), with_strides(rest)...);
      hana::unpack(terms, [&](auto&... t) { evaluate_terms<Result, Beta, Sign>(y, number, t...); });
    } else {
      hana::unpack(factors, [&](auto&... f) {
        constexpr diagnostic wrong =
            error_in<subscripts, Y, std::remove_cvref_t<decltype(f.operand())>...>();
        if constexpr (wrong.code != diagnosis::none) {
          diagnose<tenfold::subscripts<subscripts>, wrong>();
        } else {
          if constexpr (requires { y.queue(); })
            require_operands_there(y.queue(), subscripts.view(), f.operand()...);
          run_time_operand inputs[] = {run_time_operand_of(f.operand())...};
          auto shape = shape_of<max_rank>(y);
          // Where they lie is checked by the calls.
          for (run_time_operand& x : inputs) x.shape.space = device::cpu;
          shape.space = device::cpu;
          check(subscripts.view(), inputs, sizeof...(f), &shape, {});
          check_addresses(subscripts.view(), inputs, sizeof...(f), &shape,
                          operand_traits_of<Y>::data(y));
          evaluate_terms<Result, Beta, Sign>(y, number, first);
          (evaluate_terms<Result, 1, Sign>(y, number, rest), ...);
        }
      });
    }
  }
}

/// A sum without the number before all of it, and that number.
template <class Number, class Node>
struct scaled_sum {
  Number number;
  const Node& sum;
};
template <class Node>
constexpr auto without_number(const Node& node) {
  const auto further = [](const auto& number, const auto& rest) {
    const auto inner = without_number(rest);
    const auto product = times(number, inner.number);
    return scaled_sum<std::remove_const_t<decltype(product)>,
                      std::remove_cvref_t<decltype(inner.sum)>>{product, inner.sum};
  };
  if constexpr (proto::matches<Node, proto::multiplies<number_leaf, proto::_>>::value) {
    return further(node.child0.child0.value, node.child1);
  } else if constexpr (proto::matches<Node, proto::multiplies<proto::_, number_leaf>>::value) {
    return further(node.child1.child0.value, node.child0);
  } else if constexpr (proto::matches<Node, proto::divides<proto::_, number_leaf>>::value) {
    return further(reciprocal(node.child1.child0.value), node.child0);
  } else {
    return scaled_sum<no_number, Node>{{}, node};
  }
}

/// left := Sign right + Beta left.
template <int Beta, int Sign, class Left, class R>
[[gnu::always_inline]] inline void assign(const index_expression<Left>& left, R&& right) {
  const auto expression = as_node<R>(right);
  if constexpr (is_wrong<decltype(expression)>) {
    return;
  } else if constexpr (!proto::matches<Left, access_leaf>::value) {
    static_assert(sizeof(Left) == 0,
                  "tenfold: on the left of an assignment stands one tensor with its labels");
  } else if constexpr (!proto::matches<decltype(expression.node), sum_of_products>::value) {
    static_assert(sizeof(Left) == 0,
                  "tenfold: a factor of a product is a sum: multiply out, or assign the sum to a "
                  "tensor first");
  } else {
    auto destination = factor_of(left.node.child0);
    using destination_type = decltype(destination);
    using tensor_type = decltype(destination.tensor);
    static_assert(writable_tensor_like<tensor_type>,
                  "tenfold: the tensor on the left of an assignment is const, or can only be read");
    if constexpr (writable_tensor_like<tensor_type>) {
      const auto outer = without_number(expression.node);
      auto terms = terms_of(outer.sum);
      hana::unpack(terms, [&](auto&... t) {
        constexpr bool all_have_tensors =
            ((factor_count < std::remove_reference_t < decltype(t) >>> 0) && ...);
        static_assert(all_have_tensors,
                      "tenfold: a term is a number alone: each term has a tensor; y.fill(number)");
        constexpr bool numbers_fit =
            is_complex(scalar_of<typename operand_traits_of<tensor_type>::scalar_t>) ||
            !(std::is_same_v<decltype(outer.number), alpha_factor> || ... ||
              std::is_same_v<decltype(t.number), alpha_factor>);
        static_assert(numbers_fit,
                      "tenfold: a complex number is a factor, the tensor on the left is real");
        if constexpr (all_have_tensors && numbers_fit) {
          evaluate_terms<typename destination_type::labels, Beta, Sign>(destination.operand(),
                                                                        outer.number, t...);
        }
      });
    }
  }
}

}  // namespace tenfold::indexing
