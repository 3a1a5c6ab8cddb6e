#pragma once

#include <boost/proto/expr.hpp>
#include <boost/proto/matches.hpp>
#include <boost/proto/tags.hpp>
#include <tenfold/dsel/labels.hpp>
#include <tenfold/dsel/options.hpp>
#include <tenfold/tensor/conjugated.hpp>
#include <tenfold/tensor/sliced.hpp>

/// A(e, i, j) * u(e, j) as a tree: the expression, its grammar, and the operators that make it.
///
/// The nodes are Proto expressions that hold their children and views by value and tensors by
/// reference, so an expression may be kept as long as its tensors live. The operators are our own,
/// not Proto's: they see which operand has a name, answer a mistake with one sentence, and cost
/// half the compile time.
namespace tenfold::indexing {

namespace proto = boost::proto;

// --- Leaves ---

/// A tensor of the caller's, `X` a reference, or what refers to one, `X` an object. A temporary
/// tensor is gone with the statement in which it was made.
template <class X, bool IsTemporary>
struct indexed_tensor {
  static constexpr bool is_temporary = IsTemporary;
  X tensor;
};

template <class... Label>
struct label_sequence {};

/// `Tensor` seen through `Labels`, a label_sequence with one for each axis.
template <class Tensor, class Labels>
struct tensor_access {
  Tensor operand;
};

/// A factor that is no tensor: a double, or the alpha_factor of a complex number.
template <class T>
struct number {
  T value;
};

struct conjugation {};  ///< the tag of conj(...)

// --- The grammar ---

struct access_leaf : proto::terminal<tensor_access<proto::_, proto::_>> {};
struct number_leaf : proto::terminal<number<proto::_>> {};

/// Factors: tensors and numbers.
struct product : proto::or_<access_leaf, number_leaf, proto::multiplies<product, product>,
                            proto::divides<product, number_leaf>, proto::negate<product>,
                            proto::unary_expr<conjugation, product>> {};

/// Terms: products; a number may stand before all of them.
struct sum_of_products
    : proto::or_<product, proto::plus<sum_of_products, sum_of_products>,
                 proto::minus<sum_of_products, sum_of_products>, proto::negate<sum_of_products>,
                 proto::multiplies<number_leaf, sum_of_products>,
                 proto::multiplies<sum_of_products, number_leaf>,
                 proto::divides<sum_of_products, number_leaf>,
                 proto::unary_expr<conjugation, sum_of_products>> {};

// --- Nodes ---

template <class T>
using leaf = proto::basic_expr<proto::tag::terminal, proto::term<T>, 0>;
template <class Tag, class X>
using unary_node = proto::basic_expr<Tag, proto::list1<X>, 1>;
template <class Tag, class L, class R>
using binary_node = proto::basic_expr<Tag, proto::list2<L, R>, 2>;

/// Does the expression refer to a temporary tensor?
template <class Expr>
inline constexpr bool of_temporary = false;
template <class Tensor, class Labels>
inline constexpr bool of_temporary<leaf<tensor_access<Tensor, Labels>>> = Tensor::is_temporary;
template <class Tag, class X>
inline constexpr bool of_temporary<unary_node<Tag, X>> = of_temporary<X>;
template <class Tag, class L, class R>
inline constexpr bool of_temporary<binary_node<Tag, L, R>> = of_temporary<L> || of_temporary<R>;

template <class Expr>
struct index_expression;
template <int Beta, int Sign, class Left, class R>
void assign(const index_expression<Left>& left, R&& right);

/// What people hold: a tree, out of reach of Proto's own operators. One leaf, y(e, i), may be
/// assigned to.
template <class Expr>
struct [[nodiscard("tenfold: an expression alone computes nothing: assign it")]] index_expression {
  Expr node;

  constexpr explicit index_expression(const Expr& e) : node(e) {}
  index_expression(const index_expression&) = default;
  index_expression(index_expression &&) = default;
  ~index_expression() = default;

  /// y(e, i) = A(e, i, j) * u(e, j): computes at once. Labels that are not on the left are summed.
  /// The right-hand side must not overlap y. Throws as einsum; y is then untouched.
  template <class R>
  void operator=(R&& right) const {
    assign<0, 1>(*this, static_cast<R&&>(right));
  }
  void operator=(const index_expression& right) const { assign<0, 1>(*this, right); }
  void operator=(index_expression&& right) const {
    assign<0, 1>(*this, static_cast<index_expression&&>(right));
  }
  template <class R>
  void operator+=(R&& right) const {
    assign<1, 1>(*this, static_cast<R&&>(right));
  }
  template <class R>
  void operator-=(R&& right) const {
    assign<1, -1>(*this, static_cast<R&&>(right));
  }

  /// Where people forget labels, or expect a number, they read a sentence.
  template <tensor_like Y>
  requires(!scalar_type<Y>) operator Y() const {
    static_assert(
        sizeof(Y) == 0,
        "tenfold: an expression is assigned to a tensor with labels: y(i) = A(i, j) * u(j)");
    return {};
  }
  operator double() const {
    static_assert(
        sizeof(Expr) == 0,
        "tenfold: an expression is not a number: for one, assign to a tensor<double> s of "
        "rank 0: indexed(s)() = a(i) * b(i)");
    return 0;
  }
};

template <class T>
constexpr index_expression<leaf<T>> make_leaf(const T& x) {
  return index_expression<leaf<T>>(leaf<T>{x});
}

/// Stands where a wrong expression would, and takes every use of it without a further error.
struct no_expression {
  template <class R>
  void operator=(R&&) const {}
  template <class R>
  void operator+=(R&&) const {}
  template <class R>
  void operator-=(R&&) const {}
  template <tensor_like Y>
  requires(!scalar_type<Y>) operator Y() const { return {}; }
  operator double() const { return 0; }
};

template <class T>
inline constexpr bool is_expression = false;
template <class Expr>
inline constexpr bool is_expression<index_expression<Expr>> = true;
template <class T>
inline constexpr bool is_wrong = std::is_same_v<std::remove_cvref_t<T>, no_expression>;

/// An expression, right or wrong; `T` may be a reference.
template <class T>
concept in_index_notation = is_expression<std::remove_cvref_t<T>> || is_wrong<T>;

/// What may be a factor beside tensors.
template <class T>
concept scaling_number = std::is_arithmetic_v<std::remove_cvref_t<T>> || complex_number<T>;

/// Does T, an expression with a name, refer to a tensor without one?
template <class T>
inline constexpr bool has_outlived_its_tensor = false;
template <class Expr>
inline constexpr bool has_outlived_its_tensor<index_expression<Expr>&> = of_temporary<Expr>;
template <class Expr>
inline constexpr bool has_outlived_its_tensor<const index_expression<Expr>&> = of_temporary<Expr>;

// --- Operators ---

/// In place of an expression that refers to a temporary tensor, T, of a statement before.
template <class T>
constexpr no_expression outlived() {
  static_assert(sizeof(T) == 0,
                "tenfold: a stored expression refers to a temporary tensor, which is gone: give "
                "the tensor a name, or write the expression where it is used");
  return {};
}

/// The node that stands for x in a larger expression, or the sentence why none can.
template <class T>
constexpr auto as_node(const std::remove_reference_t<T>& x) {
  if constexpr (in_index_notation<T>) {
    if constexpr (has_outlived_its_tensor<T>) {
      return outlived<T>();
    } else {
      return x;
    }
  } else if constexpr (std::is_arithmetic_v<std::remove_cvref_t<T>>) {
    return make_leaf(number<double>{static_cast<double>(x)});
  } else if constexpr (scaling_number<T>) {
    return make_leaf(number<alpha_factor>{alpha(x)});
  } else {
    static_assert(sizeof(T) == 0,
                  "tenfold: beside a tensor with labels stands what is neither such a tensor nor a "
                  "number: write its labels, A(i, j), or indexed(A)(i, j)");
    return no_expression{};
  }
}

/// The node over those of its children, unless one of them is wrong.
template <class Tag, class L, class R>
constexpr auto join(const L& l, const R& r) {
  if constexpr (is_wrong<L> || is_wrong<R>) {
    return no_expression{};
  } else {
    using node = binary_node<Tag, decltype(l.node), decltype(r.node)>;
    return index_expression<node>(node{l.node, r.node});
  }
}
template <class Tag, class X>
constexpr auto join(const X& x) {
  if constexpr (is_wrong<X>) {
    return no_expression{};
  } else {
    using node = unary_node<Tag, decltype(x.node)>;
    return index_expression<node>(node{x.node});
  }
}

template <class L, class R>
requires(in_index_notation<L> || in_index_notation<R>) constexpr auto operator*(L&& l, R&& r) {
  return join<proto::tag::multiplies>(as_node<L>(l), as_node<R>(r));
}
template <class L, class R>
requires(in_index_notation<L> || in_index_notation<R>) constexpr auto operator+(L&& l, R&& r) {
  return join<proto::tag::plus>(as_node<L>(l), as_node<R>(r));
}
template <class L, class R>
requires(in_index_notation<L> || in_index_notation<R>) constexpr auto operator-(L&& l, R&& r) {
  return join<proto::tag::minus>(as_node<L>(l), as_node<R>(r));
}
/// Division by a number n, which is multiplication by 1 / n.
template <class L, class R>
requires(in_index_notation<L> || in_index_notation<R>) constexpr auto operator/(L&& l, R&& r) {
  if constexpr (scaling_number<R>) {
    return join<proto::tag::divides>(as_node<L>(l), as_node<R>(r));
  } else {
    static_assert(scaling_number<R> || is_wrong<L> || is_wrong<R>,
                  "tenfold: operator / between tensors is not index notation: only a number "
                  "divides; sums of products are written with + - *");
    return no_expression{};
  }
}
template <class X>
requires in_index_notation<X>
constexpr auto operator+(X&& x) { return as_node<X>(x); }
template <class X>
requires in_index_notation<X>
constexpr auto operator-(X&& x) { return join<proto::tag::negate>(as_node<X>(x)); }
/// The complex conjugate of a tensor, a product or a sum.
template <class X>
requires in_index_notation<X>
constexpr auto conj(X&& x) { return join<conjugation>(as_node<X>(x)); }

#define TENFOLD_NO_OPERATOR(op)                                                               \
  template <class L, class R>                                                                 \
  requires(in_index_notation<L> || in_index_notation<R>) constexpr no_expression operator op( \
      L&&, R&&) {                                                                             \
    static_assert(is_wrong<L> || is_wrong<R>, "tenfold: operator " #op                        \
                                              " is not index notation: sums of products are " \
                                              "written with + - *");                          \
    return {};                                                                                \
  }
TENFOLD_NO_OPERATOR(%)
TENFOLD_NO_OPERATOR(^)
TENFOLD_NO_OPERATOR(&)
TENFOLD_NO_OPERATOR(|)
TENFOLD_NO_OPERATOR(&&)
TENFOLD_NO_OPERATOR(||)
TENFOLD_NO_OPERATOR(==)
TENFOLD_NO_OPERATOR(!=)
TENFOLD_NO_OPERATOR(<)
TENFOLD_NO_OPERATOR(>)
TENFOLD_NO_OPERATOR(<=)
TENFOLD_NO_OPERATOR(>=)
TENFOLD_NO_OPERATOR(<<)
TENFOLD_NO_OPERATOR(>>)
TENFOLD_NO_OPERATOR(*=)
TENFOLD_NO_OPERATOR(/=)
TENFOLD_NO_OPERATOR(%=)
#undef TENFOLD_NO_OPERATOR

// --- Access ---

/// How an expression holds an operand given as an X: a view as it is (const, where the const of a
/// view of others reaches the entries), a tensor with a name by reference; a temporary tensor by
/// reference too, and marked.
template <class X>
using held_tensor =
    std::conditional_t<is_view<std::remove_cvref_t<X>>,
                       indexed_tensor<std::remove_reference_t<X>, false>,
                       indexed_tensor<std::remove_reference_t<X>&, !std::is_lvalue_reference_v<X>>>;

/// The positions among the arguments I... that hold labels.
template <class... I>
constexpr auto labelled_axes() {
  constexpr int count = (static_cast<int>(index_label<I>) + ... + 0);
  std::array<int, static_cast<std::size_t>(count)> axes{};
  [[maybe_unused]] std::size_t at = 0;
  [[maybe_unused]] int axis = 0;
  ((index_label<I> ? static_cast<void>(axes[at++] = axis++) : static_cast<void>(axis++)), ...);
  return axes;
}

template <class I>
constexpr index index_or_zero([[maybe_unused]] const I& i) {
  if constexpr (index_label<I>) {
    return 0;
  } else {
    return static_cast<index>(i);
  }
}

template <class... Sequence>
struct join_labels {
  using type = label_sequence<>;
};
template <class... L, class I, class... Rest>
struct join_labels<label_sequence<L...>, I, Rest...>
    : join_labels<std::conditional_t<index_label<I>, label_sequence<L..., I>, label_sequence<L...>>,
                  Rest...> {};
template <class... L>
struct join_labels<label_sequence<L...>> {
  using type = label_sequence<L...>;
};

}  // namespace tenfold::indexing

namespace tenfold {

using indexing::conj;

/// A seen through labels, one for each axis; a number in place of a label fixes the axis there.
/// Throws shape_error for a number that is not below the extent.
template <class X, class... I>
constexpr auto at_labels(X&& A, I... i) {
  using namespace indexing;
  if constexpr (!tensor_like<X>) {
    static_assert(tensor_like<X>,
                  "tenfold: a tensor with labels has entries of float, double or complex numbers");
    return no_expression{};
  } else if constexpr (sizeof...(I) != static_cast<std::size_t>(operand_traits_of<X>::rank)) {
    static_assert(sizeof...(I) == static_cast<std::size_t>(operand_traits_of<X>::rank),
                  "tenfold: the number of labels and indices is not the rank of the tensor");
    return no_expression{};
  } else if constexpr ((index_label<I> && ...)) {
    return make_leaf(tensor_access<held_tensor<X>, label_sequence<I...>>{{A}});
  } else {
    constexpr auto axes = labelled_axes<I...>();
    const std::array<index, sizeof...(I)> at{index_or_zero(i)...};
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
      auto part = slice<axes[K]...>(A, at);
      using held = indexed_tensor<decltype(part), held_tensor<X>::is_temporary>;
      using sequence = typename join_labels<label_sequence<>, I...>::type;
      return make_leaf(tensor_access<held, sequence>{{part}});
    }
    (std::make_index_sequence<axes.size()>{});
  }
}

/// Gives any operand labels: indexed(a)(i, j), for types without a call operator of their own. May
/// be kept as an expression may.
template <class X>
struct indexed_operand {
  static constexpr bool is_kept = is_view<std::remove_cvref_t<X>>;
  using held = std::conditional_t<is_kept, std::remove_reference_t<X>, X&&>;
  held tensor;

  template <class... I>
  requires((index_label<I> || index_like<I>)&&...) constexpr auto operator()(I... i) && {
    return at_labels(static_cast<held>(tensor), i...);
  }
  template <class... I>
  requires((index_label<I> || index_like<I>)&&...) constexpr auto operator()(I... i) const& {
    if constexpr (is_kept || std::is_lvalue_reference_v<X>) {
      return at_labels(static_cast<held>(tensor), i...);
    } else {
      return indexing::outlived<X>();
    }
  }
};
template <tensor_like X>
constexpr indexed_operand<X> indexed(X&& A) {
  return {static_cast<X&&>(A)};
}

}  // namespace tenfold
