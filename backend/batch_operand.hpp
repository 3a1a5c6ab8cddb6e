#pragma once

#include <tenfold/backend/interface/gemm.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// Operands, of whatever layout, as the data that batched products and conversions take.
namespace tenfold {

/// How the matrices of an operand, its last two axes, are stored; `dyn` where the shape does not
/// tell.
template <int R>
constexpr matrix_batch matrices_of(const operand_shape<R>& shape) {
  const auto last = static_cast<std::size_t>(shape.rank - 1);
  matrix_batch x;
  x.layout = shape.layout;
  x.row = shape.strides[last - 1];
  x.column = shape.strides[last];
  x.block = shape.block;
  x.conjugated = is_complex(shape.type) && shape.conjugated;
  return x;
}

/// Where an operand lies whose first axis is the batch.
template <class X>
batch_place place_of(X& x) {
  using traits = operand_traits_of<X>;
  batch_place p{traits::data(x), traits::stride(x, 0)};
  if constexpr (requires { traits::map(x); }) {
    p.map = traits::map(x);
    p.wide_map = traits::wide_map(x);
  }
  if constexpr (requires { traits::order(x); }) p.order = traits::order(x);
  return p;
}

}  // namespace tenfold
