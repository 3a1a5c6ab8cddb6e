#include <doctest/doctest.h>

#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <vector>

#include <idle_machine.hpp>

// A machine remembers the products that it ran.

namespace tenfold::testing {
namespace {

gemm_shape product_of(index m, index n, index k) {
  return {scalar::f64,
          m,
          n,
          k,
          {.row = k, .column = 1},
          {.row = n, .column = 1},
          {.row = n, .column = 1}};
}

/// Whether what `on` launches for a product of this shape is its own text.
bool launches_its_own(idle_machine& on, const gemm_shape& s, bool wide_map_a = false) {
  gemm_arguments<double> g;
  g.count = 100;
  g.a.wide_map = wide_map_a;
  g.a.problem = s.m * s.k;
  g.b.problem = s.k * s.n;
  g.c.problem = s.m * s.n;
  cuda::gemm(on, s, g);
  const auto choice = select::device_product(s, on.capabilities(), {.a = wide_map_a});
  return on.launched == cuda::gemm_text(s.type, choice.cut);
}

}  // namespace

TEST_CASE("a product that ran is run again without its text") {
  idle_machine on;
  for (int times = 0; times < 3; ++times) CHECK(launches_its_own(on, product_of(8, 8, 8)));
  CHECK(on.loads == 1);
}

TEST_CASE("all that a text depends on tells products apart") {
  idle_machine on;
  std::vector<gemm_shape> shapes(9, product_of(4, 5, 6));
  shapes[1].m = 7;
  shapes[2].n = 7;
  shapes[3].k = 7;
  shapes[4].a.row = 9;
  shapes[5].b.shared = true;
  shapes[6].c.column = 2;
  shapes[7].b.layout = batch_layout::pointers;
  shapes[8].a.layout = batch_layout::gathered;
  for (int times = 0; times < 2; ++times) {
    for (const gemm_shape& s : shapes) CHECK(launches_its_own(on, s));
    CHECK(launches_its_own(on, shapes[8], true));
  }
  CHECK(on.loads == 10);
}

TEST_CASE("a product whose operands are aligned otherwise has a text of its own") {
  idle_machine on;
  const gemm_shape s = product_of(8, 8, 8);
  gemm_arguments<double> g;
  g.count = 100;
  g.a.problem = g.b.problem = g.c.problem = 64;
  std::vector<double> memory(4);
  const auto* const even = reinterpret_cast<const double*>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) + 15) / 16 * 16);
  for (const double* data : {even, even + 1, even + 2}) {
    g.a.data = data;
    cuda::gemm(on, s, g);
    const auto choice =
        select::device_product(s, on.capabilities(), {}, 0, {{data == even + 1 ? 8 : 16}, {}, {}});
    CHECK(on.launched == cuda::gemm_text(s.type, choice.cut));
  }
  CHECK(on.loads == 2);
}

TEST_CASE("a result through a map of 64-bit integers has a text of its own") {
  idle_machine on;
  gemm_shape s = product_of(4, 5, 6);
  s.c.layout = batch_layout::gathered;
  for (const bool wide : {false, true, false}) {
    gemm_arguments<double> g;
    g.count = 100;
    g.beta = 1;
    g.c.wide_map = wide;
    g.a.problem = 24;
    g.b.problem = 30;
    cuda::gemm(on, s, g);
    const auto choice = select::device_product(s, on.capabilities(), {.c = wide});
    CHECK(on.launched == cuda::gemm_text(s.type, choice.cut));
  }
  CHECK(on.loads == 2);
}

TEST_CASE("more products than are remembered are run, too") {
  idle_machine on;
  constexpr auto room = static_cast<index>(cuda::ready_gemms::room);
  for (int times = 0; times < 2; ++times) {
    for (index n = 1; n <= room + 3; ++n) CHECK(launches_its_own(on, product_of(2, n, 3)));
  }
  CHECK(launches_its_own(on, product_of(2, room + 3, 3)));
  CHECK(on.loads == 2 * (room + 3));
}

}  // namespace tenfold::testing
