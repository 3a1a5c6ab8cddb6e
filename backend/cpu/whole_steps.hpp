#pragma once

#include <tenfold/backend/cpu/simd.hpp>
#include <tenfold/backend/interface/arguments.hpp>

/// Steps that are phases of their own (is_whole): a function of the library runs all their loops,
/// on the threads of the caller's arena, with the same bits for any number of them. Compiled for
/// each instruction set (X.isa.cpp). T: float, double, or std::complex of them.
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

/// The step of a phase. `loops`: those of the step; `workspace`: of the program.
template <class T>
void run_whole(const program_phase& phase, const program_step& step, const step_loop* loops,
               const program_arguments<T>& args, T* workspace);

/// C(b, m, n) := alpha sum_k A(b, m, k) B(b, k, n) + beta C(b, m, n), blocked.isa.cpp
template <class T>
void run_blocked(const program_step& step, const step_loop* loops, const step_arguments<T>& args);

/// C(x, m, n) := alpha A(x, m, n) B(x, m, n) + beta C(x, m, n), pointwise.isa.cpp
template <class T>
void run_pointwise(const program_step& step, const step_loop* loops, const step_arguments<T>& args);

/// C(x, m) := alpha sum_k A(x, m, k) B(x, k) + beta C(x, m), reduce.isa.cpp
template <class T>
void run_reduce(const program_step& step, const step_loop* loops, const step_arguments<T>& args);

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
