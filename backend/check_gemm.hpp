#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <tenfold/backend/batched_blas.hpp>
#include <tenfold/backend/overlap.hpp>
#include <vector>

/// What can be wrong with the arguments of a batched product, or of a copy, and how it is said. The
/// check of views is declared in batched_blas.hpp.
namespace tenfold::batched_blas {

/// The arguments of cblas_gemm in their order; a code is minus such a number.
enum class argument { none, layout, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc };

/// What is wrong with a problem: nothing, or this argument.
struct fault {
  argument what = argument::none;
  std::string sentence;
  bool overlaps = false;
};

/// One problem without its scalar.
struct problem_terms {
  op op_a, op_b;
  index m, n, k;
  index lda, ldb, ldc;
  bool reads_ab;  ///< alpha is not 0
};

inline bool has_result(const problem_terms& p) { return p.m > 0 && p.n > 0; }
inline bool reads_operands(const problem_terms& p) {
  return has_result(p) && p.k > 0 && p.reads_ab;
}

/// Whether count * step entries of `bytes` are less than 2^62 bytes: that of one matrix and that of
/// a batch of them can be added.
bool is_addressable(index count, index step, index bytes);

/// Throws shape_error for a number of problems below 0.
void require_count(index count);
/// Throws shape_error for a list that is null although it has `count` entries.
void require_list(const void* list, const char* name, index count, const char* of = "problem");

/// Gathers what is wrong and says it at the end, as the caller asked.
class findings {
 public:
  findings(batch_info info, index problems, index groups);

  void add(index problem, index group, const fault& f);

  /// Throws what was found, if that was asked for.
  void tell() const;

 private:
  batch_info info_;
  index groups_;
  std::vector<index> first_;  ///< the first bad problem of each group
  index first_of_all_ = INT64_MAX;
  fault thrown_;
};

/// What is wrong with a strided batch as a whole. `bytes` are those of an entry.
fault strided_fault(order layout, const problem_terms& p, index bytes, const batch_place& a,
                    const batch_place& b, const batch_place& c, index count);

/// What is wrong with the sizes of problems of these terms.
fault fault_in_sizes(order layout, const problem_terms& p, index bytes);

/// What is known of problems of the same terms before their addresses are.
struct checked_terms {
  problem_terms terms;
  argument wrong;                            ///< none: the sizes are right
  index bytes_of_a, bytes_of_b, bytes_of_c;  ///< from the first entry to behind the last

  /// `bytes` are those of an entry.
  checked_terms(order layout, const problem_terms& p, index bytes);
};

/// A matrix at an address, and whose it is.
struct placed_matrix {
  std::uintptr_t begin, end;
  index ld, length;
  index problem, group;
  bool is_result;
  memory_extent extent;
};

/// Of any two matrices of different problems that may share an address, one of them a result, calls
/// met(that of the later problem). Sorts `all`.
void find_meetings(std::vector<placed_matrix>& all,
                   const std::function<void(const placed_matrix&)>& met);

/// Checks the addresses of the problems of a batch, one after the other.
class address_check {
 public:
  /// Reports to `found`.
  address_check(order layout, index bytes, index count, findings& found)
      : layout_(layout), bytes_(bytes), count_(count), found_(found) {}

  /// The next problem; addresses that are not read may be null.
  void add(const checked_terms& t, index group, const void* a, const void* b, const void* c) {
    const index problem = next_++;
    if (!is_plain(t, a, b, c) && !is_right(problem, t, group, a, b, c)) return;
#ifndef NDEBUG
    keep(problem, t, group, a, b, c);
#endif
  }

  /// The next `count` problems of a group, at the addresses of three lists; those that no problem
  /// of these terms needs may be null. In a function of its own, so that every caller runs the same
  /// code.
  template <class T>
  [[gnu::noinline]] void add_run(const checked_terms& t, index group, const T* const* a,
                                 const T* const* b, T* const* c, index count) {
    const bool reads = reads_operands(t.terms), writes = has_result(t.terms);
    for (index i = 0; i < count; ++i)
      add(t, group, reads ? a[i] : nullptr, reads ? b[i] : nullptr, writes ? c[i] : nullptr);
  }

  /// Behind the last problem: finds those whose result meets a matrix of an earlier one, or whose
  /// matrices an earlier result. Does nothing where the library is built with NDEBUG.
  void find_meetings();

  bool all_are_good() const { return bad_.empty(); }
  bool is_good(index problem) const {
    return bad_.empty() || !bad_[static_cast<std::size_t>(problem)];
  }

 private:
  /// Whether all there is to read and write is given, and C lies wholly before or behind A and B.
  static bool is_plain(const checked_terms& t, const void* a, const void* b, const void* c) {
    // x + bytes <= c or c + bytes_of_c <= x, in one comparison: none runs over the end of memory.
    const auto apart = [&](const void* x, index bytes) {
      const auto gap = reinterpret_cast<std::uintptr_t>(c) - reinterpret_cast<std::uintptr_t>(x),
                 of_x = static_cast<std::uintptr_t>(bytes),
                 of_c = static_cast<std::uintptr_t>(t.bytes_of_c);
      return gap - of_x <= std::uintptr_t{0} - of_x - of_c;
    };
    return t.wrong == argument::none && reads_operands(t.terms) && a != nullptr && b != nullptr &&
           c != nullptr && apart(a, t.bytes_of_a) && apart(b, t.bytes_of_b);
  }
  bool is_right(index problem, const checked_terms& t, index group, const void* a, const void* b,
                const void* c);
  void report(index problem, index group, const fault& f);
  void keep(index problem, const checked_terms& t, index group, const void* a, const void* b,
            const void* c);

  order layout_;
  index bytes_, count_;
  findings& found_;
  index next_ = 0;
  std::vector<bool> bad_;             ///< empty: none is
  std::vector<placed_matrix> known_;  ///< of good problems, for find_meetings
};

/// Throws overlap_error, which begins with `name`, if a copy of scalars of this type writes what it
/// reads, or an entry twice. Entries that a map names are looked at as those of a product are.
void check_copy(const char* name, const batch_copy& copy, scalar type);

}  // namespace tenfold::batched_blas
