#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/problem_shape.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

namespace tenfold {

using namespace batched_blas;

namespace {

/// Problems at addresses, in the order of their lists: runs of problems of one kind.
template <class T>
class address_runs {
 public:
  const T* const* a = nullptr;
  const T* const* b = nullptr;
  T* const* c = nullptr;

  /// A kind of problems with a result; its number.
  std::int32_t add_kind(order layout, const problem_terms& p, T factor_ab, T factor_c) {
    alpha_.push_back(reads_operands(p) ? factor_ab : T(1));
    beta_.push_back(factor_c);
    shapes_.push_back(shape_of_terms(batch_layout::pointers, layout, p, scalar_of<T>));
    return static_cast<std::int32_t>(shapes_.size() - 1);
  }
  /// The next `count` problems are of this kind.
  void add_run(std::int32_t kind, index count) {
    flops_ += flops_of(shapes_[static_cast<std::size_t>(kind)]) * static_cast<double>(count);
    if (!kinds_.empty() && kinds_.back() == kind) {
      first_.back() += count;
    } else {
      kinds_.push_back(kind);
      first_.push_back(first_.back() + count);
    }
  }

  index kind_count() const { return static_cast<index>(shapes_.size()); }

  void run() const {
    if (kinds_.empty()) return;
    gemm_list<T> list;
    list.run_count = static_cast<index>(kinds_.size());
    list.first = first_.data();
    list.kinds = kinds_.data();
    list.kind_count = static_cast<index>(shapes_.size());
    list.shapes = shapes_.data();
    list.alpha = alpha_.data();
    list.beta = beta_.data();
    list.a = a;
    list.b = b;
    list.c = c;
    list.flops = flops_;
    launch(list, best_instruction_set());
  }

 private:
  std::vector<gemm_shape> shapes_;  // these three by kind
  std::vector<T> alpha_, beta_;
  std::vector<std::int32_t> kinds_;  // of each run
  std::vector<index> first_{0};
  double flops_ = 0;
};

}  // namespace

// ---- views --------------------------------------------------------------------------------------

template <class T>
void batched_blas::multiply(const call_sizes& n, const matrices& a, const matrices& b,
                            const matrices& c, T alpha, T beta) {
  if (n.m == 0) return;
  if (alpha != T(0) && n.k > 0) {
    launch(gemm_shape{scalar_of<T>, n.m, n.n, n.k, a.how, b.how, c.how},
           gemm_arguments<T>{a.place, b.place, c.place, n.count, alpha, beta},
           best_instruction_set());
    return;
  }
  matrix_batch nothing;
  nothing.shared = true;
  launch(gemm_shape{scalar_of<T>, n.m, n.n, 0, nothing, nothing, c.how},
         gemm_arguments<T>{{}, {}, c.place, n.count, T(1), beta}, best_instruction_set());
}

// ---- the forms of a batch -----------------------------------------------------------------------

template <class T>
void gemm(order layout, op op_a, op op_b, index m, index n, index k, std::type_identity_t<T> alpha,
          const T* a, index lda, index stride_a, const T* b, index ldb, index stride_b,
          std::type_identity_t<T> beta, T* c, index ldc, index stride_c, index count,
          batch_info info) {
  require_count(count);
  findings found(info, count, 1);
  const problem_terms p{op_a, op_b, m, n, k, lda, ldb, ldc, alpha != T(0)};
  const index steps = count > 1;  // nothing steps over the stride of a single problem
  const batch_place at_a{a, steps * stride_a}, at_b{b, steps * stride_b}, at_c{c, steps * stride_c};
  const fault wrong = strided_fault(layout, p, index{sizeof(T)}, at_a, at_b, at_c, count);
  if (wrong.what != argument::none) {
    const index codes = info.how() == reporting::all ? count : 1;
    for (index i = 0; i < codes; ++i) found.add(i, 0, wrong);
    return found.tell();
  }
  if (!has_result(p) || count == 0) return;
  const gemm_shape s = shape_of_strides(layout, p, scalar_of<T>, stride_a, stride_b);
  launch(s, arguments_of<T>(p, at_a, at_b, at_c, count, alpha, beta), best_instruction_set());
}

template <class T>
void gemm(order layout, op op_a, op op_b, index m, index n, index k, std::type_identity_t<T> alpha,
          const T* const* a, index lda, const T* const* b, index ldb, std::type_identity_t<T> beta,
          T* const* c, index ldc, index count, batch_info info) {
  const gemm_group<T> group{op_a, op_b, m, n, k, alpha, lda, ldb, beta, ldc, count};
  gemm(layout, &group, 1, a, b, c, info);
}

template <class T>
void gemm(order layout, const gemm_group<T>* groups, index group_count, const T* const* a,
          const T* const* b, T* const* c, batch_info info) {
  require_count(group_count);
  require_list(groups, "groups", group_count, "group");
  index count = 0;
  for (index i = 0; i < group_count; ++i) {
    require_count(groups[i].count);
    count += groups[i].count;
  }
  findings found(info, count, group_count);
  // A list is needed where a problem reads or writes.
  index results = 0, readers = 0;
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    if (has_result(p)) results += groups[i].count;
    if (reads_operands(p)) readers += groups[i].count;
  }
  require_list(a, "a", readers);
  require_list(b, "b", readers);
  require_list(c, "c", results);

  address_check check(layout, index{sizeof(T)}, count, found);
  index problem = 0;
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    const auto list = [&](auto* all) { return all == nullptr ? all : all + problem; };
    check.add_run(checked_terms(layout, p, index{sizeof(T)}), i, list(a), list(b), list(c),
                  groups[i].count);
    problem += groups[i].count;
  }
  check.find_meetings();
  if (info.how() == reporting::whole && !check.all_are_good()) return;

  address_runs<T> all;
  all.a = a;
  all.b = b;
  all.c = c;
  std::vector<const T*> good_a, good_b;
  std::vector<T*> good_c;
  problem = 0;
  // A group without results has no place in the lists that run.
  const bool compacted = !check.all_are_good() || results < count;
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    index good = groups[i].count;
    if (compacted) {
      good = 0;
      for (index j = 0; j < groups[i].count; ++j) {
        const auto at = static_cast<std::size_t>(problem + j);
        if (!has_result(p) || !check.is_good(problem + j)) continue;
        good_a.push_back(reads_operands(p) ? a[at] : nullptr);
        good_b.push_back(reads_operands(p) ? b[at] : nullptr);
        good_c.push_back(c[at]);
        ++good;
      }
    }
    problem += groups[i].count;
    if (good > 0) all.add_run(all.add_kind(layout, p, groups[i].alpha, groups[i].beta), good);
  }
  if (compacted) {
    all.a = good_a.data();
    all.b = good_b.data();
    all.c = good_c.data();
  }
  all.run();
  found.tell();
}

namespace {

/// The bits of a number.
template <class T>
std::array<std::uint64_t, 2> bits_of(const T& x) {
  std::array<std::uint64_t, 2> bits{};
  std::memcpy(bits.data(), &x, sizeof(x));
  return bits;
}

/// Whether two problems run in one batch.
template <class T>
bool same_shape(const gemm_problem<T>& x, const gemm_problem<T>& y) {
  return x.m == y.m && x.n == y.n && x.k == y.k && x.op_a == y.op_a && x.op_b == y.op_b &&
         x.lda == y.lda && x.ldb == y.ldb && x.ldc == y.ldc &&
         bits_of(x.alpha) == bits_of(y.alpha) && bits_of(x.beta) == bits_of(y.beta);
}

template <class T>
std::uint64_t hash_of(const gemm_problem<T>& p) {
  const auto u = [](index x) { return static_cast<std::uint64_t>(x); };
  const auto alpha = bits_of(p.alpha), beta = bits_of(p.beta);
  std::uint64_t h =
      u(p.m) + (u(p.n) << 20) + (u(p.k) << 40) + u(p.lda) * 31 + u(p.ldb) * 961 + u(p.ldc) * 29791;
  for (const std::uint64_t bits : {alpha[0], alpha[1], beta[0], beta[1]})
    h = (h ^ (h >> 32) ^ bits) * 0x9e3779b97f4a7c15;
  return h >> 32;
}

/// The kinds of the problems of a variable batch, numbered as they are first met.
template <class T>
class problem_kinds {
 public:
  /// The kind of a problem, which must stay where it is.
  std::int32_t of(const gemm_problem<T>& p) {
    const std::uint64_t hash = hash_of(p);
    std::size_t at = hash & (table_.size() - 1);
    for (; table_[at] >= 0; at = (at + 1) & (table_.size() - 1)) {
      if (same_shape(*first_[static_cast<std::size_t>(table_[at])], p)) return table_[at];
    }
    const auto kind = static_cast<std::int32_t>(first_.size());
    table_[at] = kind;
    first_.push_back(&p);
    if (2 * first_.size() > table_.size()) grow();
    return kind;
  }
  index count() const { return static_cast<index>(first_.size()); }

 private:
  void grow() {
    table_.assign(2 * table_.size(), -1);
    for (std::size_t kind = 0; kind < first_.size(); ++kind) {
      std::size_t at = hash_of(*first_[kind]) & (table_.size() - 1);
      while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = static_cast<std::int32_t>(kind);
    }
  }

  std::vector<std::int32_t> table_ = std::vector<std::int32_t>(64, -1);  // -1: empty
  std::vector<const gemm_problem<T>*> first_;                            // of each kind
};

/// Problems sorted by their kinds, those of one kind in the order in which they are given.
class problem_bins {
 public:
  explicit problem_bins(index kind_count) : bins_(static_cast<std::size_t>(kind_count)) {}

  /// The kind of each problem; -1: it is left out.
  void fill(const std::int32_t* begin, const std::int32_t* end) {
    for (const std::int32_t met : kinds_) of(met) = {};
    kinds_.clear();
    given_ = begin;
    given_end_ = end;
    for (const std::int32_t* k = begin; k != end; ++k) {
      if (*k >= 0 && of(*k).size++ == 0) kinds_.push_back(*k);
    }
    count_ = 0;
    for (const std::int32_t met : kinds_) {
      of(met).next = count_;
      count_ += static_cast<std::size_t>(of(met).size);
    }
  }
  /// Those that are there, in the order of their bins.
  const std::vector<std::int32_t>& kinds() const { return kinds_; }
  index size_of(std::int32_t met) const { return bins_[static_cast<std::size_t>(met)].size; }
  std::size_t count() const { return count_; }

  /// Calls f(its number, its place) for each problem, once.
  template <class F>
  void for_each(const F& f) {
    for (const std::int32_t* k = given_; k != given_end_; ++k)
      if (*k >= 0) f(k - given_, of(*k).next++);
  }

 private:
  struct bin {
    index size = 0;
    std::size_t next = 0;
  };
  bin& of(std::int32_t met) { return bins_[static_cast<std::size_t>(met)]; }

  std::vector<bin> bins_;  // by kind
  std::vector<std::int32_t> kinds_;
  const std::int32_t *given_ = nullptr, *given_end_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace

template <class T>
void gemm(order layout, const gemm_problem<T>* problems, index count, batch_info info) {
  require_count(count);
  if (count >= index{1} << 30) {
    throw shape_error("tenfold: gemm: a variable batch has fewer than 2^30 problems, not " +
                      std::to_string(count));
  }
  require_list(problems, "problems", count);
  findings found(info, count, 1);
  address_check check(layout, index{sizeof(T)}, count, found);
  address_runs<T> all;
  problem_kinds<T> kinds;
  std::vector<checked_terms> terms;   // by kind
  std::vector<std::int32_t> runs_as;  // by kind: that of `all`, -1: nothing to do
  std::vector<std::int32_t> kind(static_cast<std::size_t>(count));
  for (index i = 0; i < count; ++i) {
    const gemm_problem<T>& p = problems[i];
    const std::int32_t met = kinds.of(p);
    if (kinds.count() > static_cast<index>(terms.size())) {
      const checked_terms& t = terms.emplace_back(layout, terms_of(p), index{sizeof(T)});
      const bool runs = t.wrong == argument::none && has_result(t.terms);
      runs_as.push_back(runs ? all.add_kind(layout, t.terms, p.alpha, p.beta) : -1);
    }
    kind[static_cast<std::size_t>(i)] = runs_as[static_cast<std::size_t>(met)];
    check.add(terms[static_cast<std::size_t>(met)], 0, p.a, p.b, p.c);
  }
  check.find_meetings();
  if (info.how() == reporting::whole && !check.all_are_good()) return;

  std::vector<const T*> a(kind.size()), b(kind.size());
  std::vector<T*> c(kind.size());
  for (index i = 0; i < count; ++i)
    if (!check.is_good(i)) kind[static_cast<std::size_t>(i)] = -1;
  problem_bins bins(all.kind_count());
  std::size_t good = 0;
  for (index first = 0; first < count; first += select::binned_problems) {
    const index end = std::min(count, first + select::binned_problems);
    bins.fill(kind.data() + first, kind.data() + end);
    for (const std::int32_t met : bins.kinds()) all.add_run(met, bins.size_of(met));
    bins.for_each([&](index i, std::size_t place) {
      const gemm_problem<T>& p = problems[first + i];
      a[good + place] = p.a;
      b[good + place] = p.b;
      c[good + place] = p.c;
    });
    good += bins.count();
  }
  all.a = a.data();
  all.b = b.data();
  all.c = c.data();
  all.run();
  found.tell();
}

#define TENFOLD_INSTANTIATE(T)                                                                \
  template void batched_blas::multiply(const call_sizes&, const matrices&, const matrices&,   \
                                       const matrices&, T, T);                                \
  template void gemm(order, op, op, index, index, index, T, const T*, index, index, const T*, \
                     index, index, T, T*, index, index, index, batch_info);                   \
  template void gemm(order, op, op, index, index, index, T, const T* const*, index,           \
                     const T* const*, index, T, T* const*, index, index, batch_info);         \
  template void gemm(order, const gemm_group<T>*, index, const T* const*, const T* const*,    \
                     T* const*, batch_info);                                                  \
  template void gemm(order, const gemm_problem<T>*, index, batch_info);
TENFOLD_INSTANTIATE(float)
TENFOLD_INSTANTIATE(double)
TENFOLD_INSTANTIATE(std::complex<float>)
TENFOLD_INSTANTIATE(std::complex<double>)
#undef TENFOLD_INSTANTIATE

}  // namespace tenfold
