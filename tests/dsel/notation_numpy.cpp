#include <check_notation.hpp>

// What the manual of NumPy's einsum describes, heading by heading. The same with index objects:
//   check_notation<"ij,jk->ik">([](auto& y, const auto& A, const auto& B) { y(i, k) = A(i, j) *
//   B(j, k); },
//                               shape<5, 6>{}, shape<6, 7>{});

namespace tenfold::testing {

TEST_CASE("NumPy: trace of a matrix") {
  check_notation<"ii">(shape<5, 5>{});
  check_notation<"ii->">(shape<17, 17>{});
  check_notation<"...ii->...">(shape<3, 4, 4>{});
}

TEST_CASE("NumPy: diagonal") {
  check_notation<"ii->i">(shape<5, 5>{});
  check_notation<"iji->ij">(shape<4, 9, 4>{});
}

TEST_CASE("NumPy: sum over an axis") {
  check_notation<"ij->i">(shape<5, 6>{});
  check_notation<"...j->...">(shape<2, 5, 6>{});
  check_notation<"i->">(shape<37>{});
}

TEST_CASE("NumPy: transpose, the axes that are not written sorted by name") {
  check_notation<"ji">(shape<5, 6>{});
  check_notation<"ij->ji">(shape<5, 6>{});
  check_notation<"cab">(shape<3, 4, 5>{});
  check_notation<"ij">(shape<5, 6>{});
}

TEST_CASE("NumPy: inner product of vectors and of last axes") {
  check_notation<"i,i">(shape<29>{}, shape<29>{});
  check_notation<"...i,...i">(shape<4, 9>{}, shape<4, 9>{});
}

TEST_CASE("NumPy: matrix times vector") {
  check_notation<"ij,j">(shape<9, 10>{}, shape<10>{});
  check_notation<"...j,j">(shape<3, 4, 5>{}, shape<5>{});
}

TEST_CASE("NumPy: a scalar times a tensor") {
  check_notation<"..., ...">(shape<>{}, shape<4, 5>{});
  check_notation<",ij">(shape<>{}, shape<4, 5>{});
  check_notation<",ij->ij">(shape<>{}, shape<4, 5>{});
}

TEST_CASE("NumPy: outer product") { check_notation<"i,j">(shape<2>{}, shape<9>{}); }

TEST_CASE("NumPy: tensor contraction") {
  check_notation<"ijk,jil->kl">(shape<3, 4, 5>{}, shape<4, 3, 2>{});
  check_notation<"ijk,jkl">(shape<3, 4, 5>{}, shape<4, 5, 6>{});
}

TEST_CASE("NumPy: ellipsis and broadcasting") {
  check_notation<"ki,...k->i...">(shape<3, 2>{}, shape<4, 3>{});
  check_notation<"k...,jk">(shape<4, 6>{}, shape<2, 4>{});
  check_notation<"...ij,...jk->...ik">(shape<2, 3, 4>{}, shape<2, 4, 5>{});
}

TEST_CASE("NumPy: chained products") {
  check_notation<"ijk,ilm,njm,nlk,abc->">(shape<2, 3, 4>{}, shape<2, 5, 6>{}, shape<2, 3, 6>{},
                                          shape<2, 5, 4>{}, shape<2, 2, 3>{});
}

}  // namespace tenfold::testing
