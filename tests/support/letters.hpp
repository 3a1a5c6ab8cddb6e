#pragma once

#include <initializer_list>
#include <string_view>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/make_plan.hpp>
#include <tenfold/contraction/statements.hpp>

/// Statements for the tests of a room that cannot see the parser: letters, commas, an arrow.
namespace tenfold::testing {

template <limits L>
struct written {
  statements<L> value{};
  label_names<L> names{};
};

/// "ij,jk->ik", "...ij->...i", "ij,j - i -> i" without any check; the output must be written.
/// Labels are numbered by first occurrence, as parse does.
template <limits L>
constexpr written<L> from_letters(std::string_view text) {
  written<L> out;
  statements<L>& all = out.value;
  int signs[L.operands] = {1};
  all.count = all.input_count = all.list[0].factor_count = 1;
  auto* current = &all.list[0].factors[0].labels;
  int* ellipsis = &all.list[0].factors[0].ellipsis;
  int slot = 0;
  for (int i = 0; i < static_cast<int>(text.size()); ++i) {
    const char c = text[static_cast<std::size_t>(i)];
    if (c == ' ') continue;
    if (c == '-' && text[static_cast<std::size_t>(i) + 1] == '>') {
      current = &all.list[0].result;
      ellipsis = &all.list[0].result_ellipsis;
      slot = L.operands;
      ++i;
    } else if (c == ',' || c == '+' || c == '-') {
      if (c != ',') signs[all.count++] = c == '-' ? -1 : 1;
      statement<L>& s = all.list[all.count - 1];
      slot = all.input_count++;
      s.factors[s.factor_count].source = slot;
      current = &s.factors[s.factor_count].labels;
      ellipsis = &s.factors[s.factor_count++].ellipsis;
    } else if (c == '.') {
      *ellipsis = current->count;
      out.names.ellipsis[slot] = i;
      all.has_ellipsis = true;
      i += 2;
    } else {
      int id = 0;
      while (id < all.label_count &&
             text[static_cast<std::size_t>(out.names.name[id].begin)] != c) {
        ++id;
      }
      if (id == all.label_count) {
        out.names.name[id] = {i, 1};
        ++all.label_count;
      }
      out.names.position[slot][current->count] = i;
      current->push(id);
    }
  }
  if constexpr (L.statements > 1) {
    if (all.count == 1) return out;
    const int products = all.count++;
    statement<L>& sum = all.list[products];
    sum.kind = statement_kind::sum;
    sum.factor_count = products;
    for (int p = 0; p <= products; ++p) {
      all.list[p].result = all.list[0].result;
      all.list[p].result_ellipsis = all.list[0].result_ellipsis;
      if (p == products) break;
      const statement<L>& product = all.list[p];
      sum.factors[p] = {all.input_count + p, false, signs[p], product.result_ellipsis,
                        product.result};
    }
  }
  return out;
}

/// A row-major operand; strides behind an extent that is not known are not known.
template <int R>
constexpr operand_shape<R> row_major(std::initializer_list<index> extents,
                                     scalar type = scalar::f64) {
  operand_shape<R> s;
  s.type = type;
  for (const index e : extents) s.extents[static_cast<std::size_t>(s.rank++)] = e;
  index stride = 1;
  for (std::size_t i = static_cast<std::size_t>(s.rank); i-- > 0;) {
    s.strides[i] = stride;
    stride = stride == dyn || s.extents[i] == dyn ? dyn : stride * s.extents[i];
  }
  return s;
}

/// The problem of letters over row-major operands; `extents` by label, in order of first
/// occurrence.
template <limits L>
constexpr problem<L> problem_from(std::string_view text, std::initializer_list<index> extents,
                                  scalar type = scalar::f64) {
  const written<L> w = from_letters<L>(text);
  operand_shape<L.rank> shapes[L.operands];
  for (int k = 0; k < w.value.count; ++k) {
    const statement<L>& s = w.value.list[k];
    for (int f = 0; f < s.factor_count; ++f) {
      if (s.factors[f].source >= w.value.input_count) continue;
      operand_shape<L.rank>& shape = shapes[s.factors[f].source];
      shape.type = type;
      shape.rank = s.factors[f].labels.count;
      index stride = 1;
      for (int i = shape.rank - 1; i >= 0; --i) {
        const auto at = static_cast<std::size_t>(i);
        shape.extents[at] = extents.begin()[s.factors[f].labels[i]];
        shape.strides[at] = stride;
        stride = stride == dyn || shape.extents[at] == dyn ? dyn : stride * shape.extents[at];
      }
    }
  }
  return bind<L, L.rank>(w.value, w.names, shapes, w.value.input_count).value;
}

}  // namespace tenfold::testing
