#include <tenfold/backend/cuda/scale_gathered.hpp>

#include <doctest/doctest.h>

#include <batches.hpp>
#include <broken.hpp>
#include <cmath>
#include <complex>
#include <copy_there.hpp>
#include <device_compiler.hpp>
#include <emulated_device.hpp>
#include <golden.hpp>
#include <limits>
#include <tenfold/backend/cuda/device_map.hpp>
#include <tenfold/backend/cuda/device_tensor.hpp>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/backend/interface/select/device_batches.hpp>

#include "tested_machine.hpp"
#include "wrong_products.hpp"

// Products that are added through a map on a device: entries are scaled once before, however often
// the map names them.

namespace tenfold::testing {
namespace {

const storage plain{}, mapped{.layout = batch_layout::gathered, .meets = true},
    by_column{.layout = batch_layout::gathered, .by_column = true, .wide_map = true, .meets = true},
    apart{.layout = batch_layout::gathered, .wide_map = true};

constexpr scalar all_scalars[] = {scalar::f32, scalar::f64, scalar::c32, scalar::c64};
constexpr gathered_scaling all_steps[] = {gathered_scaling::clear, gathered_scaling::keep,
                                          gathered_scaling::scale};

gemm_shape added_by_rows(scalar type, index n) {
  gemm_shape s{type, n, n, n, {}, {}, {}};
  s.a.row = s.b.row = s.c.row = n;
  s.a.column = s.b.column = s.c.column = 1;
  s.c.layout = batch_layout::gathered;
  return s;
}

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("a device adds products of all scalars through maps and scales what is there once") {
  tested_machine machine;
  generator g(1);
  std::uint64_t seed = 1;
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    for (const storage* how : {&mapped, &by_column, &apart}) {
      for (const index count : {0, 1, 7, 300}) {
        machine.reorder(++seed, count == 300 ? 1 : 1000);
        for (const auto kind : {entries_kind::exact, entries_kind::random}) {
          memory_there memory(machine);
          product<T> p(4, 3, 5, count, plain, plain, *how, kind, g, memory.source());
          for (const T alpha : {T(-2), T(0)}) {
            for (const T beta : {T(0), T(1), number<T>(-3, 2)}) {
              p.arguments.alpha = alpha;
              p.arguments.beta = beta;
              const index wrong = wrong_products(memory, p);
              CHECK_MESSAGE(wrong == 0, text_of(*how), ", ", count, " problems, scalar ",
                            static_cast<int>(scalar_of<T>), ", alpha ", alpha, ", beta ", beta);
            }
          }
        }
      }
    }
  });
  // For each scalar three products, and three steps of scaling for each width of a map's numbers.
  CHECK(machine.has_compiled(4 * (3 + 2 * 3)));
}

TEST_CASE("a product without a sum scales what a map names") {
  tested_machine machine;
  memory_there memory(machine);
  generator g(2);
  product<double> p(4, 3, 0, 9, plain, plain, mapped, entries_kind::exact, g, memory.source());
  for (const double beta : {0.0, 1.0, -2.0}) {
    p.arguments.beta = beta;
    CHECK(wrong_products(memory, p) == 0);
  }
  CHECK(machine.has_compiled(3));
}

TEST_CASE("many products that are added to few entries are all added there") {
  tested_machine machine;
  const auto where = on(machine);
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    constexpr index count = 3000, size = 4;
    tensor<T, dyn, 2, 2> a(count), b(count);
    tensor<T, dyn> c(size), got(size);
    generator g(5);
    fill(a.data(), a.size(), g, entries_kind::exact);
    fill(b.data(), b.size(), g, entries_kind::exact);
    fill(c.data(), c.size(), g, entries_kind::exact);
    std::vector<std::int32_t> numbers;
    for (index e = 0; e < count * 4; ++e)
      numbers.push_back(static_cast<std::int32_t>(between(g, 0, size - 1)));
    const index_map<std::int32_t> map(numbers.data(), count, 4, size);
    const device_map<std::int32_t> there(where, map);
    const auto x = copied(where, a), y = copied(where, b);
    auto z = copied(where, c);
    gemm(where, T(1), x, y, T(1),
         in_memory_of<device::cuda>(gathered<T, 2, 2>(z.data(), there.there())));
    gemm(T(1), a, b, T(1), gathered<T, 2, 2>(c.data(), map));
    z.copy_to(got);
    CHECK(std::equal(c.data(), c.data() + size, got.data()));
  });
}

TEST_CASE("a gemm on a device through a map gives what the host's gives") {
  tested_machine machine;
  const auto where = on(machine);
  const auto check = [&]<class T, class I>(T, I) {
    constexpr index count = 20, size = 61;
    tensor<T, dyn, 3, 5> a(count);
    tensor<T, dyn, 4, 5> b(count);
    tensor<T, dyn> c(size), got(size);
    generator g(3);
    fill(a.data(), a.size(), g, entries_kind::exact);
    fill(b.data(), b.size(), g, entries_kind::exact);
    fill(c.data(), c.size(), g, entries_kind::exact);
    std::vector<I> numbers;
    for (index e = 0; e < count * 12; ++e)
      numbers.push_back(static_cast<I>(chance(g, 0.1) ? -1 : between(g, 0, size - 1)));
    const index_map<I> map(numbers.data(), count, 12, size);
    const device_map<I> there(where, map);
    const auto x = copied(where, a);
    const auto y = copied(where, b);
    for (const T beta : {T(-1), T(1), T(0), T(2)}) {
      device_tensor<T, dyn> z(where, size);
      z.copy_from(c);
      gemm<op::none, op::transpose>(
          where, T(2), x, y, beta,
          in_memory_of<device::cuda>(gathered<T, 3, 4>(z.data(), there.there())));
      gemm<op::none, op::transpose>(T(2), a, b, beta, gathered<T, 3, 4>(c.data(), map));
      z.copy_to(got);
      CHECK(std::equal(c.data(), c.data() + size, got.data()));
    }
  };
  machine.for_each_scalar([&](auto t) {
    check(t, std::int32_t{});
    check(t, std::int64_t{});
  });
}

TEST_SUITE_END();

TEST_CASE("what is not a number stays so where a map names it, unless beta is 0") {
  emulation::emulated_device on;
  const std::int32_t map[] = {1, 1, -1, 1};
  const std::complex<double> nan(std::numeric_limits<double>::quiet_NaN(), 2);
  std::complex<double> c[] = {7.0, nan, 7.0};
  gemm_shape s{scalar::c64, 1, 4, 0, {}, {}, {}};
  s.c.layout = batch_layout::gathered;
  s.c.row = 4;
  s.c.column = 1;
  gemm_arguments<std::complex<double>> x;
  x.c = {c, 4, map};
  x.count = 1;
  x.beta = {2, 1};
  cuda::gemm(on, s, x);
  CHECK(std::isnan(c[1].real()));
  CHECK(std::isnan(c[1].imag()));
  x.beta = 0;
  cuda::gemm(on, s, x);
  CHECK(c[1] == 0.0);
  CHECK(c[0] == 7.0);
  CHECK(c[2] == 7.0);
}

TEST_CASE("entries that are scaled where they are written show in the result") {
  constexpr const char* code = "tenfold/backend/cuda/scale_gathered.device.hpp";
  const auto caught = [&](const char* from, const char* to) {
    generator g(4);
    product<double> p(3, 3, 2, 50, plain, plain, mapped, entries_kind::exact, g);
    p.arguments.beta = -2;
    return emulation::times_caught({code, from, to}, "", [&](emulation::emulated_device& on_this) {
      return wrong_products(on_this, p) == 0;
    });
  };
  using emulation::orders;
  CHECK(caught("", "") == 0);
  CHECK(caught("multiply(x.beta, x.kept[e])", "multiply(x.beta, entries[to])") == orders);
  CHECK(caught("if (to < 0) continue;", "if (to <= 0) continue;") == orders);
}

TEST_CASE("the text of a step of scaling is what it was") {
  check_golden("device_scale_gathered.txt",
               cuda::scale_gathered_text(scalar::c32,
                                         select::device_scaling(gathered_scaling::scale, true)));
}

TEST_CASE("no device kernel that adds or scales through a map spills") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  for (const scalar type : all_scalars) {
    for (const auto& d : {a100_capabilities, h100_capabilities}) {
      const auto check = [&](const std::string& text) {
        const auto image = nvrtc->compile(text, d.architecture);
        INFO(text, "sm_", d.architecture, ": ", image.registers, " registers");
        CHECK(image.spilled_bytes == 0);
      };
      for (const bool wide : {false, true}) {
        for (const gathered_scaling step : all_steps)
          check(cuda::scale_gathered_text(type, select::device_scaling(step, wide)));
      }
      for (const index n : {3, 8, 17, 32, 70})
        check(cuda::gemm_text(
            type, select::device_product(added_by_rows(type, n), d, {.c = n < 20}).cut));
    }
  }
}

}  // namespace tenfold::testing
