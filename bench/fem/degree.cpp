/// The candidates of one degree, TENFOLD_BENCH_DEGREE, in one scalar, TENFOLD_BENCH_SCALAR.
#include "fem/degree.hpp"

#include <tenfold/fuse.hpp>

#include <memory>
#include <type_traits>

#include "fem/fused_operators.hpp"
#include "fem/hand_matvec.hpp"

namespace tenfold::bench {
namespace {

/// B(q, i) and H(q, r) as tensors.
template <class T, int P, int Q>
struct table_tensors {
  tensor<T, Q, P> B;
  tensor<T, Q, Q> H;

  explicit table_tensors(const fem_tables& t) {
    for (int q = 0; q < Q; ++q) {
      for (int i = 0; i < P; ++i) B(q, i) = static_cast<T>(t.value(q, i));
      for (int r = 0; r < Q; ++r) H(q, r) = static_cast<T>(t.slope(q, r));
    }
  }
};

template <class T, int P, operator_kind Kind>
struct of_kind {
  static constexpr int Q = points_of(Kind, P - 1), W = lanes<T>;
  using hand_operator = std::conditional_t<
      Kind == operator_kind::mass, hand_mass_operator<T, P, Q>,
      std::conditional_t<Kind == operator_kind::diffusion, hand_diffusion_operator<T, P, Q>,
                         hand_collocated_operator<T, P>>>;
  using tables = table_tensors<T, P, Q>;

  /// X: labels of components.
  template <class... X, class V, class U>
  static void fused(const tables& t, V v, U u, const T* d, std::ptrdiff_t blocks) {
    if constexpr (Kind == operator_kind::mass) {
      const view<const T, dyn, Q, Q, Q, W> D(d, blocks);
      fused_mass<X...>(v, u, D, t.B);
    } else {
      const view<const T, dyn, 6, Q, Q, Q, W> D(d, blocks);
      if constexpr (Kind == operator_kind::diffusion) {
        fused_diffusion<X...>(v, u, D, t.B, t.H);
      } else {
        fused_collocated<X...>(v, u, D, t.H);
      }
    }
  }

  static operator_candidates<T> candidates() {
    const fem_tables values(P - 1, Kind == operator_kind::collocated);
    const auto t = std::make_shared<const tables>(values);
    operator_candidates<T> c;
    c.tenfold = [t](const element_vectors<T>& x) {
      fused(*t, view<T, dyn, P, P, P, W>(x.v, x.blocks),
            view<const T, dyn, P, P, P, W>(x.u, x.blocks), x.d, x.blocks);
    };
    c.tenfold_at_run_time = [t](const element_vectors<T>& x) {
      constexpr index p = P, q = Q;
      const view<T, dyn, dyn, dyn, dyn, W> v(x.v, x.blocks, p, p, p);
      const view<const T, dyn, dyn, dyn, dyn, W> u(x.u, x.blocks, p, p, p);
      const view<const T, dyn, dyn> B(t->B.data(), q, p), H(t->H.data(), q, q);
      if constexpr (Kind == operator_kind::mass) {
        fused_mass(v, u, view<const T, dyn, dyn, dyn, dyn, W>(x.d, x.blocks, q, q, q), B);
      } else {
        const view<const T, dyn, 6, dyn, dyn, dyn, W> D(x.d, x.blocks, q, q, q);
        if constexpr (Kind == operator_kind::diffusion)
          fused_diffusion(v, u, D, B, H);
        else
          fused_collocated(v, u, D, H);
      }
    };
    if constexpr (P - 1 <= last_fem_degree) add_mesh_and_hand(c, t, values);
    return c;
  }

  static void add_mesh_and_hand(operator_candidates<T>& c, const std::shared_ptr<const tables>& t,
                                const fem_tables& values) {
    const auto hand = std::make_shared<const hand_operator>(values);
    c.hand = [hand](const element_vectors<T>& x) {
      constexpr std::ptrdiff_t nodes = P * P * P * W;
      nothing_else beside;
      for (std::ptrdiff_t b = 0; b < x.blocks; ++b) {
        (*hand)(x.u + b * nodes, x.d + b * hand_operator::entries * W, x.v + b * nodes, beside);
      }
    };
    c.tenfold_matvec = [t](const mapped_vectors<T>& x) {
      fused(*t, gathered<T, P, P, P, W>(x.v, x.map, x.order),
            gathered<const T, P, P, P, W>(x.u, x.map), x.d, x.mesh.blocks);
    };
    c.hand_matvec = [hand](const mapped_vectors<T>& x) {
      hand_matvec<T, P>(*hand, x.mesh, x.lines, x.u, x.d, x.v);
    };
    if constexpr (std::is_same_v<T, double>) {
      c.tenfold_vector_matvec = [t](const mapped_vectors<T>& x) {
        fused<label<'x'>>(*t, gathered<T, 3, P, P, P, W>(x.v, x.map, x.order),
                          gathered<const T, 3, P, P, P, W>(x.u, x.map), x.d, x.mesh.blocks);
      };
      c.hand_vector_matvec = c.hand_matvec;
    }
  }
};

}  // namespace

template <class T, int P>
std::array<operator_candidates<T>, 3> candidates_of_degree() {
  return {of_kind<T, P, operator_kind::mass>::candidates(),
          of_kind<T, P, operator_kind::diffusion>::candidates(),
          of_kind<T, P, operator_kind::collocated>::candidates()};
}

template std::array<operator_candidates<TENFOLD_BENCH_SCALAR>, 3>
candidates_of_degree<TENFOLD_BENCH_SCALAR, TENFOLD_BENCH_DEGREE + 1>();

}  // namespace tenfold::bench
