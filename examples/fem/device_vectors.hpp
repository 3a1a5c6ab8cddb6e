#pragma once

/// What solvers do with vectors, on a GPU.

#include <array>
#include <tenfold/device.hpp>

#include "vector.hpp"

namespace fem {

using tenfold::dyn;
using tenfold::index;

/// In the memory of a device; one entry per node and component.
using device_vector = tenfold::device_tensor<double, dyn>;

/// As host_vectors, each function by one or a few expressions. All are started and not waited for,
/// but for sums and copies back, which the host reads.
class device_vectors {
 public:
  using vector = device_vector;

  device_vectors(const tenfold::device_queue& where, index unknowns, index size);

  const tenfold::device_queue& queue() const { return sums_.queue(); }

  vector zeros() const;
  void clear(vector& x) const;
  vector copied(const fem::vector& x) const { return tenfold::copied(queue(), x); }
  void copy_back(const vector& x, fem::vector& y) const;

  double dot(const vector& x, const vector& y) const;
  std::array<double, 2> dots(const vector& x, const vector& y, const vector& z) const;
  void add(double a, const vector& x, double b, vector& y) const;
  void add(double a, const vector& d, const vector& x, double b, vector& y) const;
  void subtract(const vector& x, const vector& y, vector& z) const;
  void descend(double a, const vector& p, const vector& q, vector& x, vector& r) const;
  void relax(double a, const vector& d, double b, const vector& q, vector& r, vector& p,
             vector& x) const;

 private:
  void sum(const vector& x, const vector& y, index place) const;
  std::array<double, 2> sums() const;  // waits

  index unknowns_, size_;
  mutable tenfold::device_tensor<double, 2> sums_;  // on their way to the host
};

}  // namespace fem
