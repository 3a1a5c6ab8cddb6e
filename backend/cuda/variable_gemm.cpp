#include <cassert>
#include <tenfold/backend/cuda/text_of.hpp>
#include <tenfold/backend/cuda/variable_gemm.hpp>
#include <tenfold/backend/interface/select/device_batches.hpp>

namespace tenfold::cuda {

std::string variable_gemm_text(scalar type, const device_variable_gemm& g) {
  const auto n = [](int x) { return std::to_string(x); };
  std::string s = std::string("// C(b) := alpha A(b) B(b) + beta C(b) of any sizes, ") +
                  name_of(type).words + "\n";
  s += "#include <tenfold/backend/cuda/variable_gemm.device.hpp>\n";
  s += std::string("using entry = ") + name_of(type).type + ";\n";
  s += "constexpr tenfold::device_variable_gemm cut{\n";
  s += "    .threads = " + n(g.threads) + ", .blocks = " + n(g.blocks) + ", .room = " + n(g.room) +
       ", .thread_rows = " + n(g.thread_rows) + ", .thread_columns = " + n(g.thread_columns) +
       ", .together = " + n(g.together) + ", .unroll = " + n(g.unroll) + "};\n";
  s += std::string("TENFOLD_DEVICE_KERNEL(") + variable_gemm_entry + ", " + n(g.threads) + ", " +
       n(g.blocks) + ", tenfold::device_variable_arguments<entry>, x) {\n";
  s += "  tenfold::cuda::variable_gemm<entry, cut>(x);\n}\n";
  return s;
}

void variable_gemm(device_machine& machine, scalar type, const device_variable_gemm& cut, int group,
                   bool by_row, const void* problems, int* codes, index count, void* stream) {
  if (count == 0) return;
  assert(0 < group && group <= variable_problems);
  const auto bytes = shared_bytes(cut, static_cast<int>(bytes_of(type)));
  device_use use;
  use.shared_bytes = [&](int) {
    return cut.blocks * (bytes + machine.capabilities().reserved_bytes);
  };
  const device_function f = machine.load(variable_gemm_text(type, cut), variable_gemm_entry, use);
  // No scalar is named here: pointers and numbers lie alike for all of them.
  device_variable_arguments<double> arguments{
      static_cast<const device_gemm_problem<double>*>(problems), codes, count, group, by_row};
  static_assert(sizeof(arguments) == sizeof(device_variable_arguments<float>));
  void* list[] = {&arguments};
  machine.launch(f,
                 {select::device_variable_blocks(group, count), cut.threads,
                  static_cast<std::size_t>(bytes), stream},
                 list);
}

void variable_gemm(device_machine& machine, scalar type, bool by_row, const void* problems,
                   int* codes, index count, index usual, void* stream) {
  const device_capabilities& d = machine.capabilities();
  const device_variable_gemm cut = select::device_variable_product(type, usual, d);
  variable_gemm(machine, type, cut, select::device_variable_group(cut, count, d), by_row, problems,
                codes, count, stream);
}

}  // namespace tenfold::cuda
