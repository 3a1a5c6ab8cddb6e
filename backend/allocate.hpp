#pragma once

#include <tenfold/backend/cpu/parallel.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/tensor/allocation.hpp>

namespace tenfold {

/// Memory for `count` entries of T, all bits zero, whose pages lie with the threads that will
/// compute: on a machine of several memory nodes a page belongs to the node of the thread that
/// first touches it, and here the threads of the caller's arena do, part by part as they would
/// share a batch. Call it in the arena that will run the products; pin the arena to a node
/// (tbb::task_arena::constraints) where all of a batch is to stay on one. Throws std::bad_alloc.
///
/// A tensor does not touch its entries when it is made, so its pages go to whoever writes them
/// first.
template <class T>
allocation<T> allocate(index count) {
  allocation<T> memory(count);
  constexpr index page = 4096 / static_cast<index>(sizeof(T));
  auto* const entries = memory.data();
  cpu::parallel_tiles((count + page - 1) / page, select::task_pages, [&](index begin, index end) {
    const index first = begin * page, last = end * page < count ? end * page : count;
    __builtin_memset(static_cast<void*>(entries + first), 0,
                     static_cast<std::size_t>(last - first) * sizeof(T));
  });
  return memory;
}

}  // namespace tenfold
