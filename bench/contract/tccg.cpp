#include "contract/tccg.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace tenfold::bench {

std::vector<tccg_case> tccg(double scale) {
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
    const auto with = [&](const std::string& numbers) {
      contraction y = x;
      std::istringstream list(numbers);
      char label = 'a';
      // The one matrix product of the list takes seconds: a third of each extent.
      const double by = labels == "ab-ac-cb" ? scale / 3 : scale;
      for (std::string n; std::getline(list, n, ','); ++label)
        y.extents[label] = std::max<index>(4, static_cast<index>(std::stod(n) * by));
      return y;
    };
    all.push_back({with(twice), with(single)});
  }
  return all;
}

}  // namespace tenfold::bench
