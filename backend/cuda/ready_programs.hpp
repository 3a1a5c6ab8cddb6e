#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tenfold::cuda {

class ready_program;

/// The last `room` programs of one machine, by words that tell one call from others, so that a call
/// plans nothing and writes no text that one of them has. May be asked from several threads at
/// once.
class ready_programs {
 public:
  static constexpr std::size_t room = 64;
  using words = std::vector<std::uint64_t>;

  /// The program of this call, or null.
  std::shared_ptr<const ready_program> find(const words& key) {
    const std::lock_guard lock(mutex_);
    for (const auto& [known, program] : kept_) {
      if (known == key) return program;
    }
    return nullptr;
  }

  /// Takes the place of the oldest when all places are taken.
  void keep(words key, std::shared_ptr<const ready_program> program) {
    const std::lock_guard lock(mutex_);
    if (kept_.size() < room) {
      kept_.emplace_back(std::move(key), std::move(program));
    } else {
      kept_[oldest_] = {std::move(key), std::move(program)};
      oldest_ = (oldest_ + 1) % room;
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<words, std::shared_ptr<const ready_program>>> kept_;
  std::size_t oldest_ = 0;
};

}  // namespace tenfold::cuda
