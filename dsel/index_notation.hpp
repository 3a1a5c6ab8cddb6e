#pragma once

/// y(e, i) += 0.5 * A(e, i, j) * conj(u(e, j)): einsum written with labels as objects.
///
///   using namespace tenfold::labels;
///   y(e, i) = A(e, i, j) * u(e, j) - f(e, i);
///   y(e, i) -= 2 * A(e, i, j) * u(e, j);
///   s(i) = A(e, 2, i) * w(e);             // a number in place of a label fixes the axis
///   indexed(matrix)(i, j) = a(i) * b(j);  // operands of other libraries
///
/// Each statement computes at once; where y is a device_tensor it is started on its stream, of
/// operands in that device's memory. Labels that are not on the left are summed, in each term of
/// the right-hand side: the meaning, the plan and the code are those of einsum with the same
/// labels.
#include <tenfold/dsel/index_expression.hpp>
#include <tenfold/dsel/index_statement.hpp>
#include <tenfold/dsel/labels.hpp>
