#pragma once

#include <tenfold/backend/gemm_list.hpp>
#include <tenfold/backend/interface/arguments.hpp>
#include <tenfold/backend/interface/capabilities.hpp>
#include <tenfold/backend/interface/tuning.hpp>

/// Programs and batched products that are known only when the program runs, on the best instruction
/// set of the CPU. T: float, double, or std::complex of them.
namespace tenfold {

/// The best one that this CPU and its operating system offer and the library carries.
///
/// Throws backend_error where that is none (TENFOLD_INSTRUCTION_SETS).
instruction_set best_instruction_set();

/// What programs for an instruction set may assume, the tuning in use among it.
capabilities capabilities_of(instruction_set isa);

/// Runs a program that was lowered for capabilities_of(isa) and whose scalar is that of `args`.
template <class T>
void launch(const program_view& p, const program_arguments<T>& args, instruction_set isa);

/// Copies a batch from one layout to another.
void launch(const batch_copy& copy, scalar type, instruction_set isa);

/// Runs a batched product, or a list of them.
template <class T>
void launch(const gemm_shape& shape, const gemm_arguments<T>& arguments, instruction_set isa);
template <class T>
void launch(const gemm_list<T>& list, instruction_set isa);

/// Runs a batched product by values of its own instead of those in use (tuning_in_use.hpp).
template <class T>
void launch(const gemm_shape& shape, const gemm_arguments<T>& arguments, instruction_set isa,
            const gemm_tuning& tuned);

}  // namespace tenfold
