#include <algorithm>
#include <cstdint>
#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/cuda/scale_gathered.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <tenfold/backend/interface/select/library_products.hpp>
#include <tenfold/tensor/error.hpp>
#include <utility>
#include <vector>

namespace tenfold::cuda {
namespace {

device_place on_device(const batch_place& p, const matrix_batch& x) {
  return {p.data, p.problem, p.map, x.block};
}

/// The largest power of two up to 16 that divides x.
int alignment_of(std::uintptr_t x) {
  int bytes = 1;
  while (bytes < 16 && x % (2 * static_cast<unsigned>(bytes)) == 0) bytes *= 2;
  return bytes;
}
batch_alignment alignment_of(const batch_place& p, const matrix_batch& x, index entries,
                             index bytes) {
  if (x.layout != batch_layout::strided) return {};
  return {alignment_of(reinterpret_cast<std::uintptr_t>(p.data)),
          x.shared || p.problem == entries
              ? 0
              : alignment_of(static_cast<std::uintptr_t>(p.problem * bytes))};
}
template <class T>
gemm_alignment alignment_of(const gemm_shape& s, const gemm_arguments<T>& g) {
  const auto bytes = static_cast<index>(bytes_of(s.type));
  return {alignment_of(g.a, s.a, s.m * s.k, bytes), alignment_of(g.b, s.b, s.k * s.n, bytes),
          alignment_of(g.c, s.c, s.m * s.n, bytes)};
}

bool is_empty(const gemm_shape& s, index count) { return s.m == 0 || s.n == 0 || count == 0; }

/// A product as the machine's library takes it; not possible: it does not take it, or is not there.
/// The factors are those of `g`.
template <class T>
library_call library_call_of(device_machine& machine, const gemm_shape& s,
                             const gemm_arguments<T>& g, const gemm_alignment& alignment) {
  // The library may read A and B all the same.
  if (g.alpha == T(0)) return {};
  batch_place a = g.a, b = g.b;
  if (s.a.shared) a.problem = 0;
  if (s.b.shared) b.problem = 0;
  const library_product product =
      select::library_product_of(s, std::min({a.problem, b.problem, g.c.problem}), alignment);
  if (!product.possible || !machine.has_library()) return {};
  if (product.transposed) std::swap(a, b);
  return {product, {a, b, g.c, g.count, &g.alpha, &g.beta}};
}

}  // namespace

ready_gemm prepare(device_machine& machine, const gemm_shape& s, index count, const wide_maps& wide,
                   const gemm_alignment& alignment) {
  const device_capabilities& d = machine.capabilities();
  const index few = select::device_few(s, count, d);
  ready_gemm product;
  if (machine.products.find(s, wide, few, alignment, product)) return product;
  const auto choice = select::device_product(s, d, wide, few, alignment, machine.tunings);
  if (!choice.possible)
    throw backend_error("tenfold: a batched product of " + std::to_string(s.m) + " x " +
                        std::to_string(s.n) + " x " + std::to_string(s.k) +
                        " cannot run on this device: " + choice.reason);
  const device_function f = machine.load(gemm_text(s.type, choice.cut), gemm_entry);
  product = {s, wide, few, alignment, choice.transposed, choice.cut, f};
  machine.products.keep(product);
  return product;
}

template <class T>
void launch(device_machine& machine, const ready_gemm& product, const gemm_arguments<T>& g,
            void* stream) {
  const gemm_shape& s = product.shape;
  const gemm_shape turned = product.transposed ? transposed(s) : s;
  const gemm_arguments<T> places = product.transposed ? transposed(g) : g;
  device_gemm_arguments<T> arguments{on_device(places.a, turned.a),
                                     on_device(places.b, turned.b),
                                     on_device(places.c, turned.c),
                                     g.count,
                                     g.alpha,
                                     g.beta};
  void* list[] = {&arguments};
  const device_gemm& cut = product.cut;
  machine.launch(product.function,
                 {select::device_blocks(cut, s.type, g.count, machine.capabilities(),
                                        product.function.registers),
                  cut.threads_of_block(),
                  static_cast<std::size_t>(shared_bytes(cut, static_cast<int>(sizeof(T)))), stream},
                 list);
}

template <class T>
void gemm(device_machine& machine, const gemm_shape& s, const gemm_arguments<T>& g, void* stream) {
  if (is_empty(s, g.count)) return;
  const bool adds = s.c.layout == batch_layout::gathered;
  if (adds && (s.k == 0 || g.alpha == T(0))) return scale_gathered(machine, s, g, stream);
  const gemm_alignment alignment = alignment_of(s, g);
  const library_call call = library_call_of(machine, s, g, alignment);
  if (call.product.possible) return machine.multiply({&call, 1}, stream);
  const ready_gemm product =
      prepare(machine, s, g.count, {g.a.wide_map, g.b.wide_map, g.c.wide_map}, alignment);
  if (adds) scale_gathered(machine, s, g, stream);
  launch(machine, product, g, stream);
}

template <class T>
void gemm(device_machine& machine, std::span<const gemm_call<T>> calls, void* stream) {
  std::vector<library_call> together;
  const auto multiply = [&] {
    if (!together.empty()) machine.multiply(together, stream);
    together.clear();
  };
  for (const auto& [s, g] : calls) {
    if (is_empty(s, g.count)) continue;
    const library_call call = library_call_of(machine, s, g, alignment_of(s, g));
    if (!together.empty() && !select::library_joins(together.back(), call, machine.capabilities()))
      multiply();
    if (call.product.possible)
      together.push_back(call);
    else
      gemm(machine, s, g, stream);
  }
  multiply();
}

#define TENFOLD_GEMM_BY_MACHINE(T)                                                         \
  template void gemm(device_machine&, const gemm_shape&, const gemm_arguments<T>&, void*); \
  template void gemm(device_machine&, std::span<const gemm_call<T>>, void*);               \
  template void launch(device_machine&, const ready_gemm&, const gemm_arguments<T>&, void*)
TENFOLD_GEMM_BY_MACHINE(float);
TENFOLD_GEMM_BY_MACHINE(double);
TENFOLD_GEMM_BY_MACHINE(std::complex<float>);
TENFOLD_GEMM_BY_MACHINE(std::complex<double>);
#undef TENFOLD_GEMM_BY_MACHINE

}  // namespace tenfold::cuda
