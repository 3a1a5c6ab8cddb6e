#include <doctest/doctest.h>

#include <device_compiler.hpp>
#include <tenfold/dsel/fuse.hpp>
#include <tenfold/dsel/on_device.hpp>
#include <tenfold/tensor/reflection.hpp>
#include <vector>

// Registers of the fused kernels of finite elements.
// Labels: e element; i j k and l m n nodes; a b f and q r s points; c d directions.

namespace tenfold::testing {
namespace {

using labels::a, labels::b, labels::c, labels::d, labels::e, labels::f, labels::i, labels::j,
    labels::k, labels::l, labels::m, labels::n, labels::q, labels::r, labels::s;

constexpr input<"u"> u;
constexpr input<"B"> B;
constexpr input<"H"> H;
constexpr input<"I"> I;
constexpr input<"D"> D;
constexpr local<"value"> value;
constexpr local<"gradient"> gradient;
constexpr local<"flux"> flux;
constexpr local<"residual"> residual;
constexpr output<"v"> v;

constexpr auto X = along<0>(H, I);
constexpr auto Y = along<1>(H, I);
constexpr auto Z = along<2>(H, I);

constexpr auto mass = fuse(e)(v(e, l, m, n) = B(q, l) * B(r, m) * B(s, n) * D(e, q, r, s) *
                                              B(q, i) * B(r, j) * B(s, k) * u(e, i, j, k));
constexpr auto stiffness =
    fuse(e)(value(e, a, b, f) = B(a, i) * B(b, j) * B(f, k) * u(e, i, j, k),
            gradient(e, d, q, r, s) = X(d, q, a) * Y(d, r, b) * Z(d, s, f) * value(e, a, b, f),
            flux(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * gradient(e, d, q, r, s),
            residual(e, a, b, f) = X(c, q, a) * Y(c, r, b) * Z(c, s, f) * flux(e, c, q, r, s),
            v(e, l, m, n) = B(a, l) * B(b, m) * B(f, n) * residual(e, a, b, f));
constexpr auto collocated =
    fuse(e)(gradient(e, d, q, r, s) = X(d, q, i) * Y(d, r, j) * Z(d, s, k) * u(e, i, j, k),
            flux(e, c, q, r, s) = symmetric(D)(e, c, d, q, r, s) * gradient(e, d, q, r, s),
            v(e, l, m, n) = X(c, q, l) * Y(c, r, m) * Z(c, s, n) * flux(e, c, q, r, s));

/// Compiles what it is asked to load, and instead of running it adds up what it spills.
class compiling_machine final : public cuda::device_machine {
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
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) noexcept override {}
  void* allocate_on_host(std::size_t) override { return nullptr; }
  void release_on_host(void*) noexcept override {}
  void copy_in(void*, const void*, std::size_t, void*) override {}
  void copy_out(void*, const void*, std::size_t, void*) override {}
  void copy_within(void*, const void*, std::size_t, void*) override {}
  void wait(void*) override {}

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
  const index P = p + 1, elements = 10'000;
  std::vector<int> all;
  const auto note = [&](auto&& run, index Q) {
    compiling_machine machine(by, of);
    const auto v_ = nowhere<double, dyn, dyn, dyn, dyn>(1, elements, P, P, P);
    const auto u_ = nowhere<const double, dyn, dyn, dyn, dyn>(2, elements, P, P, P);
    const auto B_ = reflection_symmetric(nowhere<const double, dyn, dyn>(3, Q, P));
    const auto H_ = reflection_antisymmetric(nowhere<const double, dyn, dyn>(4, Q, Q));
    run(on(machine), v_, u_, B_, H_, Q);
    const int tables = machine.launches - 1;
    all.push_back(tables <= 2 ? machine.spilled_bytes : -1);
  };
  note(
      [&](auto where, auto v_, auto u_, auto B_, auto, index Q) {
        mass(where, v = v_, u = u_, B = B_,
             D = nowhere<const double, dyn, dyn, dyn, dyn>(5, elements, Q, Q, Q));
      },
      p + 2);
  note(
      [&](auto where, auto v_, auto u_, auto B_, auto H_, index Q) {
        stiffness(where, v = v_, u = u_, B = B_, H = H_, I = identity,
                  D = nowhere<const double, dyn, 6, dyn, dyn, dyn>(5, elements, Q, Q, Q));
      },
      p + 2);
  note(
      [&](auto where, auto v_, auto u_, auto, auto H_, index Q) {
        collocated(where, v = v_, u = u_, H = H_, I = identity,
                   D = nowhere<const double, dyn, 6, dyn, dyn, dyn>(5, elements, Q, Q, Q));
      },
      p + 1);
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
