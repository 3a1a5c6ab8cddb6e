#pragma once

#include <algorithm>
#include <tenfold/backend/cpu/loop_walk.hpp>
#include <tenfold/backend/cpu/pack.hpp>

/// Blocks of an operand as panels, packed straight from their strides: the transposition that an
/// order of labels would ask for is part of that (P. Springer, P. Bientinesi, Design of a
/// high-performance GEMM-like tensor-tensor multiplication, 2018).
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The distances of two operands along a part of a group of loops that are merged into one index.
struct distances {
  index* x;
  index* y;

  /// Of indices [begin, begin + count); `to_x` and `to_y` say which operands.
  void fill(const step_loop* loops, int loop_count, index step_loop::*to_x, index step_loop::*to_y,
            index begin, index count) const {
    loop_walk walk(loops, loop_count, begin);
    const auto of = [&](index step_loop::*operand) {
      return operand == &step_loop::a ? walk.a : operand == &step_loop::b ? walk.b : walk.c;
    };
    for (index i = 0; i < count; ++i, walk.next()) {
      x[i] = of(to_x);
      y[i] = of(to_y);
    }
  }
};

/// Whether the distances go up in equal steps.
[[gnu::always_inline]] inline bool is_regular(const index* at, index count) {
  for (index i = 2; i < count; ++i)
    if (at[i] - at[i - 1] != at[1] - at[0]) return false;
  return true;
}

/// Entries of an operand that are neighbours in memory lie in panels `apart` indices from one
/// another; 0: nowhere, or side by side.
struct neighbours_apart {
  index lanes = 0, k = 0;

  /// Of a group of loops that ends with one of `extent` values and before it the one along which
  /// they are neighbours.
  static index of(const step_loop* loops, int count, index step_loop::*to) {
    return count > 1 && loops[count - 2].*to == 1 && loops[count - 1].*to != 1
               ? loops[count - 1].extent
               : 0;
  }
};

/// Lanes in runs, each of which begins a vector of W: behind a run its last lane is repeated until
/// the vector is full.
template <int W>
struct padded_runs {
  index run;    ///< lanes of one
  index first;  ///< of the first, which may be part of one

  static constexpr index whole(index lanes) { return (lanes + W - 1) / W * W; }

  /// Where lane i goes.
  index operator()(index i) const {
    if (i < first) return i;
    return whole(first) + (i - first) / run * whole(run) + (i - first) % run;
  }
  /// So many places do `count` lanes take.
  index places(index count) const { return whole((*this)(count - 1) + 1); }

  /// Brings the first `count` numbers to their places, the last run first.
  void spread(index* at, index count) const {
    for (index end = count; end > 0;) {
      const index before = end > first ? first + (end - 1 - first) / run * run : 0;
      const index length = end - before, place = (*this)(before);
      if (place != before) std::copy_backward(at + before, at + end, at + place + length);
      std::fill(at + place + length, at + place + whole(length), at[place + length - 1]);
      end = before;
    }
  }
};

/// Fewer lanes than these are not transposed as part of a panel.
inline constexpr int least_part = 4;

/// A part of an operand as panels: W lanes at each of k_count contracted values,
///   to[lane / W * W * k_count + k * W + lane % W] := conj?(from[lane_at[lane] + k_at[k]]),
/// 0 in lanes that fill the last panel.
template <class T, int W, bool Conjugated, class X>
class packing {
 public:
  packing(T* to, const X* from, const index* lane_at, index lanes_count, const index* k_at,
          index k_count, neighbours_apart near)
      : to_(to),
        from_(from),
        lane_at_(lane_at),
        lanes_count_(lanes_count),
        k_at_(k_at),
        k_count_(k_count),
        near_(near) {}

  void run() const {
    const index panels = (lanes_count_ + W - 1) / W;
    const index apart = near_.lanes % W == 0 ? near_.lanes / W : 0;
    if (apart == 0 && near_.lanes > 0 && in_parts<p>()) return;
    if (apart == 0) {
      for (index q = 0; q < panels;) {
        const index count = side_by_side(q, panels);
        count > 1 ? rows(q, count) : panel(q);
        q += count;
      }
      return;
    }
    transposed(panels, apart);
  }

 private:
  static constexpr int p = block_entries<T>;

  static constexpr index blocks_of_line =
      std::max<index>(1, 64 / (p * static_cast<index>(sizeof(X))));

  /// How many panels from q on hold neighbours of one another, all at once; at least 1.
  index side_by_side(index q, index panels) const {
    index count = 0;
    while (q + count < panels && is_whole(q + count) && lane_stride(q + count) == 1 &&
           lane_at_[(q + count) * W] == lane_at_[q * W] + count * W)
      ++count;
    return std::max<index>(count, 1);
  }
  /// Such panels: of some contracted values all neighbours, runs of memory. Of one at a time they
  /// would be a line of each panel, far from one another (`bdfhjklmno := sum_acegi abcdefghij
  /// acegiklmno`, 2 to 4 values a label, Zen 5: 98 GFLOP/s, four at a time 112; from memory up to
  /// 1.07 times the rate).
  void rows(index q, index count) const {
    constexpr index together = 4;
    for (index first = 0; first < k_count_; first += together) {
      const index end = std::min(first + together, k_count_);
      for (index i = 0; i < count * W; i += p) {
        T* to = to_ + ((q + i / W) * k_count_ + first) * W + i % W;
        for (index k = first; k < end; ++k, to += W)
          store_row<T, p>(to, load_row<T, p, Conjugated>(from_ + lane_at_[q * W] + k_at_[k] + i));
      }
    }
  }

  /// Neighbours `apart` panels from one another: panels c, c + apart, ..., as far as each lane is
  /// the neighbour of that of the panel before.
  void transposed(index panels, index apart) const {
    for (index c = 0; c < std::min(apart, panels); ++c)
      for (index first = c, end; first < panels; first = end) {
        end = first + apart;
        while (goes_on(end, apart)) end += apart;
        if (end - first < p * apart || (first + 1) * W > lanes_count_) {
          for (index q = first; q < end; q += apart) panel(q);
          continue;
        }
        const index* const lanes = lane_at_ + first * W;
        if (is_regular(lanes, W)) {
          const index stride = W > 1 ? lanes[1] - lanes[0] : 0;
          blocks(first, end, apart, [=](int l) { return l * stride; });
        } else {
          blocks(first, end, apart, [=](int l) { return lanes[l] - lanes[0]; });
        }
      }
  }
  bool goes_on(index q, index apart) const {
    if ((q + 1) * W > lanes_count_) return false;
    const index *const x = lane_at_ + q * W, *const before = x - apart * W;
    for (int l = 0; l < W; ++l)
      if (x[l] != before[l] + 1) return false;
    return true;
  }
  /// Such panels, each a block with those that hold its neighbours, the last drawn back so that it
  /// ends with them: of one contracted value all at a time, since they share a page. Lane l of a
  /// panel lies lane_at(l) from its first.
  template <class LaneAt>
  void blocks(index first, index end, index apart, const LaneAt& lane_at) const {
    const index step = p * apart, back = end - step;
    const index ahead = select::packed_ahead((end - first) / step);
    for (index k = 0; k < k_count_; ++k) {
      // Not by a function, which g++ would not call: it does nothing but fetch.
      if (k + ahead < k_count_)
        for (index q = first; q < end; q += blocks_of_line * step) {
          const X* const x = from_ + lane_at_[q * W] + k_at_[k + ahead];
          for (int l = 0; l < W; ++l) __builtin_prefetch(x + lane_at(l));
        }
      for (index i = first; i < end; i += step) {
        const index q = std::min(i, back);
        pack_block_at<T, W, Conjugated, p>(to_ + (q * k_count_ + k) * W, apart * k_count_ * W,
                                           from_ + lane_at_[q * W] + k_at_[k], lane_at);
      }
    }
  }

  bool is_whole(index q) const {
    return (q + 1) * W <= lanes_count_ && is_regular(lane_at_ + q * W, W);
  }
  index lane_stride(index q) const { return lane_at_[q * W + 1] - lane_at_[q * W]; }

  /// Where contracted value k of a lane goes.
  T* place(index lane, index k) const { return to_ + (lane / W * k_count_ + k) * W + lane % W; }

  /// Neighbours near_.lanes apart, where that is no whole number of panels, but of parts of P
  /// lanes: blocks of P parts are transposed (`dbea,ec->abcd`, 72 of each but 24 of c, from memory,
  /// single precision, Emerald Rapids: 33 GFLOP/s, lane by lane 22). For whole panels, whose lanes
  /// and places lie in equal steps, it is 0.7 of the rate of blocks. False: nothing is done.
  template <int P>
  bool in_parts() const {
    if constexpr (P < least_part) {
      return false;
    } else {
      if (near_.lanes % P != 0 || !has_run<P>()) return in_parts<P / 2>();
      for (index c = 0; c < std::min(near_.lanes, lanes_count_); c += P) column<P>(c);
      const index panels = (lanes_count_ + W - 1) / W;
      for (index lane = lanes_count_; lane < panels * W; ++lane)
        for (index k = 0; k < k_count_; ++k) *place(lane, k) = T(0);
      return true;
    }
  }
  /// Parts c, c + near_.lanes, ... of P lanes from part `first` on, up to `parts`, that hold
  /// neighbours each of the one before.
  template <int P>
  index end_of_run(index c, index first, index parts) const {
    for (index i = first + 1; i < parts; ++i) {
      const index lane = c + i * near_.lanes;
      for (index l = lane; l < lane + P; ++l)
        if (lane_at_[l] != lane_at_[l - near_.lanes] + 1) return i;
    }
    return parts;
  }
  template <int P>
  index whole_parts(index c) const {
    return c + P > lanes_count_ ? 0 : (lanes_count_ - c - P) / near_.lanes + 1;
  }
  /// Whether there is a run that a block of P parts goes into.
  template <int P>
  bool has_run() const {
    const index parts = whole_parts<P>(0);
    for (index first = 0, end; first < parts; first = end) {
      end = end_of_run<P>(0, first, parts);
      if (end - first >= P) return true;
    }
    return false;
  }
  /// The parts that begin at lanes c, c + near_.lanes, ... All neighbours of one contracted value
  /// at a time: they share a page.
  template <int P>
  void column(index c) const {
    const index step = near_.lanes, parts = whole_parts<P>(c);
    const auto block = [&](index part, index k) {
      const index lane = c + part * step;
      entry_row<T, P> row[P];
#pragma GCC unroll 16
      for (int l = 0; l < P; ++l)
        row[l] = load_row<T, P, Conjugated>(from_ + lane_at_[lane + l] + k_at_[k]);
      transpose<P, moved_unit<T>::count>(row);
#pragma GCC unroll 16
      for (int i = 0; i < P; ++i) store_row<T, P>(place(lane + i * step, k), row[i]);
    };
    const auto lane_by_lane = [&](index lane, index end) {
      for (; lane < end; ++lane)
        for (index k = 0; k < k_count_; ++k)
          *place(lane, k) = widen<T, Conjugated>(from_[lane_at_[lane] + k_at_[k]]);
    };
    for (index first = 0, end; first < parts; first = end) {
      end = end_of_run<P>(c, first, parts);
      if (end - first < P) {
        for (index i = first; i < end; ++i) lane_by_lane(c + i * step, c + i * step + P);
        continue;
      }
      // The last block is drawn back so that it ends with the run.
      for (index k = 0; k < k_count_; ++k)
        for (index i = first; i < end; i += P) block(std::min(i, end - P), k);
    }
    lane_by_lane(c + parts * step, std::min(c + parts * step + P, lanes_count_));
  }

  void panel(index q) const {
    T* const to = to_ + q * k_count_ * W;
    const index* const at = lane_at_ + q * W;
    const auto count = static_cast<int>(std::min<index>(W, lanes_count_ - q * W));
    if (!is_regular(at, count)) {
      if (count < W || !runs_of_lanes<W / 2>(to, at)) scattered(to, at, count);
      return;
    }
    const index stride = count > 1 ? at[1] - at[0] : 1, apart = near_.k;
    if (apart > 0 && count == W && stride != 1) {
      for (index at_k = 0; at_k < k_count_; at_k += p * apart) {
        // The last block is drawn back so that it ends with the part.
        const bool draws_back =
            at_k + p * apart > k_count_ && k_count_ >= p * apart && k_count_ % apart == 0;
        const index base = draws_back ? k_count_ - p * apart : at_k;
        for (index k = base; k < std::min(base + apart, k_count_); ++k) {
          bool near = k + (p - 1) * apart < k_count_;
          for (index i = 1; i < p && near; ++i) near = k_at_[k + i * apart] - k_at_[k] == i;
          if (near) {
            pack_block<T, W, Conjugated, p>(to + k * W, apart * W, from_ + at[0] + k_at_[k],
                                            stride);
          } else {
            for (index i = k; i < std::min(base + p * apart, k_count_); i += apart)
              one_by_one(to, at, count, i);
          }
        }
      }
      return;
    }
    for (index k = 0; k < k_count_;) {
      const index step = k + 1 < k_count_ ? k_at_[k + 1] - k_at_[k] : 0;
      index end = k + 1;
      while (end < k_count_ && k_at_[end] - k_at_[end - 1] == step) ++end;
      const X* const x = from_ + at[0] + k_at_[k];
      if (stride == 1 && count == W) {
        for (index i = k; i < end; ++i)
          for (int l = 0; l < W; l += p)
            store_row<T, p>(to + i * W + l, load_row<T, p, Conjugated>(x + (i - k) * step + l));
      } else {
        pack<T, W, Conjugated>(to + k * W, x, end - k, {step, stride}, count);
      }
      k = end;
    }
  }

  /// Lanes that are neighbours R or fewer at a time; false: they are all apart.
  template <int R>
  bool runs_of_lanes(T* to, const index* at) const {
    if constexpr (R < 2) {
      return false;
    } else {
      bool runs = R <= p;
      for (int l = 0; l < W && runs; ++l) runs = at[l] == at[l / R * R] + l % R;
      if (!runs) return runs_of_lanes<R / 2>(to, at);
      for (index k = 0; k < k_count_; ++k)
        for (int l = 0; l < W; l += R)
          store_row<T, R>(to + k * W + l, load_row<T, R, Conjugated>(from_ + at[l] + k_at_[k]));
      return true;
    }
  }

  /// Lanes anywhere: transposed where contracted values are neighbours.
  void scattered(T* to, const index* at, int count) const {
    for (index k = 0; k < k_count_;) {
      index run = 1;
      while (run < p && k + run < k_count_ && k_at_[k + run] - k_at_[k] == run) ++run;
      if (count < W) run = 1;
      k += transpose_run<p>(to, at, count, k, run);
    }
  }
  /// The first values of a run of neighbours, as many as a block of P or fewer takes: so many.
  template <int P>
  index transpose_run(T* to, const index* at, int count, index k, index run) const {
    if constexpr (P > 1) {
      if (run < P) return transpose_run<P / 2>(to, at, count, k, run);
      pack_block_at<T, W, Conjugated, P>(to + k * W, W, from_ + k_at_[k],
                                         [&](int l) { return at[l]; });
    } else {
      one_by_one(to, at, count, k);
    }
    return P;
  }

  void one_by_one(T* to, const index* at, int count, index k) const {
    for (int l = 0; l < count; ++l) to[k * W + l] = widen<T, Conjugated>(from_[at[l] + k_at_[k]]);
    for (int l = count; l < W; ++l) to[k * W + l] = T(0);
  }

  T* to_;
  const X* from_;
  const index* lane_at_;
  index lanes_count_;
  const index* k_at_;
  index k_count_;
  neighbours_apart near_;
};

/// The same of an operand of any scalar.
template <class T, int W>
void pack_operand(T* to, const void* from, index distance, const operand_ref& ref,
                  const index* lane_at, index lanes_count, const index* k_at, index k_count,
                  neighbours_apart near) {
  with_entries<T>(
      ref, [&]<class X, bool Conjugated>(std::type_identity<X>, std::bool_constant<Conjugated>) {
        packing<T, W, Conjugated, X>(to, static_cast<const X*>(from) + distance, lane_at,
                                     lanes_count, k_at, k_count, near)
            .run();
      });
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
