#pragma once

#include <algorithm>
#include <copy_there.hpp>
#include <tenfold/tensor/scalar.hpp>
#include <vector>

namespace tenfold::testing {

/// Entries in the memory of a device, one real number behind where it begins if they are shifted:
/// complex ones are aligned to their real parts only, then.
template <class T>
class shifted_there {
  using R = real_type<T>;
  static constexpr std::size_t per_entry = sizeof(T) / sizeof(R);

 public:
  shifted_there(cuda::device_machine& on, const std::vector<T>& from, bool shifted)
      : shift_(shifted ? 1 : 0), there_(on, reals_of(from, shift_)) {}
  T* data() const { return reinterpret_cast<T*>(there_.data() + shift_); }
  std::vector<T> values() const {
    const auto reals = there_.values();
    std::vector<T> all((reals.size() - shift_) / per_entry);
    std::copy(reals.data() + shift_, reals.data() + reals.size(), reinterpret_cast<R*>(all.data()));
    return all;
  }

 private:
  static std::vector<R> reals_of(const std::vector<T>& from, std::size_t shift) {
    std::vector<R> reals(shift + from.size() * per_entry);
    std::copy_n(reinterpret_cast<const R*>(from.data()), from.size() * per_entry,
                reals.data() + shift);
    return reals;
  }
  std::size_t shift_;
  copy_there<R> there_;
};

}  // namespace tenfold::testing
