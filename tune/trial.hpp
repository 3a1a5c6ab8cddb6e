#pragma once

#include <memory>
#include <tenfold/backend/interface/tuning.hpp>

#include "sample.hpp"

namespace tenfold::tune {

/// A sample with its data: what is timed and what is checked.
class trial {
 public:
  virtual ~trial() = default;

  /// One pass over the batch; of a batch in memory over its next part, which no cache holds.
  virtual void run(const gemm_tuning&) = 0;

  /// Whether all results are right: those of some problems, first and last among them, compared
  /// with the reference by |result - value| <= 2 (k + 2) eps |A| |B|, and all others with those by
  /// the first tuning that was asked about, within twice the error that entries in [-1, 1) allow.
  virtual bool is_right(const gemm_tuning&) = 0;

  /// Of one pass.
  virtual double flops() const = 0;
};

/// Memory that is shared by the trials from memory.
class arena {
 public:
  /// A ring of more than the caches hold, forgotten by them when it has been gone around; batches
  /// in cache fill half of L2.
  arena(std::size_t ring_bytes, std::size_t l2_bytes);
  ~arena();

  struct contents;
  contents& all() { return *all_; }

 private:
  std::unique_ptr<contents> all_;
};

/// For the instruction set given. Null for static sizes that are not compiled, or not for it.
std::unique_ptr<trial> make_trial(const sample&, const size_class&, instruction_set, arena&);

}  // namespace tenfold::tune
