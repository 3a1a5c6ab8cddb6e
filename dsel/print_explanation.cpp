#include <ostream>
#include <tenfold/dsel/explained_names.hpp>
#include <tenfold/dsel/print_explanation.hpp>
#include <tenfold/dsel/print_launch.hpp>
#include <tenfold/dsel/print_reasons.hpp>

namespace tenfold {

namespace {

using namespace printing;

class printer : explained_names {
 public:
  explicit printer(const explanation_view& e, const explained_device* device = nullptr)
      : explained_names(e), device_(device) {}

  std::string run() {
    heading();
    steps();
    out_ += "\n";
    if (device_ != nullptr) {
      for (std::size_t i = 0; i < device_->launches.size(); ++i)
        out_ += printing::launch(*device_, i);
      out_ += "\n";
      totals();
      return out_;
    }
    int step = 0;
    while (is_name(step)) ++step;
    const micro_kernel first = e_.steps[step].kernel;
    out_ += first == micro_kernel::unknown ? "lanes, tiles and micro-kernels: chosen at the call\n"
                                           : reasons(e_);
    out_ += "\n";
    if (first != micro_kernel::unknown && first != micro_kernel::unrolled) out_ += loops(e_) + "\n";
    totals();
    return out_;
  }

 private:
  void subscripts() {
    for (int o = 0; o < s_.input_count; ++o) {
      if (e_.before[o] != 0) out_ += e_.before[o];
      out_ += names(e_.inputs[o]);
    }
    out_ += "->" + names(s_.result) + "\n";
  }

  void heading() {
    if (!s_.kernel.empty()) {
      for (const char c : s_.kernel) {
        if (c == ';') out_ += "\n";
        if (c != ';' && (c != ' ' || out_.empty() || out_.back() != '\n')) out_ += c;
      }
      out_ += "\n";
    } else {
      subscripts();
    }
    switch (s_.type) {
      case scalar::f32:
        out_ += "float";
        break;
      case scalar::f64:
        out_ += "double";
        break;
      case scalar::c32:
        out_ += "complex<float>";
        break;
      case scalar::c64:
        out_ += "complex<double>";
    }
    const char* separator = "; ";
    for (int l = 0; l < s_.label_count; ++l) {
      bool before = false;
      for (int k = 0; k < l; ++k) before = before || e_.extents[k] == e_.extents[l];
      if (before) continue;
      for (int k = l; k < s_.label_count; ++k) {
        if (e_.extents[k] != e_.extents[l]) continue;
        out_ += separator + name(k);
        separator = " = ";
      }
      out_ += " = " + (e_.extents[l] == dyn ? "dyn" : std::to_string(e_.extents[l]));
      separator = ", ";
    }
    if (device_ != nullptr) {
      const device_capabilities& d = device_->machine;
      out_ += format("\na GPU of architecture %d.%d, %d multiprocessors; planned ",
                     d.architecture / 10, d.architecture % 10, d.multiprocessors);
    } else {
      out_ += format("\n%d lanes, %d registers; planned ", s_.machine.lanes(s_.type),
                     s_.machine.registers);
    }
    switch (s_.when) {
      case planned::by_the_compiler:
        out_ += "by the compiler";
        break;
      case planned::at_the_call_for_text:
        out_ += "at the call: the subscripts are a string";
        break;
      case planned::at_the_call_for_shape:
        out_ += "at the call: extents or strides that shape the code are in no type";
    }
    out_ += "\n\n";
  }

  /// m x n x k, and how often.
  std::string gemm(const explained_step& e) const {
    if (e.m_extent == 1 && e.n_extent == 1 && e.k_extent == 1) return show(e.batch_extent);
    const std::string one = show(e.m_extent) + " x " + show(e.n_extent) + " x " + show(e.k_extent);
    return e.batch_extent == 1 ? one : show(e.batch_extent) + " of " + one;
  }

  void steps() {
    std::vector<row> rows{{"result", "A", "B", "batch", "M", "N", "K", "m x n x k",
                           device_ == nullptr ? "micro-kernel" : "where", "flops", "bytes",
                           "fl/B"}};
    for (int s = 0; s < s_.step_count; ++s) {
      const explained_step& e = e_.steps[s];
      if (is_name(s)) continue;
      const char* writes = e.adds_to >= 0 ? (e.sign < 0 ? " -=" : " +=") : e.sign < 0 ? " = -" : "";
      rows.push_back({with_labels(e.c.value) + writes, with_labels(e.a.value),
                      e.b.value < 0 ? "-" : with_labels(e.b.value), names(e.batch), names(e.m),
                      names(e.n), names(e.k), gemm(e),
                      device_ == nullptr ? micro_kernel_of(e) : launches_of(s), show(e.flops),
                      show_number(e.bytes), e.intensity > 0 ? ratio(e.intensity) : "-"});
    }
    out_ += aligned(rows, "<<<<<<<<<>>>");
  }

  /// The launches that do the work of a step.
  std::string launches_of(int step) const {
    std::string text;
    for (std::size_t i = 0; i < device_->launches.size(); ++i) {
      if ((device_->launches[i].plan_steps >> step & 1) != 0)
        text += (text.empty() ? "launch " : ", ") + std::to_string(i + 1);
    }
    return text.empty() ? "none" : text;
  }

  std::string micro_kernel_of(const explained_step& e) const {
    switch (e.kernel) {
      case micro_kernel::renamed:
        break;
      case micro_kernel::unknown:
        return "at the call";
      case micro_kernel::unrolled:
        return "unrolled";
      case micro_kernel::conversion:
        return "conversion";
      case micro_kernel::together:
        return "together";
      case micro_kernel::register_tile:
        return format("tile %dx%d", e.rows, e.columns);
      case micro_kernel::gemm_by_columns:
      case micro_kernel::gemm_by_lanes:
        return format("gemm %dx%d", e.rows, e.columns);
      case micro_kernel::blocked:
        return format("blocked %dx%d", e.rows, e.columns);
      case micro_kernel::pointwise:
        return "pointwise";
      case micro_kernel::reduce:
        return "reduce";
      case micro_kernel::even_odd:
        return format("even-odd %dx%d", e.rows, e.columns);
      case micro_kernel::sandwich:
        return format("%s %dx%d", e.in_halves ? "halved sandwich" : "sandwich", e.rows, e.columns);
    }
    return "";
  }

  void totals() {
    std::vector<row> rows;
    std::string naive = show_number(s_.naive_flops) + " in one loop nest";
    if (s_.flops.count == 1 && s_.naive_flops.count == 1 &&
        s_.flops.unknown() == s_.naive_flops.unknown()) {
      const double times = s_.naive_flops.terms[0].factor / s_.flops.terms[0].factor;
      naive += times == 1 ? ": the same" : ": " + ratio(times) + " times as many";
    }
    amount traffic = s_.input_bytes;
    traffic.add(s_.output_bytes);
    rows.push_back({"flops", show_number(s_.flops), naive});
    rows.push_back({"bytes", show_number(traffic),
                    "inputs " + show_number(s_.input_bytes) + ", output " +
                        show_number(s_.output_bytes) + "; each once: the least traffic"});
    rows.push_back({"flops/byte", s_.intensity > 0 ? ratio(s_.intensity) : "-",
                    "a machine that does more flops per byte is memory-bound"});
    if (device_ != nullptr) {
      double seconds = 0;
      for (const explained_launch& x : device_->launches)
        seconds += static_cast<double>(x.times) * x.seconds();
      rows.push_back({"workspace", in_bytes(static_cast<double>(device_->workspace_bytes)),
                      "what crosses launches, reused on one stream"});
      rows.push_back({"time", in_seconds(seconds),
                      "at best: the sum of what bounds each launch, without starting it"});
      out_ += aligned(rows, "<><");
      return;
    }
    if (e_.steps[0].kernel != micro_kernel::unknown) {
      rows.push_back({"scratch", in_bytes(static_cast<double>(s_.scratch_bytes)),
                      "per thread, reused; the L1 cache holds " +
                          in_bytes(static_cast<double>(s_.machine.l1_bytes))});
      rows.push_back({"workspace", in_bytes(static_cast<double>(s_.workspace_bytes)),
                      "what crosses phases, reused"});
    }
    rows.push_back(
        {"allocations", s_.allocations < 0 ? "at the call" : std::to_string(s_.allocations),
         s_.allocations < 0    ? "planning allocates as it needs; calls like it find the plan"
         : s_.allocations == 0 ? "per call"
                               : "per call, for what is too large to keep"});
    out_ += aligned(rows, "<><");
  }

  const explained_device* device_;
  std::string out_;
};

}  // namespace

std::string to_string(const explanation_view& e) { return printer(e).run(); }
std::string to_string(const explanation_view& e, const explained_device& on) {
  return printer(e, &on).run();
}

std::ostream& operator<<(std::ostream& out, const explanation_view& e) {
  return out << to_string(e);
}

}  // namespace tenfold
