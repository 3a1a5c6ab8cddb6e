#pragma once

#include <string>
#include <vector>

namespace tenfold::bench {

/// The command line of a suite:
///   --json FILE  --quick  --filter TEXT
/// and what the suite itself reads: --emulated (device), --include DIR and --cxx COMPILER, both
/// repeatable. The filter chooses the cases (of compile the compilers) whose names contain TEXT;
/// overhead has none.
struct options {
  std::string json;
  std::string filter;
  bool quick = false;
  bool emulated = false;
  std::vector<std::string> includes;
  std::vector<std::string> compilers;

  bool wants(const std::string& case_name) const {
    return case_name.find(filter) != std::string::npos;
  }
};

/// Ends the program with a sentence (status 2) when an argument is not understood, and after --help
/// (status 0).
options read_options(int argc, char** argv);

}  // namespace tenfold::bench
