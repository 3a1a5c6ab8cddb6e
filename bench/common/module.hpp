#pragma once

#include <string>
#include <vector>

namespace tenfold::bench {

/// A shared library opened at run time, its symbols its own (RTLD_LOCAL): several peers export the
/// same names. It stays open until the program ends.
class module {
 public:
  /// The file that the environment variable (nullptr: none) names, or else the first of `names`
  /// that is there. Names without a slash are looked up as the system does.
  module(const char* variable, const std::vector<std::string>& names);

  explicit operator bool() const { return handle_ != nullptr; }
  /// The file that was opened, as the system knows it.
  const std::string& path() const { return path_; }
  /// Why the file named by the user could not be opened; empty if it could, or none was named.
  const std::string& error() const { return error_; }

  /// Null when the module is not open or has no such symbol.
  template <class Function>
  Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(find(name));
  }

 private:
  void* find(const char* name) const;

  void* handle_ = nullptr;
  std::string path_, error_;
};

/// One thread and the best kernels for the BLAS libraries that are opened after this; what the user
/// has set stays.
void choose_blas_settings();

}  // namespace tenfold::bench
