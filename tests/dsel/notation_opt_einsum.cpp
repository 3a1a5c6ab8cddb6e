#include <check_notation.hpp>

// What the documentation and the test list of opt_einsum describe, heading by heading. The third
// front end stands in front of the shapes, as in notation_numpy.cpp.

namespace tenfold::testing {

TEST_CASE("opt_einsum: index transformation, hundreds of times cheaper in pairs") {
  check_notation<"ea,fb,abcd,gc,hd->efgh">(shape<5, 4>{}, shape<5, 4>{}, shape<4, 4, 4, 4>{},
                                           shape<5, 4>{}, shape<5, 4>{});
  check_notation<"pi,qj,ijkl,rk,sl->pqrs">(shape<3, 4>{}, shape<3, 4>{}, shape<4, 4, 4, 4>{},
                                           shape<3, 4>{}, shape<3, 4>{});
}

TEST_CASE("opt_einsum: Hadamard-like products") {
  check_notation<"ab,ab,c->">(shape<4, 5>{}, shape<4, 5>{}, shape<6>{});
  check_notation<"ab,ab,c->c">(shape<4, 5>{}, shape<4, 5>{}, shape<6>{});
  check_notation<"ab,ab,cd,cd,ef,ef->">(shape<3, 4>{}, shape<3, 4>{}, shape<4, 2>{}, shape<4, 2>{},
                                        shape<2, 5>{}, shape<2, 5>{});
}

TEST_CASE("opt_einsum: products that collapse") {
  check_notation<"ab,ab,ab->">(shape<4, 5>{}, shape<4, 5>{}, shape<4, 5>{});
  check_notation<"ab,bc,ca->">(shape<4, 5>{}, shape<5, 6>{}, shape<6, 4>{});
  check_notation<"ab,bc,cd,de">(shape<4, 5>{}, shape<5, 3>{}, shape<3, 6>{}, shape<6, 2>{});
}

TEST_CASE("opt_einsum: outer and Kronecker products") {
  check_notation<"ab,cd->acbd">(shape<2, 3>{}, shape<4, 5>{});
  check_notation<"ab,cd,ef->abcdef">(shape<2, 3>{}, shape<2, 2>{}, shape<3, 2>{});
  check_notation<"ai,bi->abi">(shape<3, 9>{}, shape<4, 9>{});
}

TEST_CASE("opt_einsum: labels in many operands") {
  check_notation<"eb,cb,fb->cef">(shape<3, 4>{}, shape<5, 4>{}, shape<2, 4>{});
  check_notation<"bca,cdb,dbf,afc->">(shape<2, 3, 4>{}, shape<3, 5, 2>{}, shape<5, 2, 6>{},
                                      shape<4, 6, 3>{});
  check_notation<"dd,fb,be,cdb->cef">(shape<5, 5>{}, shape<6, 2>{}, shape<2, 4>{},
                                      shape<3, 5, 2>{});
}

TEST_CASE("opt_einsum: repeated labels") {
  check_notation<"aab,bc->ac">(shape<4, 4, 5>{}, shape<5, 6>{});
  check_notation<"ab,bcc->ac">(shape<4, 5>{}, shape<5, 6, 6>{});
  check_notation<"aab,bcc->ac">(shape<4, 4, 5>{}, shape<5, 6, 6>{});
}

TEST_CASE("opt_einsum: products of two that are no matrix products") {
  check_notation<"ab,ba->">(shape<4, 5>{}, shape<5, 4>{});
  check_notation<"ab,cb->ca">(shape<9, 5>{}, shape<17, 5>{});
  check_notation<"abc,abc->b">(shape<3, 9, 4>{}, shape<3, 9, 4>{});
  check_notation<"a,ab,abc->abc">(shape<3>{}, shape<3, 4>{}, shape<3, 4, 5>{});
}

}  // namespace tenfold::testing
