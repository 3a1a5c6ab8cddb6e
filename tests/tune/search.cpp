#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "journal.hpp"
#include "knobs.hpp"

// What a search tries, and how it goes on where it was interrupted.

namespace tenfold::tune {
namespace {

constexpr instruction_set set = instruction_set::avx512;

gemm_tuning with(const size_class& c, int gemm_tuning::*value, int to) {
  gemm_tuning t = select::shipped(c, set);
  t.*value = to;
  return t;
}

finding some_finding(const size_class& c) {
  finding f{c, with(c, &gemm_tuning::group, 4321), with(c, &gemm_tuning::unroll, 7), {}};
  f.compared.push_back({{9, 64, 8, true, place::cache, true}, 61.25, 1.5, 0.01});
  f.compared.push_back({{16, 16, 16, false, place::memory, true}, 20.5, 0.75, 0.02});
  return f;
}

}  // namespace

TEST_CASE("static sizes are compiled with the loop as it is shipped") {
  for (const processor model :
       {processor::other, processor::zen3, processor::zen4, processor::zen5}) {
    for (int i = 0; i < class_count; ++i) {
      const gemm_tuning shipped = select::shipped(class_of(i), set, model);
      const auto is_so = [&](const fixed_choice& c) { return c.unroll == shipped.unroll; };
      CHECK(std::any_of(std::begin(fixed_columns), std::end(fixed_columns), is_so));
      CHECK(std::any_of(std::begin(fixed_lanes), std::end(fixed_lanes), is_so));
    }
  }
}

TEST_CASE("every class has samples, and all are of the class") {
  for (int i = 0; i < class_count; ++i) {
    const size_class c = class_of(i);
    const std::vector<sample> all = samples_of(c);
    CHECK(std::count_if(all.begin(), all.end(), [](const sample& s) {
            return s.where == place::cache && s.is_screened && !s.shared_a;
          }) >= 2);
    for (const sample& s : all) CHECK(class_of(shape_of(s, c)) == c);
  }
}

TEST_CASE("all choices of all knobs are within the bounds, and each knob has what is shipped") {
  for (int i = 0; i < class_count; ++i) {
    const size_class c = class_of(i);
    const gemm_tuning start = select::shipped(c, set);
    CHECK(is_valid(start));
    CHECK(is_valid(poor(c, set)));
    std::vector<knob> knobs = knobs_of(c);
    knobs.push_back(fixed_knob(c));
    for (const knob& k : knobs) {
      bool has_shipped = false;
      for (const auto& choose : k.choices) {
        gemm_tuning t = start;
        choose(t);
        CHECK(is_valid(t));
        has_shipped = has_shipped || t == start;
      }
      CHECK_MESSAGE(has_shipped, k.name);
    }
  }
}

TEST_CASE("every knob changes what some class does") {
  for (const knob& k : knobs_of({scalar::f64, false, 2})) {
    bool is_real = false;
    for (int i = 0; i < class_count && !is_real; ++i) {
      const size_class c = class_of(i);
      for (const sample& s : samples_of(c)) {
        for (const auto& choose : k.choices) {
          gemm_tuning t = select::shipped(c, set);
          choose(t);
          is_real = is_real || way_of(s, c, avx512_capabilities, t) !=
                                   way_of(s, c, avx512_capabilities, select::shipped(c, set));
        }
      }
    }
    CHECK_MESSAGE(is_real, k.name);
  }
}

TEST_CASE("tunings by which a product does the same are told") {
  const size_class c{scalar::f64, false, 3};
  const sample n16{16, 16, 16};
  const auto alike = [&](const sample& s, int gemm_tuning::*value, int to) {
    return way_of(s, c, avx512_capabilities, with(c, value, to)) ==
           way_of(s, c, avx512_capabilities, select::shipped(c, set));
  };
  CHECK(alike(n16, &gemm_tuning::columns_rows, 8));
  CHECK_FALSE(alike(n16, &gemm_tuning::columns_rows, 4));
  CHECK(alike(n16, &gemm_tuning::lanes_rows, 2));
  CHECK(alike(n16, &gemm_tuning::narrows, 0));
  CHECK_FALSE(alike({17, 17, 17}, &gemm_tuning::narrows, 1));
  CHECK(alike({21, 21, 21}, &gemm_tuning::narrows, 1));
  CHECK(alike(n16, &gemm_tuning::stream_to, 0));
  CHECK_FALSE(alike({16, 16, 16, false, place::memory}, &gemm_tuning::stream_to, 0));
  CHECK(alike(n16, &gemm_tuning::distance, 1024));
  for (const place where : {place::l3, place::memory})
    CHECK_FALSE(alike({16, 16, 16, false, where}, &gemm_tuning::distance, 1024));
  CHECK_FALSE(alike(n16, &gemm_tuning::lanes_cost, 1));
}

TEST_CASE("a journal is read as it was written, without what is not whole") {
  const std::string title = journal_title("Maker-1-2-3", set, "shipped");
  const finding first = some_finding({scalar::f64, false, 3}),
                second = some_finding({scalar::c32, true, 0});
  const std::string text = title + '\n' + text_of(first) + text_of(second);
  std::vector<finding> read = read_journal(text, title);
  REQUIRE(read.size() == 2);
  CHECK(read[1].which == second.which);
  CHECK(read[0].found == first.found);
  CHECK(read[0].fixed == first.fixed);
  REQUIRE(read[0].compared.size() == 2);
  CHECK(read[0].compared[0].on.shared_a);
  CHECK(read[0].compared[0].on.n == 64);
  CHECK(read[0].compared[1].on.where == place::memory);
  CHECK(read[0].compared[1].ratio == doctest::Approx(0.75));
  CHECK(read[0].mean() == doctest::Approx(std::sqrt(1.5 * 0.75)));

  CHECK(read_journal(text.substr(0, text.size() - 30), title).size() == 1);
  CHECK(read_journal(text, journal_title("Maker-1-2-3", set, "poor")).empty());
  CHECK(read_journal("", title).empty());
  CHECK(read_journal(title + "\nnonsense\n" + text_of(first), title).empty());
  const finding again{first.which, poor(first.which, set), poor(first.which, set), {}};
  read = read_journal(text + text_of(again), title);
  REQUIRE(read.size() == 2);
  CHECK(read[1].found == again.found);
}

}  // namespace tenfold::tune
