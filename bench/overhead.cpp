/// The suite `overhead`: what a call costs beyond its arithmetic, and what planning costs, at run
/// time and in the compiler.
#include <tenfold/einsum.hpp>
#include <tenfold/plan.hpp>

#include <cstdio>
#include <string>
#include <vector>

#include "common/buffer.hpp"
#include "common/compilers.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {
namespace {

/// Budgets in seconds.
constexpr double static_call_budget = 20e-9;
constexpr double plan_call_budget = 200e-9;
constexpr double planning_budget = 20e-6;
constexpr double compiled_plan_budget = 1;
constexpr double index_notation_budget = 0.9;

/// Keeps the compiler from moving work out of a loop: memory may have changed.
inline void clobber() { asm volatile("" ::: "memory"); }

effort effort_of(const report& out) { return {out.settings().quick ? 9 : 31, 0.002}; }

void add(report& out, const std::string& name, double seconds, double budget,
         std::vector<std::pair<std::string, double>> peers, double spread) {
  out.add(
      {name, "d", "strided", "cache", "s", seconds, std::move(peers), {budget, "budget"}, spread});
}

// --- calls ---

/// y(e,i) := sum_j A(e,i,j) x(e,j), or with any factors, in plain loops.
template <int E, int N>
[[gnu::noinline]] void loops(const double* a, const double* x, double* y) {
  for (int e = 0; e < E; ++e) {
    for (int i = 0; i < N; ++i) {
      double sum = 0;
      for (int j = 0; j < N; ++j) sum += a[(e * N + i) * N + j] * x[e * N + j];
      y[e * N + i] = sum;
    }
  }
}

/// A call on types that say all, beside loops of the same sizes: what it costs beyond them.
template <int E, int N>
void run_static_call(report& out) {
  tensor<double, E, N, N> A;
  tensor<double, E, N> x, y;
  A.fill(0.5);
  x.fill(2);
  const std::string size = std::to_string(E) + "x" + std::to_string(N);
  out.progress("static call " + size);
  constexpr int repeat = 64;
  const auto times =
      time_alternately({{"tenfold",
                         [&] {
                           for (int r = 0; r < repeat; ++r) {
                             einsum<"eij,ej->ei">(into(y), A, x);
                             clobber();
                           }
                         }},
                        {"scaled",
                         [&] {
                           for (int r = 0; r < repeat; ++r) {
                             einsum<"eij,ej->ei">(into(y), A, x, alpha(2.0), beta(0.5));
                             clobber();
                           }
                         }},
                        {"loops",
                         [&] {
                           for (int r = 0; r < repeat; ++r) {
                             loops<E, N>(A.data(), x.data(), y.data());
                             clobber();
                           }
                         }}},
                       effort_of(out));
  const auto of = [&](std::size_t i) { return times[i].seconds / repeat; };
  const auto beyond = [&](std::size_t i) { return of(i) > of(2) ? of(i) - of(2) : 0; };
  const std::vector<std::pair<std::string, double>> peers{{"whole call", of(0)}, {"loops", of(2)}};
  add(out, "static call " + size, beyond(0), static_call_budget, peers, times[0].spread);
  add(out, "static call alpha beta " + size, beyond(1), static_call_budget,
      {{"whole call", of(1)}, {"loops", of(2)}}, times[1].spread);
}

/// A whole call through a plan made at run time.
void run_plan_call(report& out) {
  out.progress("plan call");
  tensor<double, dyn, dyn> A(4, 4), B(4, 4), C(4, 4);
  A.fill(0.5);
  B.fill(2);
  const auto p = plan("ij,jk->ik", like(A), like(B));
  constexpr int repeat = 16;
  const auto times = time_alternately({{"plan",
                                        [&] {
                                          for (int r = 0; r < repeat; ++r) {
                                            p(into(C), A, B);
                                            clobber();
                                          }
                                        }},
                                       {"string",
                                        [&] {
                                          for (int r = 0; r < repeat; ++r) {
                                            einsum("ij,jk->ik", into(C), A, B);
                                            clobber();
                                          }
                                        }}},
                                      effort_of(out));
  add(out, "plan call ij,jk->ik 4", times[0].seconds / repeat, plan_call_budget,
      {{"string", times[1].seconds / repeat}}, times[0].spread);
}

/// Planning of run-time strings.
void run_planning(report& out, const std::string& text, int operands) {
  out.progress("planning " + text);
  std::vector<operand_shape<max_rank>> shapes;
  tensor<double, dyn, dyn> A(12, 12);
  const auto one = [&](auto... x) {
    return time_alternately({{"plan",
                              [&] {
                                const auto p = plan(text, x...);
                                clobber();
                              }}},
                            effort_of(out));
  };
  const auto a = like(A);
  const auto times = operands == 2 ? one(a, a) : operands == 3 ? one(a, a, a) : one(a, a, a, a);
  add(out, "planning " + text, times[0].seconds, planning_budget, {}, times[0].spread);
}

// --- the compiler ---

/// A constant that takes the plan of ten operands.
std::string plan_of_ten(const std::string& text) {
  std::string types;
  int rank = 0;
  for (const char c : text + ",") {
    if (c == ',' || c == '-') {
      types += types.empty() ? "" : ", ";
      types += "tensor<double";
      for (int r = 0; r < rank; ++r) types += ", 4";
      types += ">";
      rank = 0;
      if (c == '-') break;
    } else {
      ++rank;
    }
  }
  return "#include <tenfold/einsum.hpp>\nusing namespace tenfold;\nstatic_assert(expression<\"" +
         text + "\", plain_call, void, " + types + ">::plan.step_count >= 9);\n";
}

const std::string index_expression =
    "#include <tenfold/index_notation.hpp>\n"
    "using namespace tenfold;\n"
    "void f(view<double, dyn, 8> y, view<const double, dyn, 8, 8> A, view<const double, dyn, 8> x) "
    "{\n"
    "  using namespace labels;\n"
    "  y(e, i) += 0.5 * A(e, i, j) * x(e, j);\n"
    "}\n";

bool run_compiler(report& out, const compiler& cxx, const temporary_folder& folder) {
  struct file {
    std::string name, text;
    double budget;
  };
  const std::vector<file> files{
      {"include", "#include <tenfold/einsum.hpp>\n", 0},
      {"compile plan of 10, chain", plan_of_ten("ab,bc,cd,de,ef,fg,gh,hi,ij,jk->ak"),
       compiled_plan_budget},
      {"compile plan of 10, one label in all",
       plan_of_ten("az,bz,cz,dz,ez,fz,gz,hz,iz,jz->abcdefghij"), compiled_plan_budget},
      {"compile index notation", index_expression, index_notation_budget}};
  std::vector<std::vector<double>> samples(files.size());
  const int rounds = out.settings().quick ? 3 : 5;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t f = 0; f < files.size(); ++f) {
      out.progress(cxx.name + ": " + files[f].name);
      const double s =
          compile_seconds(cxx, {"-O2", "-std=c++20"}, files[f].text, out.settings(), folder);
      if (s < 0) return false;
      samples[f].push_back(s);
    }
  }
  const double include = median(samples[0]);
  for (std::size_t f = 1; f < files.size(); ++f) {
    const double whole = median(samples[f]);
    add(out, files[f].name + ' ' + cxx.name, whole > include ? whole - include : 0, files[f].budget,
        {{"whole file", whole}, {"einsum.hpp alone", include}}, spread_of(samples[f]));
  }
  return true;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("overhead", argc, argv);
  out.note("static call: what it costs beyond loops of the same sizes; plan call, planning: all.");
  out.note("compile: user seconds at -O2 beyond a file that includes <tenfold/einsum.hpp> alone.");
  run_static_call<1, 2>(out);
  run_static_call<1, 3>(out);
  run_static_call<1, 6>(out);
  run_static_call<4, 3>(out);
  run_plan_call(out);
  run_planning(out, "ij,jk->ik", 2);
  run_planning(out, "ij,jk,kl->il", 3);
  run_planning(out, "ij,jk,kl,lm->im", 4);
  bool compiled = true;
  {
    const temporary_folder folder;
    for (const compiler& cxx : find_compilers(out)) {
      compiled = run_compiler(out, cxx, folder) && compiled;
    }
  }
  return out.finish() && compiled ? 0 : 1;
}
