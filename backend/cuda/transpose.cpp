#include <algorithm>
#include <complex>
#include <cstdint>
#include <tenfold/backend/cuda/text_of.hpp>
#include <tenfold/backend/cuda/transpose.hpp>

namespace tenfold::cuda {
namespace {

/// Whether x and y, and all rows of them, begin at multiples of 16 bytes.
template <class T>
bool are_together(const device_transpose& how, const device_transpose_arguments<T>& a) {
  const auto are_multiples = [&](const void* data, long long row, const long long* steps) {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && row % how.at_once == 0 &&
           std::all_of(steps, steps + a.loops, [&](long long s) { return s % how.at_once == 0; });
  };
  return how.at_once > 1 && are_multiples(a.x, a.x_row, a.x_steps) &&
         are_multiples(a.y, a.y_row, a.y_steps);
}

}  // namespace

std::string transpose_text(scalar type, const device_transpose& x) {
  std::string s = std::string("// entries in another order, ") + name_of(type).words + "\n";
  s += "#include <tenfold/backend/cuda/transpose.device.hpp>\n";
  s += std::string("using entry = ") + name_of(type).type + ";\n";
  s += "constexpr tenfold::device_transpose how{\n";
  s += std::string("    .from = tenfold::scalar::") + name_of(x.from).enumerator +
       ", .to = tenfold::scalar::" + name_of(x.to).enumerator + mark("conjugated", x.conjugated) +
       number_but(1, "sign", x.sign) + mark("finishes", x.finishes) + number("side", x.side) +
       number("threads", x.threads) + number("blocks", x.blocks) +
       number_but(1, "at_once", x.at_once) + "};\n";
  s += std::string("TENFOLD_DEVICE_KERNEL(") + transpose_entry + ", " + std::to_string(x.threads) +
       ", " + std::to_string(x.blocks) + ", tenfold::device_transpose_arguments<entry>, x) {\n";
  return s + "  tenfold::cuda::transpose<entry, how>(x);\n}\n";
}

template <class T>
void transpose(device_machine& machine, device_function f, const device_transpose& how, index parts,
               device_transpose_arguments<T> x, void* stream) {
  x.together = are_together(how, x);
  void* list[] = {&x};
  machine.launch(f,
                 {std::min<index>(parts, device_most_blocks), how.threads,
                  static_cast<std::size_t>(device_transpose_bytes(how, sizeof(T))), stream},
                 list);
}

#define TENFOLD_TRANSPOSE(T)                                                                \
  template void transpose(device_machine&, device_function, const device_transpose&, index, \
                          device_transpose_arguments<T>, void*)
TENFOLD_TRANSPOSE(float);
TENFOLD_TRANSPOSE(double);
TENFOLD_TRANSPOSE(std::complex<float>);
TENFOLD_TRANSPOSE(std::complex<double>);
#undef TENFOLD_TRANSPOSE

}  // namespace tenfold::cuda
