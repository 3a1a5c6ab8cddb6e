#pragma once

#include <cstddef>
#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/interface/arguments.hpp>

namespace tenfold::cpu {

/// An array whose entries become 0 where a part is the first to add to them; nowhere if it is null.
struct array_to_clear {
  void* base = nullptr;
  std::size_t entry_bytes = 0;
};

/// What for_each_part is made of.
void run_parts(const scatter_order* order, array_to_clear y, const program_phase& phase,
               const phase_range& range, range_body body, void* context);

/// What for_each_part of an order is made of.
void run_problems(const scatter_order& order, index unit, index grain, range_body body,
                  void* context);

/// Calls body(begin, end) for ranges of problems that together are the batch: colour after colour,
/// the parts of a colour in parallel, about `grain` problems to a task. Where a part is no multiple
/// of `unit` problems, all in one call.
template <class Body>
void for_each_part(const scatter_order& order, index unit, index grain, const Body& body) {
  run_problems(
      order, unit, grain,
      [](void* context, index begin, index end) {
        (*static_cast<const Body*>(context))(begin, end);
      },
      const_cast<Body*>(&body));
}

/// Calls body(begin, end) for ranges of tiles that together are all of `phase`, which adds through
/// a map and is one of those from `first_phase` on, as the order says: colour after colour, the
/// parts of a colour in parallel; without an order all in one call. The batch is the phase's
/// outermost loop.
///
/// Where the program clears what it adds to, each part clears what it is the first to add to, just
/// before: while it adds they are in the cache (mat-vecs from memory, where clearing everything
/// first takes 9 % of BP1, p = 4, Emerald Rapids: BP1 1.05 times the rate, BP3 and BP5 1.01).
template <class T, class Body>
void for_each_part(const program_arguments<T>& args, const program_phase* first_phase,
                   const program_phase& phase, const phase_range& range, Body&& body) {
  array_to_clear y;
  if (args.clears && is_first_to_scatter(first_phase, phase)) y = {args.output, sizeof(T)};
  run_parts(
      args.order, y, phase, range,
      [](void* context, index begin, index end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      &body);
}

}  // namespace tenfold::cpu
