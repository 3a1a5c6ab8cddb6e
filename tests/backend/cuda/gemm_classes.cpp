#include <doctest/doctest.h>
#include <sys/mman.h>

#include "device_products.hpp"

// Device code of every class of sizes, by the reference.

namespace tenfold::testing {
namespace {

using enum select::device_class;

/// Checks one shape, which must be of this class.
template <class T, select::device_class Class, index M, index N, index K, operands How = operands{}>
void check() {
  static_assert(select::device_class_of(choice_of<T>(M, N, K, How).cut) == Class);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const index wrong = wrong_products<T, M, N, K, How>(seed);
    CHECK_MESSAGE(wrong == 0, M, " x ", N, " x ", K, ", scalar ", static_cast<int>(scalar_of<T>),
                  ", seed ", seed, "; A ", text_of(How.a), "; B ", text_of(How.b), "; C ",
                  text_of(How.c));
  }
}

constexpr storage by_column{.by_column = true}, padded{.gap = 3}, one{.shared = true},
    pointers{.layout = batch_layout::pointers, .gap = 1},
    lanes{.layout = batch_layout::interleaved, .block = 8},
    odd_lanes{.layout = batch_layout::interleaved, .block = 3},
    long_lanes{.layout = batch_layout::interleaved, .block = 96},
    mapped{.layout = batch_layout::gathered, .meets = true},
    far_mapped{.layout = batch_layout::gathered, .by_column = true, .wide_map = true},
    far_meets{.layout = batch_layout::gathered, .wide_map = true, .meets = true};

}  // namespace

TEST_CASE("a thread to each problem") {
  check<double, thread, 1, 1, 1>();
  check<double, thread, 3, 3, 3>();
  check<double, thread, 3, 3, 2, operands{by_column, padded, {}}>();
  check<float, thread, 4, 3, 7, operands{one, pointers, by_column}>();
  check<double, thread, 3, 2, 5, operands{lanes, lanes, lanes}>();
  check<float, thread, 2, 4, 3, operands{odd_lanes, mapped, long_lanes}>();
  check<std::complex<double>, thread, 2, 2, 3, operands{lanes, {}, odd_lanes, true, false}>();
  check<std::complex<float>, thread, 3, 3, 2, operands{pointers, far_mapped, {}, false, true}>();
}

TEST_CASE("some threads of a warp to each problem") {
  check<double, sub_warp, 7, 6, 4, operands{by_column, padded, {}}>();
  check<double, sub_warp, 8, 8, 8>();
  check<double, sub_warp, 9, 7, 5, operands{padded, by_column, by_column}>();
  check<float, sub_warp, 10, 10, 10, operands{lanes, odd_lanes, lanes}>();
  check<double, sub_warp, 16, 3, 6, operands{mapped, one, pointers, false, false}>();
  check<std::complex<double>, sub_warp, 5, 4, 3, operands{far_mapped, lanes, {}, true, true}>();
  check<float, sub_warp, 16, 16, 60>();  // in panels
}

TEST_CASE("a warp to each problem") {
  check<double, warp, 22, 22, 22>();
  check<double, warp, 25, 22, 9, operands{by_column, pointers, by_column}>();
  check<std::complex<double>, block, 17, 17, 4, operands{lanes, lanes, lanes, false, true}>();
}

TEST_CASE("a block to each problem") {
  check<double, block, 31, 31, 31>();
  check<double, block, 33, 31, 70, operands{padded, one, {}}>();
  check<float, block, 64, 64, 5, operands{by_column, mapped, pointers}>();
  check<std::complex<float>, block, 32, 33, 9, operands{lanes, {}, long_lanes, true, false}>();
}

TEST_CASE("a block to each tile of C") {
  check<double, blocks, 90, 95, 33>();
  check<double, blocks, 9, 300, 8, operands{one, pointers, by_column}>();
  check<float, blocks, 70, 140, 90, operands{{}, by_column, {}}>();
  check<std::complex<double>, blocks, 40, 41, 7,
        operands{lanes, pointers, odd_lanes, true, true}>();
}

TEST_CASE("any number of panels may be on their way") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CHECK(wrong_products<double, 8, 8, 8, operands{}, 1>(seed) == 0);
    CHECK(wrong_products<double, 8, 8, 8, operands{}, 3>(seed) == 0);
    CHECK(wrong_products<float, 16, 16, 60, operands{pointers, {}, {}}, 1>(seed) == 0);
    CHECK(wrong_products<float, 16, 16, 60, operands{{}, by_column, mapped}, 3>(seed) == 0);
    CHECK(wrong_products<std::complex<double>, 24, 25, 9, operands{}, 3>(seed) == 0);
    CHECK(wrong_products<double, 65, 70, 33, operands{}, 4>(seed) == 0);
  }
}

TEST_CASE("operands may lie at any address") {
  constexpr operands anywhere{{}, {}, {}, false, false, true};
  check<float, thread, 4, 4, 4, anywhere>();
  check<double, sub_warp, 8, 8, 8, anywhere>();
  check<std::complex<float>, sub_warp, 8, 8, 8, anywhere>();
  check<float, blocks, 70, 140, 20, anywhere>();
}

TEST_CASE("operands of odd orders are copied as one line") {
  check<float, thread, 3, 3, 3>();
  check<float, sub_warp, 9, 9, 9>();
  check<float, warp, 17, 17, 17>();
  check<float, sub_warp, 18, 18, 18>();
  check<std::complex<float>, sub_warp, 7, 7, 7, operands{{}, {}, {}, false, true}>();
  check<double, sub_warp, 9, 7, 5, operands{{}, one, padded}>();
}

TEST_CASE("a matrix that serves all problems is brought once") {
  check<double, sub_warp, 9, 4, 5, operands{one, {}, {}}>();
  check<float, sub_warp, 12, 8, 8, operands{one, one, {}}>();
  check<double, block, 48, 48, 4, operands{{}, one, {}}>();
}

TEST_CASE("results of every class are added through a map") {
  check<double, thread, 3, 3, 3, operands{{}, {}, mapped}>();
  check<float, thread, 4, 3, 7, operands{mapped, pointers, far_mapped}>();
  check<std::complex<double>, sub_warp, 5, 4, 3, operands{lanes, {}, mapped, false, true}>();
  check<float, sub_warp, 10, 9, 6, operands{{}, by_column, far_meets}>();
  check<std::complex<float>, warp, 22, 22, 4, operands{one, padded, mapped, true, false}>();
  check<double, block, 40, 41, 9, operands{{}, {}, far_meets}>();
  check<double, blocks, 65, 70, 5, operands{{}, one, mapped}>();
  check<double, thread, 3, 3, 0, operands{{}, {}, mapped}>();
}

TEST_CASE("without a sum C is scaled and nothing else is read") {
  check<double, thread, 3, 3, 0>();
  check<float, block, 40, 50, 0>();
}

TEST_CASE("problems that are one row or one column") {
  check<double, sub_warp, 8, 1, 9>();
  check<double, sub_warp, 40, 1, 40>();
  check<float, sub_warp, 1, 40, 40>();
  check<double, thread, 1, 1, 64>();
}

TEST_CASE("problems may lie further apart than 32 bits can count") {
  constexpr index apart = index{1} << 32;
  constexpr std::size_t bytes = (std::size_t{apart} + 1024) * sizeof(float);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    MESSAGE("skipped: no 16 GB of addresses");
    return;
  }
  auto* const a = static_cast<float*>(memory);
  float *const b = a + 10, *const c = a + 20;
  for (const index p : {index{0}, apart}) {
    a[p] = p == 0 ? 2.0f : 5.0f;
    b[p] = p == 0 ? 3.0f : 7.0f;
  }
  constexpr auto choice =
      choice_of<float>(1, 1, 1, operands{padded, padded, padded, false, false, true});
  const gemm_arguments<float> x{{a, apart}, {b, apart}, {c, apart}, 2};
  run_emulated<float, choice.cut>({}, x, 1, 1);
  CHECK(c[0] == 6);
  CHECK(c[apart] == 35);
  munmap(memory, bytes);
}

}  // namespace tenfold::testing
