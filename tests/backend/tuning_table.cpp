#include <doctest/doctest.h>

#include <damaged_table.hpp>

#include <string>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/tuning_table.hpp>

// The classes for which values are found, and the text that they are kept in.

namespace tenfold {
namespace {

constexpr int size_of(index m, index n, index k) {
  gemm_shape s;
  s.m = m;
  s.n = n;
  s.k = k;
  return class_of(s).size;
}
static_assert(size_of(0, 5, 5) == 0);
static_assert(size_of(1, 1, 1) == 0);
static_assert(size_of(2, 2, 2) == 0 && size_of(3, 3, 1) == 1);
static_assert(size_of(4, 4, 4) == 1 && size_of(5, 13, 1) == 2);
static_assert(size_of(8, 8, 8) == 2 && size_of(9, 9, 9) == 3);
static_assert(size_of(16, 16, 16) == 3 && size_of(17, 16, 16) == 4);
static_assert(size_of(9, 64, 8) == 4, "a cube root of 16.6");
static_assert(size_of(64, 64, 64) == 5 && size_of(65, 64, 64) == 6);
static_assert(size_of(index{1} << 60, index{1} << 60, index{1} << 60) == 6);

static_assert([] {
  for (int i = 0; i < class_count; ++i) {
    if (number_of(class_of(i)) != i) return false;
  }
  return true;
}());

tuning_table some_table() {
  tuning_table t{"Maker-1-2-3", {}};
  for (const auto set : {instruction_set::avx2, instruction_set::avx512}) {
    for (const int number : {0, 17, class_count - 1}) {
      tuned_class one{set, class_of(number), select::shipped(class_of(number), set)};
      one.found.group = 12345;
      t.classes.push_back(one);
    }
  }
  return t;
}

std::string refusal_of(const std::string& text) {
  return read_tuning(text, "FILE", "Maker-1-2-3").refusal;
}

}  // namespace

TEST_CASE("classes of sizes have names") {
  CHECK(name_of(size_class{scalar::f64, false, 3}) == "d-strided-16");
  CHECK(name_of(size_class{scalar::c32, true, 0}) == "c-interleaved-2");
  CHECK(name_of(size_class{scalar::f32, true, size_count - 1}) == "s-interleaved-large");
  for (int i = 0; i < class_count; ++i) {
    size_class c;
    CHECK(read_class(name_of(class_of(i)), c));
    CHECK(c == class_of(i));
  }
  size_class c;
  CHECK_FALSE(read_class("d-strided-17", c));
  CHECK_FALSE(read_class("", c));
}

TEST_CASE("a table is read as it was written") {
  const tuning_table t = some_table();
  const tuning_reading read = read_tuning(text_of(t), "FILE", t.cpu);
  CHECK(read.refusal.empty());
  REQUIRE(read.table.classes.size() == t.classes.size());
  for (std::size_t i = 0; i < t.classes.size(); ++i) {
    CHECK(read.table.classes[i].set == t.classes[i].set);
    CHECK(read.table.classes[i].which == t.classes[i].which);
    CHECK(read.table.classes[i].found == t.classes[i].found);
  }
  CHECK(text_of(read.table) == text_of(t));
  CHECK(read_tuning(text_of({t.cpu, {}}), "FILE", t.cpu).refusal.empty());
}

TEST_CASE("a table with any other byte is refused") {
  const std::string text = text_of(some_table());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = other[i] == '1' ? '2' : '1';
    CHECK(!refusal_of(other).empty());
  }
  for (std::size_t size = 0; size < text.size(); ++size)
    CHECK(!refusal_of(text.substr(0, size)).empty());
  CHECK(!refusal_of(text + text).empty());
}

TEST_CASE("the refusal of a table says why") {
  const std::string text = text_of(some_table());
  CHECK(refusal_of("") ==
        "the tuning table FILE is not used: it does not begin with 'tenfold tuning 4'");
  CHECK(refusal_of(replaced(text, "tuning 4", "tuning 7")) ==
        "the tuning table FILE is not used: it is of version 7, and this library reads 4");
  CHECK(refusal_of(replaced(text, "12345", "12346")) ==
        "the tuning table FILE is not used: its check sum does not fit, so it is damaged");
  CHECK(read_tuning(text, "FILE", "Other-9-9-9").refusal ==
        "the tuning table FILE is not used: it is for the CPU 'Maker-1-2-3', and this is "
        "'Other-9-9-9'");
  CHECK(refusal_of(with_sum(replaced(text, " 12345 ", " 0 "))) ==
        "the tuning table FILE is not used: line 5: group is '0' and must be a number from 1 to "
        "1048576");
  CHECK(refusal_of(with_sum(replaced(text, " 12345 ", " x "))) ==
        "the tuning table FILE is not used: line 5: group is 'x' and must be a number from 1 to "
        "1048576");
  CHECK(refusal_of(with_sum(replaced(text, "s-strided-2 ", "s-strided-3 "))) ==
        "the tuning table FILE is not used: line 5: 's-strided-3' is no class of sizes");
  CHECK(refusal_of(with_sum(replaced(text, "set avx2", "set avx3"))) ==
        "the tuning table FILE is not used: line 3: 'avx3' is no instruction set");
  CHECK(refusal_of(with_sum(replaced(text, "unroll", "enroll"))) ==
        "the tuning table FILE is not used: line 4: the values are not those of this library");
  CHECK(refusal_of(with_sum(replaced(text, "\nset avx512", " 9\nset avx512"))) ==
        "the tuning table FILE is not used: line 7: there is more after the last value");
}

TEST_CASE("the header names every class of the table") {
  const std::string text = header_of(some_table());
  CHECK(text.find("{instruction_set::avx512, class_of(17),  // d-strided-16") != std::string::npos);
  CHECK(text.find("Maker-1-2-3") != std::string::npos);
}

}  // namespace tenfold
