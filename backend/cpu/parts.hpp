#pragma once

#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/interface/arguments.hpp>

namespace tenfold::cpu {

/// What for_each_part is made of.
void run_parts(const scatter_order* order, const program_phase& phase, const phase_range& range,
               range_body body, void* context);

/// Calls body(begin, end) for ranges of tiles that together are all of a phase which adds through a
/// map, as the order says: colour after colour, the parts of a colour in parallel; without an order
/// all in one call. The batch is the phase's outermost loop.
template <class Body>
void for_each_part(const scatter_order* order, const program_phase& phase, const phase_range& range,
                   Body&& body) {
  run_parts(
      order, phase, range,
      [](void* context, index begin, index end) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(begin, end);
      },
      &body);
}

}  // namespace tenfold::cpu
