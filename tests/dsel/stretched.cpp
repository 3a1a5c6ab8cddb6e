#include <check_call.hpp>
#include <thrown.hpp>

// Operands that are stretched, or met by an ellipsis, when a plan is made or a call is run.

namespace tenfold::testing {
namespace {

constexpr entries_kind random_entries = entries_kind::random;

}  // namespace

TEST_CASE("numpy_semantics repeats what has one entry along any label") {
  const auto a = made<double>(shape<5, 1>{}, 1);
  const auto b = made<double>(shape<1, 7>{}, 2);
  const auto c = made<double>(shape<5, 7>{}, 3);
  call_settings as_numpy;
  as_numpy.binding.numpy_semantics = true;
  const auto check = [](const auto& right, std::string_view text, const auto&... x) {
    right.check(einsum(text, x..., numpy_semantics));
    right.check(plan(text, like(x)..., numpy_semantics)(x...));
  };
  {
    const judge<double> right("ij,ij->ij", random_entries, {seen(a), seen(b)}, as_numpy);
    CHECK(right.extents() == std::vector<index>{5, 7});
    right.check(einsum<"ij,ij->ij">(a, b, numpy_semantics));
    check(right, "ij,ij->ij", a, b);
    check(right, "ij,ij->ij", without_static_extents(a), without_static_extents(b));
    right.check(
        einsum<"ij,ij->ij">(without_static_extents(a), without_static_extents(b), numpy_semantics));
  }
  {
    const judge<double> right("ij,ij->", random_entries, {seen(a), seen(c)}, as_numpy);
    right.check(einsum<"ij,ij->">(a, c, numpy_semantics));
    right.check(einsum<"ij,ij->">(without_static_extents(a), c, numpy_semantics));
    check(right, "ij,ij->", a, c);
  }
  {
    // The sum over j is one entry in the first term and seven in the second.
    const judge<double> right("ij - ij -> i", random_entries, {seen(a), seen(c)}, as_numpy);
    right.check(einsum<"ij - ij -> i">(a, c, numpy_semantics));
    right.check(einsum<"ij - ij -> i">(without_static_extents(a), c, numpy_semantics));
    check(right, "ij - ij -> i", a, c);
  }
  CHECK(thrown_by<shape_error>([&] { einsum("ij,ij->ij", a, c); }) ==
        "tenfold: \"ij,ij->ij\": label 'j' at position 4 has extent 7 in operand 1 and extent 1 in "
        "operand 0");
  CHECK(thrown_by<shape_error>([&] { einsum<"ij,ij->ij">(without_static_extents(a), c); }) ==
        "tenfold: \"ij,ij->ij\": label 'j' at position 4 has extent 7 in operand 1 and extent 1 in "
        "operand 0");
}

TEST_CASE("an extent of 1 that only the call tells is stretched as well") {
  // Types that say dyn, planned as if nothing were repeated.
  for (const index rows : {1, 4}) {
    for (const index batch : {1, 6}) {
      for (const index batch_of_vector : {1, 6}) {
        CAPTURE(rows);
        CAPTURE(batch);
        CAPTURE(batch_of_vector);
        const auto a = made<double>(shape<dyn, dyn, 5>{batch, rows}, 1);
        const auto u = made<double>(shape<dyn, 5>{batch_of_vector}, 2);
        const judge<double> right("...ij,...j->...i", random_entries, {seen(a), seen(u)});
        right.check(einsum<"...ij,...j->...i">(a, u));
        right.check(einsum("...ij,...j->...i", a, u));
        auto y = einsum<"...ij,...j->...i">(a, u);
        y.fill(not_a_number<double>());
        einsum<"...ij,...j->...i">(into(y), a, u);
        right.check(y);
      }
    }
  }
  const auto a = made<double>(shape<dyn, 3, 5>{4}, 1);
  const auto u = made<double>(shape<dyn, 5>{6}, 2);
  CHECK(thrown_by<shape_error>([&] { einsum<"...ij,...j->...i">(a, u); }) ==
        "tenfold: \"...ij,...j->...i\": label '...' at position 6 has extent 6 in operand 1 and "
        "extent 4 in operand 0");
}

TEST_CASE("what the call stretches is checked and told even where it is not computed") {
  tensor<double, 3> y;
  y.fill(5);
  const tensor<double, dyn> one(1);
  CHECK(thrown_by<shape_error>([&] {
          einsum<"i->i">(into(y), one, numpy_semantics, alpha(0));
        }).starts_with("tenfold: "));
  CHECK(y(0) == 5);
  const tensor<double, dyn, 3> a(1), b(5);
  CHECK(explain<"ei,ei->ei">(a, b, numpy_semantics).when == planned::at_the_call_for_shape);
  CHECK(explain<"ei,ei->ei">(b, b, numpy_semantics).when == planned::by_the_compiler);
}

TEST_CASE("a result is never stretched") {
  const auto a = made<double>(shape<dyn, 5>{1}, 1);
  tensor<double, dyn, 5> y(3);
  y.fill(7);
  CHECK(
      thrown_by<shape_error>([&] { einsum<"...i->...i">(into(y), a); }) ==
      "tenfold: \"...i->...i\": label '...' at position 6 has extent 3 in the output and extent 1 "
      "in the operands");
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 7);
}

TEST_CASE("the axes of a diagonal have one extent, stretched or not") {
  const tensor<double, 1, dyn> a(3);
  const auto b = made<double>(shape<3>{}, 2);
  const std::string text =
      "tenfold: \"ii,i->i\": label 'i' at position 1 has extent 3 in operand 0 and extent 1 in "
      "operand 0";
  CHECK(thrown_by<shape_error>([&] { einsum("ii,i->i", a, b, numpy_semantics); }) == text);
  CHECK(thrown_by<shape_error>([&] { einsum<"ii,i->i">(a, b, numpy_semantics); }) == text);
}

TEST_CASE("an ellipsis of any length, on any side") {
  const auto a = made<double>(shape<2, 3, 4>{}, 1);
  const auto b = made<double>(shape<4, 5>{}, 2);
  const auto check = [](std::string_view text, const auto&... x) {
    CAPTURE(text);
    const judge<double> right(text, random_entries, {seen(x)...});
    right.check(einsum(text, x...));
    right.check(plan(text, like(x)...)(x...));
  };
  check("...j,jk->...k", a, b);
  check("i...j,j...->i...", a, made<double>(shape<4, 3>{}, 3));
  check("...,...->...", a, made<double>(shape<4>{}, 3));
  check("...ijk->...ikj", a);  // it stands for nothing
  check("...ijk->ikj", a);
  check("a...", a);
  check("...a,...b", a, made<double>(shape<1, 3, 5>{}, 3));
}

}  // namespace tenfold::testing
