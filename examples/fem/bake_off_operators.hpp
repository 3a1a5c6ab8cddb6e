#pragma once

/// The element operators of the bake-off problems: those of operators.hpp also of vectors, and with
/// the nodes as points. Poisson's program has none of these, so that it is compiled sooner.

#include "operators.hpp"

namespace fem {

/// For fields of 3 components.
element_operator vector_mass_operator(const basis& tables, const restriction& all);
element_operator vector_diffusion_operator(const basis& tables, const restriction& all);

/// The points are the nodes: B is the unit matrix. The mass operator is the same for any points.
element_operator collocated_diffusion_operator(const basis& tables, const restriction& all);
element_operator vector_collocated_diffusion_operator(const basis& tables, const restriction& all);

/// The one that the tables and the components ask for.
element_operator any_mass_operator(const basis& tables, const restriction& all);
element_operator any_diffusion_operator(const basis& tables, const restriction& all);

}  // namespace fem
