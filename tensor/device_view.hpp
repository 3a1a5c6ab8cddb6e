#pragma once

#include <tenfold/tensor/device.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/operand_traits.hpp>

/// Operands whose entries lie in the memory of a device.
///
/// A view (view, strided_view, pointers, interleaved_view, gathered) says by addresses where
/// entries lie; `in_memory_of<device::cuda>(v)` says whose addresses they are, the list of
/// `pointers` and the map of `gathered` included. Entries cannot be read or written here, and who
/// computes on the host refuses such an operand.
namespace tenfold {

/// A view of addresses that belong to `Space`.
template <device Space, tensor_like View>
class device_view {
 public:
  using view_type = View;
  static constexpr device space = Space;

  constexpr explicit device_view(const View& there) : there_(there) {}

  /// The view itself, of use where its addresses are.
  constexpr const View& there() const noexcept { return there_; }

  // What operand_traits asks of a view.
  constexpr auto data() const noexcept { return there_.data(); }
  constexpr index extent(int i) const noexcept { return there_.extent(i); }
  constexpr index stride(int i) const noexcept { return there_.stride(i); }
  constexpr index size() const noexcept { return there_.size(); }
  constexpr index block() const noexcept requires requires(const View& v) { v.block(); }
  { return there_.block(); }
  constexpr const void* map() const noexcept requires requires(const View& v) { v.map(); }
  { return there_.map(); }
  constexpr bool wide_map() const noexcept requires requires(const View& v) { v.wide_map(); }
  { return there_.wide_map(); }
  constexpr index array_size() const noexcept requires requires(const View& v) { v.array_size(); }
  { return there_.array_size(); }
  constexpr auto order() const noexcept requires requires(const View& v) { v.order(); }
  { return there_.order(); }

 private:
  View there_;
};

/// The same view, of addresses in the memory of `Space`.
template <device Space, tensor_like View>
constexpr device_view<Space, View> in_memory_of(const View& v) {
  static_assert(!owns_entries<View>,
                "tenfold: in_memory_of takes a view of addresses of the device; a tensor that owns "
                "its entries has them in the host's memory, or is a device_tensor already");
  return device_view<Space, View>(v);
}

/// The traits of the view but for its space.
template <device Space, class View>
struct operand_traits<device_view<Space, View>> : operand_traits<View> {
  static constexpr device space = Space;
};
template <device Space, class View>
struct operand_traits<const device_view<Space, View>> : operand_traits<const View> {
  static constexpr device space = Space;
};

}  // namespace tenfold
