#include <tenfold/backend/interface/select.hpp>
#include <tenfold/dsel/explained_names.hpp>
#include <tenfold/dsel/print_reasons.hpp>

namespace tenfold::printing {

namespace {

class reasons_printer : explained_names {
 public:
  using explained_names::explained_names;

  std::string reasons() {
    for (int s = 0; s < s_.step_count; s = e_.steps[s].last + 1)
      if (!is_name(s)) why(s);
    return out_;
  }
  std::string loops() {
    for (int f = 0; f < s_.phase_count; ++f) phase(f);
    return out_;
  }

 private:
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
               part(e.columns, e.column_extent, "vector") +
               (e.streamed.m == 0 ? std::string()
                                  : format(", or %dx%d of what goes past the caches", e.streamed.m,
                                           e.streamed.n));
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

  std::string out_;
};

}  // namespace

std::string reasons(const explanation_view& e) { return reasons_printer(e).reasons(); }
std::string loops(const explanation_view& e) { return reasons_printer(e).loops(); }

}  // namespace tenfold::printing
