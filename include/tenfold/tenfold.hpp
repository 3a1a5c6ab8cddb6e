#pragma once

/// All of Tenfold but index notation, which needs Boost: <tenfold/index_notation.hpp>.
#include <tenfold/einsum.hpp>
#include <tenfold/explain.hpp>
#include <tenfold/fuse.hpp>
#include <tenfold/plan.hpp>
