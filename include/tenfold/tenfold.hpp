#pragma once

/// All of Tenfold.
#include <tenfold/einsum.hpp>
#include <tenfold/explain.hpp>
#include <tenfold/plan.hpp>
