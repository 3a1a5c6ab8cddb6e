#include <tenfold/backend/interface/program.hpp>
#include "../contraction/plan.hpp"
