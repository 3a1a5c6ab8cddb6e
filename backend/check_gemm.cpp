#include <algorithm>
#include <array>
#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/backend/interface/gemm_sizes.hpp>
#include <tenfold/tensor/error.hpp>
#include <utility>

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
  const index n = lines(layout, f, rows, columns);
  return is_addressable(n, n > 1 ? ld : line(layout, f, rows, columns), bytes);
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
    return {argument::c, "c overlaps itself: stride_c is " + number(c.problem), true};
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

// ---- views --------------------------------------------------------------------------------------

namespace {

bool has_address_range(const matrices& x) {
  return x.how.layout == batch_layout::strided || x.how.layout == batch_layout::interleaved;
}
bool is_listed(const matrices& x) { return x.how.layout == batch_layout::pointers; }
bool is_gathered(const matrices& x) { return x.how.layout == batch_layout::gathered; }

/// Whether the library is built to find what costs as much as small products.
#ifdef NDEBUG
constexpr bool looks_everywhere = false;
#else
constexpr bool looks_everywhere = true;
#endif

/// The axes of a batch, extents and steps in entries; of a row-major one the shortest step first.
struct axis {
  index extent, step;
};
using batch_axes = std::array<axis, 4>;

batch_axes axes_of(const matrices& x, index rows, index columns, index count) {
  const index block = x.how.block;
  if (x.how.layout == batch_layout::interleaved)
    return {{{block, 1},
             {columns, x.how.column * block},
             {rows, x.how.row * block},
             {(count + block - 1) / block, x.place.problem}}};
  return {{{columns, x.how.column}, {rows, x.how.row}, {count, x.place.problem}, {1, 0}}};
}

memory_extent extent_along(const void* data, const batch_axes& axes, index bytes) {
  memory_extent e(data, bytes);
  for (const axis& a : axes) e.repeat(a.extent, a.step);
  return e;
}

/// From the first address of a batch to behind its last.
struct address_range {
  std::uintptr_t begin, end;

  address_range(std::uintptr_t first, std::uintptr_t last) : begin(first), end(last) {}
  address_range(const void* data, const batch_axes& axes, index bytes) {
    index before = 0, behind = 1;
    for (const axis& a : axes) {
      if (a.extent == 0) {  // no entries, whatever the steps are
        begin = end = 0;
        return;
      }
      (a.step < 0 ? before : behind) += (a.extent - 1) * a.step;
    }
    const auto at = reinterpret_cast<std::uintptr_t>(data);
    begin = at + static_cast<std::uintptr_t>(before * bytes);
    end = at + static_cast<std::uintptr_t>(behind * bytes);
  }
  friend bool meet(const address_range& x, const address_range& y) {
    return x.begin < y.end && y.begin < x.end;
  }
};

/// Whether each axis steps over all entries of those before it.
bool is_nested(const batch_axes& axes) {
  index reach = 1;
  for (const axis& a : axes) {
    if (a.extent > 1 && a.step < reach) return false;
    reach += (a.extent - 1) * a.step;
  }
  return true;
}

/// The first of `count` problems of which this is true, or their number. Eight at a time: with a
/// jump back for each, three lists of 10,000 cost 10 us where their products of order 4 take 100
/// (Emerald Rapids; all that is asked of them so 15).
template <class F>
index first_problem(index count, const F& is_it) {
  const auto any_of_8 = [&]<index... I>(index p, std::integer_sequence<index, I...>) {
    return (is_it(p + I) || ...);
  };
  index p = 0;
  while (p + 8 <= count && !any_of_8(p, std::make_integer_sequence<index, 8>())) p += 8;
  while (p < count && !is_it(p)) ++p;
  return p;
}

/// An operand of a call over views, its matrices as they are multiplied.
class placed_batch {
 public:
  placed_batch(const matrices& x, index rows, index columns, index count, index bytes)
      : x_(x),
        count_(count),
        bytes_(bytes),
        axes_(axes_of(x, rows, columns, is_listed(x) ? 1 : count)),
        range_(is_listed(x) ? nullptr : x.place.data, axes_, bytes) {}

  /// One matrix at an address, or all.
  memory_extent extent(index problem) const { return extent_along(data(problem), axes_, bytes_); }
  /// Whether an entry of one matrix, or of all, has two indices.
  bool overlaps_itself() const {
    return !is_gathered(x_) && !is_nested(axes_) &&
           !extent_along(nullptr, axes_, bytes_).entries_apart();
  }

  /// The first problem whose result may meet its matrix in x, or any of x where these lie in one
  /// range, or any result where those do; -1: it is not known which; their number: none does.
  index first_meeting(const placed_batch& x) const {
    if (is_gathered(x_) || is_gathered(x.x_)) {
      const bool same = is_gathered(x_) && is_gathered(x.x_) && x_.place.data == x.x_.place.data &&
                        x_.place.map == x.x_.place.map;
      return (same || looks_everywhere) && shares_entries(x) ? -1 : count_;
    }
    if (!is_listed(x_) && !is_listed(x.x_))
      return meet(range_, x.range_) && may_overlap(extent(0), x.extent(0)) ? -1 : count_;
    // [c + in_c.begin, c + in_c.end) and [x + in_x.begin, x + in_x.end) meet, in one comparison.
    const address_range &in_c = range_, &in_x = x.range_;
    const std::uintptr_t to = in_c.end - in_x.begin - 1,
                         both = in_c.end - in_c.begin + in_x.end - in_x.begin - 1;
    for (index p = 0; p < count_; ++p) {
      p += with_addresses([&](auto c) {
        return x.with_addresses([&](auto at) {
          return first_problem(count_ - p,
                               [&](index i) { return c(p + i) - at(p + i) + to < both; });
        });
      });
      if (p < count_ && may_overlap(extent(p), x.extent(p))) return p;
    }
    return count_;
  }

  /// As matrices of a call at addresses.
  void add_to(std::vector<placed_matrix>& all, bool is_result) const {
    for (index p = 0; p < count_; ++p) {
      const address_range r(data(p), axes_, bytes_);
      all.push_back({r.begin, r.end, x_.how.row, x_.how.column, p, 0, is_result, extent(p)});
    }
  }

 private:
  const void* data(index problem) const {
    return is_listed(x_) ? static_cast<const void* const*>(x_.place.data)[problem] : x_.place.data;
  }
  /// f(the address of a problem), where that is 0 of matrices that are not listed.
  template <class F>
  index with_addresses(const F& f) const {
    if (!is_listed(x_)) return f([](index) { return std::uintptr_t{0}; });
    const auto* const list = static_cast<const void* const*>(x_.place.data);
    return f([list](index p) { return reinterpret_cast<std::uintptr_t>(list[p]); });
  }

  /// Calls f with the address of each entry. Complex ones that are interleaved count as if they lay
  /// one behind another: together they fill the same bytes.
  template <class F>
  void for_each_address(const F& f) const {
    const auto at = [&](const void* from, index entries) {
      f(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(entries * bytes_));
    };
    const auto for_each_index = [&](const batch_axes& axes, const auto& g) {
      for (index i = 0; i < axes[3].extent; ++i)
        for (index j = 0; j < axes[2].extent; ++j)
          for (index k = 0; k < axes[1].extent; ++k)
            for (index l = 0; l < axes[0].extent; ++l)
              g(i * axes[3].step + j * axes[2].step + k * axes[1].step + l * axes[0].step);
    };
    if (!is_gathered(x_)) {
      for (index p = 0; p < (is_listed(x_) ? count_ : 1); ++p)
        for_each_index(axes_, [&](index entries) { at(data(p), entries); });
      return;
    }
    for_each_index(axes_, [&](index number) {
      const index entry = x_.place.wide_map
                              ? static_cast<const std::int64_t*>(x_.place.map)[number]
                              : static_cast<const std::int32_t*>(x_.place.map)[number];
      if (entry >= 0) at(x_.place.data, entry);
    });
  }
  /// Whether a byte of an entry is also one of y, one of which is gathered.
  bool shares_entries(const placed_batch& y) const {
    const auto range_of = [](const placed_batch& x) {
      address_range r(UINTPTR_MAX, 0);
      x.for_each_address([&](std::uintptr_t at) {
        r.begin = std::min(r.begin, at);
        r.end = std::max(r.end, at + static_cast<std::uintptr_t>(x.bytes_));
      });
      return r;
    };
    if (!meet(range_of(*this), range_of(y))) return false;
    std::vector<std::uintptr_t> mine;
    for_each_address([&](std::uintptr_t at) { mine.push_back(at); });
    std::sort(mine.begin(), mine.end());
    const auto bytes = static_cast<std::uintptr_t>(bytes_);
    bool shares = false;
    y.for_each_address([&](std::uintptr_t at) {
      const auto next = std::lower_bound(mine.begin(), mine.end(), at - bytes + 1);
      shares = shares || (next != mine.end() && *next < at + bytes);
    });
    return shares;
  }

  const matrices& x_;
  index count_, bytes_;
  batch_axes axes_;
  address_range range_;  ///< of matrices at addresses from each of these on
};

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
  const bool on_host = c.space == device::cpu;  // lists and maps elsewhere cannot be read
  const auto require_data = [&](const matrices& x, char name) {
    if (x.place.data == nullptr) fail(std::string(1, name) + " is null, but there is work to do");
    if (is_gathered(x) && x.place.map == nullptr)
      fail(std::string("the map of ") + name + " is null, but there is work to do");
    if (!is_listed(x) || !on_host) return;
    const auto* const list = static_cast<const void* const*>(x.place.data);
    const index p = first_problem(count, [&](index i) { return list[i] == nullptr; });
    if (p < count) fail("problem " + number(p) + ": " + name + " is null, but there is work to do");
  };
  require_data(c, 'C');
  if (reads) {
    require_data(a, 'A');
    require_data(b, 'B');
  }

  if (has_address_range(c) && has_address_range(a) && has_address_range(b)) {
    // Most calls: 8 products of order 4 in 87 ns, by what follows 95 (Emerald Rapids).
    const batch_axes axes = axes_of(c, m, n, count);
    const address_range range(c.place.data, axes, bytes);
    if (is_nested(axes) &&
        !(reads && (meet(range, {a.place.data, axes_of(a, m, k, count), bytes}) ||
                    meet(range, {b.place.data, axes_of(b, k, n, count), bytes}))))
      return {m, n, k, count};
  }
  const placed_batch in_a(a, m, k, count, bytes), in_b(b, k, n, count, bytes),
      in_c(c, m, n, count, bytes);
  if (in_c.overlaps_itself())
    throw overlap_error("tenfold: gemm: C overlaps itself: two of its entries have one address");
  const auto overlaps = [](index problem, const std::string& what) {
    throw overlap_error(
        "tenfold: gemm: " + (problem < 0 ? "" : "problem " + number(problem) + ": ") +
        "C overlaps " + what);
  };
  const auto require_disjoint = [&](const matrices& x, const placed_batch& in_x, char name) {
    if (!on_host && !(has_address_range(x) && has_address_range(c))) return;
    const index p = in_c.first_meeting(in_x);
    if (p < count) overlaps(p, std::string(1, name));
  };
  if (reads) {
    require_disjoint(a, in_a, 'A');
    require_disjoint(b, in_b, 'B');
  }
  if (looks_everywhere && on_host && is_listed(c)) {
    std::vector<placed_matrix> all;
    in_c.add_to(all, true);
    if (reads && is_listed(a)) in_a.add_to(all, false);
    if (reads && is_listed(b)) in_b.add_to(all, false);
    index first = count;
    find_meetings(all, [&](const placed_matrix& x) { first = std::min(first, x.problem); });
    if (first < count) overlaps(first, "a matrix of another problem");
  }
  return {m, n, k, count};
}

}  // namespace tenfold::batched_blas
