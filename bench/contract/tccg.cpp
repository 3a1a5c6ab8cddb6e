#include "contract/tccg.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace tenfold::bench {
namespace {

void limit_flops(contraction& x, double most) {
  if (x.flops() <= most) return;
  const double by = std::pow(most / x.flops(), 1.0 / static_cast<double>(x.all().size()));
  for (auto& [label, extent] : x.extents) {
    const index part = std::min<index>(extent & -extent, 8);
    extent = std::max(part, static_cast<index>(static_cast<double>(extent) * by) / part * part);
  }
}

}  // namespace

std::vector<tccg_case> tccg(double most_flops) {
  const std::string file = TENFOLD_BENCH_DATA "/tccg.txt";
  std::ifstream in(file);
  if (!in) {
    std::fprintf(stderr, "contract: cannot read %s\n", file.c_str());
    std::exit(2);
  }
  std::vector<tccg_case> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string labels, single, semicolon, twice;
    words >> labels >> single >> semicolon >> twice;
    std::istringstream parts(labels);
    contraction x;
    std::getline(parts, x.c, '-');
    std::getline(parts, x.a, '-');
    std::getline(parts, x.b, '-');
    x.name = "tccg " + labels;
    // Column-major: the other way round.
    for (std::string* s : {&x.a, &x.b, &x.c}) std::reverse(s->begin(), s->end());
    const auto with = [&](const std::string& numbers, double most) {
      contraction y = x;
      std::istringstream list(numbers);
      char label = 'a';
      for (std::string n; std::getline(list, n, ','); ++label) y.extents[label] = std::stol(n);
      limit_flops(y, most);
      return y;
    };
    all.push_back({with(twice, most_flops), with(single, 2 * most_flops)});
  }
  return all;
}

}  // namespace tenfold::bench
