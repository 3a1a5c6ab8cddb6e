#include <doctest/doctest.h>

#include <cstdint>
#include <tenfold/backend/cpu/mapped.hpp>
#include <vector>

// Rows of entries that a map leads to, which may lie in a line.

namespace tenfold::cpu {
namespace {

/// The numbers of a row, N for each of W lanes, side by side along the lanes or along the row.
template <class I, int W, int N>
struct row_of_numbers {
  std::vector<I> numbers = std::vector<I>(W * N);
  lane_strides stride;

  row_of_numbers(bool along_lanes, index first)
      : stride(along_lanes ? lane_strides{W, 1} : lane_strides{1, N}) {
    for (int w = 0; w < W; ++w)
      for (int x = 0; x < N; ++x) at(x, w) = static_cast<I>(first + w * (N - 1) + x);
  }
  I& at(int x, int w) { return numbers[static_cast<std::size_t>(x * stride.x + w * stride.lane)]; }
  bool is_line() const { return find_line<W, N>(numbers.data(), stride).is_one; }
};

/// Gathers and scatters a row, and compares with what one entry after the other gives. The array
/// holds what the row names and no more, so that the address sanitizer sees any access outside.
template <class T, class I, int W, int N>
void check_row(row_of_numbers<I, W, N>& row, bool is_line) {
  CHECK(row.is_line() == is_line);
  I last = -1;
  for (const I number : row.numbers) last = number > last ? number : last;
  std::vector<T> array(static_cast<std::size_t>(last + 1)), s(W * N), terms(W * N);
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<T>(i % 61) + 1;
  for (std::size_t i = 0; i < terms.size(); ++i) terms[i] = static_cast<T>(i % 53) - 20;
  gather_row<T, W, N>(s.data(), array.data(), row.numbers.data(), row.stride, 0);
  std::vector<T> sums = array;
  bool same = true;
  for (int x = 0; x < N; ++x) {
    for (int w = 0; w < W; ++w) {
      const auto i = static_cast<std::size_t>(x * W + w);
      const I number = row.at(x, w);
      same = same && s[i] == (number < 0 ? T(0) : array[static_cast<std::size_t>(number)]);
      if (number >= 0) sums[static_cast<std::size_t>(number)] += terms[i];
    }
  }
  CHECK(same);
  scatter_add_row<T, W, N>(array.data(), terms.data(), row.numbers.data(), row.stride, 0);
  CHECK(array == sums);
}

template <class T, class I, int N>
void check_rows() {
  constexpr int W = lanes<T>;
  if constexpr (may_be_line<T>(N, W, {1, N})) {
    for (const bool along_lanes : {false, true}) {
      CAPTURE(N);
      CAPTURE(along_lanes);
      using row = row_of_numbers<I, W, N>;
      for (const bool has_first : {false, true}) {
        for (const bool has_last : {false, true}) {
          row line(along_lanes, 5);
          if (!has_first) line.at(0, 0) = -1;
          if (!has_last) line.at(N - 1, W - 1) = -1;
          check_row<T>(line, true);
        }
      }
      row at_begin(along_lanes, 0), behind_none(along_lanes, -1);
      check_row<T>(at_begin, true);
      check_row<T>(behind_none, true);

      // One number, any of them, is another or missing.
      bool all_found = true;
      for (int x = 0; x < N; ++x) {
        for (int w = 0; w < W; ++w) {
          row broken(along_lanes, 3), missing(along_lanes, 3);
          broken.at(x, w) = 1;
          const bool is_end = (x == 0 && w == 0) || (x == N - 1 && w == W - 1);
          missing.at(x, w) = -1;
          all_found = all_found && !broken.is_line() && missing.is_line() == is_end;
        }
      }
      CHECK(all_found);
      row broken(along_lanes, 3), touching(along_lanes, 0), nothing(along_lanes, 0);
      broken.at(N - 1, W / 2) = -1;
      check_row<T>(broken, false);
      // Elements side by side that share no node.
      for (int w = 0; w < W; ++w)
        for (int x = 0; x < N; ++x) touching.at(x, w) = static_cast<I>(w * N + x);
      check_row<T>(touching, false);
      for (I& number : nothing.numbers) number = -1;
      check_row<T>(nothing, false);
    }
  }
}

template <class T, class I, int... N>
void check_lengths(std::integer_sequence<int, N...>) {
  (check_rows<T, I, N + 2>(), ...);
}

TEST_CASE("a row whose entries lie in a line is found, and gathered and added to as any other") {
  check_lengths<double, std::int32_t>(std::make_integer_sequence<int, 9>{});
  check_lengths<float, std::int32_t>(std::make_integer_sequence<int, 5>{});
  check_lengths<double, std::int64_t>(std::make_integer_sequence<int, 3>{});
  check_rows<double, std::int32_t, 16>();
}

}  // namespace
}  // namespace tenfold::cpu
