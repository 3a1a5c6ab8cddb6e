#include "host_vectors.hpp"

namespace fem {

void host_vectors::clear(vector& x) const {
  for_each_entry(size_, [&](index i) { x(i) = 0; });
}

double host_vectors::dot(const vector& x, const vector& y) const {
  return sums_over_entries(unknowns_, [&](index i) { return x(i) * y(i); })[0];
}

std::array<double, 2> host_vectors::dots(const vector& x, const vector& y, const vector& z) const {
  return sums_over_entries(
      unknowns_, [&](index i) { return x(i) * y(i); }, [&](index i) { return x(i) * z(i); });
}

void host_vectors::add(double a, const vector& x, double b, vector& y) const {
  if (b == 0) {
    for_each_entry(unknowns_, [&](index i) { y(i) = a * x(i); });
  } else {
    for_each_entry(unknowns_, [&](index i) { y(i) = a * x(i) + b * y(i); });
  }
}

void host_vectors::add(double a, const vector& d, const vector& x, double b, vector& y) const {
  if (b == 0) {
    for_each_entry(unknowns_, [&](index i) { y(i) = a * d(i) * x(i); });
  } else {
    for_each_entry(unknowns_, [&](index i) { y(i) = a * d(i) * x(i) + b * y(i); });
  }
}

void host_vectors::subtract(const vector& x, const vector& y, vector& z) const {
  for_each_entry(unknowns_, [&](index i) { z(i) = x(i) - y(i); });
}

void host_vectors::descend(double a, const vector& p, const vector& q, vector& x, vector& r) const {
  for_each_entry(unknowns_, [&](index i) {
    x(i) += a * p(i);
    r(i) -= a * q(i);
  });
}

void host_vectors::relax(double a, const vector& d, double b, const vector& q, vector& r, vector& p,
                         vector& x) const {
  for_each_entry(unknowns_, [&](index i) {
    r(i) -= q(i);
    p(i) = a * d(i) * r(i) + b * p(i);
    x(i) += p(i);
  });
}

}  // namespace fem
