#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <golden.hpp>
#include <new>
#include <sstream>
#include <string>
#include <tenfold/dsel/explain.hpp>

using namespace tenfold;
using testing::check_golden;

namespace {

// Written down, so that the tables do not depend on the machine.
constexpr capabilities wide{64, 32, 32768, 1048576, true};
constexpr capabilities narrow{32, 16, 32768, 1048576, false};

using matrix = tensor<double, 3, 3>;
using basis = tensor<double, 6, 5>;

constexpr auto mass(const capabilities& machine) {
  return explain<"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn", basis, basis, basis,
                 tensor<double, dyn, 6, 6, 6>, basis, basis, basis, tensor<double, dyn, 5, 5, 5>>(
      machine);
}

}  // namespace

// --- the data, at compile time -------------------------------------------------------------------

static_assert(explain<"ij,jk->ik", matrix, matrix>().allocations == 0);
static_assert(explain<"ij,jk->ik", matrix, matrix>().flops == 54);
static_assert(explain<"ij,jk->ik", matrix, matrix>().naive_flops == 54);
static_assert(explain<"ij,jk->ik", matrix, matrix>().input_bytes == 144);
static_assert(explain<"ij,jk->ik", matrix, matrix>().output_bytes == 72);
static_assert(explain<"ij,jk->ik", matrix, matrix>().workspace_bytes == 0);
static_assert(explain<"ij,jk->ik", matrix, matrix>().steps[0].k == bit(1));
static_assert(explain<"ij,jk->ik", matrix, matrix>().when == planned::by_the_compiler);
static_assert(explain<"ij,jk->ik", matrix, matrix>(wide) ==
              explain<"ij,jk->ik", matrix, matrix>(wide));

// Extents that no type tells stay open: so much for each value of e (label 6 of the text).
static_assert(mass(wide).flops.factor_of(bit(6)) == 11136);
static_assert(!mass(wide).flops.known());
static_assert(mass(wide).phase_count == 1);

// A result beyond tenfold::inline_bytes takes memory; a destination is there already.
using large = tensor<double, 64, 64>;
static_assert(explain<"ij,jk->ik", large, large>().allocations == 1);
static_assert(explain<"ij,jk->ik", destination<large>, large, large>().allocations == 0);
// Where the extents of a single matrix product are open, the call plans.
static_assert(explain<"ij,jk->ik", tensor<double, dyn, dyn>, tensor<double, dyn, dyn>>().when ==
              planned::at_the_call_for_shape);

// --- the tables ----------------------------------------------------------------------------------

TEST_CASE("explain prints the table of a tiny static product") {
  check_golden("matrix_product_3.txt", to_string(explain<"ij,jk->ik", matrix, matrix>(wide)));
}

TEST_CASE("explain prints the table of matrix products, single and in batches") {
  check_golden(
      "matrix_product_18_16_registers.txt",
      to_string(explain<"ij,jk->ik", tensor<double, 18, 18>, tensor<double, 18, 18>>(narrow)));
  check_golden(
      "batched_product_4.txt",
      to_string(
          explain<"bij,bjk->bik", tensor<double, dyn, 4, 4>, tensor<double, dyn, 4, 4>>(wide)));
  check_golden(
      "batched_product_9.txt",
      to_string(
          explain<"eij,ekj->eik", tensor<double, dyn, 9, 9>, tensor<double, dyn, 9, 9>>(wide)));
}

TEST_CASE("explain prints the table of a product in blocks") {
  check_golden(
      "blocked_product_16_registers.txt",
      to_string(explain<"aebd,ce->dcba", tensor<double, 36, 72, 36, 72>, tensor<double, 24, 72>>(
          narrow)));
}

TEST_CASE("explain prints the table of a product with few registers and a remainder") {
  check_golden("vector_matrix_product_27_16_registers.txt",
               to_string(explain<"j,jk->k", tensor<double, 20>, tensor<double, 20, 27>>(narrow)));
}

TEST_CASE("explain prints the table of a batch of matrix-vector products") {
  check_golden(
      "batched_matrix_vector_8.txt",
      to_string(explain<"eij,ej->ei", tensor<double, dyn, 8, 8>, tensor<double, dyn, 8>>(wide)));
}

TEST_CASE("explain prints the table of the mass operator") {
  check_golden("mass_p4.txt", to_string(mass(wide)));
  check_golden("mass_p4_16_registers.txt", to_string(mass(narrow)));
}

TEST_CASE("explain prints the table of a trace") {
  check_golden("trace_100.txt", to_string(explain<"ii->", tensor<double, 100, 100>>(wide)));
}

TEST_CASE("explain prints what is open when the call plans") {
  check_golden(
      "matrix_product_dyn.txt",
      to_string(explain<"ij,jk->ik", tensor<double, dyn, dyn>, tensor<double, dyn, dyn>>(wide)));
}

TEST_CASE("explain prints the table of a plan made at the call") {
  const tensor<float, dyn, dyn> a(100, 100), b(100, 101), c(101, 90);
  check_golden("chain_at_the_call.txt", to_string(explain("ij,jk,kl->il", a, b, c, wide)));
  const tensor<double, dyn, dyn> x(100, 100), y(100, 101);
  check_golden("matrix_product_at_the_call.txt", to_string(explain<"ij,jk->ik">(x, y, wide)));
  check_golden(
      "tccg_product.txt",
      to_string(
          explain<"dbea,ec->dcba", tensor<double, 72, 72, 72, 72>, tensor<double, 72, 24>>(wide)));
}

TEST_CASE("explain writes long label names in brackets") {
  check_golden("bracketed_labels.txt",
               to_string(explain<"[elem][q][i],[elem][i]->[elem][q]", tensor<double, dyn, 4, 3>,
                                 tensor<double, dyn, 3>>(wide)));
}

// --- the operands of a call ---

TEST_CASE("explain fills in the extents of the operands") {
  const tensor<double, dyn, 8, 8> a(10);
  const tensor<double, dyn, 8> u(10);
  tensor<double, dyn, 8> y(10);
  const auto by_value = explain<"eij,ej->ei">(a, u, wide);
  CHECK(by_value.flops == 10 * 2 * 64);
  CHECK(by_value.input_bytes == 10 * (64 + 8) * 8);
  CHECK(by_value.output_bytes == 10 * 8 * 8);
  CHECK(by_value.allocations == 1);
  CHECK(explain<"eij,ej->ei">(into(y), a, u, alpha(2), beta(1), wide).allocations == 0);
  CHECK_THROWS_AS(explain<"eij,ej->ei">(a, tensor<double, dyn, 8>(9)), shape_error);
}

TEST_CASE("explain says the same of operands as of their types") {
  const matrix a, b;
  CHECK(to_string(explain<"ij,jk->ik">(a, b, wide)) ==
        to_string(explain<"ij,jk->ik", matrix, matrix>(wide)));
  const tensor<double, 18, 18> c;
  tensor<double, 18, 18> y;
  CHECK(to_string(explain<"ij,jk->ik">(into(y), c, c, narrow)) ==
        to_string(explain<"ij,jk->ik", destination<tensor<double, 18, 18>>, tensor<double, 18, 18>,
                          tensor<double, 18, 18>>(narrow)));
}

TEST_CASE("explain prints every kind of expression") {
  const tensor<double, 3, 3> a;
  const tensor<double, 3> v;
  const tensor<double, 0, 3> nothing(extents<0, 3>{});
  const tensor<double> s(2.0);
  for (const std::string& table :
       {to_string(explain("ij->ji", a)), to_string(explain("ij", a)),
        to_string(explain("ii->i", a)), to_string(explain(",ij->ij", s, a)),
        to_string(explain("i,j->ij", v, v)), to_string(explain("i,i,i->", v, v, v)),
        to_string(explain(",->", s, s)), to_string(explain("ij,jk->ik", nothing, a)),
        to_string(explain("ij->j", nothing)),
        to_string(explain("a,b,c,d,e,f,g,h,i,j,k,l->", v, v, v, v, v, v, v, v, v, v, v, v))}) {
    INFO(table);
    CHECK(table.find("allocations") != std::string::npos);
    CHECK(table.find("nan") == std::string::npos);
    CHECK(table.find("inf") == std::string::npos);
  }
  CHECK(explain("ij->ji", a).flops == 0);
}

TEST_CASE("explain takes run-time subscripts, with a destination and options") {
  const tensor<double, 6, 7> a;
  const tensor<double, 7, 8> b;
  tensor<double, 6, 8> y;
  const auto e = explain("ij,jk->ik", into(y), a, b, alpha(2.0), beta(1.0), wide);
  CHECK(e.flops == 2 * 6 * 7 * 8);
  CHECK(e.when == planned::at_the_call_for_text);
  CHECK(e.allocations == -1);
  CHECK(explain("ij,jk->ik", a, b).steps[0].k == bit(1));
  CHECK_THROWS_AS(explain("ij,jk->im", a, b), subscript_error);
}

TEST_CASE("explain is written to a stream") {
  std::ostringstream out;
  out << explain<"ij,jk->ik", matrix, matrix>(wide);
  CHECK(out.str() == to_string(explain<"ij,jk->ik", matrix, matrix>(wide)));
}

// --- what it says is what happens ----------------------------------------------------------------

namespace {
std::atomic<int> allocations = 0;  // other tests have threads
}
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t bytes, std::align_val_t align) {
  ++allocations;
  const auto a = static_cast<std::size_t>(align);
  if (void* p = std::aligned_alloc(a, (bytes + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
  std::free(p);
}

TEST_CASE("einsum allocates as often as explain says") {
  const auto fill = [](auto& x) {
    for (tenfold::index i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i % 7);
  };
  matrix a, b, y;
  tensor<double, 4, 8, 8> stack;
  tensor<double, 4, 8> u;
  large c;
  fill(a), fill(b), fill(stack), fill(u), fill(c);
  const auto count = [](auto f) {
    f();  // the first call may make scratch
    allocations = 0;
    f();
    return allocations.load();
  };
  CHECK(count([&] { (void)einsum<"ij,jk->ik">(a, b); }) == explain<"ij,jk->ik">(a, b).allocations);
  CHECK(count([&] { einsum<"ij,jk->ik">(into(y), a, b); }) == 0);
  CHECK(count([&] { einsum("ij,jk->ik", into(y), a, b); }) == 0);
  CHECK(count([&] { (void)einsum<"eij,ej->ei">(stack, u); }) ==
        explain<"eij,ej->ei">(stack, u).allocations);
  CHECK(count([&] { (void)einsum<"ij,jk->ik">(c, c); }) == explain<"ij,jk->ik">(c, c).allocations);
}
