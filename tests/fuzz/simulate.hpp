#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <samples.hpp>
#include <stdexcept>
#include <string>
#include <tenfold/backend/interface/program.hpp>
#include <tenfold/backend/reference/contract.hpp>
#include <vector>

/// What a program means, said slowly: each entry by itself, on whole numbers modulo 2^64, whose
/// sums have one value in any order. So that what a program leaves is right or wrong, no matter how
/// wide the vectors of the machine are that tests it, nor whether it has them.
namespace tenfold::testing {

using whole = std::uint64_t;

/// A program that has what no simulation knows.
struct not_simulated : std::logic_error {
  using std::logic_error::logic_error;
};

struct simulated_memory {
  std::vector<std::vector<whole>*> inputs;  ///< by slot
  std::vector<whole>* output = nullptr;
  const index* extents = nullptr;  ///< by label, for loops whose extents the call tells
  bool adds = false;               ///< the result is added to what the output holds
};

/// Programs of real scalars, without maps, whose steps run tile by tile.
class simulation {
 public:
  simulation(const program_view& p, const simulated_memory& memory, generator& g)
      : p_(p),
        memory_(memory),
        g_(g),
        workspace_(static_cast<std::size_t>(p.workspace_entries)),
        columns_(between(g, 1, 3)) {
    poison(workspace_);
  }

  /// Throws not_simulated, and std::out_of_range for an address outside what it points to.
  void run() {
    for (int f = 0; f < p_.phase_count; ++f) run_phase(p_.phases[f]);
  }

 private:
  /// An entry, and where a step goes from it.
  struct place {
    std::vector<whole>* room = nullptr;
    index at = 0;

    place moved(index distance) const { return {room, at + distance}; }
  };
  struct places {
    place a, b, c;
  };

  void run_phase(const program_phase& phase) {
    const index n = phase.lane.extent == dyn ? memory_.extents[phase.lane.slot] : phase.lane.extent;
    const index span = phase.width * phase.vectors;
    index begin = phase.skip_span > 0 ? n - n % phase.skip_span : 0;
    index end = phase.partial ? n : begin + (n - begin) / span * span;
    if (phase.width == 1) begin = 0, end = 1;
    if (phase.overlaps) begin = n - span, end = n;
    std::vector<index> extents;
    for (int t = 0; t < phase.tile_count; ++t) {
      const tile_loop& loop = phase.tiles[static_cast<std::size_t>(t)];
      extents.push_back(loop.extent == dyn ? memory_.extents[loop.slot] : loop.extent);
    }
    scratch_.resize(static_cast<std::size_t>(phase.scratch_entries));
    width_ = phase.width;
    span_ = span;
    for_each_index(extents, [&](const std::vector<index>& at) {
      tile_ = at;
      for (first_lane_ = begin; first_lane_ < end; first_lane_ += span) {
        valid_ = std::min(span, end - first_lane_);
        poison(scratch_);
        run_tile(phase);
      }
    });
  }

  void run_tile(const program_phase& phase) {
    const int end = phase.first_step + phase.step_count;
    for (int s = phase.first_step; s < end;) {
      const slab_loop& slabs = p_.steps[s].slabs;
      if (slabs.steps == 0) {
        s = run_unit(s);
        continue;
      }
      const int behind = s + slabs.steps;
      for (slab_ = 0; slab_ < slabs.count; ++slab_) {
        for (int t = s; t < behind;) t = run_unit(t);
      }
      slab_ = 0;
      s = behind;
    }
  }

  /// Returns the step behind it.
  int run_unit(int s) {
    const program_step& step = p_.steps[s];
    const bool is_uniform =
        step.c.how == lane_access::uniform && std::max(step.sandwich, step.together) == 1;
    // Other steps have a loop over vectors.
    const bool copies = step.kind == step_kind::pack || step.kind == step_kind::unpack;
    const index lanes = is_uniform ? 1 : copies ? span_ : width_;
    for (lane_ = 0; lane_ < lanes; ++lane_) {
      if (step.sandwich > 1) {
        run_sandwich(s);
      } else if (step.together > 1) {
        run_together(s);
      } else if (step.kind == step_kind::contract) {
        run_contract(step);
      } else if (step.kind == step_kind::halve) {
        // Halves hold what the matrix holds.
        const places p = start_of(step);
        for_each_index({step.m.extent, step.k.extent}, [&](const std::vector<index>& at) {
          write(p.c.moved(at[0] * step.m.c + at[1] * step.k.c),
                read(p.a.moved(at[0] * step.m.a + at[1] * step.k.a)));
        });
      } else if (copies) {
        run_copy(step);
      } else {
        throw not_simulated("steps of this kind");
      }
    }
    return s + std::max(step.sandwich, step.together);
  }

  void run_copy(const program_step& step) {
    const bool is_pad = lane_ >= valid_;
    if (is_pad && step.kind == step_kind::unpack) return;
    for_each_outer(step, [&](const std::vector<index>& at) {
      const places p = moved(step, at);
      for (index x = 0; x < step.n.extent; ++x) {
        const whole value = is_pad ? 0 : read(p.a.moved(x * step.n.a));
        finish(step, p.c.moved(x * step.n.c), value);
      }
    });
  }

  void run_contract(const program_step& step) {
    const step_loop* const loops = p_.loops + step.first_loop + step.outer_count;
    const step_loop* const rows = loops + step.k_outer_count;
    for_each_outer(step, [&](const std::vector<index>& outer) {
      const places at_outer = moved(step, outer);
      for_each_index(extents_of(rows, step.row_count), [&](const std::vector<index>& row) {
        const places at_row = moved(at_outer, rows, row);
        for_each_index({step.n.extent, step.m.extent}, [&](const std::vector<index>& at) {
          places p = moved(moved(at_row, step.n, at[0]), step.m, at[1]);
          whole sum = 0;
          for_each_index(extents_of(loops, step.k_outer_count), [&](const std::vector<index>& k) {
            const places q = moved(p, loops, k);
            for (index x = 0; x < step.k.extent; ++x)
              sum += read(q.a.moved(x * step.k.a)) * read(q.b.moved(x * step.k.b));
          });
          finish(step, p.c, sum);
        });
      });
    });
  }

  void run_together(int first) {
    const program_step& step = p_.steps[first];
    for_each_outer(step, [&](const std::vector<index>& at) {
      for (index x = 0; x < step.n.extent; ++x)
        multiply_entries(first, step.together, at, {0, x}, 0);
    });
  }

  /// So many columns at once as a kernel likes: all of theirs is read before any of it is written.
  void run_sandwich(int first) {
    const program_step& there = p_.steps[first];
    const int last = first + there.sandwich - 1;
    const program_step& back = p_.steps[last];
    for_each_outer(there, [&](const std::vector<index>& at) {
      const places from = moved(there, at), to = moved(back, at);
      for (index n = 0; n < there.n.extent; n += columns_) {
        const index count = std::min(columns_, there.n.extent - n);
        std::vector<whole> held;  // [axis][column]
        for_each_index({there.m.extent, count}, [&](const std::vector<index>& y) {
          const place a = from.a.moved(y[0] * there.m.a), b = from.b.moved((n + y[1]) * there.n.b);
          whole sum = 0;
          for (index k = 0; k < there.k.extent; ++k)
            sum += read(a.moved(k * there.k.a)) * read(b.moved(k * there.k.b));
          held.push_back(sum);
        });
        std::size_t entry = 0;
        for_each_index({there.m.extent, count}, [&](const std::vector<index>& x) {
          held[entry] =
              multiply_entries(first + 1, there.sandwich - 2, at, {x[0], n + x[1]}, held[entry]);
          ++entry;
        });
        for_each_index({back.m.extent, count}, [&](const std::vector<index>& z) {
          whole sum = 0;
          for (index k = 0; k < back.k.extent; ++k)
            sum += read(to.a.moved(z[0] * back.m.a + k * back.k.a)) *
                   held[static_cast<std::size_t>(k * count + z[1])];
          finish(back, to.c.moved(z[0] * back.m.c + (n + z[1]) * back.n.c), sum);
        });
      }
    });
  }

  /// Products side by side of one entry (m, n), of which all is read before any of it is written.
  /// `held` is what registers hold before them; returns what they hold behind them.
  whole multiply_entries(int first, int count, const std::vector<index>& outer,
                         std::array<index, 2> entry, whole held) {
    struct product {
      place c;
      whole sum;
      bool goes_on;  ///< the next one adds to it
    };
    std::vector<product> products;
    for (int i = 0; i < count; ++i) {
      const program_step& step = p_.steps[first + i];
      const places p = moved(moved(moved(step, outer), step.m, entry[0]), step.n, entry[1]);
      whole value = step.a.where == buffer::registers ? held : read(p.a);
      value *= step.b.where == buffer::registers ? held : read(p.b);
      if (step.sign < 0) value = 0 - value;
      if (i > 0 && step.accumulates && p_.steps[first + i - 1].c == step.c) {
        products.back().goes_on = true;
        value += products.back().sum;
      } else if (step.accumulates) {
        value += read(p.c);
      }
      products.push_back({p.c, value, false});
    }
    whole left = held;
    for (int i = 0; i < count; ++i) {
      const product& made = products[static_cast<std::size_t>(i)];
      if (made.goes_on) continue;
      if (p_.steps[first + i].c.where == buffer::registers) {
        left = made.sum;
      } else {
        write(made.c, made.sum);
      }
    }
    return left;
  }

  void finish(const program_step& step, place c, whole value) {
    if (step.sign < 0) value = 0 - value;
    const bool adds = step.accumulates || step.finish == epilogue::add ||
                      (step.finish == epilogue::update && memory_.adds);
    write(c, adds ? value + read(c) : value);
  }

  place start_of(const operand_ref& x) {
    index at = x.offset + slab_ * x.slab_stride;
    if (x.where == buffer::none || x.where == buffer::registers) return {};
    if (x.mapped) throw not_simulated("maps");
    for (std::size_t t = 0; t < tile_.size(); ++t) at += tile_[t] * x.tile_stride[t];
    if (x.where == buffer::scratch) {
      if (x.how == lane_access::lanes) at += lane_;
      return {&scratch_, at};
    }
    at += (first_lane_ + lane_) * x.lane_stride;
    if (x.where == buffer::workspace) return {&workspace_, at};
    return {x.where == buffer::output ? memory_.output
                                      : memory_.inputs[static_cast<std::size_t>(x.slot)],
            at};
  }
  places start_of(const program_step& step) {
    return {start_of(step.a), start_of(step.b), start_of(step.c)};
  }
  static places moved(const places& p, const step_loop& loop, index at) {
    return {p.a.moved(at * loop.a), p.b.moved(at * loop.b), p.c.moved(at * loop.c)};
  }
  static places moved(places p, const step_loop* loops, const std::vector<index>& at) {
    for (std::size_t i = 0; i < at.size(); ++i) p = moved(p, loops[i], at[i]);
    return p;
  }
  /// Where a step is at one place of its outer loops.
  places moved(const program_step& step, const std::vector<index>& outer) {
    return moved(start_of(step), p_.loops + step.first_loop, outer);
  }

  static std::vector<index> extents_of(const step_loop* loops, int count) {
    std::vector<index> extents;
    for (int i = 0; i < count; ++i) extents.push_back(loops[i].extent);
    return extents;
  }
  template <class F>
  void for_each_outer(const program_step& step, F f) const {
    for_each_index(extents_of(p_.loops + step.first_loop, step.outer_count), f);
  }
  template <class F>
  static void for_each_index(const std::vector<index>& extents, F f) {
    reference::for_each_point(
        extents.data(), static_cast<int>(extents.size()),
        [&](const index* at) { f(std::vector<index>(at, at + extents.size())); });
  }

  whole& entry(const place& p) const {
    if (p.at < 0 || p.at >= static_cast<index>(p.room->size()))
      throw std::out_of_range("entry " + std::to_string(p.at) + " of " +
                              std::to_string(p.room->size()) + " is read or written");
    return (*p.room)[static_cast<std::size_t>(p.at)];
  }
  /// An operand that a step lacks is one.
  whole read(const place& p) const { return p.room == nullptr ? 1 : entry(p); }
  void write(const place& p, whole value) const { entry(p) = value; }
  void poison(std::vector<whole>& room) const {
    for (whole& x : room) x = g_();
  }

  const program_view p_;
  const simulated_memory memory_;
  generator& g_;
  std::vector<whole> workspace_, scratch_;
  index columns_;  ///< of a sandwich that are held at once
  std::vector<index> tile_;
  index first_lane_ = 0, lane_ = 0, width_ = 1, span_ = 1, valid_ = 1, slab_ = 0;
};

}  // namespace tenfold::testing
