#include <check_expression.hpp>

// The programs of one list of expressions on every instruction set that the CPU has.

namespace tenfold::testing {
namespace {

struct listed {
  std::string_view heading, text;
  extents_list extents;
};

const listed expressions[] = {
    {"matrix products", "ij,jk->ik", {{9, 10}, {10, 33}}},
    {"matrix products", "ij,kj->ik", {{9, 10}, {17, 10}}},
    {"matrix products", "ij,jk->ki", {{9, 70}, {70, 8}}},
    {"matrix products", "ij,jk->ik", {{4, 4}, {4, 4}}},
    {"batches", "eij,ejk->eik", {{19, 4, 5}, {19, 5, 3}}},
    {"batches", "ije,jke->ike", {{4, 5, 37}, {5, 3, 37}}},
    {"batches", "eij,ej->ei", {{33, 8, 8}, {33, 8}}},
    {"diagonals and traces", "iij->ij", {{7, 7, 9}}},
    {"diagonals and traces", "iji->", {{7, 9, 7}}},
    {"sums of one operand", "ijk->j", {{4, 19, 6}}},
    {"sums of one operand", "ij->", {{31, 33}}},
    {"transpositions", "ijk->kji", {{5, 18, 19}}},
    {"outer products", "i,j,k->jki", {{5}, {17}, {6}}},
    {"entry by entry", "ij,ij->ij", {{17, 18}, {17, 18}}},
    {"hyper-labels", "ai,bi,ci->abc", {{4, 17}, {5, 17}, {9, 17}}},
    {"scalars", ",ij,->ji", {{}, {17, 4}, {}}},
    {"element operators", "qi,rj,sk,eijk->eqrs", {{5, 4}, {5, 4}, {5, 4}, {11, 4, 4, 4}}},
    {"element operators",
     "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
     {{4, 3}, {4, 3}, {4, 3}, {9, 4, 4, 4}, {4, 3}, {4, 3}, {4, 3}, {9, 3, 3, 3}}},
    {"element operators", "qi,qj,eq->eij", {{9, 4}, {9, 4}, {21, 9}}},
    // The operand that both factors of the last step need is summed in phases of their own.
    {"several phases", "ab,bc,cd,de->ae", {{9, 20}, {20, 5}, {5, 30}, {30, 8}}},
    {"several phases", "eik,ekl,lj->eij", {{19, 3, 4}, {19, 4, 5}, {5, 64}}},
    {"several phases", "ij,kl->il", {{9, 40}, {50, 8}}},
    {"several phases", "aib,ibj,jc->ac", {{6, 5, 7}, {5, 7, 9}, {9, 18}}},
    {"no entries", "ij,jk->ik", {{5, 0}, {0, 18}}},
};

template <class T>
void check_on(instruction_set isa, const listed& l) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    generator g(1);
    std::vector<sample<T>> x;
    operand_list seen_x;
    for (const auto& e : l.extents) x.emplace_back(e);
    for (auto& s : x) {
      s.fill(g, kind);
      seen_x.push_back(seen(s));
    }
    const judge<T> right(l.text, kind, seen_x);
    sample<T> y(right.extents());
    y.fill(std::numeric_limits<T>::quiet_NaN());
    evaluate_on(isa, l.text, seen_x, y.shape(), y.data());
    right.check(y);
    y.fill(g, kind);
    const std::vector<T> before = y.entries();
    evaluate_on(isa, l.text, seen_x, y.shape(), y.data(), {{2}, {-1}});
    right.check(y, before, 2, -1);
  }
}

}  // namespace

TEST_CASE("the same expressions are right on every instruction set") {
  for (const instruction_set isa : instruction_sets()) {
    for (const listed& l : expressions) {
      CAPTURE(static_cast<int>(isa));
      CAPTURE(l.heading);
      CAPTURE(l.text);
      check_on<double>(isa, l);
      check_on<float>(isa, l);
    }
  }
}

TEST_CASE("some expression keeps an intermediate in the workspace") {
  for (const instruction_set isa : instruction_sets()) {
    index most = 0;
    for (const listed& l : expressions) {
      std::vector<sample<double>> x;
      operand_list seen_x;
      for (const auto& e : l.extents) x.emplace_back(e);
      for (auto& s : x) seen_x.push_back(seen(s));
      if (std::string_view(l.heading) == "no entries") continue;
      most = std::max(most, workspace_on(isa, l.text, seen_x));
    }
    CHECK(most > 0);
  }
}

}  // namespace tenfold::testing
