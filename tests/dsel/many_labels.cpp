#include <check_call.hpp>
#include <slow_build.hpp>
#include <sstream>
#include <tenfold/dsel/explain.hpp>

// Many short labels: neighbours become one before anything is chosen, and short runs of lanes that
// touch are transposed a vector at a time.

namespace tenfold::testing {
namespace {

constexpr forms which = slow_build ? forms::few : forms::all;

std::string told(const auto& e) {
  std::ostringstream out;
  out << e;
  return out.str();
}

template <index... N>
using d = tensor<double, N...>;

}  // namespace

TEST_CASE_TEMPLATE("a matrix on some of many short labels", T, float, double) {
  using state = shape<2, 3, 2, 2, 3, 2, 2>;
  check_expression<"abcdefg,pa->pbcdefg", T, which>(state{}, shape<2, 2>{});
  check_expression<"abcdefg,pg->abcdefp", T, which>(state{}, shape<2, 2>{});
  check_expression<"abcdefg,pqbe->apcdqfg", T, which>(state{}, shape<3, 3, 3, 3>{});
  check_expression<"abcdefg,pqag->pbcdefq", T, which>(state{}, shape<2, 2, 2, 2>{});
}

TEST_CASE_TEMPLATE("several rows and sums of a matrix go through tables", T, float, double) {
  using state = shape<2, 3, 2, 2, 3, 2, 16>;
  check_expression<"abcdefg,pqrbdf->apcqerg", T, which>(state{}, shape<3, 3, 2, 3, 2, 2>{});
  check_expression<"abcdefg,pqbd->apcqefg", T, which>(state{}, shape<11, 1, 3, 2>{});
  check_expression<"abcdefg,pqrbd->apcqerfg", T, which>(state{}, shape<2, 5, 1, 3, 2>{});
}

TEST_CASE_TEMPLATE("contractions of many short labels", T, float, double) {
  check_expression<"abcdef,acegh->bdfgh", T, which>(shape<2, 3, 4, 2, 3, 2>{},
                                                    shape<2, 4, 3, 3, 2>{});
  check_expression<"abcd,cdab->", T, which>(shape<2, 3, 2, 4>{}, shape<2, 4, 2, 3>{});
  check_expression<"abcd->dcab", T, which>(shape<4, 3, 2, 4>{});
}

TEST_CASE_TEMPLATE("lanes whose runs touch, with a rest of any length", T, float, double) {
  const auto check = []<index N>(std::integral_constant<index, N>) {
    for_all_kinds([](entries_kind kind) {
      const auto pairs = made<T>(shape<2, N, 2>{}, 1, kind);
      const auto threes = made<T>(shape<N, 3>{}, 2, kind);
      check_call<"abo,pqao->pbq">(kind, pairs, made<T>(shape<2, 2, 2, 2>{}, 3, kind));
      check_call<"xo,po->xp">(kind, threes, made<T>(shape<4, 3>{}, 4, kind));
      check_call<"xo,po->xp">(kind, threes, made<T>(shape<2, 3>{}, 5, kind));
      check_call<"xo,px->px">(kind, threes, made<T>(shape<4, N>{}, 6, kind));
    });
  };
  check(std::integral_constant<index, 256>{});
  check(std::integral_constant<index, 301>{});
  if (!slow_build) check(std::integral_constant<index, 315>{});
}

TEST_CASE("explain tells the rows that go through tables") {
  const d<2, 3, 2, 2, 3, 2, 64> state{};
  const d<3, 3, 2, 3, 2, 2> matrix{};
  const std::string text = told(explain("abcdefg,pqrbdf->apcqerg", state, matrix));
  CAPTURE(text);
  CHECK(text.find("6 of 18 rows") != std::string::npos);
}

TEST_CASE("explain tells merged labels as they were said") {
  const std::string text = told(
      explain<"abcdefg,pqag->pbcdefq", d<2, 2, 4, 4, 8, 4, 2>, d<2, 2, 2, 2>>(avx512_capabilities));
  CAPTURE(text);
  CHECK(text.find("out pbcdefq  1 pqag  0 abcdefg") != std::string::npos);
  CHECK(text.find("lanes from bcdef,") != std::string::npos);
  CHECK(text.find("4 x 1024 x 4") != std::string::npos);
}

}  // namespace tenfold::testing
