#pragma once

/// Plans that are made once and run often: plan("eij,ej->ei", like(A), like(u)).
#include <tenfold/dsel/reusable_plan.hpp>
#include <tenfold/einsum.hpp>
