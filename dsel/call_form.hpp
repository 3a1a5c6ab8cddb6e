#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/tensor/entries_apart.hpp>

/// A call of a literal as data: what its types tell of the operands in constants, and the numbers
/// that they leave open in one list. One function of the library admits every call that leaves
/// something open; of others the caller compares addresses and asks it only where they meet. Code
/// of its own for each shape cost the compiler as much as the arithmetic.
namespace tenfold {

/// An axis of which a type leaves something open, or whose label may be stretched; `dyn` is what
/// the call tells.
struct open_axis {
  int axis = 0, label = 0;
  index extent = 0, stride = 0;
};

/// The bytes that an operand spans around entry (0, 0, ...): [low, high); none if `empty`.
struct byte_span {
  index low = 0, high = 0;
  bool empty = false;

  /// What overflows has no entries along some other axis: no memory is that large.
  constexpr void add_axis(index extent, index stride, index size) {
    index reach = 0;
    bool beyond = extent == 0;
    beyond = beyond || __builtin_mul_overflow(extent - 1, stride, &reach);
    beyond = beyond || __builtin_mul_overflow(reach, size, &reach);
    beyond = beyond || __builtin_add_overflow(low, reach < 0 ? reach : 0, &low) ||
             __builtin_add_overflow(high, reach < 0 ? 0 : reach, &high);
    empty = empty || beyond;
  }
};

/// The addresses that it spans from entry (0, 0, ...) at `data` on; none if both are null.
struct address_range {
  const char *first = nullptr, *last = nullptr;

  address_range() = default;
  address_range(const void* data, const byte_span& span) {
    if (span.empty) return;
    first = static_cast<const char*>(data) + span.low;
    last = static_cast<const char*>(data) + span.high;
  }
  bool meets(const address_range& other) const { return first < other.last && other.first < last; }
};

/// What the type of an operand tells.
struct known_operand {
  scalar type = scalar::f64;
  bool conjugated = false;
  batch_layout layout = batch_layout::strided;
  device space = device::cpu;
  int rank = 0;
  const index* extents = nullptr;
  const index* strides = nullptr;
  int first_open = 0, open_end = 0;  ///< its open axes
  byte_span span{};                  ///< along its other axes
};

/// What the types of a call tell: of the inputs and, behind them, of the output if there is one.
struct call_form {
  const known_operand* operands = nullptr;
  const open_axis* open = nullptr;
  int input_count = 0;
  bool has_output = false;
  bool may_coincide = false;       ///< extents decide whether its strides keep entries apart
  const index* extents = nullptr;  ///< of the labels
  int label_count = 0;
  label_set stretchable = 0;
  const bind_options* options = nullptr;
};

/// Storage of a form.
template <std::size_t Operands, std::size_t Axes>
struct call_form_data {
  known_operand operands[Operands];
  open_axis open[Axes + 1] = {};
  int operand_count = 0, open_count = 0;
  int number_count = 0;  ///< numbers that the call tells

  template <std::size_t Rank, class Labels>
  constexpr void add(known_operand form, const std::array<index, Rank>& extents,
                     const std::array<index, Rank>& strides, const Labels& labels,
                     label_set stretchable) {
    form.rank = static_cast<int>(Rank);
    form.extents = extents.data();
    form.strides = strides.data();
    form.first_open = open_count;
    const auto size = static_cast<index>(bytes_of(form.type));
    form.span.high = size;
    for (std::size_t i = 0; i < Rank; ++i) {
      const int axis = static_cast<int>(i), label = labels[axis];
      const index n = extents[i], stride = strides[i];
      if (n == dyn || stride == dyn || contains(stretchable, label)) {
        open[open_count++] = {axis, label, n, stride};
        number_count += (n == dyn) + (stride == dyn);
      } else {
        form.span.add_axis(n, stride, size);
      }
    }
    form.open_end = open_count;
    operands[operand_count++] = form;
  }
};

/// The form of expression E over operands of the types Z..., of which the last is the output if
/// `Into`.
template <class E, bool Into, class... Z>
struct form_of_call {
  static constexpr auto data = [] {
    call_form_data<sizeof...(Z), (0 + ... + static_cast<std::size_t>(operand_traits_of<Z>::rank))>
        d;
    const auto labels = [&]() -> const auto& {
      const auto at = static_cast<std::size_t>(d.operand_count);
      return Into && at + 1 == sizeof...(Z) ? E::text::result : E::text::operands[at];
    };
    (d.add({scalar_of<typename operand_traits_of<Z>::scalar_t>, conjugates<Z>,
            operand_traits_of<Z>::layout, operand_traits_of<Z>::space},
           operand_traits_of<Z>::static_extents, operand_traits_of<Z>::static_strides, labels(),
           E::stretchable),
     ...);
    return d;
  }();
  static constexpr bool may_coincide = [] {
    if constexpr (Into) {
      const known_operand& y = data.operands[sizeof...(Z) - 1];
      for (int i = 0; i < y.rank; ++i) {
        if (y.strides[i] == dyn) return false;  // nothing is planned yet
      }
      return !entries_apart(y.extents, y.strides, y.rank);
    }
    return false;
  }();
  static constexpr call_form value{data.operands,
                                   data.open,
                                   static_cast<int>(sizeof...(Z)) - Into,
                                   Into,
                                   may_coincide,
                                   E::bound.value.extent,
                                   E::bound.value.label_count,
                                   E::stretchable,
                                   &E::binding};

  /// Writes the numbers that operand O leaves open.
  template <std::size_t O, class X>
  [[gnu::always_inline]] static index* tell(const X& x, index* at) {
    using traits = operand_traits_of<const X>;
    for (int a = data.operands[O].first_open; a < data.operands[O].open_end; ++a) {
      const open_axis& axis = data.open[a];
      if (axis.extent == dyn) *at++ = traits::extent(x, axis.axis);
      if (axis.stride == dyn) *at++ = traits::stride(x, axis.axis);
    }
    return at;
  }
};

/// A call in numbers: for each operand its address and, one operand after another, what it leaves
/// open of its axes: the extent, the stride.
struct call_numbers {
  const void* const* data;
  const index* open;
};

/// Learns the extents of the labels. Returns the labels along which an operand of one entry is
/// repeated where the compiler did not know. Throws shape_error where two extents differ, and
/// overlap_error unless the operands are proved to lie apart from the output.
label_set admit(const call_form& form, std::string_view text, const call_numbers& numbers,
                index* extents);

/// Evaluates a call that has been admitted as one known only when the program runs.
void evaluate_admitted(const call_form& form, std::string_view text, const call_numbers& numbers,
                       const operand_shape<max_rank>& y_shape, void* y,
                       const call_settings& settings);

}  // namespace tenfold
