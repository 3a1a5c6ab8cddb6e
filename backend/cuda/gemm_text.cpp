#include <tenfold/backend/cuda/gemm_text.hpp>
#include <tenfold/backend/cuda/text_of.hpp>

namespace tenfold::cuda {
namespace {

const char* name_of(batch_layout layout) {
  switch (layout) {
    case batch_layout::strided:
      return "strided";
    case batch_layout::interleaved:
      return "interleaved";
    case batch_layout::pointers:
      return "pointers";
    case batch_layout::gathered:
      return "gathered";
  }
  return "";
}

std::string text_of(const device_matrix& x) {
  std::string s = std::string("{.layout = tenfold::batch_layout::") + name_of(x.layout);
  s += number("row", x.row) + number("column", x.column);
  if (x.layout == batch_layout::interleaved) s += number("block", x.block);
  s += mark("shared", x.shared) + mark("conjugated", x.conjugated);
  s += mark("wide_map", x.wide_map) + mark("staged", x.staged);
  if (x.staged) s += number("pitch", x.pitch) + number("apart", x.apart);
  if (x.run != device_run::row)
    s += std::string(", .run = tenfold::device_run::") +
         (x.run == device_run::matrix ? "matrix" : "group");
  if (x.bytes > 0) s += number("bytes", x.bytes);
  return s + "}";
}

}  // namespace

std::string gemm_text(scalar type, const device_gemm& g) {
  const auto n = [](int x) { return std::to_string(x); };
  std::string s;
  s += "// C(b) := alpha A(b) B(b) + beta C(b), " + n(g.m) + " x " + n(g.n) + " x " + n(g.k) + ", ";
  s += std::string(name_of(type).words) + "\n";
  s += "#include <tenfold/backend/cuda/gemm.device.hpp>\n";
  s += std::string("using entry = ") + name_of(type).type + ";\n";
  s += "constexpr tenfold::device_gemm cut{\n";
  s += "    .m = " + n(g.m) + ", .n = " + n(g.n) + ", .k = " + n(g.k) + ",\n";
  s += "    .a = " + text_of(g.a) + ",\n";
  s += "    .b = " + text_of(g.b) + ",\n";
  s += "    .c = " + text_of(g.c) + ",\n";
  s += "    .rows = " + n(g.rows) + ", .columns = " + n(g.columns) +
       ", .thread_rows = " + n(g.thread_rows) + ", .thread_columns = " + n(g.thread_columns) +
       ", .panel = " + n(g.panel) + ", .together = " + n(g.together) +
       ", .unroll = " + n(g.unroll) + ", .buffers = " + n(g.buffers) + ",\n";
  s += std::string("    .scope = tenfold::device_scope::") +
       (g.scope == device_scope::warp ? "warp" : "block") + ", .threads = " + n(g.threads) +
       ", .problems = " + n(g.problems) + ", .groups = " + n(g.groups) + "};\n";
  s += std::string("TENFOLD_DEVICE_KERNEL(") + gemm_entry + ", " + n(g.threads_of_block()) +
       ", 1, tenfold::device_gemm_arguments<entry>, x) {\n";
  s += "  tenfold::cuda::gemm<entry, cut>(x);\n}\n";
  return s;
}

}  // namespace tenfold::cuda
