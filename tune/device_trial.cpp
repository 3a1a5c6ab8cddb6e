#include "device_trial.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/reference/gemm.hpp>
#include <vector>

namespace tenfold::tune {

gemm_shape shape_of(const tuned_product& p) {
  const auto matrix = [](index columns, bool shared) {
    matrix_batch x;
    x.row = columns;
    x.column = 1;
    x.shared = shared;
    return x;
  };
  return {
      p.type, p.m, p.n, p.k, matrix(p.k, p.shared_a), matrix(p.n, p.shared_b), matrix(p.n, false)};
}

device_arena::device_arena(const device_queue& where, std::size_t bytes)
    : where_(where),
      bytes_(bytes),
      numbers_(where, bytes / sizeof(double)),
      results_(where, bytes / sizeof(double)) {}

template <class R>
const R* device_arena::numbers() {
  auto* const there = reinterpret_cast<char*>(numbers_.data());
  if (filled_ != scalar_of<R>) {
    // Copied again and again; of an odd length, so that hardly two problems are alike.
    std::vector<R> some((1 << 20) - 3);
    std::uint64_t z = 1;
    for (R& x : some) {
      z = z * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
      const double size = 0.0625 + 0.9375 * static_cast<double>(z >> 12) * 0x1p-52;
      x = static_cast<R>((z >> 11 & 1) != 0 ? size : -size);
    }
    const std::size_t piece = some.size() * sizeof(R);
    for (std::size_t at = 0; at < bytes_; at += piece)
      where_.machine->copy_in(there + at, some.data(), std::min(piece, bytes_ - at), where_.stream);
    where_.wait();
    filled_ = scalar_of<R>;
  }
  return reinterpret_cast<const R*>(there);
}

namespace {

template <class T>
class typed_device_trial final : public device_trial {
  using R = real_type<T>;
  static constexpr index reals = is_complex(scalar_of<T>) ? 2 : 1;

 public:
  typed_device_trial(const tuned_product& p, device_arena& memory)
      : where_(memory.where()), shape_(shape_of(p)) {
    const index a = p.m * p.k, b = p.k * p.n, c = p.m * p.n;
    constexpr index line = 256 / sizeof(T);
    const auto lines = [](index entries) { return (entries + line - 1) / line * line; };
    // What is read and what is written has each its part of the memory, A and B one together.
    const index entries = static_cast<index>(memory.bytes() / sizeof(T)) - 2 * line;
    const index once = (p.shared_a ? a : 0) + (p.shared_b ? b : 0);
    const index each = (p.shared_a ? 0 : a) + (p.shared_b ? 0 : b) + c;
    arguments_.count = std::max<index>((entries - once) / each, 1);
    const index all_a = p.shared_a ? a : arguments_.count * a;
    const auto* const numbers = reinterpret_cast<const T*>(memory.numbers<R>());
    arguments_.a = {numbers, p.shared_a ? 0 : a};
    arguments_.b = {numbers + lines(all_a), p.shared_b ? 0 : b};
    arguments_.c = {memory.results(), c};
    bytes_ = static_cast<double>(sizeof(T)) * static_cast<double>(once + arguments_.count * each);
    // Some milliseconds of the reference, and an odd number, which no cut divides.
    const auto some = static_cast<index>(2e6 / flops_of(shape_)) | 1;
    checked_ = std::min(arguments_.count, std::clamp<index>(some, 67, 65537));
  }

  void run(const cuda::ready_gemm& by) override {
    cuda::launch(*where_.machine, by, arguments_, where_.stream);
  }

  bool is_right(const cuda::ready_gemm& by) override {
    if (right_.empty()) right_ = expected(0, checked_);
    return are_right(results(by, checked_).data(), right_);
  }

  bool agrees(const cuda::ready_gemm& by, const cuda::ready_gemm& with) override {
    const std::vector<R> got = results(by, arguments_.count),
                         known = results(with, arguments_.count);
    const index some = std::min<index>(arguments_.count, 67);
    for (const index first : {index{0}, (arguments_.count - some) / 2, arguments_.count - some}) {
      if (!are_right(got.data() + first * reals_of_result(), expected(first, some))) return false;
    }
    const R allowed =
        static_cast<R>(4 * (shape_.k + 2) * shape_.k * reals) * std::numeric_limits<R>::epsilon();
    return std::equal(got.begin(), got.end(), known.begin(),
                      [&](R x, R y) { return std::fabs(x - y) <= allowed; });
  }

  double bytes() const override { return bytes_; }

 private:
  struct right_value {
    long double value, allowed;
  };

  /// The first `count` results, which were NaN before.
  std::vector<R> results(const cuda::ready_gemm& by, index count) {
    std::vector<R> c(static_cast<std::size_t>(count * reals_of_result()),
                     std::numeric_limits<R>::quiet_NaN());
    auto* const there = const_cast<void*>(arguments_.c.data);
    cuda::device_machine& on = *where_.machine;
    on.copy_in(there, c.data(), c.size() * sizeof(R), where_.stream);
    gemm_arguments<T> g = arguments_;
    g.count = count;
    cuda::launch(on, by, g, where_.stream);
    on.copy_out(c.data(), there, c.size() * sizeof(R), where_.stream);
    where_.wait();
    return c;
  }

  index reals_of_result() const { return shape_.m * shape_.n * reals; }

  static bool are_right(const R* got, const std::vector<right_value>& right) {
    return std::all_of(right.begin(), right.end(), [&](const right_value& x) {
      return std::fabs(static_cast<long double>(*got++) - x.value) <= x.allowed;
    });
  }

  /// The results of some problems, from `first` on, by the reference.
  std::vector<right_value> expected(index first, index problems) const {
    const auto fetched = [&](const batch_place& x, const matrix_batch& how, index entries) {
      std::vector<T> here(static_cast<std::size_t>(entries * (how.shared ? 1 : problems)));
      where_.machine->copy_out(here.data(), static_cast<const T*>(x.data) + first * x.problem,
                               here.size() * sizeof(T), where_.stream);
      where_.wait();
      return here;
    };
    const std::vector<T> a = fetched(arguments_.a, shape_.a, shape_.m * shape_.k),
                         b = fetched(arguments_.b, shape_.b, shape_.k * shape_.n);
    std::vector<T> c(static_cast<std::size_t>(problems * shape_.m * shape_.n));
    gemm_arguments<T> here = arguments_;
    here.a.data = a.data();
    here.b.data = b.data();
    here.c.data = c.data();
    here.count = problems;
    std::vector<right_value> right;
    for (const auto& e : reference::gemm(shape_, here)) {
      const long double allowed = 2 * static_cast<long double>(shape_.k + 2) *
                                  std::numeric_limits<R>::epsilon() * e.magnitude;
      if constexpr (reals == 2) {
        right.push_back({e.value.real(), allowed});
        right.push_back({e.value.imag(), allowed});
      } else {
        right.push_back({e.value, allowed});
      }
    }
    return right;
  }

  device_queue where_;
  gemm_shape shape_;
  gemm_arguments<T> arguments_;
  double bytes_ = 0;
  index checked_ = 0;  ///< problems of the small batch
  std::vector<right_value> right_;
};

}  // namespace

std::unique_ptr<device_trial> make_device_trial(const tuned_product& p, device_arena& memory) {
  switch (p.type) {
    case scalar::f32:
      return std::make_unique<typed_device_trial<float>>(p, memory);
    case scalar::f64:
      return std::make_unique<typed_device_trial<double>>(p, memory);
    case scalar::c32:
      return std::make_unique<typed_device_trial<std::complex<float>>>(p, memory);
    case scalar::c64:
      break;
  }
  return std::make_unique<typed_device_trial<std::complex<double>>>(p, memory);
}

}  // namespace tenfold::tune
