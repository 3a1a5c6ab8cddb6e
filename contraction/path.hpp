#pragma once

#include <cstdint>
#include <tenfold/contraction/limits.hpp>

/// In which order values are multiplied, pair by pair, and what may be asked of the search for it
/// (find_path.hpp).
namespace tenfold {

enum class path_method : unsigned char {
  automatic,            ///< dynamic programming where it is quick, greedy beyond
  dynamic_programming,  ///< the cheapest tree; 3^n steps for n operands; greedy beyond 16
  greedy,               ///< n^3 steps
  random_greedy,        ///< the best of `tries` greedy searches with noise from `seed`
  given                 ///< `pairs`
};

/// What a path should have little of.
enum class path_objective : unsigned char { flops, bytes, both };

/// Which of the trees that cost the same.
enum class path_ties : unsigned char {
  outermost,  ///< the costliest step contracts the outermost axis
  /// The same, but the innermost axis of a leaf, and that of the result, are left to other steps
  /// than the first and the last one: for threads that read and write neighbours side by side. On
  /// an H200 mass operators of degree 2 to 8 ran 1.01 to 1.15 times as fast so.
  neighbours
};

/// How the order of multiplication is found.
struct path_options {
  static constexpr int max_pairs = 31;

  path_method method = path_method::automatic;
  path_objective objective = path_objective::both;
  std::uint64_t seed = 0;
  int tries = 64;
  /// No intermediate may have more entries; 0: as many as could lie in memory.
  double largest_intermediate = 0;
  /// As NumPy's and opt_einsum's paths: two positions among the operands that are left; both leave,
  /// their product goes to the end.
  int pair_count = 0;
  std::uint8_t pairs[max_pairs][2] = {};

  friend constexpr bool operator==(const path_options&, const path_options&) = default;
};

/// One leaf or intermediate of the search.
template <limits L>
struct path_value {
  label_set labels = 0;
  label_list<L.labels> order{};
};

/// The pairs in order. Values: the leaves first, then each result.
template <limits L>
struct contraction_path {
  int count = 0;
  bool found = true;  ///< false: every order breaks the limit, or the given pairs are no path
  std::uint8_t a[L.operands] = {}, b[L.operands] = {};
};

}  // namespace tenfold
