#pragma once

/// The element operators on a GPU.

#include <cstdint>
#include <tenfold/device.hpp>

#include "basis.hpp"
#include "device_vectors.hpp"
#include "restriction.hpp"

namespace fem {

/// The mass or the diffusion matrix over a mesh, by the kernels of operators.hpp. Tables, numbers
/// at points and the map are copied to the device when it is made. What elements share is added up
/// in any order: the last bits of A x differ from run to run.
class device_matrix {
 public:
  /// For the elements of `all`, whose numbers at points, M or D (operators.hpp), are at
  /// `at_points`. Throws backend_error if the device has no room.
  device_matrix(const tenfold::device_queue& where, bool is_mass, const basis& tables,
                const restriction& all, const double* at_points);

  /// R_e x of all elements, as slab::of.
  template <index... Components, class T>
  auto of(T* x) const {
    const index P = B_.extent(1);
    return tenfold::in_memory_of<tenfold::device::cuda>(
        tenfold::gathered<T, W, Components..., dyn, dyn, dyn>(x, map_.there(), P, P, P));
  }

  /// y += A x, all rows; started, not waited for.
  void add(const device_vector& x, device_vector& y) const;

 private:
  template <index... Components>
  void add_of(const device_vector& x, device_vector& y) const;

  tenfold::device_queue where_;
  bool is_mass_, is_collocated_;
  index components_, blocks_;
  tenfold::device_tensor<double, dyn, dyn> B_, H_;  // as in basis
  device_vector at_points_;
  tenfold::device_map<std::int32_t> map_;  // (E, w, a, i, j, k)
};

}  // namespace fem
