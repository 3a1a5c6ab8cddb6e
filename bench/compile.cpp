/// The suite `compile`: what including and using the library costs a user's compiler, in user
/// seconds of the whole process, beside the budgets. The compilers are started on files in a
/// temporary folder; a difference of two files is a difference of their medians.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/report.hpp"
#include "common/timing.hpp"

extern char** environ;

namespace tenfold::bench {
namespace {

namespace fs = std::filesystem;

/// Further expressions in a file: enough that their sum stands out of the noise.
constexpr int known_count = 10;
constexpr int new_count = 5;

/// A budget of the library: ratio to including xsimd, or seconds.
constexpr double include_budget = 1.5;
constexpr double known_shape_budget = 0.03;
constexpr double new_shape_budget = 0.1;
constexpr double mass_budget = 0.5;

// ---- sources
// -------------------------------------------------------------------------------------

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

// ---- compilers
// -----------------------------------------------------------------------------------

/// A folder that goes when the program goes.
class temporary_folder {
 public:
  temporary_folder() {
    std::string path = (fs::temp_directory_path() / "tenfold-compile-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr) {
      std::fprintf(stderr, "compile: cannot make a folder in %s\n",
                   fs::temp_directory_path().c_str());
      std::exit(1);
    }
    path_ = path;
  }
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs a command, its output into a file. User seconds of the process and all that it started;
/// negative when it failed.
double user_seconds(const std::vector<std::string>& command, const fs::path& output) {
  std::vector<char*> arguments;
  for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return -1;
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0) {
    if (errno != EINTR) return -1;
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
  return static_cast<double>(used.ru_utime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec);
}

/// The file that `name` runs, links resolved; empty where there is none.
fs::path program_of(const std::string& name) {
  std::error_code none;
  if (name.find('/') != std::string::npos) return fs::canonical(name, none);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::canonical(fs::path(folder) / name, none);
    if (!none && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

struct compiler {
  std::string name;     ///< "g++", "clang++"
  std::string command;  ///< what is started
};

std::string short_name(const fs::path& program) {
  const std::string file = program.filename().string();
  if (file.find("clang") != std::string::npos) return "clang++";
  if (file.find("g++") != std::string::npos) return "g++";
  return file;
}

/// Those of the command line; otherwise that of the build, g++ and clang++, each once. What is not
/// there is noted.
std::vector<compiler> find_compilers(report& out) {
  std::vector<std::string> wanted = out.settings().compilers;
  if (wanted.empty()) {
#if defined(TENFOLD_BENCH_CXX)
    wanted.push_back(TENFOLD_BENCH_CXX);
#endif
    wanted.insert(wanted.end(), {"g++", "clang++"});
  }
  std::vector<compiler> found;
  std::vector<fs::path> programs;
  for (const std::string& name : wanted) {
    const fs::path program = program_of(name);
    if (program.empty()) {
      out.note(name + " is not installed: no rows for it.");
      continue;
    }
    if (std::find(programs.begin(), programs.end(), program) != programs.end()) continue;
    programs.push_back(program);
    found.push_back({short_name(program), name});
  }
  return found;
}

/// -I options: --include, or those of the build, which come as "-Ia -Ib" or "a;b".
std::vector<std::string> include_options(const options& o) {
  std::vector<std::string> result;
  for (const std::string& folder : o.includes) result.push_back("-I" + folder);
#if defined(TENFOLD_BENCH_INCLUDES)
  if (result.empty()) {
    std::string all = TENFOLD_BENCH_INCLUDES;
    std::replace(all.begin(), all.end(), ';', ' ');
    std::istringstream words(all);
    for (std::string word; words >> word;) {
      result.push_back(word.rfind("-I", 0) == 0 ? word : "-I" + word);
    }
  }
#endif
  return result;
}

// ---- the suite
// -----------------------------------------------------------------------------------

/// Measures all files alternately with one compiler and adds its rows. False when one does not
/// compile.
bool run_compiler(report& out, const compiler& cxx, const temporary_folder& folder, bool native,
                  bool first) {
  const int rounds = out.settings().quick ? 3 : 5;
  std::vector<std::string> flags{"-O2", "-std=c++20"};
  if (native) flags.push_back("-march=native");
  const std::string with = cxx.name + (native ? " -march=native" : "");
  const fs::path messages = folder.path() / "messages";

  std::vector<std::vector<double>> samples(source_count);
  for (int round = 0; round <= rounds; ++round) {
    for (int s = 0; s < source_count; ++s) {
      // Round 0 brings the headers into the page cache; two files are enough for that.
      if (round == 0 && s != xsimd && s != one_and_mass) continue;
      out.progress(with + ", round " + std::to_string(round) + " of " + std::to_string(rounds) +
                   ": " + name_of(static_cast<source>(s)));
      const fs::path file = folder.path() / ("source" + std::to_string(s) + ".cpp");
      std::ofstream(file) << text_of(static_cast<source>(s));
      std::vector<std::string> command{cxx.command};
      command.insert(command.end(), flags.begin(), flags.end());
      for (const std::string& i : include_options(out.settings())) command.push_back(i);
      command.insert(command.end(), {"-c", file.string(), "-o", (folder.path() / "o").string()});
      const double seconds = user_seconds(command, messages);
      if (seconds < 0) {
        std::fprintf(stderr, "\ncompile: %s does not compile %s:\n", with.c_str(),
                     name_of(static_cast<source>(s)));
        std::ifstream text(messages);
        int lines = 0;
        for (std::string line; lines < 40 && std::getline(text, line); ++lines) {
          std::fprintf(stderr, "%s\n", line.c_str());
        }
        return false;
      }
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
  const options o = read_options(argc, argv);
  report out("compile", o, describe_machine());
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
