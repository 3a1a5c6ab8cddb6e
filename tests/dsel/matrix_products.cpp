#include <check_expression.hpp>

using namespace tenfold;
using namespace tenfold::testing;

TEST_CASE("einsum multiplies two matrices") {
  check_expression<"ij,jk->ik", double, forms::all>(shape<3, 3>{}, shape<3, 3>{});
  check_expression<"ij,jk->ik">(shape<3, 4>{}, shape<4, 5>{});
  check_expression<"ij,jk->ik", double, forms::in_place>(shape<9, 8>{}, shape<8, 16>{});
  check_expression<"ij,jk->ik", double, forms::in_place>(shape<17, 9>{}, shape<9, 23>{});
  check_expression<"ij,jk->ik">(shape<5, 33>{}, shape<33, 43>{});
  check_expression<"ij,jk->ik", float, forms::in_place>(shape<7, 12>{}, shape<12, 37>{});
}

TEST_CASE("einsum multiplies transposed matrices") {
  check_expression<"ji,jk->ik">(shape<8, 9>{}, shape<8, 24>{});
  check_expression<"ij,kj->ik", double, forms::in_place>(shape<9, 8>{}, shape<11, 8>{});
  check_expression<"ij,jk->ki">(shape<9, 8>{}, shape<8, 10>{});
  check_expression<"ji,kj->ki", float>(shape<8, 9>{}, shape<19, 8>{});
}

TEST_CASE("einsum multiplies matrices and vectors") {
  check_expression<"ij,j->i", double, forms::all>(shape<19, 21>{}, shape<21>{});
  check_expression<"i,ij->j">(shape<13>{}, shape<13, 21>{});
  check_expression<"i,i->", double, forms::all>(shape<100>{}, shape<100>{});
  check_expression<"i,i->", float>(shape<3>{}, shape<3>{});
}

TEST_CASE("einsum multiplies chains of matrices") {
  check_expression<"ij,jk,kl->il", double, forms::in_place>(shape<8, 9>{}, shape<9, 10>{},
                                                            shape<10, 16>{});
  check_expression<"ij,jk,kl,lm->im">(shape<2, 30>{}, shape<30, 3>{}, shape<3, 20>{},
                                      shape<20, 9>{});
  check_expression<"i,ij,j->">(shape<12>{}, shape<12, 14>{}, shape<14>{});
}

TEST_CASE("einsum multiplies batches of matrices, the batch leading") {
  check_expression<"eij,ejk->eik", double, forms::all>(shape<dyn, 3, 3>{21}, shape<dyn, 3, 3>{21});
  check_expression<"eij,ejk->eik">(shape<10, 4, 5>{}, shape<10, 5, 6>{});
  check_expression<"eij,ejk->eik", float, forms::in_place>(shape<dyn, 5, 4>{35},
                                                           shape<dyn, 4, 9>{35});
  check_expression<"eij,ej->ei", double, forms::in_place>(shape<dyn, 8, 8>{19}, shape<dyn, 8>{19});
  check_expression<"ij,ejk->eik">(shape<9, 8>{}, shape<dyn, 8, 4>{17});
  check_expression<"eij,jk->eik">(shape<dyn, 5, 8>{17}, shape<8, 9>{});
  check_expression<"efij,efjk->efik">(shape<dyn, 3, 4, 4>{5}, shape<dyn, 3, 4, 4>{5});
}

TEST_CASE_TEMPLATE("einsum multiplies batches of matrices and vectors", T, float, double) {
  check_expression<"eij,ej->ei", T, forms::all>(shape<dyn, 9, 7>{19}, shape<dyn, 7>{19});
  check_expression<"eij,ei->ej", T, forms::in_place>(shape<dyn, 5, 33>{11}, shape<dyn, 5>{11});
  check_expression<"ei,eij->ej", T>(shape<40, 4>{}, shape<40, 4, 4>{});
  check_expression<"eij,ej->ie", T>(shape<dyn, 6, 7>{19}, shape<dyn, 7>{19});
  check_expression<"ekj,k->ej", T, forms::in_place>(shape<31, 6, 17>{}, shape<6>{});
  check_expression<"ekj,k->je", T>(shape<31, 6, 17>{}, shape<6>{});
  check_expression<"jk,ijkl->il", T>(shape<4, 5>{}, shape<7, 4, 5, 19>{});
}

TEST_CASE("a product of many rows or columns is multiplied in blocks of them") {
  check_expression<"bj,ij->bi", double>(shape<1300, 32>{}, shape<32, 32>{});
  check_expression<"ij,jb->ib", float>(shape<40, 32>{}, shape<32, 1300>{});
}

TEST_CASE("einsum multiplies batches of matrices, the batch innermost") {
  check_expression<"ije,jke->ike", double, forms::all>(shape<3, 4, 37>{}, shape<4, 5, 37>{});
  check_expression<"ijw,jkw->ikw", double, forms::in_place>(shape<5, 5, 8>{}, shape<5, 5, 8>{});
  check_expression<"eijw,ejkw->eikw", double, forms::in_place>(shape<dyn, 4, 4, 16>{3},
                                                               shape<dyn, 4, 4, 16>{3});
  check_expression<"ij,jw->iw", float>(shape<6, 7>{}, shape<7, 80>{});
  check_expression<"ije,jke->ike">(shape<3, 4, dyn>{9}, shape<4, 5, dyn>{9});
}
