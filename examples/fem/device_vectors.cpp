#include "device_vectors.hpp"

namespace fem {
namespace {

using tenfold::alpha, tenfold::beta, tenfold::device, tenfold::einsum, tenfold::in_memory_of,
    tenfold::into, tenfold::view;

/// The first n entries.
auto front(const device_vector& x, index n) {
  return in_memory_of<device::cuda>(view<const double, dyn>(x.data(), n));
}
auto front(device_vector& x, index n) {
  return in_memory_of<device::cuda>(view<double, dyn>(x.data(), n));
}

}  // namespace

device_vectors::device_vectors(const tenfold::device_queue& where, index unknowns, index size)
    : unknowns_(unknowns), size_(size), sums_(where) {}

device_vector device_vectors::zeros() const {
  vector x(queue(), size_);
  clear(x);
  return x;
}

void device_vectors::clear(vector& x) const {
  // One number in all places; it is not read.
  const tenfold::strided_view<const double, dyn> any(sums_.data(), {size_}, {0});
  einsum<"i->i">(queue(), into(x), in_memory_of<device::cuda>(any), alpha(0));
}

void device_vectors::copy_back(const vector& x, fem::vector& y) const {
  fem::vector all(size_);
  x.copy_to(all);
  for_each_entry(unknowns_, [&](index i) { y(i) = all(i); });
}

void device_vectors::sum(const vector& x, const vector& y, index place) const {
  einsum<"i,i->">(queue(), into(in_memory_of<device::cuda>(view<double>(sums_.data() + place))),
                  front(x, unknowns_), front(y, unknowns_));
}

std::array<double, 2> device_vectors::sums() const {
  std::array<double, 2> here{};
  sums_.copy_to(here);
  return here;
}

double device_vectors::dot(const vector& x, const vector& y) const {
  sum(x, y, 0);
  return sums()[0];
}

std::array<double, 2> device_vectors::dots(const vector& x, const vector& y,
                                           const vector& z) const {
  sum(x, y, 0);
  sum(x, z, 1);
  return sums();
}

void device_vectors::add(double a, const vector& x, double b, vector& y) const {
  einsum<"i->i">(queue(), into(front(y, unknowns_)), front(x, unknowns_), alpha(a), beta(b));
}

void device_vectors::add(double a, const vector& d, const vector& x, double b, vector& y) const {
  einsum<"i,i->i">(queue(), into(front(y, unknowns_)), front(d, unknowns_), front(x, unknowns_),
                   alpha(a), beta(b));
}

void device_vectors::subtract(const vector& x, const vector& y, vector& z) const {
  add(1, x, 0, z);
  add(-1, y, 1, z);
}

void device_vectors::descend(double a, const vector& p, const vector& q, vector& x,
                             vector& r) const {
  add(a, p, 1, x);
  add(-a, q, 1, r);
}

void device_vectors::relax(double a, const vector& d, double b, const vector& q, vector& r,
                           vector& p, vector& x) const {
  add(-1, q, 1, r);
  add(a, d, r, b, p);
  add(1, p, 1, x);
}

}  // namespace fem
