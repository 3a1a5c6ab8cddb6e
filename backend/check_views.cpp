#include <algorithm>
#include <array>
#include <cstdint>
#include <tenfold/backend/check_gemm.hpp>
#include <tenfold/tensor/error.hpp>
#include <utility>

namespace tenfold::batched_blas {

namespace {

std::string number(index x) { return std::to_string(x); }

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
    throw overlap_error(
        "tenfold: gemm: C may overlap itself: its strides do not keep its entries apart");
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

void check_copy(const char* name, const batch_copy& copy, scalar type) {
  const auto bytes = static_cast<index>(bytes_of(type));
  const auto placed = [&](const matrix_batch& how, const batch_place& place) {
    return matrices{how, place, copy.rows, copy.columns, copy.count};
  };
  const matrices from = placed(copy.from, copy.source), to = placed(copy.to, copy.destination);
  const placed_batch x(from, copy.rows, copy.columns, copy.count, bytes),
      y(to, copy.rows, copy.columns, copy.count, bytes);
  const std::string head = std::string("tenfold: ") + name + ": ";
  if (y.overlaps_itself())
    throw overlap_error(head + "y may overlap itself: its strides do not keep its entries apart");
  const index problem = y.first_meeting(x);
  if (problem < copy.count)
    throw overlap_error(head + (problem < 0 ? "" : "problem " + number(problem) + ": ") +
                        "y overlaps x");
}

}  // namespace tenfold::batched_blas
