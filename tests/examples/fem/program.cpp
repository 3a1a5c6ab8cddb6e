#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <slow_build.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "domain.hpp"
#include "memory.hpp"
#include "meshes.hpp"
#include "plot.hpp"
#include "problem_error.hpp"
#include "report.hpp"
#include "run.hpp"

namespace {

struct printed {
  int code;
  std::string out, err;
};

printed poisson(std::initializer_list<std::string_view> arguments) {
  std::ostringstream out, err;
  const std::vector<std::string_view> words(arguments);
  const int code = fem::run(words, out, err, false);
  return {code, out.str(), err.str()};
}

/// Bad input gets this sentence, all of it on one line, nothing else on any stream, and exit
/// code 2.
void check_refused(std::initializer_list<std::string_view> arguments, const std::string& sentence) {
  const printed p = poisson(arguments);
  CHECK(p.code == 2);
  CHECK(p.err == "poisson: " + sentence + "\n");
  CHECK(p.out == "");
}

std::string file_content(const std::filesystem::path& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A name for a file of this process, gone at the end of the test.
struct temporary_file {
  std::filesystem::path path;

  explicit temporary_file(const char* name)
      : path(std::filesystem::temp_directory_path() /
             ("tenfold_" + std::to_string(getpid()) + "_" + name)) {
    std::filesystem::remove(path);
  }
  ~temporary_file() { std::filesystem::remove(path); }
  std::string name() const { return path.string(); }
};

}  // namespace

TEST_CASE("bad options are refused with one sentence") {
  check_refused({"--degree", "0"}, "--degree 0 is not between 1 and 10");
  check_refused({"--degree", "99"}, "--degree 99 is not between 1 and 10");
  check_refused({"--degree=-3"}, "--degree -3 is not between 1 and 10");
  check_refused({"--degree", "two"}, "--degree takes a whole number, not 'two'");
  check_refused({"--degree", "2.5"}, "--degree takes a whole number, not '2.5'");
  check_refused({"--degree", ""}, "--degree takes a whole number, not ''");
  check_refused({"--degree", "99999999999999"}, "--degree 99999999999999 is out of range");
  check_refused({"--degree"}, "--degree needs a value");
  check_refused({"--refine", "-1"}, "--refine -1 is not between 0 and 20");
  check_refused({"--refine", "99"}, "--refine 99 is not between 0 and 20");
  check_refused({"--threads", "0"}, "--threads 0 is not between 1 and 1024");
  check_refused({"--threads", "many"}, "--threads takes a whole number, not 'many'");
  check_refused({"--deform", "x"}, "--deform takes a number, not 'x'");
  check_refused({"--deform", "nan"}, "--deform is nan, not between 0 and 10");
  check_refused({"--output", ""}, "--output needs the name of a file");
  check_refused({"--output", "x.svg", "--plot", "x.svg"},
                "--output and --plot are one file, 'x.svg'");
  check_refused({"--mesh", "x.msh", "--output", "x.msh"},
                "the mesh would be written over: 'x.msh'");
  check_refused({"--preconditioner", "ilu"},
                "--preconditioner is jacobi, chebyshev or multigrid, not 'ilu'");
  check_refused({"--mesh"}, "--mesh needs a value");
  check_refused({"--mesh", "cub"},
                "there is no mesh 'cub': it is cube, kershaw, ball or the name of a Gmsh file, "
                "which ends in '.msh'");
  check_refused({"--mesh", "none.msh"}, "cannot read 'none.msh': No such file or directory");
  check_refused({"--mesh", "ball", "--deform", "0.1"}, "--deform is for --mesh cube alone");
  check_refused({"--speed", "9"}, "there is no option '--speed'; --help lists them");
  check_refused({"3"}, "there is no option '3'; --help lists them");
  check_refused({"--degree", "2", "--geometry", "3"},
                "--geometry 3 is more than --degree 2: elements are at most as curved as their "
                "functions");
}

TEST_CASE("an inverted element is named in one sentence") {
  const printed p = poisson({"--degree", "2", "--refine", "1", "--deform", "0.5"});
  CHECK(p.code == 2);
  CHECK(p.err.find("poisson: element (") == 0);
  CHECK(p.err.find(") of hexahedron 0 is inverted: its Jacobian determinant falls to -") !=
        p.err.npos);
  CHECK(p.err.find('\n') == p.err.size() - 1);
}

TEST_CASE("an unwritable file is refused before the work") {
  check_refused({"--degree", "2", "--refine", "1", "--output", "/nowhere/at/all/u.vtu"},
                "cannot write '/nowhere/at/all/u.vtu': No such file or directory");
  check_refused({"--degree", "2", "--refine", "1", "--output", "/"},
                "cannot write '/': Is a directory");
}

TEST_CASE("a disk that fills up while writing is reported") {
  if (!std::filesystem::exists("/dev/full")) return;
  const printed p = poisson({"--degree", "2", "--refine", "2", "--output", "/dev/full"});
  CHECK(p.code == 2);
  CHECK(p.err == "poisson: cannot write '/dev/full': No space left on device\n");
}

TEST_CASE("a problem that cannot fit in memory is refused before it is allocated") {
  const printed p = poisson({"--degree", "10", "--refine", "20"});
  CHECK(p.code == 2);
  CHECK(p.out == "");
  CHECK(p.err.find("poisson: degree 10 on 1048576^3 elements needs about ") == 0);
  CHECK(p.err.find(" are free; choose a smaller --refine or --degree\n") != p.err.npos);

  const fem::topology cube = fem::deformed_cube(0).shared;
  CHECK_NOTHROW(fem::check_memory(4, cube, 16, false, 2e9));
  CHECK_THROWS_AS(fem::check_memory(4, cube, 64, false, 2e9), fem::problem_error);
  CHECK(fem::needed_bytes(4, cube, 16, true) > fem::needed_bytes(4, cube, 16, false));
  // As many nodes as do not fit in the map's numbers, with memory for all of them.
  CHECK_THROWS_WITH_AS(fem::check_memory(10, cube, 256, false, 1e30),
                       "degree 10 on 256^3 elements has more nodes than the 2^31 - 1 that this "
                       "program can number",
                       fem::problem_error);
  CHECK_THROWS_WITH_AS(fem::check_memory(10, fem::ball().shared, 256, false, 1e30),
                       "degree 10 on 7 x 256^3 elements has more nodes than the 2^31 - 1 that this "
                       "program can number",
                       fem::problem_error);
  CHECK(fem::available_bytes() > 1e6);
}

TEST_CASE("a refused run leaves no file behind, and an old file untouched") {
  temporary_file fresh("fresh.vtu"), old("old.vtu");
  std::ofstream(old.path) << "precious";
  for (const temporary_file* file : {&fresh, &old}) {
    CHECK(poisson({"--degree", "2", "--refine", "1", "--deform", "0.5", "--output", file->name()})
              .code == 2);
  }
  CHECK_FALSE(std::filesystem::exists(fresh.path));
  CHECK(file_content(old.path) == "precious");
}

TEST_CASE("--help prints the options") {
  const printed p = poisson({"--help"});
  CHECK(p.code == 0);
  for (const char* option : {"--mesh", "--degree", "--refine", "--threads", "--output", "--help"}) {
    CHECK(p.out.find(option) != p.out.npos);
  }
}

TEST_CASE("a run prints a row per mesh and says that the error falls as it must") {
  const printed p = poisson({"--degree", "2", "--refine", "3", "--threads", "1"});
  CHECK(p.code == 0);
  CHECK(p.out.find("jacobi        s  multigrid        s") != p.out.npos);
  CHECK(p.out.find("\n 2    2        27 ") != p.out.npos);
  CHECK(p.out.find("\n 2    4       343 ") != p.out.npos);
  CHECK(p.out.find("\n 2    8      3375 ") != p.out.npos);
  CHECK(p.out.find("Every error falls as it must") != p.out.npos);
}

TEST_CASE("of one mesh nothing is said of the rate") {
  const printed p = poisson({"--degree", "1", "--refine", "0", "--threads", "1"});
  CHECK(p.code == 0);
  CHECK(p.out.find("Every error falls as it must") == p.out.npos);
  CHECK(p.out.find("Of one mesh there is no rate") != p.out.npos);
}

TEST_CASE("a plot shows the errors and the throughput of each degree") {
  temporary_file file("plot.svg");
  const printed p =
      poisson({"--degree", "2", "--refine", "2", "--threads", "1", "--plot", file.name()});
  CHECK(p.code == 0);
  const std::string svg = file_content(file.path);
  const auto count = [&svg](const std::string& what) {
    int found = 0;
    for (std::size_t at = svg.find(what); at != svg.npos; at = svg.find(what, at + 1)) ++found;
    return found;
  };
  CHECK(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\"") == 0);
  CHECK(count("<polyline") == 2);
  CHECK(count("<circle") == 6);  // three meshes
  CHECK(count(">p = 2<") == 2);
  CHECK(count(">L2 error<") == 1);
  CHECK(count("<text") == count("</text>"));
  CHECK(svg.find("</svg>\n") == svg.size() - 7);
  check_refused({"--plot", ""}, "--plot needs the name of a file");
  check_refused({"--plot", "/nowhere/at/all/plot.svg"},
                "cannot write '/nowhere/at/all/plot.svg': No such file or directory");
}

TEST_CASE("names in a plot are escaped, and what a logarithm has not is left out") {
  std::ostringstream out;
  fem::write_svg(out,
                 {{"a < b & c", "x", "y", {{"none", {{1, 0}, {-1, 2}}}, {"one", {{10, 10}}}}}});
  CHECK(out.str().find("a &lt; b &amp; c") != std::string::npos);
  CHECK(out.str().find(">none<") == std::string::npos);
  CHECK(out.str().find(">one<") != std::string::npos);
  CHECK(out.str().find("nan") == std::string::npos);
}

TEST_CASE("a run on each mesh says what it is made of") {
  const auto first_line = [](const std::string& mesh) {
    const printed p = poisson({"--mesh", mesh, "--degree", "1", "--refine", "0"});
    CHECK(p.code == 0);
    return p.out.substr(0, p.out.find(" of degree p"));
  };
  CHECK(first_line("cube") == "- div grad u = f on a cube deformed by 0.1, n^3 elements");
  CHECK(first_line("kershaw") ==
        "- div grad u = f on a Kershaw mesh with epsilon 0.3, 216 x n^3 elements");
  CHECK(first_line("ball") == "- div grad u = f on a ball, 7 x n^3 elements");
  const std::string elbow = mesh_file("elbow_order1_v22.msh");
  CHECK(first_line(elbow) == "- div grad u = f on " + elbow + ", 36 x n^3 elements");
}

TEST_CASE("results have the same bits with 1, 2 and 3 threads") {
  std::array<temporary_file, 3> files = {temporary_file("1.vtu"), temporary_file("2.vtu"),
                                         temporary_file("3.vtu")};
  const char* const threads[] = {"1", "2", "3"};
  struct problem {
    std::string mesh;
    const char *degree, *refine;
  };
  std::vector<problem> problems{{"cube", "2", "3"}};
  if (!tenfold::testing::slow_build) {
    problems.push_back({"ball", "2", "2"});
    problems.push_back({mesh_file("plate_order2_v22.msh"), "3", "1"});
  }
  for (const problem& each : problems) {
    CAPTURE(each.mesh);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(poisson({"--mesh", each.mesh, "--degree", each.degree, "--refine", each.refine,
                     "--threads", threads[i], "--output", files[i].name()})
                .code == 0);
    }
    const std::string content = file_content(files[0].path);
    CHECK(content.size() > 100'000);
    CHECK(content == file_content(files[1].path));
    CHECK(content == file_content(files[2].path));
  }
}

TEST_CASE("the verdict asks the finest pair of each degree for the rate p + 0.8") {
  const auto verdict = [](int p, std::initializer_list<double> errors) {
    std::ostringstream out;
    fem::table rows(out, 1e9);
    int n = 1;
    for (const double error : errors) {
      fem::outcome o;
      o.l2_error = error;
      rows.row(p, n *= 2, o);
    }
    return rows.verdict();
  };
  CHECK(verdict(2, {1e-2, 1e-3, 1e-3 / 7.1}));        // rate 2.83
  CHECK_FALSE(verdict(2, {1e-2, 1e-3, 1e-3 / 6.8}));  // rate 2.77
  CHECK(verdict(2, {1e-3, 1e-3, 1e-3 / 8}));          // a coarse pair may fail
  CHECK(verdict(6, {1e-9, 0.9e-10}));                 // below 1e-10 no rate is asked for
  CHECK_FALSE(verdict(6, {1e-9, 1.1e-10}));
  CHECK(verdict(3, {1e-3}));  // one mesh has no rate

  std::ostringstream out;
  fem::table rows(out, 1e9);
  fem::outcome bad, good;
  bad.l2_error = 1;
  good.l2_error = 1e-3;
  rows.row(1, 1, bad);
  rows.row(1, 2, bad);
  rows.row(2, 1, bad);
  rows.row(2, 2, good);
  CHECK_FALSE(rows.verdict());  // an early degree fails the run
  CHECK(out.str().find("degree 1: the error falls at rate 0.00, less than 1.8") !=
        std::string::npos);
}

TEST_CASE("the progress line is rewritten on a terminal and rare elsewhere") {
  std::ostringstream terminal, file;
  fem::progress_line on_terminal(terminal, true), in_file(file, false);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(250)) {
    on_terminal.say("degree 1", "iteration", 7, 0.5);
    in_file.say("degree 1", "iteration", 7, 0.5);
  }
  on_terminal.clear();
  CHECK(terminal.str().find("\r\033[Kdegree 1: iteration 7, residual 5.0e-01\r\033[K") == 0);
  CHECK(terminal.str().size() < 200);
  CHECK(file.str() == "");
}
