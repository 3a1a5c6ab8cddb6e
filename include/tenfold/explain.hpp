#pragma once

/// What an expression becomes, and why: explain<"ij,jk->ik">(A, B), as data and as a table; on a
/// device, explain<"ij,jk->ik">(on(device::cuda), A, B).
#include <tenfold/dsel/explain.hpp>
#include <tenfold/dsel/explain_on_device.hpp>
#include <tenfold/einsum.hpp>
