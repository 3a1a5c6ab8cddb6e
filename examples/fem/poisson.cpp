/// Solves Poisson's equation with curved hexahedra of high order; see README.md.

#include <unistd.h>

#include <iostream>
#include <string_view>
#include <vector>

#include "run.hpp"

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + (count > 0), words + count);
  return fem::run(arguments, std::cout, std::cerr, isatty(STDERR_FILENO) == 1);
}
