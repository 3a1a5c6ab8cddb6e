#include <tenfold/backend/cuda/transpose.hpp>

#include <doctest/doctest.h>

#include <broken.hpp>
#include <complex>
#include <emulated_device.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <vector>

#include "shifted_there.hpp"

// Entries in another order, in square parts, on a device.

namespace tenfold::testing {
namespace {

/// y := alpha (-1)^negated x + beta y of `batch` matrices of rows x columns, each row `gap` entries
/// longer, all from entry `skip` on of what is allocated. `shifted`: one real
/// number further.
struct another_order {
  index rows, columns, batch = 1, gap = 0, skip = 0;
  bool finishes = false, conjugated = false, negated = false, shifted = false;
};

template <class T>
T number(index i) {
  if constexpr (is_complex(scalar_of<T>))
    return {static_cast<typename T::value_type>(i % 97),
            static_cast<typename T::value_type>(i % 31 - 15)};
  else
    return static_cast<T>(i % 97 - 48);
}

/// Entries of y that are wrong, those between its rows included. S: what x has, computed in T.
template <class S, class T>
index wrong_entries(emulation::emulated_device& on, const another_order& o) {
  const index x_row = o.columns + o.gap, y_row = o.rows + o.gap;
  std::vector<S> x(static_cast<std::size_t>(o.skip + o.batch * o.rows * x_row));
  std::vector<T> y(static_cast<std::size_t>(o.skip + o.batch * o.columns * y_row));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = number<S>(static_cast<index>(i));
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = number<T>(static_cast<index>(i) + 5);
  const T alpha = o.finishes ? T(2) : T(1), beta = o.finishes ? T(-3) : T(0);

  device_transpose how = select::device_transposition(scalar_of<T>, scalar_of<S>, scalar_of<T>);
  how.conjugated = o.conjugated;
  how.sign = o.negated ? -1 : 1;
  how.finishes = o.finishes;
  const shifted_there<S> from(on, x, o.shifted);
  const shifted_there<T> to(on, y, o.shifted);
  const auto f = on.load(cuda::transpose_text(scalar_of<T>, how), cuda::transpose_entry);
  const auto along = [&](index n) { return (n + how.side - 1) / how.side; };
  cuda::transpose(on, f, how, along(o.rows) * along(o.columns) * o.batch,
                  device_transpose_arguments<T>{from.data() + o.skip,
                                                to.data() + o.skip,
                                                o.rows,
                                                o.columns,
                                                x_row,
                                                y_row,
                                                1,
                                                false,
                                                {o.batch},
                                                {o.rows * x_row},
                                                {o.columns * y_row},
                                                alpha,
                                                beta},
                  nullptr);

  for (index b = 0; b < o.batch; ++b) {
    for (index i = 0; i < o.rows; ++i) {
      for (index j = 0; j < o.columns; ++j) {
        auto value =
            static_cast<T>(x[static_cast<std::size_t>(o.skip + (b * o.rows + i) * x_row + j)]);
        if constexpr (is_complex(scalar_of<T>))
          if (o.conjugated) value = std::conj(value);
        if (o.negated) value = -value;
        T& at = y[static_cast<std::size_t>(o.skip + (b * o.columns + j) * y_row + i)];
        at = alpha * value + beta * at;
      }
    }
  }
  const std::vector<T> got = to.values();
  index wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += got[i] != y[i];
  return wrong;
}

/// A block for each part, and few blocks that walk on.
template <class S, class T>
void check(emulation::emulated_device& on) {
  for (const index most_blocks : {1000, 3, 1}) {
    on.most_blocks = most_blocks;
    for (const another_order& o :
         {another_order{64, 128},                 // whole parts, 16 bytes at a time
          another_order{65, 37, 3},               // parts that jut out, single entries
          another_order{128, 64, 2, 4, 0, true},  // whole parts with gaps between rows
          another_order{64, 64, 1, 0, 1, true},   // not at a multiple of 16 bytes
          another_order{.rows = 64, .columns = 128, .batch = 2, .shifted = true},
          another_order{.rows = 70, .columns = 40, .finishes = true, .shifted = true},
          another_order{1, 200, 2, 1, 0, false, true, true}}) {
      CAPTURE(o.rows);
      CAPTURE(o.columns);
      CAPTURE(most_blocks);
      CHECK(wrong_entries<S, T>(on, o) == 0);
    }
  }
}

/// Of several parts, which one block takes one after the other.
template <class T>
int times_caught(const char* from, const char* to, const another_order& o,
                 const std::string& error = "") {
  return emulation::times_caught(
      {"tenfold/backend/cuda/transpose.device.hpp", from, to}, error,
      [&](emulation::emulated_device& on) { return wrong_entries<T, T>(on, o) == 0; });
}

}  // namespace

TEST_CASE(
    "entries in another order, of every scalar, at any address, converted, scaled and added") {
  emulation::emulated_device on;
  check<float, float>(on);
  check<double, double>(on);
  check<std::complex<float>, std::complex<float>>(on);
  check<std::complex<double>, std::complex<double>>(on);
  check<float, double>(on);
}

TEST_CASE("every barrier of a transposition is missed when it is missing") {
  using emulation::orders;
  constexpr const char *after_reading = "  wait_for_block();\n  if constexpr (K.finishes) {",
                       *after_writing = "    wait_for_block();\n  }\n}";
  const auto missed = [&](auto one, const another_order& o) {
    using T = decltype(one);
    CHECK(times_caught<T>("", "", o) == 0);
    CHECK(times_caught<T>(after_reading, "  if constexpr (K.finishes) {", o) == orders);
    CHECK(times_caught<T>(after_writing, "  }\n}", o) == orders);
  };
  missed(float{}, {128, 128});  // 16 bytes at a time
  missed(double{}, {96, 64});
  missed(std::complex<double>{}, {65, 37, 2, 0, 0, true});  // parts that jut out
}

TEST_CASE("a barrier of a transposition that only some threads reach is an error") {
  CHECK(times_caught<double>("    wait_for_block();\n  }\n}",
                             "    if (thread_index() < 3) wait_for_block();\n  }\n}", {64, 64},
                             "divergent") == emulation::orders);
}

}  // namespace tenfold::testing
