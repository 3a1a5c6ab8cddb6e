#pragma once

#include <cstdint>
#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// How much room the plain data of an expression has. Both times take the smallest limits that hold
/// the text, because every entry costs the compiler work and a call the time to clear it. All
/// planning is one set of templates over it.
struct limits {
  int operands;
  int labels;  ///< distinct ones, at most 64
  int rank;
  int statements = 1;  ///< one for a product; a sum needs one for each product and one more
  int steps = 0;       ///< of a plan, at most 64; 0: those of one product or sum

  /// A product takes one step less than it has operands, and one for each that is summed alone.
  constexpr int most_steps() const { return steps > 0 ? steps : 2 * operands; }

  friend constexpr bool operator==(const limits&, const limits&) = default;
};

inline constexpr limits small_limits{4, 12, 8};
inline constexpr limits medium_limits{10, 24, 12};
inline constexpr limits large_limits{32, 64, 32};

/// The same room with statements for a sum: every operand may be a product of its own.
constexpr limits with_sums(limits l) {
  l.statements = l.operands + 1;
  return l;
}

/// A set of labels, one bit each.
using label_set = std::uint64_t;

constexpr label_set bit(int label) { return label_set{1} << label; }
constexpr bool contains(label_set set, int label) { return (set >> label & 1) != 0; }

/// The labels of one operand in their order.
template <int MaxRank>
struct label_list {
  int count = 0;
  std::uint8_t id[MaxRank] = {};

  constexpr int operator[](int i) const { return id[i]; }
  constexpr void push(int label) { id[count++] = static_cast<std::uint8_t>(label); }

  constexpr void remove(int label) {
    const int at = find(label);
    if (at < 0) return;
    --count;
    for (int i = at; i < count; ++i) id[i] = id[i + 1];
    id[count] = 0;
  }

  constexpr label_set set() const {
    label_set s = 0;
    for (int i = 0; i < count; ++i) s |= bit(id[i]);
    return s;
  }

  /// Position of `label`, or -1.
  constexpr int find(int label) const {
    for (int i = 0; i < count; ++i) {
      if (id[i] == label) return i;
    }
    return -1;
  }

  friend constexpr bool operator==(const label_list&, const label_list&) = default;
};

}  // namespace tenfold
