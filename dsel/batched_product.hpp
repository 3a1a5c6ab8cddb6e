#pragma once

#include <array>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/dsel/strided_copies.hpp>
#include <type_traits>

/// Literals over batches that no strides reach (interleaved, pointers, gathered): those that are
/// one batched matrix product run as gemm() does.
namespace tenfold::evaluating {

/// Which product the subscripts are: result [t, m, n] from a factor over m and k and one over k and
/// n, each with t in front or shared by all t.
struct product_form {
  bool found = false;
  bool swapped = false;  ///< the first factor has the columns of the result
  op op_a = op::none, op_b = op::none;
};

template <limits L>
constexpr product_form form_of_product(const statements<L>& said) {
  const statement<L>& s = said.list[0];
  if (said.count != 1 || s.factor_count != 2 || s.result.count != 3) return {};
  const int t = s.result[0], m = s.result[1], n = s.result[2];
  struct matrix {
    int row = -1, column = -1;
  };
  const auto matrix_of = [&](const term<L>& f) {
    const bool batch = f.labels.count == 3 && f.labels[0] == t;
    if (f.conjugated || f.labels.count != (batch ? 3 : 2)) return matrix{};
    return matrix{f.labels[batch ? 1 : 0], f.labels[batch ? 2 : 1]};
  };
  const matrix x = matrix_of(s.factors[0]), y = matrix_of(s.factors[1]);
  product_form form;
  form.swapped = x.row == n || x.column == n;
  const matrix &a = form.swapped ? y : x, &b = form.swapped ? x : y;
  const int k = a.row == m ? a.column : a.row;
  form.op_a = a.row == m ? op::none : op::transpose;
  form.op_b = b.column == n ? op::none : op::transpose;
  form.found = (a.row == m ? a.row : a.column) == m && (b.column == n ? b.row : b.column) == k &&
               (b.column == n || b.row == n) && k != t && k != m && k != n && m != n && m != t &&
               n != t;
  return form;
}

template <class X, class... Rest>
inline constexpr bool one_scalar = (std::is_same_v<typename operand_traits_of<X>::scalar_t,
                                                   typename operand_traits_of<Rest>::scalar_t> &&
                                    ...);

/// Whether a call with these operands, the result behind the two factors if it is not a new one, is
/// such a product, and one that gemm() takes: no extent is repeated, and a matrix for all problems
/// has strides.
template <class Text, class Call, class... X>
inline constexpr bool is_batched_product = [] {
  if constexpr (!all_strided<X...> && all_on_host<X...> && one_scalar<X...> &&
                Call::binding == bind_options{} && Text::said.stretchable == 0)
    return form_of_product(Text::said).found && (batched_blas::holds_matrices<X> && ...);
  else
    return false;
}();

/// y := alpha S(x0, x1) + beta y.
template <class Text, class X0, class X1, class Y>
void multiply_batches(Y& y, alpha_factor alpha, beta_factor beta, const X0& x0, const X1& x1) {
  using T = typename operand_traits_of<Y>::scalar_t;
  if (!is_complex(scalar_of<T>) && (alpha.im != 0 || beta.im != 0))
    throw_diagnostic({diagnosis::complex_factor}, Text::text);
  constexpr product_form form = form_of_product(Text::said);
  if constexpr (form.swapped)
    gemm<form.op_a, form.op_b>(factor_as<T>(alpha), x1, x0, factor_as<T>(beta), y);
  else
    gemm<form.op_a, form.op_b>(factor_as<T>(alpha), x0, x1, factor_as<T>(beta), y);
}

/// alpha S(x0, x1), a new row-major batch.
template <class Text, class X0, class X1>
auto product_of_batches(alpha_factor alpha, const X0& x0, const X1& x1) {
  constexpr auto& said = Text::said.list[0];
  constexpr auto axis = [](int label) {
    std::array<int, 2> at{-1, -1};  // operand, axis
    for (int f = 0; f < 2; ++f)
      for (int i = 0; i < said.factors[f].labels.count; ++i)
        if (said.factors[f].labels[i] == label) at = {f, i};
    return at;
  };
  constexpr std::array<std::array<int, 2>, 3> axes{axis(said.result[0]), axis(said.result[1]),
                                                   axis(said.result[2])};
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    using t0 = operand_traits_of<const X0>;
    using t1 = operand_traits_of<const X1>;
    using result =
        tensor<typename t0::scalar_t, (axes[I][0] == 0 ? t0::static_extents[axes[I][1]]
                                                       : t1::static_extents[axes[I][1]])...>;
    result y(typename result::extents_type(std::array<index, 3>{
        (axes[I][0] == 0 ? t0::extent(x0, axes[I][1]) : t1::extent(x1, axes[I][1]))...}));
    multiply_batches<Text>(y, alpha, beta_factor{0}, x0, x1);
    return y;
  }
  (std::make_index_sequence<3>{});
}

}  // namespace tenfold::evaluating
