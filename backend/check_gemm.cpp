#include <algorithm>
#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/backend/interface/gemm_sizes.hpp>
#include <tenfold/tensor/error.hpp>

namespace tenfold::batched_blas {

bool is_addressable(index count, index step, index bytes) {
  index reach = 0;
  return !__builtin_mul_overflow(count, step, &reach) &&
         !__builtin_mul_overflow(reach, 2 * bytes, &reach);
}

namespace {

using enum argument;

/// Entries along a line of storage: what a leading dimension may not fall below.
index line(order layout, op f, index rows, index columns) {
  return gemm_line(layout == order::row_major, f != op::none, rows, columns);
}

/// Lines of storage.
index lines(order layout, op f, index rows, index columns) {
  return line(layout, f, columns, rows);
}

/// The same of a matrix. Nothing steps over the leading dimension of a single line.
bool is_matrix_addressable(order layout, op f, index rows, index columns, index ld, index bytes) {
  const index n = lines(layout, f, rows, columns), each = line(layout, f, rows, columns);
  return each == 0 || is_addressable(n, n > 1 ? ld : each, bytes);
}

argument wrong_size(order layout, const problem_terms& p, index bytes) {
  const int wrong = wrong_gemm_size(layout == order::row_major, p.op_a != op::none,
                                    p.op_b != op::none, p.m, p.n, p.k, p.lda, p.ldb, p.ldc);
  if (wrong != 0) return static_cast<argument>(wrong);
  if (!is_matrix_addressable(layout, p.op_a, p.m, p.k, p.lda, bytes)) return lda;
  if (!is_matrix_addressable(layout, p.op_b, p.k, p.n, p.ldb, bytes)) return ldb;
  if (!is_matrix_addressable(layout, op::none, p.m, p.n, p.ldc, bytes)) return ldc;
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

memory_extent extent_of(const void* data, index bytes, order layout, op f, index rows,
                        index columns, index ld) {
  memory_extent e(data, bytes);
  e.repeat(lines(layout, f, rows, columns), ld);
  e.repeat(line(layout, f, rows, columns), 1);
  return e;
}

/// Bytes from the first entry of a matrix to behind its last.
index reach(order layout, op f, index rows, index columns, index ld, index bytes) {
  return ((lines(layout, f, rows, columns) - 1) * ld + line(layout, f, rows, columns)) * bytes;
}

/// Whether C of one problem meets its A or B.
bool meets_itself(order layout, const problem_terms& p, index bytes, const void* pa, const void* pb,
                  const void* pc) {
  if (!reads_operands(p)) return false;
  const memory_extent c_extent = extent_of(pc, bytes, layout, op::none, p.m, p.n, p.ldc);
  return may_overlap(extent_of(pa, bytes, layout, p.op_a, p.m, p.k, p.lda), c_extent) ||
         may_overlap(extent_of(pb, bytes, layout, p.op_b, p.k, p.n, p.ldb), c_extent);
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

/// A fault in an argument of one problem.
fault fault_in(argument wrong, order layout, const problem_terms& p) {
  return {wrong, sentence_of(layout, p, wrong), false};
}

fault overlap_of_c(const char* sentence) { return {c, sentence, true}; }

constexpr const char* meets_sentence = "c overlaps a or b";

}  // namespace

fault fault_in_sizes(order layout, const problem_terms& p, index bytes) {
  const argument wrong = wrong_size(layout, p, bytes);
  return wrong == none ? fault() : fault_in(wrong, layout, p);
}

void require_count(index count) {
  if (count < 0) {
    throw shape_error("tenfold: gemm: the batch has " + number(count) + " problems, less than 0");
  }
}

void require_list(const void* list, const char* name, index count, const char* of) {
  if (count > 0 && list == nullptr) {
    throw shape_error(std::string("tenfold: gemm: the list ") + name +
                      " is null, but the batch has " + number(count) + " " + of +
                      (count == 1 ? "" : "s"));
  }
}

// ---- reporting ----------------------------------------------------------------------------------

findings::findings(batch_info info, index problems, index groups) : info_(info), groups_(groups) {
  const index codes = info.how() == reporting::all     ? problems
                      : info.how() == reporting::group ? groups
                      : info.how() == reporting::any   ? 1
                      : info.how() == reporting::whole ? 1
                                                       : 0;
  std::fill_n(info.codes(), codes, 0);
}

void findings::add(index problem, index group, const fault& f) {
  const int code = -static_cast<int>(f.what);
  const auto is_first = [&](index& first) {
    if (problem >= first) return false;
    first = problem;
    return true;
  };
  switch (info_.how()) {
    case reporting::all:
      info_.codes()[problem] = code;
      break;
    case reporting::group:
      first_.resize(static_cast<std::size_t>(groups_), INT64_MAX);
      if (is_first(first_[static_cast<std::size_t>(group)])) info_.codes()[group] = code;
      break;
    case reporting::any:
    case reporting::whole:
      if (is_first(first_of_all_)) *info_.codes() = code;
      break;
    case reporting::none:
      break;
    case reporting::thrown:
      if (is_first(first_of_all_)) thrown_ = f;
      break;
  }
}

void findings::tell() const {
  if (thrown_.what == none) return;
  const std::string text =
      "tenfold: gemm: problem " + number(first_of_all_) + ": " + thrown_.sentence;
  if (thrown_.overlaps) throw overlap_error(text);
  throw shape_error(text);
}

// ---- strided batches ----------------------------------------------------------------------------

fault strided_fault(order layout, const problem_terms& p, index bytes, const batch_place& a,
                    const batch_place& b, const batch_place& c, index count) {
  argument wrong = wrong_size(layout, p, bytes);
  if (wrong == none && count > 0) wrong = wrong_address(p, a.data, b.data, c.data);
  if (wrong != none) return fault_in(wrong, layout, p);
  if (count == 0 || !has_result(p)) return {};

  const bool reads = reads_operands(p);
  const auto beyond = [&](const batch_place& x) {
    return !is_addressable(count, x.problem, bytes);
  };
  const auto far = [&](argument which, const char* name, const batch_place& x) {
    return fault{which,
                 std::string(name) + " = " + number(x.problem) + " times " + number(count) +
                     " problems is beyond 2^62 bytes",
                 false};
  };
  if (reads && beyond(a)) return far(argument::a, "stride_a", a);
  if (reads && beyond(b)) return far(argument::b, "stride_b", b);
  if (beyond(c)) return far(argument::c, "stride_c", c);

  const auto whole = [&](const batch_place& x, op f, index rows, index columns, index ld) {
    memory_extent e = extent_of(x.data, bytes, layout, f, rows, columns, ld);
    e.repeat(count, x.problem);
    return e;
  };
  const memory_extent result = whole(c, op::none, p.m, p.n, p.ldc);
  if (!result.entries_apart())
    return {argument::c, "c may overlap itself: stride_c is " + number(c.problem), true};
  if (reads && (may_overlap(whole(a, p.op_a, p.m, p.k, p.lda), result) ||
                may_overlap(whole(b, p.op_b, p.k, p.n, p.ldb), result)))
    return overlap_of_c(meets_sentence);
  return {};
}

// ---- matrices at addresses ----------------------------------------------------------------------

checked_terms::checked_terms(order layout, const problem_terms& p, index bytes)
    : terms(p), wrong(wrong_size(layout, p, bytes)), bytes_of_a(0), bytes_of_b(0), bytes_of_c(0) {
  if (wrong != none || !has_result(p)) return;
  bytes_of_c = reach(layout, op::none, p.m, p.n, p.ldc, bytes);
  if (!reads_operands(p)) return;
  bytes_of_a = reach(layout, p.op_a, p.m, p.k, p.lda, bytes);
  bytes_of_b = reach(layout, p.op_b, p.k, p.n, p.ldb, bytes);
}

bool address_check::is_right(index problem, const checked_terms& t, index group, const void* pa,
                             const void* pb, const void* pc) {
  const argument wrong = t.wrong != none ? t.wrong : wrong_address(t.terms, pa, pb, pc);
  if (wrong != none) {
    report(problem, group, fault_in(wrong, layout_, t.terms));
    return false;
  }
  if (meets_itself(layout_, t.terms, bytes_, pa, pb, pc)) {
    report(problem, group, overlap_of_c(meets_sentence));
    return false;
  }
  return true;
}

void address_check::report(index problem, index group, const fault& f) {
  found_.add(problem, group, f);
  bad_.resize(static_cast<std::size_t>(count_));
  bad_[static_cast<std::size_t>(problem)] = true;
}

void address_check::keep(index problem, const checked_terms& t, index group, const void* pa,
                         const void* pb, const void* pc) {
  const problem_terms& p = t.terms;
  const auto add = [&](const void* data, op f, index rows, index columns, index ld, index bytes,
                       bool result) {
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    known_.push_back({begin, begin + static_cast<std::uintptr_t>(bytes), ld,
                      line(layout_, f, rows, columns), problem, group, result,
                      extent_of(data, bytes_, layout_, f, rows, columns, ld)});
  };
  if (!has_result(p)) return;
  add(pc, op::none, p.m, p.n, p.ldc, t.bytes_of_c, true);
  if (!reads_operands(p)) return;
  add(pa, p.op_a, p.m, p.k, p.lda, t.bytes_of_a, false);
  add(pb, p.op_b, p.k, p.n, p.ldb, t.bytes_of_b, false);
}

void address_check::find_meetings() {
  batched_blas::find_meetings(known_, [&](const placed_matrix& x) {
    report(x.problem, x.group, overlap_of_c("c overlaps a matrix of another problem"));
  });
}

void find_meetings(std::vector<placed_matrix>& all,
                   const std::function<void(const placed_matrix&)>& met) {
  std::sort(all.begin(), all.end(), [](const placed_matrix& x, const placed_matrix& y) {
    return x.begin != y.begin ? x.begin < y.begin : x.end < y.end;
  });
  std::vector<const placed_matrix*> open;  // those that reach beyond the one at hand
  for (const placed_matrix& x : all) {
    std::erase_if(open, [&](const placed_matrix* y) { return y->end <= x.begin; });
    bool same = false;
    for (const placed_matrix* y : open) {
      same = same || (y->begin == x.begin && y->end == x.end && y->ld == x.ld &&
                      y->length == x.length && !x.is_result && !y->is_result);
      if (y->problem != x.problem && (x.is_result || y->is_result) &&
          may_overlap(x.extent, y->extent))
        met(x.problem > y->problem ? x : *y);
    }
    if (!same) open.push_back(&x);
  }
}

}  // namespace tenfold::batched_blas
