#pragma once

/// What an expression becomes, and why: explain<"ij,jk->ik">(A, B), as data and as a table.
#include <tenfold/dsel/explain.hpp>
#include <tenfold/einsum.hpp>
