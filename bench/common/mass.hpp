#pragma once

#include <cstddef>
#include <vector>

namespace tenfold::bench {

inline constexpr int first_mass_degree = 2;
inline constexpr int last_mass_degree = 8;

/// The mass operator of E elements of degree p, P = p + 1 nodes and Q = p + 2 points per direction:
/// v := B^T D B u. Shapes: B [Q][P]; u and v [E][P][P][P] and D [E][Q][Q][Q], or in blocks of
/// W elements, the lanes of a vector, with W innermost. E is a multiple of W.
template <class T>
using mass_operator = void (*)(const T* b, const T* u, const T* d, T* v, std::ptrdiff_t elements);

enum class mass_layout { interleaved, strided };

/// The peer `hand`. `streaming`: for data in main memory.
template <class T>
mass_operator<T> hand_mass_operator(int p, mass_layout, bool streaming);

/// The peer `loops`: sum factorization in plain loops, as a user writes it.
template <class T>
mass_operator<T> plain_mass_operator(int p, mass_layout);

/// The expression.
template <class T>
mass_operator<T> tenfold_mass_operator(int p, mass_layout);

/// 4 (Q P^3 + Q^2 P^2 + Q^3 P) + Q^3
double mass_flops_per_element(int p);

/// Entries read and written per element: 2 P^3 + Q^3
double mass_entries_per_element(int p);

/// Sum over the steps of (k + 2): three interpolations, the scaling, three projections.
double mass_work(int p);

/// One element in long double: the result and the bound of its error's scale.
struct mass_reference {
  std::vector<long double> value, magnitude;  ///< (l, m, n)
};
mass_reference mass_of_element(int p, const std::vector<long double>& b,
                               const std::vector<long double>& u,
                               const std::vector<long double>& d);

}  // namespace tenfold::bench
