#include <doctest/doctest.h>

#include <slow_build.hpp>
#include <tenfold/backend/interface/select.hpp>

#include "batches.hpp"

// Products by any tuning are right, and do not depend on their number and place.

namespace tenfold::testing {
namespace {

/// Each value one of the bounds, as shipped, or something between 1 and 40.
gemm_tuning draw_tuning(generator& g, const gemm_shape& s, instruction_set isa) {
  gemm_tuning t = select::shipped(class_of(s), isa);
  for (const tuning_field& f : tuning_fields) {
    const index which = between(g, 0, 3);
    if (which == 0) t.*f.value = f.least;
    if (which == 1) t.*f.value = f.most;
    if (which == 2) t.*f.value = static_cast<int>(between(g, f.least, f.most < 40 ? f.most : 40));
  }
  return t;
}

template <class T>
void check_tunings(int cases) {
  generator g(11);
  const storage kinds[] = {{},
                           {.by_column = true},
                           {.gap = 3},
                           {.layout = batch_layout::interleaved, .block = natural_block<T>},
                           {.layout = batch_layout::pointers}};
  const auto draw = [&] { return kinds[between(g, 0, 4)]; };
  for (int i = 0; i < cases; ++i) {
    const index m = between(g, 1, 40), n = between(g, 1, 40), k = between(g, 1, 20);
    const index count = between(g, 1, 3 * natural_block<T>);
    const bool alike = chance(g, 0.5);
    const storage a = draw(), b = alike ? a : draw(), c = alike ? a : draw();
    product<T> p(m, n, k, count, a, b, c, entries_kind::random, g);
    p.arguments.beta = draw_factor<T>(g);
    for (const auto isa : instruction_sets()) {
      const gemm_tuning t = draw_tuning(g, p.shape, isa);
      p.c.put_back();
      const auto want = reference::gemm(p.shape, p.arguments);
      launch(p.shape, p.arguments, isa, t);
      const index wrong = p.judge(want);
      CHECK_MESSAGE(wrong == 0, m, " x ", n, " x ", k, ", ", count, " problems, instruction set ",
                    static_cast<int>(isa), "; A ", text_of(a), "; B ", text_of(b), "; C ",
                    text_of(c));

      // The first problems alone come out bit by bit as in the whole batch.
      std::vector<T> whole;
      const index some = (count + 1) / 2;
      const auto entries = [&] {
        std::vector<T> all;
        for (index q = 0; q < some; ++q)
          for (index r = 0; r < m; ++r)
            for (index j = 0; j < n; ++j) all.push_back(p.c.at(q, r, j));
        return all;
      };
      whole = entries();
      p.c.put_back();
      gemm_arguments<T> part = p.arguments;
      part.count = some;
      launch(p.shape, part, isa, t);
      const std::vector<T> alone = entries();
      CHECK(std::memcmp(whole.data(), alone.data(), whole.size() * sizeof(T)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("products by any tuning are as exact as the work allows") {
  for_each_scalar([](auto t) { check_tunings<decltype(t)>(slow_build ? 25 : 150); });
}

TEST_CASE("a product of a single register tile may be told to copy B into panels") {
  for (const batch_layout layout : {batch_layout::strided, batch_layout::pointers}) {
    generator g(12);
    const storage apart{.layout = layout, .gap = 3};
    product<double> p(4, 8, 200, 3, apart, apart, apart, entries_kind::random, g);
    const auto want = reference::gemm(p.shape, p.arguments);
    for (const auto isa : instruction_sets()) {
      gemm_tuning t = select::shipped(class_of(p.shape), isa);
      t.panel_rows = 1;
      CHECK(select::packs_panels(p.shape, p.shape.b.row, t));
      p.c.put_back();
      launch(p.shape, p.arguments, isa, t);
      CHECK(p.judge(want) == 0);
    }
  }
}

}  // namespace tenfold::testing
