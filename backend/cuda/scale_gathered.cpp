#include <complex>
#include <tenfold/backend/cuda/machine_memory.hpp>
#include <tenfold/backend/cuda/scale_gathered.hpp>
#include <tenfold/backend/cuda/text_of.hpp>
#include <tenfold/backend/interface/select/device_batches.hpp>

namespace tenfold::cuda {
namespace {

const char* name_of(gathered_scaling step) {
  switch (step) {
    case gathered_scaling::clear:
      return "clear";
    case gathered_scaling::keep:
      return "keep";
    case gathered_scaling::scale:
      return "scale";
  }
  return "";
}

}  // namespace

std::string scale_gathered_text(scalar type, const device_scale_gathered& g) {
  std::string s = std::string("// C := beta C where a map says, ") + name_of(type).words + "\n";
  s += "#include <tenfold/backend/cuda/scale_gathered.device.hpp>\n";
  s += std::string("using entry = ") + name_of(type).type + ";\n";
  s += "constexpr tenfold::device_scale_gathered cut{\n";
  s += std::string("    .step = tenfold::gathered_scaling::") + name_of(g.step) +
       mark("wide_map", g.wide_map) + number("threads", g.threads) + "};\n";
  s += std::string("TENFOLD_DEVICE_KERNEL(") + scale_gathered_entry + ", " +
       std::to_string(g.threads) + ", 1, tenfold::device_scaling_arguments<entry>, x) {\n";
  s += "  tenfold::cuda::scale_gathered<entry, cut>(x);\n}\n";
  return s;
}

template <class T>
void scale_gathered(device_machine& machine, const gemm_shape& shape, const gemm_arguments<T>& g,
                    void* stream) {
  if (g.beta == T(1)) return;
  // Neighbouring threads read neighbours of the map.
  const gemm_shape s = select::lies_by_columns(shape.c) ? transposed(shape) : shape;
  const index entries = g.count * s.m * s.n;
  const auto cut_of = [&](gathered_scaling step) {
    return select::device_scaling(step, g.c.wide_map);
  };
  const auto load = [&](gathered_scaling step) {
    return machine.load(scale_gathered_text(s.type, cut_of(step)), scale_gathered_entry);
  };
  const auto start = [&](device_function f, gathered_scaling step, void* kept) {
    const device_scale_gathered cut = cut_of(step);
    device_scaling_arguments<T> arguments{{g.c.data, g.c.problem, g.c.map},
                                          g.count,
                                          s.m,
                                          s.n,
                                          s.c.row,
                                          s.c.column,
                                          static_cast<T*>(kept),
                                          g.beta};
    void* list[] = {&arguments};
    machine.launch(f, {select::device_blocks(cut, entries), cut.threads, 0, stream}, list);
  };
  if (g.beta == T(0)) {
    start(load(gathered_scaling::clear), gathered_scaling::clear, nullptr);
    return;
  }
  const device_function keep = load(gathered_scaling::keep), scale = load(gathered_scaling::scale);
  const machine_memory<T> kept(machine, entries);
  start(keep, gathered_scaling::keep, kept.data());
  start(scale, gathered_scaling::scale, kept.data());
}

#define TENFOLD_SCALE_GATHERED(T) \
  template void scale_gathered(device_machine&, const gemm_shape&, const gemm_arguments<T>&, void*)
TENFOLD_SCALE_GATHERED(float);
TENFOLD_SCALE_GATHERED(double);
TENFOLD_SCALE_GATHERED(std::complex<float>);
TENFOLD_SCALE_GATHERED(std::complex<double>);
#undef TENFOLD_SCALE_GATHERED

}  // namespace tenfold::cuda
