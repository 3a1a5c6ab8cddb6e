#pragma once

#include <filesystem>
#include <string>

namespace tenfold::tune {

/// Empty if there is no such file.
std::string text_of_file(const std::filesystem::path&);

/// Writes a file, in folders that are made where they are missing, and prints its name. A program
/// that starts meanwhile reads what was there before, or all of the new one. Throws
/// std::runtime_error.
void write_file(const std::filesystem::path&, const std::string& text);

}  // namespace tenfold::tune
