#include <doctest/doctest.h>

#include <vector>

#include "batches.hpp"

// Batched products drawn at random: sizes, layouts, options, counts, instruction sets.

namespace tenfold::testing {
namespace {

storage draw_storage(generator& g, bool result) {
  storage s;
  s.by_column = chance(g, 0.5);
  switch (between(g, 0, result ? 3 : 4)) {
    case 0:
      s.gap = between(g, 0, 3);
      s.spread = chance(g, 0.2) ? between(g, 2, 3) : 1;
      s.backward = chance(g, 0.2);
      s.batch_last = chance(g, 0.2);
      break;
    case 1:
      s.layout = batch_layout::pointers;
      s.gap = between(g, 0, 3);
      s.spread = chance(g, 0.2) ? 2 : 1;
      s.backward = chance(g, 0.2);
      break;
    case 2:
      s.layout = batch_layout::interleaved;
      s.block = chance(g, 0.5) ? index{1} << between(g, 0, 5) : between(g, 0, 20);
      break;
    case 3:
      s.layout = batch_layout::gathered;
      s.wide_map = chance(g, 0.5);
      s.meets = chance(g, 0.5);
      break;
    default:
      s.shared = true;
      s.gap = between(g, 0, 3);
      s.spread = chance(g, 0.2) ? 2 : 1;
  }
  return s;
}

/// Mostly small, at times large.
index draw_size(generator& g, index most) {
  return chance(g, 0.8) ? between(g, 1, 9) : between(g, 1, most);
}

template <class T>
void check_random(std::uint64_t seed) {
  generator g(seed);
  const storage a = draw_storage(g, false), b = draw_storage(g, false), c = draw_storage(g, true);
  const index m = draw_size(g, 30), n = draw_size(g, 30),
              k = chance(g, 0.05) ? 0 : draw_size(g, 40), count = draw_size(g, 40);
  product<T> p(m, n, k, count, a, b, c, chance(g, 0.5) ? entries_kind::exact : entries_kind::random,
               g);
  p.arguments.alpha = chance(g, 0.5) ? T(1) : number<T>(-2, 1);
  p.arguments.beta = chance(g, 0.4) ? T(0) : chance(g, 0.4) ? T(1) : number<T>(2, -1);
  p.shape.a.conjugated = is_complex_type<T> && chance(g, 0.5);
  p.shape.b.conjugated = is_complex_type<T> && chance(g, 0.5);
  const auto sets = instruction_sets();
  const auto isa = sets[g() % sets.size()];
  const index wrong = p.errors(isa);
  CHECK_MESSAGE(wrong == 0, "seed ", seed, ", ", m, " x ", n, " x ", k, ", ", count,
                " problems, instruction set ", static_cast<int>(isa), "; A ", text_of(a), "; B ",
                text_of(b), "; C ", text_of(c));
}

}  // namespace

TEST_CASE("random batched products are right") {
  for_each_scalar([](auto t) {
    for (std::uint64_t seed = 0; seed < 1500; ++seed) check_random<decltype(t)>(seed);
  });
}

}  // namespace tenfold::testing
