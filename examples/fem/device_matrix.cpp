#include "device_matrix.hpp"

#include <cmath>

#include "operators.hpp"

namespace fem {
namespace {

using tenfold::device, tenfold::einsum, tenfold::in_memory_of, tenfold::into, tenfold::view;

/// The map of all elements.
tenfold::index_map<std::int32_t> map_of(const restriction& all) {
  const index of_block = W * all.per_element();
  return tenfold::index_map<std::int32_t>(all.entries(0), all.blocks(), of_block, all.size());
}

}  // namespace

device_matrix::device_matrix(const tenfold::device_queue& where, bool is_mass, const basis& tables,
                             const restriction& all, const double* at_points)
    : where_(where),
      is_mass_(is_mass),
      is_collocated_(tables.is_collocated()),
      components_(all.components()),
      blocks_(all.blocks()),
      B_(copied(where, tables.B)),
      H_(copied(where, tables.H)),
      at_points_(where,
                 blocks_ * (is_mass ? 1 : 6) * tables.Q1D() * tables.Q1D() * tables.Q1D() * W),
      map_(where, map_of(all)) {
  at_points_.copy_from(view<const double, dyn>(at_points, at_points_.size()));
}

template <index... Components>
void device_matrix::add(const device_vector& x, device_vector& y) const {
  namespace names = on_element;
  using tenfold::identity;
  const index P = B_.extent(1), Q = B_.extent(0);
  const auto v = in_memory_of<device::cuda>(
      tenfold::gathered<double, W, Components..., dyn, dyn, dyn>(y.data(), map_.there(), P, P, P));
  const auto u =
      in_memory_of<device::cuda>(tenfold::gathered<const double, W, Components..., dyn, dyn, dyn>(
          x.data(), map_.there(), P, P, P));
  if (is_mass_) {
    const auto m = in_memory_of<device::cuda>(
        view<const double, dyn, dyn, dyn, dyn, W>(at_points_.data(), blocks_, Q, Q, Q));
    names::mass<Components...>(where_, names::V = v, names::U = u, names::M = m, names::B = B_);
    return;
  }
  const auto d = in_memory_of<device::cuda>(
      view<const double, dyn, 6, dyn, dyn, dyn, W>(at_points_.data(), blocks_, Q, Q, Q));
  if (is_collocated_) {
    names::diffusion<Components...>(where_, names::V = v, names::U = u, names::B = identity,
                                    names::One = identity, names::H = H_, names::D = d);
  } else {
    names::diffusion<Components...>(where_, names::V = v, names::U = u, names::B = B_,
                                    names::One = identity, names::H = H_, names::D = d);
  }
}

void device_matrix::apply(const device_vector& x, device_vector& y) const {
  einsum<"i->i">(where_, into(y), x, tenfold::alpha(0));
  components_ == 1 ? add<>(x, y) : add<3>(x, y);
}

convergence conjugate_gradients(const device_matrix& A, const device_vector* inverse_diagonal,
                                device_vector& x, device_vector& r, index n, double tolerance,
                                int most, const std::function<void(int, double)>& tell) {
  using tenfold::alpha, tenfold::beta;
  const tenfold::device_queue& where = A.queue();
  const auto unknowns = [n](auto& of) {
    return in_memory_of<device::cuda>(
        view<std::remove_reference_t<decltype(*of.data())>, dyn>(of.data(), n));
  };
  device_vector direction(where, r.size()), image(where, r.size()), made(where, r.size());
  tenfold::device_tensor<double> sum(where);
  tenfold::tensor<double> sum_here;
  const auto dot = [&](const auto& a, const auto& b) {
    einsum<"i,i->">(where, into(sum), a, b);
    sum.copy_to(sum_here);
    return sum_here();
  };
  // Entries behind the unknowns are 0 in the direction, and are not looked at in others.
  einsum<"i->i">(where, into(direction), r, alpha(0));
  const auto p = unknowns(direction), q = unknowns(image), xs = unknowns(x), rs = unknowns(r),
             z = inverse_diagonal == nullptr ? rs : unknowns(made);
  const auto precondition = [&] {
    if (inverse_diagonal != nullptr)
      einsum<"i,i->i">(where, into(z), unknowns(*inverse_diagonal), rs);
  };

  precondition();
  einsum<"i->i">(where, into(p), z);
  double rz = dot(rs, z);
  const double start = std::sqrt(rz);
  convergence state;
  if (start == 0) state = {0, 0, true};
  while (!state.reached && state.iterations < most) {
    A.apply(direction, image);
    const double a = rz / dot(p, q);
    einsum<"i->i">(where, into(xs), p, alpha(a), beta(1));
    einsum<"i->i">(where, into(rs), q, alpha(-a), beta(1));
    precondition();
    const double before = rz;
    rz = dot(rs, z);
    einsum<"i->i">(where, into(p), z, beta(rz / before));
    ++state.iterations;
    state.residual = std::sqrt(rz) / start;
    state.reached = state.residual <= tolerance;
    tell(state.iterations, state.residual);
    if (!std::isfinite(state.residual)) break;
  }
  return state;
}

}  // namespace fem
