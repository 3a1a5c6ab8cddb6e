#pragma once

#include <string_view>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/dsel/options.hpp>
#include <tenfold/tensor/dynamic_tensor.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// The compiled door to everything that is known only when the program runs. Parser, planner and
/// programs are the same templates as at compile time, instantiated once in the library.
namespace tenfold {

/// An operand without its type.
struct run_time_operand {
  operand_shape<max_rank> shape;
  const void* data = nullptr;
  entry_map map{};                       ///< of a gathered operand
  const scatter_order* order = nullptr;  ///< in which results are added to it
};

/// Tells of x in `out`, of which nothing was told.
template <tensor_like X>
void tell_operand(run_time_operand& out, const X& x) {
  using traits = operand_traits_of<const X>;
  set_shape(out.shape, x);
  out.data = traits::data(x);
  if constexpr (requires { traits::order(x); }) {
    out.map = {traits::map(x), traits::wide_map(x), traits::array_size(x)};
    out.order = traits::order(x);
  }
}
template <class T>
void tell_operand(run_time_operand& out, const dynamic_tensor<T>& x) {
  out.shape = x.shape();
  out.data = x.data();
}
template <class X>
requires requires(run_time_operand& out, const X& x) { tell_operand(out, x); }
run_time_operand run_time_operand_of(const X& x) {
  run_time_operand out;
  tell_operand(out, x);
  return out;
}

/// Writes the result of an expression given as a string, or of its plan, into a tensor of run-time
/// rank: einsum(text, into(C), A, B). Throws as for any destination.
template <scalar_type T>
destination<dynamic_tensor<T>> into(dynamic_tensor<T>& y) {
  return {y};
}

/// Where a result lies, or the list of where it lies, without its type, and its shape.
template <class Y>
void* run_time_address(Y& y) {
  return const_cast<void*>(static_cast<const void*>(operand_traits_of<Y>::data(y)));
}
template <class T>
void* run_time_address(dynamic_tensor<T>& y) {
  return y.data();
}
template <class Y>
operand_shape<max_rank> run_time_shape(const Y& y) {
  return shape_of<max_rank>(y);
}
template <class T>
operand_shape<max_rank> run_time_shape(const dynamic_tensor<T>& y) {
  return y.shape();
}

/// What a call says beside its operands.
struct call_settings {
  alpha_factor alpha{1};
  beta_factor beta{0};
  bind_options binding{};
  path_options path{};
};

/// Throws subscript_error, shape_error or backend_error (a layout or memory that it cannot read)
/// with the sentence of what is wrong, if anything is; `y` may be null.
void check(std::string_view text, const run_time_operand* inputs, int count,
           const operand_shape<max_rank>* y, const bind_options& options);

/// Extents and row-major strides of the result of `text` over the operands.
/// Throws as check, and shape_error where the extents multiply to too many entries.
operand_shape<max_rank> result_shape(std::string_view text, const run_time_operand* inputs,
                                     int count, const bind_options& options);

/// y := alpha * expression + beta * y. alpha == 0 reads no input; beta == 0 does not read y.
/// Throws as check, shape_error for a complex factor of a real result, overlap_error where `y` may
/// share entries with an input or with itself, and backend_error where no order of multiplication
/// is found or the program is too long; `y` is untouched after a throw.
void evaluate(std::string_view text, const run_time_operand* inputs, int count,
              const operand_shape<max_rank>& y_shape, void* y, const call_settings& settings);

/// y := beta * y, the meaning of alpha == 0.
void scale(const operand_shape<max_rank>& y_shape, void* y, beta_factor beta);

/// Whether `y` and the input are proved to share no address.
bool are_disjoint(const run_time_operand& input, const operand_shape<max_rank>& y_shape,
                  const void* y);

/// Whether entries are told of but no address.
bool lacks_memory(const operand_shape<max_rank>& shape, const void* data);

/// Throws shape_error for what lacks memory and, unless `y_shape` is null, overlap_error unless `y`
/// and each input are proved to share no address; both name the operand.
void check_addresses(std::string_view text, const run_time_operand* inputs, int count,
                     const operand_shape<max_rank>* y_shape, const void* y);

/// The full sentence: `tenfold: "ij,jk->im": output label 'm' at position 8 is in no operand`.
[[noreturn]] void throw_diagnostic(const diagnostic& error, std::string_view text);

}  // namespace tenfold
