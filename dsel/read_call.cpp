#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/expand.hpp>
#include <tenfold/dsel/parse.hpp>
#include <tenfold/dsel/read_call.hpp>

namespace tenfold {

template <limits L>
std::unique_ptr<call_as_read<L>> read_call(std::string_view text, const run_time_operand* inputs,
                                           int count, const operand_shape<max_rank>* y,
                                           const bind_options& options) {
  auto call = std::make_unique<call_as_read<L>>();
  {
    const parse_result<L> parsed = parse<L>(text);
    if (parsed.error) throw_diagnostic(parsed.error, text);
    call->said = parsed.value;
    call->names = parsed.names;
  }
  const operand_ranks ranks(inputs, count);
  if (call->said.has_ellipsis) {
    const expand_result<L> expanded = expand<L>(call->said, call->names, ranks.of, count);
    if (expanded.error) throw_diagnostic(expanded.error, text);
    call->said = expanded.value;
    call->names = expanded.names;
  }
  auto shapes = std::make_unique<operand_shape<max_rank>[]>(static_cast<std::size_t>(count + 1));
  for (int o = 0; o < count; ++o) shapes[static_cast<std::size_t>(o)] = inputs[o].shape;
  const bind_result<L> bound =
      bind<L, max_rank>(call->said, call->names, shapes.get(), count, y, options);
  if (bound.error) throw_diagnostic(bound.error, text);
  call->bound = bound.value;
  return call;
}

template std::unique_ptr<call_as_read<small_limits>> read_call(std::string_view,
                                                               const run_time_operand*, int,
                                                               const operand_shape<max_rank>*,
                                                               const bind_options&);
template std::unique_ptr<call_as_read<medium_limits>> read_call(std::string_view,
                                                                const run_time_operand*, int,
                                                                const operand_shape<max_rank>*,
                                                                const bind_options&);
template std::unique_ptr<call_as_read<large_limits>> read_call(std::string_view,
                                                               const run_time_operand*, int,
                                                               const operand_shape<max_rank>*,
                                                               const bind_options&);
template std::unique_ptr<call_as_read<with_sums(medium_limits)>> read_call(
    std::string_view, const run_time_operand*, int, const operand_shape<max_rank>*,
    const bind_options&);
template std::unique_ptr<call_as_read<with_sums(large_limits)>> read_call(
    std::string_view, const run_time_operand*, int, const operand_shape<max_rank>*,
    const bind_options&);

}  // namespace tenfold
