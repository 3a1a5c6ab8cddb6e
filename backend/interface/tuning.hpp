#pragma once

#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/gemm.hpp>

/// What of a batched product is measured instead of derived. `select` gives the values that the
/// library is shipped with and says what each does; ./dev tune finds those of a machine.
namespace tenfold {

/// Of the meaning of the values, and of the forms in which they are kept.
inline constexpr int tuning_version = 4;

/// Scalar, layout of the result and order, for which values are found.
struct size_class {
  scalar type = scalar::f64;
  bool interleaved = false;  ///< C is; otherwise it is called strided
  int size = 0;              ///< the cube root of m n k is at most 2 << size; the last is beyond

  friend constexpr bool operator==(const size_class&, const size_class&) = default;
};

inline constexpr int size_count = 7, class_count = 4 * 2 * size_count;

/// Classes as numbers from 0 to class_count - 1.
[[gnu::always_inline]] constexpr int number_of(const size_class& c) {
  return (static_cast<int>(c.type) * 2 + (c.interleaved ? 1 : 0)) * size_count + c.size;
}
constexpr size_class class_of(int number) {
  return {static_cast<scalar>(number / size_count / 2), number / size_count % 2 == 1,
          number % size_count};
}

/// Always inline, as what select asks with it: it is asked in code for several instruction sets.
[[gnu::always_inline]] constexpr size_class class_of(const gemm_shape& s) {
  constexpr index most = index{1} << 20;  // the product of three fits
  const auto up_to = [](index x) { return x < most ? x : most; };
  const auto work = static_cast<unsigned long long>(up_to(s.m) * up_to(s.n) * up_to(s.k));
  const int bits = work <= 1 ? 0 : 64 - __builtin_clzll(work - 1);  // of orders up to 2: 3
  const int size = bits <= 3 ? 0 : (bits + 2) / 3 - 1;
  return {s.type, s.c.layout == batch_layout::interleaved,
          size < size_count ? size : size_count - 1};
}

/// What is measured of one class. Bytes are those of the operands of one problem, or by lanes of
/// one tile of problems.
struct gemm_tuning {
  int columns_rows;     ///< the most rows of a register tile by columns
  int columns_vectors;  ///< the most vectors of columns of one
  int lanes_rows;       ///< the most rows of a register tile by lanes
  int lanes_columns;    ///< the most columns of one
  int unroll;   ///< the most products of a register tile whose loop over a static k is unrolled
  int narrows;  ///< 1: rows that fit half a vector are half vectors; 2: so are ends of rows that
                ///< do; 0: partial whole ones
  int l2_from;  ///< the least bytes that are fetched ahead from L2
  int l2_to;    ///< the most; fetched further ahead they go to L2 only
  int l3_from;       ///< the least bytes that are fetched ahead from L3, in line
  int memory_from;   ///< the same from memory
  int memory_to;     ///< the most that are fetched ahead from beyond L2
  int distance;      ///< bytes between those at work and those fetched from beyond L2
  int repeats;       ///< how often a line that is fetched to L2 is asked for
  int group;         ///< bytes of the problems through which one register tile goes before the next
  int stream_to;     ///< the most bytes of a result that goes past the caches, by columns by way of
                     ///< scratch; 0: none does
  int stream_group;  ///< bytes of results that wait in scratch
  int task;          ///< work of a task of the thread pool, in 1024 flops
  int lanes_cost;    ///< percent: by how much lanes of problems are taken to cost more than said
  int panel_rows;    ///< the least rows of A for which B is copied into panels

  friend constexpr bool operator==(const gemm_tuning&, const gemm_tuning&) = default;
};

/// A value of gemm_tuning by its name, and between which bounds it may be.
struct tuning_field {
  const char* name;
  int gemm_tuning::*value;
  int least, most;
};
inline constexpr tuning_field tuning_fields[] = {
    {"columns_rows", &gemm_tuning::columns_rows, 1, 16},
    {"columns_vectors", &gemm_tuning::columns_vectors, 1, 4},
    {"lanes_rows", &gemm_tuning::lanes_rows, 1, 8},
    {"lanes_columns", &gemm_tuning::lanes_columns, 1, 6},
    {"unroll", &gemm_tuning::unroll, 0, 1024},
    {"narrows", &gemm_tuning::narrows, 0, 2},
    {"l2_from", &gemm_tuning::l2_from, 0, 1 << 30},
    {"l2_to", &gemm_tuning::l2_to, 0, 1 << 30},
    {"l3_from", &gemm_tuning::l3_from, 0, 1 << 30},
    {"memory_from", &gemm_tuning::memory_from, 0, 1 << 30},
    {"memory_to", &gemm_tuning::memory_to, 0, 1 << 30},
    {"distance", &gemm_tuning::distance, 1, 1 << 20},
    {"repeats", &gemm_tuning::repeats, 1, 8},
    {"group", &gemm_tuning::group, 1, 1 << 20},
    {"stream_to", &gemm_tuning::stream_to, 0, 1 << 30},
    {"stream_group", &gemm_tuning::stream_group, 1, 1 << 20},
    {"task", &gemm_tuning::task, 1, 1 << 20},
    {"lanes_cost", &gemm_tuning::lanes_cost, 1, 10000},
    {"panel_rows", &gemm_tuning::panel_rows, 1, 1 << 30},
};

constexpr bool is_valid(const gemm_tuning& t) {
  for (const tuning_field& f : tuning_fields) {
    if (t.*f.value < f.least || t.*f.value > f.most) return false;
  }
  return true;
}

/// All classes of one instruction set.
struct tuning {
  gemm_tuning classes[class_count];

  [[gnu::always_inline]] constexpr const gemm_tuning& of(const gemm_shape& s) const {
    return classes[number_of(class_of(s))];
  }
  friend constexpr bool operator==(const tuning&, const tuning&) = default;
};

/// A class of an instruction set, and what was found for it.
struct tuned_class {
  instruction_set set;
  size_class which;
  gemm_tuning found;
};

template <int N>
constexpr bool are_valid(const tuned_class (&list)[N]) {
  for (const tuned_class& one : list) {
    if (!is_valid(one.found)) return false;
  }
  return true;
}

}  // namespace tenfold
