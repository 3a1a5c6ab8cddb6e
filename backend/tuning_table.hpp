#pragma once

#include <string>
#include <string_view>
#include <tenfold/backend/interface/tuning.hpp>
#include <vector>

/// What ./dev tune found, as text: the table that run-time sizes read, and the header that static
/// sizes are built with.
///
///   tenfold tuning N
///   cpu GenuineIntel-6-143-8
///   set avx512
///   class columns_rows columns_vectors ...
///   d-strided-16 6 4 ...
///   check 90b1d6a5b0a7d0c1
///
/// Each `set` begins an instruction set; the line `check` holds the FNV-1a hash of all before it.
namespace tenfold {

struct tuning_table {
  std::string cpu;  ///< see cpu_key()
  std::vector<tuned_class> classes;
};

/// A table, or the sentence that says why there is none.
struct tuning_reading {
  tuning_table table;
  std::string refusal;  ///< empty: none
};

/// "d-strided-16"; orders above 64: "d-strided-large".
std::string name_of(const size_class&);
/// False if there is no class of that name.
bool read_class(std::string_view name, size_class& to);
const char* name_of(instruction_set);

std::string text_of(const tuning_table&);

/// Reads a text that is called `name` in the refusal, for the CPU `cpu`.
tuning_reading read_tuning(std::string_view text, const std::string& name, const std::string& cpu);

/// The classes of a table as a C++ header, for CMake's TENFOLD_TUNING_HEADER.
std::string header_of(const tuning_table&);

}  // namespace tenfold
