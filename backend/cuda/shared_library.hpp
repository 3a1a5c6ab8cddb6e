#pragma once

#include <span>
#include <string>

namespace tenfold::cuda {

/// A library that is looked for when the program runs, so that nobody needs it to build or to load
/// this one. It stays open: what is in it may have started threads.
class shared_library {
 public:
  /// Opens the first of `names` that the loader finds, or that lies in the folder TENFOLD_CUDA_PATH
  /// of the environment, or in lib64 or lib of it. Throws backend_error, whose sentence `what`
  /// begins: it is missing, or what there is does not load, with the loader's reason.
  shared_library(const std::string& what, std::span<const char* const> names);

  /// A function, or variable, of the library. Throws backend_error.
  void* symbol(const char* name) const;
  template <class F>
  void find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(symbol(name));
  }
  /// One that older libraries do not have: null.
  template <class F>
  void find_newer(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(symbol_or_null(name));
  }

 private:
  void* symbol_or_null(const char* name) const;

  std::string what_;
  void* handle_ = nullptr;
};

}  // namespace tenfold::cuda
