#include <emulated_device.hpp>

#include <doctest/doctest.h>

#include <batches.hpp>
#include <shapes.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <thrown.hpp>

#include "tested_machine.hpp"
#include "wrong_products.hpp"

// Batched products of run-time shapes, by generated texts on an emulated device.

namespace tenfold::testing {
namespace {

const storage by_column{.by_column = true, .gap = 1},
    pointers{.layout = batch_layout::pointers, .gap = 2},
    lanes{.layout = batch_layout::interleaved, .block = 8},
    all_lanes{.layout = batch_layout::interleaved, .block = 0}, backward{.backward = true},
    batch_last{.batch_last = true}, one{.spread = 2, .shared = true},
    mapped{.layout = batch_layout::gathered, .wide_map = true, .meets = true};

}  // namespace

TEST_CASE("generated texts compute products of all scalars and layouts") {
  emulation::emulated_device on;
  generator g(1);
  const auto check = [&]<class T>(T, index m, index n, index k, const storage& a, const storage& b,
                                  const storage& c) {
    for (const bool misaligned : {false, true}) {
      product<T> p(m, n, k, 70, a, b, c, entries_kind::random, g, {}, misaligned);
      p.shape.a.conjugated = is_complex_type<T>;
      for (const T beta : {T(0), number<T>(-2, 1)}) {
        p.arguments.alpha = number<T>(0.5, 1);
        p.arguments.beta = beta;
        const index wrong = wrong_products(on, p);
        CHECK_MESSAGE(wrong == 0, m, " x ", n, " x ", k, "; A ", text_of(a), "; B ", text_of(b),
                      "; C ", text_of(c));
      }
    }
  };
  check(double{}, 3, 3, 3, {}, {}, {});
  check(float{}, 8, 9, 10, pointers, by_column, by_column);
  check(std::complex<double>{}, 18, 17, 4, mapped, lanes, all_lanes);
  check(std::complex<float>{}, 40, 33, 7, backward, one, pointers);
  check(double{}, 70, 80, 20, batch_last, mapped, batch_last);
  CHECK(on.compiled() == 7);
}

TEST_SUITE_BEGIN("device");

TEST_CASE("a device computes products of matrices that lie in any way") {
  tested_machine machine;
  generator g(2);
  const auto check = [&]<class T>(T, index m, index n, index k, const storage& a, const storage& b,
                                  const storage& c) {
    memory_there memory(machine);
    product<T> p(m, n, k, 70, a, b, c, entries_kind::random, g, memory.source());
    p.shape.a.conjugated = is_complex_type<T>;
    for (const T beta : {T(0), number<T>(-2, 1)}) {
      p.arguments.alpha = number<T>(0.5, 1);
      p.arguments.beta = beta;
      const index wrong = wrong_products(memory, p);
      CHECK_MESSAGE(wrong == 0, m, " x ", n, " x ", k, "; A ", text_of(a), "; B ", text_of(b),
                    "; C ", text_of(c));
    }
  };
  check(float{}, 8, 9, 10, pointers, by_column, by_column);
  check(double{}, 9, 4, 5, by_column, pointers, pointers);
  check(std::complex<double>{}, 18, 17, 4, mapped, lanes, all_lanes);
  check(std::complex<float>{}, 40, 33, 7, backward, one, pointers);
  check(std::complex<float>{}, 5, 6, 7, by_column, by_column, mapped);
  check(double{}, 70, 80, 20, batch_last, mapped, batch_last);
}

TEST_SUITE_END();

TEST_CASE("large batches run to the last problem, whatever the length of the grid") {
  emulation::emulated_device on;
  for (const index count : {65535, 65536, 65537, (1 << 19) + 1}) {
    const std::vector<float> a = integers<float>(count * 2, 1), b = integers<float>(count * 2, 2);
    std::vector<float> c(static_cast<std::size_t>(count), not_a_number<float>());
    gemm_shape s{scalar::f32, 1, 1, 2, {}, {}, {}};
    s.a.row = 2;
    s.a.column = s.b.row = s.b.column = s.c.row = s.c.column = 1;
    on.most_blocks = count < 1 << 17 ? index{1} << 31 : 100;
    cuda::gemm(on, s, gemm_arguments<float>{{a.data(), 2}, {b.data(), 2}, {c.data(), 1}, count});
    index wrong = 0;
    for (std::size_t p = 0; p < c.size(); ++p)
      wrong += c[p] != a[2 * p] * b[2 * p] + a[2 * p + 1] * b[2 * p + 1];
    CHECK(wrong == 0);
  }
  CHECK(on.compiled() == 1);
}

TEST_CASE("the size of the batch, the place in it and the order of threads change no bit") {
  emulation::emulated_device on;
  const index m = 9, n = 7, k = 13, count = 40;
  const auto a = random_entries<double>(m * k * count, 1),
             b = random_entries<double>(k * n * count, 2);
  const gemm_shape s = rows(scalar::f64, m, n, k);
  const auto results = [&](index first, index last) {
    std::vector<double> c(static_cast<std::size_t>((last - first) * m * n), -1.0);
    cuda::gemm(on, s,
               gemm_arguments<double>{{a.data() + first * m * k, m * k},
                                      {b.data() + first * k * n, k * n},
                                      {c.data(), m * n},
                                      last - first,
                                      0.7,
                                      0.3});
    return c;
  };
  const auto all = results(0, count);
  on.seed = 9;
  on.most_blocks = 1;
  CHECK(results(0, count) == all);
  for (const auto& [first, last] :
       {std::pair<index, index>{0, 1}, {3, 4}, {count - 1, count}, {2, count - 1}}) {
    const auto some = results(first, last);
    CHECK(std::equal(some.begin(), some.end(), all.begin() + first * m * n));
  }
}

TEST_CASE("batches and matrices of nothing need no device kernel") {
  emulation::emulated_device on;
  generator g(1);
  for (const auto& [m, n, count] : {std::array<index, 3>{3, 3, 0}, {0, 3, 2}, {3, 0, 2}}) {
    product<double> p(m, n, 4, count, {}, {}, {}, entries_kind::exact, g);
    CHECK(wrong_products(on, p) == 0);
  }
  CHECK(on.compiled() == 0);
}

TEST_CASE("what a device does not compute is an error, and nothing is written") {
  emulation::emulated_device on;
  generator g(1);
  for (const storage& c : {storage{}, mapped}) {
    product<double> p(3, 4, 5, 2, {}, {}, c, entries_kind::exact, g);
    p.shape.k = index{1} << 31;
    CHECK(
        thrown_by<backend_error>([&] { cuda::gemm(on, p.shape, p.arguments); }) ==
        "tenfold: a batched product of 3 x 4 x 2147483648 cannot run on this device: an extent is "
        "beyond 2^30");
    CHECK(p.c.unchanged());
  }
  CHECK(on.compiled() == 0);
}

}  // namespace tenfold::testing
