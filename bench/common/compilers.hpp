#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/report.hpp"

/// What suites need that start compilers on files of their own, as a user's build would.
namespace tenfold::bench {

/// A folder that goes when the program goes.
class temporary_folder {
 public:
  temporary_folder();
  ~temporary_folder();
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct compiler {
  std::string name;     ///< "g++", "clang++"
  std::string command;  ///< what is started
};

/// Those of the command line; otherwise that of the build, g++ and clang++, each once. What is not
/// there is noted in the report.
std::vector<compiler> find_compilers(report& out);

/// User seconds of `cxx` on a file of this text with these flags, and all that it starts. Negative,
/// with the first lines of its messages on stderr, when it does not compile.
double compile_seconds(const compiler& cxx, const std::vector<std::string>& flags,
                       const std::string& text, const options& settings,
                       const temporary_folder& folder);

}  // namespace tenfold::bench
