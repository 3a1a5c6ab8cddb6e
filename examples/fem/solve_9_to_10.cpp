// Copyright The Tenfold authors. Distributed under the Boost Software License, Version 1.0.

#include "solve_degree.hpp"

namespace fem {

template outcome solve<9>(const request&);
template outcome solve<10>(const request&);

}  // namespace fem
