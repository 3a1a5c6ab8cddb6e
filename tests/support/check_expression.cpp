#include <check_call.hpp>
#include <test_device.hpp>

namespace tenfold::testing {
namespace {

/// The expression on the device that TENFOLD_TEST_DEVICE names, if any: what was in the result, and
/// what is to be there afterwards.
template <class T>
void check_on_named_device(std::string_view text, const judge<T>& right,
                           const run_time_operand* inputs, int count,
                           const operand_shape<max_rank>& shape, const std::vector<T>& before = {},
                           std::complex<double> alpha = 1, std::complex<double> beta = 0) {
  cuda::device_machine* const machine = named_device();
  if (machine == nullptr) return;
  dynamic_tensor<T> y(shape);
  std::fill(y.data(), y.data() + y.size(), not_a_number<T>());
  std::copy(before.begin(), before.end(), y.data());
  evaluate_there(on(*machine), text, inputs, count, y.shape(), y.data(),
                 {{alpha.real(), alpha.imag()}, {beta.real(), beta.imag()}});
  right.check(y.shape(), y.data(), before, alpha, beta);
}

}  // namespace

template <class T>
judge<T>::judge(std::string_view text, entries_kind kind, const operand_list& operands,
                const call_settings& settings)
    : want_(expect(text, operands)),
      work_(kind == entries_kind::exact ? 0 : work_of(text, operands, settings)),
      computed_(settings.binding.accumulates
                    ? binding::with_precision(settings.binding.accumulate, is_complex(scalar_of<T>))
                    : scalar_of<T>) {}

template <class T>
void judge<T>::check(const run_time_operand& y, const std::vector<T>& before,
                     std::complex<double> alpha, std::complex<double> beta) const {
  CHECK(y.shape.type == scalar_of<T>);
  check(y.shape, static_cast<const T*>(y.data), before, alpha, beta);
}

template <class T>
void judge<T>::check(const operand_shape<max_rank>& shape, const T* y, const std::vector<T>& before,
                     std::complex<double> alpha, std::complex<double> beta) const {
  CHECK(std::equal(want_.extents.begin(), want_.extents.end(), shape.extents.begin(),
                   shape.extents.begin() + shape.rank));
  CHECK(residual(want_, shape, y, before, alpha, beta, work_, computed_) <= 1);
}

template class judge<float>;
template class judge<double>;
template class judge<std::complex<float>>;
template class judge<std::complex<double>>;

bool same_bits(const run_time_operand& a, const run_time_operand& b) {
  const auto size = [](const run_time_operand& x) {
    std::size_t n = 1;
    for (int i = 0; i < x.shape.rank; ++i) {
      n *= static_cast<std::size_t>(x.shape.extents[static_cast<std::size_t>(i)]);
    }
    return n;
  };
  if (a.shape.type != b.shape.type || a.shape.rank != b.shape.rank || size(a) != size(b)) {
    return false;
  }
  return size(a) == 0 || __builtin_memcmp(a.data, b.data, size(a) * bytes_of(a.shape.type)) == 0;
}

void captured(std::string_view text, entries_kind kind, callback<> f) {
  CAPTURE(text);
  CAPTURE(static_cast<int>(kind));
  f();
}

template <class T>
void check_filled(std::string_view text, const to_fill<T>* entries, const run_time_operand* inputs,
                  int count, callback<const judge<T>&, const std::vector<T>&> f) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    CAPTURE(text);
    CAPTURE(static_cast<int>(kind));
    generator g(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) fill(entries[i].data, entries[i].size, g, kind);
    const judge<T> right(text, kind, {inputs, inputs + count});
    std::vector<T> before(static_cast<std::size_t>(right.size()));
    fill(before.data(), right.size(), g, kind);

    const operand_shape<max_rank> shape = result_shape(text, inputs, count, {});
    dynamic_tensor<T> y(shape), again(shape);
    const run_time_plan planned(text, inputs, count, nullptr, {});
    evaluate(text, inputs, count, shape, y.data(), {});
    right.check(y);
    planned.run(inputs, count, shape, again.data(), {});
    CHECK(same_bits(again, y));
    std::copy(before.begin(), before.end(), y.data());
    std::copy(before.begin(), before.end(), again.data());
    evaluate(text, inputs, count, shape, y.data(), {{-1}, {2}});
    right.check(y, before, -1, 2);
    check_on_named_device(text, right, inputs, count, shape);
    check_on_named_device(text, right, inputs, count, shape, before, -1, 2);
    planned.run(inputs, count, shape, again.data(), {{-1}, {2}});
    CHECK(same_bits(again, y));
    f(right, before);
  }
}

template void check_filled(std::string_view, const to_fill<float>*, const run_time_operand*, int,
                           callback<const judge<float>&, const std::vector<float>&>);
template void check_filled(std::string_view, const to_fill<double>*, const run_time_operand*, int,
                           callback<const judge<double>&, const std::vector<double>&>);

template <class T>
void check_run_time_expression(std::string_view text, const extents_list& extents) {
  for (const auto kind : {entries_kind::exact, entries_kind::random}) {
    CAPTURE(text);
    CAPTURE(static_cast<int>(kind));
    generator g(extents.size());
    std::vector<sample<T>> x;
    operand_list inputs;
    for (const auto& e : extents) x.emplace_back(e);
    for (auto& s : x) {
      s.fill(g, kind);
      inputs.push_back(seen(s));
    }
    const judge<T> right(text, kind, inputs);
    dynamic_tensor<T> y(result_shape(text, inputs.data(), static_cast<int>(inputs.size()), {}));
    const auto count = static_cast<int>(inputs.size());
    evaluate(text, inputs.data(), count, y.shape(), y.data(), {});
    right.check(y);
    check_on_named_device(text, right, inputs.data(), count, y.shape());
  }
}

template void check_run_time_expression<float>(std::string_view, const extents_list&);
template void check_run_time_expression<double>(std::string_view, const extents_list&);

template <class T>
void check_places(std::string_view text, entries_kind kind, const operand_list& inputs, T* y,
                  const run_time_operand& out, callback<alpha_factor, beta_factor> call) {
  const judge<T> right(text, kind, inputs);
  const auto count = static_cast<int>(inputs.size());
  const run_time_plan planned(text, inputs.data(), count, &out.shape, {});
  constexpr bool complex = is_complex(scalar_of<T>);
  const std::complex<double> a(-1, complex ? 2 : 0), b(2, complex ? 1 : 0);
  generator g(5);
  std::vector<T> before(static_cast<std::size_t>(right.size()));
  fill(before.data(), right.size(), g, kind);
  for (const bool keeps : {false, true}) {
    CAPTURE(keeps);
    const std::complex<double> kept = keeps ? b : 0;
    const alpha_factor alpha{a.real(), a.imag()};
    const beta_factor beta{kept.real(), kept.imag()};
    const auto run = [&](callback<> f) {
      std::fill_n(y, right.size(), not_a_number<T>());
      if (keeps) std::copy(before.begin(), before.end(), y);
      f();
      right.check(out, before, a, kept);
    };
    run([&] { call(alpha, beta); });
    run([&] { evaluate(text, inputs.data(), count, out.shape, y, {alpha, beta}); });
    run([&] { planned.run(inputs.data(), count, out.shape, y, {alpha, beta}); });
    if (cuda::device_machine* const machine = named_device())
      run([&] {
        evaluate_there(on(*machine), text, inputs.data(), count, out.shape, y, {alpha, beta});
      });
  }
}

template void check_places(std::string_view, entries_kind, const operand_list&, float*,
                           const run_time_operand&, callback<alpha_factor, beta_factor>);
template void check_places(std::string_view, entries_kind, const operand_list&, double*,
                           const run_time_operand&, callback<alpha_factor, beta_factor>);
template void check_places(std::string_view, entries_kind, const operand_list&,
                           std::complex<float>*, const run_time_operand&,
                           callback<alpha_factor, beta_factor>);
template void check_places(std::string_view, entries_kind, const operand_list&,
                           std::complex<double>*, const run_time_operand&,
                           callback<alpha_factor, beta_factor>);

}  // namespace tenfold::testing
