#pragma once

#include <tenfold/backend/cuda/base.device.hpp>
#include <tenfold/backend/interface/device_step.hpp>

/// The operands of the steps of one phase: the shared memory of a block, where an element lies in
/// the batch, where a line lies in each operand, and how it is read and written.
///
/// The text of a phase is a type P of constants, which device_step.hpp and device_program.hpp
/// explain: `entry`, `steps`, `loops`, `first_copy`, `first_step`, `step_count`, `last_readers`,
/// `shares`, `batch_loops`, `batch_extents`, `block_entries`, `element_entries`, `line_entries`,
/// `threads`, `elements`, `places`, `straight`, `skips`; and `constants()`, the tables in its
/// constant memory, if it has any.
namespace tenfold::cuda {

template <class P>
using arguments_of = device_phase_arguments<typename P::entry, P::places>;

/// Shared memory of a block. Bases, because a base without members takes no room.
template <class T, long long Entries>
struct entries_of_block {
  T block[Entries];
};
template <class T>
struct entries_of_block<T, 0> {};
template <class T, long long Entries, int Elements>
struct entries_of_elements {
  T element[Elements * Entries];
};
template <class T, int Elements>
struct entries_of_elements<T, 0, Elements> {};
template <class P>
struct phase_memory : entries_of_block<typename P::entry, P::block_entries>,
                      entries_of_elements<typename P::entry, P::element_entries, P::elements> {};

/// Where an element is in the batch, and in shared memory.
struct element_at {
  long long number;
  int slot;
};

/// How many elements a value of a loop of the batch stands for: those of the loops inside it.
template <class P>
constexpr unsigned long long elements_of_value(int loop) {
  unsigned long long n = 1;
  for (int l = loop + 1; l < P::batch_loops; ++l) n *= P::batch_extents[l];
  return n;
}
/// Which value of a loop of the batch an element belongs to. Constants are divided by in a few
/// instructions.
template <class P, int Loop>
TENFOLD_DEVICE long long value_of_batch_loop(element_at e) {
  constexpr unsigned long long inside = elements_of_value<P>(Loop);
  const auto value = static_cast<unsigned long long>(e.number) / inside;
  if constexpr (Loop == 0) {
    return static_cast<long long>(value);
  } else {
    constexpr unsigned long long extent = P::batch_extents[Loop];
    return static_cast<long long>(value % extent);
  }
}

/// How far the element lies from the first one of a place.
template <class P, int Loop = 0>
TENFOLD_DEVICE long long distance(const device_base& place, element_at e) {
  if constexpr (Loop == P::batch_loops)
    return 0;
  else
    return value_of_batch_loop<P, Loop>(e) * place.steps[Loop] + distance<P, Loop + 1>(place, e);
}

// ---- operands -----------------------------------------------------------------------------------

/// Which operand of a step.
enum class operand_of_step : unsigned char { a, b, add, to };

constexpr const device_operand& operand(const device_step& s, operand_of_step which) {
  using is = operand_of_step;
  return which == is::a ? s.a : which == is::b ? s.b : which == is::add ? s.add : s.to;
}
constexpr long long stride(const device_loop& l, operand_of_step which) {
  using is = operand_of_step;
  return which == is::a ? l.a : which == is::b ? l.b : which == is::add ? l.add : l.to;
}

/// The furthest that a line of a step lies from the first one.
template <class P>
constexpr long long furthest(const device_step& s, operand_of_step which) {
  const auto size = [](long long x) { return x < 0 ? -x : x; };
  long long far = size(stride(s.rows, which)) * s.row_count;
  for (int l = 0; l < s.line_loops; ++l) {
    const device_loop& loop = P::loops[s.first_loop + l];
    far += size(stride(loop, which)) * loop.extent;
  }
  return far + sum_parts(s, P::loops) * s.part_to;
}

/// A distance of so many bits.
template <bool Near>
struct distance_type {
  using type = int;
};
template <>
struct distance_type<false> {
  using type = long long;
};
/// What tells how far a line of a step lies from the first one.
template <class P, device_step step, operand_of_step Which>
using line_distance = typename distance_type<(furthest<P>(step, Which) < 1ll << 31)>::type;

/// How far it is to line number `line` along the loops [First, First + Count) of P.
template <class P, int First, int Count, operand_of_step Which, class D, class I>
TENFOLD_DEVICE D distance_to_line(I line) {
  if constexpr (Count == 0) {
    return 0;
  } else {
    constexpr device_loop loop = P::loops[First + Count - 1];
    const I i = Count == 1 ? line : line % static_cast<I>(loop.extent);
    return static_cast<D>(i) * static_cast<D>(stride(loop, Which)) +
           distance_to_line<P, First, Count - 1, Which, D>(line / static_cast<I>(loop.extent));
  }
}

/// On the host looks whether an entry of the shared memory of elements is one that element `slot`
/// has of an operand.
template <device_operand X, int Elements>
TENFOLD_DEVICE void check_element([[maybe_unused]] int slot, [[maybe_unused]] int at) {
#if !defined(__CUDACC__)
  emulated::check_range(at, X.stretch * Elements + slot * X.apart, X.apart);
#endif
}

/// An operand of one line: where its row 0 lies.
template <class P, device_operand X>
struct operand_of_line {
  using T = typename P::entry;
  using S = typename scalar_type_of<X.type>::type;

  S* entry = nullptr;         ///< global: in the memory of the device; mapped: the first of all
  const void* map = nullptr;  ///< mapped
  long long number = 0;       ///< mapped: in the map
  int at = 0;                 ///< element, block, constant
  int slot = 0;               ///< element: of which

  operand_of_line() = default;
  template <class D>
  TENFOLD_DEVICE operand_of_line(const arguments_of<P>& x, element_at e, D line) {
    if constexpr (X.where == device_memory::global) {
      const device_base& place = x.places[X.place];
      // What is written lies among what is read, and so by way of the same type.
      entry = static_cast<S*>(const_cast<void*>(place.data));
      const long long element = X.apart != 0 ? e.number * X.apart : distance<P>(place, e);
      if constexpr (X.mapped) {
        map = place.map;
        number = element + line;
      } else {
        entry = entry + element + line;
      }
    } else {
      at = static_cast<int>(X.offset + line);
      if constexpr (X.where == device_memory::element) {
        at += static_cast<int>(X.stretch) * P::elements + e.slot * static_cast<int>(X.apart);
        slot = e.slot;
      }
    }
  }

  /// Where the entry lies that is so far from row 0 by the map; -1: nowhere.
  TENFOLD_DEVICE long long through_map(long long further) const {
    if constexpr (X.wide_map)
      return static_cast<const long long*>(map)[number + further];
    else
      return static_cast<const int*>(map)[number + further];
  }

  /// The entry of the element so far from row 0.
  TENFOLD_DEVICE T& of_element(phase_memory<P>& memory, long long further) const {
    const int there = at + static_cast<int>(further);
    check_element<X, P::elements>(slot, there);
    return memory.element[there];
  }

  /// The entry so far from row 0; `values` are the registers of the line.
  template <class Values>
  TENFOLD_DEVICE T load(phase_memory<P>& memory, const Values& values, long long further) const {
    if constexpr (X.where == device_memory::line) {
      return values[X.offset + further];
    } else if constexpr (X.where == device_memory::element) {
      return of_element(memory, further);
    } else if constexpr (X.where == device_memory::block) {
      return memory.block[at + static_cast<int>(further)];
    } else if constexpr (X.where == device_memory::constant) {
      return P::constants()[at + static_cast<int>(further)];
    } else {
      const long long to = X.mapped ? through_map(further) : further;
      if (X.mapped && to < 0) return T{};
      const T value = as<T>(entry[to]);
      if constexpr (X.conjugated)
        return conjugate(value);
      else
        return value;
    }
  }

  template <class Values>
  TENFOLD_DEVICE void store(phase_memory<P>& memory, Values& values, long long further,
                            T value) const {
    if constexpr (X.where == device_memory::line) {
      values[X.offset + further] = value;
    } else if constexpr (X.where == device_memory::element) {
      of_element(memory, further) = value;
    } else if constexpr (X.where == device_memory::block) {
      memory.block[at + static_cast<int>(further)] = value;
    } else if constexpr (X.mapped) {
      const long long to = through_map(further);
      if (to >= 0) atomic_set(entry + to, as<S>(value));  // elements share entries
    } else {
      entry[further] = as<S>(value);
    }
  }

  /// Adds where other threads may add, too.
  TENFOLD_DEVICE void scatter(long long further, T value) const {
    const long long to = through_map(further);
    if (to >= 0) atomic_add(entry + to, as<S>(value));
  }
};

}  // namespace tenfold::cuda
