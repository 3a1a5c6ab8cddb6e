#include <check_expression.hpp>

using namespace tenfold;
using namespace tenfold::testing;

TEST_CASE("einsum interpolates to quadrature points") {
  check_expression<"qi,ei->eq">(shape<5, 4>{}, shape<dyn, 4>{11});
  check_expression<"qi,rj,eij->eqr", double, forms::in_place>(shape<4, 3>{}, shape<4, 3>{},
                                                              shape<dyn, 3, 3>{19});
  check_expression<"qi,rj,sk,eijk->eqrs", double, forms::in_place>(
      shape<5, 4>{}, shape<5, 4>{}, shape<5, 4>{}, shape<dyn, 4, 4, 4>{11});
  check_expression<"qi,rj,sk,eijkc->eqrsc", float>(shape<3, 2>{}, shape<3, 2>{}, shape<3, 2>{},
                                                   shape<dyn, 2, 2, 2, 3>{17});
}

TEST_CASE("einsum interpolates interleaved elements") {
  check_expression<"qi,rj,sk,Eijkw->Eqrsw">(shape<4, 3>{}, shape<4, 3>{}, shape<4, 3>{},
                                            shape<dyn, 3, 3, 3, 8>{5});
  check_expression<"qi,rj,sk,Eijkw->Eqrsw", float>(shape<3, 3>{}, shape<3, 3>{}, shape<3, 3>{},
                                                   shape<dyn, 3, 3, 3, 16>{3});
}

TEST_CASE("einsum assembles element matrices") {
  check_expression<"qi,qj,eq->eij", double, forms::in_place>(shape<9, 4>{}, shape<9, 4>{},
                                                             shape<dyn, 9>{13});
  check_expression<"dqi,ecdq,cqj->eij">(shape<2, 9, 4>{}, shape<dyn, 2, 2, 9>{10},
                                        shape<2, 9, 4>{});
}

TEST_CASE("einsum applies the mass operator") {
  static constexpr literal mass("qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn");
  check_expression<mass, double, forms::in_place>(
      shape<4, 3>{}, shape<4, 3>{}, shape<4, 3>{}, shape<dyn, 4, 4, 4>{13}, shape<4, 3>{},
      shape<4, 3>{}, shape<4, 3>{}, shape<dyn, 3, 3, 3>{13});
  check_expression<mass, float>(shape<3, 2>{}, shape<3, 2>{}, shape<3, 2>{},
                                shape<dyn, 3, 3, 3>{17}, shape<3, 2>{}, shape<3, 2>{},
                                shape<3, 2>{}, shape<dyn, 2, 2, 2>{17});
  check_run_time_expression(
      mass.view(), {{5, 4}, {5, 4}, {5, 4}, {3, 5, 5, 5}, {5, 4}, {5, 4}, {5, 4}, {3, 4, 4, 4}});
}

TEST_CASE("einsum applies the mass operator to interleaved elements") {
  check_expression<"qi,rj,sk,Eqrsw,ql,rm,sn,Eijkw->Elmnw", double, forms::in_place>(
      shape<3, 2>{}, shape<3, 2>{}, shape<3, 2>{}, shape<dyn, 3, 3, 3, 8>{3}, shape<3, 2>{},
      shape<3, 2>{}, shape<3, 2>{}, shape<dyn, 2, 2, 2, 8>{3});
}

TEST_CASE("einsum plans ten operands by dynamic programming and more of them greedily") {
  check_run_time_expression(
      "ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak",
      {{2, 9}, {9, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}});
  check_run_time_expression(
      "ab,bc,cd,de,ef,fg,gh,hi,ij,jk,kl->al",
      {{2, 9}, {9, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}, {2, 3}, {3, 2}, {2, 4}});
  check_run_time_expression("ea,eb,ec,ed,ef,eg,eh,ei,ej,ek->e", extents_list(10, {9, 2}));
  check_run_time_expression<float>("a,b,c,d,f,g,h,i,j,k,l,m,n->abcdfghijklmn",
                                   extents_list(13, {2}));
  std::string text = "a";
  for (int i = 1; i < 32; ++i) text += ",a";
  check_run_time_expression(text, extents_list(32, {11}));
  check_run_time_expression(text + "->", extents_list(32, {11}));
}
