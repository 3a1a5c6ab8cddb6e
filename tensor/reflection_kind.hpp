#pragma once

/// What is declared of a matrix under reflection, as data. Device code reads this header too, so it
/// includes nothing.
namespace tenfold {

/// What is declared of a matrix with Q rows and P columns: B(Q-1-q, P-1-i) = s B(q, i).
enum class reflection : unsigned char {
  none,  ///< nothing
  even,  ///< s = 1
  odd    ///< s = -1
};

}  // namespace tenfold
