#include <tenfold/contraction/plan.hpp>
#include <tenfold/einsum.hpp>
