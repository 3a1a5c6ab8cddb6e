/// Runs CEED's bake-off problems; see bake_off.hpp.

#include <iostream>
#include <string_view>
#include <vector>

#include "bake_off.hpp"

int main(int count, char** words) {
  const std::vector<std::string_view> arguments(words + (count > 0), words + count);
  return fem::run_bake_off(arguments, std::cout, std::cerr);
}
