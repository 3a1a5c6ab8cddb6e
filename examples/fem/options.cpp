#include "options.hpp"

#include <string>

#include "arguments.hpp"
#include "problem_error.hpp"

namespace fem {

options parse_options(std::span<const std::string_view> arguments) {
  options chosen;
  bool deformed = false;
  for_each_option(arguments, [&](std::string_view name, const option_value& value) {
    if (name == "--help" || name == "-h") {
      chosen.help = true;
    } else if (name == "--mesh") {
      chosen.mesh = value();
    } else if (name == "--degree") {
      chosen.degree = whole_number(name, value(), 1, max_degree);
    } else if (name == "--refine") {
      chosen.refine = whole_number(name, value(), 0, 20);
    } else if (name == "--threads") {
      chosen.threads = whole_number(name, value(), 1, 1024);
    } else if (name == "--geometry") {
      chosen.geometry = whole_number(name, value(), 1, max_degree);
    } else if (name == "--preconditioner") {
      chosen.preconditioner = value();
      if (chosen.preconditioner != "jacobi" && chosen.preconditioner != "chebyshev" &&
          chosen.preconditioner != "multigrid") {
        throw problem_error("--preconditioner is jacobi, chebyshev or multigrid, not '" +
                            chosen.preconditioner + "'");
      }
    } else if (name == "--device") {
      chosen.where = named_device(name, value());
    } else if (name == "--deform") {
      deformed = true;
      const std::string_view text = value();
      chosen.deform = real_number(name, text);
      if (!(chosen.deform >= 0 && chosen.deform <= 10)) {
        throw problem_error(std::string(name) + " is " + std::string(text) +
                            ", not between 0 and 10");
      }
    } else if (name == "--output") {
      chosen.output = value();
      if (chosen.output.empty()) throw problem_error("--output needs the name of a file");
    } else if (name == "--plot") {
      chosen.plot = value();
      if (chosen.plot.empty()) throw problem_error("--plot needs the name of a file");
    } else {
      return false;
    }
    return true;
  });
  if (!chosen.output.empty() && chosen.output == chosen.plot)
    throw problem_error("--output and --plot are one file, " + quoted(chosen.plot));
  for (const std::string* to : {&chosen.output, &chosen.plot}) {
    if (*to == chosen.mesh && chosen.mesh.ends_with(".msh"))
      throw problem_error("the mesh would be written over: " + quoted(*to));
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
         "  --plot FILE    errors and throughput over DoFs, degree by degree, as an .svg file\n"
         "  --deform A     how far the cube is bent (0.1; it folds over at 0.318)\n"
         "  --geometry G   polynomial degree of the elements' shape, at most P (without it: P);\n"
         "                 kershaw has 1, a Gmsh file its order, and no more\n"
         "  --device D     cpu; cuda: conjugate gradients, with any preconditioner, on the first\n"
         "                 NVIDIA GPU (cpu)\n"
         "  --preconditioner C\n"
         "                 multigrid (without it), chebyshev or jacobi, which is always there to "
         "be\n"
         "                 compared with\n"
         "  --help         this text\n"
         "\n"
         "It ends with 0 when the error falls as it must: at the rate P + 0.8 or better on the\n"
         "finest pair of meshes of each degree, or to below 1e-10; with 1 when it does not; with\n"
         "2 when the problem cannot be solved as given.\n";
}

}  // namespace fem
