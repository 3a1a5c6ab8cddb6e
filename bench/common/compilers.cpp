#include "common/compilers.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern char** environ;

namespace tenfold::bench {

namespace fs = std::filesystem;

namespace {

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

std::string short_name(const fs::path& program) {
  const std::string file = program.filename().string();
  if (file.find("clang") != std::string::npos) return "clang++";
  if (file.find("g++") != std::string::npos) return "g++";
  return file;
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

}  // namespace

temporary_folder::temporary_folder() {
  std::string path = (fs::temp_directory_path() / "tenfold-compile-XXXXXX").string();
  if (mkdtemp(path.data()) == nullptr) {
    std::fprintf(stderr, "cannot make a folder in %s\n", fs::temp_directory_path().c_str());
    std::exit(1);
  }
  path_ = path;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

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

double compile_seconds(const compiler& cxx, const std::vector<std::string>& flags,
                       const std::string& text, const options& settings,
                       const temporary_folder& folder) {
  const fs::path file = folder.path() / "source.cpp", messages = folder.path() / "messages";
  std::ofstream(file) << text;
  std::vector<std::string> command{cxx.command};
  command.insert(command.end(), flags.begin(), flags.end());
  for (const std::string& i : include_options(settings)) command.push_back(i);
  command.insert(command.end(), {"-c", file.string(), "-o", (folder.path() / "o").string()});
  const double seconds = user_seconds(command, messages);
  if (seconds < 0) {
    std::fprintf(stderr, "\n%s does not compile this file; its messages:\n", cxx.name.c_str());
    std::ifstream said(messages);
    int lines = 0;
    for (std::string line; lines < 40 && std::getline(said, line); ++lines) {
      std::fprintf(stderr, "%s\n", line.c_str());
    }
  }
  return seconds;
}

}  // namespace tenfold::bench
