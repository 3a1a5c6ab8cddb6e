#pragma once

#include <algorithm>
#include <optional>
#include <tenfold/backend/cpu/caches.hpp>
#include <tenfold/backend/cpu/chunk_runs.hpp>
#include <tenfold/backend/cpu/dynamic_entries.hpp>
#include <tenfold/backend/cpu/dynamic_halves.hpp>
#include <tenfold/backend/cpu/dynamic_moves.hpp>
#include <tenfold/backend/cpu/dynamic_tiles.hpp>
#include <tenfold/backend/cpu/listed_tile.hpp>
#include <tenfold/backend/interface/select.hpp>

/// Steps of a program that is data which contract, by the tables of register tiles.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

template <class T, int W>
class dynamic_contract : protected dynamic_moves<T, W> {
  using base = dynamic_moves<T, W>;

 protected:
  using base::alpha_of, base::beta_of;
  using base::args_, base::phase_, base::program_;

  using base::base;

  /// What is the same for all tiles of the range, before the first of them runs.
  void make_ready(const phase_range& range) {
    from_memory_ =
        static_cast<double>(range.count) * bytes_read_once() > static_cast<double>(caches().l3);
    if constexpr (may_be_halved) {
      const program_step* const steps = program_.steps + phase_.first_step;
      if (std::any_of(steps, steps + phase_.step_count, &half_products<T, W>::is_in_halves))
        halves_.emplace(
            steps, phase_.step_count, program_.loops,
            [&](const program_step& s) { return this->template address<T>(s.a, nullptr, {}); },
            [&](const program_step& s) { return alpha_of(s); },
            [&](const program_step& s) { return beta_of(s); });
    }
  }

  void run_contract(const program_step& step, const step_loop* loops, T* scratch,
                    const slab_position& at) const {
    const step_pointers<T> p{this->template address<T>(step.a, scratch, at),
                             this->template address<T>(step.b, scratch, at),
                             this->template address<T>(step.c, scratch, at)};
    const T alpha = alpha_of(step), beta = beta_of(step);
    if (is_entry_wise(step) && alpha == T(1) && beta == T(0))
      return multiply_entries(step, loops, p);
    if constexpr (may_be_halved) {
      if (step.halves != reflection::none)
        return halves_->run(static_cast<int>(&step - program_.steps) - phase_.first_step, p);
      if (step.row_count > 0) return contract_listed(step, loops, p, alpha, beta);
    }
    contract(step, loops, p, alpha, beta);
  }

  /// Entry-wise products, some entries at a time: see program_step::together.
  void run_together(const program_step* steps, T* scratch, const slab_position& at) const {
    const int count = steps->together;
    together_product<T> p[select::most_together];
    for (int j = 0; j < count; ++j) {
      const program_step& step = steps[j];
      const auto goes_on = [&](int i) {
        return i > 0 && i < count && steps[i].accumulates && steps[i - 1].c == steps[i].c;
      };
      p[j] = {this->template address<T>(step.a, scratch, at),
              this->template address<T>(step.b, scratch, at),
              this->template address<T>(step.c, scratch, at),
              step.n,
              step.outer_count == 0 ? step_loop{} : program_.loops[step.first_loop],
              !goes_on(j),
              step.accumulates,
              step.sign < 0};
    }
    multiply_together<T, W>(p, count, steps->n.extent);
  }

 private:
  static constexpr bool may_be_halved = W > 1 && !is_complex_type<T>;
  struct nothing {};

  /// Whether a step is C[n] := A[n] B[n].
  static bool is_entry_wise(const program_step& step) {
    return step.a_varies && step.b.where != buffer::none && step.a.how == lane_access::lanes &&
           step.b.how == lane_access::lanes && step.m.extent == 1 && step.k.extent == 1 &&
           step.k_outer_count == 0;
  }
  static void multiply_entries(const program_step& step, const step_loop* loops,
                               const step_pointers<T>& p) {
    for_each_outer<max_step_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      together_product<T> one{q.a, q.b, q.c, step.n, step_loop{}, true, false, false};
      multiply_together<T, W>(&one, 1, step.n.extent);
    });
  }

  /// Rows and contracted values through tables: see program_step::row_count.
  void contract_listed(const program_step& step, const step_loop* loops, const step_pointers<T>& p,
                       T alpha, T beta) const {
    loop_list rows, sums;
    sums.add(loops + step.outer_count, step.k_outer_count);
    sums.add(step.k);
    rows.add(loops + step.outer_count + step.k_outer_count, step.row_count);
    rows.add(step.m);
    const listed_matrix<T> matrix(p.a, rows, sums);
    listed_operands<T> t{nullptr,  p.b,      p.c,   matrix.b_k, matrix.c_m,
                         step.n.b, step.n.c, alpha, beta};
    const auto& tiles = listed_table<T, W>;
    for_each_outer<max_step_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      for (index r = 0; r < matrix.tiles.count(); ++r) {
        const int m = matrix.height(r);
        const select::chunks columns(step.n.extent, select::listed_columns(m));
        t.a = matrix.tile(r);
        t.c_m = matrix.c_m + matrix.tiles.start(r);
        for_each_run_of_chunks(columns, [&](index column, index width, index count) {
          t.b = q.b + column * step.n.b;
          t.c = q.c + column * step.n.c;
          tiles[static_cast<std::size_t>((m - 1) * select::most_listed_columns + width - 1)](
              t, matrix.terms, count);
        });
      }
    });
  }

  /// The operand in memory that no two register tiles of a step read, and its strides; null: there
  /// is none.
  struct once {
    const operand_ref* x = nullptr;
    index step_loop::*along = &step_loop::a;
  };
  static once operand_read_once(const program_step& step) {
    once r;
    if (step.kind != step_kind::contract) return r;
    if (step.b.where != buffer::none && is_row(step)) {
      r = {&step.b, &step_loop::b};
    } else if (step.b.where == buffer::none && step.a_varies) {
      r.x = &step.a;
    }
    if (r.x != nullptr && r.x->where != buffer::input) r.x = nullptr;
    return r;
  }

  /// Of one tile of the phase.
  double bytes_read_once() const {
    double bytes = 0;
    for (int s = 0; s < phase_.step_count; ++s) {
      const program_step& step = program_.steps[phase_.first_step + s];
      const once r = operand_read_once(step);
      if (r.x == nullptr) continue;
      double entries = W;
      const auto count = [&](const step_loop& l) {
        if (l.*r.along != 0) entries *= static_cast<double>(l.extent);
      };
      count(step.n);
      count(step.k);
      for (int l = 0; l < step.outer_count + step.k_outer_count; ++l)
        count(program_.loops[step.first_loop + l]);
      bytes += entries * sizeof(T);
    }
    return bytes;
  }

  /// Contracted values that register tiles of so many columns fetch ahead: where their rows lie in
  /// memory one behind another, so that behind the last is what the next tile reads. Of rows that
  /// are longer, or farther apart, the processor fetches as much (0.92 to 1.0 with this).
  index rows_ahead(const program_step& step, int columns) const {
    if (!from_memory_) return 0;
    const once r = operand_read_once(step);
    if (r.x == nullptr) return 0;
    const index row = index{columns} * W, next = step.k.*r.along;
    return next < W || next > 2 * row ? 0 : select::rows_ahead(row * index{sizeof(T)});
  }

  void contract(const program_step& step, const step_loop* loops, const step_pointers<T>& p,
                T alpha, T beta) const {
    const int most = is_row(step) ? select::dynamic_row(scalar_of<T>).n : most_dynamic_columns<T>;
    const select::chunks rows(step.m.extent, most_dynamic_rows<T>), columns(step.n.extent, most);
    const step_loop* const k_outer = loops + step.outer_count;
    tile_operands<T> t = operands_of(step, p, alpha, beta);
    t.k_ahead = rows_ahead(step, columns.longer);
    const dynamic_tile_function<T>* const functions = dynamic_tiles_of<T, W>(step);
    for_each_outer<max_step_loops>(loops, step.outer_count, p, [&](const step_pointers<T>& q) {
      const auto run = [&](index row, index column, index height, index width,
                           const tiles_in_line& line) {
        t.a = q.a + row * step.m.a + column * step.n.a;
        t.b = q.b + column * step.n.b;
        t.c = q.c + row * step.m.c + column * step.n.c;
        functions[(height - 1) * most + width - 1](t, k_outer, step.k_outer_count, step.k.extent,
                                                   line);
      };
      for_each_run_of_chunks(rows, [&](index first, index height, index count) {
        // Tiles that are alike run by one call: down the rows where there is one of them in each.
        if (columns.count() == 1)
          return run(first, 0, height, columns.longer,
                     {count, height * step.m.a, 0, height * step.m.c});
        for (index r = 0; r < count; ++r)
          for_each_run_of_chunks(columns, [&](index column, index width, index tiles) {
            run(first + r * height, column, height, width,
                {tiles, width * step.n.a, width * step.n.b, width * step.n.c});
          });
      });
    });
  }

  std::optional<std::conditional_t<may_be_halved, half_products<T, W>, nothing>> halves_;
  bool from_memory_ = false;  ///< what steps read once does not stay in the caches
};

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
