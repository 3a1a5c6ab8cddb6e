#include <cstdio>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/tuning_table.hpp>

/// Prints a header with one class for each instruction set.
int main() {
  using namespace tenfold;
  tuning_table table{"Maker-1-2-3", {}};
  for (int i = 0; i < instruction_set_count; ++i) {
    const auto set = static_cast<instruction_set>(i);
    size_class which;
    if (!read_class("d-strided-16", which)) return 1;
    table.classes.push_back({set, which, select::shipped(which, set)});
    table.classes.back().found.columns_rows = 3;
    table.classes.back().found.unroll = 0;
  }
  std::fputs(header_of(table).c_str(), stdout);
  return 0;
}
