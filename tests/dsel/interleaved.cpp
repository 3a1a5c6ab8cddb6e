#include <tenfold/dsel/interleaved.hpp>

#include <doctest/doctest.h>

#include <tenfold/dsel/parse.hpp>
#include <vector>

namespace tenfold {
namespace {

std::string text_of(std::initializer_list<sublist> lists) {
  return interleaved_text(lists.begin(), static_cast<int>(lists.size()));
}
std::string text_of(std::initializer_list<sublist> lists, const sublist& output) {
  return interleaved_text(lists.begin(), static_cast<int>(lists.size()), &output);
}

}  // namespace

TEST_CASE("lists of integers are subscripts with bracketed labels") {
  CHECK(text_of({{0, 1}, {1, 2}}, {0, 2}) == "[0][1],[1][2]->[0][2]");
  CHECK(text_of({{51, 100}}, {100, 51}) == "[51][100]->[100][51]");
  CHECK(text_of({{}, {7}}, {7}) == ",[7]->[7]");
  CHECK(text_of({{0, 0}}, {}) == "[0][0]->");
  CHECK(text_of({{ellipsis, 0, 1}, {ellipsis, 1}}, {ellipsis, 0}) == "...[0][1],...[1]->...[0]");
  CHECK(text_of({{0, ellipsis}}, {ellipsis, 0}) == "[0]...->...[0]");
}

TEST_CASE("without an output list the labels that occur once stand sorted by number") {
  CHECK(text_of({{0, 1}, {1, 2}}) == "[0][1],[1][2]->[0][2]");
  CHECK(text_of({{10, 2}}) == "[10][2]->[2][10]");
  CHECK(text_of({{0, 0}}) == "[0][0]->");
  CHECK(text_of({{1, 0, ellipsis}, {1, ellipsis}}) == "[1][0]...,[1]...->...[0]");
  CHECK(text_of({{}}) == "->");
}

TEST_CASE("lists of integers mean what letters mean") {
  const auto same = [](const std::string& text, std::string_view letters) {
    const auto a = parse<small_limits>(text), b = parse<small_limits>(letters);
    CHECK(a.error.code == diagnosis::none);
    CHECK(a.value == b.value);
  };
  same(text_of({{0, 1}, {1, 2}}, {0, 2}), "ij,jk->ik");
  same(text_of({{3, 1}, {1, 2}}), "kj,ji");
  same(text_of({{1, 0}}), "ba");
  same(text_of({{ellipsis, 0, 1}, {ellipsis, 1}}), "...ij,...j");
}

TEST_CASE("einsum takes operands with their lists") {
  tensor<double, 3, 4> A;
  tensor<double, dyn, 5> B(4);
  for (index i = 0; i < A.size(); ++i) A.data()[i] = static_cast<double>(i % 5 - 2);
  for (index i = 0; i < B.size(); ++i) B.data()[i] = static_cast<double>(i % 7 - 3);
  const auto same = [](const auto& x, const auto& y) {
    REQUIRE(x.shape() == y.shape());
    for (index i = 0; i < x.size(); ++i) CHECK(x.data()[i] == y.data()[i]);
  };
  same(einsum(A, sublist{0, 1}, B, sublist{1, 2}, sublist{2, 0}), einsum("ij,jk->ki", A, B));
  same(einsum(A, sublist{7, 3}, B, sublist{3, 4}), einsum("ba,ac->cb", A, B, alpha(1)));
  same(einsum(A, sublist{0, 1}, sublist{}, alpha(2.0)), einsum("ij->", A, alpha(2.0)));
  same(einsum(A, sublist{ellipsis, 1}, B, sublist{1, 2}, sublist{ellipsis, 2}),
       einsum("...j,jk->...k", A, B));
  tensor<double, 3, 5> C;
  C.fill(1);
  einsum(into(C), A, sublist{0, 1}, B, sublist{1, 2}, sublist{0, 2}, beta(-1.0));
  const auto product = einsum("ij,jk->ik", A, B);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 5; ++k) CHECK(C(i, k) == product(i, k) - 1);
  }
  std::string sentence;
  try {
    einsum(A, sublist{0, 1}, B, sublist{0, 2});
  } catch (const shape_error& e) {
    sentence = e.what();
  }
  CHECK(sentence ==
        "tenfold: \"[0][1],[0][2]->[1][2]\": label '0' at position 8 has extent 4 in operand 1 and "
        "extent 3 in operand 0");
}

TEST_CASE("a fault in a list is told as one in the text") {
  const diagnostic error = parse<small_limits>(text_of({{0, 1}}, {0, 12})).error;
  CHECK(error == diagnostic{diagnosis::output_label_unknown, 12, 2, {}});
}

}  // namespace tenfold
