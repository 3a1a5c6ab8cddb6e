#include <device_compiler.hpp>
#include <golden.hpp>
#include <tenfold/backend/cuda/program_text.hpp>
#include <tenfold/backend/cuda/transpose.hpp>
#include <tenfold/contraction/merge_labels.hpp>
#include <tenfold/dsel/at_run_time.hpp>
#include <tenfold/dsel/read_call.hpp>
#include <tenfold/tensor/error.hpp>
#include <utility>

#include <doctest/doctest.h>

// How an expression is cut for a GPU, and its texts, compared in full.

namespace tenfold::testing {
namespace {

operand_shape<max_rank> dense(scalar type, const std::vector<index>& extents) {
  operand_shape<max_rank> x;
  x.type = type;
  x.rank = static_cast<int>(extents.size());
  index stride = 1;
  for (std::size_t i = extents.size(); i-- > 0; stride *= extents[i]) {
    x.extents[i] = extents[i];
    x.strides[i] = stride;
  }
  return x;
}

/// `said`: the leading label of the result is the batch, as a fused kernel says it.
device_program program_of(std::string_view text, scalar type,
                          const std::vector<std::vector<index>>& extents, bool said = false) {
  std::vector<run_time_operand> inputs;
  for (const auto& e : extents) inputs.push_back({dense(type, e)});
  const auto count = static_cast<int>(inputs.size());
  device_program made;
  with_limits(text, {inputs.data(), count}, [&]<limits L>() {
    const auto read = read_call<L>(text, inputs.data(), count, nullptr, {});
    problem<L>& p = read->bound;
    merge_labels(p);
    if (said) p.batch = p.output.order[0];
    device_source sources[L.operands];
    for (int o = 0; o < count; ++o) sources[o].slot = o;
    const auto plan = at_run_time::make_plan<L>(p, {}, path_ties::neighbours);
    made = at_run_time::lower_device<L>(p, *plan, sources, {}, h100_capabilities);
  });
  return made;
}

/// All texts of a program, and what a call adds to them.
std::string told(const device_program& p) {
  std::string s;
  for (const device_phase& phase : p.phases) {
    if (phase.product) {
      const gemm_shape& g = phase.product->shape;
      s += "// product " + std::to_string(g.m) + " x " + std::to_string(g.n) + " x " +
           std::to_string(g.k) + ", batch of " + std::to_string(phase.product->count) + "\n\n";
      continue;
    }
    if (phase.transpose) {
      s += cuda::transpose_text(p.type, phase.transpose->how);
      s += "// parts: " + std::to_string(phase.transpose->parts()) + "\n\n";
      continue;
    }
    s += cuda::program_text(p.type, phase);
    s += "// elements: " + std::to_string(phase.count()) +
         ", blocks: " + std::to_string(select::device_blocks(phase, p.type, 0, h100_capabilities)) +
         "\n\n";
  }
  return s + "// workspace: " + std::to_string(p.workspace_entries) + " entries\n";
}

}  // namespace

TEST_CASE("the texts of expressions are what they were") {
  check_golden(
      "device_program_mass.txt",
      told(program_of(
          "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn", scalar::f64,
          {{5, 4}, {5, 4}, {5, 4}, {1000, 5, 5, 5}, {5, 4}, {5, 4}, {5, 4}, {1000, 4, 4, 4}})));
  check_golden("device_program_chain.txt",
               told(program_of("ij,jk,kl->il", scalar::f32, {{300, 400}, {400, 500}, {500, 60}})));
  check_golden("device_program_transpose.txt",
               told(program_of("ijk->kji", scalar::c32, {{300, 40, 70}})));
  check_golden("device_program_transpose_float.txt",
               told(program_of("ij->ji", scalar::f32, {{300, 400}})));
  check_golden("device_program_sum.txt",
               told(program_of("i,i->", scalar::f64, {{1000000}, {1000000}})));
}

/// What its launches are, in one line.
std::string launches(const device_program& p) {
  std::string s;
  for (const device_phase& phase : p.phases)
    s += std::string(s.empty() ? "" : ", ") + (phase.product     ? "product"
                                               : phase.transpose ? "transpose"
                                               : phase.shares    ? "elements"
                                                                 : "lines");
  return s;
}

TEST_CASE("large matrices are multiplied by launches of their own, small ones in the blocks") {
  const auto told = [](std::string_view text, const std::vector<std::vector<index>>& extents) {
    return launches(program_of(text, scalar::f64, extents));
  };
  const index n = 4096;
  CHECK(told("ij,jk,kl->il", {{n, n}, {n, n}, {n, n}}) == "product, product");
  CHECK(told("ij,jk-ik->ik", {{n, n}, {n, n}, {n, n}}) == "product, lines");
  CHECK(told("ij,j,jk,k->ik", {{n, n}, {n}, {n, n}, {n}}) == "lines, product, lines");
  // What comes behind all products may be one launch still.
  CHECK(told("ij,jk,ik,ik->ik", {{n, n}, {n, n}, {n, n}, {n, n}}) == "product, elements");

  // Rows of A read B again, each of them.
  CHECK(told("ij,jk-ik->ik", {{132, 160}, {160, 160}, {132, 160}}) == "product, lines");
  CHECK(told("ij,jk-ik->ik", {{64, 160}, {160, 160}, {64, 160}}) == "elements");
  CHECK(told("ij,jk,kl->il", {{200, 200}, {200, 200}, {200, 200}}) == "product, product");
  CHECK(told("ij,jk,kl->il", {{40, 7}, {7, 8}, {8, 9}}) == "elements");

  // Matrices of each element.
  const auto chain = [](index e, index m, bool said = false) {
    return launches(
        program_of("eij,ejk,ekl->eil", scalar::f64, {{e, m, m}, {e, m, m}, {e, m, m}}, said));
  };
  CHECK(chain(1000, 8) == "elements");
  CHECK(chain(1000, 16) == "elements");
  CHECK(chain(1000, 32) == "elements");
  CHECK(chain(1000, 64) == "product, product");
  CHECK(chain(200, 100) == "product, product");
  CHECK(chain(200, 512) == "product, product");
  CHECK(chain(1000, 64, true) == "elements");

  // Sum factorization: tables are for all elements.
  for (const index p : {4, 15}) {
    const index q = p + 1;
    CHECK(
        told("qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
             {{q, p}, {q, p}, {q, p}, {1000, q, q, q}, {q, p}, {q, p}, {q, p}, {1000, p, p, p}}) ==
        "elements");
  }
  const auto plane = [&](index p) {
    return told("qi,rj,eqr,ql,rm,eij->elm",
                {{p, p}, {p, p}, {1000, p, p}, {p, p}, {p, p}, {1000, p, p}});
  };
  CHECK(plane(32) == "elements");
  CHECK(plane(80) == "product, product, lines, product, product");
}

TEST_CASE("the workspace is as large as what lies there at a time") {
  const device_program p = program_of("ab,bc,cd,de,ef->af", scalar::f64,
                                      {{200, 300}, {300, 400}, {400, 500}, {500, 600}, {600, 200}});
  CHECK(launches(p) == "product, product, product, product");
  CHECK(p.workspace_entries == 200 * (500 + 400));
  // Vectors of 9, 11, 6 and, of the other end, 6 entries.
  CHECK(program_of("i,ij,jk,kl,lm,m->", scalar::f64, {{7}, {7, 9}, {9, 11}, {11, 6}, {6, 8}, {8}})
            .workspace_entries == 9 + 11);
}

TEST_CASE("steps of vectors of another length have the same texts") {
  const auto texts = [](std::string_view text, const std::vector<std::vector<index>>& extents) {
    std::vector<std::string> all;
    for (const device_phase& phase : program_of(text, scalar::f64, extents).phases)
      all.push_back(cuda::program_text(scalar::f64, phase));
    REQUIRE(all.size() == 1);
    return all[0];
  };
  CHECK(texts("i->i", {{1000}}) == texts("i->i", {{77}}));
  CHECK(texts("i,i->i", {{1000}, {1000}}) == texts("i,i->i", {{77}, {77}}));
  CHECK(texts(",i->i", {{}, {1000}}) == texts(",i->i", {{}, {77}}));
  CHECK(texts("ij,ij->ij", {{20, 30}, {20, 30}}) == texts("i,i->i", {{77}, {77}}));
  // Threads side by side have entries side by side.
  const device_phase phase = program_of(",i->i", scalar::f64, {{}, {1000}}).phases[0];
  CHECK(phase.steps[0].rows.extent == 1);
  CHECK(phase.steps[0].to.apart == 1);
  CHECK(phase.count() == 1000);
}

TEST_CASE("several steps of vectors are one launch, all of whose threads have entries") {
  const device_program p = program_of(",i+i->i", scalar::f64, {{}, {100000}, {100000}});
  REQUIRE(launches(p) == "elements");
  CHECK(p.phases[0].elements == p.phases[0].threads);
}

TEST_CASE("a result lies in the place of what its own pass reads last, and of nothing else") {
  const auto fused = [](std::string_view text, const std::vector<std::vector<index>>& extents) {
    const device_program p = program_of(text, scalar::f64, extents);
    REQUIRE(p.phases.size() == 1);
    return p.phases[0];
  };
  const auto in_place = [](const device_phase& phase) {
    int n = 0;
    for (std::size_t first = 0, s = 0; s < phase.steps.size(); ++s) {
      if (phase.steps[s].start != device_start::along) first = s;
      const device_operand& to = phase.steps[s].to;
      for (std::size_t t = first; t <= s; ++t) {
        for (const device_operand* x : {&phase.steps[t].a, &phase.steps[t].b}) {
          if (x->where == device_memory::element && to.where == device_memory::element &&
              x->stretch == to.stretch)
            ++n;
        }
      }
    }
    return n;
  };
  const index e = 1000;
  // The line along i of a thread becomes that along l, which is as long.
  CHECK(in_place(fused(
            "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
            {{5, 4}, {5, 4}, {5, 4}, {e, 5, 5, 5}, {5, 4}, {5, 4}, {5, 4}, {e, 4, 4, 4}})) == 1);
  // It is longer, or shorter.
  CHECK(in_place(fused(
            "qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn",
            {{5, 4}, {5, 4}, {5, 4}, {e, 5, 5, 5}, {5, 6}, {5, 6}, {5, 6}, {e, 4, 4, 4}})) == 0);
}

TEST_CASE("a phase is straight code, loops where those hold more blocks, and never spills") {
  struct compiled {
    int spilled_bytes;
    std::pair<int, bool> from;  // blocks, and whether it was straight code
  };
  // Straight code needs at most `straight` blocks, loops at most `loops`.
  const auto found = [](int wanted, int straight, int loops, bool shares = true) {
    device_phase phase;
    phase.shares = shares;
    phase.resident = wanted;
    const compiled made = cuda::compile_without_spills(phase, [&] {
      const int most = phase.straight ? straight : loops;
      return compiled{phase.resident > most ? 8 : 0, {phase.resident, phase.straight}};
    });
    CHECK(made.from == std::pair{phase.resident, phase.straight});
    return made;
  };
  CHECK(found(8, 8, 8).from == std::pair{8, true});
  CHECK(found(8, 7, 8).from == std::pair{7, true});
  CHECK(found(5, 4, 5).from == std::pair{5, false});
  CHECK(found(5, 4, 4).from == std::pair{4, true});
  CHECK(found(3, 0, 2).from == std::pair{2, false});
  CHECK(found(3, 0, 0).spilled_bytes > 0);
  CHECK(found(5, 2, 5, false).from == std::pair{2, true});
}

TEST_CASE("no device kernel of an expression spills") {
  const auto* const nvrtc = device_compiler();
  if (nvrtc == nullptr) return;
  const auto check = [&](std::string_view text, scalar type,
                         const std::vector<std::vector<index>>& extents) {
    for (device_phase phase : program_of(text, type, extents).phases) {
      if (phase.product) continue;
      for (const int architecture : {80, 90}) {
        const auto image =
            phase.transpose
                ? nvrtc->compile(cuda::transpose_text(type, phase.transpose->how), architecture)
                : cuda::compile_without_spills(phase, [&] {
                    return nvrtc->compile(cuda::program_text(type, phase), architecture);
                  });
        INFO(std::string(text), ", scalar ", static_cast<int>(type), ", sm_", architecture, ": ",
             image.registers, " registers");
        CHECK(image.spilled_bytes == 0);
        CHECK(image.registers > 0);
      }
    }
  };
  for (const scalar type : {scalar::f32, scalar::f64, scalar::c64}) {
    CHECK(program_of("ijk->kji", type, {{40, 30, 50}}).phases[0].transpose);
    for (const index p : {2, 4, 8}) {
      const index q = p + 2, n = p + 1;
      check("qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn", type,
            {{q, n}, {q, n}, {q, n}, {1000, q, q, q}, {q, n}, {q, n}, {q, n}, {1000, n, n, n}});
    }
    check("eij,ejk,ek->ei", type, {{1500, 3, 4}, {1500, 4, 3}, {1500, 3}});
    check("ijk->kji", type, {{40, 30, 50}});
    check("ij,ij->ij", type, {{60, 90}, {60, 90}});
    check("ij->", type, {{60, 90}});
    check("abc,bcd->ad", type, {{60, 9, 30}, {9, 30, 70}});
  }
}

}  // namespace tenfold::testing
