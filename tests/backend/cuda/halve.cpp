#include <tenfold/backend/cuda/halve.hpp>

#include <doctest/doctest.h>

#include <copy_there.hpp>
#include <emulated_device.hpp>
#include <golden.hpp>
#include <vector>

// The halves of matrices that are symmetric under reflection, made on a device.

namespace tenfold::testing {
namespace {

/// A[m][k] of a matrix with A[M-1-m][K-1-k] = s A[m][k]: small numbers that the halves keep
/// exactly.
template <class T>
T entry(index M, index K, int s, index m, index k) {
  const index here = m * K + k, there = M * K - 1 - here;
  if (here == there) return s < 0 ? T(0) : T(4);
  const auto value = static_cast<T>(2 * (here < there ? here : there) + 6);
  return here < there ? value : T(s) * value;
}

/// How many entries of the halves are wrong, or of what lies behind them, of a matrix that lies by
/// rows or by columns.
template <class T>
index wrong_entries(emulation::emulated_device& on, index M, index K, reflection kind,
                    bool turned) {
  const int s = kind == reflection::odd ? -1 : 1;
  std::vector<T> a(static_cast<std::size_t>(M * K));
  for (index m = 0; m < M; ++m)
    for (index k = 0; k < K; ++k)
      a[static_cast<std::size_t>(turned ? k * M + m : m * K + k)] = entry<T>(M, K, s, m, k);
  const copy_there<T> from(on, a), to(on, std::vector<T>(a.size(), T(-77)));
  const cuda::device_function f = on.load(cuda::halve_text(scalar_of<T>), cuda::halve_entry);
  cuda::halve(
      on, f,
      device_halve_arguments<T>{from.data(), to.data(), M, K, turned ? 1 : K, turned ? M : 1, kind},
      nullptr);
  std::vector<T> want(a.size(), T(-77));
  auto next = want.begin();
  for (const int sign : {1, -1}) {  // E, O
    const bool rounds_up = sign == s;
    for (index m = 0; m < (M + rounds_up) / 2; ++m)
      for (index k = 0; k < (K + (sign > 0 ? 1 : 0)) / 2; ++k)
        *next++ = (entry<T>(M, K, s, m, k) + T(sign) * entry<T>(M, K, s, m, K - 1 - k)) / 2;
  }
  const std::vector<T> got = to.values();
  index wrong = 0;
  for (std::size_t i = 0; i < got.size(); ++i) wrong += got[i] != want[i];
  return wrong;
}

}  // namespace

TEST_CASE("a device makes halves of matrices of even and odd sizes, by rows and by columns") {
  emulation::emulated_device on;
  for (const index M : {2, 3, 5, 8, 19})
    for (const index K : {2, 3, 4, 9, 20})
      for (const auto kind : {reflection::even, reflection::odd})
        for (const bool turned : {false, true}) {
          CAPTURE(M);
          CAPTURE(K);
          CHECK(wrong_entries<double>(on, M, K, kind, turned) == 0);
          CHECK(wrong_entries<float>(on, M, K, kind, turned) == 0);
        }
}

TEST_CASE("the text that makes halves is what it was") {
  check_golden("device_halve.txt", cuda::halve_text(scalar::f64));
}

}  // namespace tenfold::testing
