#include <algorithm>
#include <iterator>
#include <memory>
#include <tenfold/backend/clear_entries.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/with_scalar.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_explanation.hpp>
#include <tenfold/dsel/call_form.hpp>
#include <tenfold/dsel/explain_plan.hpp>
#include <tenfold/dsel/planned_kernel.hpp>
#include <tenfold/dsel/run_kernel.hpp>
#include <tenfold/dsel/stored_program.hpp>
#include <tenfold/tensor/entries_apart.hpp>
#include <vector>

namespace tenfold {

namespace {

address_range range_of(const run_time_operand& x) {
  const auto size = static_cast<index>(bytes_of(x.shape.type));
  byte_span span;
  span.high = size;
  for (std::size_t i = 0; i < static_cast<std::size_t>(x.shape.rank); ++i)
    span.add_axis(x.shape.extents[i], x.shape.strides[i], size);
  return {x.data, span};
}

/// What is wrong with where operands lie.
diagnostic check_addresses(const kernel& k, const run_time_operand* operands) {
  const run_time_operand& y = operands[k.output()];
  for (int o = 0; o < k.operand_count; ++o) {
    if (k.operands[o].role == operand_role::local || k.operands[o].is_identity) continue;
    if (lacks_memory(operands[o].shape, operands[o].data))
      return kernel_checks::at_operand(k, diagnosis::kernel_null, o);
  }
  // Where maps lead is for the caller to know.
  if (y.map.numbers != nullptr) return {};
  const address_range written = range_of(y);
  for (int o = 0; o < k.operand_count; ++o) {
    if (k.operands[o].role != operand_role::input || k.operands[o].is_identity) continue;
    if (operands[o].map.numbers != nullptr) continue;
    if (written.meets(range_of(operands[o])) && !are_disjoint(operands[o], y.shape, y.data)) {
      return kernel_checks::at_operand(k, diagnosis::kernel_overlap, o);
    }
  }
  return {};
}

/// Every entry of a gathered operand := 0, one by one.
void clear_entries(const run_time_operand& y) {
  index entries = 1;
  for (int i = 0; i < y.shape.rank; ++i) entries *= y.shape.extents[static_cast<std::size_t>(i)];
  with_scalar(y.shape.type, [&](auto zero) {
    clear_entries(static_cast<decltype(zero)*>(const_cast<void*>(y.data)), y.map, entries);
  });
}

}  // namespace

bool prepare_output(const run_time_operand& y, bool updates, bool is_empty) {
  const bool scatters = y.map.numbers != nullptr;
  const bool clears = scatters && !updates && !is_empty && y.order != nullptr;
  if (scatters && !updates && !clears) clear_entries(y);
  if (is_empty && !scatters) scale(y.shape, const_cast<void*>(y.data), {updates ? 1.0 : 0.0});
  return clears;
}

void learn_extents(const kernel& k, std::string_view text, const run_time_operand* operands,
                   index* extents) {
  const kernel_extents found = extents_of(
      k, [&](int o) -> const auto& { return operands[o].shape; });
  if (found.error) throw_diagnostic(found.error, text);
  for (int l = 0; l < k.label_count; ++l) extents[l] = found.of[l];
}

void admit_kernel(const kernel& k, std::string_view text, const run_time_operand* operands,
                  index* extents) {
  learn_extents(k, text, operands, extents);
  const operand_shape<max_rank>& y = operands[k.output()].shape;
  bool stands = false;  // along an axis: binding tells which
  for (std::size_t i = 0; i < static_cast<std::size_t>(y.rank); ++i)
    stands = stands || (y.strides[i] == 0 && y.extents[i] > 1);
  if (!stands && y.layout == batch_layout::strided &&
      !entries_apart(y.extents.data(), y.strides.data(), y.rank))
    throw_diagnostic({diagnosis::output_coincides}, text);
  if (const diagnostic wrong = check_addresses(k, operands)) throw_diagnostic(wrong, text);
}

void admit_kernel(const kernel& k, const index* known, const open_kernel_axes& open,
                  std::string_view text, const run_time_operand* operands, index* extents) {
  std::copy_n(known, k.label_count, extents);
  bool fits = open.are_all;
  for (int i = 0; i < open.count; ++i) {
    const auto& axis = open.of[i];
    const index given = operands[axis.operand].shape.extents[static_cast<std::size_t>(axis.axis)];
    index& extent = extents[axis.label];
    if (extent == dyn) extent = given;
    fits = fits && extent == given;
  }
  if (!fits || check_addresses(k, operands)) [[unlikely]]
    admit_kernel(k, text, operands, extents);
}

namespace {

/// Intermediates that lack the batch have phases of their own.
using kernel_program = program<32, 256, 512>;

/// The program of a kernel on this machine. Throws backend_error for one that is too long.
std::unique_ptr<kernel_program> lower_kernel(const kernel& k, std::string_view text,
                                             const planned_kernel& made,
                                             const capabilities& machine) {
  auto runnable = std::make_unique<kernel_program>();
  const problem<kernel_limits>& p = made.bound.value;
  if (is_empty(p)) return runnable;
  *runnable = lower<kernel_program>(p, made.plan, machine, !k.adds_to_output());
  if (!runnable->feasible) throw_diagnostic({diagnosis::too_long_program}, text);
  return runnable;
}

}  // namespace

struct run_time_kernel::planned_call {
  kernel said;
  std::string text;
  std::vector<operand_shape<max_rank>> shapes;  ///< by operand
  std::vector<int> inputs;                      ///< the operand that each input is a slice of
  std::vector<index> extents;                   ///< by label of the problem
  instruction_set isa = best_instruction_set();
  scalar type = scalar::f64;
  bool is_empty = false;
  double flops = 0;
  stored_program runnable;
};

run_time_kernel::run_time_kernel(const kernel& k, std::string_view text,
                                 const run_time_operand* operands) {
  index extents[kernel::max_labels];
  learn_extents(k, text, operands, extents);
  const auto call = std::make_shared<planned_call>();
  call->said = k;
  call->text = text;
  for (int o = 0; o < k.operand_count; ++o) call->shapes.push_back(operands[o].shape);
  const auto made = plan_kernel(k, text, call->shapes.data(), extents);
  const problem<kernel_limits>& p = made->bound.value;
  for (int o = 0; o < p.input_count; ++o) {
    call->inputs.push_back(made->unrolled.inputs[o].operand);
  }
  call->extents.assign(p.extent, p.extent + p.label_count);
  call->type = p.type;
  call->is_empty = tenfold::is_empty(p);
  call->flops = made->plan.flops;
  call->runnable.keep(*lower_kernel(k, text, *made, capabilities_of(call->isa)));
  call_ = call;
}

double run_time_kernel::flops() const { return call_->flops; }

index run_time_kernel::workspace_bytes() const { return memory_bytes(call_->runnable.view()); }

int run_time_kernel::unlike_operand(const run_time_operand* operands) const {
  const kernel& k = call_->said;
  for (int o = 0; o < k.operand_count; ++o) {
    if (k.operands[o].role == operand_role::local) continue;
    // A unit matrix is known by its rank, 0.
    if (!alike(operands[o].shape, call_->shapes[static_cast<std::size_t>(o)])) return o;
  }
  return -1;
}

void run_time_kernel::run(const run_time_operand* operands) const {
  if (const int o = unlike_operand(operands); o >= 0)
    throw_diagnostic(kernel_checks::at_operand(call_->said, diagnosis::kernel_unlike, o),
                     call_->text);
  run_alike(operands);
}

void run_time_kernel::run_recent(const kernel& k, std::string_view text,
                                 const run_time_operand* operands) {
  // Enough for the kernels of a loop. A copy runs: what it calls may plan others in its place.
  constexpr std::size_t most = 16;
  thread_local std::vector<run_time_kernel> recent;
  thread_local std::size_t oldest = 0;
  index extents[kernel::max_labels];
  admit_kernel(k, text, operands, extents);
  for (const run_time_kernel& known : recent) {
    // What a text and its batch label do not say, shapes tell.
    const planned_call& c = *known.call_;
    if (c.text != text || c.said.batch != k.batch || known.unlike_operand(operands) >= 0) continue;
    return run_time_kernel(known).run_alike(operands);
  }
  const run_time_kernel made(k, text, operands);
  if (recent.size() < most) {
    recent.push_back(made);
  } else {
    recent[oldest] = made;
    oldest = (oldest + 1) % most;
  }
  made.run_alike(operands);
}

/// For operands like those that it was planned for.
void run_time_kernel::run_alike(const run_time_operand* operands) const {
  const planned_call& c = *call_;
  const kernel& k = c.said;
  const run_time_operand& out = operands[k.output()];
  void* const y = const_cast<void*>(out.data);
  const bool updates = k.adds_to_output();
  const bool clears = prepare_output(out, updates, c.is_empty);
  if (c.is_empty) return;
  const void* inputs[kernel_limits.operands];
  entry_map maps[kernel_limits.operands];
  for (std::size_t o = 0; o < c.inputs.size(); ++o) {
    const run_time_operand& from = operands[c.inputs[o]];
    inputs[o] = from.data;
    maps[o] = from.map;
  }
  with_scalar(c.type, [&](auto one) {
    using T = decltype(one);
    program_arguments<T> args{inputs, y, c.extents.data(), T(1), updates ? T(1) : T(0)};
    args.maps = maps;
    args.output_map = out.map;
    args.order = out.order;
    args.clears = clears;
    launch(c.runnable.view(), args, c.isa);
  });
}

kernel_explanation explain_kernel(const kernel& k, std::string_view text,
                                  const run_time_operand* operands,
                                  const operand_shape<max_rank>* types,
                                  const capabilities* compiled_for) {
  index extents[kernel::max_labels];
  learn_extents(k, text, operands, extents);
  operand_shape<max_rank> shapes[kernel::max_operands];
  for (int o = 0; o < k.operand_count; ++o) shapes[o] = operands[o].shape;
  const bool compiled = compiled_for != nullptr;
  const kernel_extents typed = extents_of(
      k, [&](int o) -> const auto& { return types[o]; });
  const capabilities machine = compiled ? *compiled_for : capabilities_of(best_instruction_set());
  const auto made = plan_kernel(k, text, compiled ? types : shapes, compiled ? typed.of : extents);
  const auto runnable = lower_kernel(k, text, *made, machine);
  return explain_plan(k, text, *made, extents, runnable.get(), machine, compiled);
}

}  // namespace tenfold
