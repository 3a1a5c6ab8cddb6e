#pragma once

#include <tenfold/backend/cpu/gemm_static_columns.hpp>
#include <tenfold/backend/cpu/gemm_static_lanes.hpp>

/// The kernels of a shape that the compiler knows.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {

/// The kernel of a shape that is oriented as select::gemm asked for. `Scaled`: alpha and beta are
/// more than 1 and 0; without, there is half as much to compile.
template <class T, gemm_shape S, select::gemm_path Path, static_tiles Tiles, bool Scaled = true>
constexpr gemm_kernel<T> static_kernel(const gemm_tuning& tuned) {
  constexpr int m = static_cast<int>(S.m), n = static_cast<int>(S.n), k = static_cast<int>(S.k);
  constexpr bool conjugate = is_complex_type<T> && conjugates_a(S);
  constexpr epilogue finish = Scaled || S.b.conjugated ? epilogue::update : epilogue::overwrite;
  if constexpr (Path == select::gemm_path::by_columns) {
    using enum select::columns_way;
    constexpr select::columns_way way = Tiles.columns.way;
    constexpr tile_strides strides = strides_by_columns<T>(S);
    gemm_kernel<T> kernel{products_of_columns<T, m, n, k, strides, Tiles, conjugate, finish>(),
                          Path, way == rows ? select::fetch::into_l1 : Tiles.ahead.to, &tuned};
    if constexpr (select::writes_lines(S, lanes<T>) && (way == tiles || way == kept))
      kernel.past_caches =
          products_of_columns<T, m, n, k, strides, Tiles.past_caches(), conjugate, finish>();
    return kernel;
  } else {
    constexpr lane_access a =
        select::is_uniform(S.a, S.type) ? lane_access::uniform : problem_lanes<T>;
    return {products_by_lanes<T, m, n, k, strides_by_lanes<T>(S), Tiles, a, conjugate, finish>,
            Path, Tiles.ahead.to, &tuned, Tiles.width};
  }
}

/// What shapes the code of a shape that is so oriented.
template <class T>
constexpr static_tiles tiles_of(const gemm_shape& s, select::gemm_path path,
                                const gemm_tuning& tuned) {
  return path == select::gemm_path::by_columns ? columns_tiles<T>(s, tuned)
                                               : lanes_tiles<T>(s, tuned);
}

/// Runs the products of the shape S, whose scalar is T, by the tuning that is built in; those of
/// large matrices by the kernels that the library carries.
template <gemm_shape S, bool Scaled = true, class T>
[[gnu::always_inline]] inline void run_static_gemm(const gemm_arguments<T>& g) {
  require_library<T>();
  constexpr gemm_shape shape = select::without_unit_axes(S);
  static constexpr gemm_tuning tuned =
      select::built_in(compiled_set, compiled_model, class_of(shape));
  constexpr select::gemm_choice choice = select::gemm(shape, lanes<T>, tuned);
  static constexpr gemm_shape oriented = choice.transposed ? transposed(shape) : shape;
  if constexpr (!select::has_static_code(oriented, lanes<T>, tuned)) {
    gemm(S, g);
  } else {
    constexpr static_tiles tiles = tiles_of<T>(oriented, choice.path, tuned);
    static constexpr gemm_kernel<T> kernel =
        static_kernel<T, oriented, choice.path, tiles, Scaled>(tuned);
    gemm(oriented, choice.transposed ? transposed(g) : g, kernel);
  }
}

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
