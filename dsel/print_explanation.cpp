#include <ostream>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/dsel/print_explanation.hpp>
#include <tenfold/dsel/print_launch.hpp>
#include <tenfold/dsel/print_text.hpp>

namespace tenfold {

namespace {

using namespace printing;

class printer {
 public:
  explicit printer(const explanation_view& e, const explained_device* device = nullptr)
      : e_(e), s_(*e.summary), device_(device) {}

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
    if (first == micro_kernel::unknown) {
      out_ += "lanes, tiles and micro-kernels: chosen at the call\n";
    } else {
      for (int s = 0; s < s_.step_count; s = e_.steps[s].last + 1)
        if (!is_name(s)) why(s);
    }
    out_ += "\n";
    if (first != micro_kernel::unknown && first != micro_kernel::unrolled) {
      for (int f = 0; f < s_.phase_count; ++f) phase(f);
      out_ += "\n";
    }
    totals();
    return out_;
  }

 private:
  // --- names ---------------------------------------------------------------------------------

  std::string name(int label) const {
    const label_text& t = e_.names[label];
    const std::string text(t.text, static_cast<std::size_t>(t.length));
    return t.length == 1 ? text : "[" + text + "]";
  }
  /// A label and those that were merged into it, outermost first.
  std::string merged(int label) const {
    const int outside = e_.outside[label];
    return (outside == 0 ? "" : merged(outside - 1)) + name(label);
  }
  std::string names(const label_order& order) const {
    std::string text;
    for (int i = 0; i < order.count; ++i) text += name(e_.orders[order.begin + i]);
    return text;
  }
  std::string names(label_set labels) const {
    std::string text;
    for (int l = 0; l < s_.label_count; ++l) {
      if (contains(labels, l)) text += name(l);
    }
    return text.empty() ? "-" : text;
  }
  /// Whether the result of a step is another value under other labels, and nothing is done for it.
  bool is_name(int step) const { return e_.steps[step].kernel == micro_kernel::renamed; }
  /// An input by its position, the result of a step as t1, t2, ..., out.
  std::string value(int v) const {
    if (v >= s_.input_count) {
      const int step = v - s_.input_count;
      return is_name(step) ? value(e_.steps[step].a.value) : result(step);
    }
    if (s_.kernel.empty()) return std::to_string(v);
    const explained_input& from = e_.sources[v];
    return std::string(from.name) + (from.slice < 0 ? "" : "[" + std::to_string(from.slice) + "]");
  }
  /// The terms of a sum are one value.
  std::string result(int step) const {
    for (int s = step + 1; s < s_.step_count; ++s) {
      if (e_.steps[s].adds_to == s_.input_count + step) return result(s);
    }
    return step + 1 == s_.step_count ? "out" : "t" + std::to_string(step + 1);
  }
  std::string results(int first, int last) const {
    const std::string from = result(first), to = result(last);
    return from == to ? to : from + "-" + to;
  }
  std::string with_labels(int v) const {
    const label_order& order =
        v < s_.input_count ? e_.inputs[v] : e_.steps[v - s_.input_count].order;
    const std::string labels = names(order);
    return value(v) + (labels.empty() ? "" : " " + labels);
  }

  std::string unknown_of(label_set labels) const {
    std::string text;
    for (int l = 0; l < s_.label_count; ++l) {
      if (contains(labels, l)) (text += ' ') += name(l);
    }
    return text;
  }
  /// 25 e
  std::string show(const monomial& m) const {
    if (m.unknown == 0 || m.factor != 1) return number(m.factor) + unknown_of(m.unknown);
    return unknown_of(m.unknown).substr(1);
  }
  /// 1200 + 3736 e
  template <class F>
  std::string show(const amount& a, F unit) const {
    std::string text;
    for (int t = 0; t < a.count; ++t) {
      text += (t > 0 ? " + " : "") + unit(a.terms[t].factor) + unknown_of(a.terms[t].unknown);
    }
    if (!a.complete) text += " + ...";
    return text.empty() ? unit(0) : text;
  }
  std::string show_number(const amount& a) const {
    return show(a, [](double x) { return number(x); });
  }

  // --- parts ---------------------------------------------------------------------------------

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

  std::string how(const explained_operand& x, bool result) const {
    const std::string who = value(x.value);
    switch (x.how) {
      case reach::unknown:
        return "";
      case reach::in_place:
        return who + (result ? " written in place" : " read in place");
      case reach::broadcast:
        return who + " broadcast";
      case reach::scratch:
        return who + " in scratch";
      case reach::registers:
        return "";
      case reach::mapped:
        return who + (result ? " scattered and added" : " gathered") + " through its map";
      case reach::panels:
        return who + " packed into panels";
      case reach::packed:
        return who + (result ? " unpacked: " : " packed: ") +
               (x.apart == 1 ? "the last vector is not full"
                             : "lanes lie " + std::to_string(x.apart) + " apart");
    }
    return "";
  }

  /// One paragraph: how the operands are reached, and why this micro-kernel.
  void why(int first) {
    const explained_step& e = e_.steps[first];
    std::string reached;
    for (int s = first; s <= e.last; ++s) {
      const explained_step& part = e_.steps[s];
      for (const explained_operand* x : {&part.a, &part.b, &part.c}) {
        const std::string text = x->value < 0 ? "" : how(*x, x == &part.c);
        if (!text.empty()) reached += (reached.empty() ? "" : "; ") + text;
      }
    }
    const std::string indent(7, ' ');
    std::string head = results(first, e.last);
    head.resize(head.size() < indent.size() ? indent.size() : head.size() + 1, ' ');
    out_ += head;
    out_ += reached + "\n";
    out_ += indent + reason(e) + "\n";
    for (int s = first; s <= e.last; ++s) {
      if (e_.steps[s].workspace_bytes > 0) {
        out_ += indent + value(e_.steps[s].c.value) +
                " crosses phases: " + in_bytes(static_cast<double>(e_.steps[s].workspace_bytes)) +
                " of workspace\n";
      }
    }
  }

  std::string reason(const explained_step& e) const {
    switch (e.kernel) {
      case micro_kernel::unknown:
      case micro_kernel::renamed:
        break;
      case micro_kernel::unrolled:
        return format("unrolled: %s flops, up to %s need no loop over tiles",
                      number(s_.flops.factor_of(0)).c_str(),
                      number(select::unrolled_work(s_.type, s_.machine)).c_str());
      case micro_kernel::conversion:
        return "conversion: other entries than the program computes with";
      case micro_kernel::together:
        return "entry by entry together: what they share stays in registers and L1";
      case micro_kernel::register_tile:
        return "tile: " + part(e.rows, e.row_extent, "row") + ", " +
               part(e.columns, e.column_extent, e.width > 1 ? "vector" : "scalar") +
               why_not_larger(e);
      case micro_kernel::gemm_by_columns:
        return "batched GEMM, lanes are columns: " + part(e.rows, e.row_extent, "row") + ", " +
               part(e.columns, e.column_extent, "vector") + why_not_larger(e);
      case micro_kernel::gemm_by_lanes:
        return "batched GEMM, lanes are problems: " + part(e.rows, e.row_extent, "row") + ", " +
               part(e.columns, e.column_extent, "column") + why_not_larger(e);
      case micro_kernel::blocked:
        return "blocked: in panels; " + std::to_string(e.blocks.m) + " rows, " +
               std::to_string(e.blocks.n) + " columns and " + std::to_string(e.blocks.k) +
               " sums at a time" +
               (e.blocks.parts == 1
                    ? ""
                    : ", sums in " + std::to_string(e.blocks.parts) + " parts side by side") +
               "; tile: " + part(e.rows, e.row_extent, "row") + ", " +
               part(e.columns, e.column_extent, "vector");
      case micro_kernel::pointwise:
        return "pointwise: tile by tile of all operands, so that each line of memory is touched "
               "once; a result that is only written goes past the caches where L3 cannot hold "
               "it and what is read";
      case micro_kernel::reduce:
        return "reduce: the lanes are terms of one sum, neighbours in memory" +
               (e.blocks.parts == 1
                    ? std::string()
                    : "; " + std::to_string(e.blocks.parts) + " parts side by side");
      case micro_kernel::even_odd:
        return "even-odd: the matrix is declared symmetric under reflection and applied in halves";
      case micro_kernel::sandwich:
        return format(
            "%ssandwich: one axis there, entry by entry, and back, in registers and L1; no side is "
            "over %d",
            e.in_halves ? "even-odd " : "", static_cast<int>(select::sandwich_extent));
    }
    return "";
  }
  static std::string why_not_larger(const explained_step& e) {
    return e.why == select::tile_reason::no_more ? ""
                                                 : std::string("; ") + select::sentence_of(e.why);
  }
  static std::string part(int taken, index all, const char* what) {
    if (all == 1) return std::string("1 ") + what;
    return (taken == all ? "all" : std::to_string(taken) + " of") + " " + std::to_string(all) +
           " " + what + "s";
  }

  /// One loop over tiles: where its lanes come from and why, how it is cut into tasks.
  void phase(int f) {
    const explained_phase& p = e_.phases[f];
    std::string text = format("phase %d: ", f + 1);
    if (p.halved > 0) {
      out_ += text + (p.halved == 1 ? "the halves of a matrix" : "the halves of matrices") +
              ", once for all tiles\n";
      return;
    }
    const std::string indent(text.size(), ' ');
    bool first = true;
    for (int s = 0; s < s_.step_count; ++s) {
      if (!contains(p.steps, s)) continue;
      int last = s;
      while (last + 1 < s_.step_count && contains(p.steps, last + 1)) ++last;
      text += (first ? "" : ", ") + results(s, last);
      first = false;
      s = last;
    }
    if (p.lane >= 0) {
      text += format("; lanes from %s, %d in a tile", merged(p.lane).c_str(), p.width * p.vectors);
    } else {
      text += "; no lanes";
    }
    if (p.tiles.count > 0) text += "; tile loops " + names(p.tiles);
    if (p.remainder) {
      text += p.partial    ? "; takes the rest, packed"
              : p.overlaps ? "; takes the rest, drawn back to a full vector"
                           : "; takes the rest";
    }
    out_ += text + "\n";
    if (p.remainder) return;
    if (p.scalar_cost > 0) out_ += indent + costs(p) + "\n";
    if (p.lane < 0 && p.tiles.count == 0) return;
    out_ += indent + "a tile: " + number(p.tile_flops) + " flops; a task: " + number(p.task_tiles) +
            (p.task_tiles == 1 ? " tile" : " tiles") +
            " or more; scratch: " + in_bytes(static_cast<double>(p.scratch_bytes)) + "\n";
    for (int i = 0; i < p.slab_count; ++i) {
      const auto& x = p.in_slabs[i];
      out_ += indent + results(x.first, x.last) + " run slab by slab, " + whole(x.count) +
              " of them: what they pass on stays in L1\n";
    }
  }

  std::string costs(const explained_phase& p) const {
    const auto of = [&](double cost) { return ratio(cost / p.scalar_cost); };
    if (p.lane < 0) {
      return p.other < 0 ? "no label can give lanes"
                         : "the best lanes, from " + merged(p.other) + ", would cost " +
                               of(p.other_cost) + " of scalar code";
    }
    return "lanes from " + merged(p.lane) + " cost " + of(p.cost) + " of scalar code" +
           (p.scalar_possible ? "" : ", which unknown extents forbid") +
           (p.other < 0 ? ""
                        : "; from the next best, " + merged(p.other) + ", " + of(p.other_cost));
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

  const explanation_view& e_;
  const explanation_summary& s_;
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
