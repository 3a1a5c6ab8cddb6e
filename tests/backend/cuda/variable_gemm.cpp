#include <tenfold/backend/cuda/variable_gemm.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <batches.hpp>
#include <broken.hpp>
#include <complex>
#include <copy_there.hpp>
#include <cstring>
#include <device_compiler.hpp>
#include <emulated_device.hpp>
#include <golden.hpp>
#include <string>
#include <tenfold/backend/device_batched_blas.hpp>
#include <tenfold/backend/interface/select/device_batches.hpp>
#include <thrown.hpp>

#include "tested_machine.hpp"
#include "variable_batch.hpp"

// Variable batches whose sizes the device alone knows, and groups and lists of addresses there.

namespace tenfold::testing {
namespace {

device_variable_gemm cut_for(scalar type, index usual = 16) {
  return select::device_variable_product(type, usual, h100_capabilities);
}

constexpr scalar all_scalars[] = {scalar::f32, scalar::f64, scalar::c32, scalar::c64};

}  // namespace

TEST_SUITE_BEGIN("device");

TEST_CASE("variable batches of all scalars, ops and sizes are computed on a device") {
  tested_machine machine;
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    for (const order layout : {order::row_major, order::column_major}) {
      for (const index usual : {4, 32}) {
        machine.reorder(1, usual == 4 ? 3 : 1000);
        variable_batch<T> x(layout, 23, 5);
        CHECK(x.is_right(machine, usual));
      }
    }
  });
  CHECK(machine.has_compiled(8));
  variable_batch<double> none(order::row_major, 0, 1), one(order::row_major, 1, 1);
  CHECK(none.is_right(machine, 32));
  CHECK(one.is_right(machine, 32));
  CHECK(machine.has_compiled(8));
}

TEST_CASE("problems of a variable batch that share a block are computed") {
  tested_machine machine;
  machine.reorder(1, 2);
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    const auto cut = cut_for(scalar_of<T>);
    for (const order layout : {order::row_major, order::column_major}) {
      for (const index count : {1, 31, 32, 33, 100}) {
        const variable_batch<T> any(layout, count, 7,
                                    [](generator& g, index) { return up_to(g, 40); });
        const variable_batch<T> tiny(layout, count, 8,
                                     [](generator& g, index) { return up_to(g, 4); });
        for (const int group : {5, 32}) {
          INFO("scalar ", static_cast<int>(scalar_of<T>), ", count ", count, ", group ", group);
          CHECK(any.is_right(machine, cut, group));
          CHECK(tiny.is_right(machine, cut, group));
          if (is_complex(scalar_of<T>)) CHECK(any.is_right(machine, cut, group, nullptr, true));
        }
      }
    }
  });
}

TEST_CASE("lines of a variable batch that are copied some entries at once are computed") {
  tested_machine machine;
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    for (const int together : {1, 2, 4}) {
      if (together * static_cast<int>(sizeof(T)) > 16) continue;
      auto cut = cut_for(scalar_of<T>);
      cut.together = together;
      // Multiples of four entries, but for what lies between two matrices of a problem.
      variable_batch<T> x(
          order::row_major, 40, 11,
          [](generator& g, index) {
            const sizes n = up_to(g, 6);
            return sizes{4 * n.m, 4 * n.n, 4 * n.k};
          },
          0);
      CHECK(x.is_right(machine, cut, 32));
    }
  });
}

TEST_CASE("problems of a variable batch that are larger than the room are computed by parts") {
  tested_machine machine;
  constexpr sizes large[] = {{70, 70, 70},  {33, 65, 129}, {200, 3, 45}, {3, 200, 60},
                             {1100, 1, 2},  {2, 1100, 3},  {2, 3, 2000}, {1100, 2, 0},
                             {41, 1, 1500}, {129, 31, 64}};
  const auto sizes_of = [&](generator& g, index i) {
    return i % 2 == 0 ? large[static_cast<std::size_t>(i / 2)] : up_to(g, 12);
  };
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    for (const order layout : {order::row_major, order::column_major}) {
      for (const index usual : {4, 16, 64}) {
        const variable_batch<T> x(layout, 20, 13, sizes_of);
        INFO("scalar ", static_cast<int>(scalar_of<T>), ", usual ", usual);
        CHECK(x.is_right(machine, cut_for(scalar_of<T>, usual), 7));
        if (is_complex(scalar_of<T>))
          CHECK(x.is_right(machine, cut_for(scalar_of<T>, usual), 7, nullptr, true));
      }
    }
  });
}

TEST_CASE("problems of a variable batch may fill the room to its last entry") {
  tested_machine machine;
  auto cut = cut_for(scalar::f64);
  cut.room = 1920;
  const auto entries = [&](const sizes& n) {
    return variable_entries(n.m, n.n, static_cast<int>(n.k), cut.together);
  };
  constexpr sizes quarter{16, 16, 15}, all{64, 64, 15}, more{64, 65, 15};
  CHECK(4 * entries(quarter) == cut.room);
  CHECK(entries(all) == cut.room);
  CHECK(entries(more) > cut.room);
  constexpr sizes list[] = {quarter, quarter, quarter, quarter, all,     quarter,
                            all,     more,    quarter, quarter, quarter, quarter};
  const variable_batch<double> x(order::row_major, 12, 17, [&](generator&, index i) {
    return list[static_cast<std::size_t>(i)];
  });
  CHECK(x.is_right(machine, cut, 32));
  CHECK(x.is_right(machine, cut, 6));
}

TEST_CASE("neither the place nor the group of a problem of a variable batch changes a bit") {
  tested_machine machine;
  const auto cut = cut_for(scalar::c32);
  variable_batch<std::complex<float>> x(order::row_major, 40, 19);
  generator g(23);
  for (auto* const all : {&x.a, &x.b, &x.c})
    fill(all->data(), std::ssize(*all), g, entries_kind::random);
  const auto same = [](const auto& one, const auto& other) {
    return std::memcmp(one.data(), other.data(), one.size() * sizeof one[0]) == 0;
  };
  const auto one_by_one = x.result(machine, cut, 1);
  CHECK(same(x.result(machine, cut, 32), one_by_one));
  std::reverse(x.problems.begin(), x.problems.end());
  machine.reorder(1, 1);
  CHECK(same(x.result(machine, cut, 32), one_by_one));
  CHECK(same(x.result(machine, cut, 7), one_by_one));
}

TEST_CASE("a bad problem of a variable batch on a device has a code, and the others are computed") {
  tested_machine machine;
  variable_batch<double> x(order::row_major, 12, 3);
  const auto spoil = [&](std::size_t i, auto change) {
    gemm_problem<double>& p = x.problems[i];
    p.m = p.n = p.k = 2;
    p.op_a = p.op_b = op::none;
    p.lda = p.ldb = p.ldc = 2;
    p.alpha = 1;
    change(p);
  };
  // What these would write is left as it was.
  x.want = x.c;
  for (std::size_t i = 5; i < x.problems.size(); ++i) {
    gemm_problem<double> p = x.problems[i];
    p.c = x.want.data() + (p.c - x.c.data());
    x.compute(p);
  }
  spoil(0, [](auto& p) { p.m = -1; });
  spoil(1, [](auto& p) { p.ldb = 1; });
  spoil(2, [](auto& p) { p.a = nullptr; });
  spoil(3, [](auto& p) { p.op_b = static_cast<op>(9); });
  spoil(4, [](auto& p) { p.c = nullptr; });
  std::vector<int> codes;
  CHECK(x.is_right(machine, 32, &codes));
  const std::vector<int> right{-4, -11, -8, -3, -13, 0, 0, 0, 0, 0, 0, 0};
  CHECK(codes == right);
  // In the middle of a group as well.
  std::rotate(x.problems.begin(), x.problems.begin() + 8, x.problems.end());
  CHECK(x.is_right(machine, cut_for(scalar::f64), 32, &codes));
  std::rotate(codes.begin(), codes.begin() + 4, codes.end());
  CHECK(codes == right);
}

TEST_CASE("a variable batch on a device does not read what alpha or k leaves out") {
  tested_machine machine;
  const copy_there<double> there(machine, std::vector<double>{3, 5, 7});
  double* const c = there.data();
  const copy_there<gemm_problem<double>> problems(
      machine,
      std::vector<gemm_problem<double>>{
          {.m = 1, .n = 1, .k = 4, .alpha = 0, .lda = 4, .ldb = 1, .beta = 2, .c = c, .ldc = 1},
          {.m = 1, .n = 1, .lda = 1, .ldb = 1, .beta = 0, .c = c + 1, .ldc = 1},
          {.m = 0, .n = 1, .k = 4, .lda = 4, .ldb = 1, .ldc = 1}});
  const copy_there<int> codes(machine, std::vector<int>(3, 77));
  gemm(on(machine), order::row_major, problems.data(), 3, codes.data());
  CHECK(codes.values() == std::vector<int>(3, 0));
  CHECK(there.values() == std::vector<double>{6, 0, 7});
}

TEST_CASE("groups, lists of addresses and strided batches with sizes are computed on a device") {
  tested_machine machine;
  machine.for_each_scalar([&](auto t) {
    using T = decltype(t);
    constexpr index entries = 4000;
    const auto a = exact_entries<T>(entries, 1), b = exact_entries<T>(entries, 2),
               c = exact_entries<T>(entries, 3);
    const copy_there<T> a_there(machine, a), b_there(machine, b), c_there(machine, c);
    const gemm_group<T> groups[] = {
        {op::none, op::transpose, 3, 4, 5, T(2), 5, 6, T(-1), 4, 6},
        {op::conjugate_transpose, op::none, 2, 2, 2, T(1), 2, 2, T(0), 3, 0},
        {op::conjugate_transpose, op::none, 6, 2, 3, T(-1), 6, 2, T(0), 2, 4},
        {op::none, op::none, 2, 3, 4, T(0), 4, 3, T(2), 3, 2}};
    std::vector<const T*> list_a, list_b, at_a, at_b;
    std::vector<T*> list_c, at_c;
    auto want = c;
    for (index i = 0; i < 12; ++i) {
      list_a.push_back(a.data() + 100 * i);
      list_b.push_back(b.data() + 100 * i);
      list_c.push_back(want.data() + 100 * i);
      at_a.push_back(a_there.data() + 100 * i);
      at_b.push_back(b_there.data() + 100 * i);
      at_c.push_back(c_there.data() + 100 * i);
    }
    const copy_there<const T*> addresses_a(machine, at_a), addresses_b(machine, at_b);
    const copy_there<T*> addresses_c(machine, at_c);
    const auto where = on(machine);
    const auto check = [&] { CHECK(c_there.values() == want); };
    gemm(order::row_major, groups, 4, list_a.data(), list_b.data(), list_c.data());
    gemm(where, order::row_major, groups, 4, addresses_a.data(), addresses_b.data(),
         addresses_c.data());
    check();
    gemm<T>(order::column_major, op::none, op::none, 3, 2, 4, T(1), list_a.data(), 3, list_b.data(),
            4, T(1), list_c.data(), 5, 7);
    gemm<T>(where, order::column_major, op::none, op::none, 3, 2, 4, T(1), addresses_a.data(), 3,
            addresses_b.data(), 4, T(1), addresses_c.data(), 5, 7);
    check();
    gemm<T>(order::row_major, op::transpose, op::none, 3, 3, 3, T(1), a.data(), 4, 0, b.data(), 3,
            20, T(-1), want.data(), 3, 30, 11);
    gemm<T>(where, order::row_major, op::transpose, op::none, 3, 3, 3, T(1), a_there.data(), 4, 0,
            b_there.data(), 3, 20, T(-1), c_there.data(), 3, 30, 11);
    check();
  });
}

TEST_SUITE_END();

TEST_CASE("every barrier of a variable batch is missed when it is missing") {
  constexpr const char* code = "tenfold/backend/cuda/variable_gemm.device.hpp";
  // Two groups of as many rounds and parts, so that who reads too early what the last group or
  // problem left goes the same way: in each two problems that are larger than the room, two rounds.
  constexpr sizes list[] = {{41, 40, 48}, {40, 40, 50}, {30, 31, 29}, {28, 30, 33}, {9, 8, 7},
                            {40, 40, 49}, {41, 40, 50}, {31, 30, 28}, {29, 31, 30}, {8, 9, 6}};
  const auto batch = [&](std::uint64_t seed) {
    return variable_batch<double>(order::row_major, 10, seed, [&](generator&, index i) {
      return list[static_cast<std::size_t>(i)];
    });
  };
  const auto reads_all = [](const variable_batch<double>& x) {
    return std::ranges::none_of(x.problems, [](const auto& p) { return p.alpha == 0; });
  };
  std::uint64_t seed = 1;
  while (!reads_all(batch(seed))) ++seed;
  const auto caught = [&](int group, const char* from, const char* to, const std::string& error) {
    return emulation::times_caught(
        {code, from, to}, error, [&](emulation::emulated_device& on_this) {
          return batch(seed).is_right(on_this, cut_for(scalar::f64), group);
        });
  };
  using emulation::orders;
  CHECK(caught(5, "", "", "") == 0);
  // Those of groups and rounds, then those of problems that are larger than the room. What is read
  // before anybody has written it is no number of rounds: that is not tried. Who reads what is
  // being written may come to other barriers than the others.
  struct change {
    int group;
    const char *from, *to;
  };
  const change barriers[] = {
      {2, "if (is_used) wait_for_block();", "if (is_used && t < 0) wait_for_block();"},
      {5, "t);\n    wait_for_block();\n    for (int first",
       "t);\n    if (b == 0) wait_for_block();\n    for (int first"},
      {5, "if (first > 0) wait_for_block();", ""},
      {5, "wait_for_block();\n      compute<K>", "compute<K>"},
      {5, "wait_for_block();\n      if (t == 0)", "if (t == 0)"},
      {5, "x.by_row);\n      wait_for_block();", "x.by_row);\n      if (i == 0) wait_for_block();"},
      {5, "wait_for_block();\n    is_brought", "is_brought"}};
  for (const change& x : barriers) {
    INFO(std::string(x.from));
    CHECK(caught(x.group, x.from, x.to, "") + caught(x.group, x.from, x.to, "divergent") >= orders);
  }
  CHECK(caught(5, "if (first > 0) wait_for_block();", "if (first > 0 && t < 3) wait_for_block();",
               "divergent") == orders);
}

TEST_CASE("a factor of a variable batch that outgrows its room, or that nobody brings, is caught") {
  constexpr const char* code = "tenfold/backend/cuda/variable_gemm.device.hpp";
  auto cut = cut_for(scalar::f64);
  cut.room = 1920;
  constexpr sizes more{64, 65, 15};
  REQUIRE(variable_entries(more.m, more.n, static_cast<int>(more.k), cut.together) > cut.room);
  variable_batch<double> x(order::row_major, 4, 29, [&](generator&, index) { return more; });
  const auto caught = [&](const char* from, const char* to, const char* error) {
    return emulation::times_caught(
        {code, from, to}, error,
        [&](emulation::emulated_device& on_this) { return x.is_right(on_this, cut, 4); });
  };
  using emulation::orders;
  CHECK(caught("", "", "") == 0);
  // Behind the room lie the factors alpha of the block's problems.
  CHECK(caught("K.together) > K.room)", "K.together) > K.room + 30)", "") == orders);
  CHECK(caught("const int t = thread_index();\n  bool is_used",
               "const int t = thread_index();\n"
               "  volatile int end = shared_bytes(K, sizeof(T)) / sizeof(T);\n"
               "  memory.room[end] = T{};\n  bool is_used",
               "outside") == orders);
  x = variable_batch<double>(order::row_major, 20, 31);
  CHECK(caught("f < factors; f +=", "f + 1 < factors; f +=", "") == orders);
}

TEST_CASE("the text of a variable batch is what it was") {
  check_golden("device_variable_gemm.txt",
               cuda::variable_gemm_text(scalar::f64, cut_for(scalar::f64)));
}

TEST_CASE("no device kernel of a variable batch spills") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  for (const scalar type : all_scalars) {
    for (const index usual : {4, 16, 64}) {
      for (const int architecture : {80, 90}) {
        const auto image = nvrtc->compile(
            cuda::variable_gemm_text(
                type, select::device_variable_product(
                          type, usual, architecture == 80 ? a100_capabilities : h100_capabilities)),
            architecture);
        INFO("scalar ", static_cast<int>(type), ", usual ", usual, ", sm_", architecture, ": ",
             image.registers, " registers");
        CHECK(image.spilled_bytes == 0);
      }
    }
  }
}

TEST_CASE("sizes that are wrong on a device are told as on the host, before anything runs") {
  emulation::emulated_device machine;
  const auto where = on(machine);
  double x[100] = {}, y[100] = {};
  double *const list[] = {x, x}, *const results[] = {y, y + 50};
  const auto both = [&](auto host, auto there) {
    const std::string sentence = thrown_by<shape_error>(host);
    CHECK(sentence != "");
    CHECK(thrown_by<shape_error>(there) == sentence);
  };
  const gemm_group<double> groups[] = {{op::none, op::none, 2, 2, 2, 1, 2, 2, 0, 2, 1},
                                       {op::none, op::none, 2, 2, 5, 1, 3, 2, 0, 2, 1}};
  both([&] { gemm(order::row_major, groups, 2, list, list, results); },
       [&] { gemm(where, order::row_major, groups, 2, list, list, results); });
  both(
      [&] {
        gemm<double>(order::row_major, op::none, op::none, 2, -1, 2, 1, x, 2, 4, x, 2, 4, 0, x, 2,
                     4, 3);
      },
      [&] {
        gemm<double>(where, order::row_major, op::none, op::none, 2, -1, 2, 1, x, 2, 4, x, 2, 4, 0,
                     x, 2, 4, 3);
      });
  CHECK(thrown_by<shape_error>([&] {
          gemm(where, order::row_major, static_cast<const gemm_problem<double>*>(nullptr), 3);
        }) != "");
  CHECK(machine.compiled() == 0);
}

}  // namespace tenfold::testing
