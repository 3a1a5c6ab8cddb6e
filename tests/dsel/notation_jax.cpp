#include <check_notation.hpp>
#include <tenfold/dsel/index_notation.hpp>

// What the documentation of JAX's einsum describes, with the expressions of machine learning and of
// matrix calculus that are taught with it. In subscripts and in index notation, as in
// notation_numpy.cpp.

namespace tenfold::testing {

using namespace labels;

TEST_CASE("JAX: vector and matrix products") {
  check_notation<"i,ij,j->">(
      [](auto& y, auto& A, auto& B, auto& C) { indexed(y)() = A(i) * B(i, j) * C(j); }, shape<9>{},
      shape<9, 8>{}, shape<8>{});
  check_notation<"ij,jk->ik">([](auto& y, auto& A, auto& B) { y(i, k) = A(i, j) * B(j, k); },
                              shape<9, 8>{}, shape<8, 7>{});
  check_notation<"ji,jk->ik">([](auto& y, auto& A, auto& B) { y(i, k) = A(j, i) * B(j, k); },
                              shape<8, 9>{}, shape<8, 7>{});
  check_notation<"ij,jk,kl->il">(
      [](auto& y, auto& A, auto& B, auto& C) { y(i, l) = A(i, j) * B(j, k) * C(k, l); },
      shape<3, 4>{}, shape<4, 5>{}, shape<5, 6>{});
}

TEST_CASE("JAX: batched products") {
  check_notation<"bij,bjk->bik">(
      [](auto& y, auto& A, auto& B) { y(b, i, k) = A(b, i, j) * B(b, j, k); }, shape<17, 4, 3>{},
      shape<17, 3, 5>{});
  check_notation<"bij,bj->bi">([](auto& y, auto& A, auto& B) { y(b, i) = A(b, i, j) * B(b, j); },
                               shape<17, 4, 3>{}, shape<17, 3>{});
  check_notation<"bi,bi->b">([](auto& y, auto& A, auto& B) { y(b) = A(b, i) * B(b, i); },
                             shape<17, 9>{}, shape<17, 9>{});
  check_notation<"bi,bj->bij">([](auto& y, auto& A, auto& B) { y(b, i, j) = A(b, i) * B(b, j); },
                               shape<17, 3>{}, shape<17, 4>{});
}

TEST_CASE("JAX: bilinear forms and attention") {
  check_notation<"bi,oij,bj->bo">(
      [](auto& y, auto& A, auto& B, auto& C) { y(b, o) = A(b, i) * B(o, i, j) * C(b, j); },
      shape<9, 3>{}, shape<2, 3, 4>{}, shape<9, 4>{});
  check_notation<"bqhd,bkhd->bhqk">(
      [](auto& y, auto& A, auto& B) { y(b, h, q, k) = A(b, q, h, d) * B(b, k, h, d); },
      shape<2, 5, 3, 4>{}, shape<2, 6, 3, 4>{});
  check_notation<"bhqk,bkhd->bqhd">(
      [](auto& y, auto& A, auto& B) { y(b, q, h, d) = A(b, h, q, k) * B(b, k, h, d); },
      shape<2, 3, 5, 6>{}, shape<2, 6, 3, 4>{});
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
  check_notation<"ij,ij->ij">([](auto& y, auto& A, auto& B) { y(i, j) = A(i, j) * B(i, j); },
                              shape<9, 13>{}, shape<9, 13>{});
  check_notation<"i,i,i->i">([](auto& y, auto& A, auto& B, auto& C) { y(i) = A(i) * B(i) * C(i); },
                             shape<21>{}, shape<21>{}, shape<21>{});
  check_notation<"ii,i,i->i">(
      [](auto& y, auto& A, auto& B, auto& C) { y(i) = A(i, i) * B(i) * C(i); }, shape<9, 9>{},
      shape<9>{}, shape<9>{});
}

TEST_CASE("JAX: tensordot") {
  check_notation<"abcd,cdef->abef">(
      [](auto& y, auto& A, auto& B) { y(a, b, e, f) = A(a, b, c, d) * B(c, d, e, f); },
      shape<2, 3, 4, 5>{}, shape<4, 5, 2, 3>{});
  check_notation<"abcd,bd->ac">(
      [](auto& y, auto& A, auto& B) { y(a, c) = A(a, b, c, d) * B(b, d); }, shape<2, 3, 4, 5>{},
      shape<3, 5>{});
}

}  // namespace tenfold::testing
