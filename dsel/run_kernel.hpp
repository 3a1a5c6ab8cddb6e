#pragma once

#include <memory>
#include <tenfold/contraction/explanation.hpp>
#include <tenfold/contraction/unroll.hpp>
#include <tenfold/dsel/run_time.hpp>

/// The compiled door of fused kernels: what is checked at each call, and
/// kernels whose extents only the call tells.
namespace tenfold {

/// Learns the extents of a kernel's labels from its operands (those of locals
/// are not looked at); where entries lie does not matter. Throws shape_error
/// where two extents of a label differ, and backend_error for an operand that is
/// not strided.
void learn_extents(const kernel& k, std::string_view text, const run_time_operand* operands,
                   index* extents);

/// The same for operands that the kernel is to run over. Throws, too, shape_error
/// for one that has entries and no address, and overlap_error unless the output
/// is proved to share no address with an input.
void admit_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                  index* extents);

/// The same where the types of the operands told the compiler `known`, and left
/// `open` to the call.
void admit_kernel(const kernel& k, const index* known, const open_kernel_axes& open,
                  std::string_view text, const run_time_operand* operands, index* extents);

/// Makes the output ready for a program that adds to gathered entries, or of an empty kernel is its
/// result. Returns whether the program clears the entries itself, as it comes to them
/// (program_arguments::clears): where there is an order in which threads add.
bool prepare_output(const run_time_operand& y, bool updates, bool is_empty);

/// A kernel unrolled, planned and lowered at run time, by the functions that
/// the compiler uses. Immutable, cheap to copy, safe to share between threads.
class run_time_kernel {
 public:
  /// Plans for operands of these shapes. Throws as learn_extents, and
  /// backend_error for a kernel that is too long.
  run_time_kernel(const kernel& k, std::string_view text, const run_time_operand* operands);
  /// A move copies: what was moved from is still the kernel.
  run_time_kernel(const run_time_kernel&) = default;
  run_time_kernel& operator=(const run_time_kernel&) = default;

  /// Runs for operands that have been admitted. Throws shape_error for one that
  /// is not like the one planned for; operands count from 0 in the order of the
  /// text.
  void run(const run_time_operand* operands) const;

  /// Runs k by what this thread has planned last for operands of these shapes, or plans it. Throws
  /// as admit_kernel and the constructor.
  static void run_recent(const kernel& k, std::string_view text, const run_time_operand* operands);

  /// Floating-point operations of one run.
  double flops() const;
  /// Memory that one run uses beside the operands: what crosses phases, and the
  /// scratch of one thread.
  index workspace_bytes() const;

 private:
  struct planned_call;

  /// The first operand that is not like the one planned for; -1: there is none.
  int unlike_operand(const run_time_operand* operands) const;
  void run_alike(const run_time_operand* operands) const;

  std::shared_ptr<const planned_call> call_;
};

struct device_queue;
template <limits L>
struct device_explanation;

/// Runs a kernel on a device, on the stream of `where`, of operands in its
/// memory; see evaluate_on. Throws as admit_kernel, and backend_error for what
/// the device cannot do.
void run_kernel_on(const device_queue& where, const kernel& k, std::string_view text,
                   const run_time_operand* operands);

/// What run_kernel_on does, wherever the entries lie. Throws as learn_extents, and backend_error for
/// what the device cannot do.
device_explanation<kernel_limits> explain_kernel_on(const device_queue& where, const kernel& k,
                                                    std::string_view text,
                                                    const run_time_operand* operands);

using kernel_explanation = explanation<kernel_limits>;

/// What a call of the kernel does. `types` is what the types of the operands
/// tell, `dyn` for the rest; `compiled_for` is the machine that the compiler
/// planned for, null where the call plans. Amounts are those of one value of
/// the batch label. Entries need no memory. Throws as learn_extents, and as the
/// planner of the call.
kernel_explanation explain_kernel(const kernel& k, std::string_view text,
                                  const run_time_operand* operands,
                                  const operand_shape<max_rank>* types,
                                  const capabilities* compiled_for);

}  // namespace tenfold
