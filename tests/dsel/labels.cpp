#include <check_expression.hpp>

using namespace tenfold;
using namespace tenfold::testing;

TEST_CASE("einsum takes diagonals and traces") {
  check_expression<"ii->i", double, forms::all>(shape<7, 7>{});
  check_expression<"ii->">(shape<40, 40>{});
  check_expression<"iij->ji">(shape<3, 3, 20>{});
  check_expression<"iii->i", float>(shape<9, 9, 9>{});
  check_expression<"ij,jj->i">(shape<9, 8>{}, shape<8, 8>{});
  check_expression<"eii,ei->e">(shape<dyn, 5, 5>{13}, shape<dyn, 5>{13});
  check_expression<"eije,jj->i">(shape<11, 6, 9, 11>{}, shape<9, 9>{});
}

TEST_CASE("einsum sums labels of one operand") {
  check_expression<"ij->", double, forms::all>(shape<13, 11>{});
  check_expression<"ij->i">(shape<13, 11>{});
  check_expression<"ij->j", float>(shape<13, 27>{});
  check_expression<"ijk->j">(shape<5, 9, 7>{});
  check_expression<"ij,kl->il">(shape<9, 5>{}, shape<3, 8>{});
  check_expression<"eij,k->e">(shape<dyn, 4, 4>{11}, shape<9>{});
}

TEST_CASE("einsum transposes") {
  check_expression<"ij->ji", double, forms::all>(shape<13, 18>{});
  check_expression<"ijk->kji", float>(shape<5, 9, 20>{});
  check_expression<"eij->eji">(shape<dyn, 4, 6>{11});
  check_expression<"i->i">(shape<19>{});
}

TEST_CASE("einsum forms outer products") {
  check_expression<"i,j->ij", double, forms::all>(shape<9>{}, shape<21>{});
  check_expression<"i,j,k->kji">(shape<5>{}, shape<6>{}, shape<9>{});
  check_expression<"ei,ej->eij", float>(shape<dyn, 4>{33}, shape<dyn, 5>{33});
}

TEST_CASE("einsum multiplies entry by entry") {
  check_expression<"ij,ij->ij", double, forms::in_place>(shape<9, 13>{}, shape<9, 13>{});
  check_expression<"ij,ji->ij">(shape<9, 13>{}, shape<13, 9>{});
  check_expression<"ij,j->ij", float>(shape<9, 33>{}, shape<33>{});
}

TEST_CASE("einsum takes labels that stand in many operands") {
  check_expression<"i,i,i->i">(shape<20>{}, shape<20>{}, shape<20>{});
  check_expression<"ai,bi,ci->abc", double, forms::dynamic>(shape<4, 17>{}, shape<5, 17>{},
                                                            shape<9, 17>{});
  check_expression<"ei,ej,ek->eijk">(shape<dyn, 3>{10}, shape<dyn, 4>{10}, shape<dyn, 5>{10});
  check_expression<"ij,ij,ij->">(shape<8, 9>{}, shape<8, 9>{}, shape<8, 9>{});
}

TEST_CASE("einsum takes operands without a label") {
  check_expression<",ij->ij", double, forms::all>(shape<>{}, shape<7, 9>{});
  check_expression<",->">(shape<>{}, shape<>{});
  check_expression<"i,,i->", float>(shape<30>{}, shape<>{}, shape<30>{});
  check_expression<"->">(shape<>{});

  const tensor<double, 3> x = [] {
    tensor<double, 3> t;
    t.fill(3);
    return t;
  }();
  CHECK(einsum<",i->i">(2.0, x)(1) == 6);
  CHECK(einsum(",i->", 2.0, x) == 18);
}

TEST_CASE("einsum works out the output that is not written") {
  check_expression<"ij,jk", double, forms::dynamic>(shape<9, 8>{}, shape<8, 10>{});
  check_expression<"ba">(shape<9, 8>{});
  check_expression<"ii">(shape<9, 9>{});
  check_expression<"jB,ji">(shape<9, 4>{}, shape<9, 5>{});
  check_run_time_expression("abcdefg,hijkl", {{2, 1, 2, 1, 3, 1, 2}, {2, 1, 3, 1, 2}});
  check_run_time_expression<float>("abcdefgh,ijklmnop",
                                   {{2, 1, 2, 1, 1, 1, 2, 1}, {2, 1, 1, 1, 2, 1, 2, 3}});
}

TEST_CASE("einsum reads labels in brackets and white space") {
  check_expression<"[elem][q][i],[elem][i]->[elem][q]">(shape<dyn, 4, 3>{9}, shape<dyn, 3>{9});
  check_expression<" i j , j k -> i k ">(shape<3, 4>{}, shape<4, 5>{});
  CHECK(std::is_same_v<decltype(einsum<"[row][i],[i]->[row]">(tensor<float, 3, 4>{},
                                                              tensor<float, 4>{})),
                       tensor<float, 3>>);
}

TEST_CASE("the result has the static extents of the operands") {
  const tensor<double, 3, 4> a{};
  const tensor<double, dyn, 5> b(4);
  CHECK(std::is_same_v<decltype(einsum<"ij,jk->ik">(a, b)), tensor<double, 3, 5>>);
  CHECK(std::is_same_v<decltype(einsum<"ij,jk->kj">(a, b)), tensor<double, 5, 4>>);
  CHECK(std::is_same_v<decltype(einsum<"ij,jk->">(a, b)), tensor<double>>);
  CHECK(std::is_same_v<decltype(einsum<"jk->jk">(b)), tensor<double, dyn, 5>>);
}
