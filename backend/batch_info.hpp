#pragma once

#include <tenfold/tensor/extents.hpp>

namespace tenfold {

/// How a batched call reports illegal arguments, after the proposal for a batched BLAS (Dongarra et
/// al., "The design and performance of batched BLAS on modern high-performance computing systems").
enum class reporting : unsigned char {
  thrown,  ///< shape_error or overlap_error for the first bad problem, with a sentence
  all,     ///< one code for each problem
  group,   ///< one code for each group: that of its first bad problem
  any,     ///< one code: that of the first bad problem
  whole,   ///< the same, and if there is one, nothing is computed
  none     ///< nothing is said
};

/// Where the codes of a batched call go. A code is 0, or -i if argument i of the problem is
/// illegal, counted as in cblas_gemm:
///   1 order   2, 3 op of A, B   4 m   5 n   6 k   7 alpha   8 a   9 lda   10 b   11 ldb   12 beta
///   13 c   14 ldc
/// Every code is written. A bad problem is left out, its C untouched, and the others are computed,
/// in every way of reporting but `whole`, also before an exception is thrown. A call that is wrong
/// as a whole (a negative count, a missing list, operands of different sizes) throws in every way.
class batch_info {
 public:
  constexpr batch_info() = default;
  /// codes[problem]
  static constexpr batch_info all(int* codes) { return {reporting::all, codes}; }
  /// codes[group]; a fixed batch is one group, and so is a variable one
  static constexpr batch_info group(int* codes) { return {reporting::group, codes}; }
  static constexpr batch_info any(int& code) { return {reporting::any, &code}; }
  static constexpr batch_info whole(int& code) { return {reporting::whole, &code}; }
  static constexpr batch_info none() { return {reporting::none, nullptr}; }

  constexpr reporting how() const { return how_; }
  constexpr int* codes() const { return codes_; }

 private:
  constexpr batch_info(reporting how, int* codes) : how_(how), codes_(codes) {}

  reporting how_ = reporting::thrown;
  int* codes_ = nullptr;
};

}  // namespace tenfold
