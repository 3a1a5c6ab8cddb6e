#include <array>
#include <complex>
#include <tenfold/backend/cpu/gemm.hpp>
#include <tenfold/backend/gemm_list.hpp>

/// Batched products whose sizes are numbers: the walk of gemm.hpp over a table of register tiles.
namespace tenfold::cpu {
inline namespace TENFOLD_ISA {
namespace {

template <class T>
using tile_function = void (*)(const tile_operands<T>&, index k, index count, problem_steps);

/// One register tile for each of `count` problems, or tiles of problems.
template <class T, int M, int N, tile_modes How>
void tiles(const tile_operands<T>& operands, index k, index count, problem_steps step) {
  tile_operands<T> t = operands;
  for (index i = 0; i < count; ++i) {
    register_tile<T, lanes<T>, M, N, dynamic_k, How, epilogue::update>(t, k);
    t.a += step.a;
    t.b += step.b;
    t.c += step.c;
  }
}

/// Register tiles of up to Most entries; tile (m, n) is entry (m - 1) * Most.n + n - 1.
template <class T, select::tile_shape Most, tile_modes How>
struct tile_table {
  static constexpr auto make = []<int... I>(std::integer_sequence<int, I...>) {
    return std::array<tile_function<T>, sizeof...(I)>{
        &tiles<T, I / Most.n + 1, I % Most.n + 1, How>...};
  };
  static constexpr auto entries = make(std::make_integer_sequence<int, Most.m * Most.n>{});
};

template <class T>
class dynamic_gemm {
 public:
  explicit dynamic_gemm(const gemm_shape& s) : shape_(s) {}
  const gemm_shape& shape() const { return shape_; }

  void by_columns(const tile_operands<T>& operands, index problems, problem_steps step) const {
    constexpr int v = lanes<T>;
    tile_operands<T> t = operands;
    t.b_n = t.c_n = v;
    t.tail = static_cast<int>(shape_.n % v);
    const index vectors = (shape_.n + v - 1) / v;
    if (is_complex_type<T> && conjugates_a(shape_))
      walk<columns_table<false, is_complex_type<T>>, columns_table<true, is_complex_type<T>>>(
          t, vectors, problems, step);
    else
      walk<columns_table<false, false>, columns_table<true, false>>(t, vectors, problems, step);
  }

  void by_lanes(const tile_operands<T>& t, index count, problem_steps step) const {
    constexpr access u = access::uniform, l = is_complex_type<T> ? access::split : access::lanes;
    const bool conjugates = is_complex_type<T> && conjugates_a(shape_);
    if (is_uniform<T>(shape_.a)) {
      if (conjugates)
        walk<lanes_table<u, is_complex_type<T>>>(t, shape_.n, count, step);
      else
        walk<lanes_table<u, false>>(t, shape_.n, count, step);
    } else {
      if (conjugates)
        walk<lanes_table<l, is_complex_type<T>>>(t, shape_.n, count, step);
      else
        walk<lanes_table<l, false>>(t, shape_.n, count, step);
    }
  }

 private:
  template <bool Partial, bool Conjugate>
  struct columns_table {
    static constexpr select::tile_shape most = select::most_columns_tile(registers, scalar_of<T>);
    static constexpr auto& entries =
        tile_table<T, most,
                   tile_modes{access::uniform, access::lanes, false, true, access::lanes, Partial,
                              Conjugate}>::entries;
  };
  template <access A, bool Conjugate>
  struct lanes_table {
    static constexpr access l = is_complex_type<T> ? access::split : access::lanes;
    static constexpr select::tile_shape most =
        select::most_lanes_tile(registers, scalar_of<T>, A == access::uniform);
    static constexpr auto& entries =
        tile_table<T, most, tile_modes{A, l, false, true, l, false, Conjugate}>::entries;
  };

  /// All register tiles of M rows and n columns; the last column comes from `Last`.
  template <class Table, class Last = Table>
  void walk(const tile_operands<T>& operands, index n, index count, problem_steps step) const {
    const auto function = [&](index rows, index columns, bool last) {
      return (last && operands.tail > 0 ? Last::entries : Table::entries)[static_cast<std::size_t>(
          (rows - 1) * Table::most.n + columns - 1)];
    };
    if (shape_.m <= Table::most.m && n <= Table::most.n)
      return function(shape_.m, n, true)(operands, shape_.k, count, step);
    const select::chunks rows(shape_.m, Table::most.m), columns(n, Table::most.n);
    tile_operands<T> t = operands;
    for (index i = 0; i < count; ++i) {
      index column = 0;
      for (index c = 0; c < columns.long_count + columns.short_count; ++c) {
        const index width = columns.longer - (c >= columns.long_count);
        index row = 0;
        for (index r = 0; r < rows.long_count + rows.short_count; ++r) {
          const index height = rows.longer - (r >= rows.long_count);
          tile_operands<T> u = t;
          u.a += row * t.a_m;
          u.b += column * t.b_n;
          u.c += row * t.c_m + column * t.c_n;
          function(height, width, column + width == n)(u, shape_.k, 1, {});
          row += height;
        }
        column += width;
      }
      t.a += step.a;
      t.b += step.b;
      t.c += step.c;
    }
  }

  gemm_shape shape_;
};

/// Runs problems [begin, end) of one call, its shape oriented as select asks for.
template <class T>
void run_call(const gemm_shape& shape, const gemm_arguments<T>& g, const select::gemm_choice& choice,
              index begin, index end) {
  if (choice.transposed)
    run_gemm<T>(dynamic_gemm<T>(transposed(shape)), transposed(g), choice.path, begin, end);
  else
    run_gemm<T>(dynamic_gemm<T>(shape), g, choice.path, begin, end);
}

template <class T>
void run_list(const gemm_list<T>& list) {
  const index total = list.first[list.call_count];
  parallel_tiles(total, select::tiles_per_task(list.flops / static_cast<double>(total)),
                 [&](index begin, index end) {
                   index call = 0;
                   for (index low = 0, high = list.call_count; high - low > 1;) {
                     const index middle = (low + high) / 2;
                     (list.first[middle] <= begin ? low : high) = middle;
                     call = low;
                   }
                   for (; call < list.call_count && list.first[call] < end; ++call) {
                     const index first = list.first[call], next = list.first[call + 1];
                     gemm_shape shape;
                     gemm_arguments<T> g;
                     list.describe(list.context, call, shape, g);
                     run_call<T>(shape, g, select::gemm(shape, lanes<T>),
                                 (begin > first ? begin : first) - first,
                                 (end < next ? end : next) - first);
                   }
                 });
}

template <class T>
void run_one(const gemm_shape& shape, const gemm_arguments<T>& g) {
  const select::gemm_choice choice = select::gemm(shape, lanes<T>);
  if (choice.transposed)
    run_gemm<T>(dynamic_gemm<T>(transposed(shape)), transposed(g), choice.path);
  else
    run_gemm<T>(dynamic_gemm<T>(shape), g, choice.path);
}

}  // namespace

#define TENFOLD_DEFINE_GEMM(T)                                                          \
  void gemm(const gemm_shape& shape, const gemm_arguments<T>& g) { run_one(shape, g); } \
  void gemm(const gemm_list<T>& list) { run_list(list); }
TENFOLD_DEFINE_GEMM(float)
TENFOLD_DEFINE_GEMM(double)
TENFOLD_DEFINE_GEMM(std::complex<float>)
TENFOLD_DEFINE_GEMM(std::complex<double>)
#undef TENFOLD_DEFINE_GEMM

}  // namespace TENFOLD_ISA
}  // namespace tenfold::cpu
