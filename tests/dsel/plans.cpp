#include <check_call.hpp>
#include <sstream>
#include <tenfold/tensor/reflection.hpp>
#include <thread>
#include <thrown.hpp>

// Plans that are kept.

namespace tenfold::testing {
namespace {

constexpr entries_kind random_entries = entries_kind::random;

}  // namespace

// --- what a plan is -----------------------------------------------------------------------------

TEST_CASE("plans of the same text, shapes and settings are equal") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  const auto wide = made<double>(shape<6, 9>{}, 2);
  const auto single = made<float>(shape<5, 6>{}, 1);
  const auto complex = made<std::complex<double>>(shape<5, 6>{}, 1);
  const strided_view<const double, dyn, dyn> transposed(b.data(), {6, 7}, {1, 6});
  const strided_view<double, dyn, dyn> columns(nullptr, {5, 7}, {1, 5});
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  const run_time_plan copy = p;
  CHECK(p == copy);
  CHECK(p == plan("ij,jk->ik", like(a), like(without_static_extents(b))));
  CHECK_FALSE(p == plan("ij,jk", like(a), like(b)));
  CHECK_FALSE(p == plan("ij,jk->ik", like(a), like(wide)));
  CHECK_FALSE(p == plan("ij,jk->ik", like(a), like(transposed)));
  CHECK_FALSE(p == plan("ij,jk->ik", like(complex), like(b)));
  CHECK_FALSE(plan("ij->ji", like(complex)) == plan("ij->ji", like(conj(complex))));
  CHECK_FALSE(plan("ij->ji", like(a)) == plan("ij->ji", like(single)));
  CHECK_FALSE(p == plan("ij,jk->ik", into(like(columns)), like(a), like(b)));
  CHECK_FALSE(p == plan("ij,jk->ik", like(a), like(b), numpy_semantics));
  CHECK_FALSE(p == plan("ij,jk->ik", like(a), like(b), accumulate<double>));
  CHECK_FALSE(p == plan("ij,jk->ik", like(a), like(b),
                        optimize<path_options{.method = path_method::greedy}>));
  CHECK_FALSE(plan("ij->ij", like(a)) == plan("ij,jk->ik", like(a), like(b)));
}

TEST_CASE("a plan for a declared symmetry takes no matrix that declares none") {
  const auto u = made<double>(shape<3, 8>{}, 2);
  tensor<double, 4, 3> B;
  B.fill(0.5);
  const auto declared = reflection_symmetric(B);
  const run_time_plan p = plan("qi,ie->qe", like(declared), like(u));
  CHECK(same_bits(p(declared, u), einsum("qi,ie->qe", declared, u)));
  CHECK_THROWS_AS(p(B, u), shape_error);
  CHECK_FALSE(p == plan("qi,ie->qe", like(B), like(u)));
}

TEST_CASE("a plan tells its text, work and result, and prints the table of explain") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  CHECK(p.text() == "ij,jk->ik");
  CHECK(p.flops() == 2 * 5 * 6 * 7);
  CHECK(p.workspace_bytes() >= 0);
  CHECK(p.result().rank == 2);
  CHECK(p.result().extents[0] == 5);
  CHECK(p.result().extents[1] == 7);
  CHECK(p.result().strides[0] == 7);
  std::ostringstream out;
  out << p;
  CHECK(out.str().find("double; i = 5, j = 6, k = 7") != std::string::npos);
  CHECK(out.str().find("flops") != std::string::npos);
  CHECK(
      plan("ij,jk->ik", like(made<double>(shape<5, 0>{}, 1)), like(made<double>(shape<0, 7>{}, 1)))
          .flops() == 0);
}

TEST_CASE("a literal has a plan that the compiler has made") {
  const auto a = made<double>(shape<dyn, 4, 5>{19}, 1);
  const auto u = made<double>(shape<dyn, 5>{19}, 2);
  const auto p = plan<"eij,ej->ei">(like(a), like(u));
  CHECK(p == plan<"eij,ej->ei">(like(a), like(u)));
  CHECK(p.text() == "eij,ej->ei");
  CHECK(p.flops() == 2 * 4 * 5);
  std::ostringstream table;
  table << p;
  CHECK(table.str().starts_with("eij,ej->ei\n"));
  CHECK(same_bits(p(a, u), einsum<"eij,ej->ei">(a, u)));
  CHECK(same_bits(p(a, u, alpha(3)), einsum<"eij,ej->ei">(a, u, alpha(3))));
  tensor<double, dyn, 4> y(19), w(19);
  y.fill(2);
  w.fill(2);
  p(into(y), a, u, alpha(0.5), beta(-1));
  einsum<"eij,ej->ei">(into(w), a, u, alpha(0.5), beta(-1));
  CHECK(same_bits(y, w));
}

TEST_CASE("a literal over strides of the call is planned at the call") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const strided_view<const double, dyn, dyn> turned(a.data(), {6, 5}, {1, 6});
  const run_time_plan p = plan<"ij,jk->ik">(like(turned), like(a));
  CHECK(p == plan("ij,jk->ik", like(turned), like(a)));
  CHECK(same_bits(p(turned, a), einsum("ij,jk->ik", turned, a)));
}

TEST_CASE("a plan whose result has a scalar of its own takes no tensor of the operands'") {
  const auto a = made<float>(shape<5, 6>{}, 1);
  const auto b = made<float>(shape<6, 7>{}, 2);
  tensor<double, 5, 7> y, z;
  const run_time_plan wide = plan("ij,jk->ik", like(a), like(b), accumulate<double>);
  wide(into(y), a, b);
  einsum<"ij,jk->ik">(into(z), a, b, accumulate<double>);
  CHECK(same_bits(y, z));
  CHECK_THROWS_AS(wide(a, b), shape_error);
  const tensor<std::complex<float>, 5, 7> complex;
  CHECK_THROWS_AS(plan("ij,jk->ik", into(like(complex)), like(a), like(b))(a, b), shape_error);
}

// --- what a plan does ---------------------------------------------------------------------------

TEST_CASE("a plan gives the same bits from any thread") {
  const auto a = made<double>(shape<64, 9, 10>{}, 1);
  const auto b = made<double>(shape<64, 10, 11>{}, 2);
  const run_time_plan p = plan("eij,ejk->eik", like(a), like(b));
  const auto right = p(a, b);
  dynamic_tensor<double> results[2] = {dynamic_tensor<double>(p.result()),
                                       dynamic_tensor<double>(p.result())};
  const auto run = [&](int t) {
    for (int i = 0; i < 50; ++i) {
      run_time_operand inputs[] = {seen(a), seen(b)};
      p.run(inputs, 2, results[t].shape(), results[t].data(), {});
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  CHECK(same_bits(results[0], right));
  CHECK(same_bits(results[1], right));
}

TEST_CASE("a plan runs on other operands of the same shapes") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  for (std::uint64_t seed = 3; seed < 6; ++seed) {
    const auto c = made<double>(shape<5, 6>{}, seed);
    CHECK(same_bits(p(c, b), einsum("ij,jk->ik", c, b)));
  }
  // One tensor twice, which the plan could not know.
  const auto d = made<double>(shape<6, 6>{}, 1, entries_kind::exact);
  const run_time_plan square = plan("ij,jk->ik", like(d), like(d));
  CHECK(same_bits(square(d, d), einsum("ij,jk->ik", d, d)));
}

TEST_CASE("a plan that was moved from is still the plan") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  run_time_plan q = std::move(p);
  CHECK(same_bits(p(a, b), q(a, b)));
  p = std::move(q);
  CHECK(p == q);
}

TEST_CASE("a plan knows the strides of its result") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  const judge<double> right("ij,jk->ik", random_entries, {seen(a), seen(b)});
  sample<double> memory({5, 7}, {1, 6});
  const strided_view<double, dyn, dyn> y(memory.data(), {5, 7}, {1, 6});
  const run_time_plan p = plan("ij,jk->ik", into(like(y)), like(a), like(b));
  p(into(y), a, b);
  right.check(y);
  CHECK(memory.spoilt_gaps() == 0);
}

TEST_CASE("a string and its plan write into a tensor of run-time rank") {
  tensor<double, 3, 4> a;
  tensor<double, 4, 5> b;
  a.fill(2);
  b.fill(3);
  const std::string text = "ij,jk->ik";
  dynamic_tensor<double> y = einsum(text, a, b);
  CHECK(y(2, 4) == 24);
  einsum(text, into(y), a, b, alpha(2), beta(1));
  CHECK(y(2, 4) == 72);
  const auto p = plan(text, into(like(y)), like(a), like(b));
  p(into(y), a, b, beta(-1));
  CHECK(y(0, 0) == -48);
  CHECK(explain(text, into(y), a, b).step_count == 1);
  dynamic_tensor<double> other = einsum("ij->ji", y);
  CHECK_THROWS_AS(einsum(text, into(other), a, b), shape_error);
  CHECK_THROWS_AS(einsum("ij,jk->ik", into(y), y, y), shape_error);
  dynamic_tensor<double> square = einsum("ij,kj->ik", a, a);
  CHECK_THROWS_AS(einsum(text, into(square), square, square), overlap_error);
}

TEST_CASE("what is not like the planned is told and nothing is written") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  const auto b = made<double>(shape<6, 7>{}, 2);
  const auto tall = made<double>(shape<9, 6>{}, 1);
  const auto single = made<float>(shape<6, 7>{}, 2);
  const auto complex = made<std::complex<double>>(shape<5, 6>{}, 1);
  const strided_view<const double, dyn, dyn> turned(a.data(), {5, 6}, {1, 5});
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  tensor<double, 5, 7> y;
  tensor<double, 7, 5> other;
  y.fill(7);
  const std::string head = "tenfold: \"ij,jk->ik\": ";
  const std::string first = head + "operand 0 is not like the one that was planned for";
  const std::string second = head + "operand 1 is not like the one that was planned for";
  const auto fault = [&](const auto&... x) {
    return thrown_by<shape_error>([&] { p(into(y), x...); });
  };
  CHECK(fault(tall, b) == first);
  CHECK(fault(turned, b) == first);
  CHECK(fault(complex, b) == first);
  CHECK(fault(a, single) == second);
  CHECK(fault(a, a) == second);
  CHECK(fault(a) == head + "the subscripts name 2 operands, 1 were given");
  CHECK(fault(a, b, b) == head + "the subscripts name 2 operands, 3 were given");
  CHECK(thrown_by<shape_error>([&] { p(into(other), a, b); }) ==
        head + "the output is not like the one that was planned for");
  CHECK(thrown_by<shape_error>([&] {
          plan("ij->ji", like(complex))(into(other), conj(complex));
        }) == "tenfold: \"ij->ji\": operand 0 is not like the one that was planned for");
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 7);
}

TEST_CASE("a plan refuses a result that overlaps an operand") {
  auto a = made<double>(shape<6, 6>{}, 1);
  const auto b = made<double>(shape<6, 6>{}, 2);
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  CHECK(thrown_by<overlap_error>([&] { p(into(a), a, b); }) ==
        "tenfold: \"ij,jk->ik\": the output overlaps operand 0 in memory");
  CHECK(thrown_by<overlap_error>([&] { p(into(a), b, a); }) ==
        "tenfold: \"ij,jk->ik\": the output overlaps operand 1 in memory");
  CHECK(same_bits(a, made<double>(shape<6, 6>{}, 1)));
  const strided_view<double, dyn, dyn> coinciding(a.data(), {6, 6}, {1, 1});
  CHECK(thrown_by<overlap_error>([&] {
          plan("ij,jk->ik", into(like(coinciding)), like(b), like(b));
        }) == "tenfold: \"ij,jk->ik\": the strides of the output do not keep its entries apart");
}

TEST_CASE("a plan scales a result without work") {
  const tensor<double, dyn, dyn> a(5, 0), b(0, 7);
  const run_time_plan p = plan("ij,jk->ik", like(a), like(b));
  tensor<double, 5, 7> y;
  y.fill(3);
  p(into(y), a, b, beta(2));
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 6);
  p(into(y), a, b);
  for (index i = 0; i < y.size(); ++i) CHECK(y.data()[i] == 0);
}

TEST_CASE("what cannot be planned is told when the plan is made") {
  const auto a = made<double>(shape<5, 6>{}, 1);
  CHECK(thrown_by<subscript_error>([&] { plan("ij,jk->im", like(a), like(a)); }) ==
        "tenfold: \"ij,jk->im\": output label 'm' at position 8 is in no operand");
  CHECK(thrown_by<shape_error>([&] { plan("ij,jk->ik", like(a), like(a)); }) ==
        "tenfold: \"ij,jk->ik\": label 'j' at position 3 has extent 5 in operand 1 and extent 6 in "
        "operand 0");
}

}  // namespace tenfold::testing
