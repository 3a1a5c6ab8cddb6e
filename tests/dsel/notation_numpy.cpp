#include <check_notation.hpp>
#include <tenfold/dsel/index_notation.hpp>

// What the manual of NumPy's einsum describes, heading by heading. Each expression stands in
// subscripts and, before the shapes, in index notation; that has no ellipsis, so expressions with
// one stand in subscripts alone.

namespace tenfold::testing {

using namespace labels;

TEST_CASE("NumPy: trace of a matrix") {
  check_notation<"ii">([](auto& y, auto& A) { indexed(y)() = A(i, i); }, shape<5, 5>{});
  check_notation<"ii->">([](auto& y, auto& A) { indexed(y)() = A(i, i); }, shape<17, 17>{});
  check_notation<"...ii->...">(shape<3, 4, 4>{});
}

TEST_CASE("NumPy: diagonal") {
  check_notation<"ii->i">([](auto& y, auto& A) { y(i) = A(i, i); }, shape<5, 5>{});
  check_notation<"iji->ij">([](auto& y, auto& A) { y(i, j) = A(i, j, i); }, shape<4, 9, 4>{});
}

TEST_CASE("NumPy: sum over an axis") {
  check_notation<"ij->i">([](auto& y, auto& A) { y(i) = A(i, j); }, shape<5, 6>{});
  check_notation<"...j->...">(shape<2, 5, 6>{});
  check_notation<"i->">([](auto& y, auto& A) { indexed(y)() = A(i); }, shape<37>{});
}

TEST_CASE("NumPy: transpose, the axes that are not written sorted by name") {
  check_notation<"ji">([](auto& y, auto& A) { y(i, j) = A(j, i); }, shape<5, 6>{});
  check_notation<"ij->ji">([](auto& y, auto& A) { y(j, i) = A(i, j); }, shape<5, 6>{});
  check_notation<"cab">([](auto& y, auto& A) { y(a, b, c) = A(c, a, b); }, shape<3, 4, 5>{});
  check_notation<"ij">([](auto& y, auto& A) { y(i, j) = A(i, j); }, shape<5, 6>{});
}

TEST_CASE("NumPy: inner product of vectors and of last axes") {
  check_notation<"i,i">([](auto& y, auto& A, auto& B) { indexed(y)() = A(i) * B(i); }, shape<29>{},
                        shape<29>{});
  check_notation<"...i,...i">(shape<4, 9>{}, shape<4, 9>{});
}

TEST_CASE("NumPy: matrix times vector") {
  check_notation<"ij,j">([](auto& y, auto& A, auto& B) { y(i) = A(i, j) * B(j); }, shape<9, 10>{},
                         shape<10>{});
  check_notation<"...j,j">(shape<3, 4, 5>{}, shape<5>{});
}

TEST_CASE("NumPy: a scalar times a tensor") {
  check_notation<"..., ...">(shape<>{}, shape<4, 5>{});
  check_notation<",ij">([](auto& y, auto& A, auto& B) { y(i, j) = indexed(A)() * B(i, j); },
                        shape<>{}, shape<4, 5>{});
  check_notation<",ij->ij">([](auto& y, auto& A, auto& B) { y(i, j) = indexed(A)() * B(i, j); },
                            shape<>{}, shape<4, 5>{});
}

TEST_CASE("NumPy: outer product") {
  check_notation<"i,j">([](auto& y, auto& A, auto& B) { y(i, j) = A(i) * B(j); }, shape<2>{},
                        shape<9>{});
}

TEST_CASE("NumPy: tensor contraction") {
  check_notation<"ijk,jil->kl">(
      [](auto& y, auto& A, auto& B) { y(k, l) = A(i, j, k) * B(j, i, l); }, shape<3, 4, 5>{},
      shape<4, 3, 2>{});
  check_notation<"ijk,jkl">([](auto& y, auto& A, auto& B) { y(i, l) = A(i, j, k) * B(j, k, l); },
                            shape<3, 4, 5>{}, shape<4, 5, 6>{});
}

TEST_CASE("NumPy: ellipsis and broadcasting") {
  check_notation<"ki,...k->i...">(shape<3, 2>{}, shape<4, 3>{});
  check_notation<"k...,jk">(shape<4, 6>{}, shape<2, 4>{});
  check_notation<"...ij,...jk->...ik">(shape<2, 3, 4>{}, shape<2, 4, 5>{});
}

TEST_CASE("NumPy: chained products") {
  check_notation<"ijk,ilm,njm,nlk,abc->">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D, auto& E) {
        indexed(y)() = A(i, j, k) * B(i, l, m) * C(n, j, m) * D(n, l, k) * E(a, b, c);
      },
      shape<2, 3, 4>{}, shape<2, 5, 6>{}, shape<2, 3, 6>{}, shape<2, 5, 4>{}, shape<2, 2, 3>{});
}

}  // namespace tenfold::testing
