#include <tenfold/backend/cuda/transpose.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <copy_there.hpp>
#include <emulated_device.hpp>
#include <tenfold/backend/interface/select/device_programs.hpp>
#include <vector>

// Entries in another order, in square parts, on a device.

namespace tenfold::testing {
namespace {

/// y := alpha (-1)^negated x + beta y of `batch` matrices of rows x columns, each row `gap` entries
/// longer, all from entry `skip` on of what is allocated.
struct another_order {
  index rows, columns, batch = 1, gap = 0, skip = 0;
  bool finishes = false, conjugated = false, negated = false;
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

  device_transpose how = select::device_transposition(scalar_of<T>);
  how.from = scalar_of<S>;
  how.to = scalar_of<T>;
  how.conjugated = o.conjugated;
  how.sign = o.negated ? -1 : 1;
  how.finishes = o.finishes;
  const copy_there<S> from(on, x);
  const copy_there<T> to(on, y);
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

template <class S, class T>
void check(emulation::emulated_device& on) {
  for (const another_order& o :
       {another_order{64, 128},                 // whole parts, 16 bytes at a time
        another_order{65, 37, 3},               // parts that jut out, single entries
        another_order{128, 64, 2, 4, 0, true},  // whole parts with gaps between rows
        another_order{64, 64, 1, 0, 1, true},   // not at a multiple of 16 bytes
        another_order{1, 200, 2, 1, 0, false, true, true}}) {
    CAPTURE(o.rows);
    CAPTURE(o.columns);
    CHECK(wrong_entries<S, T>(on, o) == 0);
  }
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

}  // namespace tenfold::testing
