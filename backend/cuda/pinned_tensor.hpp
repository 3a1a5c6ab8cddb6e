#pragma once

#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/machine_memory.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <tenfold/tensor/view.hpp>

namespace tenfold {

/// Entries of a tensor in memory of the host that does not move, row-major, owned: a GPU copies
/// from and to it by itself, while the host goes on. Moves, does not copy; a moved-from tensor owns
/// nothing. An operand of what runs on the host.
///
///     pinned_tensor<double, dyn, 8> next(where, elements);
///     A.copy_from(next);         // started, not waited for
///     y.start_copy_to(result);   // where.wait() before it is read
template <scalar_type T, index... E>
class pinned_tensor {
 public:
  using extents_type = extents<E...>;
  using value_type = T;

  /// The dynamic extents in order. The memory is not set. Throws shape_error for a negative extent,
  /// backend_error if the machine has no room.
  template <index_like... N>
  requires(sizeof...(N) ==
           static_cast<std::size_t>(
               extents_type::rank_dynamic())) explicit pinned_tensor(const device_queue& where,
                                                                     N... n)
      : mapping_(extents_type(n...)), memory_(*where.machine, size()) {}

  T* data() noexcept { return memory_.data(); }
  const T* data() const noexcept { return memory_.data(); }
  index extent(int i) const noexcept { return mapping_.extents().extent(i); }
  index stride(int i) const noexcept { return mapping_.stride(i); }
  index size() const noexcept { return mapping_.extents().size(); }

  template <index_like... I>
  T& operator()(I... i) noexcept {
    return memory_.data()[mapping_(i...)];
  }
  template <index_like... I>
  const T& operator()(I... i) const noexcept {
    return memory_.data()[mapping_(i...)];
  }

 private:
  layout_right::mapping<extents_type> mapping_;
  cuda::machine_memory<T, cuda::memory_of::host> memory_;
};

template <scalar_type T, index... E>
struct operand_traits<pinned_tensor<T, E...>> : operand_traits<view<T, E...>> {};
template <scalar_type T, index... E>
struct operand_traits<const pinned_tensor<T, E...>> : operand_traits<const view<const T, E...>> {};

}  // namespace tenfold
