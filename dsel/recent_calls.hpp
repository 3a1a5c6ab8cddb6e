#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <tenfold/dsel/run_time.hpp>
#include <tenfold/dsel/stored_program.hpp>
#include <vector>

/// What a thread has planned last: a call that only the running program knows costs microseconds to
/// plan, and is mostly the one before it once more.
namespace tenfold {

/// A call without its entries and factors, in words: calls of equal keys run the same program.
class call_key {
 public:
  call_key(std::string_view text, int operands, const call_settings& settings);

  void add(std::uint64_t word) {
    if (count_ < room) {
      words_[count_++] = word;
      return;
    }
    if (all_.empty()) all_.assign(words_, words_ + room);
    all_.push_back(word);
  }
  /// What an operand is beside its extents and strides.
  void add_form(scalar type, batch_layout layout, device space, bool conjugated,
                reflection symmetry, int rank) {
    add(static_cast<std::uint64_t>(type) | static_cast<std::uint64_t>(layout) << 8 |
        static_cast<std::uint64_t>(space) << 16 | static_cast<std::uint64_t>(conjugated) << 24 |
        static_cast<std::uint64_t>(symmetry) << 32 | static_cast<std::uint64_t>(rank) << 40);
  }
  void add_axis(index extent, index stride) {
    add(static_cast<std::uint64_t>(extent));
    add(static_cast<std::uint64_t>(stride));
  }
  void add(const operand_shape<max_rank>& shape);
  /// Which operands are one with an earlier one.
  void add_twins(const void* const* data, int count);

  const std::uint64_t* begin() const { return all_.empty() ? words_ : all_.data(); }
  const std::uint64_t* end() const {
    return all_.empty() ? words_ + count_ : all_.data() + all_.size();
  }

 private:
  static constexpr int room = 128;
  int count_ = 0;
  std::uint64_t words_[room];       // left as it is behind the last word
  std::vector<std::uint64_t> all_;  // all words of a long key
};

/// A call once it is planned.
struct recent_call {
  scalar type = scalar::f64;
  bool is_empty = false;  ///< a sum over nothing, or no entries of the result
  stored_program program;
};

/// The last calls of one thread and their programs.
class recent_calls {
 public:
  static recent_calls& of_this_thread();

  /// The call, or null. Shared, because a thread that waits in the middle of one call may run
  /// others, which take its place here.
  std::shared_ptr<const recent_call> find(const call_key& key);
  void keep(const call_key& key, std::shared_ptr<const recent_call> call);

 private:
  struct entry {
    std::vector<std::uint64_t> key;
    std::shared_ptr<const recent_call> call;
  };
  /// Enough for the statements of a loop; a longer loop plans each anew.
  static constexpr std::size_t places = 16;
  std::array<entry, places> entries_;
  std::size_t last_ = 0;  ///< found or kept last: where the search begins
  std::size_t next_ = 0;  ///< the oldest, which leaves first
};

/// As evaluate_admitted, where this thread still knows the call; false: it does not, nothing is
/// done.
bool evaluate_recent(const call_key& key, std::string_view text, const void* const* data,
                     const operand_shape<max_rank>& y_shape, void* y,
                     const call_settings& settings);

}  // namespace tenfold
