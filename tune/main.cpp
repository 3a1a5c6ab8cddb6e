/// ./dev tune: finds the values of tuning.hpp for this machine. README.md says how.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <tenfold/backend/tuning_table.hpp>
#include <vector>

#include "common/machine.hpp"
#include "common/plot.hpp"
#include "files.hpp"
#include "journal.hpp"
#include "search.hpp"

namespace tenfold::tune {
namespace {

volatile std::sig_atomic_t wants_end = 0;

/// For all classes, and for those that are named.
constexpr double whole_seconds = 540, class_seconds = 50;

constexpr const char* usage =
    "tune [--class NAME]... [--from shipped|poor] [--compare] [--fresh] [--folder DIR] [--out "
    "FILE]\n"
    "  --class NAME   only this class of sizes, d-strided-16; repeatable; default: all\n"
    "  --from poor    starts from deliberately poor values, to show what a search finds; the "
    "table\n"
    "                 is then written to the folder alone\n"
    "  --compare      searches nothing: times the table beside what is shipped, or poor, anew\n"
    "  --fresh        does not go on from an interrupted search\n"
    "  --folder DIR   what was found, header and plots; default: build/tune\n"
    "  --out FILE     the table; default: where the library looks for it\n"
    "  --device cuda  tunes a GPU instead; ./dev tune --device cuda --help\n";

struct options {
  std::vector<size_class> classes;
  bool from_poor = false, compares = false, fresh = false, is_whole = true;
  std::filesystem::path folder = "build/tune", out;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "tune: %s\n", why.c_str());
  std::exit(2);
}

options read_options(int argc, char** argv) {
  options to;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) refuse(std::string(name) + " needs a value");
      return argv[++i];
    };
    if (name == "--class") {
      const std::string text = value();
      size_class c;
      if (!read_class(text, c)) {
        std::string why = "--class: '";
        why.append(text).append("' is no class of sizes; there are ");
        for (int size = 0; size < size_count; ++size)
          why.append(size == 0 ? "" : ", ").append(name_of(size_class{scalar::f64, false, size}));
        refuse(why.append(", the same with s, c and z, and with interleaved"));
      }
      to.classes.push_back(c);
    } else if (name == "--from") {
      const std::string from = value();
      if (from != "shipped" && from != "poor")
        refuse("--from is '" + from + "' and must be shipped or poor");
      to.from_poor = from == "poor";
    } else if (name == "--compare") {
      to.compares = true;
    } else if (name == "--fresh") {
      to.fresh = true;
    } else if (name == "--folder") {
      to.folder = value();
    } else if (name == "--out") {
      to.out = value();
    } else {
      const bool asked = name == "--help";
      if (!asked) std::fprintf(stderr, "tune: there is no option '%s'\n", argv[i]);
      std::fprintf(asked ? stdout : stderr, "%s", usage);
      std::exit(asked ? 0 : 2);
    }
  }
  to.is_whole = to.classes.empty();
  if (to.is_whole) {
    // Real scalars of one precision one after the other: the numbers in memory are theirs.
    for (const scalar type : {scalar::f64, scalar::c64, scalar::f32, scalar::c32})
      for (const bool interleaved : {false, true})
        for (int size = 0; size < size_count; ++size)
          to.classes.push_back({type, interleaved, size});
  }
  if (to.from_poor) to.folder /= "poor";
  if (to.out.empty())
    to.out = to.from_poor ? to.folder / "tuning.txt" : std::filesystem::path(user_tuning_file());
  if (to.out.empty()) refuse("there is neither HOME nor XDG_DATA_HOME: name a file with --out");
  if (std::filesystem::is_directory(to.out))
    refuse("the table cannot be written: " + to.out.string() + " is a directory");
  return to;
}

/// One line on stderr, replaced by the next: what is done, and how long the rest will take.
class progress_line {
 public:
  progress_line(std::size_t classes, double seconds) : classes_(classes), seconds_(seconds) {}

  /// For the search of a class, if all classes shall be done in time: the comparison at its end
  /// takes about as long again.
  double seconds_for_next() const {
    return std::max(1.0, 0.5 * (seconds_ - elapsed()) / static_cast<double>(classes_ - done_));
  }

  void warn(const std::string& what) {
    clear();
    std::fprintf(stderr, "tune: %s\n", what.c_str());
  }
  void say(const std::string& what) {
    if (wants_end != 0) throw interrupted{};
    const auto now = std::chrono::steady_clock::now();
    if (now - said_ < std::chrono::milliseconds(100)) return;
    said_ = now;
    // Before anything is done a class is taken for what it may take at most.
    const double each =
        (done_ == 0 ? seconds_ : elapsed()) / static_cast<double>(done_ == 0 ? classes_ : done_);
    const double left = std::max(0.0, each * static_cast<double>(classes_) - elapsed());
    std::fprintf(stderr, "\r\033[K%zu of %zu, %d:%02d left: %s", done_, classes_,
                 static_cast<int>(left) / 60, static_cast<int>(left) % 60, what.c_str());
  }
  void class_is_done() { ++done_; }
  void clear() { std::fprintf(stderr, "\r\033[K"); }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  std::size_t classes_, done_ = 0;
  double seconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now(), said_{};
};

void print(const finding& f, const gemm_tuning& start) {
  double worst = 1;
  for (const finding::comparison& c : f.compared) worst = std::min(worst, c.ratio);
  std::printf("%-22s %5.2f %7.2f  ", name_of(f.which).c_str(), f.mean(), worst);
  bool changed = false;
  for (const tuning_field& field : tuning_fields) {
    if (f.found.*field.value == start.*field.value) continue;
    std::printf(" %s=%d", field.name, f.found.*field.value);
    changed = true;
  }
  const instruction_set set = best_instruction_set();
  const processor model = processor_here();
  const gemm_tuning fixed_start = for_fixed(select::shipped_static(f.which, set, model), f.found,
                                            select::shipped(f.which, set, model));
  for (const tuning_field& field : tuning_fields) {
    if (f.fixed.*field.value == fixed_start.*field.value) continue;
    std::printf(" static:%s=%d", field.name, f.fixed.*field.value);
    changed = true;
  }
  std::printf("%s\n", changed ? "" : " as before");
  std::fflush(stdout);
}

/// Found against started from over the orders of one scalar and layout.
void plot(const std::vector<finding>& all, const options& how, scalar type, bool interleaved,
          place where) {
  bench::curve found{"found", {}, bench::curve::look::ours};
  bench::curve before{how.from_poor ? "poor" : "shipped", {}, bench::curve::look::other};
  for (const finding& f : all) {
    if (f.which.type != type || f.which.interleaved != interleaved) continue;
    for (const finding::comparison& c : f.compared) {
      if (c.on.where != where || c.on.shared_a || c.on.m > 64) continue;
      found.points.emplace_back(c.on.m, c.rate);
      before.points.emplace_back(c.on.m, c.rate / c.ratio);
    }
  }
  if (found.points.size() < 2) return;
  std::sort(found.points.begin(), found.points.end());
  std::sort(before.points.begin(), before.points.end());
  std::string name = name_of(size_class{type, interleaved, 0});
  name.resize(name.rfind('-'));
  const bool from_memory = where == place::memory;
  const std::filesystem::path file = how.folder / (name + (from_memory ? "-memory" : "") + ".svg");
  std::filesystem::create_directories(how.folder);
  if (!bench::write_plot(file,
                         "C = A B, n x n, run-time sizes, " + name +
                             (from_memory ? ", streaming from memory" : ", in L2") + ", one core",
                         "n", "GFLOP/s", {before, found}))
    throw std::runtime_error("cannot write " + file.string());
  std::printf("%s\n", file.c_str());
}

void plot_all(const std::vector<finding>& all, const options& how) {
  for (const scalar type : {scalar::f64, scalar::f32, scalar::c64, scalar::c32})
    for (const bool interleaved : {false, true})
      for (const place where : {place::cache, place::memory})
        plot(all, how, type, interleaved, where);
}

/// The table of all that was found, with what an earlier table says of other classes; the header
/// and the plots.
void write_results(const std::vector<finding>& all, const options& how, instruction_set set) {
  tuning_table table = read_tuning(text_of_file(how.out), how.out, cpu_key()).table;
  table.cpu = cpu_key();
  for (const finding& f : all) {
    std::erase_if(table.classes,
                  [&](const tuned_class& c) { return c.set == set && c.which == f.which; });
    table.classes.push_back({set, f.which, f.found});
  }
  write_file(how.out, text_of(table));
  tuning_table fixed{table.cpu, {}};
  for (const finding& f : all) fixed.classes.push_back({set, f.which, f.fixed});
  write_file(how.folder / "tuned_classes.hpp", header_of(fixed));
  plot_all(all, how);
}

/// Those found now and, of other classes, by earlier searches in the same folder, which are kept
/// there: header and plots show all that is known.
std::vector<finding> with_earlier(const std::vector<finding>& all, const options& how,
                                  const std::string& title) {
  const std::filesystem::path kept = how.folder / "found.txt";
  std::string text = title + '\n';
  for (const std::vector<finding>& some : {read_journal(text_of_file(kept), title), all})
    for (const finding& f : some) text += text_of(f);
  std::vector<finding> merged = read_journal(text, title);
  text = title + '\n';
  for (const finding& f : merged) text += text_of(f);
  write_file(kept, text);
  return merged;
}

void summarize(const std::vector<finding>& all, const options& how) {
  double sum = 0;
  int count = 0, slower = 0;
  const finding::comparison* worst = nullptr;
  std::string worst_class;
  for (const finding& f : all) {
    for (const finding::comparison& c : f.compared) {
      sum += std::log(c.ratio);
      ++count;
      slower += c.ratio < 1 - 0.01 - c.noise;
      if (worst == nullptr || c.ratio < worst->ratio) {
        worst = &c;
        worst_class = name_of(f.which);
      }
    }
  }
  if (worst == nullptr) return;
  std::printf(
      "found over %s: %.3f in geometric mean of %d samples; slower by more than noise: %d; "
      "the lowest ratio is %.3f +- %.3f, %td x %td x %td of %s\n",
      how.from_poor ? "poor" : "shipped", std::exp(sum / count), count, slower, worst->ratio,
      worst->noise, worst->on.m, worst->on.n, worst->on.k, worst_class.c_str());
}

/// Searches the classes that are not in the journal, which it continues.
int find(const options& how, const std::function<gemm_tuning(const size_class&)>& start_of,
         arena& memory, search_options search_how) {
  const std::string title =
      journal_title(cpu_key(), search_how.set, how.from_poor ? "poor" : "shipped");
  const std::filesystem::path journal = how.folder / "journal.txt";
  std::vector<finding> all;
  if (!how.fresh && how.is_whole) all = read_journal(text_of_file(journal), title);
  if (!all.empty())
    std::printf("%zu classes are known from %s; --fresh forgets them\n", all.size(),
                journal.c_str());
  std::ofstream known;
  if (how.is_whole) {
    known.open(journal, std::ios::trunc);
    known << title << '\n';
    for (const finding& f : all) known << text_of(f);
    known.flush();
  }
  for (const finding& f : all) print(f, start_of(f.which));

  std::vector<size_class> left;
  for (const size_class& c : how.classes) {
    if (std::none_of(all.begin(), all.end(), [&](const finding& f) { return f.which == c; }))
      left.push_back(c);
  }
  progress_line line(left.size(), how.is_whole ? whole_seconds : class_seconds);
  search_how.progress = [&](const std::string& what) { line.say(what); };
  search_how.warn = [&](const std::string& what) { line.warn(what); };
  try {
    for (const size_class& c : left) {
      search_how.seconds = line.seconds_for_next();
      all.push_back(search(c, start_of(c), memory, search_how));
      line.class_is_done();
      line.clear();
      print(all.back(), start_of(c));
      known << text_of(all.back());
      known.flush();
    }
  } catch (const interrupted&) {
    line.clear();
    if (how.is_whole)
      std::printf(
          "interrupted: %zu of %zu classes are found; the same command goes on from there\n",
          all.size(), how.classes.size());
    else
      std::printf("interrupted, nothing is written\n");
    return 130;
  }
  summarize(all, how);
  write_results(with_earlier(all, how, title), how, search_how.set);
  if (how.is_whole) std::filesystem::remove(journal);
  return 0;
}

/// Times the classes of the table anew.
int compare_table(const options& how, const std::function<gemm_tuning(const size_class&)>& start_of,
                  arena& memory, search_options search_how) {
  const tuning_reading read = read_tuning(text_of_file(how.out), how.out, cpu_key());
  if (!read.refusal.empty()) throw std::runtime_error(read.refusal);
  std::vector<finding> all;
  progress_line line(how.classes.size(), whole_seconds);
  search_how.progress = [&](const std::string& what) { line.say(what); };
  search_how.warn = [&](const std::string& what) { line.warn(what); };
  try {
    for (const size_class& c : how.classes) {
      for (const tuned_class& one : read.table.classes) {
        if (one.set != search_how.set || !(one.which == c)) continue;
        all.push_back(compare(c, start_of(c), one.found, memory, search_how));
        line.clear();
        print(all.back(), start_of(c));
      }
      line.class_is_done();
    }
  } catch (const interrupted&) {
    line.clear();
    return 130;
  }
  summarize(all, how);
  plot_all(all, how);
  return 0;
}

int run(const options& how) {
  const bench::machine machine = bench::describe_machine();
  search_options search_how;
  search_how.set = best_instruction_set();
  search_how.model = processor_here();
  search_how.cores = machine.cores;
  const auto start_of = [&](const size_class& c) {
    return how.from_poor ? poor(c, search_how.set)
                         : select::shipped(c, search_how.set, search_how.model);
  };
  std::filesystem::create_directories(how.folder);
  std::printf("%s, %s, %s\n%-22s %5s %7s   values\n", machine.cpu.c_str(), cpu_key().c_str(),
              name_of(search_how.set), "class", "mean", "lowest");
  arena memory(std::min(2 * machine.l3, machine.memory / 4), machine.l2);
  return how.compares ? compare_table(how, start_of, memory, search_how)
                      : find(how, start_of, memory, search_how);
}

}  // namespace
}  // namespace tenfold::tune

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { tenfold::tune::wants_end = 1; });
  try {
    return tenfold::tune::run(tenfold::tune::read_options(argc, argv));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tune: %s\n", e.what());
    return 1;
  }
}
