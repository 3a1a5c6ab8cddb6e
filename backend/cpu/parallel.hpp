#pragma once

#include <memory>
#include <tenfold/tensor/extents.hpp>
#include <type_traits>

namespace tenfold::cpu {

/// Runs part [begin, end) of a range; `context` is what the caller passed along.
using range_body = void (*)(void* context, index begin, index end);

/// Calls `body` on disjoint parts that together are [0, count), on the threads of the caller's
/// arena; serial, in one call, when count <= grain or the arena has one thread.
///
/// Parts hold about `grain` entries or more; which parts there are and who runs them may differ
/// from call to call, so no result may depend on it. Nested calls are safe: a thread that waits
/// here takes no work from outside this call. An exception of `body` is passed on; parts not yet
/// begun are then skipped. Everything `body` wrote is visible to the caller on return.
void parallel_tiles(index count, index grain, range_body body, void* context);

/// The same for any callable (begin, end).
template <class Body>
requires std::is_invocable_v<Body&, index, index>
void parallel_tiles(index count, index grain, Body&& body) {
  using callable = std::remove_reference_t<Body>;
  parallel_tiles(
      count, grain,
      [](void* context, index begin, index end) { (*static_cast<callable*>(context))(begin, end); },
      const_cast<void*>(static_cast<const void*>(std::addressof(body))));
}

}  // namespace tenfold::cpu
