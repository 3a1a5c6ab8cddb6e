#include "journal.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tenfold/backend/tuning_table.hpp>

namespace tenfold::tune {

double finding::mean() const {
  double sum = 0;
  for (const comparison& c : compared) sum += std::log(c.ratio);
  return compared.empty() ? 1 : std::exp(sum / static_cast<double>(compared.size()));
}

namespace {

constexpr const char* places[] = {"cache", "l3", "memory", "threads", "fixed"};

bool read_comparison(std::istringstream& words, finding::comparison& to) {
  std::string whose, where;
  if (!(words >> to.on.m >> to.on.n >> to.on.k >> whose >> where >> to.rate >> to.ratio >>
        to.noise))
    return false;
  to.on.shared_a = whose == "shared";
  const auto* const found = std::find(std::begin(places), std::end(places), where);
  if (found == std::end(places)) return false;
  to.on.where = static_cast<place>(found - std::begin(places));
  return true;
}

bool read_values(std::istringstream& words, gemm_tuning& to) {
  for (const tuning_field& f : tuning_fields) {
    if (!(words >> to.*f.value) || to.*f.value < f.least || to.*f.value > f.most) return false;
  }
  return true;
}

}  // namespace

std::string journal_title(const std::string& cpu, instruction_set set, const std::string& from) {
  return "tenfold tune " + std::to_string(tuning_version) + ' ' + cpu + ' ' + name_of(set) + ' ' +
         from;
}

std::string text_of(const finding& f) {
  std::ostringstream text;
  text << "found " << name_of(f.which);
  for (const tuning_field& field : tuning_fields) text << ' ' << f.found.*field.value;
  text << "\nfixed";
  for (const tuning_field& field : tuning_fields) text << ' ' << f.fixed.*field.value;
  text << '\n';
  for (const finding::comparison& c : f.compared) {
    text << "on " << c.on.m << ' ' << c.on.n << ' ' << c.on.k
         << (c.on.shared_a ? " shared " : " own ") << places[static_cast<int>(c.on.where)] << ' '
         << c.rate << ' ' << c.ratio << ' ' << c.noise << '\n';
  }
  text << "end " << name_of(f.which) << '\n';
  return text.str();
}

std::vector<finding> read_journal(std::string_view text, const std::string& title) {
  std::istringstream lines{std::string(text)};
  std::vector<finding> all;
  std::string line;
  if (!std::getline(lines, line) || line != title) return all;
  finding now;
  bool is_open = false, has_fixed = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string what, name;
    words >> what;
    if (what == "found") {
      now = {};
      is_open = words >> name && read_class(name, now.which) && read_values(words, now.found);
      has_fixed = false;
      if (!is_open) return all;
    } else if (what == "fixed" && is_open) {
      has_fixed = read_values(words, now.fixed);
      if (!has_fixed) return all;
    } else if (what == "on" && is_open) {
      finding::comparison c;
      if (!read_comparison(words, c)) return all;
      now.compared.push_back(c);
    } else if (what == "end" && is_open && has_fixed && words >> name &&
               name == name_of(now.which)) {
      std::erase_if(all, [&](const finding& f) { return f.which == now.which; });
      all.push_back(now);
      is_open = false;
    } else {
      return all;
    }
  }
  return all;
}

}  // namespace tenfold::tune
