#include <tenfold/backend/cuda/program_text.hpp>
#include <tenfold/backend/cuda/text_of.hpp>

namespace tenfold::cuda {
namespace {

const char* enumerator_of(device_memory where) {
  switch (where) {
    case device_memory::none:
      return "none";
    case device_memory::global:
      return "global";
    case device_memory::element:
      return "element";
    case device_memory::block:
      return "block";
    case device_memory::constant:
      return "constant";
    case device_memory::line:
      return "line";
  }
  return "";
}
const char* enumerator_of(device_start start) {
  switch (start) {
    case device_start::behind:
      return "behind";
    case device_start::beside:
      return "beside";
    case device_start::along:
      return "along";
  }
  return "";
}

std::string text_of(const device_operand& x) {
  std::string s = std::string("{.where = tenfold::device_memory::") + enumerator_of(x.where);
  if (x.where != device_memory::global)
    return s + number_but(0, "offset", x.offset) + number_but(0, "stretch", x.stretch) +
           number_but(0, "apart", x.apart) + "}";
  s += number("place", x.place) + number_but(0, "apart", x.apart) +
       ", .type = tenfold::scalar::" + name_of(x.type).enumerator;
  return s + mark("conjugated", x.conjugated) + mark("mapped", x.mapped) +
         mark("wide_map", x.wide_map) + "}";
}
std::string text_of(const device_loop& x) {
  return "{.extent = " + std::to_string(x.extent) + number_but(0, "a", x.a) +
         number_but(0, "b", x.b) + number_but(0, "add", x.add) + number_but(0, "to", x.to) + "}";
}
std::string text_of(const device_step& x) {
  std::string s = std::string("{.start = tenfold::device_start::") + enumerator_of(x.start);
  const auto operand = [&](const char* name, const device_operand& o) {
    if (o.where != device_memory::none) s += std::string(",\n       .") + name + " = " + text_of(o);
  };
  operand("a", x.a);
  operand("b", x.b);
  operand("add", x.add);
  operand("to", x.to);
  s += ",\n       .rows = " + text_of(x.rows) + number("row_count", x.row_count) +
       number("first_loop", x.first_loop) + number("line_loops", x.line_loops) +
       number("sum_loops", x.sum_loops) + number_but(1, "lanes", x.lanes) +
       number_but(0, "part", x.part) + number_but(0, "part_to", x.part_to) +
       number_but(1, "sign", x.sign);
  if (x.halves != reflection::none)
    s += std::string(", .halves = tenfold::reflection::") +
         (x.halves == reflection::odd ? "odd" : "even");
  return s + mark("finishes", x.finishes) + mark("scatters", x.scatters) + "}";
}
template <class X>
std::string list_of(const std::vector<X>& list) {
  std::string s = "{";
  for (const X& x : list) s += (s.size() > 1 ? ",\n      " : "\n      ") + text_of(x);
  return s + "};\n";
}

}  // namespace

std::string program_text(scalar type, const device_phase& phase) {
  const auto n = [](auto x) { return std::to_string(x); };
  const auto constant = [&](const char* of, const char* name, auto value) {
    return std::string("  static constexpr ") + of + " " + name + " = " + n(value) + ";\n";
  };
  std::string s = "// " + n(phase.steps.size()) + (phase.steps.size() == 1 ? " step" : " steps") +
                  ", " + name_of(type).words + "\n";
  s += "#include <tenfold/backend/cuda/program.device.hpp>\n";
  if (!phase.constants.empty())
    s += std::string("TENFOLD_DEVICE_CONSTANTS(") + program_constants + ", " + name_of(type).type +
         ", " + n(phase.constant_entries()) + ")\n";
  s += "struct phase {\n";
  s += std::string("  using entry = ") + name_of(type).type + ";\n";
  s += "  static constexpr tenfold::device_loop loops[] = ";
  s += list_of(phase.loops.empty() ? std::vector<device_loop>(1) : phase.loops);
  s += "  static constexpr tenfold::device_step steps[] = " + list_of(phase.steps);
  s += constant("int", "step_count", phase.steps.size()) +
       constant("int", "first_copy", phase.first_copy) +
       constant("int", "first_step", phase.first_step);
  std::string readers;
  for (const int reader : phase.last_readers) readers += n(reader) + ", ";
  s += "  static constexpr int last_readers[] = {" + readers + "-1};\n";
  s += std::string("  static constexpr bool shares = ") + (phase.shares ? "true" : "false") + ";\n";
  // The first is not named: another number of elements needs no other text.
  std::string extents = "0";
  for (int l = 1; l < phase.batch_loops; ++l) extents += ", " + n(phase.extents[l]);
  s += constant("int", "batch_loops", phase.batch_loops);
  s += "  static constexpr unsigned long long batch_extents[] = {" + extents + "};\n";
  s += constant("long long", "block_entries", phase.block_entries) +
       constant("long long", "element_entries", phase.element_entries) +
       constant("long long", "line_entries", phase.line_entries);
  s += constant("int", "threads", phase.threads) + constant("int", "elements", phase.elements) +
       constant("int", "places", phase.places.size());
  s += std::string("  static constexpr bool straight = ") + (phase.straight ? "true" : "false") +
       ";\n";
  s += std::string("  static constexpr bool skips = ") + (phase.skips ? "true" : "false") + ";\n";
  if (!phase.constants.empty())
    s += std::string("  static TENFOLD_DEVICE const entry* constants() { return ") +
         program_constants + "; }\n";
  s += "};\n";
  s += std::string("TENFOLD_DEVICE_KERNEL(") + program_entry + ", " + n(phase.threads) + ", " +
       n(phase.resident) + ", tenfold::cuda::arguments_of<phase>, x) {\n";
  return s + "  tenfold::cuda::run_phase<phase>(x);\n}\n";
}

}  // namespace tenfold::cuda
