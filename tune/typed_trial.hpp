#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/reference/gemm.hpp>
#include <vector>

#include "common/buffer.hpp"
#include "trial.hpp"

/// The data of a trial, and what its results must be; included where trials are made.
namespace tenfold::tune {

/// A batch in memory is walked in parts of this size; each is cold, because the ring is larger than
/// the caches.
inline constexpr std::size_t part_bytes = std::size_t{32} << 20;

/// The ring. What is read lies in its first two thirds, what is written in the last, so that no
/// result becomes an operand.
struct arena::contents {
  bench::buffer<double> ring;
  std::size_t l2;
  scalar filled = scalar::c32;  ///< real scalar of the numbers in the ring; c32: none yet

  contents(std::size_t bytes, std::size_t l2_bytes)
      : ring(std::max(bytes, 4 * part_bytes) / 8), l2(l2_bytes) {}

  template <class R>
  index size() const {
    return static_cast<index>(ring.size() * 8 / sizeof(R));
  }
  template <class R>
  R* numbers() {
    R* const data = reinterpret_cast<R*>(ring.data());
    if (filled != scalar_of<R>) {
      // As in the bench: in [-1, 1), never zero and never tiny.
      std::uint64_t z = 1;
      for (std::size_t i = 0; i < static_cast<std::size_t>(size<R>()); ++i) {
        z = z * 0x5851f42d4c957f2d + 0x14057b7ef767814f;
        const double x = 0.0625 + 0.9375 * static_cast<double>(z >> 12) * 0x1p-52;
        data[i] = static_cast<R>((z >> 11 & 1) != 0 ? x : -x);
      }
      filled = scalar_of<R>;
    }
    return data;
  }
};

/// While parts of the ring are walked, the caches are taken to be smaller than one.
class as_from_memory {
 public:
  explicit as_from_memory(bool is) : is_(is), known_(cpu::caches()) {
    if (!is_) return;
    cpu::cache_sizes small = known_;
    small.l3 = static_cast<index>(part_bytes / 4);
    cpu::assume_caches(small);
  }
  ~as_from_memory() {
    if (is_) cpu::assume_caches(known_);
  }
  as_from_memory(const as_from_memory&) = delete;
  as_from_memory& operator=(const as_from_memory&) = delete;

 private:
  bool is_;
  cpu::cache_sizes known_;
};

template <class T>
class typed_trial : public trial {
  using R = real_type<T>;
  static constexpr index reals = is_complex(scalar_of<T>) ? 2 : 1;

 public:
  typed_trial(const sample& s, const size_class& c, instruction_set set, arena& memory)
      : shape_(shape_of(s, c)), set_(set), in_memory_(s.where == place::memory) {
    const std::size_t cached = memory.all().l2 / 2;
    std::size_t bytes = in_memory_ ? part_bytes : cached;
    if (s.where == place::threads || s.where == place::l3) bytes = 8 * cached;
    const index block = std::max<index>(shape_.c.block, shape_.a.block);
    const index each = (s.shared_a ? 0 : s.m * s.k) + s.k * s.n + s.m * s.n;
    const auto entries = static_cast<index>(bytes / sizeof(T)) - 8 * gap;
    count_ = std::max<index>(entries / each / block * block, block);

    const index a = s.shared_a ? s.m * s.k : count_ * s.m * s.k, b = count_ * s.k * s.n;
    place_b_ = in_lines(a);
    read_ = place_b_ + in_lines(b);
    written_ = in_lines(count_ * s.m * s.n);
    if (in_memory_) {
      arena::contents& ring = memory.all();
      to_ = ring.numbers<R>();
      from_ = to_;
      to_ += ring.size<R>() / 3 * 2;
      parts_ = std::min((to_ - from_) / (read_ * reals), ring.size<R>() / 3 / (written_ * reals));
    } else {
      own_ =
          std::make_unique<bench::buffer<R>>(static_cast<std::size_t>((read_ + written_) * reals));
      own_->fill(1);
      from_ = own_->data();
      to_ = own_->data() + read_ * reals;
    }
    arguments_.count = count_;
    const auto problem = [](const matrix_batch& x, index rows, index columns) {
      return x.shared ? 0 : rows * columns * x.block;
    };
    arguments_.a.problem = problem(shape_.a, s.m, s.k);
    arguments_.b.problem = problem(shape_.b, s.k, s.n);
    arguments_.c.problem = problem(shape_.c, s.m, s.n);
  }

  void run(const gemm_tuning& t) override {
    const as_from_memory guard(in_memory_);
    compute(arguments_of(part_), t);
    part_ = part_ + 1 < parts_ ? part_ + 1 : 0;
  }

  bool is_right(const gemm_tuning& t) override {
    const gemm_arguments<T> g = arguments_of(0);
    R* const c = static_cast<R*>(const_cast<void*>(g.c.data));
    const auto size = static_cast<std::size_t>(count_ * shape_.m * shape_.n * reals);
    std::fill_n(c, size, std::numeric_limits<R>::quiet_NaN());
    {
      const as_from_memory guard(in_memory_);
      compute(g, t);
    }
    if (wanted_.empty()) expect(g);
    for (const entry& e : wanted_) {
      if (!(std::fabs(static_cast<long double>(*e.at) - e.value) <= e.allowed)) return false;
    }
    if (known_.empty()) known_.assign(c, c + size);
    const R allowed =
        static_cast<R>(4 * (shape_.k + 2) * shape_.k * reals) * std::numeric_limits<R>::epsilon();
    for (std::size_t i = 0; i < size; ++i) {
      if (!(std::fabs(c[i] - known_[i]) <= allowed)) return false;
    }
    return true;
  }

  double flops() const override { return flops_of(shape_) * static_cast<double>(count_); }

 protected:
  virtual void compute(const gemm_arguments<T>& g, const gemm_tuning& t) {
    launch(shape_, g, set_, t);
  }
  const gemm_shape& shape() const { return shape_; }

 private:
  static constexpr index gap = 7 * 64 / sizeof(T);  // places in a page differ

  struct entry {
    const R* at;
    long double value, allowed;
  };

  static index in_lines(index entries) {
    constexpr index line = 64 / sizeof(T);
    return (entries + line - 1) / line * line + gap;
  }

  gemm_arguments<T> arguments_of(index part) const {
    gemm_arguments<T> g = arguments_;
    g.a.data = from_ + part * read_ * reals;
    g.b.data = from_ + (part * read_ + place_b_) * reals;
    g.c.data = to_ + part * written_ * reals;
    return g;
  }

  /// Of the first and last problems of a batch, as many as take some milliseconds.
  void expect(const gemm_arguments<T>& g) {
    const double work = flops_of(shape_);
    const index block = shape_.c.block;
    const index some = std::clamp<index>(static_cast<index>(2e6 / work), 1, count_);
    const auto add = [&](index first, index problems) {
      const auto moved = [&](const matrix_batch& x, batch_place p) {
        if (!x.shared) p.data = static_cast<const R*>(p.data) + first / x.block * p.problem * reals;
        return p;
      };
      gemm_arguments<T> h = g;
      h.a = moved(shape_.a, g.a);
      h.b = moved(shape_.b, g.b);
      h.c = moved(shape_.c, g.c);
      h.count = problems;
      const auto right = reference::gemm(shape_, h);
      std::size_t at = 0;
      for (index p = 0; p < problems; ++p)
        for (index i = 0; i < shape_.m; ++i)
          for (index j = 0; j < shape_.n; ++j, ++at) {
            const auto place = reference::place_of<T>(shape_.c, h.c, p, i, j);
            const long double allowed = 2 * static_cast<long double>(shape_.k + 2) *
                                        std::numeric_limits<R>::epsilon() * right[at].magnitude;
            if constexpr (reals == 2) {
              wanted_.push_back({place.re, right[at].value.real(), allowed});
              wanted_.push_back({place.im, right[at].value.imag(), allowed});
            } else {
              wanted_.push_back({place.re, right[at].value, allowed});
            }
          }
    };
    add(0, some);
    const index tail = (count_ - some) / block * block;
    if (tail > 0) add(tail, count_ - tail);
  }

  gemm_shape shape_;
  instruction_set set_;
  bool in_memory_;
  index count_ = 0, parts_ = 1, part_ = 0;
  index place_b_ = 0;             ///< entries, behind A
  index read_ = 0, written_ = 0;  ///< entries of a part
  gemm_arguments<T> arguments_;
  const R* from_ = nullptr;
  R* to_ = nullptr;
  std::unique_ptr<bench::buffer<R>> own_;
  std::vector<entry> wanted_;
  std::vector<R> known_;
};

}  // namespace tenfold::tune
