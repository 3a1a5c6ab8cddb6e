#pragma once

#include <batches.hpp>
#include <emulation.hpp>
#include <tenfold/backend/cuda/gemm.device.hpp>
#include <tenfold/backend/interface/select/device_products.hpp>

/// Batched products by device code that this compiler has read, on emulated threads.
namespace tenfold::testing {

/// What a T is in device code.
template <class T>
struct on_device {
  using type = T;
};
template <class R>
struct on_device<std::complex<R>> {
  using type = cuda::complex<R>;
};

/// What matrices_in_memory makes of a storage, where that does not depend on the batch.
constexpr matrix_batch stored(const storage& how, index rows, index columns) {
  const bool lines_apart =
      how.layout == batch_layout::strided || how.layout == batch_layout::pointers;
  matrix_batch x;
  x.layout = how.layout;
  x.shared = how.shared;
  if (how.layout == batch_layout::interleaved) x.block = how.block;
  const index neighbour = lines_apart ? how.spread : 1;
  index ld = (how.by_column ? rows : columns) * neighbour + (lines_apart ? how.gap : 0);
  if (how.backward && lines_apart) ld = -ld;
  x.row = how.by_column ? neighbour : ld;
  x.column = how.by_column ? ld : neighbour;
  return x;
}

/// How matrices_in_memory lets matrices of one storage lie, at multiples of 64 bytes or of a
/// number.
template <class T>
constexpr batch_alignment lying(const storage& how, index rows, index columns, bool misaligned) {
  if (how.layout != batch_layout::strided) return {};
  const auto power = [](index x) {
    int bytes = 1;
    while (bytes < 16 && x % (2 * bytes) == 0) bytes *= 2;
    return bytes;
  };
  const index line = (how.by_column ? rows : columns) * how.spread,
              lines = how.by_column ? columns : rows, entry = sizeof(T);
  const index last = (lines - 1) * (line + how.gap);
  return {
      power((how.backward ? last * entry : 0) +
            (misaligned ? static_cast<index>(sizeof(real_type<T>)) : 0)),
      how.shared || (how.gap == 0 && how.spread == 1) ? 0 : power((last + line + how.gap) * entry)};
}

/// The storage and the marks of the operands of a test.
struct operands {
  storage a, b, c;
  bool conjugate_a = false, conjugate_b = false, misaligned = false;
};

template <class T>
device_gemm_arguments<typename on_device<T>::type> device_arguments(const gemm_shape& s,
                                                                    const gemm_arguments<T>& g) {
  device_gemm_arguments<typename on_device<T>::type> x;
  const auto place = [](const batch_place& p, const matrix_batch& m) {
    return device_place{p.data, p.problem, p.map, m.block};
  };
  x.a = place(g.a, s.a);
  x.b = place(g.b, s.b);
  x.c = place(g.c, s.c);
  x.count = g.count;
  if constexpr (is_complex_type<T>) {
    x.alpha = {g.alpha.real(), g.alpha.imag()};
    x.beta = {g.beta.real(), g.beta.imag()};
  } else {
    x.alpha = g.alpha;
    x.beta = g.beta;
  }
  return x;
}

/// Runs one product in emulated threads, in so many blocks.
template <class T, device_gemm Cut>
void run_emulated(const gemm_shape& s, const gemm_arguments<T>& g, index blocks,
                  std::uint64_t seed) {
  const auto x = device_arguments(s, g);
  emulation::launch({blocks, Cut.threads_of_block(),
                     static_cast<std::size_t>(shared_bytes(Cut, static_cast<int>(sizeof(T))))},
                    seed, [&] { cuda::gemm<typename on_device<T>::type, Cut>(x); });
}

/// The cut of a product on an H100.
template <class T>
constexpr select::device_product_choice choice_of(index m, index n, index k, const operands& how) {
  gemm_shape s{scalar_of<T>,       m, n, k, stored(how.a, m, k), stored(how.b, k, n),
               stored(how.c, m, n)};
  s.a.conjugated = how.conjugate_a;
  s.b.conjugated = how.conjugate_b;
  return select::device_product(
      s, h100_capabilities, {how.a.wide_map, how.b.wide_map, how.c.wide_map}, 0,
      {lying<T>(how.a, m, k, how.misaligned), lying<T>(how.b, k, n, how.misaligned),
       lying<T>(how.c, m, n, how.misaligned)});
}

/// A cut with another number of buffers.
constexpr device_gemm with_buffers(device_gemm cut, int buffers) {
  if (buffers > 0) cut.buffers = buffers;
  return cut;
}

/// The products of one shape, of some counts and factors, on whole and on short grids, that are
/// wrong. Buffers: 0, if the cut decides.
template <class T, index M, index N, index K, operands How = operands{}, int Buffers = 0>
index wrong_products(std::uint64_t seed) {
  constexpr auto choice = choice_of<T>(M, N, K, How);
  static_assert(choice.possible);
  constexpr device_gemm cut = with_buffers(choice.cut, Buffers);
  constexpr index of_block = index{cut.groups} * cut.problems;
  generator g(seed);
  index wrong = 0;
  const T factors[] = {T(1), T(0), T(-1), number<T>(0.75, -0.5)};
  int call = 0;
  for (const index count :
       {index{0}, index{1}, of_block / 2 + 1, of_block, of_block + 1, 2 * of_block + 3}) {
    for (const index blocks :
         {select::device_blocks(cut, scalar_of<T>, count, h100_capabilities), index{1}}) {
      ++call;
      product<T> p(M, N, K, count, How.a, How.b, How.c,
                   call % 2 == 0 ? entries_kind::exact : entries_kind::random, g, {},
                   How.misaligned);
      p.shape.a.conjugated = How.conjugate_a;
      p.shape.b.conjugated = How.conjugate_b;
      p.arguments.alpha = factors[call % 5 == 4 ? 1 : call % 4];
      // What a map names is scaled before, by another device kernel.
      const bool adds = How.c.layout == batch_layout::gathered;
      p.arguments.beta = adds ? T(1) : factors[call % 3 == 0 ? 1 : call / 2 % 4];
      const auto want = reference::gemm(p.shape, p.arguments);
      if (p.arguments.beta == T(0)) p.c.fill(not_a_number<T>());
      if (p.arguments.alpha == T(0)) {
        p.a.fill(not_a_number<T>());
        p.b.fill(not_a_number<T>());
        p.a.remember();
        p.b.remember();
      }
      const gemm_shape s = choice.transposed ? transposed(p.shape) : p.shape;
      const gemm_arguments<T> x = choice.transposed ? transposed(p.arguments) : p.arguments;
      run_emulated<T, cut>(s, x, blocks, seed + static_cast<std::uint64_t>(call));
      wrong += p.judge(want);
    }
  }
  return wrong;
}

}  // namespace tenfold::testing
