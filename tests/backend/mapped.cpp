#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <tenfold/backend/cpu/mapped.hpp>
#include <vector>

// Rows of entries that a map leads to, which may be neighbours.

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
  /// "line", "runs" or "any".
  std::string kind() const {
    if (find_line<W, N>(numbers.data(), stride).is_line) return "line";
    return find_runs<W, N>(numbers.data(), stride).are_runs ? "runs" : "any";
  }
};

/// Gathers and scatters a row, and compares with what one entry after the other gives. The array
/// holds what the row names and no more, so that the address sanitizer sees any access outside.
template <class T, class I, int W, int N>
void check_row(row_of_numbers<I, W, N>& row, const std::string& kind) {
  CHECK(row.kind() == kind);
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
  if constexpr (may_be_runs<T>(N, W, {1, N})) {
    using row = row_of_numbers<I, W, N>;
    std::mt19937 random(N);
    for (const bool along_lanes : {false, true}) {
      CAPTURE(N);
      CAPTURE(along_lanes);
      for (const bool has_first : {false, true}) {
        for (const bool has_last : {false, true}) {
          row line(along_lanes, 5);
          if (!has_first) line.at(0, 0) = -1;
          if (!has_last) line.at(N - 1, W - 1) = -1;
          check_row<T>(line, "line");
        }
      }
      row at_begin(along_lanes, 0), behind_none(along_lanes, -1);
      check_row<T>(at_begin, "line");
      check_row<T>(behind_none, "line");

      // One number, any of them, is another or missing.
      for (int x = 0; x < N; ++x) {
        for (int w = 0; w < W; ++w) {
          row other(along_lanes, 3), missing(along_lanes, 3);
          other.at(x, w) = 1;
          missing.at(x, w) = -1;
          const bool is_end = (x == 0 && w == 0) || (x == N - 1 && w == W - 1);
          check_row<T>(other, "any");
          check_row<T>(missing, is_end ? "line" : x == 0 || x == N - 1 ? "runs" : "any");
        }
      }

      // Lanes that begin anywhere, many where another ends, and of which parts are not there.
      for (int n = 0; n < 200; ++n) {
        row runs(along_lanes, 0);
        index first = 2;
        for (int w = 0; w < W; ++w) {
          const bool goes_on = random() % 3 != 0, is_there = random() % 8 != 0;
          if (!goes_on) first = static_cast<index>(random() % 100);
          for (int x = 0; x < N; ++x) runs.at(x, w) = is_there ? static_cast<I>(first + x) : I(-1);
          if (random() % 4 == 0) runs.at(0, w) = -1;
          if (random() % 4 == 0) runs.at(N - 1, w) = -1;
          first += N - 1;
        }
        const std::string kind = runs.kind();
        CHECK(kind != "any");
        check_row<T>(runs, kind);
      }
      row nothing(along_lanes, 0);
      for (I& number : nothing.numbers) number = -1;
      check_row<T>(nothing, "runs");
    }
  }
}

template <class T, class I, int... N>
void check_lengths(std::integer_sequence<int, N...>) {
  (check_rows<T, I, N + 3>(), ...);
}

TEST_CASE("a row whose entries are neighbours is found, and gathered and added to as any other") {
  check_lengths<double, std::int32_t>(std::make_integer_sequence<int, 8>{});
  check_lengths<float, std::int32_t>(std::make_integer_sequence<int, 4>{});
  check_lengths<double, std::int64_t>(std::make_integer_sequence<int, 3>{});
  check_rows<double, std::int32_t, 16>();
  check_rows<float, std::int32_t, 13>();
  check_rows<float, std::int32_t, 16>();
  check_rows<float, std::int64_t, 5>();
}

}  // namespace
}  // namespace tenfold::cpu
