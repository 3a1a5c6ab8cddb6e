/// The suite `compile`: what including and using the library costs a user's compiler, in user
/// seconds of the whole process, beside the budgets. The compilers are started on files in a
/// temporary folder; a difference of two files is a difference of their medians.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/compilers.hpp"
#include "common/report.hpp"
#include "common/timing.hpp"

namespace tenfold::bench {
namespace {

/// Further expressions in a file: enough that their sum stands out of the noise.
constexpr int known_count = 10;
constexpr int new_count = 5;

/// A budget of the library: ratio to including xsimd, or seconds.
constexpr double include_budget = 1.5;
constexpr double known_shape_budget = 0.03;
constexpr double new_shape_budget = 0.1;
constexpr double mass_budget = 0.5;

// --- sources ---

const std::string include = "#include <tenfold/einsum.hpp>\nusing namespace tenfold;\n";

/// A function of one product of N x N matrices with vectors, `letters` its three labels.
std::string product(const std::string& name, int extent, const std::string& letters) {
  const std::string n = std::to_string(extent);
  const std::string e(1, letters[0]), i(1, letters[1]), j(1, letters[2]);
  return "void " + name + "(view<double, dyn, " + n + "> y, view<const double, dyn, " + n + ", " +
         n + "> A, view<const double, dyn, " + n + "> x) {\n  einsum<\"" + e + i + j + ',' + e + j +
         "->" + e + i + "\">(into(y), A, x);\n}\n";
}

std::string mass(int p) {
  const std::string P = std::to_string(p + 1), Q = std::to_string(p + 2);
  const std::string nodes = "dyn, " + P + ", " + P + ", " + P;
  return "void mass(view<double, " + nodes + "> v, view<const double, " + Q + ", " + P +
         "> B, view<const double, dyn, " + Q + ", " + Q + ", " + Q + "> D, view<const double, " +
         nodes +
         "> u) {\n  einsum<\"qi,rj,sk,eqrs,ql,rm,sn,eijk->elmn\">(into(v), B, B, B, D, B, B, B, "
         "u);\n}\n";
}

/// The files of the suite, by number.
enum source { empty, xsimd, face, one, known, fresh, one_and_mass, source_count };

std::string text_of(source s) {
  const std::string first = include + product("first", 8, "eij");
  std::string text;
  switch (s) {
    case empty:
      return "";
    case xsimd:
      return "#include <xsimd/xsimd.hpp>\n";
    case face:
      return include;
    case one:
      return first;
    case known:
      text = first;
      for (int i = 0; i < known_count; ++i) {
        std::string letters = "bmn";
        for (char& l : letters) l = static_cast<char>('a' + (l - 'a' + i) % 26);
        text += product("known" + std::to_string(i), 8, letters);
      }
      return text;
    case fresh:
      text = first;
      for (int i = 0; i < new_count; ++i) {
        text += product("fresh" + std::to_string(i), 9 + i, "eij");
      }
      return text;
    case one_and_mass:
      return first + mass(4);
    case source_count:
      break;
  }
  return "";
}

const char* name_of(source s) {
  constexpr const char* names[] = {"an empty file",      "xsimd",        "einsum.hpp",
                                   "one expression",     "known shapes", "new shapes",
                                   "the mass expression"};
  return names[s];
}

// --- the suite ---

/// Measures all files alternately with one compiler and adds its rows. False when one does not
/// compile.
bool run_compiler(report& out, const compiler& cxx, const temporary_folder& folder, bool native,
                  bool first) {
  const int rounds = out.settings().quick ? 3 : 5;
  std::vector<std::string> flags{"-O2", "-std=c++20"};
  if (native) flags.push_back("-march=native");
  const std::string with = cxx.name + (native ? " -march=native" : "");

  std::vector<std::vector<double>> samples(source_count);
  for (int round = 0; round <= rounds; ++round) {
    for (int s = 0; s < source_count; ++s) {
      // Round 0 brings the headers into the page cache; two files are enough for that.
      if (round == 0 && s != xsimd && s != one_and_mass) continue;
      out.progress(with + ", round " + std::to_string(round) + " of " + std::to_string(rounds) +
                   ": " + name_of(static_cast<source>(s)));
      const double seconds =
          compile_seconds(cxx, flags, text_of(static_cast<source>(s)), out.settings(), folder);
      if (seconds < 0) return false;
      if (round > 0) samples[static_cast<std::size_t>(s)].push_back(seconds);
    }
  }

  const auto seconds = [&](source s) { return median(samples[static_cast<std::size_t>(s)]); };
  // The compiler of the build with plain flags gives the rows without a suffix.
  const std::string suffix = first && !native ? "" : ' ' + with;
  const auto add = [&](const std::string& what, source s, double value, double budget,
                       std::vector<std::pair<std::string, double>> peers) {
    out.add({"compile " + what + suffix,
             "d",
             "strided",
             "cache",
             "s",
             std::max(value, 0.0),
             std::move(peers),
             {budget, "budget"},
             spread_of(samples[static_cast<std::size_t>(s)])});
  };
  const double budget = include_budget * seconds(xsimd);
  const std::vector<std::pair<std::string, double>> beside{{"empty", seconds(empty)},
                                                           {"xsimd", seconds(xsimd)}};
  add("include", face, seconds(face), budget, beside);
  add("include einsum", one, seconds(one), budget, beside);
  add("known shape", known, (seconds(known) - seconds(one)) / known_count, known_shape_budget, {});
  add("new shape", fresh, (seconds(fresh) - seconds(one)) / new_count, new_shape_budget, {});
  add("mass p=4", one_and_mass, seconds(one_and_mass) - seconds(one), mass_budget, {});
  return true;
}

}  // namespace
}  // namespace tenfold::bench

int main(int argc, char** argv) {
  using namespace tenfold::bench;
  report out("compile", argc, argv);
  const options& o = out.settings();
  out.note(
      "Seconds of user time at -O2 -std=c++20. include: the header alone; include einsum: with one "
      "expression, budget 1.5 times xsimd;");
  out.note(
      "known shape, new shape: each further expression; mass p=4: what it adds to one expression. "
      "Spread: that of the whole file.");
  bool compiled = true;
  {
    const temporary_folder folder;
    const auto compilers = find_compilers(out);
    if (compilers.empty()) {
      std::fprintf(stderr, "compile: no compiler found\n");
      return 1;
    }
    for (const compiler& cxx : compilers) {
      if (cxx.name.find(o.filter) == std::string::npos) continue;
      if (o.quick && &cxx != &compilers.front()) continue;
      for (const bool native : {false, true}) {
        if (o.quick && native) continue;
        const bool first = &cxx == &compilers.front();
        compiled = run_compiler(out, cxx, folder, native, first) && compiled;
      }
    }
  }
  return out.finish() && compiled ? 0 : 1;
}
