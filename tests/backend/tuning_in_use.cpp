#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <temporary.hpp>
#include <tenfold/backend/interface/select.hpp>
#include <tenfold/backend/launch.hpp>
#include <tenfold/backend/tuning_in_use.hpp>
#include <tenfold/backend/tuning_table.hpp>

#include "batches.hpp"

// Which table products of run-time sizes go by. It is read once, so each case asks a process of its
// own: this program, running the skipped case below.

namespace tenfold {
namespace {

using testing::temporary_folder;

constexpr size_class marked{scalar::f64, false, 3};

tuning_table table_for(const std::string& cpu) {
  tuning_table t{cpu, {}};
  for (int i = 0; i < instruction_set_count; ++i) {
    const auto set = static_cast<instruction_set>(i);
    t.classes.push_back({set, marked, select::shipped(marked, set)});
    t.classes.back().found.group = 777;
  }
  return t;
}

/// What a process with these settings prints on both streams.
std::string said_with(const std::string& settings) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = "env -u TENFOLD_TUNING -u XDG_DATA_HOME " + settings + " '" + self +
                              "' --no-skip --test-case='the tuning in use is printed' 2>&1";
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  CHECK(pclose(pipe) == 0);
  return text;
}

/// What the process prints of a class that no table has.
std::string as_shipped() {
  const gemm_tuning t = select::shipped(marked, best_instruction_set(), processor_here());
  return "source '', group " + std::to_string(t.group) + ", refusal '";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the tuning in use is printed" * doctest::skip()) {
  using namespace testing;
  generator g(1);
  product<double> p(16, 16, 16, 5, {}, {}, {}, entries_kind::random, g);
  CHECK(p.errors(best_instruction_set()) == 0);
  std::printf("source '%s', group %d, refusal '%s'\n", tuning_source().c_str(),
              tuning_in_use(best_instruction_set()).of(p.shape).group, tuning_refusal().c_str());
}

TEST_CASE("the table that TENFOLD_TUNING names is used") {
  const temporary_folder folder;
  const std::string file = folder.write("table.txt", text_of(table_for(cpu_key())));
  const std::string said = said_with("HOME=/nowhere TENFOLD_TUNING=" + file);
  CHECK_MESSAGE(contains(said, "source '" + file + "', group 777, refusal ''"), said);
  CHECK(!contains(said, "tenfold:"));
}

TEST_CASE(
    "otherwise the table of the user is used, and that of XDG_DATA_HOME before that of HOME") {
  const temporary_folder folder;
  const std::string name = "tenfold/tuning-" + cpu_key() + ".txt";
  const std::string at_home =
      folder.write("home/.local/share/" + name, text_of(table_for(cpu_key())));
  const std::string in_data = folder.write("data/" + name, text_of(table_for(cpu_key())));
  std::string said = said_with("HOME=" + folder.path() + "/home");
  CHECK_MESSAGE(contains(said, "source '" + at_home + "', group 777"), said);
  said = said_with("HOME=" + folder.path() + "/home XDG_DATA_HOME=" + folder.path() + "/data");
  CHECK_MESSAGE(contains(said, "source '" + in_data + "', group 777"), said);
  said = said_with("TENFOLD_TUNING=none HOME=" + folder.path() + "/home");
  CHECK_MESSAGE(contains(said, as_shipped() + "'"), said);
}

TEST_CASE("without a table products go by what is shipped, and nothing is said") {
  const std::string said = said_with("HOME=/nowhere");
  CHECK_MESSAGE(contains(said, as_shipped() + "'"), said);
  CHECK(!contains(said, "tenfold:"));
}

TEST_CASE("a table that is refused is named in one sentence, and what is shipped is used") {
  const temporary_folder folder;
  std::string damaged = text_of(table_for(cpu_key()));
  damaged[damaged.size() / 2] = '?';
  const std::pair<std::string, std::string> cases[] = {
      {folder.write("damaged.txt", damaged), "its check sum does not fit, so it is damaged"},
      {folder.write("foreign.txt", text_of(table_for("Maker-1-2-3"))),
       "it is for the CPU 'Maker-1-2-3', and this is '" + cpu_key() + "'"},
      {folder.path() + "/absent.txt", "it cannot be read"}};
  for (const auto& [file, why] : cases) {
    const std::string said = said_with("HOME=/nowhere TENFOLD_TUNING=" + file);
    const std::string sentence = "the tuning table " + file + " is not used: " + why;
    CHECK_MESSAGE(contains(said, "tenfold: " + sentence + "\n"), said);
    CHECK_MESSAGE(contains(said, as_shipped() + sentence + "'"), said);
  }
}

}  // namespace tenfold
