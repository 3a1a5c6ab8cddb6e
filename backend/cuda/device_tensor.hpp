#pragma once

#include <array>
#include <string>
#include <tenfold/backend/cuda/device_queue.hpp>
#include <tenfold/backend/cuda/machine_memory.hpp>
#include <tenfold/backend/cuda/pinned_tensor.hpp>
#include <tenfold/tensor/device_view.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/view.hpp>
#include <type_traits>
#include <utility>

namespace tenfold {

/// Entries of a tensor in the memory of a device, row-major, owned. Moves, does not copy; a
/// moved-from tensor owns nothing. An operand of what runs on that device; its entries come and go
/// by `copy_from` and `copy_to`.
///
///     device_tensor<double, dyn, 8, 8> A(on(device::cuda), elements);
///     A.copy_from(host);
template <scalar_type T, index... E>
class device_tensor {
 public:
  using extents_type = extents<E...>;
  using view_type = device_view<device::cuda, view<T, E...>>;
  using const_view_type = device_view<device::cuda, view<const T, E...>>;

  /// The dynamic extents in order. The memory is not set. Throws shape_error for a negative extent,
  /// backend_error if the device has no room.
  template <index_like... N>
  requires(sizeof...(N) ==
           static_cast<std::size_t>(
               extents_type::rank_dynamic())) explicit device_tensor(const device_queue& where,
                                                                     N... n)
      : device_tensor(where, extents_type(n...)) {}
  /// All extents.
  device_tensor(const device_queue& where, const extents_type& n)
      : where_(where), mapping_(n), memory_(*where.machine, size()) {}

  /// The address on the device of entry (0, 0, ...).
  T* data() noexcept { return memory_.data(); }
  const T* data() const noexcept { return memory_.data(); }
  index extent(int i) const noexcept { return mapping_.extents().extent(i); }
  index stride(int i) const noexcept { return mapping_.stride(i); }
  index size() const noexcept { return mapping_.extents().size(); }
  /// The machine whose memory it is in, and the stream on which its copies are made.
  const device_queue& queue() const noexcept { return where_; }

  /// A(i, j) with labels: part of an expression, see at_labels.
  template <class... I>
  requires labelled<I...>
  auto operator()(I... i) & { return labelled_entries(*this, i...); }
  template <class... I>
  requires labelled<I...>
  auto operator()(I... i) const& { return labelled_entries(*this, i...); }
  template <class... I>
  requires labelled<I...>
  auto operator()(I... i) && { return labelled_entries(static_cast<device_tensor&&>(*this), i...); }

  view_type view_of() noexcept { return view_type(view<T, E...>(data(), mapping_)); }
  const_view_type view_of() const noexcept {
    return const_view_type(view<const T, E...>(data(), mapping_));
  }

  /// Copies all entries from, or to, row-major entries of the host (a tensor, a view), behind what
  /// is on the stream of the tensor; `copy_to` waits for it, `start_copy_to` does not. `copy_from`
  /// has read the host's entries when it returns, but for those in memory that does not move, a
  /// pinned_tensor's or what the program pinned itself (cudaMallocHost, cudaHostRegister,
  /// cudaMallocManaged): these are read and written when the stream comes to it, and until then, as
  /// queue().wait() tells, they must live, and stay. Work on other streams is not waited for.
  /// Throws shape_error for other extents or strides, and where there are entries, but the host's
  /// have no address, or this tensor was moved from. A copy does not conjugate.
  template <class X>
  void copy_from(const X& host) {
    constexpr bool is_tensor = tensor_like<const X>;
    static_assert(is_tensor, "tenfold: copy_from takes a tensor or a view of the host");
    if constexpr (is_tensor) {
      require_like("copy_from", host);
      if (memory_.bytes() > 0)
        where_.machine->copy_in(data(), operand_traits<const X>::data(host), memory_.bytes(),
                                where_.stream);
    }
  }
  template <class X>
  void copy_to(X&& host) const {
    copy_out_to("copy_to", host);
    where_.wait();
  }
  template <index... F>
  void start_copy_to(pinned_tensor<T, F...>& host) const {
    copy_out_to("start_copy_to", host);
  }

 private:
  template <class X>
  void copy_out_to(const char* name, X& host) const {
    require_like(name, host);
    constexpr bool is_writable = operand_traits_of<X>::is_writable;
    static_assert(is_writable, "tenfold: copy_to: the tensor is const, or can only be read");
    if constexpr (is_writable) {
      if (memory_.bytes() > 0)
        where_.machine->copy_out(operand_traits<X>::data(host), memory_.data(), memory_.bytes(),
                                 where_.stream);
    }
  }

  /// For the function `name`.
  template <class X>
  void require_like(const char* name, const X& host) const {
    using traits = operand_traits<const X>;
    static_assert(!conjugates<X>,
                  "tenfold: a copy does not conjugate: write conj(copied(where, A)), not "
                  "copied(where, conj(A))");
    static_assert(traits::space == device::cpu && traits::layout == batch_layout::strided,
                  "tenfold: copies are from and to strided tensors of the host");
    static_assert(
        std::is_same_v<typename traits::scalar_t, T> && traits::rank == extents_type::rank(),
        "tenfold: a copy needs a tensor of the same scalar and rank");
    for (int i = 0; i < traits::rank; ++i) {
      if (traits::extent(host, i) != extent(i))
        throw shape_error(
            "tenfold: a copy between a device_tensor and a tensor of the host: axis " +
            std::to_string(i) + " has " + std::to_string(extent(i)) + " and " +
            std::to_string(traits::extent(host, i)) + " entries");
      if (extent(i) > 1 && size() > 0 && traits::stride(host, i) != stride(i))
        throw shape_error(
            "tenfold: a copy between a device_tensor and a tensor of the host: axis " +
            std::to_string(i) + " of the latter has the stride " +
            std::to_string(traits::stride(host, i)) + ", not the row-major one, " +
            std::to_string(stride(i)));
    }
    if (size() == 0) return;
    const auto require = [&](bool there, const char* wrong) {
      if (!there) throw shape_error(std::string("tenfold: ") + name + ": " + wrong);
    };
    require(traits::data(host) != nullptr,
            "the tensor of the host has entries, but its address is null");
    require(data() != nullptr, "the device_tensor was moved from and has no memory");
  }

  device_queue where_;
  layout_right::mapping<extents_type> mapping_;
  cuda::machine_memory<T> memory_;
};

template <scalar_type T, index... E>
struct operand_traits<device_tensor<T, E...>> : operand_traits<view<T, E...>> {
  static constexpr device space = device::cuda;
};
template <scalar_type T, index... E>
inline constexpr bool owns_entries<device_tensor<T, E...>> = true;
template <scalar_type T, index... E>
struct operand_traits<const device_tensor<T, E...>> : operand_traits<const view<const T, E...>> {
  static constexpr device space = device::cuda;
};

/// A row-major tensor of the host, copied to a device on its stream: an operand where it is wanted
/// for one call. Of memory that the program pinned itself it is made when the stream comes to it,
/// as by copy_from. Extents that its type tells stay static. Throws shape_error for other strides,
/// and for entries without an address. What is to be read conjugated, the copy is, not the
/// original.
///
///     einsum<"ij,jk->ik">(where, copied(where, A), B);
///     einsum<"ij,jk->ik">(where, conj(copied(where, A)), B);
template <tensor_like X>
auto copied(const device_queue& where, const X& host) {
  using traits = operand_traits<const X>;
  return [&]<int... I>(std::integer_sequence<int, I...>) {
    using there = device_tensor<typename traits::scalar_t, traits::static_extents[I]...>;
    std::array<index, sizeof...(I)> extents{traits::extent(host, I)...};
    there made(where, typename there::extents_type(extents));
    made.copy_from(host);
    return made;
  }
  (std::make_integer_sequence<int, traits::rank>{});
}

}  // namespace tenfold
