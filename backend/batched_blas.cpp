#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/overlap.hpp>
#include <tenfold/tensor/allocation.hpp>
#include <tenfold/tensor/error.hpp>
#include <vector>

namespace tenfold {

namespace {

// ---- what can be wrong with one problem ---------------------------------------------------------

/// The arguments of cblas_gemm in their order; a code is minus such a number.
enum argument : int { none, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc };

/// One problem without its scalar.
struct problem_terms {
  op op_a, op_b;
  index m, n, k;
  index lda, ldb, ldc;
  bool reads_ab;  ///< alpha is not 0
};

bool has_result(const problem_terms& p) { return p.m > 0 && p.n > 0; }
bool reads_operands(const problem_terms& p) { return has_result(p) && p.k > 0 && p.reads_ab; }

/// Entries along a line of storage: what a leading dimension may not fall below.
index line(order layout, op f, index rows, index columns) {
  return (layout == order::row_major) == (f == op::none) ? columns : rows;
}

/// Lines of storage.
index lines(order layout, op f, index rows, index columns) {
  return line(layout, f, columns, rows);
}

/// Whether count * step entries of `bytes` are less than 2^62 bytes: that of one matrix and that of
/// a batch of them can be added.
bool is_addressable(index count, index step, index bytes) {
  index reach = 0;
  return !__builtin_mul_overflow(count, step, &reach) &&
         !__builtin_mul_overflow(reach, 2 * bytes, &reach);
}

argument wrong_size(order layout, const problem_terms& p, index bytes) {
  if (p.m < 0) return m;
  if (p.n < 0) return n;
  if (p.k < 0) return k;
  if (p.lda < std::max<index>(1, line(layout, p.op_a, p.m, p.k))) return lda;
  if (p.ldb < std::max<index>(1, line(layout, p.op_b, p.k, p.n))) return ldb;
  if (p.ldc < std::max<index>(1, line(layout, op::none, p.m, p.n))) return ldc;
  if (!is_addressable(lines(layout, p.op_a, p.m, p.k), p.lda, bytes)) return lda;
  if (!is_addressable(lines(layout, p.op_b, p.k, p.n), p.ldb, bytes)) return ldb;
  if (!is_addressable(lines(layout, op::none, p.m, p.n), p.ldc, bytes)) return ldc;
  return none;
}

argument wrong_address(const problem_terms& p, const void* pa, const void* pb, const void* pc) {
  if (!has_result(p)) return none;
  if (reads_operands(p)) {
    if (pa == nullptr) return a;
    if (pb == nullptr) return b;
  }
  return pc == nullptr ? c : none;
}

matrix_batch stored(batch_layout where, order layout, op f, index ld, bool conjugates) {
  matrix_batch x;
  x.layout = where;
  const bool by_row = (layout == order::row_major) == (f == op::none);
  x.row = by_row ? ld : 1;
  x.column = by_row ? 1 : ld;
  x.conjugated = conjugates && f == op::conjugate_transpose;
  return x;
}

memory_extent extent_of(const void* data, index bytes, index rows, index columns,
                        const matrix_batch& x) {
  memory_extent e(data, bytes);
  e.repeat(rows, x.row * bytes);
  e.repeat(columns, x.column * bytes);
  return e;
}

/// Whether C of one problem meets its A or B.
bool meets_itself(order layout, const problem_terms& p, index bytes, const void* pa, const void* pb,
                  const void* pc) {
  if (!reads_operands(p)) return false;
  const auto at = [&](op f, index ld) {
    return stored(batch_layout::strided, layout, f, ld, false);
  };
  const memory_extent result = extent_of(pc, bytes, p.m, p.n, at(op::none, p.ldc));
  return may_overlap(extent_of(pa, bytes, p.m, p.k, at(p.op_a, p.lda)), result) ||
         may_overlap(extent_of(pb, bytes, p.k, p.n, at(p.op_b, p.ldb)), result);
}

std::string number(index x) { return std::to_string(x); }

const char* name_of(order layout) {
  return layout == order::row_major ? "row-major" : "column-major";
}

/// "ldb is 3, less than n = 5 (row-major, B not transposed)"
std::string sentence_of(order layout, const problem_terms& p, argument wrong) {
  const auto leading = [&](const char* name, index ld, char matrix, op f, const char* row_size,
                           index rows, const char* column_size, index columns) {
    const bool by_row = (layout == order::row_major) == (f == op::none);
    const index least = std::max<index>(1, by_row ? columns : rows);
    if (ld >= least)
      return std::string(name) + " = " + number(ld) + " makes a matrix beyond 2^62 bytes";
    return std::string(name) + " is " + number(ld) + ", less than " +
           (least == (by_row ? columns : rows)
                ? std::string(by_row ? column_size : row_size) + " = " + number(least)
                : std::string("1")) +
           " (" + name_of(layout) + ", " + matrix +
           (f == op::none ? " not transposed)" : " transposed)");
  };
  switch (wrong) {
    case m:
      return "m is " + number(p.m) + ", less than 0";
    case n:
      return "n is " + number(p.n) + ", less than 0";
    case k:
      return "k is " + number(p.k) + ", less than 0";
    case a:
      return "a is null, but there is work to do";
    case b:
      return "b is null, but there is work to do";
    case lda:
      return leading("lda", p.lda, 'A', p.op_a, "m", p.m, "k", p.k);
    case ldb:
      return leading("ldb", p.ldb, 'B', p.op_b, "k", p.k, "n", p.n);
    case ldc:
      return leading("ldc", p.ldc, 'C', op::none, "m", p.m, "n", p.n);
    case c:
      return "c is null, but there is work to do";
    default:
      return "";
  }
}

/// Gathers what is wrong and says it at the end, as the caller asked.
class findings {
 public:
  findings(batch_info info, index problems, index groups) : info_(info), groups_(groups) {
    const index codes = info.how() == reporting::all     ? problems
                        : info.how() == reporting::group ? groups
                        : info.how() == reporting::any   ? 1
                                                         : 0;
    std::fill_n(info.codes(), codes, 0);
  }

  /// Argument `wrong` of a problem; `sentence` is asked for where it is needed.
  template <class Sentence>
  void add(index problem, index group, argument wrong, bool overlap, const Sentence& sentence) {
    switch (info_.how()) {
      case reporting::all:
        info_.codes()[problem] = -wrong;
        break;
      case reporting::group:
        first_.resize(static_cast<std::size_t>(groups_), INT64_MAX);
        if (is_first(first_[static_cast<std::size_t>(group)], problem))
          info_.codes()[group] = -wrong;
        break;
      case reporting::any:
        if (is_first(first_of_all_, problem)) *info_.codes() = -wrong;
        break;
      case reporting::none:
        break;
      case reporting::thrown:
        if (!is_first(first_of_all_, problem)) break;
        text_ = "tenfold: gemm: problem " + number(problem) + ": " + sentence();
        overlap_ = overlap;
        break;
    }
  }

  /// Throws what was found, if that was asked for.
  void tell() const {
    if (text_.empty()) return;
    if (overlap_) throw overlap_error(text_);
    throw shape_error(text_);
  }

 private:
  /// Whether `problem` comes before the first one so far, which it then is.
  static bool is_first(index& first, index problem) {
    if (problem >= first) return false;
    first = problem;
    return true;
  }

  batch_info info_;
  index groups_;
  std::vector<index> first_;  ///< the first bad problem of each group
  index first_of_all_ = INT64_MAX;
  std::string text_;
  bool overlap_ = false;
};

void require_count(index count) {
  if (count < 0) {
    throw shape_error("tenfold: gemm: the batch has " + number(count) + " problems, less than 0");
  }
}
void require_list(const void* list, const char* name, index count, const char* of = "problem") {
  if (count > 0 && list == nullptr) {
    throw shape_error(std::string("tenfold: gemm: the list ") + name +
                      " is null, but the batch has " + number(count) + " " + of +
                      (count == 1 ? "" : "s"));
  }
}

constexpr const char* meets_sentence = "c overlaps a or b";
constexpr const char* meets_other_sentence = "c overlaps a matrix of another problem";

// ---- a problem as data --------------------------------------------------------------------------

/// The shape of problems of these terms; without reading operands k is 0.
gemm_shape shape_of_terms(batch_layout where, order layout, const problem_terms& p, scalar type) {
  gemm_shape s{type, p.m, p.n, p.k, {}, {}, {}};
  const bool complex = is_complex(type);
  s.c = stored(where, layout, op::none, p.ldc, complex);
  if (reads_operands(p)) {
    s.a = stored(where, layout, p.op_a, p.lda, complex);
    s.b = stored(where, layout, p.op_b, p.ldb, complex);
  } else {
    s.k = 0;
    s.a.shared = s.b.shared = true;
  }
  return s;
}

template <class T>
gemm_arguments<T> arguments_of(const problem_terms& p, batch_place a, batch_place b, batch_place c,
                               index count, T alpha, T beta) {
  if (!reads_operands(p)) return {{}, {}, c, count, T(1), beta};
  return {a, b, c, count, alpha, beta};
}

/// The addresses of one problem.
struct problem_addresses {
  const void *a, *b, *c;
};

/// The problems, of those that are not bad, whose result meets a matrix of an earlier one; none are
/// found where the library is built with NDEBUG.
template <class Terms, class Addresses>
std::vector<index> meeting_problems([[maybe_unused]] index count,
                                    [[maybe_unused]] const std::vector<bool>& bad,
                                    [[maybe_unused]] order layout, [[maybe_unused]] index bytes,
                                    [[maybe_unused]] const Terms& terms,
                                    [[maybe_unused]] const Addresses& addresses) {
  std::vector<index> found;
#ifndef NDEBUG
  struct matrix {
    std::uintptr_t begin, end;
    index ld, length;
    index problem;
    bool is_result;
    memory_extent extent;
  };
  std::vector<matrix> all;
  for (index i = 0; i < count; ++i) {
    if (!bad.empty() && bad[static_cast<std::size_t>(i)]) continue;
    const problem_terms& p = terms(i);
    if (!has_result(p)) continue;
    const problem_addresses at = addresses(i);
    const auto add = [&](const void* data, op f, index rows, index columns, index ld, bool result) {
      const index length = line(layout, f, rows, columns), lines = rows + columns - length;
      const auto begin = reinterpret_cast<std::uintptr_t>(data);
      const auto end = begin + static_cast<std::uintptr_t>(((lines - 1) * ld + length) * bytes);
      all.push_back({begin, end, ld, length, i, result,
                     extent_of(data, bytes, rows, columns,
                               stored(batch_layout::strided, layout, f, ld, false))});
    };
    add(at.c, op::none, p.m, p.n, p.ldc, true);
    if (!reads_operands(p)) continue;
    add(at.a, p.op_a, p.m, p.k, p.lda, false);
    add(at.b, p.op_b, p.k, p.n, p.ldb, false);
  }
  std::sort(all.begin(), all.end(), [](const matrix& x, const matrix& y) {
    return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
  });
  std::vector<const matrix*> open;  // those that reach beyond the one at hand
  for (const matrix& x : all) {
    std::erase_if(open, [&](const matrix* y) { return y->end <= x.begin; });
    bool same = false;
    for (const matrix* y : open) {
      same = same || (y->begin == x.begin && y->end == x.end && y->ld == x.ld &&
                      y->length == x.length && !x.is_result && !y->is_result);
      if (y->problem != x.problem && (x.is_result || y->is_result) &&
          may_overlap(x.extent, y->extent)) {
        found.push_back(std::max(x.problem, y->problem));
      }
    }
    if (!same) open.push_back(&x);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
#endif
  return found;
}

/// Checks the problems of a batch of addresses; marks and reports the bad ones. `first` is the
/// number of the first of them among all.
template <class T>
class address_check {
 public:
  address_check(order layout, findings& found) : layout_(layout), found_(found) {}

  /// True if the problem is to be computed or has nothing to compute.
  bool operator()(const problem_terms& p, index problem, index group, const T* pa, const T* pb,
                  const T* pc) {
    argument wrong = wrong_size(layout_, p, index{sizeof(T)});
    if (wrong == none) wrong = wrong_address(p, pa, pb, pc);
    if (wrong == none) {
      if (!meets(p, pa, pb, pc)) return true;
      found_.add(problem, group, c, true, [] { return meets_sentence; });
      return false;
    }
    found_.add(problem, group, wrong, false, [&] { return sentence_of(layout_, p, wrong); });
    return false;
  }

 private:
  bool meets(const problem_terms& p, const T* pa, const T* pb, const T* pc) const {
    if (!reads_operands(p)) return false;
    const auto reach = [&](const T* x, op f, index rows, index columns, index ld) {
      const index length = line(layout_, f, rows, columns);
      return x + (rows + columns - length - 1) * ld + length;
    };
    const T* const c_end = reach(pc, op::none, p.m, p.n, p.ldc);
    const auto clear = [&](const T* x, const T* end) { return end <= pc || c_end <= x; };
    if (clear(pa, reach(pa, p.op_a, p.m, p.k, p.lda)) &&
        clear(pb, reach(pb, p.op_b, p.k, p.n, p.ldb)))
      return false;
    return meets_itself(layout_, p, index{sizeof(T)}, pa, pb, pc);
  }

  order layout_;
  findings& found_;
};

/// Problems at addresses, in the order of their lists: runs of problems of one kind.
template <class T>
class address_runs {
 public:
  const T* const* a = nullptr;
  const T* const* b = nullptr;
  T* const* c = nullptr;

  /// A kind of problems with a result; its number.
  std::int32_t add_kind(order layout, const problem_terms& p, T factor_ab, T factor_c) {
    gemm_shape s = shape_of_terms(batch_layout::pointers, layout, p, scalar_of<T>);
    if (s.k == 0) s.a.layout = s.b.layout = batch_layout::strided;
    alpha_.push_back(reads_operands(p) ? factor_ab : T(1));
    beta_.push_back(factor_c);
    shapes_.push_back(s);
    return static_cast<std::int32_t>(shapes_.size() - 1);
  }
  /// The next `count` problems are of this kind.
  void add_run(std::int32_t kind, index count) {
    const gemm_shape& s = shapes_[static_cast<std::size_t>(kind)];
    flops_ += 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k) *
              static_cast<double>(count) * (is_complex(scalar_of<T>) ? 4 : 1);
    if (!kinds_.empty() && kinds_.back() == kind) {
      first_.back() += count;
    } else {
      kinds_.push_back(kind);
      first_.push_back(first_.back() + count);
    }
  }

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
  std::vector<gemm_shape> shapes_;
  std::vector<T> alpha_, beta_;
  std::vector<std::int32_t> kinds_;
  std::vector<index> first_{0};
  double flops_ = 0;
};

}  // namespace

// ---- the forms of a batch -----------------------------------------------------------------------

template <class T>
void gemm(order layout, op op_a, op op_b, index m, index n, index k, std::type_identity_t<T> alpha,
          const T* a, index lda, index stride_a, const T* b, index ldb, index stride_b,
          std::type_identity_t<T> beta, T* c, index ldc, index stride_c, index count,
          batch_info info) {
  constexpr index bytes{sizeof(T)};
  require_count(count);
  findings found(info, count, 1);
  const problem_terms p{op_a, op_b, m, n, k, lda, ldb, ldc, alpha != T(0)};
  gemm_shape s;
  argument wrong = wrong_size(layout, p, bytes);
  std::string sentence;
  bool overlaps = false;
  if (wrong != none) {
    sentence = sentence_of(layout, p, wrong);
  } else if (count > 0) {
    wrong = wrong_address(p, a, b, c);
    if (wrong != none) sentence = sentence_of(layout, p, wrong);
  }
  if (wrong == none && count > 0 && has_result(p)) {
    s = shape_of_terms(batch_layout::strided, layout, p, scalar_of<T>);
    const auto reaches = [&](argument which, const char* name, index stride) {
      if (is_addressable(count, stride, bytes)) return;
      wrong = which;
      sentence = std::string(name) + " = " + number(stride) + " times " + number(count) +
                 " problems is beyond 2^62 bytes";
    };
    reaches(argument::c, "stride_c", stride_c);
    if (reads_operands(p)) {
      reaches(argument::a, "stride_a", stride_a);
      reaches(argument::b, "stride_b", stride_b);
    }
    if (wrong == none) {
      const auto whole = [&](const void* data, index rows, index columns, const matrix_batch& x,
                             index stride) {
        memory_extent e = extent_of(data, bytes, rows, columns, x);
        e.repeat(count, stride * bytes);
        return e;
      };
      const memory_extent result = whole(c, m, n, s.c, stride_c);
      if (!result.entries_apart()) {
        sentence = "c overlaps itself: stride_c is " + number(stride_c);
      } else if (reads_operands(p) && (may_overlap(whole(a, m, k, s.a, stride_a), result) ||
                                       may_overlap(whole(b, k, n, s.b, stride_b), result))) {
        sentence = meets_sentence;
      }
      if (!sentence.empty()) {
        wrong = argument::c;
        overlaps = true;
      }
    }
  }
  if (wrong != none) {
    for (index i = 0; i < std::max<index>(count, 1); ++i) {
      if (i < count || info.how() != reporting::all)
        found.add(i, 0, wrong, overlaps, [&] { return sentence; });
    }
    return found.tell();
  }
  if (!has_result(p) || count == 0) return;
  if (reads_operands(p)) {
    s.a.shared = stride_a == 0;
    s.b.shared = stride_b == 0;
  }
  launch(s, arguments_of<T>(p, {a, stride_a}, {b, stride_b}, {c, stride_c}, count, alpha, beta),
         best_instruction_set());
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
  const auto terms_of = [](const gemm_group<T>& g) {
    return problem_terms{g.op_a, g.op_b, g.m, g.n, g.k, g.lda, g.ldb, g.ldc, g.alpha != T(0)};
  };
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

  std::vector<bool> bad;
  address_check<T> check(layout, found);
  std::vector<index> group_of;  // of a problem; only to look for meetings
  index problem = 0;
  const auto mark = [&](index which) {
    bad.resize(static_cast<std::size_t>(count));
    bad[static_cast<std::size_t>(which)] = true;
  };
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    for (index j = 0; j < groups[i].count; ++j, ++problem) {
      const bool reads = reads_operands(p);
      if (!check(p, problem, i, reads ? a[problem] : nullptr, reads ? b[problem] : nullptr,
                 has_result(p) ? c[problem] : nullptr))
        mark(problem);
      group_of.push_back(i);
    }
  }
  for (const index meeting : meeting_problems(
           count, bad, layout, index{sizeof(T)},
           [&](index i) { return terms_of(groups[group_of[static_cast<std::size_t>(i)]]); },
           [&](index i) {
             return problem_addresses{a != nullptr ? a[i] : nullptr, b != nullptr ? b[i] : nullptr,
                                      c[i]};
           })) {
    found.add(meeting, group_of[static_cast<std::size_t>(meeting)], argument::c, true,
              [] { return meets_other_sentence; });
    mark(meeting);
  }

  address_runs<T> all;
  all.a = a;
  all.b = b;
  all.c = c;
  std::vector<const T*> good_a, good_b;
  std::vector<T*> good_c;
  problem = 0;
  bool compacted = !bad.empty();
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    // A group without results has no place in the lists that run.
    compacted = compacted || (!has_result(p) && groups[i].count > 0);
  }
  for (index i = 0; i < group_count; ++i) {
    const problem_terms p = terms_of(groups[i]);
    index good = groups[i].count;
    if (compacted) {
      good = 0;
      for (index j = 0; j < groups[i].count; ++j) {
        const auto at = static_cast<std::size_t>(problem + j);
        if (!has_result(p) || (!bad.empty() && bad[at])) continue;
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

template <class T>
problem_terms terms_of(const gemm_problem<T>& p) {
  return {p.op_a, p.op_b, p.m, p.n, p.k, p.lda, p.ldb, p.ldc, p.alpha != T(0)};
}

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

/// The problems by shape, in the order in which the shapes are first met: `bin` of each, and a
/// problem of each bin.
struct bins {
  std::vector<std::int32_t> bin;  // -1: left out
  std::vector<index> representative;
};

template <class T, class Wanted>
bins sort_into_bins(const gemm_problem<T>* problems, index count, const Wanted& wanted) {
  bins r;
  r.bin.assign(static_cast<std::size_t>(count), -1);
  std::size_t slots = 64;
  while (slots < 2 * static_cast<std::size_t>(count)) slots *= 2;
  std::vector<std::int32_t> table(slots, -1);
  for (index i = 0; i < count; ++i) {
    if (!wanted(i)) continue;
    const gemm_problem<T>& p = problems[i];
    std::size_t at = hash_of(p) & (slots - 1);
    while (table[at] >= 0 &&
           !same_shape(problems[r.representative[static_cast<std::size_t>(table[at])]], p))
      at = (at + 1) & (slots - 1);
    if (table[at] < 0) {
      table[at] = static_cast<std::int32_t>(r.representative.size());
      r.representative.push_back(i);
    }
    r.bin[static_cast<std::size_t>(i)] = table[at];
  }
  return r;
}

}  // namespace

template <class T>
void gemm(order layout, const gemm_problem<T>* problems, index count, batch_info info) {
  require_count(count);
  if (count > INT32_MAX / 2) {
    throw shape_error("tenfold: gemm: a variable batch has at most 2^30 problems, not " +
                      number(count));
  }
  require_list(problems, "problems", count);
  findings found(info, count, 1);
  address_check<T> check(layout, found);
  std::vector<bool> bad;
  const auto mark = [&](index which) {
    bad.resize(static_cast<std::size_t>(count));
    bad[static_cast<std::size_t>(which)] = true;
  };
  for (index i = 0; i < count; ++i) {
    const gemm_problem<T>& p = problems[i];
    if (!check(terms_of(p), i, 0, p.a, p.b, p.c)) mark(i);
  }
  for (const index meeting : meeting_problems(
           count, bad, layout, index{sizeof(T)}, [&](index i) { return terms_of(problems[i]); },
           [&](index i) {
             return problem_addresses{problems[i].a, problems[i].b, problems[i].c};
           })) {
    found.add(meeting, 0, argument::c, true, [] { return meets_other_sentence; });
    mark(meeting);
  }

  const bins sorted = sort_into_bins(problems, count, [&](index i) {
    return (bad.empty() || !bad[static_cast<std::size_t>(i)]) && has_result(terms_of(problems[i]));
  });
  address_runs<T> all;
  for (const index i : sorted.representative) {
    all.add_kind(layout, terms_of(problems[i]), problems[i].alpha, problems[i].beta);
  }
  std::vector<const T*> a, b;
  std::vector<T*> c;
  a.reserve(static_cast<std::size_t>(count));
  b.reserve(static_cast<std::size_t>(count));
  c.reserve(static_cast<std::size_t>(count));
  for (index i = 0; i < count; ++i) {
    const std::int32_t bin = sorted.bin[static_cast<std::size_t>(i)];
    if (bin < 0) continue;
    a.push_back(problems[i].a);
    b.push_back(problems[i].b);
    c.push_back(problems[i].c);
    all.add_run(bin, 1);
  }
  all.a = a.data();
  all.b = b.data();
  all.c = c.data();
  all.run();
  found.tell();
}

// ---- views --------------------------------------------------------------------------------------

namespace batched_blas {

namespace {

bool has_address_range(const matrices& x) {
  return x.how.layout == batch_layout::strided || x.how.layout == batch_layout::interleaved;
}

memory_extent extent_of_batch(const matrices& x, index rows, index columns, index count,
                              index bytes) {
  const index block = x.how.block;
  memory_extent e(x.place.data, bytes);
  e.repeat(rows, x.how.row * block * bytes);
  e.repeat(columns, x.how.column * block * bytes);
  if (x.how.layout == batch_layout::interleaved) {
    e.repeat(block, bytes);
    e.repeat((count + block - 1) / block, x.place.problem * bytes);
  } else {
    e.repeat(count, x.place.problem * bytes);
  }
  return e;
}

}  // namespace

call_sizes check(const matrices& a, op op_a, const matrices& b, op op_b, const matrices& c,
                 scalar type, bool reads_ab) {
  const auto bytes = static_cast<index>(bytes_of(type));
  const auto rows = [](const matrices& x, op f) { return f == op::none ? x.rows : x.columns; };
  const auto columns = [](const matrices& x, op f) { return f == op::none ? x.columns : x.rows; };
  const auto fail = [](const std::string& sentence) {
    throw shape_error("tenfold: gemm: " + sentence);
  };
  const index m = c.rows, n = c.columns, k = columns(a, op_a);
  if (rows(a, op_a) != m)
    fail("op(A) has " + number(rows(a, op_a)) + " rows, but C has " + number(m));
  if (columns(b, op_b) != n)
    fail("op(B) has " + number(columns(b, op_b)) + " columns, but C has " + number(n));
  if (rows(b, op_b) != k)
    fail("op(A) has " + number(k) + " columns, but op(B) has " + number(rows(b, op_b)) + " rows");
  const index count = c.count < 0 ? 1 : c.count;
  if (c.count < 0 && (a.count >= 0 || b.count >= 0)) fail("C is one matrix, but A or B is a batch");
  if (a.count >= 0 && a.count != count)
    fail("A holds " + number(a.count) + " problems, but C holds " + number(count));
  if (b.count >= 0 && b.count != count)
    fail("B holds " + number(b.count) + " problems, but C holds " + number(count));
  if (m == 0 || n == 0 || count == 0) return {};

  const bool reads = reads_ab && k > 0;
  const auto require_data = [&](const matrices& x, char name, index entries) {
    if (x.place.data == nullptr) fail(std::string(1, name) + " is null, but there is work to do");
    if (x.how.layout == batch_layout::gathered && x.place.map == nullptr)
      fail(std::string("the map of ") + name + " is null, but there is work to do");
    if (x.how.layout != batch_layout::pointers || entries == 0) return;
    for (index i = 0; i < count; ++i) {
      if (static_cast<const void* const*>(x.place.data)[i] == nullptr)
        fail(std::string("problem ") + number(i) + ": " + name +
             " is null, but there is work to do");
    }
  };
  require_data(c, 'C', m * n);
  if (reads) {
    require_data(a, 'A', m * k);
    require_data(b, 'B', k * n);
  }
  if (has_address_range(c)) {
    const memory_extent result = extent_of_batch(c, m, n, count, bytes);
    if (!result.entries_apart())
      throw overlap_error("tenfold: gemm: C overlaps itself: two of its entries have one address");
    const auto require_disjoint = [&](const matrices& x, op f, char name) {
      if (!reads || !has_address_range(x)) return;
      if (may_overlap(extent_of_batch(x, rows(x, f), columns(x, f), count, bytes), result))
        throw overlap_error(std::string("tenfold: gemm: C overlaps ") + name);
    };
    require_disjoint(a, op_a, 'A');
    require_disjoint(b, op_b, 'B');
  }
  return {m, n, k, count};
}

}  // namespace batched_blas

#define TENFOLD_INSTANTIATE(T)                                                                \
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
