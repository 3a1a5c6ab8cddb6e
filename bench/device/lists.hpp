#pragma once

#include <tenfold/device.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <vector>

namespace tenfold::bench {

/// A list in the memory of the device.
template <class X>
std::shared_ptr<X> list_there(const device_queue& where, const std::vector<X>& list) {
  static_assert(std::is_trivially_copyable_v<X>);
  cuda::device_machine& machine = *where.machine;
  const std::size_t bytes = list.size() * sizeof(X);
  const std::shared_ptr<X> there(static_cast<X*>(machine.allocate(bytes)),
                                 [&machine](X* p) { machine.release(p); });
  machine.copy_in(there.get(), list.data(), bytes, where.stream);
  where.wait();
  return there;
}

/// The addresses of `count` matrices, `step` entries apart, in the memory of the device.
template <class T>
std::shared_ptr<T*> addresses(const device_queue& where, T* first, std::ptrdiff_t step,
                              std::ptrdiff_t count) {
  std::vector<T*> list;
  for (std::ptrdiff_t i = 0; i < count; ++i) list.push_back(first + i * step);
  return list_there(where, list);
}

}  // namespace tenfold::bench
