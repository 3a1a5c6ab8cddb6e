#include <doctest/doctest.h>

#include <device_compiler.hpp>
#include <fuse_problems.hpp>
#include <idle_machine.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <vector>

// Registers of the fused kernels of finite elements.

namespace tenfold::testing {
namespace {

using namespace operands;

/// v = B^T G^T D G B u along each axis, G the slopes from values at the points.
constexpr auto stiffness_kernel() {
  using labels::a, labels::b, labels::c, labels::d, labels::e, labels::f, labels::i, labels::j,
      labels::k, labels::l, labels::m, labels::n, labels::q, labels::r, labels::s;
  constexpr input<"I"> I;
  constexpr local<"value"> value;
  constexpr local<"gradient"> gradient;
  constexpr local<"flux"> flux;
  constexpr local<"residual"> residual;
  constexpr auto X = along<0>(G, I);
  constexpr auto Y = along<1>(G, I);
  constexpr auto Z = along<2>(G, I);
  return fuse(e)(value(e, a, b, f) = B(a, i) * B(b, j) * B(f, k) * u(e, i, j, k),
                 gradient(e, d, q, r, s) = X(d, q, a) * Y(d, r, b) * Z(d, s, f) * value(e, a, b, f),
                 flux(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * gradient(e, d, q, r, s),
                 residual(e, a, b, f) = X(c, q, a) * Y(c, r, b) * Z(c, s, f) * flux(e, c, q, r, s),
                 v(e, l, m, n) = B(a, l) * B(b, m) * B(f, n) * residual(e, a, b, f));
}

/// Compiles what it is asked to load, and instead of running it adds up what it spills.
class compiling_machine final : public idle_machine {
 public:
  compiling_machine(const cuda::nvrtc& by, const device_capabilities& of)
      : by_(by), capabilities_(of) {}

  const device_capabilities& capabilities() const override { return capabilities_; }
  cuda::device_function load(const std::string& text, const char*,
                             const cuda::device_use&) override {
    const cuda::device_image image = by_.compile(text, capabilities_.architecture);
    return {this, image.registers, image.spilled_bytes, this};
  }
  void launch(cuda::device_function function, const cuda::device_launch&, void**) override {
    spilled_bytes += function.spilled_bytes;
    ++launches;
  }

  int spilled_bytes = 0;
  int launches = 0;

 private:
  const cuda::nvrtc& by_;
  device_capabilities capabilities_;
};

/// What lies nowhere: number `which` of the operands, far from the others.
template <class T, index... E, class... N>
auto nowhere(std::ptrdiff_t which, N... extents) {
  return in_memory_of<device::cuda>(view<T, E...>(reinterpret_cast<T*>(which << 40), extents...));
}

/// Bytes that the operators of degree p spill, -1 if one is more than a launch, and what makes
/// halves.
std::vector<int> spilled(const cuda::nvrtc& by, const device_capabilities& of, index p) {
  const index nodes = p + 1, elements = 10'000;
  std::vector<int> all;
  const auto note = [&](index points, auto&& run) {
    compiling_machine machine(by, of);
    const auto result = nowhere<double, dyn, dyn, dyn, dyn>(1, elements, nodes, nodes, nodes);
    const auto given = nowhere<const double, dyn, dyn, dyn, dyn>(2, elements, nodes, nodes, nodes);
    const auto values = reflection_symmetric(nowhere<const double, dyn, dyn>(3, points, nodes));
    const auto slopes =
        reflection_antisymmetric(nowhere<const double, dyn, dyn>(4, points, points));
    run(on(machine), v = result, u = given, B = values, G = slopes, points);
    all.push_back(machine.launches <= 3 ? machine.spilled_bytes : -1);
  };
  const auto tensors = [&](index points) {
    return nowhere<const double, dyn, 6, dyn, dyn, dyn>(5, elements, points, points, points);
  };
  note(p + 2, [&](const auto& where, auto to, auto from, auto values, auto, index points) {
    mass_kernel()(
        where, to, from, values,
        D = nowhere<const double, dyn, dyn, dyn, dyn>(5, elements, points, points, points));
  });
  note(p + 2, [&](const auto& where, auto to, auto from, auto values, auto slopes, index points) {
    constexpr input<"I"> I;
    stiffness_kernel()(where, to, from, values, slopes, I = identity, D = tensors(points));
  });
  note(p + 1, [&](const auto& where, auto to, auto from, auto, auto slopes, index points) {
    diffusion_kernel<false>()(where, to, from, slopes, B = identity, D = tensors(points));
  });
  return all;
}

}  // namespace

TEST_CASE("operators of finite elements are one launch beside their tables and never spill") {
  const auto* const by = device_compiler();
  if (by == nullptr) return;
  for (const index p : {2, 7, 12}) {
    CAPTURE(p);
    CHECK(spilled(*by, h100_capabilities, p) == std::vector{0, 0, 0});
  }
  CHECK(spilled(*by, a100_capabilities, 8) == std::vector{0, 0, 0});
}

}  // namespace tenfold::testing
