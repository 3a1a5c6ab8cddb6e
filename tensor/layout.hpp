#pragma once

#include <array>
#include <cstddef>
#include <string>

#include <tenfold/tensor/batch_layout.hpp>
#include <tenfold/tensor/error.hpp>
#include <tenfold/tensor/extents.hpp>
#include <tenfold/tensor/reflection_kind.hpp>

/// Where entry (i, j, ...) lies: the layouts, and the mapping that each makes of extents.
///
/// A mapping answers, at compile time where it can (`static_stride`, `dyn` where it cannot) and at
/// run time always (`stride`), how many entries lie from one index to the next along an axis, and
/// maps indices to an offset in entries. An axis of extent 0 counts as one of extent 1 in the
/// strides of the others, so that a derived stride is never 0.
namespace tenfold {

/// Row-major: the last axis is contiguous.  offset(i, j, k) = (i n1 + j) n2 + k
struct layout_right {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using layout_type = layout_right;

    static constexpr int rank() noexcept { return Extents::rank(); }
    /// The stride of axis i in entries, or `dyn`: the product of the static extents behind it.
    static constexpr index static_stride(int i) noexcept {
      index product = 1;
      for (int k = rank() - 1; k > i; --k) {
        const index n = Extents::static_extent(k);
        if (n == dyn) return dyn;
        if (n != 0) product *= n;
      }
      return product;
    }

    constexpr mapping() = default;
    constexpr mapping(const Extents& e) : extents_(e) {}

    constexpr const Extents& extents() const noexcept { return extents_; }
    /// The stride of axis i in entries.
    constexpr index stride(int i) const noexcept {
      index product = 1;
      for (int k = rank() - 1; k > i; --k) {
        const index n = extents_.extent(k);
        if (n != 0) product *= n;
      }
      return product;
    }
    /// The offset of entry (i, ...) in entries.
    template <index_like... I>
    constexpr index operator()(I... i) const noexcept {
      static_assert(sizeof...(I) == static_cast<std::size_t>(Extents::rank()),
                    "tenfold: the number of indices is not the rank");
      index offset = 0;
      [[maybe_unused]] int axis = 0;
      ((offset = offset * extents_.extent(axis++) + static_cast<index>(i)), ...);
      return offset;
    }

    friend constexpr bool operator==(const mapping&, const mapping&) = default;

   private:
    [[no_unique_address]] Extents extents_;
  };
};

/// Column-major: the first axis is contiguous.  offset(i, j, k) = i + n0 (j + n1 k)
struct layout_left {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using layout_type = layout_left;

    static constexpr int rank() noexcept { return Extents::rank(); }
    /// The stride of axis i in entries, or `dyn`: the product of the static extents before it.
    static constexpr index static_stride(int i) noexcept {
      index product = 1;
      for (int k = 0; k < i; ++k) {
        const index n = Extents::static_extent(k);
        if (n == dyn) return dyn;
        if (n != 0) product *= n;
      }
      return product;
    }

    constexpr mapping() = default;
    constexpr mapping(const Extents& e) : extents_(e) {}

    constexpr const Extents& extents() const noexcept { return extents_; }
    /// The stride of axis i in entries.
    constexpr index stride(int i) const noexcept {
      index product = 1;
      for (int k = 0; k < i; ++k) {
        const index n = extents_.extent(k);
        if (n != 0) product *= n;
      }
      return product;
    }
    /// The offset of entry (i, ...) in entries.
    template <index_like... I>
    constexpr index operator()(I... i) const noexcept {
      static_assert(sizeof...(I) == static_cast<std::size_t>(Extents::rank()),
                    "tenfold: the number of indices is not the rank");
      const index all[sizeof...(I) + 1] = {static_cast<index>(i)..., 0};
      index offset = 0;
      for (int k = rank() - 1; k >= 0; --k) offset = offset * extents_.extent(k) + all[k];
      return offset;
    }

    friend constexpr bool operator==(const mapping&, const mapping&) = default;

   private:
    [[no_unique_address]] Extents extents_;
  };
};

/// Throws shape_error: entries at these extents and strides span more than `beyond` says.
[[noreturn]] inline void throw_span_too_large(const index* extents, const index* strides, int rank,
                                              const char* beyond) {
  const auto listed = [rank](const index* numbers) {
    std::string list;
    for (int i = 0; i < rank; ++i) {
      if (i > 0) list += ", ";
      list += std::to_string(numbers[i]);
    }
    return list;
  };
  throw shape_error("tenfold: the extents (" + listed(extents) + ") with the strides (" +
                    listed(strides) + ") span " + beyond);
}

/// Throws shape_error if entries of type T, the last of which lies `reach` entries behind the
/// first, span more than 2^62 bytes: every distance in bytes shall fit in an index.
template <class T, class Mapping>
constexpr void require_bytes(const Mapping& mapping, index reach) {
  if (reach < (index{1} << 62) / static_cast<index>(sizeof(T))) return;
  constexpr auto rank = static_cast<std::size_t>(Mapping::rank());
  index n[rank + 1] = {}, s[rank + 1] = {};
  for (std::size_t i = 0; i < rank; ++i) {
    n[i] = mapping.extents().extent(static_cast<int>(i));
    s[i] = mapping.stride(static_cast<int>(i));
  }
  throw_span_too_large(n, s, Mapping::rank(), "more than 2^62 bytes");
}

/// The same of entries that lie where the mapping says.
template <class T, class Mapping>
constexpr void require_bytes(const Mapping& mapping) {
  if (mapping.extents().size() == 0) return;  // no entries, no addresses
  index reach = 0;
  for (int i = 0; i < Mapping::rank(); ++i) {
    const index step = (mapping.extents().extent(i) - 1) * mapping.stride(i);
    reach += step < 0 ? -step : step;
  }
  require_bytes<T>(mapping, reach);
}

/// A stride of its own for each axis, of either sign or 0.  offset(i, j, k) = i s0 + j s1 + k s2
struct layout_stride {
  template <class Extents>
  class mapping {
   public:
    using extents_type = Extents;
    using layout_type = layout_stride;
    using numbers = std::array<index, static_cast<std::size_t>(Extents::rank())>;

    static constexpr int rank() noexcept { return Extents::rank(); }
    /// Known at run time only: `dyn`.
    static constexpr index static_stride(int) noexcept { return dyn; }

    /// Throws shape_error if the offsets of the entries do not fit in an index, and for a stride of
    /// -2^63, which is `dyn`.
    constexpr mapping(const Extents& e, const numbers& strides) : extents_(e), strides_(strides) {
      check();
    }

    constexpr const Extents& extents() const noexcept { return extents_; }
    /// The stride of axis i in entries.
    constexpr index stride(int i) const noexcept { return strides_[static_cast<std::size_t>(i)]; }
    /// The offset of entry (i, ...) in entries.
    template <index_like... I>
    constexpr index operator()(I... i) const noexcept {
      static_assert(sizeof...(I) == static_cast<std::size_t>(Extents::rank()),
                    "tenfold: the number of indices is not the rank");
      index offset = 0;
      [[maybe_unused]] std::size_t axis = 0;
      ((offset += static_cast<index>(i) * strides_[axis++]), ...);
      return offset;
    }

    friend constexpr bool operator==(const mapping&, const mapping&) = default;

   private:
    constexpr void check() const {
      index lowest = 0, highest = 0;
      bool overflow = false;
      for (int i = 0; i < rank(); ++i) {
        index reach = 0;
        if (extents_.extent(i) == 0) return;  // no entries, no offsets
        overflow |=
            stride(i) == dyn || __builtin_mul_overflow(extents_.extent(i) - 1, stride(i), &reach);
        index& end = reach < 0 ? lowest : highest;
        overflow |= __builtin_add_overflow(end, reach, &end);
      }
      index span = 0;
      overflow |= __builtin_sub_overflow(highest, lowest, &span);
      if (!overflow) return;
      numbers n{};
      for (int i = 0; i < rank(); ++i) n[static_cast<std::size_t>(i)] = extents_.extent(i);
      throw_span_too_large(n.data(), strides_.data(), rank(),
                           "offsets of more than 2^63 - 1 entries");
    }

    [[no_unique_address]] Extents extents_;
    numbers strides_;
  };
};

}  // namespace tenfold
