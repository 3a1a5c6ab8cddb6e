#include <tenfold/tensor/tensor.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

using namespace tenfold;

static_assert(tensor<double, 9, 8>::is_inline);
static_assert(tensor<double, 2048>::is_inline && !tensor<double, 2049>::is_inline);
static_assert(tensor<float, 4096>::is_inline && !tensor<float, 4097>::is_inline);
static_assert(!tensor<double, dyn>::is_inline);
static_assert(sizeof(tensor<double, 8>) == 64 && alignof(tensor<double, 3>) == 64);
static_assert(std::is_trivially_copyable_v<tensor<double, 3, 3>>);
static_assert(std::is_nothrow_move_constructible_v<tensor<double, dyn>>);
static_assert(std::is_nothrow_move_assignable_v<tensor<double, dyn>>);
static_assert(tensor<double, dyn, 8, 8>::static_stride(0) == 64);

static_assert(!std::is_constructible_v<tensor<double, dyn, 8>, int, int>, "one is dynamic");
static_assert(!std::is_constructible_v<tensor<double, 8>, int>, "none is dynamic");
static_assert(!std::is_constructible_v<tensor<double, dyn>, double>, "an extent is an integer");

static_assert(std::is_convertible_v<tensor<double, 3>&, view<double, 3>>);
static_assert(std::is_convertible_v<tensor<double, 3>&, view<const double, 3>>);
static_assert(std::is_convertible_v<const tensor<double, 3>&, view<const double, 3>>);
static_assert(!std::is_convertible_v<const tensor<double, 3>&, view<double, 3>>);
static_assert(std::is_convertible_v<tensor<double, 3>&, strided_view<double, dyn>>);
static_assert(!std::is_convertible_v<tensor<double, dyn>&, view<double, 3>>);

constexpr double trace() {
  tensor<double, 3, 3> a;
  a.zero();
  for (tenfold::index i = 0; i < 3; ++i) a(i, i) = static_cast<double>(i + 1);
  const view<const double, 3, 3> v = a;
  return a(0, 0) + v(1, 1) + std::as_const(a)(2, 2);
}
static_assert(trace() == 6, "a static tensor works at compile time");

constexpr tensor<double, 2> halves = [] {
  tensor<double, 2> t;
  t.fill(0.5);
  return t;
}();
static_assert(halves(0) == 0.5 && halves(1) == 0.5);

namespace {
template <class Tensor>
bool is_aligned(const Tensor& t) {
  return reinterpret_cast<std::uintptr_t>(t.data()) % 64 == 0;
}
}  // namespace

TEST_CASE("a tensor is row-major with the extents that it was given") {
  tensor<double, dyn, 3, dyn> a(2, 4);
  CHECK(a.rank() == 3);
  CHECK(a.extent(0) == 2);
  CHECK(a.extent(1) == 3);
  CHECK(a.extent(2) == 4);
  CHECK(a.stride(0) == 12);
  CHECK(a.stride(1) == 4);
  CHECK(a.stride(2) == 1);
  CHECK(a.size() == 24);
  for (tenfold::index i = 0; i < a.size(); ++i) a.data()[i] = static_cast<double>(i);
  CHECK(a(1, 2, 3) == 23);
  CHECK(a(1, 0, 2) == 14);
}

TEST_CASE("the entries are aligned to 64 bytes wherever they lie") {
  CHECK(is_aligned(tensor<float, 3>()));
  CHECK(is_aligned(tensor<double, 3000>()));
  CHECK(is_aligned(tensor<float, dyn>(5)));
  const tensor<float, 3> several[3];
  for (const auto& t : several) CHECK(is_aligned(t));
}

#ifndef NDEBUG
TEST_CASE("a debug build fills what was not written with NaN") {
  const tensor<double, 5> in_object;
  const tensor<float, dyn> on_heap(7);
  const tensor<double, 3000> large;
  const tensor<std::complex<double>, 2> complex;
  const tensor<std::int32_t, 4> map;
  for (tenfold::index i = 0; i < 5; ++i) CHECK(std::isnan(in_object(i)));
  for (tenfold::index i = 0; i < 7; ++i) CHECK(std::isnan(on_heap(i)));
  CHECK(std::isnan(large(2999)));
  CHECK(std::isnan(complex(1).real()));
  CHECK(std::isnan(complex(1).imag()));
  CHECK(map(3) == std::numeric_limits<std::int32_t>::lowest());
}
#endif

TEST_CASE_TEMPLATE("a copy is deep", Tensor, tensor<double, 4>, tensor<double, 3000>) {
  Tensor a;
  a.fill(1);
  Tensor b = a;
  b(2) = 7;
  CHECK(a(2) == 1);
  CHECK(b(2) == 7);
  CHECK(b(3) == 1);
  a = b;
  CHECK(a(2) == 7);
  CHECK(a.data() != b.data());
  Tensor& same = a;
  a = same;
  CHECK(a(2) == 7);
}

TEST_CASE("a copy of a dynamic tensor takes over the extents") {
  tensor<double, dyn, 2> a(3), b(8), c(3);
  a.fill(4);
  b = a;
  CHECK(b.extent(0) == 3);
  CHECK(b(2, 1) == 4);
  double* const memory = c.data();
  c = a;
  CHECK(c.data() == memory);  // as many entries: no new allocation
  CHECK(c(0, 0) == 4);
  const tensor<double, dyn, 2> d = a;
  CHECK(d.size() == 6);
  CHECK(d(1, 1) == 4);
}

// What is left behind by a move is what these cases look at.
// NOLINTBEGIN(bugprone-use-after-move, performance-move-const-arg)
TEST_CASE("a moved-from dynamic tensor is empty and can be used again") {
  tensor<double, dyn, 2> a(3);
  a.fill(5);
  const double* const memory = a.data();
  tensor<double, dyn, 2> b = std::move(a);
  CHECK(b.data() == memory);
  CHECK(b.extent(0) == 3);
  CHECK(a.data() == nullptr);
  CHECK(a.extent(0) == 0);
  CHECK(a.size() == 0);
  a = b;
  CHECK(a(2, 1) == 5);
  a = std::move(b);
  CHECK(a.data() == memory);
  CHECK(b.size() == 0);
  tensor<double, dyn, 2>& same = a;
  a = std::move(same);
  CHECK(a(2, 1) == 5);
}

TEST_CASE("a moved-from large static tensor has no entries, and copies as such") {
  tensor<double, 3000> a;
  a.fill(5);
  tensor<double, 3000> b = std::move(a);
  CHECK(b(2999) == 5);
  CHECK(a.data() == nullptr);
  const tensor<double, 3000> c = a;
  CHECK(c.data() == nullptr);
  b = a;
  CHECK(b.data() == nullptr);
  a = tensor<double, 3000>();
  CHECK(a.data() != nullptr);
}

TEST_CASE("moving a tensor that holds its entries copies them") {
  tensor<double, 4> a;
  a.fill(3);
  const tensor<double, 4> b = std::move(a);
  CHECK(b(3) == 3);
  CHECK(a(3) == 3);
}

// NOLINTEND(bugprone-use-after-move, performance-move-const-arg)

TEST_CASE("a default-constructed dynamic tensor has no entries") {
  const tensor<double, dyn, 4> a;
  CHECK(a.extent(0) == 0);
  CHECK(a.extent(1) == 4);
  CHECK(a.size() == 0);
  CHECK(a.data() == nullptr);
}

TEST_CASE("a tensor may have no entries along an axis") {
  tensor<double, dyn, 3> a(0);
  a.zero();
  CHECK(a.size() == 0);
  tensor<double, 0, 3> b;
  b.fill(1);
  CHECK(b.size() == 0);
}

TEST_CASE("a tensor of rank 0 is one entry and converts to it") {
  tensor<double> a;
  a() = 2.5;
  const double x = a;
  CHECK(x == 2.5);
  CHECK(a + 1.0 == 3.5);
  CHECK(a.size() == 1);
  CHECK(a.rank() == 0);
  const tensor<float> b(4.0F);
  CHECK(b == 4.0F);
  static_assert(static_cast<double>(tensor<double>(1.5)) == 1.5);
}

TEST_CASE("fill and zero set every entry") {
  tensor<std::complex<float>, dyn, 3> a(5);
  a.fill({1, -1});
  CHECK(a(4, 2) == std::complex<float>(1, -1));
  a.zero();
  CHECK(a(0, 0) == std::complex<float>(0, 0));
  CHECK(a(4, 2) == std::complex<float>(0, 0));
}

TEST_CASE("a view of a tensor shares its entries") {
  tensor<double, dyn, 3> a(2);
  a.zero();
  const view<double, dyn, 3> v = a;
  v(1, 2) = 9;
  CHECK(a(1, 2) == 9);
  const strided_view<const double, dyn, dyn> s = std::as_const(a);
  CHECK(s(1, 2) == 9);
  CHECK(s.stride(0) == 3);
  const basic_view w = std::as_const(a);
  static_assert(std::is_same_v<decltype(w), const view<const double, dyn, 3>>);
  CHECK(w.data() == a.data());
}

TEST_CASE("a tensor refuses extents that cannot be") {
  CHECK_THROWS_WITH_AS((tensor<double, 3, dyn>(-4)),
                       "tenfold: the extent at position 1 is -4; an extent cannot be negative",
                       shape_error);
  const tenfold::index big = tenfold::index{1} << 40;
  CHECK_THROWS_WITH_AS((tensor<double, dyn, dyn>(big, big)),
                       "tenfold: the extents 1099511627776 x 1099511627776 multiply to more than "
                       "2^63 - 1 entries",
                       shape_error);
}

TEST_CASE("more bytes than can be addressed are std::bad_alloc") {
  CHECK_THROWS_AS((tensor<double, dyn>(INT64_MAX / 2)), std::bad_alloc);
}

TEST_CASE("an assignment that throws leaves the tensor as it was") {
  tensor<double, dyn> a(3);
  a.fill(2);
  CHECK_THROWS_AS((a = tensor<double, dyn>(INT64_MAX / 2)), std::bad_alloc);
  CHECK(a.extent(0) == 3);
  CHECK(a(2) == 2);
}

TEST_CASE("the examples of the documentation comments are programs") {
  const int elements = 5;
  const tensor<double, 9, 8> B;                    // in the object, no allocation
  const tensor<double, dyn, 8, 8, 8> u(elements);  // dynamic extents where `dyn` stands
  const tensor<double> energy(1.0);                // rank 0: one entry, converts to it
  CHECK(B.size() == 72);
  CHECK(u.size() == 5 * 512);
  CHECK(energy == 1.0);

  const int rows = 2, n = 4;
  double memory[16] = {};
  CHECK(view<const double, dyn, 8>(memory, rows).size() == 16);
  CHECK(strided_view<double, 3, dyn>(memory, {3, n}, {1, 3}).stride(1) == 3);
}
