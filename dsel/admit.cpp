#include <algorithm>
#include <tenfold/dsel/call_form.hpp>
#include <tenfold/dsel/recent_calls.hpp>

namespace tenfold {

namespace {

/// The operands of a call, the output behind the inputs.
struct run_time_operands {
  run_time_operand of[large_limits.operands + 1];

  run_time_operands(const call_form& form, const call_numbers& numbers) {
    const index* told = numbers.open;
    for (int o = 0; o < form.input_count + form.has_output; ++o) {
      const known_operand& x = form.operands[o];
      operand_shape<max_rank>& shape = of[o].shape;
      shape.type = x.type;
      shape.rank = x.rank;
      shape.layout = x.layout;
      shape.space = x.space;
      shape.conjugated = x.conjugated;
      for (int i = 0; i < x.rank; ++i) {
        const auto at = static_cast<std::size_t>(i);
        shape.extents[at] = x.extents[i] == dyn ? *told++ : x.extents[i];
        shape.strides[at] = x.strides[i] == dyn ? *told++ : x.strides[i];
      }
      of[o].data = numbers.data[o];
    }
  }
};

/// Throws what is wrong with a call, if anything is.
[[gnu::noinline, gnu::cold]] void complain(const call_form& form, std::string_view text,
                                           const call_numbers& numbers) {
  const run_time_operands operands(form, numbers);
  const run_time_operand& y = operands.of[form.input_count];
  check(text, operands.of, form.input_count, form.has_output ? &y.shape : nullptr, *form.options);
  check_addresses(text, operands.of, form.input_count, form.has_output ? &y.shape : nullptr,
                  y.data);
}

/// The key that evaluate gives the call, from less.
call_key key_of(const call_form& form, std::string_view text, const call_numbers& numbers,
                const operand_shape<max_rank>& y, const call_settings& settings) {
  call_key key(text, form.input_count, settings);
  const index* told = numbers.open;
  for (int o = 0; o < form.input_count; ++o) {
    const known_operand& x = form.operands[o];
    key.add_form(x.type, x.layout, x.space, x.conjugated, reflection::none, x.rank);
    key.add(operand_shape<max_rank>{}.block);
    for (int i = 0; i < x.rank; ++i) {
      const index extent = x.extents[i] == dyn ? *told++ : x.extents[i];
      key.add_axis(extent, x.strides[i] == dyn ? *told++ : x.strides[i]);
    }
  }
  key.add_twins(numbers.data, form.input_count);
  key.add(y);
  return key;
}

}  // namespace

label_set admit(const call_form& form, std::string_view text, const call_numbers& numbers,
                index* extents) {
  std::copy_n(form.extents, form.label_count, extents);
  const index* told = numbers.open;
  const int count = form.input_count + form.has_output;
  address_range ranges[large_limits.operands + 1];
  bool fits = true;
  label_set ones = 0;        // stretchable labels along which some operand has one entry
  label_set stretched = 0;   // of these, those where the compiler did not know
  const auto settle = [&] {  // where every operand has one entry, nothing is repeated
    for (int l = 0; l < form.label_count && ones != 0; ++l) {
      if (!contains(ones, l)) continue;
      if (extents[l] == dyn) extents[l] = 1;
      if (extents[l] == 1) stretched &= ~bit(l);
    }
  };
  for (int o = 0; o < count; ++o) {
    if (o == form.input_count) settle();
    const known_operand& x = form.operands[o];
    byte_span span = x.span;
    label_set one = 0, more = 0;  // labels along which this operand has one entry, and others
    for (int a = x.first_open; a < x.open_end; ++a) {
      const open_axis& axis = form.open[a];
      const index given = axis.extent == dyn ? *told++ : axis.extent;
      const index stride = axis.stride == dyn ? *told++ : axis.stride;
      span.add_axis(given, stride, static_cast<index>(bytes_of(x.type)));
      const int label = axis.label;
      if (contains(form.stretchable, label) && o < form.input_count) {
        (given == 1 ? one : more) |= bit(label);
        if (given == 1) {
          if (axis.extent == dyn) stretched |= bit(label);
          continue;
        }
      }
      if (extents[label] == dyn) extents[label] = given;
      fits = fits && extents[label] == given;
    }
    fits = fits && (one & more) == 0;  // a diagonal has one extent
    ones |= one;
    fits = fits && (numbers.data[o] != nullptr || span.empty);
    ranges[o] = {numbers.data[o], span};
  }
  if (!form.has_output) settle();
  bool apart = true;
  for (int o = 0; form.has_output && o < form.input_count; ++o) {
    apart = apart && !ranges[o].meets(ranges[form.input_count]);
  }
  if (form.may_coincide) {
    const run_time_operands operands(form, numbers);
    const operand_shape<max_rank>& y = operands.of[form.input_count].shape;
    apart = apart && entries_apart(y.extents.data(), y.strides.data(), y.rank);
  }
  if (!fits || !apart) [[unlikely]]
    complain(form, text, numbers);
  return stretched;
}

void evaluate_admitted(const call_form& form, std::string_view text, const call_numbers& numbers,
                       const operand_shape<max_rank>& y_shape, void* y,
                       const call_settings& settings) {
  if (evaluate_recent(key_of(form, text, numbers, y_shape, settings), text, numbers.data, y_shape,
                      y, settings)) {
    return;
  }
  const run_time_operands operands(form, numbers);
  evaluate(text, operands.of, form.input_count, y_shape, y, settings);
}

}  // namespace tenfold
