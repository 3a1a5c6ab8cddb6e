#include <check_notation.hpp>

// What the documentation of JAX's einsum describes, with the expressions of machine learning and of
// matrix calculus that are taught with it. The third front end stands in front of the shapes, as in
// notation_numpy.cpp.

namespace tenfold::testing {

TEST_CASE("JAX: vector and matrix products") {
  check_notation<"i,ij,j->">(shape<9>{}, shape<9, 8>{}, shape<8>{});
  check_notation<"ij,jk->ik">(shape<9, 8>{}, shape<8, 7>{});
  check_notation<"ji,jk->ik">(shape<8, 9>{}, shape<8, 7>{});
  check_notation<"ij,jk,kl->il">(shape<3, 4>{}, shape<4, 5>{}, shape<5, 6>{});
}

TEST_CASE("JAX: batched products") {
  check_notation<"bij,bjk->bik">(shape<17, 4, 3>{}, shape<17, 3, 5>{});
  check_notation<"bij,bj->bi">(shape<17, 4, 3>{}, shape<17, 3>{});
  check_notation<"bi,bi->b">(shape<17, 9>{}, shape<17, 9>{});
  check_notation<"bi,bj->bij">(shape<17, 3>{}, shape<17, 4>{});
}

TEST_CASE("JAX: bilinear forms and attention") {
  check_notation<"bi,oij,bj->bo">(shape<9, 3>{}, shape<2, 3, 4>{}, shape<9, 4>{});
  check_notation<"bqhd,bkhd->bhqk">(shape<2, 5, 3, 4>{}, shape<2, 6, 3, 4>{});
  check_notation<"bhqk,bkhd->bqhd">(shape<2, 3, 5, 6>{}, shape<2, 6, 3, 4>{});
}

TEST_CASE("JAX: ellipses on any side") {
  check_notation<"...ij,jk->...ik">(shape<3, 9, 4>{}, shape<4, 5>{});
  check_notation<"i...,i...->i...">(shape<4, 9>{}, shape<4, 9>{});
  check_notation<"i...j->...ij">(shape<3, 4, 5>{});
  check_notation<"...,...->...">(shape<5, 9>{}, shape<9>{});
}

TEST_CASE("JAX: a shorter ellipsis, and one entry for all, are stretched") {
  check_notation<"...i,...i->...">(shape<3, 1, 7>{}, shape<4, 7>{});
  check_notation<"...ij,...j->...i">(shape<1, 3, 4>{}, shape<6, 4>{});
  check_notation<"...,...">(shape<5, 1>{}, shape<1, 9>{});
}

TEST_CASE("JAX: entry by entry, powers of a label") {
  check_notation<"ij,ij->ij">(shape<9, 13>{}, shape<9, 13>{});
  check_notation<"i,i,i->i">(shape<21>{}, shape<21>{}, shape<21>{});
  check_notation<"ii,i,i->i">(shape<9, 9>{}, shape<9>{}, shape<9>{});
}

TEST_CASE("JAX: tensordot") {
  check_notation<"abcd,cdef->abef">(shape<2, 3, 4, 5>{}, shape<4, 5, 2, 3>{});
  check_notation<"abcd,bd->ac">(shape<2, 3, 4, 5>{}, shape<3, 5>{});
}

}  // namespace tenfold::testing
