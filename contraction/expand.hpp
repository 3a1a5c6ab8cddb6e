#pragma once

#include <tenfold/contraction/diagnostic.hpp>
#include <tenfold/contraction/statements.hpp>

/// Statements + ranks -> statements without an ellipsis.
namespace tenfold {

template <limits L>
struct expand_result {
  statements<L> value{};
  label_names<L> names{};
  diagnostic error{};
};

namespace expanding {

/// Writes lists of labels anew, `hidden` ones in the place of an ellipsis, and numbers all labels
/// by first occurrence.
template <limits L>
struct writer {
  const label_names<L>& names;
  expand_result<L>& out;
  int most = 0;                   ///< labels of the longest ellipsis
  int number[L.labels + 1] = {};  ///< by old number, from 1; 0: not met yet
  int hidden[L.rank + 1] = {};    ///< of the ellipsis, outermost axis first, likewise

  constexpr void put(label_list<L.rank>& to, int slot, int& known, label_name name, int place) {
    if (out.error) return;
    if (known == 0) {
      if (out.value.label_count == L.labels) {
        out.error = {diagnosis::too_many_labels, place, name.length, {L.labels}};
        return;
      }
      out.names.name[out.value.label_count] = name;
      known = ++out.value.label_count;
    }
    if (to.count == L.rank) {
      out.error = {diagnosis::too_high_rank, place, name.length, {L.rank}};
      return;
    }
    out.names.position[slot][to.count] = place;
    to.push(known - 1);
  }

  /// `from` with the last `axes` hidden labels in front of the one at `place`.
  constexpr void write(label_list<L.rank>& to, const label_list<L.rank>& from, int place, int axes,
                       int slot) {
    to = {};
    for (int i = 0; i <= from.count; ++i) {
      const int dots = names.ellipsis[slot];
      for (int e = most - axes; i == place && e < most; ++e) {
        put(to, slot, hidden[e], {dots, 3}, dots);
      }
      if (i == from.count) break;
      put(to, slot, number[from[i]], names.name[from[i]], names.position[slot][i]);
    }
  }
};

}  // namespace expanding

/// Replaces each ellipsis by labels of its own, now that `ranks`, one for each of `count` operands,
/// tell how many axes it stands for: as many labels as the longest needs, of which a shorter one
/// takes the last (NumPy). The new labels are `stretchable`; labels are numbered anew by first
/// occurrence, so that "...ij,...j->...i" over one leading axis reads as "eij,ej->ei" does. In
/// `names` they point at the '...'. `limits_of(text, ranks, count)` gives the room.
/// Without an ellipsis: the statements as they are. Complexity: linear in the labels of all
/// factors.
template <limits L>
constexpr expand_result<L> expand(const statements<L>& said, const label_names<L>& names,
                                  const int* ranks, int count) {
  expand_result<L> out{said, names, {}};
  if (!said.has_ellipsis) return out;
  const auto fail = [&](diagnosis code, int position, std::array<index, 4> numbers) {
    out.error = {code, position, position < 0 ? 0 : 3, numbers};
    return out;
  };
  if (said.input_count != count) {
    return fail(diagnosis::operand_count, -1, {said.input_count, count});
  }

  expanding::writer<L> writer{names, out};
  const statement<L>& last = said.list[said.count - 1];
  int axes[L.operands] = {};       // that the ellipsis of each input stands for
  int longest[L.statements] = {};  // of the inputs of each statement
  for (int k = 0; k < said.count; ++k) {
    for (int f = 0; f < said.list[k].factor_count; ++f) {
      const term<L>& factor = said.list[k].factors[f];
      const int o = factor.source;
      if (o >= count || factor.ellipsis < 0) continue;
      axes[o] = ranks[o] - factor.labels.count;
      if (axes[o] < 0) {
        return fail(diagnosis::ellipsis_rank, names.ellipsis[o],
                    {o, ranks[o], factor.labels.count});
      }
      if (axes[o] > 0 && last.result_ellipsis < 0) {
        return fail(diagnosis::ellipsis_not_in_output, names.ellipsis[o], {axes[o]});
      }
      if (axes[o] > longest[k]) longest[k] = axes[o];
    }
    if (longest[k] > writer.most) writer.most = longest[k];
  }
  for (int k = 0; last.kind == statement_kind::sum && k + 1 < said.count; ++k) {
    if (longest[k] == writer.most) continue;
    return fail(diagnosis::term_lacks_label, names.ellipsis[L.operands], {k});
  }
  if (writer.most > L.rank) {
    return fail(diagnosis::too_high_rank, names.ellipsis[L.operands], {L.rank});
  }

  statements<L>& value = out.value;
  value.label_count = 0;
  value.has_ellipsis = false;
  for (int k = 0; k < said.count; ++k) {
    const statement<L>& from = said.list[k];
    statement<L>& to = value.list[k];
    for (int f = 0; f < from.factor_count; ++f) {
      const term<L>& factor = from.factors[f];
      to.factors[f].ellipsis = -1;
      if (factor.source < count) {
        writer.write(to.factors[f].labels, factor.labels, factor.ellipsis, axes[factor.source],
                     factor.source);
      } else {
        to.factors[f].labels = value.list[factor.source - count].result;
      }
    }
    to.result_ellipsis = -1;
    writer.write(to.result, from.result, from.result_ellipsis, writer.most, L.operands);
  }
  for (int e = 0; e < writer.most; ++e) value.stretchable |= bit(writer.hidden[e] - 1);
  return out;
}

}  // namespace tenfold
