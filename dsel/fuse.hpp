#pragma once

#include <optional>
#include <string>
#include <tenfold/dsel/diagnose.hpp>
#include <tenfold/dsel/kernel_over.hpp>
#include <tenfold/dsel/print_explanation.hpp>
#include <tenfold/dsel/require_on_device.hpp>
#include <tenfold/dsel/run_kernel.hpp>
#include <tenfold/dsel/strided_copies.hpp>

/// Fused element kernels: several statements over a common batch label, run tile by tile of the
/// batch.
namespace tenfold {

namespace fusing {

/// The name of operand O of a kernel.
template <class Text>
constexpr std::string_view name_of(int operand) {
  const label_name& name = Text::value.operands[operand].name;
  return Text::text.substr(static_cast<std::size_t>(name.begin),
                           static_cast<std::size_t>(name.length));
}

/// Which of the names binds operand O; -1: none, -2: several.
template <class Text, class... Named>
constexpr int find_binding(int operand) {
  int at = 0, found = -1;
  const auto ask = [&](std::string_view given) {
    if (given == name_of<Text>(operand)) found = found == -1 ? at : -2;
    ++at;
  };
  (ask(Named::name), ...);
  return found;
}

/// Whether a kernel has an operand of this name and role.
template <class Text, class Named>
constexpr bool has_operand() {
  for (int o = 0; o < Text::value.operand_count; ++o) {
    if (name_of<Text>(o) == Named::name) {
      return static_cast<int>(Text::value.operands[o].role) == Named::role;
    }
  }
  return false;
}

/// What is wrong with the names that the arguments of a call bind.
template <class Text, class... Named>
constexpr diagnostic check_names() {
  index at = 0;
  diagnostic wrong;
  const auto ask = [&](bool known) {
    if (!known && !wrong) wrong = {diagnosis::unknown_name, -1, 0, {at}};
    ++at;
  };
  (ask(has_operand<Text, Named>()), ...);
  for (int o = 0; o < Text::value.operand_count && !wrong; ++o) {
    if (Text::value.operands[o].role == operand_role::local) continue;
    const int found = find_binding<Text, Named...>(o);
    if (found >= 0) continue;
    const auto code = found == -1 ? diagnosis::unbound : diagnosis::bound_twice;
    wrong = kernel_checks::at_operand(Text::value, code, o);
  }
  return wrong;
}

/// The sentence where an argument of a call binds no name.
template <class... A>
constexpr auto unnamed() {
  constexpr bool are_bindings = (is_binding<A> && ...);
  static_assert(are_bindings, "tenfold: an argument of a fused kernel binds no name: write u = U");
}

/// Stands where a local has no tensor.
struct no_tensor {};
inline constexpr no_tensor absent{};

template <class X>
[[gnu::always_inline]] inline run_time_operand untyped(X& x) {
  if constexpr (std::is_same_v<std::remove_const_t<X>, no_tensor> || is_unit_matrix<X>) {
    return {};
  } else {
    return run_time_operand_of(x);
  }
}

template <class X>
using typed = std::conditional_t<std::is_same_v<std::remove_const_t<X>, no_tensor>, void, X>;

template <class X>
constexpr operand_shape<max_rank> shape_of_type() {
  if constexpr (std::is_void_v<X> || is_unit_matrix<X>) {
    return {};
  } else {
    return static_shape_of<X, max_rank>();
  }
}

/// Whether X has neither strides nor a map, so that its entries are copied.
template <class X>
inline constexpr bool is_copied = [] {
  if constexpr (evaluating::lacks_strides<std::remove_const_t<X>>)
    return operand_traits_of<X>::layout != batch_layout::gathered;
  else
    return false;
}();
template <class X>
decltype(auto) read_by_strides(X& x) {
  if constexpr (is_copied<X>)
    return evaluating::with_strides(x);
  else
    return (x);
}

/// Throws shape_error for the first operand that would be copied and has entries, but no address of
/// some of them.
template <class Text, class... X>
void require_copied_memory(const X&... x) {
  int o = 0;
  const auto require = [&]<class Operand>(const Operand& operand) {
    if constexpr (is_copied<Operand>) {
      const any_batch batch = evaluating::any_batch_of(operand);
      if (lacks_memory(batch)) {
        const auto& name = Text::value.operands[o].name;
        throw_lacks_memory(
            "tenfold: \"" + std::string(Text::text) + "\": '" +
                std::string(Text::text.substr(static_cast<std::size_t>(name.begin),
                                              static_cast<std::size_t>(name.length))) +
                "' at position " + std::to_string(name.begin),
            batch);
      }
    }
    ++o;
  };
  (require(x), ...);
}

template <int O, class X, class... Rest>
constexpr auto& operand_at(X& x, Rest&... rest) {
  if constexpr (O == 0)
    return x;
  else
    return operand_at<O - 1>(rest...);
}

/// Operand number O, for which `other` stands in if it is the output.
template <class Text, int O, class Y, class X>
constexpr auto& with_output(Y& other, X& x) {
  if constexpr (O == Text::value.output())
    return other;
  else
    return x;
}

/// Runs a kernel whose operands, by number, are x...; no_tensor for a local. What the compiler has
/// not planned runs by `plan`, or is planned now if that is null.
template <class Text, class Machine = cpu::this_machine, class... X>
void run([[maybe_unused]] const run_time_kernel* plan, X&... x) {
  using e = kernel_over<Text, typed<X>...>;
  if constexpr (Text::value.output() >= 0 && (is_copied<X> || ...)) {
    constexpr int out = Text::value.output();
    require_copied_memory<Text>(x...);
    auto& y = operand_at<out>(x...);
    if constexpr (is_copied<std::remove_reference_t<decltype(y)>>) {
      const beta_factor kept{Text::value.adds_to_output() ? 1.0 : 0.0};
      evaluating::by_way_of_strides(y, kept, [&](auto& z, beta_factor) {
        [&]<int... O>(std::integer_sequence<int, O...>) {
          run<Text>(plan, with_output<Text, O>(z, x)...);
        }
        (std::make_integer_sequence<int, sizeof...(X)>{});
      });
    } else {
      [&](auto&&... strided) { run<Text>(plan, strided...); }(read_by_strides(x)...);
    }
  } else if constexpr (e::error.code != diagnosis::none) {
    diagnose<Text, e::error>();
  } else {
    const run_time_operand operands[] = {untyped(x)...};
    if constexpr (!e::is_planned) {
      if (plan == nullptr) return run_time_kernel::run_recent(e::said, Text::text, operands);
    }
    index extents[kernel::max_labels];
    if constexpr (!e::is_planned) {
      admit_kernel(e::said, Text::text, operands, extents);
      plan->run(operands);
    } else {
      admit_kernel(e::said, e::extents.of, e::open, Text::text, operands, extents);
      constexpr int out = e::said.output();
      // Of most kernels nothing is to be made ready.
      bool clears = false;
      if constexpr (e::scatters || e::is_empty)
        clears = prepare_output(operands[out], e::updates, e::is_empty);
      if constexpr (!e::is_empty) {
        const void* inputs[e::bounds.operands];
        entry_map maps[e::bounds.operands];
        index by_label[e::bounds.labels];
        for (int o = 0; o < e::unrolled.said.input_count; ++o) {
          const run_time_operand& from = operands[e::unrolled.inputs[o].operand];
          inputs[o] = from.data;
          if constexpr (e::gathers) maps[o] = from.map;
        }
        for (int l = 0; l < e::unrolled.said.label_count; ++l) {
          by_label[l] = extents[e::unrolled.label[l]];
        }
        using T = typename e::scalar_type;
        program_arguments<T> args{inputs, const_cast<void*>(operands[out].data), by_label, T(1),
                                  e::updates ? T(1) : T(0)};
        args.maps = maps;
        args.output_map = operands[out].map;
        args.order = operands[out].order;
        args.clears = clears;
        cpu::run_static<program_of_kernel<e>, e::updates && !e::scatters>(args);
      }
    }
  }
}

/// What must be so of the operands of a kernel on a device.
template <class Text, class... X>
void require_there(const device_queue& where, X&... x) {
  evaluating::require_on_device<X...>();
  evaluating::require_kernel_operands_on_device<X...>();
  int o = 0;
  const auto subject = [&] {
    const int at = Text::value.operands[o].name.begin;
    return "tenfold: \"" + std::string(Text::text) + "\": '" + std::string(name_of<Text>(o)) +
           "' at position " + std::to_string(at);
  };
  ((require_memory(where, x, subject), ++o), ...);
}

/// Runs a kernel on a device; operands as in run().
template <class Text, class... X>
void run_on(const device_queue& where, X&... x) {
  require_there<Text>(where, x...);
  const run_time_operand operands[] = {untyped(x)...};
  run_kernel_on(where, declared<typed<X>...>(Text::value), Text::text, operands);
}

/// Explains what run_on() does.
template <class Text, class... X>
auto explained_on(const device_queue& where, X&... x) {
  require_there<Text>(where, x...);
  const run_time_operand operands[] = {untyped(x)...};
  return explain_kernel_on(where, declared<typed<X>...>(Text::value), Text::text, operands);
}

/// The plan of what the compiler has not planned.
template <class Text, class... X>
std::optional<run_time_kernel> planned(X&... x) {
  using e = kernel_over<Text, typed<X>...>;
  if constexpr (e::error.code != diagnosis::none) {
    diagnose<Text, e::error>();
    return {};
  } else if constexpr (e::is_planned) {
    return {};
  } else {
    const run_time_operand operands[] = {untyped(x)...};
    return run_time_kernel(e::said, Text::text, operands);
  }
}

/// Explains what run() does; `machine` is what the compiler's plan is lowered for.
template <class Text, class... X>
kernel_explanation explained(const capabilities& machine, X&... x) {
  using e = kernel_over<Text, typed<X>...>;
  if constexpr (e::error.code != diagnosis::none) {
    diagnose<Text, e::error>();
    return kernel_explanation();
  } else {
    const run_time_operand operands[] = {untyped(x)...};
    const operand_shape<max_rank> types[] = {shape_of_type<typed<X>>()...};
    return explain_kernel(e::said, Text::text, operands, types, e::is_planned ? &machine : nullptr);
  }
}

}  // namespace fusing

/// A kernel and its plan for operands of some shapes. What the compiler has planned needs none:
/// then there is nothing in here, and operands may have any run-time extents.
template <class Kernel>
class kernel_plan {
 public:
  /// As the kernel. Throws shape_error also when an operand is not like the one planned for.
  template <class Machine = cpu::this_machine, class... Named, class... X>
  void operator()(fusing::binding<Named, X>... operands) const {
    Kernel::by_number(
        [&](auto&... x) { fusing::run<typename Kernel::text>(plan_ ? &*plan_ : nullptr, x...); },
        operands...);
  }
  template <class... A>
  requires(!(fusing::is_binding<A> && ...)) auto operator()(const A&...) const {
    return fusing::unnamed<A...>();
  }

 private:
  friend Kernel;
  std::optional<run_time_kernel> plan_;
};

/// Several Einstein statements over the batch label `Batch`: what fuse() returns. It holds nothing.
template <class Batch, class... Statement>
class fused_kernel {
  using text = fusing::kernel_text<Batch, Statement...>;

 public:
  /// Runs the kernel for operands bound by name, in any order:
  ///   mass(v = V, u = U, B = Bt, D = Dt);
  /// V is overwritten, or added to where its first statement says +=. Static extents are planned by
  /// the compiler, others when it is called first: a thread knows its last plans. Throws
  /// shape_error when run-time extents of a label differ or an operand has entries and no address,
  /// overlap_error when the output may share memory with an input; the output is then untouched.
  template <class Machine = cpu::this_machine, class... Named, class... X>
  void operator()(fusing::binding<Named, X>... operands) const {
    by_number([](auto&... x) { fusing::run<text>(nullptr, x...); }, operands...);
  }
  template <class... A>
  requires(!(fusing::is_binding<A> && ...)) auto operator()(const A&...) const {
    return fusing::unnamed<A...>();
  }

  /// Runs it on a device, on a stream, of operands in the memory there:
  ///   mass(on(device::cuda), v = V, u = U, B = Bt, D = Dt);
  /// Returns when the work is started. Throws as the call on the host, and backend_error for what
  /// the device cannot do, and for a device_tensor of another one. What is added through a map is
  /// added by many threads at a time, in any order: there the last bits of a run differ from those
  /// of another.
  template <class... Named, class... X>
  void operator()(const device_queue& where, fusing::binding<Named, X>... operands) const {
    by_number([&](auto&... x) { fusing::run_on<text>(where, x...); }, operands...);
  }

  /// Plans for operands like these; what is returned is called as the kernel is, and plans nothing.
  ///     const auto planned = mass.plan(v = V, u = U, B = Bt, D = Dt);
  ///     planned(v = V, u = U, B = Bt, D = Dt);
  /// Throws as the call, but looks at no entry: operands need no memory yet.
  template <class... Named, class... X>
  kernel_plan<fused_kernel> plan(fusing::binding<Named, X>... operands) const {
    kernel_plan<fused_kernel> made;
    by_number([&](auto&... x) { made.plan_ = fusing::planned<text>(x...); }, operands...);
    return made;
  }

  /// What a call with these operands does: its steps, and the flops and bytes of one value of the
  /// batch label, as data that prints as a table. Throws as the call, but looks at no entry.
  ///   std::cout << mass.explain(v = V, u = U, B = Bt, D = Dt);
  template <class... Named, class... X>
  kernel_explanation explain(fusing::binding<Named, X>... operands) const {
    return explain(cpu::static_capabilities, operands...);
  }
  /// The same on another machine than the one that this file is compiled for.
  template <class... Named, class... X>
  kernel_explanation explain(const capabilities& machine,
                             fusing::binding<Named, X>... operands) const {
    kernel_explanation told;
    by_number([&](auto&... x) { told = fusing::explained<text>(machine, x...); }, operands...);
    return told;
  }

  /// What a call on a device does: its steps, and its launches; see explain of einsum on a device.
  /// What prints it is in <tenfold/explain.hpp>.
  ///   std::cout << mass.explain(on(device::cuda), v = V, u = U, B = Bt, D = Dt);
  template <class Told = device_explanation<kernel_limits>, class... Named, class... X>
  Told explain(const device_queue& where, fusing::binding<Named, X>... operands) const {
    Told told;
    by_number([&](auto&... x) { told = fusing::explained_on<text>(where, x...); }, operands...);
    return told;
  }

 private:
  friend class kernel_plan<fused_kernel>;

  /// f of the tensors that are the operands, by number, if the names are right.
  template <class F, class... Named, class... X>
  static void by_number(F f, fusing::binding<Named, X>&... operands) {
    constexpr diagnostic wrong = text::error ? text::error : fusing::check_names<text, Named...>();
    if constexpr (wrong.code != diagnosis::none) {
      diagnose<text, wrong>();
    } else {
      [&]<int... O>(std::integer_sequence<int, O...>) { f(tensor_of<O, Named...>(operands...)...); }
      (std::make_integer_sequence<int, text::value.operand_count>{});
    }
  }
  template <int O, class... Named, class... B>
  static constexpr auto& tensor_of(B&... operands) {
    constexpr int found = fusing::find_binding<text, Named...>(O);
    if constexpr (text::value.operands[O].role == operand_role::local) {
      return fusing::absent;
    } else {
      return fusing::operand_at<found>(operands...).tensor;
    }
  }
};

namespace fusing {
/// Stands for a kernel that a mistake was made in, and says nothing more.
struct no_kernel {
  template <class... X>
  constexpr no_kernel operator()(const X&...) const {
    return {};
  }
};
}  // namespace fusing

/// The statements of a fused kernel; see fuse.
template <class Batch>
struct fuse_over {
  template <class... Statement>
  constexpr auto operator()(Statement...) const {
    constexpr bool are_statements = (fusing::is_statement<Statement> && ...);
    static_assert(are_statements && sizeof...(Statement) > 0,
                  "tenfold: a fused kernel is made of statements: g(e, q) = "
                  "B(q, i) * u(e, i)");
    if constexpr (are_statements)
      return fused_kernel<Batch, Statement...>{};
    else
      return fusing::no_kernel{};
  }
};

/// Fuses Einstein statements over the batch label: they run one after another for one tile of the
/// batch before the next, and what they compute on the way stays in the cache.
///
///     constexpr input<"u"> u; constexpr input<"B"> B; constexpr input<"D"> D;
///     constexpr local<"g"> g; constexpr output<"v"> v;
///     auto mass = fuse(e)(g(e, q, r) = B(q, i) * B(r, j) * u(e, i, j),
///                         v(e, l, m) = B(q, l) * B(r, m) * D(e, q, r) * g(e, q, r));
///     mass(v = V, u = U, B = Bt, D = Dt);
///
/// On the right of = stand sums of products; labels that are not on the left are summed, the batch
/// label never is. A label has one extent in all statements. += adds to a local, or to the output:
/// to what an earlier statement left there, or else to what the caller has there. What statements
/// have in common is computed once.
template <index_label Batch>
constexpr fuse_over<Batch> fuse(Batch) {
  return {};
}
template <class... X>
requires(!(sizeof...(X) == 1 && (index_label<X> && ...))) constexpr auto fuse(const X&...) {
  static_assert(
      sizeof...(X) < 0,
      "tenfold: fuse takes the batch label, using tenfold::labels::e, and what it returns "
      "the statements: fuse(e)(v(e, q) = B(q, i) * u(e, i))");
  return fusing::no_kernel{};
}

}  // namespace tenfold
