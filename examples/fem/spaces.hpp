#pragma once

/// A discretization as preconditioners use it: its vectors, A, and the way from one degree to
/// another. They are templates over the two spaces: here, and on a GPU.

#include "device_matrix.hpp"
#include "discretization.hpp"
#include "host_vectors.hpp"

namespace fem {

class host_space {
 public:
  using vector = fem::vector;
  using vector_operations = host_vectors;
  using table = matrix;

  /// `on` must outlive this.
  explicit host_space(const discretization& on) : on_(on), vectors_(on.unknowns(), on.nodes()) {}

  /// Of another discretization, in the same place.
  host_space over(const discretization& other) const { return host_space(other); }
  const discretization& discretized() const { return on_; }
  const vector_operations& vectors() const { return vectors_; }
  table copied(const matrix& T) const { return T; }

  /// y = A x, all rows, A the diffusion operator.
  void apply(const vector& x, vector& y) const { on_.apply_diffusion(x, y); }
  /// y = sum_e R_e^T (T u along each axis) R'_e x, all rows: x is one of `from`, which has the same
  /// elements in the same slabs.
  void transfer(const table& T, const host_space& from, const vector& x, vector& y) const;

 private:
  const discretization& on_;
  vector_operations vectors_;
};

/// The same on a device. What its operators need is copied there when it is made.
class device_space {
 public:
  using vector = device_vector;
  using vector_operations = device_vectors;
  using table = tenfold::device_tensor<double, dyn, dyn>;

  device_space(const tenfold::device_queue& where, const discretization& on);

  device_space over(const discretization& other) const { return {vectors_.queue(), other}; }
  const discretization& discretized() const { return on_; }
  const vector_operations& vectors() const { return vectors_; }
  table copied(const matrix& T) const { return tenfold::copied(vectors_.queue(), T); }

  void apply(const vector& x, vector& y) const {
    vectors_.clear(y);
    diffusion_.add(x, y);
  }
  void transfer(const table& T, const device_space& from, const vector& x, vector& y) const;

 private:
  const discretization& on_;
  vector_operations vectors_;
  device_matrix diffusion_;
};

/// A of a space, which must outlive it, as conjugate_gradients takes it.
template <class Space>
matrix_action<typename Space::vector> action_of(const Space& on) {
  return [&on](const auto& x, auto& y) { on.apply(x, y); };
}

}  // namespace fem
