#pragma once

#include <tenfold/tensor/reflection_kind.hpp>

/// The halves of a matrix that is symmetric under reflection, made on a GPU: device code reads this
/// header too, so it includes nothing of the standard library.
namespace tenfold {

/// Threads of the one block.
inline constexpr int device_halve_threads = 256;

/// Where the halves E and O (program_step) of a table of so many rows and columns lie on a GPU: E
/// by rows, O by rows behind it. In a matrix of the table's size, where programs have them, they
/// would leave gaps, and constant memory hands out 2 KiB at full speed: on an H200 the stiffness
/// operators of degree 10 and 12 ran at 0.90 and 0.78 times the rate so.
struct device_halves {
  reflection kind = reflection::even;
  long long rows = 0, columns = 0;

  constexpr long long even_rows() const { return (rows + (kind == reflection::even ? 1 : 0)) / 2; }
  constexpr long long even_columns() const { return (columns + 1) / 2; }
  constexpr long long odd_rows() const { return rows - even_rows(); }
  constexpr long long odd_columns() const { return columns / 2; }
  constexpr long long odd_begin() const { return even_rows() * even_columns(); }
  constexpr long long entries() const { return odd_begin() + odd_rows() * odd_columns(); }
};

/// Where E[m][k] and O[m][k] lie of what is applied: the table, or its transpose, whose halves are
/// those of the table transposed, in each other's place where s = -1.
struct device_applied_halves {
  device_halves table;
  bool transposed = false;

  constexpr long long even_at(long long m, long long k) const { return at(m, k, swapped()); }
  constexpr long long odd_at(long long m, long long k) const { return at(m, k, !swapped()); }

 private:
  constexpr bool swapped() const { return transposed && table.kind == reflection::odd; }
  constexpr long long at(long long m, long long k, bool in_odd) const {
    const long long row = transposed ? k : m, column = transposed ? m : k;
    return in_odd ? table.odd_begin() + row * table.odd_columns() + column
                  : row * table.even_columns() + column;
  }
};

/// The one argument of the device kernel: A[m][k] at m row + k column from `from`; the halves go to
/// `to`, as device_halves says. All addresses are the device's.
template <class T>
struct device_halve_arguments {
  const T* from = nullptr;
  T* to = nullptr;
  long long rows = 0, columns = 0, row = 0, column = 0;
  reflection kind = reflection::even;
};

}  // namespace tenfold
