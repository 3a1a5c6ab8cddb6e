#include <copy_there.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/device_view.hpp>

#include "check_on_device.hpp"

// Expressions by generated texts on a device, against the reference.

namespace tenfold::testing {

TEST_SUITE_BEGIN("device");

TEST_CASE("products, sums, diagonals and permutations of few operands run on a device") {
  test_device machine;
  const expression_of_text all[] = {
      {"ij,jk->ik", {{5, 7}, {7, 40}}},
      {"ij,jk->ki", {{37, 3}, {3, 4}}},
      {"bij,bjk->bik", {{6, 3, 4}, {6, 4, 5}}},
      {"bij,jk->bik", {{6, 3, 4}, {4, 35}}},
      {"ijk->kji", {{3, 4, 5}}},
      {"ijkl->ljki", {{3, 4, 5, 2}}},
      {"iij->ij", {{4, 4, 3}}},
      {"ii->", {{9, 9}}},
      {"ij->", {{11, 13}}},
      {"i,j->ij", {{17}, {19}}},
      {"ij,ij->ij", {{6, 9}, {6, 9}}},
      {"ij,ji->", {{6, 9}, {9, 6}}},
      {"i,i->", {{100}, {100}}},
      {"ij,j->i", {{9, 30}, {30}}},
      {"abc,cd->abd", {{3, 4, 5}, {5, 33}}},
      {"abcd,cdef->abef", {{2, 3, 4, 5}, {4, 5, 3, 2}}},
      {"ab,cd->abcd", {{2, 3}, {4, 5}}},
      {",ij->ij", {{}, {3, 4}}},
      {"ijk->jk", {{6, 1, 7}}},
      {"i,i,i->i", {{130}, {130}, {130}}},
      {",i+i->i", {{}, {1030}, {1030}}},
      {"...ij,...jk->...ik", {{2, 3, 4, 5}, {2, 3, 5, 2}}},
  };
  for (const auto& x : all) check_on_device<double>(machine, x);
}

TEST_CASE("one operand is read whole and along several diagonals on a device") {
  test_device machine;
  for (const std::string_view text :
       {"zbcb,zdbd,zccd->z", "zbbc,zcbb,zcbc->zb", "zbcd,zdcb,zbcb->zcd", "zbcd,zdbc,zcdb->z"}) {
    for_all_kinds([&](entries_kind kind) {
      generator g(3);
      sample<double> one({6, 3, 3, 3});
      one.fill(g, kind);
      check_on_device<double>(machine, text, kind, {seen(one), seen(one), seen(one)});
    });
  }
}

TEST_CASE("a few long sums are shared by warps, and cut into parts") {
  test_device machine;
  const expression_of_text all[] = {
      {"i->", {{5000}}},
      {"ijk->", {{7, 60, 50}}},
      {"ijk->j", {{70, 6, 50}}},
      {"i,i->", {{3001}, {3001}}},
      {"ij,j->i", {{5, 1300}, {1300}}},
      {"ij,ij->i", {{5, 800}, {5, 800}}},
      {"ipx,iqx->pq", {{90, 3, 50}, {90, 4, 50}}},
      {"ijk,ij->k", {{90, 50, 4}, {90, 50}}},
      {"ij,j-i->i", {{3, 700}, {700}, {3}}},
  };
  for (const auto& x : all) check_on_device<double>(machine, x);
  check_on_device<std::complex<float>>(machine, all[2]);
}

TEST_CASE("what steps leave for each other lies in shared memory, or crosses launches") {
  test_device machine;
  const expression_of_text all[] = {
      {"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
       {{4, 3}, {4, 3}, {4, 3}, {7, 4, 4, 4}, {4, 3}, {4, 3}, {4, 3}, {7, 3, 3, 3}}},
      {"qi,qj,eq->eij", {{5, 4}, {5, 4}, {9, 5}}},
      {"ij,jk,kl->il", {{6, 7}, {7, 8}, {8, 9}}},
      {"ij,jk,kl,lm->im", {{40, 7}, {7, 8}, {8, 9}, {9, 3}}},
      {"eij,ejk,ek->ei", {{150, 2, 3}, {150, 3, 2}, {150, 2}}},
      {"bij,bjk,bkl->bil", {{3, 5, 4}, {3, 4, 6}, {3, 6, 5}}},
      {"ab,bc,cd,de,ef->af", {{2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 2}}},
      {"ij,jk-ik->ik", {{4, 5}, {5, 6}, {4, 6}}},
      {"eij,ej-ei->ei", {{12, 3, 4}, {12, 4}, {12, 3}}},
      {"ij,jk+ik-ii,ik->ik", {{4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}}},
      {"ai,bi,ci->abc", {{3, 20}, {4, 20}, {5, 20}}},
  };
  for (const auto& x : all) check_on_device<double>(machine, x);
  for (const auto& x : {all[0], all[4], all[8]}) check_on_device<float>(machine, x);
}

TEST_CASE("scalars of all kinds, and operands of several, run on a device") {
  test_device machine;
  const expression_of_text all[] = {
      {"ij,jk->ik", {{5, 7}, {7, 40}}},
      {"eij,ejk,ek->ei", {{15, 2, 3}, {15, 3, 2}, {15, 2}}},
      {"ij,jk-ik->ik", {{4, 5}, {5, 6}, {4, 6}}},
      {"ij->", {{11, 13}}},
  };
  for (const auto& x : all) {
    check_on_device<float>(machine, x);
    check_on_device<std::complex<float>>(machine, x);
    check_on_device<std::complex<double>>(machine, x);
  }
}

TEST_CASE("any strides, and steps of any length between entries, run on a device") {
  test_device machine;
  generator g(3);
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    sample<double> a({4, 5, 3}, {1, -8, 60}), b({4, 3, 2}, {0, 2, 40});
    a.fill(g, kind);
    b.fill(g, kind);
    check_on_device<double>(machine, "bij,bjk->bik", kind, {seen(a), seen(b)});
  }
}

TEST_CASE("entries in another order go through shared memory in square parts") {
  test_device machine;
  for (const expression_of_text& x : {expression_of_text{"ij->ji", {{70, 45}}},
                                      {"ij->ji", {{32, 64}}},
                                      {"ijk->kji", {{40, 3, 33}}},
                                      {"ijkl->jlik", {{17, 5, 2, 20}}},
                                      {"ijk->ikj", {{3, 100, 16}}}}) {
    check_on_device<double>(machine, x);
    check_on_device<std::complex<float>>(machine, x);
  }
}

TEST_CASE("long sums are shared whichever entries are neighbours") {
  test_device machine;
  for (const expression_of_text& x : {expression_of_text{"ij->j", {{3000, 40}}},
                                      {"ij->i", {{40, 300}}},
                                      {"ij,j->i", {{90, 300}, {300}}},
                                      {"ij,i->j", {{2000, 40}, {2000}}},
                                      {"ijk->j", {{30, 40, 50}}}})
    check_on_device<double>(machine, x);
}

TEST_CASE("products that are launches of their own leave their results in one workspace") {
  test_device machine;
  for (const expression_of_text& x :
       {expression_of_text{"i,ij,jk,kl,lm,m->", {{7}, {7, 9}, {9, 11}, {11, 6}, {6, 8}, {8}}},
        {"ij,jk,kl,lm->", {{7, 9}, {9, 11}, {11, 6}, {6, 8}}},
        {"ij,jk-ik->ik", {{132, 160}, {160, 160}, {132, 160}}}})
    check_on_device<double>(machine, x);
}

TEST_CASE("steps of vectors of another length compile nothing") {
  test_device machine;
  for (const std::string_view text : {"i->i", "i,i->i", ",i->i"}) {
    const auto check = [&](index n) {
      const extents_list extents = text == "i->i"     ? extents_list{{n}}
                                   : text == "i,i->i" ? extents_list{{n}, {n}}
                                                      : extents_list{{}, {n}};
      check_on_device<double>(machine, {text, extents});
    };
    check(1);
    check(517);
    const int compiled = machine.compiled();
    check(300);
    check(2048);
    CHECK(machine.compiled() == compiled);
  }
  generator g(3);
  sample<double> a({40}, {3}), b({40}, {-2});
  a.fill(g, entries_kind::exact);
  b.fill(g, entries_kind::exact);
  check_on_device<double>(machine, "i,i->i", entries_kind::exact, {seen(a), seen(b)});
}

TEST_CASE("one tensor is read twice, with the batch in different places") {
  test_device machine;
  sample<double> x({9, 9}), m({9, 9});
  generator g(1);
  x.fill(g, entries_kind::exact);
  m.fill(g, entries_kind::exact);
  check_on_device<double>(machine, "ei,ij,je->e", entries_kind::exact, {seen(x), seen(m), seen(x)});
}

TEST_CASE("elements with few lines and much memory are as many as fit") {
  test_device machine;
  check_on_device<double>(machine, {"ek,ek,e->e", {{200, 500}, {200, 500}, {200}}});
}

TEST_CASE("sums over nothing and results without entries run on a device") {
  test_device machine;
  for (const expression_of_text& x : {expression_of_text{"ij,jk->ik", {{3, 0}, {0, 4}}},
                                      {"ij,jk->ik", {{0, 3}, {3, 4}}},
                                      {"ij,jk,kl->il", {{3, 0}, {0, 4}, {4, 2}}},
                                      {"eij,ej->ei", {{0, 3, 4}, {0, 4}}}})
    check_on_device<double>(machine, x);
}

TEST_CASE("the number of elements and the order of threads change no bit") {
  test_device machine;
  const index elements = 23;
  const auto random = [](index count, std::uint64_t seed) {
    std::vector<double> x(static_cast<std::size_t>(count));
    generator g(seed);
    fill(x.data(), count, g, entries_kind::random);
    return x;
  };
  const copy_there<double> u(machine, random(elements * 27, 1)),
      d(machine, random(elements * 64, 2)), b(machine, random(12, 3));
  const auto results = [&](index first, index last) {
    const auto there = [](const auto& v) { return in_memory_of<device::cuda>(v); };
    const auto x = there(view<const double, dyn, 3, 3, 3>(u.data() + 27 * first, last - first));
    const auto at = there(view<const double, dyn, 4, 4, 4>(d.data() + 64 * first, last - first));
    const auto B = there(view<const double, 4, 3>(b.data()));
    tensor<double, dyn, 3, 3, 3> y(last - first);
    einsum<"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn">(on(machine), B, B, B, at, B, B, B, x).copy_to(y);
    return y;
  };
  const auto all = results(0, elements);
  const int compiled = machine.compiled();
  machine.reorder(9, 1);
  CHECK(same_bits(results(0, elements), all));
  for (const auto& [first, last] : {std::pair<index, index>{0, 1}, {3, 4}, {22, 23}, {2, 20}}) {
    const auto some = results(first, last);
    CHECK(std::equal(some.data(), some.data() + some.size(), all.data() + 27 * first));
  }
  CHECK(machine.compiled() == compiled);
}

TEST_SUITE_END();

}  // namespace tenfold::testing
