#pragma once

#include <cstddef>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/tensor/operand_traits.hpp>
#include <tenfold/tensor/view.hpp>
#include <utility>

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
      : machine_(where.machine), mapping_(extents_type(n...)) {
    data_ =
        static_cast<T*>(machine_->allocate_on_host(static_cast<std::size_t>(size()) * sizeof(T)));
  }
  pinned_tensor(pinned_tensor&& other) noexcept
      : machine_(other.machine_),
        mapping_(other.mapping_),
        data_(std::exchange(other.data_, nullptr)) {}
  pinned_tensor& operator=(pinned_tensor&& other) noexcept {
    machine_->release_on_host(data_);
    machine_ = other.machine_;
    mapping_ = other.mapping_;
    data_ = std::exchange(other.data_, nullptr);
    return *this;
  }
  ~pinned_tensor() { machine_->release_on_host(data_); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  index extent(int i) const noexcept { return mapping_.extents().extent(i); }
  index stride(int i) const noexcept { return mapping_.stride(i); }
  index size() const noexcept { return mapping_.extents().size(); }

  template <index_like... I>
  T& operator()(I... i) noexcept {
    return data_[mapping_(i...)];
  }
  template <index_like... I>
  const T& operator()(I... i) const noexcept {
    return data_[mapping_(i...)];
  }

 private:
  cuda::device_machine* machine_;
  layout_right::mapping<extents_type> mapping_;
  T* data_ = nullptr;
};

template <scalar_type T, index... E>
struct operand_traits<pinned_tensor<T, E...>> : operand_traits<view<T, E...>> {};
template <scalar_type T, index... E>
struct operand_traits<const pinned_tensor<T, E...>> : operand_traits<const view<const T, E...>> {};

}  // namespace tenfold
