#include "../contraction/plan.hpp"
#include <tenfold/backend/interface/program.hpp>
