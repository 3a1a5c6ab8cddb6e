// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "options.hpp"

#include <charconv>
#include <optional>
#include <system_error>

#include "problem_error.hpp"

namespace fem {
namespace {

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// All of `text` as a number.
template <class Number>
Number number(std::string_view name, std::string_view text, const char* kind) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    throw problem_error(std::string(name) + " takes " + kind + ", not " + quoted(text));
  }
  if (error == std::errc::result_out_of_range) {
    throw problem_error(std::string(name) + " " + std::string(text) + " is out of range");
  }
  return value;
}

int whole_number(std::string_view name, std::string_view text, int least, int most) {
  const int value = number<int>(name, text, "a whole number");
  if (value < least || value > most) {
    throw problem_error(std::string(name) + " " + std::to_string(value) + " is not between " +
                        std::to_string(least) + " and " + std::to_string(most));
  }
  return value;
}

}  // namespace

options parse_options(std::span<const std::string_view> arguments) {
  options chosen;
  bool deformed = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      chosen.help = true;
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const auto value = [&]() -> std::string_view {
      if (equals != argument.npos) return argument.substr(equals + 1);
      if (i + 1 == arguments.size()) throw problem_error(std::string(name) + " needs a value");
      return arguments[++i];
    };
    if (name == "--mesh") {
      chosen.mesh = value();
    } else if (name == "--degree") {
      chosen.degree = whole_number(name, value(), 1, max_degree);
    } else if (name == "--refine") {
      chosen.refine = whole_number(name, value(), 0, 20);
    } else if (name == "--threads") {
      chosen.threads = whole_number(name, value(), 1, 1024);
    } else if (name == "--geometry") {
      chosen.geometry = whole_number(name, value(), 1, max_degree);
    } else if (name == "--deform") {
      deformed = true;
      chosen.deform = number<double>(name, value(), "a number");
      if (!(chosen.deform >= 0 && chosen.deform <= 10)) {
        throw problem_error(std::string(name) + " is not between 0 and 10");
      }
    } else if (name == "--output") {
      chosen.output = value();
      if (chosen.output.empty()) throw problem_error("--output needs the name of a file");
    } else {
      throw problem_error("there is no option " + quoted(argument) + "; --help lists them");
    }
  }
  if (deformed && chosen.mesh != "cube") throw problem_error("--deform is for --mesh cube alone");
  if (chosen.degree != 0 && chosen.geometry > chosen.degree) {
    throw problem_error("--geometry " + std::to_string(chosen.geometry) +
                        " is more than --degree " + std::to_string(chosen.degree) +
                        ": elements are at most as curved as their functions");
  }
  return chosen;
}

std::string_view usage() {
  return "poisson: solves -div grad u = f with curved hexahedra of high order\n"
         "\n"
         "  --mesh MESH    cube: deformed (without it); kershaw: a cube of 6^3 sheared hexahedra;\n"
         "                 ball: of 7 hexahedra; FILE.msh: those that Gmsh wrote, as text in "
         "format\n"
         "                 2.2 or 4.1, of 8 or of 27 nodes\n"
         "  --degree P     polynomial degree, 1 to 10 (without it: degrees 1 to 6)\n"
         "  --refine R     the finest mesh has 2^R elements per direction in each hexahedron; the\n"
         "                 two coarser ones are solved first, for the rates\n"
         "  --threads T    threads (without it: all of the machine); results do not depend on T\n"
         "  --output FILE  the last solution, as a .vtu file of curved cells for ParaView\n"
         "  --deform A     how far the cube is bent (0.1; it folds over at 0.318)\n"
         "  --geometry G   polynomial degree of the elements' shape, at most P (without it: P);\n"
         "                 kershaw has 1, a Gmsh file its order, and no more\n"
         "  --help         this text\n"
         "\n"
         "It ends with 0 when the error falls as it must: at the rate P + 0.8 or better on the\n"
         "finest pair of meshes of each degree, or to below 1e-10; with 1 when it does not; with\n"
         "2 when the problem cannot be solved as given.\n";
}

}  // namespace fem
