#pragma once

#include <tenfold/contraction/kernel.hpp>

/// A kernel whose stacks and compact matrices are gone: statements over slices of its operands.
namespace tenfold {

/// One way in which an operand is read: through labels, its other axes fixed.
struct unrolled_input {
  int operand = -1;
  label_list<kernel_access::max_rank> labels{};
  int fixed[kernel_access::max_rank] = {};  ///< by axis: the index; -1: a label stands there

  /// Whether it is the same entries, each axis with a label of its own.
  constexpr bool reads_as(const unrolled_input& other) const {
    if (operand != other.operand || labels.count != other.labels.count) return false;
    for (int axis = 0; axis < kernel_access::max_rank; ++axis) {
      if (fixed[axis] != other.fixed[axis]) return false;
    }
    for (int i = 0; i < labels.count; ++i) {
      if (labels.find(labels[i]) != i || other.labels.find(other.labels[i]) != i) return false;
    }
    return true;
  }

  friend constexpr bool operator==(const unrolled_input&, const unrolled_input&) = default;
};

template <limits L>
struct unrolled_kernel {
  statements<L> said{};
  label_names<L> names{};
  unrolled_input inputs[L.operands] = {};
  int label[L.labels] = {};  ///< the label of the kernel that each is
  int batch = -1;
};

/// How much that is.
struct unrolled_size {
  static constexpr int most = 64;
  int inputs = 0, labels = 0, rank = 0, statements = 0, steps = 0;
  int factors = 0;    ///< the most of a product
  diagnostic open{};  ///< unknown_extent: where a label that goes stands whose extent is not known
  diagnostic error{};

  /// The limits that hold it.
  constexpr limits bounds() const {
    int terms = 2;
    for (const int n : {inputs, statements, factors}) terms = n > terms ? n : terms;
    return {terms, labels < 1 ? 1 : labels, rank < 1 ? 1 : rank, statements < 1 ? 1 : statements,
            steps < most ? steps : most};
  }
};

/// Room for every kernel that the library unrolls.
inline constexpr limits kernel_limits{unrolled_size::most, kernel::max_labels,
                                      kernel_access::max_rank, unrolled_size::most,
                                      unrolled_size::most};

/// The shape of one slice of an operand, and where it starts.
template <int R>
struct operand_slice {
  operand_shape<R> shape;
  index offset = 0;
};
template <int R>
constexpr operand_slice<R> slice_of(const operand_shape<R>& whole, const unrolled_input& in) {
  operand_slice<R> s{whole};
  s.shape.extents = {};
  s.shape.strides = {};
  s.shape.rank = 0;
  for (int axis = 0; axis < whole.rank; ++axis) {
    const auto from = static_cast<std::size_t>(axis), to = static_cast<std::size_t>(s.shape.rank);
    if (in.fixed[axis] < 0) {
      s.shape.extents[to] = whole.extents[from];
      s.shape.strides[to] = whole.strides[from];
      ++s.shape.rank;
    } else if (in.fixed[axis] > 0) {
      const index stride = whole.strides[from];
      s.offset = s.offset == dyn || stride == dyn ? dyn : s.offset + in.fixed[axis] * stride;
    }
    if (in.fixed[axis] >= 0) s.shape.symmetry = reflection::none;
  }
  return s;
}

}  // namespace tenfold
