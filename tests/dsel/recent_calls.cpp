#include <check_call.hpp>
#include <tenfold/dsel/recent_calls.hpp>
#include <thread>
#include <thrown.hpp>

// What a thread keeps of the calls that only the running program knows.

namespace tenfold::testing {
namespace {

call_key key_of_number(std::uint64_t number) {
  call_key key("i->i", 1, {});
  key.add(number);
  return key;
}

/// sum_j a_ij b_jk in plain loops.
double product(const tensor<double, dyn, dyn>& a, const tensor<double, dyn, dyn>& b, index i,
               index k) {
  double sum = 0;
  for (index j = 0; j < a.extent(1); ++j) sum += a(i, j) * b(j, k);
  return sum;
}

tensor<double, dyn, dyn> matrix_of(index rows, index columns, int first) {
  tensor<double, dyn, dyn> x(rows, columns);
  for (index i = 0; i < rows * columns; ++i) {
    x.data()[i] = static_cast<double>((i * 5 + first) % 11 - 5);
  }
  return x;
}

}  // namespace

TEST_CASE("a call that was kept is found until sixteen others have been kept") {
  recent_calls calls;
  std::vector<std::shared_ptr<recent_call>> kept;
  for (std::uint64_t n = 0; n < 17; ++n) {
    CHECK(calls.find(key_of_number(n)) == nullptr);
    kept.push_back(std::make_shared<recent_call>());
    calls.keep(key_of_number(n), kept.back());
    CHECK(calls.find(key_of_number(n)) == kept.back());
  }
  CHECK(calls.find(key_of_number(0)) == nullptr);
  for (std::uint64_t n = 16; n > 0; --n) CHECK(calls.find(key_of_number(n)) == kept[n]);
  CHECK(kept[0].use_count() == 1);
}

TEST_CASE("a long key is kept to its last word") {
  recent_calls calls;
  const auto key = [](std::uint64_t last) {
    call_key long_key("i->i", 1, {});
    for (std::uint64_t n = 0; n < 200; ++n) long_key.add(n);
    long_key.add(last);
    return long_key;
  };
  const auto call = std::make_shared<recent_call>();
  calls.keep(key(1), call);
  CHECK(calls.find(key(1)) == call);
  CHECK(calls.find(key(2)) == nullptr);
}

TEST_CASE("keys differ in whatever a program depends on") {
  using shape = operand_shape<max_rank>;
  shape matrix;
  matrix.rank = 2;
  matrix.extents[0] = matrix.extents[1] = matrix.strides[0] = 4;
  matrix.strides[1] = 1;
  const auto key = [](std::string_view text, const shape& x, const call_settings& s = {}) {
    call_key k(text, 1, s);
    k.add(x);
    return std::vector<std::uint64_t>(k.begin(), k.end());
  };
  const auto same = key("ij->ji", matrix);
  CHECK(key("ij->ji", matrix) == same);
  CHECK(key("ij->ji", matrix, {.alpha = {2}}) == same);
  CHECK(key("ij->ij", matrix) != same);
  CHECK(key("ij->ji", matrix, {.beta = {1}}) != same);
  CHECK(key("ij->ji", matrix, {.binding = {.numpy_semantics = true}}) != same);
  CHECK(key("ij->ji", matrix, {.binding = {.accumulates = true}}) != same);
  CHECK(key("ij->ji", matrix, {.path = {.method = path_method::greedy}}) != same);
  CHECK(key("ij->ji", matrix, {.path = {.largest_intermediate = 8}}) != same);
  CHECK(key("ij->ji", matrix, {.path = {.pair_count = 1}}) != same);
  const auto changed = [&](auto change) {
    shape x = matrix;
    change(x);
    return key("ij->ji", x);
  };
  CHECK(changed([](shape& x) { x.extents[1] = 5; }) != same);
  CHECK(changed([](shape& x) { x.strides[0] = 5; }) != same);
  CHECK(changed([](shape& x) { x.rank = 1; }) != same);
  CHECK(changed([](shape& x) { x.type = scalar::f32; }) != same);
  CHECK(changed([](shape& x) { x.layout = batch_layout::pointers; }) != same);
  CHECK(changed([](shape& x) { x.space = device::cuda; }) != same);
  CHECK(changed([](shape& x) { x.conjugated = true; }) != same);
  CHECK(changed([](shape& x) { x.symmetry = reflection::odd; }) != same);
  CHECK(changed([](shape& x) { x.block = 8; }) != same);

  const double a = 0, b = 0;
  const auto twins = [](std::vector<const void*> data) {
    call_key k("i,i,i->i", 3, {});
    k.add_twins(data.data(), static_cast<int>(data.size()));
    return std::vector<std::uint64_t>(k.begin(), k.end());
  };
  CHECK(twins({&a, &a, &b}) == twins({&b, &b, &a}));
  CHECK(twins({&a, &a, &b}) != twins({&a, &b, &a}));
  CHECK(twins({&a, &a, &b}) != twins({&a, &a, &a}));
}

TEST_CASE("more calls than are kept, each as often as the others") {
  for (int round = 0; round < 3; ++round) {
    for (index n = 1; n <= 20; ++n) {
      const auto a = matrix_of(n, n + 1, round), b = matrix_of(n + 1, 3, round + 4);
      tensor<double, dyn, dyn> y(n, 3), z(n, 3);
      einsum<"ij,jk->ik">(into(y), a, b);
      einsum("ij,jk->ik", into(z), a, b, alpha(2.0));
      for (index i = 0; i < n; ++i) {
        for (index k = 0; k < 3; ++k) {
          CHECK(y(i, k) == product(a, b, i, k));
          CHECK(z(i, k) == 2 * product(a, b, i, k));
        }
      }
    }
  }
}

TEST_CASE("what is wrong with a call is found however often it was right") {
  auto a = matrix_of(4, 4, 0);
  const auto b = matrix_of(4, 4, 1);
  tensor<double, dyn, dyn> y(4, 4);
  for (int round = 0; round < 2; ++round) {
    einsum("ij,jk->ik", into(y), a, b);
    CHECK_THROWS_AS(einsum("ij,jk->ik", into(a), a, b), overlap_error);
    CHECK_THROWS_AS(einsum("ij,jk->ik", into(y), a, b, alpha(std::complex<double>(0, 1))),
                    shape_error);
    CHECK_THROWS_AS(einsum("ij,jk->im", into(y), a, b), subscript_error);
    CHECK_THROWS_AS(einsum("ij,jk->ik", into(y), a, matrix_of(5, 4, 0)), shape_error);
  }
}

TEST_CASE("operands that are one are not taken for others") {
  const auto a = matrix_of(3, 3, 0), b = matrix_of(3, 3, 6);
  const auto sum = [](const auto& x, const auto& z) {
    return einsum("ij,jk + ij,jk -> ik", x, x, x, z);
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto* other : {&a, &b}) {
      const auto y = sum(a, *other);
      for (index i = 0; i < 3; ++i) {
        for (index k = 0; k < 3; ++k) {
          CHECK(y(i, k) == product(a, a, i, k) + product(a, *other, i, k));
        }
      }
    }
  }
}

TEST_CASE("each thread keeps its own calls") {
  const auto work = [](int first) {
    for (int round = 0; round < 50; ++round) {
      const auto a = matrix_of(3 + round % 4, 5, first), b = matrix_of(5, 4, round);
      tensor<double, dyn, dyn> y(3 + round % 4, 4);
      einsum("ij,jk->ik", into(y), a, b);
      if (y(2, 3) != product(a, b, 2, 3)) return false;
    }
    return true;
  };
  bool right[2] = {};
  std::thread other([&] { right[1] = work(3); });
  right[0] = work(1);
  other.join();
  CHECK(right[0]);
  CHECK(right[1]);
}

}  // namespace tenfold::testing
