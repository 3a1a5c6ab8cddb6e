#include <tenfold/dsel/interleaved.hpp>

#include <doctest/doctest.h>

#include <tenfold/dsel/parse.hpp>
#include <vector>

namespace tenfold {
namespace {

using list = std::initializer_list<int>;

std::string text_of(std::initializer_list<list> lists) {
  return interleaved_text(lists.begin(), static_cast<int>(lists.size()));
}
std::string text_of(std::initializer_list<list> lists, list output) {
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

TEST_CASE("a fault in a list is told as one in the text") {
  const diagnostic error = parse<small_limits>(text_of({{0, 1}}, {0, 12})).error;
  CHECK(error == diagnostic{diagnosis::output_label_unknown, 12, 2, {}});
}

}  // namespace tenfold
