#include <tenfold/backend/cpu/register_tile.hpp>
#include <tenfold/backend/interface/program.hpp>
#include <xsimd/xsimd.hpp>
