#pragma once

#include <complex>
#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/arguments.hpp>

/// Steps that are phases of their own (is_whole): a function of the library runs all their loops,
/// on the threads of the caller's arena, with the same bits for any number of them. Compiled once
/// for each instruction set (X.isa.cpp).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Where the operands of such a step lie, A and B of the types that it says, and the factors.
template <class T>
struct step_arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  T* c = nullptr;
  T alpha = T(1), beta = T(0);
};

#define TENFOLD_DECLARE_WHOLE_STEPS(T)                                                      \
  /** The step of a phase. `loops`: those of the step; `workspace`: of the program. */      \
  void run_whole(const program_phase&, const program_step&, const step_loop* loops,         \
                 const program_arguments<T>&, T* workspace);                                \
  /** C(b, m, n) := alpha sum_k A(b, m, k) B(b, k, n) + beta C(b, m, n), blocked.isa.cpp */ \
  void run_blocked(const program_step&, const step_loop*, const step_arguments<T>&);        \
  /** C(x, m, n) := alpha A(x, m, n) B(x, m, n) + beta C(x, m, n), pointwise.isa.cpp */     \
  void run_pointwise(const program_step&, const step_loop*, const step_arguments<T>&);      \
  /** C(x, m) := alpha sum_k A(x, m, k) B(x, k) + beta C(x, m), reduce.isa.cpp */           \
  void run_reduce(const program_step&, const step_loop*, const step_arguments<T>&);
TENFOLD_DECLARE_WHOLE_STEPS(float)
TENFOLD_DECLARE_WHOLE_STEPS(double)
TENFOLD_DECLARE_WHOLE_STEPS(std::complex<float>)
TENFOLD_DECLARE_WHOLE_STEPS(std::complex<double>)
#undef TENFOLD_DECLARE_WHOLE_STEPS

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
