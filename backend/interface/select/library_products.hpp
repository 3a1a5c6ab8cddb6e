#pragma once

#include <tenfold/backend/interface/device_capabilities.hpp>
#include <tenfold/backend/interface/library_product.hpp>

/// Batched products on a GPU that its vendor's library computes.
namespace tenfold::select {

/// The least rows and columns of a C for which the library is asked, and twice the least terms of
/// its sums. On an H200 it is 0.99, 0.95, 1.32 and 1.36 times as fast as our kernel for n = 64,
/// 128, 256 and 512 in single precision, in double precision, where it has the tensor
/// cores, 1.24, 2.8, 3.2 and 3.5 times; for n = 32 0.7 and 1.0 times. Of a C that is long, but
/// narrow, much of its tiles would be empty.
inline constexpr index library_order = 64;

constexpr bool library_pays(const gemm_shape& s) {
  return s.m >= library_order && s.n >= library_order && s.k >= library_order / 2;
}

/// How a stored matrix of rows x columns is one that lies by columns; ld = 0: it is none.
struct library_matrix {
  library_op how = library_op::none;
  index ld = 0;
};
constexpr library_matrix library_matrix_of(const matrix_batch& x, index rows, index columns,
                                           scalar type) {
  const bool conjugates = x.conjugated && is_complex(type);
  if (x.row == 1 && x.column >= rows && !conjugates) return {library_op::none, x.column};
  if (x.column == 1 && x.row >= columns)
    return {conjugates ? library_op::conjugate_transpose : library_op::transpose, x.row};
  return {};
}

/// How the library computes a product; not possible: it cannot, or it does not pay. `least_step`:
/// of the entries from one problem to the next, the least of the three operands; that the library
/// goes back from problem to problem is not documented.
constexpr library_product library_product_of(const gemm_shape& shape, index least_step = 0,
                                             const gemm_alignment& alignment = {}) {
  if (!library_pays(shape) || least_step < 0) return {};
  const bool turned = shape.c.column == 1;
  const gemm_shape s = turned ? transposed(shape) : shape;
  const gemm_alignment lies = turned ? transposed(alignment) : alignment;

  const batch_layout layout = s.c.layout;
  if (s.a.layout != layout || s.b.layout != layout || s.c.shared) return {};
  if (layout == batch_layout::pointers) {
    // Complex entries of the library are aligned to their size; of addresses that lie on the device
    // nobody knows that here.
    if (s.a.shared || s.b.shared || is_complex(s.type)) return {};
  } else if (layout != batch_layout::strided) {
    return {};
  }
  const int entry = static_cast<int>(bytes_of(s.type));
  if (lies.a.bytes < entry || lies.b.bytes < entry || lies.c.bytes < entry) return {};

  const library_matrix a = library_matrix_of(s.a, s.m, s.k, s.type),
                       b = library_matrix_of(s.b, s.k, s.n, s.type),
                       c = library_matrix_of(s.c, s.m, s.n, s.type);
  if (a.ld == 0 || b.ld == 0 || c.ld == 0 || c.how != library_op::none) return {};
  return {true, turned, s.type, layout, s.m, s.n, s.k, a.how, b.how, a.ld, b.ld, c.ld};
}

/// Whether the library's blocks for a product, taken to have 128 x 128 entries of C each, would
/// leave more than half of a device idle.
inline bool leaves_idle(const library_call& x, const device_capabilities& d) {
  constexpr index side = 128;
  const auto tiles = [](index n) { return (n + side - 1) / side; };
  return 2 * x.arguments.count * tiles(x.product.m) * tiles(x.product.n) < d.multiprocessors;
}

/// Whether products of one call, one right after the other, go to the library together: their
/// matrices lie at addresses, so that they are real, each list of addresses goes on where that of
/// the last one ends, and each would leave much of the device idle. On an H200 the library's call
/// for groups computed one that fills it at 0.31, 1.01, 0.97 and 0.98 of the speed of the call for
/// one for n = 64, 128, 256 and 1024 in single precision, in double precision, for which it does
/// not use the tensor cores, at 0.69, 0.56, 0.51 and 0.49.
inline bool library_joins(const library_call& last, const library_call& next,
                          const device_capabilities& d) {
  const auto goes_on = [&](const batch_place& from, const batch_place& to) {
    return static_cast<const void* const*>(from.data) + last.arguments.count == to.data;
  };
  const library_arguments &x = last.arguments, &y = next.arguments;
  return last.product.possible && next.product.possible && last.product.type == next.product.type &&
         last.product.layout == batch_layout::pointers &&
         next.product.layout == batch_layout::pointers && goes_on(x.a, y.a) && goes_on(x.b, y.b) &&
         goes_on(x.c, y.c) && leaves_idle(last, d) && leaves_idle(next, d);
}

}  // namespace tenfold::select
