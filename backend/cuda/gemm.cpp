#include <tenfold/backend/cuda/gemm.hpp>
#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::cuda {
namespace {

device_place on_device(const batch_place& p, const matrix_batch& x) {
  return {p.data, p.problem, p.map, x.block};
}

}  // namespace

ready_gemm prepare(device_machine& machine, const gemm_shape& s, index count, bool wide_map_a,
                   bool wide_map_b) {
  const device_capabilities& d = machine.capabilities();
  const index few = select::device_few(s, count, d);
  ready_gemm product;
  if (machine.products.find(s, wide_map_a, wide_map_b, few, product)) return product;
  const auto choice = select::device_product(s, wide_map_a, wide_map_b, d, few);
  if (!choice.possible)
    throw backend_error("tenfold: a batched product of " + std::to_string(s.m) + " x " +
                        std::to_string(s.n) + " x " + std::to_string(s.k) +
                        " cannot run on this device: " + choice.reason);
  product = {s,
             wide_map_a,
             wide_map_b,
             few,
             choice.transposed,
             choice.cut,
             machine.load(gemm_text(s.type, choice.cut), gemm_entry)};
  machine.products.keep(product);
  return product;
}

template <class T>
void gemm(device_machine& machine, const gemm_shape& s, const gemm_arguments<T>& g, void* stream) {
  if (s.m == 0 || s.n == 0 || g.count == 0) return;
  const ready_gemm product = prepare(machine, s, g.count, g.a.wide_map, g.b.wide_map);
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
                 {select::device_blocks(cut, g.count), cut.threads_of_block(),
                  static_cast<std::size_t>(shared_bytes(cut, static_cast<int>(sizeof(T)))), stream},
                 list);
}

template void gemm(device_machine&, const gemm_shape&, const gemm_arguments<float>&, void*);
template void gemm(device_machine&, const gemm_shape&, const gemm_arguments<double>&, void*);
template void gemm(device_machine&, const gemm_shape&, const gemm_arguments<std::complex<float>>&,
                   void*);
template void gemm(device_machine&, const gemm_shape&, const gemm_arguments<std::complex<double>>&,
                   void*);

}  // namespace tenfold::cuda
