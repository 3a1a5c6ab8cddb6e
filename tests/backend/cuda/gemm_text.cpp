#include <tenfold/backend/cuda/gemm_text.hpp>

#include <doctest/doctest.h>

#include <golden.hpp>
#include <shapes.hpp>
#include <string>
#include <tenfold/backend/interface/select/device_products.hpp>

// The texts of batched products, and how the work is cut, compared in full.

namespace tenfold::testing {
namespace {

void check_text(const std::string& name, const gemm_shape& s) {
  const auto choice = select::device_product(s, h100_capabilities, {.b = true});
  check_golden("device_gemm_" + name + ".txt", cuda::gemm_text(s.type, choice.cut));
}

/// A number in so many columns.
std::string column(index x, std::size_t width) {
  std::string s = std::to_string(x);
  return s.size() < width ? std::string(width - s.size(), ' ') + s : s;
}

/// One line for each order of square products.
std::string cuts(scalar type, const device_capabilities& d) {
  std::string s =
      "    n   tile  task  threads  panel  problems  groups  staged  bytes  warps  lanes\n";
  for (index n = 1; n <= 64; n += n < 20 ? 1 : n < 32 ? 4 : 8) {
    const auto choice = select::device_product(rows(type, n, n, n), d);
    const device_gemm& g = choice.cut;
    s += column(n, 5) + column(g.thread_rows, 4) + "x" + column(g.thread_columns, 1) +
         column(g.rows, 4) + "x" + column(g.columns, 1) + column(g.threads_of_task(), 7) +
         column(g.panel, 8) + column(g.problems, 9) + column(g.groups, 9) + "     " +
         (g.a.staged ? "a" : "-") + (g.b.staged ? "b" : "-") + (g.c.staged ? "c" : "-") +
         column(shared_bytes(g, static_cast<int>(bytes_of(type))), 8) + column(choice.warps, 7) +
         column(static_cast<index>(100 * choice.lanes_used), 6) + "%  " + choice.reason + "\n";
  }
  return s;
}

}  // namespace

TEST_CASE("the text of a batched product is what it was") {
  check_text("4", rows(scalar::f64, 4, 4, 4));
  gemm_shape mixed = rows(scalar::c32, 9, 8, 12);
  mixed.a.layout = batch_layout::interleaved;
  mixed.a.block = 16;
  mixed.a.conjugated = true;
  mixed.b.layout = batch_layout::gathered;
  mixed.c.row = 1;
  mixed.c.column = 9;
  check_text("mixed", mixed);
  gemm_shape shared = rows(scalar::f32, 64, 64, 64);
  shared.a.shared = true;
  shared.c.layout = batch_layout::pointers;
  check_text("shared", shared);
  gemm_shape added = rows(scalar::c64, 5, 4, 3);
  added.c.layout = batch_layout::gathered;
  check_text("added", added);
}

TEST_CASE("square products are cut as they were") {
  check_golden("device_cuts_double_h100.txt", cuts(scalar::f64, h100_capabilities));
  check_golden("device_cuts_float_a100.txt", cuts(scalar::f32, a100_capabilities));
}

}  // namespace tenfold::testing
