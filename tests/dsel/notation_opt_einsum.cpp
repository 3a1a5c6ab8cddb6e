#include <check_notation.hpp>
#include <tenfold/dsel/index_notation.hpp>

// What the documentation and the test list of opt_einsum describe, heading by heading, in
// subscripts and in index notation, as in notation_numpy.cpp.

namespace tenfold::testing {

using namespace labels;

TEST_CASE("opt_einsum: index transformation, hundreds of times cheaper in pairs") {
  check_notation<"ea,fb,abcd,gc,hd->efgh">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D, auto& E) {
        y(e, f, g, h) = A(e, a) * B(f, b) * C(a, b, c, d) * D(g, c) * E(h, d);
      },
      shape<5, 4>{}, shape<5, 4>{}, shape<4, 4, 4, 4>{}, shape<5, 4>{}, shape<5, 4>{});
  check_notation<"pi,qj,ijkl,rk,sl->pqrs">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D, auto& E) {
        y(p, q, r, s) = A(p, i) * B(q, j) * C(i, j, k, l) * D(r, k) * E(s, l);
      },
      shape<3, 4>{}, shape<3, 4>{}, shape<4, 4, 4, 4>{}, shape<3, 4>{}, shape<3, 4>{});
}

TEST_CASE("opt_einsum: Hadamard-like products") {
  check_notation<"ab,ab,c->">(
      [](auto& y, auto& A, auto& B, auto& C) { indexed(y)() = A(a, b) * B(a, b) * C(c); },
      shape<4, 5>{}, shape<4, 5>{}, shape<6>{});
  check_notation<"ab,ab,c->c">(
      [](auto& y, auto& A, auto& B, auto& C) { y(c) = A(a, b) * B(a, b) * C(c); }, shape<4, 5>{},
      shape<4, 5>{}, shape<6>{});
  check_notation<"ab,ab,cd,cd,ef,ef->">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D, auto& E, auto& F) {
        indexed(y)() = A(a, b) * B(a, b) * C(c, d) * D(c, d) * E(e, f) * F(e, f);
      },
      shape<3, 4>{}, shape<3, 4>{}, shape<4, 2>{}, shape<4, 2>{}, shape<2, 5>{}, shape<2, 5>{});
}

TEST_CASE("opt_einsum: products that collapse") {
  check_notation<"ab,ab,ab->">(
      [](auto& y, auto& A, auto& B, auto& C) { indexed(y)() = A(a, b) * B(a, b) * C(a, b); },
      shape<4, 5>{}, shape<4, 5>{}, shape<4, 5>{});
  check_notation<"ab,bc,ca->">(
      [](auto& y, auto& A, auto& B, auto& C) { indexed(y)() = A(a, b) * B(b, c) * C(c, a); },
      shape<4, 5>{}, shape<5, 6>{}, shape<6, 4>{});
  check_notation<"ab,bc,cd,de">([](auto& y, auto& A, auto& B, auto& C,
                                   auto& D) { y(a, e) = A(a, b) * B(b, c) * C(c, d) * D(d, e); },
                                shape<4, 5>{}, shape<5, 3>{}, shape<3, 6>{}, shape<6, 2>{});
}

TEST_CASE("opt_einsum: outer and Kronecker products") {
  check_notation<"ab,cd->acbd">(
      [](auto& y, auto& A, auto& B) { y(a, c, b, d) = A(a, b) * B(c, d); }, shape<2, 3>{},
      shape<4, 5>{});
  check_notation<"ab,cd,ef->abcdef">(
      [](auto& y, auto& A, auto& B, auto& C) { y(a, b, c, d, e, f) = A(a, b) * B(c, d) * C(e, f); },
      shape<2, 3>{}, shape<2, 2>{}, shape<3, 2>{});
  check_notation<"ai,bi->abi">([](auto& y, auto& A, auto& B) { y(a, b, i) = A(a, i) * B(b, i); },
                               shape<3, 9>{}, shape<4, 9>{});
}

TEST_CASE("opt_einsum: labels in many operands") {
  check_notation<"eb,cb,fb->cef">(
      [](auto& y, auto& A, auto& B, auto& C) { y(c, e, f) = A(e, b) * B(c, b) * C(f, b); },
      shape<3, 4>{}, shape<5, 4>{}, shape<2, 4>{});
  check_notation<"bca,cdb,dbf,afc->">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D) {
        indexed(y)() = A(b, c, a) * B(c, d, b) * C(d, b, f) * D(a, f, c);
      },
      shape<2, 3, 4>{}, shape<3, 5, 2>{}, shape<5, 2, 6>{}, shape<4, 6, 3>{});
  check_notation<"dd,fb,be,cdb->cef">(
      [](auto& y, auto& A, auto& B, auto& C, auto& D) {
        y(c, e, f) = A(d, d) * B(f, b) * C(b, e) * D(c, d, b);
      },
      shape<5, 5>{}, shape<6, 2>{}, shape<2, 4>{}, shape<3, 5, 2>{});
}

TEST_CASE("opt_einsum: repeated labels") {
  check_notation<"aab,bc->ac">([](auto& y, auto& A, auto& B) { y(a, c) = A(a, a, b) * B(b, c); },
                               shape<4, 4, 5>{}, shape<5, 6>{});
  check_notation<"ab,bcc->ac">([](auto& y, auto& A, auto& B) { y(a, c) = A(a, b) * B(b, c, c); },
                               shape<4, 5>{}, shape<5, 6, 6>{});
  check_notation<"aab,bcc->ac">(
      [](auto& y, auto& A, auto& B) { y(a, c) = A(a, a, b) * B(b, c, c); }, shape<4, 4, 5>{},
      shape<5, 6, 6>{});
}

TEST_CASE("opt_einsum: products of two that are no matrix products") {
  check_notation<"ab,ba->">([](auto& y, auto& A, auto& B) { indexed(y)() = A(a, b) * B(b, a); },
                            shape<4, 5>{}, shape<5, 4>{});
  check_notation<"ab,cb->ca">([](auto& y, auto& A, auto& B) { y(c, a) = A(a, b) * B(c, b); },
                              shape<9, 5>{}, shape<17, 5>{});
  check_notation<"abc,abc->b">([](auto& y, auto& A, auto& B) { y(b) = A(a, b, c) * B(a, b, c); },
                               shape<3, 9, 4>{}, shape<3, 9, 4>{});
  check_notation<"a,ab,abc->abc">(
      [](auto& y, auto& A, auto& B, auto& C) { y(a, b, c) = A(a) * B(a, b) * C(a, b, c); },
      shape<3>{}, shape<3, 4>{}, shape<3, 4, 5>{});
}

}  // namespace tenfold::testing
