#pragma once

#include <complex>
#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/program.hpp>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// What a call adds to a step of kind `blocked`: where the operands of its one tile lie, and the
/// factors. A and B are of the types that the step says.
template <class T>
struct blocked_arguments {
  const void* a = nullptr;
  const void* b = nullptr;
  T* c = nullptr;
  T alpha = T(1), beta = T(0);
};

/// C(b, m, n) := alpha sum_k A(b, m, k) B(b, k, n) + beta C(b, m, n) over groups of loops, see
/// program_step; on the threads of the caller's arena, with the same bits for any number of them.
/// Compiled in the library, once for each instruction set (blocked.isa.cpp).
void run_blocked(const program_step&, const step_loop*, const blocked_arguments<float>&);
void run_blocked(const program_step&, const step_loop*, const blocked_arguments<double>&);
void run_blocked(const program_step&, const step_loop*,
                 const blocked_arguments<std::complex<float>>&);
void run_blocked(const program_step&, const step_loop*,
                 const blocked_arguments<std::complex<double>>&);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
