#pragma once

/// The element operators, and conjugate gradients with them, on a GPU.

#include <cstdint>
#include <functional>
#include <tenfold/device.hpp>

#include "basis.hpp"
#include "conjugate_gradients.hpp"
#include "restriction.hpp"

namespace fem {

/// In the memory of a device; one entry per node and component.
using device_vector = tenfold::device_tensor<double, dyn>;

/// The mass or the diffusion matrix over a mesh, by the kernels of operators.hpp. Tables, numbers
/// at points and the map are copied to the device when it is made. What elements share is added up
/// in any order: the last bits of A x differ from run to run.
class device_matrix {
 public:
  /// For the elements of `all`, whose numbers at points, M or D (operators.hpp), are at
  /// `at_points`. Throws backend_error if the device has no room.
  device_matrix(const tenfold::device_queue& where, bool is_mass, const basis& tables,
                const restriction& all, const double* at_points);

  const tenfold::device_queue& queue() const { return where_; }

  /// y = A x, all rows; started, not waited for.
  void apply(const device_vector& x, device_vector& y) const;

 private:
  template <index... Components>
  void add(const device_vector& x, device_vector& y) const;

  tenfold::device_queue where_;
  bool is_mass_, is_collocated_;
  index components_, blocks_;
  tenfold::device_tensor<double, dyn, dyn> B_, H_;  // as in basis
  device_vector at_points_;
  tenfold::device_map<std::int32_t> map_;  // (E, w, a, i, j, k)
};

/// Solves A x = b for the first n entries as conjugate_gradients of vectors does, preconditioned by
/// a diagonal:  z_i = inverse_diagonal_i r_i;  null: z = r. A norm goes to the host after each of
/// the two sums of an iteration, so that it waits for the device twice.
convergence conjugate_gradients(const device_matrix& A, const device_vector* inverse_diagonal,
                                device_vector& x, device_vector& r, index n, double tolerance,
                                int most, const std::function<void(int, double)>& tell);

}  // namespace fem
