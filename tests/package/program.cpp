// What a user's first program does; static and dynamic sizes, so that the library is linked too.
#include <cstdio>
#include <tenfold/einsum.hpp>

int main() {
  tenfold::tensor<double, 2, 3> a;
  tenfold::tensor<double, tenfold::dyn, 2> b(3);
  for (tenfold::index i = 0; i < 2; ++i) {
    for (tenfold::index j = 0; j < 3; ++j) {
      a(i, j) = static_cast<double>(i + j);
      b(j, i) = static_cast<double>(i - j);
    }
  }
  const auto c = tenfold::einsum<"ij,jk->ik">(a, b);  // (2, 2)
  const bool right = c(0, 0) == -5 && c(0, 1) == -2 && c(1, 0) == -8 && c(1, 1) == -2;
  std::printf("%g %g\n%g %g\n", c(0, 0), c(0, 1), c(1, 0), c(1, 1));
  return right ? 0 : 1;
}
