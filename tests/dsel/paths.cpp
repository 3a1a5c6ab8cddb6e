#include <check_call.hpp>
#include <thrown.hpp>

// The order of multiplication: the best, greedy, given.

namespace tenfold::testing {
namespace {

constexpr entries_kind random_entries = entries_kind::random;

const auto p0 = made<double>(shape<4, 9>{}, 1);
const auto p1 = made<double>(shape<9, 3>{}, 2);
const auto p2 = made<double>(shape<3, 8>{}, 3);
const auto p3 = made<double>(shape<8, 5>{}, 4);
constexpr std::string_view chain = "ij,jk,kl,lm->im";

template <class... Options>
run_time_plan chain_plan(const Options&... options) {
  return plan(chain, like(p0), like(p1), like(p2), like(p3), options...);
}

double product(index i, index j, index k) { return static_cast<double>(2 * i * j * k); }

}  // namespace

TEST_CASE("the best order is the default") {
  // (p0 p1) (p2 p3): 4 x 9 x 3, 3 x 8 x 5, 4 x 3 x 5.
  CHECK(chain_plan().flops() == product(4, 9, 3) + product(3, 8, 5) + product(4, 3, 5));
  CHECK(chain_plan(path_options{.method = path_method::dynamic_programming}).flops() ==
        chain_plan().flops());
}

TEST_CASE("an order of multiplication may be given") {
  const judge<double> right(chain, random_entries, {seen(p0), seen(p1), seen(p2), seen(p3)});
  // From the right: p2 p3, p1 (p2 p3), p0 (...). Both leave, the product goes to the end.
  constexpr path_options from_the_right{
      .method = path_method::given, .pair_count = 3, .pairs = {{2, 3}, {1, 2}, {0, 1}}};
  const run_time_plan p = chain_plan(from_the_right);
  CHECK(p.flops() == product(3, 8, 5) + product(9, 3, 5) + product(4, 9, 5));
  right.check(p(p0, p1, p2, p3));
  right.check(einsum(chain, p0, p1, p2, p3, from_the_right));
  right.check(einsum<"ij,jk,kl,lm->im">(p0, p1, p2, p3, optimize<from_the_right>));
  CHECK(same_bits(p(p0, p1, p2, p3), einsum(chain, p0, p1, p2, p3, from_the_right)));
}

TEST_CASE("greedy paths are right, and those with noise the same for the same seed") {
  const judge<double> right(chain, random_entries, {seen(p0), seen(p1), seen(p2), seen(p3)});
  const path_options greedy{.method = path_method::greedy};
  right.check(einsum(chain, p0, p1, p2, p3, greedy));
  right.check(einsum<"ij,jk,kl,lm->im">(p0, p1, p2, p3,
                                        optimize<path_options{.method = path_method::greedy}>));
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const path_options noisy{.method = path_method::random_greedy, .seed = seed, .tries = 8};
    const run_time_plan p = chain_plan(noisy);
    CHECK(p == chain_plan(noisy));
    CHECK(p.flops() == chain_plan(noisy).flops());
    CHECK(p.flops() <= chain_plan(greedy).flops());
    right.check(p(p0, p1, p2, p3));
    CHECK(same_bits(p(p0, p1, p2, p3), einsum(chain, p0, p1, p2, p3, noisy)));
  }
}

TEST_CASE("a limit on intermediates is kept or told") {
  const std::string text =
      "tenfold: \"ij,jk,kl,lm->im\": no order of multiplication: the given "
      "pairs fit no operands, or every order that was tried has an intermediate above the "
      "limit";
  for (const auto method :
       {path_method::dynamic_programming, path_method::greedy, path_method::random_greedy}) {
    CAPTURE(static_cast<int>(method));
    CHECK(thrown_by<backend_error>([&] {
            chain_plan(path_options{.method = method, .largest_intermediate = 2});
          }) == text);
    const path_options roomy{.method = method, .largest_intermediate = 40};
    const judge<double> right(chain, random_entries, {seen(p0), seen(p1), seen(p2), seen(p3)});
    right.check(einsum(chain, p0, p1, p2, p3, roomy));
  }
  // Any pair of these but the first has more than 15 entries.
  CHECK(chain_plan(path_options{.largest_intermediate = 15}).flops() ==
        product(4, 9, 3) + product(3, 8, 5) + product(4, 3, 5));
  CHECK(thrown_by<backend_error>([&] {
          einsum(chain, p0, p1, p2, p3, path_options{.largest_intermediate = 1});
        }) == text);
}

TEST_CASE("operands that share no label are multiplied where a limit asks for it") {
  const auto a = made<double>(shape<4>{}, 1), b = made<double>(shape<4>{}, 2);
  const auto c = made<double>(shape<4, 4, 90>{}, 3);
  const judge<double> right("i,j,ijk->k", random_entries, {seen(a), seen(b), seen(c)});
  constexpr path_options few{.largest_intermediate = 16};
  right.check(einsum("i,j,ijk->k", a, b, c, few));
  right.check(einsum<"i,j,ijk->k">(a, b, c, optimize<few>));
}

TEST_CASE("given pairs are those of each term of a sum, whatever its terms share") {
  constexpr path_options pairs{
      .method = path_method::given, .pair_count = 2, .pairs = {{0, 1}, {0, 1}}};
  constexpr literal text("ij,jk,kl+im,mk,kl->il");
  const auto a = made<double>(shape<3, 4>{}, 1);
  const auto b = made<double>(shape<4, 5>{}, 2);
  const auto c = made<double>(shape<5, 6>{}, 3);
  const auto d = made<double>(shape<3, 7>{}, 4);
  const auto e = made<double>(shape<7, 5>{}, 5);
  const judge<double> right(text.view(), random_entries,
                            {seen(a), seen(b), seen(c), seen(d), seen(e), seen(c)});
  right.check(einsum(text.view(), a, b, c, d, e, c, pairs));
  right.check(einsum<text>(a, b, c, d, e, c, optimize<pairs>));
  tensor<double, 3, 6> y;
  einsum<text>(into(y), a, b, c, d, e, c, optimize<pairs>);
  right.check(y);
}

TEST_CASE("no intermediate has more entries than could lie in memory") {
  const double one = 1;
  const strided_view<const double, dyn> x(&one, {index{1} << 22}, {0});
  path_options outer{.method = path_method::given, .pair_count = 5};  // i j, k i, ...
  CHECK(thrown_by<backend_error>([&] {
          plan("i,j,k,i,j,k->", like(x), like(x), like(x), like(x), like(x), like(x), outer);
        }).find("every order that was tried has an intermediate above the limit") !=
        std::string::npos);
}

TEST_CASE("pairs that fit no operands are told") {
  const auto fault = [](const path_options& path) {
    return thrown_by<backend_error>([&] { chain_plan(path); });
  };
  const auto given = [](int count, int x, int y) {
    path_options path{.method = path_method::given, .pair_count = count};
    for (auto& pair : path.pairs) {
      pair[0] = static_cast<std::uint8_t>(x);
      pair[1] = static_cast<std::uint8_t>(y);
    }
    return path;
  };
  const std::string told = "tenfold: \"ij,jk,kl,lm->im\": no order of multiplication";
  CHECK(fault(given(2, 0, 1)).starts_with(told));  // too few
  for (const int too_many : {4, 32, 200}) CHECK(fault(given(too_many, 0, 1)).starts_with(told));
  CHECK(fault(given(3, 0, 0)).starts_with(told));  // one with itself
  CHECK(fault(given(3, 2, 3)).starts_with(told));  // after the first, there are three
  CHECK(fault(given(3, 0, 9)).starts_with(told));
}

}  // namespace tenfold::testing
