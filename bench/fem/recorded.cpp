#include "fem/recorded.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "fem/problems.hpp"

namespace tenfold::bench {

recorded_rates::recorded_rates(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    std::fprintf(stderr, "fem: cannot read %s\n", file.c_str());
    std::exit(2);
  }
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::istringstream words(text);
    line l;
    words >> l.where >> l.problem;
    for (int p = first_fem_degree; p <= last_fem_degree; ++p) {
      double rate = 0;
      words >> rate;
      l.rates.push_back(1e-3 * rate);
    }
    std::getline(words >> std::ws, l.library);
    if (l.library.empty()) {
      std::fprintf(stderr, "fem: %s: cannot understand '%s'\n", file.c_str(), text.c_str());
      std::exit(2);
    }
    lines_.push_back(std::move(l));
  }
}

std::vector<std::pair<std::string, double>> recorded_rates::of(const std::string& problem, int p,
                                                               const std::string& where) const {
  std::vector<std::pair<std::string, double>> found;
  for (const line& l : lines_) {
    if (l.problem != problem || l.where != where) continue;
    found.emplace_back(l.library, l.rates[static_cast<std::size_t>(p - first_fem_degree)]);
  }
  return found;
}

}  // namespace tenfold::bench
