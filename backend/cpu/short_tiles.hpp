#pragma once

#include <algorithm>
#include <numeric>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/collected_lines.hpp>
#include <tenfold/backend/cpu/gathered_lanes.hpp>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/cpu/scratch.hpp>
#include <tenfold/backend/cpu/whole_steps.hpp>
#include <variant>

namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// Products entry by entry where the loops n and m are so short that a tile of them is little work:
/// some values of the loops around them as well are a block, and where its entries lie is a table.
/// Where results follow one another they are made by vectors, whose lanes are permuted out of those
/// that hold the operands' entries.
template <class T>
class short_tiles {
 public:
  /// Whether there is enough to make results by vectors. `loops`: all, in the order of the result;
  /// `tile`: entries of m and n.
  static bool pays(const loop_list& loops, index tile, bool has_b) {
    return has_vectors && select::pays_for_lanes(touched(loops, has_b), tile);
  }

  short_tiles(const loop_list& loops, index tile, bool has_b, const step_arguments<T>& args)
      : a_(static_cast<const T*>(args.a)),
        b_(static_cast<const T*>(args.b)),
        has_b_(has_b),
        is_plain_(args.alpha == T(1) && args.beta == T(0)),
        args_(args) {
    int cut = loops.count() - 1;
    while (cut > 0 && inner_ * loops.data()[cut].extent <= most / 2)
      inner_ *= loops.data()[cut--].extent;
    const step_loop& last = loops.data()[cut];
    values_ = most / inner_;
    if (const index whole = w / std::gcd(inner_, index{w}); values_ >= whole)
      values_ -= values_ % whole;  // blocks are of whole vectors
    values_ = std::clamp<index>(values_, 1, last.extent);
    left_ = last.extent;
    outer_.add(loops.data(), cut);
    outer_.add({(last.extent + values_ - 1) / values_, last.a * values_, last.b * values_,
                last.c * values_});
    loop_walk at(loops.data() + cut, loops.count() - cut, 0);
    bool follow = true;
    for (index i = 0; i < values_ * inner_; ++i, at.next()) {
      table_[i] = {at.a, at.b, at.c};
      follow = follow && at.c == i;
    }
    if constexpr (has_vectors) {
      const auto set = [&](auto& lanes, index place::*operand) {
        return lanes.set(values_ * inner_, [&](index i) { return table_[i].*operand; });
      };
      const double bytes = touched(loops, has_b);
      by_vectors_ = is_plain_ && follow && select::pays_for_lanes(bytes, tile) &&
                    set(lanes_of_a_, &place::a) && (!has_b_ || set(lanes_of_b_, &place::b));
      end_of_a_ = end_of(loops, &step_loop::a);
      end_of_b_ = has_b_ ? end_of(loops, &step_loop::b) : 0;
      streams_ = by_vectors_ && select::writes_past_caches(bytes, caches().l3) &&
                 reinterpret_cast<std::uintptr_t>(args.c) % sizeof(T) == 0;
    }
  }

  /// Whether its results are made by vectors.
  bool by_vectors() const { return by_vectors_; }

  void run() const {
    parallel_tiles(outer_.extent(), std::max<index>(1, select::pointwise_task / most),
                   [&](index begin, index end) {
                     loop_walk at(outer_, begin);
                     if (streams_) return stream_blocks(at, begin, end);
                     for (index i = begin; i < end; ++i, at.next()) block(at, args_.c + at.c);
                   });
  }

 private:
  static constexpr index most = 256;  ///< entries in the table
  static constexpr int w = lanes<T>;
  static constexpr bool has_vectors = permutes<T, w>;

  struct place {
    index a, b, c;
  };

  /// Bytes of all operands.
  static double touched(const loop_list& loops, bool has_b) {
    double all = 0;
    for (const auto of : {&step_loop::a, &step_loop::b, &step_loop::c}) {
      if (of == &step_loop::b && !has_b) continue;
      double entries = sizeof(T);
      for (int l = 0; l < loops.count(); ++l)
        if (loops.data()[l].*of != 0) entries *= static_cast<double>(loops.data()[l].extent);
      all += entries;
    }
    return all;
  }

  /// The number of entries of an operand if they lie one after another from the first one on; else
  /// none of what lies between them is known.
  static index end_of(const loop_list& loops, index step_loop::*operand) {
    index entries = 1, last = 0;
    for (int l = 0; l < loops.count(); ++l) {
      const step_loop& loop = loops.data()[l];
      if (loop.*operand < 0) return 0;
      if (loop.*operand == 0) continue;
      entries *= loop.extent;
      last += (loop.extent - 1) * (loop.*operand);
    }
    return entries == last + 1 ? entries : 0;
  }

  index entries_at(const loop_walk& at) const {
    return inner_ * std::min(values_, left_ - at.at(outer_.count() - 1) * values_);
  }

  void stream_blocks(loop_walk& at, index begin, index end) const {
    constexpr index room = 16384 / sizeof(T);
    const scratch_block memory(static_cast<std::size_t>(room) * sizeof(T));
    collected_lines<T> waiting(memory.as<T>(), room);
    for (index i = begin; i < end; ++i, at.next())
      block(at, waiting.next(args_.c + at.c, entries_at(at)));
    waiting.write_all();
    streams_end();
  }

  /// The block there, to c.
  void block(const loop_walk& at, T* c) const {
    const index count = entries_at(at);
    index i = 0;
    if constexpr (has_vectors) {
      if (by_vectors_) {
        i = count / w * w;
        const bool whole = at.a + lanes_of_a_.reach() <= end_of_a_ &&
                           (!has_b_ || at.b + lanes_of_b_.reach() <= end_of_b_);
        whole ? vectors_of_block<true>(at, i / w, c) : vectors_of_block<false>(at, i / w, c);
      }
    }
    if (!is_plain_) {
      for (; i < count; ++i)
        update_entry(c[table_[i].c], value(at, table_[i]), args_.alpha, args_.beta);
    } else if (has_b_) {
      for (; i < count; ++i) c[table_[i].c] = value(at, table_[i]);
    } else {
      for (; i < count; ++i) c[table_[i].c] = a_[at.a + table_[i].a];
    }
  }
  template <bool Whole>
  void vectors_of_block(const loop_walk& at, index count, T* c) const requires has_vectors {
    const T *const a = a_ + at.a, *const b = b_ + at.b;
    for (index v = 0; v < count; ++v) {
      vec<T, w> x = lanes_of_a_.template load<Whole>(a, v);
      if (has_b_) x = x * lanes_of_b_.template load<Whole>(b, v);
      store<T, w>(c + v * w, x);
    }
  }
  T value(const loop_walk& at, const place& x) const {
    return has_b_ ? scaled(a_[at.a + x.a], b_[at.b + x.b]) : a_[at.a + x.a];
  }

  const T *a_, *b_;
  bool has_b_, is_plain_;  ///< alpha is 1 and beta 0
  bool by_vectors_ = false, streams_ = false;
  const step_arguments<T>& args_;
  index inner_ = 1, values_, left_;  ///< entries of a value of the loop that is cut; its values
  loop_list outer_;
  place table_[most];
  using vectors = std::conditional_t<has_vectors, gathered_lanes<T, w, most / w>, std::monostate>;
  vectors lanes_of_a_, lanes_of_b_;
  index end_of_a_ = 0, end_of_b_ = 0;  ///< as end_of tells
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
