#pragma once

#include <tenfold/tensor/extents.hpp>

/// The labels of index notation, as objects: y(e, i) = A(e, i, j) * u(e, j).
namespace tenfold {

/// The label of this name. A longer one is written as in subscripts in brackets:
///   inline constexpr label<'q', '1'> q1;      // [q1]
template <char... Name>
struct label {
  static_assert(sizeof...(Name) > 0, "tenfold: a label has a name");
  static constexpr bool is_index_label = true;
};

/// `using namespace tenfold::labels;` or those that are needed: `using tenfold::labels::i;`
namespace labels {
inline constexpr label<'a'> a;
inline constexpr label<'b'> b;
inline constexpr label<'c'> c;
inline constexpr label<'d'> d;
inline constexpr label<'e'> e;
inline constexpr label<'f'> f;
inline constexpr label<'g'> g;
inline constexpr label<'h'> h;
inline constexpr label<'i'> i;
inline constexpr label<'j'> j;
inline constexpr label<'k'> k;
inline constexpr label<'l'> l;
inline constexpr label<'m'> m;
inline constexpr label<'n'> n;
inline constexpr label<'o'> o;
inline constexpr label<'p'> p;
inline constexpr label<'q'> q;
inline constexpr label<'r'> r;
inline constexpr label<'s'> s;
inline constexpr label<'t'> t;
inline constexpr label<'u'> u;
inline constexpr label<'v'> v;
inline constexpr label<'w'> w;
inline constexpr label<'x'> x;
inline constexpr label<'y'> y;
inline constexpr label<'z'> z;
inline constexpr label<'A'> A;
inline constexpr label<'B'> B;
inline constexpr label<'C'> C;
inline constexpr label<'D'> D;
inline constexpr label<'E'> E;
inline constexpr label<'F'> F;
inline constexpr label<'G'> G;
inline constexpr label<'H'> H;
inline constexpr label<'I'> I;
inline constexpr label<'J'> J;
inline constexpr label<'K'> K;
inline constexpr label<'L'> L;
inline constexpr label<'M'> M;
inline constexpr label<'N'> N;
inline constexpr label<'O'> O;
inline constexpr label<'P'> P;
inline constexpr label<'Q'> Q;
inline constexpr label<'R'> R;
inline constexpr label<'S'> S;
inline constexpr label<'T'> T;
inline constexpr label<'U'> U;
inline constexpr label<'V'> V;
inline constexpr label<'W'> W;
inline constexpr label<'X'> X;
inline constexpr label<'Y'> Y;
inline constexpr label<'Z'> Z;
}  // namespace labels
}  // namespace tenfold
