#include <doctest/doctest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <foreign.hpp>
#include <samples.hpp>
#include <span>
#include <tenfold/dsel/index_notation.hpp>
#include <tenfold/tensor/gathered.hpp>
#include <tenfold/tensor/interleaved.hpp>
#include <tenfold/tensor/pointers.hpp>
#include <tenfold/tensor/tensor.hpp>
#include <vector>

/// What an expression of index notation holds of views and of what owns its entries.
namespace tenfold::testing {
namespace {

/// y(i...) = 2 * x(i...) where the view x, made of a tensor by `view_of`, is gone: is it kept?
template <class Tensor, class F, class... I>
void check_kept(Tensor& owner, F view_of, I... i) {
  const auto product = [&] {
    auto x = view_of(owner);
    return 2 * indexed(x)(i...);
  }();
  const auto access = [&] {
    auto x = view_of(owner);
    return indexed(x);
  }();
  using scalar = typename Tensor::value_type;
  tensor<scalar, dyn, dyn> y(6, 4), z(6, 4), w(6, 4);
  auto x = view_of(owner);
  y(i...) = product;
  z(i...) = 2 * access(i...);
  w(i...) = 2 * indexed(x)(i...);
  for (index n = 0; n < w.size(); ++n) {
    CHECK(y.data()[n] == w.data()[n]);
    CHECK(z.data()[n] == w.data()[n]);
  }
}

/// It owns its entries, although const does not reach them.
struct shallow_vector {
  using value_type = double;
  std::vector<double> entries;
  double* data() const { return const_cast<double*>(entries.data()); }
  double& operator[](std::size_t i) const { return data()[i]; }
  double* begin() const { return data(); }
  std::size_t size() const { return entries.size(); }
};

}  // namespace

TEST_CASE("views of every kind are copied into an expression") {
  using labels::i, labels::j;
  generator g(5);
  tensor<double, dyn, 4> a(6);
  fill(a.data(), a.size(), g, entries_kind::exact);
  tensor<std::complex<double>, dyn, 4> c(6);
  fill(c.data(), c.size(), g, entries_kind::exact);
  using rows = std::array<double, 4>;
  check_kept(
      a, [](auto& t) { return view<const double, dyn, 4>(t); }, i, j);
  check_kept(
      a, [](auto& t) { return strided_view<double, dyn, 4>(t); }, i, j);
  check_kept(
      a, [](auto& t) { return std::span<rows>(reinterpret_cast<rows*>(t.data()), 6); }, i, j);
  check_kept(
      a, [](auto& t) { return interleaved_view<const double, 1, 4>(t.data(), 6); }, i, j);
  check_kept(
      a, [](auto& t) { return foreign::map<double, foreign::dynamic, 4>(t.data(), 6, 4, 4, 1); }, i,
      j);
  check_kept(
      a,
      [](auto& t) {
        return foreign::mdspan<double, foreign::extents<foreign::dynamic_extent, 4>>(t.data(),
                                                                                     {6, 4});
      },
      i, j);
  const double* list[6];
  for (index b = 0; b < 6; ++b) list[b] = &a(b, 0);
  check_kept(
      a, [&](auto&) { return pointers<const double, 4>(list, 6); }, i, j);
  std::int32_t numbers[24];
  for (std::int32_t n = 0; n < 24; ++n) numbers[n] = 23 - n;
  const index_map map(numbers, 6, 4, 24);
  check_kept(
      a, [&](auto& t) { return gathered<const double, 4>(t.data(), map); }, i, j);
  check_kept(
      c, [](auto& t) { return conj(t); }, i, j);
  check_kept(
      c,
      [](auto& t) {
        const view<const std::complex<double>, dyn, 4> v(t);
        return conj(v);
      },
      i, j);
}

TEST_CASE("what is written to an owner of any kind stays there") {
  using labels::i;
  shallow_vector a{{1, 2, 3}}, b{{0, 0, 0}};
  indexed(b)(i) = 2.0 * indexed(a)(i);
  CHECK(b.entries == std::vector<double>{2, 4, 6});
}

TEST_CASE("a view on the left is written through, const or not where its entries are not") {
  using labels::i;
  double entries[3] = {1, 2, 3}, results[3] = {};
  const std::span<const double> from(entries);
  const std::span<double> to(results);
  indexed(to)(i) = 2 * indexed(from)(i);
  CHECK(results[2] == 6);
  foreign::map<double, foreign::dynamic, 1> column(results, 3, 1, 1, 3);
  indexed(column)(i) += indexed(from)(i);
  CHECK(results[2] == 9);
  auto kept = indexed(column);
  kept(i) += indexed(from)(i);
  CHECK(results[2] == 12);
}

TEST_CASE("a slice of a null address is refused as the address is") {
  using labels::i, labels::j;
  const view<const double, 4, 5> nowhere(nullptr);
  tensor<double, 4> y;
  CHECK_THROWS_WITH_AS(y(i) = nowhere(i, 3),
                       "tenfold: \"i->i\": operand 0 has entries, but its address is null",
                       shape_error);
}

}  // namespace tenfold::testing
