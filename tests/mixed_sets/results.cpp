#include <tenfold/batched_blas.hpp>
#include <tenfold/einsum.hpp>
#include <tenfold/fuse.hpp>
#include <vector>

// Compiled once for each instruction set, as RESULTS. What is planned differs: lanes, packing,
// tiles.

namespace tenfold::testing {
namespace {

/// Small integers: every result is exact.
template <class X>
void fill(X& x, index first) {
  for (index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>((7 * i + first) % 11 - 5);
}

template <class X>
void keep(std::vector<double>& all, const X& x) {
  all.insert(all.end(), x.data(), x.data() + x.size());
}

}  // namespace

std::vector<double> RESULTS();
std::vector<double> RESULTS() {
  std::vector<double> all;

  tensor<double, 103, 41> A;
  tensor<double, 31, 103> B;
  tensor<double, 41> u;
  fill(A, 1);
  fill(B, 2);
  fill(u, 3);
  keep(all, einsum<"ij,j,ki->k">(A, u, B));
  keep(all, einsum<"ij,j->i">(A, u, alpha(2.0)));

  tensor<double, dyn, 7, 5> C(9);
  tensor<double, dyn, 5, 6> D(9);
  tensor<double, dyn, 7, 6> E(9);
  fill(C, 4);
  fill(D, 5);
  gemm(1.0, C, D, 0.0, E);
  keep(all, E);
  einsum<"bij,bjk->bik">(into(E), C, D, alpha(3.0), beta(1.0));
  keep(all, E);

  using labels::e, labels::i, labels::j, labels::q, labels::r;
  constexpr input<"x"> x;
  constexpr input<"M"> M;
  constexpr local<"w"> w;
  constexpr output<"y"> y;
  constexpr auto to_points =
      fuse(e)(w(e, q, j) = M(q, i) * x(e, i, j), y(e, q, r) = M(r, j) * w(e, q, j));
  tensor<double, 6, 4> values;
  tensor<double, dyn, 4, 4> at_nodes(19);
  tensor<double, dyn, 6, 6> at_points(19);
  fill(values, 6);
  fill(at_nodes, 7);
  to_points(y = at_points, x = at_nodes, M = values);
  keep(all, at_points);
  return all;
}

}  // namespace tenfold::testing
