#include <tenfold/backend/launch.hpp>
#include <tenfold/contraction/bind.hpp>
#include <tenfold/contraction/lower.hpp>
#include <tenfold/contraction/make_plan.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>
#include <vector>

// Statements that no text writes, made by hand: permutations and sums of intermediates, one
// intermediate read twice. Small integers: exact.

namespace tenfold {
namespace {

constexpr limits room{8, 12, 8, 8};

label_list<room.rank> labels(std::initializer_list<int> ids) {
  label_list<room.rank> list;
  for (const int id : ids) list.push(id);
  return list;
}

term<room> factor(int source, std::initializer_list<int> ids, int sign = 1) {
  term<room> t;
  t.source = source;
  t.sign = sign;
  t.labels = labels(ids);
  return t;
}

statement<room> said(statement_kind kind, std::initializer_list<term<room>> factors,
                     std::initializer_list<int> result) {
  statement<room> s;
  s.kind = kind;
  for (const auto& f : factors) s.factors[s.factor_count++] = f;
  s.result = labels(result);
  return s;
}

struct operand {
  operand_shape<room.rank> shape;
  std::vector<double> entries;

  operand(std::initializer_list<index> extents, int seed) {
    shape.rank = static_cast<int>(extents.size());
    index stride = 1;
    for (int i = shape.rank - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      shape.extents[at] = extents.begin()[at];
      shape.strides[at] = stride;
      stride *= shape.extents[at];
    }
    for (index i = 0; i < stride; ++i)
      entries.push_back(static_cast<double>((i * 7 + seed) % 11 - 5));
  }
  double operator()(std::initializer_list<index> at) const {
    index offset = 0;
    for (std::size_t i = 0; i < at.size(); ++i) offset += at.begin()[i] * shape.strides[i];
    return entries[static_cast<std::size_t>(offset)];
  }
};

/// Runs a list of statements on every instruction set; the last one is the result.
std::vector<std::vector<double>> results(std::initializer_list<statement<room>> list,
                                         const std::vector<operand>& operands, int label_count) {
  statements<room> all;
  all.input_count = static_cast<int>(operands.size());
  all.label_count = label_count;
  for (const auto& s : list) all.list[all.count++] = s;
  std::vector<operand_shape<room.rank>> shapes;
  std::vector<const void*> data;
  for (const operand& o : operands) {
    shapes.push_back(o.shape);
    data.push_back(o.entries.data());
  }
  const auto bound = bind<room, room.rank>(all, {}, shapes.data(), all.input_count);
  REQUIRE(!bound.error);
  const problem<room>& p = bound.value;
  const auto plan = make_plan<room>(p);
  std::size_t size = 1;
  for (int i = 0; i < p.output.order.count; ++i) {
    size *= static_cast<std::size_t>(p.extent[p.output.order[i]]);
  }
  std::vector<std::vector<double>> found;
  for (const auto isa :
       {instruction_set::baseline, instruction_set::avx2, instruction_set::avx512}) {
    if (isa > best_instruction_set()) continue;
    const auto program = lower<dynamic_program<room>>(p, plan, capabilities_of(isa), true);
    REQUIRE(program.feasible);
    std::vector<double> y(size, std::numeric_limits<double>::quiet_NaN());
    launch(program, program_arguments<double>{data.data(), y.data(), p.extent, 1, 0}, isa);
    found.push_back(y);
  }
  return found;
}

constexpr int e = 0, i = 1, j = 2, k = 3;
const operand A({9, 4, 5}, 1), u({9, 5}, 2), B({4, 5}, 3);

}  // namespace

TEST_CASE("a permutation names the axes of an intermediate, or orders the result") {
  // t(i, k) = A(e, i, j) B(k, j);   p(k, i) = t(i, k);   y(k, i) = p(k, i)
  for (const bool last : {false, true}) {
    auto first = said(statement_kind::contract, {factor(0, {e, i, j}), factor(1, {k, j})}, {i, k});
    auto turned = said(statement_kind::permute, {factor(2, {i, k})}, {k, i});
    auto squared = said(statement_kind::pointwise, {factor(3, {k, i}), factor(3, {k, i})}, {k, i});
    const auto found =
        last ? results({first, turned}, {A, B}, 4) : results({first, turned, squared}, {A, B}, 4);
    for (const auto& y : found) {
      for (index c = 0; c < 4; ++c) {
        for (index r = 0; r < 4; ++r) {
          double t = 0;
          for (index n = 0; n < 9; ++n) {
            for (index m = 0; m < 5; ++m) t += A({n, r, m}) * B({c, m});
          }
          CHECK(y[static_cast<std::size_t>(c * 4 + r)] == (last ? t : t * t));
        }
      }
    }
  }
}

TEST_CASE("a sum takes intermediates that others read as well") {
  // t(e, i) = A(e, i, j) u(e, j);   s(e, i) = t(e, i) - t(e, i) * t(e, i) + sum_j A(e, i, j)
  const auto list = {
      said(statement_kind::contract, {factor(0, {e, i, j}), factor(1, {e, j})}, {e, i}),
      said(statement_kind::pointwise, {factor(2, {e, i}), factor(2, {e, i})}, {e, i}),
      said(statement_kind::contract, {factor(0, {e, i, j})}, {e, i}),
      said(statement_kind::sum, {factor(2, {e, i}), factor(3, {e, i}, -1), factor(4, {e, i})},
           {e, i})};
  for (const auto& y : results(list, {A, u}, 3)) {
    for (index n = 0; n < 9; ++n) {
      for (index r = 0; r < 4; ++r) {
        double t = 0, a = 0;
        for (index m = 0; m < 5; ++m) {
          t += A({n, r, m}) * u({n, m});
          a += A({n, r, m});
        }
        CHECK(y[static_cast<std::size_t>(n * 4 + r)] == t - t * t + a);
      }
    }
  }
}

}  // namespace tenfold
