#pragma once

#define TENFOLD_CBLAS_DEFINES
#include <tenfold_cblas.h>

#include <complex>
#include <cstdio>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <type_traits>

/// What every function of the C interface does beside its work.
namespace tenfold::c_interface {

/// Entries in a C list of arguments: those of complex numbers have no type.
template <class T>
using entry = std::conditional_t<is_complex(scalar_of<T>), void, T>;
/// alpha and beta: real by value, complex by address.
template <class T>
using factor = std::conditional_t<is_complex(scalar_of<T>), const void*, T>;

/// Thrown for an argument that a C function refuses, by its position.
struct illegal_argument {
  int position;
};

inline void require(bool legal, int position) {
  if (!legal) throw illegal_argument{position};
}

order order_of(CBLAS_LAYOUT layout);
op op_of(CBLAS_TRANSPOSE transpose, int position);

template <class T>
T value_of(factor<T> x, int position) {
  if constexpr (is_complex(scalar_of<T>)) {
    require(x != nullptr, position);
    return *static_cast<const T*>(x);
  } else {
    return x;
  }
}

/// Tells the program's cblas_xerbla, or stderr where there is none, of an illegal argument;
/// position 0: memory ran short.
void report(const char* function, int position) noexcept;

/// What TENFOLD_NUM_THREADS asks for, read once; 0: nothing.
int asked_threads();

/// Runs the body of a C function. No exception leaves: an illegal argument is reported.
template <class Body>
void run(const char* function, const Body& body) noexcept {
  try {
    const int threads = asked_threads();
    if (threads > 0) {
      cpu::run_on_threads(threads, body);
    } else {
      body();
    }
  } catch (const illegal_argument& e) {
    report(function, e.position);
  } catch (const error& e) {
    std::fprintf(stderr, "%s\n", e.what());
  } catch (...) {
    report(function, 0);
  }
}

}  // namespace tenfold::c_interface

/// DEFINE(S, T, SUFFIX, INT) for every letter, its scalar and both kinds of integers.
#define TENFOLD_DEFINE_ALL(DEFINE)                    \
  TENFOLD_DEFINE_BOTH(DEFINE, s, float)               \
  TENFOLD_DEFINE_BOTH(DEFINE, d, double)              \
  TENFOLD_DEFINE_BOTH(DEFINE, c, std::complex<float>) \
  TENFOLD_DEFINE_BOTH(DEFINE, z, std::complex<double>)
#define TENFOLD_DEFINE_BOTH(DEFINE, S, T) \
  DEFINE(S, T, , int)                     \
  DEFINE(S, T, _64, int64_t)
