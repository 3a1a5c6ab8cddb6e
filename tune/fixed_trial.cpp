#include "fixed_trial.hpp"

#include <complex>
#include <iterator>
#include <stdexcept>
#include <tenfold/backend/cpu/gemm_static.hpp>
#include <utility>

#include "knobs.hpp"
#include "typed_trial.hpp"

// Compiled once for each scalar, TENFOLD_TUNE_SCALAR, with the flags of a user's program.

namespace tenfold::tune {

namespace {

/// The kernel of an order by a tuning, if that is one of the choices that are compiled.
template <class T>
using find_kernel = bool (*)(const gemm_tuning&, cpu::gemm_kernel<T>& to);

template <class T, bool Interleaved, int N>
inline constexpr gemm_shape shape_here = shape_of({N, N, N}, {scalar_of<T>, Interleaved, 0});

template <bool Interleaved>
inline constexpr select::gemm_path path_here =
    Interleaved ? select::gemm_path::by_lanes : select::gemm_path::by_columns;

/// What is shipped, with one of the choices.
template <class T, bool Interleaved, int N, fixed_choice Choice>
constexpr gemm_tuning with_choice() {
  gemm_tuning t = select::shipped_static(class_of(shape_here<T, Interleaved, N>), cpu::compiled_set,
                                         cpu::compiled_model);
  choose(t, Interleaved, Choice);
  return t;
}

template <class T, bool Interleaved, int N, fixed_choice Choice>
bool takes(const gemm_tuning& t, cpu::gemm_kernel<T>& to) {
  constexpr const gemm_shape& shape = shape_here<T, Interleaved, N>;
  constexpr select::gemm_path path = path_here<Interleaved>;
  constexpr cpu::static_tiles tiles =
      cpu::tiles_of<T>(shape, path, with_choice<T, Interleaved, N, Choice>());
  const cpu::static_tiles wanted = cpu::tiles_of<T>(shape, path, t);
  if (tiles.tile != wanted.tile || tiles.unroll != wanted.unroll) return false;
  to = cpu::static_kernel<T, shape, path, tiles, false>(t);
  return true;
}

template <class T, bool Interleaved, int N>
bool find(const gemm_tuning& t, cpu::gemm_kernel<T>& to) {
  if constexpr (Interleaved) return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return (takes<T, true, N, fixed_lanes[I]>(t, to) || ...);
    }
  (std::make_index_sequence<std::size(fixed_lanes)>{});
  else return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return (takes<T, false, N, fixed_columns[I]>(t, to) || ...);
  }
  (std::make_index_sequence<std::size(fixed_columns)>{});
}

/// By the index of fixed_orders; complex products are compiled for fewer.
template <class T, bool Interleaved>
find_kernel<T> find_of(index n) {
  find_kernel<T> found = nullptr;
  const auto offer = [&]<int N>() {
    if constexpr (!is_complex(scalar_of<T>) || N == 4 || N == 8 || N == 16) {
      if (n == N) found = find<T, Interleaved, N>;
    }
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (offer.template operator()<static_cast<int>(fixed_orders[I])>(), ...);
  }
  (std::make_index_sequence<std::size(fixed_orders)>{});
  return found;
}

template <class T>
class fixed_trial final : public typed_trial<T> {
 public:
  fixed_trial(const sample& s, const size_class& c, instruction_set set, arena& memory,
              find_kernel<T> find_it)
      : typed_trial<T>(s, c, set, memory), find_(find_it) {}

 protected:
  void compute(const gemm_arguments<T>& g, const gemm_tuning& t) override {
    if (!(t == last_)) {
      if (!find_(t, kernel_)) throw std::runtime_error("a static size was not compiled so");
      last_ = t;
    }
    kernel_.tuned = &last_;
    cpu::gemm(this->shape(), g, kernel_);
  }

 private:
  find_kernel<T> find_;
  cpu::gemm_kernel<T> kernel_;
  gemm_tuning last_{};
};

}  // namespace

template <>
std::unique_ptr<trial> make_fixed_trial<TENFOLD_TUNE_SCALAR>(const sample& s, const size_class& c,
                                                             instruction_set set, arena& memory) {
  using T = TENFOLD_TUNE_SCALAR;
  const find_kernel<T> found = c.interleaved ? find_of<T, true>(s.m) : find_of<T, false>(s.m);
  // Only what the front would do with such a size, too.
  const gemm_shape shape = shape_of(s, c);
  const select::gemm_choice choice =
      select::gemm(shape, cpu::lanes<T>, select::shipped(c, cpu::compiled_set));
  const bool is_usual =
      !choice.transposed && (choice.path == select::gemm_path::by_lanes) == c.interleaved;
  if (found == nullptr || set != cpu::compiled_set || !is_usual) return nullptr;
  return std::make_unique<fixed_trial<T>>(s, c, set, memory, found);
}

}  // namespace tenfold::tune
