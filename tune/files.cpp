#include "files.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tenfold::tune {

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path());
  std::filesystem::path beside = file;
  beside += ".new";
  std::ofstream out(beside, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error("cannot write " + beside.string());
  std::filesystem::rename(beside, file);
  std::printf("%s\n", file.c_str());
}

}  // namespace tenfold::tune
